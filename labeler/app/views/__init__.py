"""One short script a page, widgets only: what is decided is decided in `labeler`."""
