"""Which systems differ?"""
