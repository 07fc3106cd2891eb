"""The linked view of a collection: its data, its script and its style, for the page and for the report."""

from cranfield.present.view.data import view_data

__all__ = ["view_data"]
