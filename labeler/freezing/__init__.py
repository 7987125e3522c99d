"""freezing."""
