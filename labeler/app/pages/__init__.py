"""One short script a page. Widgets only: what is decided is decided in `labeler`."""
