"""The whole story in one file."""
