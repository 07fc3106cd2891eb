"""How answers look: tables, and later charts and the report."""
