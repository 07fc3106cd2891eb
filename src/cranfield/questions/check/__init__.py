"""Are these files valid?"""
