"""Can I stop adding topics?"""
