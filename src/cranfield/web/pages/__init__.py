"""What pages have of their own: forms that ask otherwise than the command line, and answers beyond the library's."""
