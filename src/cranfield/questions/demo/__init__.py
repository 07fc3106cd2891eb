"""The whole story on a sample collection."""
