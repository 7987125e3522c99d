"""Blocks come in; text for a terminal, Markdown or a page goes out. Start at `terminal`."""
