"""Is the collection reliable?"""
