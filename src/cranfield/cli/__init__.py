"""The command line: one file per command, each a thin skin over a library function."""
