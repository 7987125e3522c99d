"""From a query log to a frozen label set."""
