"""The app as a person meets it, in headless Chromium."""
