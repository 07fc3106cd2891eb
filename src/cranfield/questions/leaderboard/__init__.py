"""Who leads, and who may be the best?"""
