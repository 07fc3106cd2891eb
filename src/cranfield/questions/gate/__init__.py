"""May this candidate replace the baseline?"""
