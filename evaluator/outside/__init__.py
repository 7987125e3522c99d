"""outside."""
