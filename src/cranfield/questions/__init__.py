"""One folder per question a user can ask, all alike."""
