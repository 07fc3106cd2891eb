"""The local page: the same functions as the command line, in the browser. It computes nothing itself."""
