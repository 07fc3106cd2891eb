"""Known truth: models that scores and rankings are drawn from, and how near a counted share is to the true rate.

Every check of a method by simulation draws from here, in whatever room the method is: `make_scores`, the sample
collection, the calibration of tests and replicates, selection bias. Scores with known truth made from past ones, on
top of tests and designs, are the room `simulation`.
"""
