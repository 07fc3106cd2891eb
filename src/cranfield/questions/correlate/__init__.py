"""Do two orders of systems agree?"""
