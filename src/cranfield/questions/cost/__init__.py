"""How deep to judge, and at what cost?"""
