"""The report: one HTML file that tells the whole story of a collection, offline."""
