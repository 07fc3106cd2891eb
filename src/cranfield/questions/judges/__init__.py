"""Are machine judgments as good as a second person, and what do they add?"""
