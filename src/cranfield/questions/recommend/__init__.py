"""How many topics, in plain words?"""
