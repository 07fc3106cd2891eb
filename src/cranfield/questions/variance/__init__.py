"""How much past scores vary."""
