"""Files of other tools in (`imports`) and out (`exports`)."""
