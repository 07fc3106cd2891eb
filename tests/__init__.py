"""A package: some libraries install a package `tests` of their own, which would stand before a folder without this file."""
