"""Pages whose form or answer differs from that of the command line."""
