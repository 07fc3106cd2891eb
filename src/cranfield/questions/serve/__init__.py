"""The same questions on a page."""
