"""What each result says: one file per room, of the same name."""
