"""The command line: every question as a command, a thin skin over its library function."""
