"""The linked view of a collection: its data, its script and its style, for the page and for the report."""
