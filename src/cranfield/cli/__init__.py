"""The command line: one file a command, each a thin skin over a library function."""
