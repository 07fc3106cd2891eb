"""Tuning, and the score of a tuned system on unseen topics."""
