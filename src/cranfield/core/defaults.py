"""Every default and every closed list of choices, once; library, command line and page import them from here.

This module imports nothing heavy, so the command line can show its help at once.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

ALPHA: Final = 0.05
"""Significance level, and one minus the confidence level of intervals."""
POWER: Final = 0.80
"""Wanted probability of detecting a difference of the stated size."""
ASSURANCE: Final = 0.80
"""Wanted probability, over past scores that might have been drawn, that the true power is as wanted."""
SEED: Final = 1
"""Seed of everything random, so that a command repeated gives the same bytes."""
SIGNIFICANT: Final = 10
"""Significant digits of a computed number in JSON, CSV and parquet, and of a p-value when it is compared with alpha.
Processors differ in the last bits of exponentials and logarithms, some 1e-16 to 1e-14 of a result, which must not reach
a file; scores are written unrounded."""
RESAMPLES: Final = 100_000
"""Resamples of a randomisation or bootstrap test."""
HOST: Final = "127.0.0.1"
PORT: Final = 8377
"""Where the local page is served."""
MAX_UPLOAD_MB: Final = 256
"""Largest upload the local page takes at once."""

TestName = Literal[
    "max-t", "randomisation", "bootstrap", "bootstrap-t", "t", "wilcoxon", "sign", "unpaired-t", "welch", "tukey",
    "randomised-tukey",
]  # fmt: skip
"""The significance tests, for editors; `questions.compare.tests` has them, and a test compares the two lists."""
TEST: Final = "randomisation"
"""The test of a family of at most `FEW_COMPARISONS`, and of any family when a correction is named."""
FAMILY_TEST: Final = "max-t"
"""The test of a larger family when neither test nor correction is named."""
FEW_COMPARISONS: Final = 20
"""Comparisons up to which randomisation with Holm errs no more often than max-t does on the most skewed scores."""
MAX_T_RESAMPLES: Final = 9_999
MOST_MAX_T_RESAMPLES: Final = 39_999
"""Resamples of max-t: the first of these, and more up to the second where its critical value is not precise."""
CorrectionName = Literal["none", "bonferroni", "holm", "westfall-young", "bh", "by"]
"""The corrections for many comparisons, likewise (`questions.compare.corrections`)."""
CORRECTION: Final = "holm"
"""How p-values are adjusted for the number of comparisons (the Tukey tests do it themselves)."""
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVE: Final[Alternative] = "two-sided"
StatisticName = Literal["mean", "median", "geometric-mean"]
STATISTIC: Final[StatisticName] = "mean"
EffectSize = Literal["difference", "residual"]
EFFECT_SIZE: Final[EffectSize] = "difference"
"""What a difference is divided by: its own standard deviation, or that of the two-way residuals."""
IntervalKind = Literal["simultaneous", "pairwise"]
INTERVALS: Final[IntervalKind] = "simultaneous"
"""Intervals of differences: simultaneous (matching the decisions) or per pair."""
MOST_LETTERED: Final = 30
"""Systems up to which a leaderboard shows groups as letters; above, as ranges of ranks."""
RANK_RESAMPLES: Final = 10_000
"""Resamples behind a rank interval and the set of systems that may be the best."""
TAU_RESAMPLES: Final = 2_000
"""Resamples of topics behind an interval of τ."""
JUDGES_MEASURE: Final = "nDCG@10"
"""The measure by which judges rank systems."""
JUDGES_MIN_DIFF: Final = 0.05
"""The difference for which questions about judges say how many human topics it needs."""
MACHINE_TOPICS: Final = (50, 100, 200, 500, 1000, 2000)
"""Further machine-judged topics that a design looks at."""
Sampled = Literal["random", "unknown"]
JudgesShow = Literal[
    "decisions", "conflicts", "rankings", "means", "pairs", "bias", "leniency", "judges", "confusion", "labels"
]
MEMORY_MB: Final = 512
"""About how much memory resampling may use; never changes a result."""
LIBRARIES_MB: Final = 160
"""Memory that the interpreter and its libraries take before anything is read, about."""

MissingPolicy = Literal["error", "zero", "drop-topic"]
COST_DEPTHS: Final = (5, 10, 20, 30, 50, 100)
"""Pool depths that `cost` compares unless told otherwise."""
UndecidedPolicy = Literal["pass", "warn", "fail"]
"""What an undecided gate does to a build."""
Unjudged = Literal["bounds"]
"""What to compute about unjudged documents: the least and the most that scores can be."""
MISSING: Final[MissingPolicy] = "error"
"""What to do with a (topic, system) cell that has no score."""

OUTPUT_FORMAT: Final = "table"

FileKind = Literal["run", "qrels", "scores"]

SystemName = Literal["file", "tag"]
SYSTEM_NAME: Final[SystemName] = "file"
"""Where a run's system name comes from: the file's name or the run tag inside it."""

ESTIMATOR: Final = "within"
"""How to estimate a variance when nothing says what it is for."""
ANOVA_VARIANCE: Final = "within"
BLOCKED_VARIANCE: Final = "residual"
PAIRS_VARIANCE: Final = "residual"
PAIRED_VARIANCE: Final = "percentile95"
"""Which estimate feeds which design when it starts from scores: one-way ANOVA, blocked ANOVA, all pairs, and one pair
(paired t and interval)."""

DesignMethod = Literal["exact", "published", "approximate"]
DESIGN_METHOD: Final[DesignMethod] = "exact"
LOW_EPSILON: Final = 0.75
"""An ε below this earns a warning about the blocked F-test."""

RankingOrder = Literal["score", "rank", "file"]
ORDER: Final[RankingOrder] = "score"
"""How documents are ordered: by score as trec_eval, by the rank column as ndeval, or as the file as NTCIREVAL."""
MEASURES: Final = ("AP", "nDCG@10", "P@10")
"""What is computed when no measure is named."""
RELEVANCE: Final = 1
"""The lowest relevance level that counts as relevant."""

SAMPLE_TOPICS: Final = 50
SAMPLE_SYSTEMS: Final = 30
SAMPLE_DOCUMENTS: Final = 5000
SAMPLE_DEPTH: Final = 50
"""Pool depth of the sample collection."""
SAMPLE_LENGTH: Final = 500
"""Documents a run of the sample collection holds for a topic."""
SAMPLE_TRUTH_TOPICS: Final = 400
"""Further topics on which the true mean scores of the sample's systems are found."""

StandardiseTo = Literal["ab", "cdf", "z"]
STANDARDISE_TO: Final[StandardiseTo] = "ab"
STANDARDISE_A: Final = 0.15
STANDARDISE_B: Final = 0.5
"""Slope and centre of std-AB: 89% of scores, at least, fall into [B - 3A, B + 3A] = [.05, .95]."""
FactorsFormat = Literal["csv", "tsv", "json", "parquet", "trec"]
"""Formats of standardisation factors; ``trec`` is the file of trec_eval's -Z option."""
EFFECT_SYSTEMS: Final = (2, 10, 20, 30, 50)
EFFECT_MIN_DIFFS: Final = (0.02, 0.05, 0.10, 0.20)
"""The grid of Sakai (2016), Table 2, over which standardised and raw designs are compared."""
SCALE_FREE_SYSTEMS: Final = 10
"""Systems of the design that compares raw and standardised scores in units free of scale."""

PARTITIONS: Final = 2
"""Partitions of the documents; the fewer, the more stable each partition's scores."""
SPLITS: Final = 11
"""Splits of the documents into partitions, as in the slides on Voorhees et al. (2017)."""
REPLICATES_RESAMPLES: Final = 10_000
"""Resamples of the residual bootstrap, a split."""
REDRAWS: Final = 1000
"""How many splits may be drawn in search of those that leave no topic without relevant documents."""
Residuals = Literal["rescaled", "raw"]
RESIDUALS: Final[Residuals] = "rescaled"
"""Residuals as least squares leaves them (raw), or times √(N/(N−p))."""
Resample = Literal["rows", "cells"]
RESAMPLE: Final[Resample] = "rows"
"""Residuals resampled by whole (topic, partition) rows, or as if all were independent."""
PairP = Literal["difference", "effect"]
PAIR_P: Final[PairP] = "difference"
"""P-value of a pair: from the bootstrapped difference, or from one system's distribution alone."""
EmptyPolicy = Literal["drop", "redraw", "keep"]
EMPTY: Final[EmptyPolicy] = "drop"
"""What to do with a topic without relevant documents in some partition."""
Merge = Literal["twice-median", "cauchy"]
MERGE: Final[Merge] = "twice-median"
"""How the p-values of many splits become one."""
Decide = Literal["merged", "majority", "unanimous"]
DECIDE: Final[Decide] = "merged"
"""What decides over many splits: the merged p-value, or the votes of the splits."""
REPLICATES_CORRECTION: Final = "bh"
ReplicatesShow = Literal["systems", "pairs", "agreement", "comparison", "teams", "anova", "splits"]

FOLDS: Final = 10
"""Folds of a cross-validation."""
REPEATS: Final = 10
"""How often the folds of a cross-validation are drawn when nothing else is asked for."""
HOLDOUT: Final = 0.2
"""Share of the topics that a single hold-out keeps for testing."""
CURVE_RESAMPLES: Final = 10_000
"""Resamples of topics behind the band of a tuning curve."""
BIAS_SETTINGS: Final = 50
"""Equally good settings in the simulation of selection bias."""
BIAS_TOPICS: Final = 50
BIAS_SD: Final = 0.1
"""Spread of a setting's scores on a topic about what the topic gives every setting."""
BIAS_EXPERIMENTS: Final = 2_000
"""Simulated tunings behind the figures of selection bias."""
TuningView = Literal["folds", "summary", "curve"]
TUNING_VIEW: Final[TuningView] = "folds"
"""What `tune` prints: one row per fold, one row per family, or one row per setting."""

VIEW_MIN_DIFF: Final = 0.05
"""The difference whose power stands beside reliability."""
HALVINGS: Final = 200
"""Random halvings of the topics behind an expected τ; their mean has a Monte-Carlo error of a few thousandths."""
PreferencesShow = Literal["ranking", "pairs"]
ReliabilityShow = Literal["coefficients", "components", "targets", "views", "tau"]
ReliabilityIntervals = Literal["jackknife", "normal"]
RELIABILITY_INTERVALS: Final[ReliabilityIntervals] = "jackknife"
"""Intervals of Eρ²: Feldt's supposes normal effects, which systems and topics do not have."""
RELIABILITY_TARGET: Final = 0.95
"""The coefficient whose topics are given when no target is named."""

Spending = Literal["obrien-fleming", "pocock"]
SPENDING: Final[Spending] = "obrien-fleming"
LOOKS: Final = 5
"""Planned looks at a growing set of topics, and how they share the level."""
FamilyCorrection = Literal["holm", "bonferroni"]
FAMILY_CORRECTION: Final[FamilyCorrection] = "holm"
"""How pairs that are looked at repeatedly share the level."""
MonitorShow = Literal["looks", "last", "forecast", "plan", "reestimate"]

PERSISTENCE: Final = 0.8
"""RBP's p, where its residual is asked for."""
JUDGED_CUTOFF: Final = 10
"""Depth at which the share of judged documents is given."""
REUSE_RESAMPLES: Final = 1000
"""Resamples of topics behind an interval of τ when teams are left out."""
ReuseShow = Literal["teams", "worst", "systems"]
Verdict = Literal["pass", "fail", "undecided"]
"""What a gate says; the command line ends with exit code 0, 3 or 4."""
GateTest = Literal["hall", "t", "randomisation"]
GATE_TEST: Final[GateTest] = "hall"
"""The test of a gate: the more cautious of the t bound and Hall's, because rare losses make t pass too often."""

SimulationMode = Literal["resample", "copula"]
SIMULATION_MODE: Final[SimulationMode] = "resample"
"""How scores with known truth are made: topics drawn with replacement, or margins and copulas fitted to pairs."""
SIMULATED_TOPICS: Final = (25, 50, 100)
"""Sizes of simulated collections."""
SIMULATED_TESTS: Final = ("t", "randomisation", "bootstrap", "wilcoxon", "sign")
"""The tests that a simulation tries when none are named."""
TRIALS: Final = 10_000
"""Simulated collections; an error rate of .05 is then known to within .006."""
SIMULATED_RESAMPLES: Final = 999
"""Resamples of a bootstrap test on a simulated collection: (B + 1)·alpha is a whole number."""
PILOTS: Final = 20
"""Simulated pilots whose recommendations are put to the test."""
DESIGN_TRIALS: Final = 1000
"""Simulated collections of every recommended size."""
SimulatedTestsShow = Literal["rates", "pairs"]
SimulatedScoresShow = Literal["scores", "truth"]

CHART_ENDINGS: Final = (".svg", ".png", ".pdf", ".html", ".json")
"""What a chart can be written as; .html needs no network, .json is the Vega-Lite specification."""
CHART_WIDTHS: Final = (100, 4000)
"""How narrow and how wide a chart's plot may be, in pixels."""
NEXT_MIN_DIFF: Final = 0.10
"""The difference between best and worst that the next collection is designed for unless one is named."""
NEXT_SYSTEMS: Final = 20
"""Systems that the pages about the next collection begin with."""
REPORT_DEPTHS: Final = (10, 20, 30, 50, 100)
"""Pool depths a report prices."""
REPORT_FILE: Final = "report.html"
ReportSection = Literal[
    "data", "leaderboard", "differences", "collection", "reliability", "next", "standardisation", "replicates", "reuse",
    "judges", "across", "methods",
]  # fmt: skip
REPORT_SECTIONS: Final[tuple[ReportSection, ...]] = get_args(ReportSection)
"""The sections of a report, in their order."""


def names(choices: object) -> tuple[str, ...]:
    """The names a Literal allows.

    >>> names(FileKind)
    ('run', 'qrels', 'scores')
    """
    return get_args(choices)
