"""contrasts."""
