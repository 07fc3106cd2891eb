"""How many topics?"""
