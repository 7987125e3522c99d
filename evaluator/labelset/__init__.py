"""labelset."""
