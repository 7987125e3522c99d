"""small_sets."""
