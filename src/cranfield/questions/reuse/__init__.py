"""Are the judgments reusable for new systems?"""
