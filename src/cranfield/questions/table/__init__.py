"""The table of a paper."""
