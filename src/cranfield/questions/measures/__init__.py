"""Which measures are there?"""
