"""arms."""
