"""Any format to any other."""
