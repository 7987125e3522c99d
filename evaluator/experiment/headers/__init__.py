"""headers."""
