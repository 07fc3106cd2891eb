"""Scores of systems on topics: the matrix type everything speaks, and the files it comes from and goes to."""
