"""`gate`: from the scores of two systems to a verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.collection.doors import QrelsLike
from cranfield.defaults import (
    ALPHA,
    GATE_TEST,
    POWER,
    RESAMPLES,
    SEED,
    GateTest,
)
from cranfield.errors import notify, quietly
from cranfield.executors import Progress
from cranfield.gating.result import Gate, GateCheck
from cranfield.gating.rule import Differences, bounds, t_values, topics_for, verdict_of
from cranfield.labels import positions
from cranfield.measures.doors import scores_or_evaluated
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import ScoresLike
from cranfield.sentences import gating as say
from cranfield.settings.gate import GateSettings


def gate(
    scores: ScoresLike,
    *,
    baseline: str,
    candidate: str,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    margin: float | None = None,
    better: bool = False,
    alpha: float = ALPHA,
    power: float = POWER,
    test: GateTest = GATE_TEST,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Gate:
    r"""May the candidate replace the baseline? Pass, fail, or undecided with the topics that could decide.

    With dᵢ the candidate's score minus the baseline's on topic i, and a threshold θ = −margin (not worse) or
    θ = margin (better, by default by more than 0), two one-sided tests are made at level α each:

    - *pass* when "the mean difference is at most θ" is rejected: t = (d̄ − θ)/(s/√n) > t(n − 1; 1 − α), which is
      the same as a lower bound above θ;
    - *fail* when "the mean difference is at least θ" is rejected: the upper bound lies below θ;
    - *undecided* otherwise. Absence of a significant difference is no evidence of equality, so it is no pass.

    A candidate that is exactly at the threshold passes with probability α at most, and fails with probability α at
    most. Several measures pass together when each passes, which needs no correction (Berger 1982); any that fails
    fails the gate.

    Parameters
    ----------
    scores : ScoreMatrix, Scores, or whatever `as_scores` takes
        Both systems, scored on the same topics. With `qrels`, runs by name: ``{"main": run, "new": run}``.
    baseline, candidate : str
        Their names.
    qrels, measure : optional
        Judgments, by which runs are evaluated first; the measures to decide by.
    margin : float
        The loss that can be accepted, in units of the measure; with `better`, the least gain (0 unless given).
    better : bool
        Ask whether the candidate is better, not only whether it is not worse.
    alpha : float
        Level of each one-sided test; `lower` and `upper` form an interval of level 1 − 2α.
    power : float
        With what probability the number of topics named for an undecided gate would decide.
    test : {"t", "randomisation"}
        The paired t-test, whose bounds and decision agree exactly; or Fisher's randomisation test of dᵢ − θ, for
        few topics with odd differences (the bounds are those of the t-test then).
    n_resamples, seed, workers, progress
        Of the randomisation test.

    Returns
    -------
    Gate

    Notes
    -----
    `topics_needed` takes the observed difference and spread for the true ones: the n of a one-sided paired t-test
    with the wanted power (Julious 2004). It is a plan, not a promise: the observed difference is itself uncertain.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680 (two one-sided tests). Berger
    (1982), Technometrics 24, 295-300. Julious (2004), Statistics in Medicine 23, 1921-1986. Lakens (2017), Social
    Psychological and Personality Science 8, 355-362.

    Examples
    --------
    >>> old, new = [.2, .3, .1, .4, .5, .3, .2, .6], [.2, .31, .1, .4, .49, .3, .21, .6]
    >>> runs = ScoreMatrix(np.array([old, new]).T, "12345678", ["main", "new"], "AP")
    >>> result = gate(runs, baseline="main", candidate="new", margin=0.01)
    >>> result.verdict, round(result.checks[0].lower, 4)
    ('pass', -0.003)
    >>> gate(runs, baseline="main", candidate="new", better=True).verdict
    'undecided'
    """
    asked = GateSettings(
        baseline=baseline, candidate=candidate, margin=margin, better=better, alpha=alpha, power=power, test=test,
        n_resamples=n_resamples, seed=seed,
    )  # fmt: skip
    several = scores_or_evaluated(scores, qrels, measure, workers=workers)
    checks = [_check(matrix, asked, workers, progress) for matrix in several.values()]
    drawn = test == "randomisation"
    result = Gate(
        baseline, candidate, asked.accepted, better, alpha, power, test, tuple(checks),
        n_resamples if drawn else None, seed if drawn else None,
        (*several.select(systems=[baseline, candidate]).warnings, *_cautions(asked, checks)),
    )  # fmt: skip
    notify(result.warnings)
    return result


def _check(matrix: ScoreMatrix, asked: GateSettings, workers: int | None, progress: Progress | None) -> GateCheck:
    """The gate for one measure."""
    positions("system", [asked.baseline, asked.candidate], matrix.systems)
    pair = matrix.select(systems=[asked.baseline, asked.candidate]).canonical().require(what="a gate")
    at = [pair.systems.index(name) for name in (asked.baseline, asked.candidate)]
    old, new = pair.values[:, at[0]], pair.values[:, at[1]]
    threshold = asked.accepted if asked.better else -asked.accepted
    each = Differences.of(new, old)
    p, p_fail = t_values(each, threshold)
    if asked.test == "randomisation":
        p, p_fail = _flipped(pair, old + threshold, new, asked, workers, progress)
    lower, upper = bounds(each, asked.alpha)
    verdict = verdict_of(p, p_fail, asked.alpha)
    needed = None
    if verdict == "undecided":
        needed = topics_for(each.above(threshold), each.sd, asked.alpha, asked.power)
        needed = None if needed is None else max(needed, each.n + 1)
    equal = None if asked.better else topics_for(threshold, each.sd, asked.alpha, asked.power)
    means = (float(pair.system_means[at[0]]), float(pair.system_means[at[1]]))
    return GateCheck(pair.measure, each.n, *means, each.mean, lower, upper, p, p_fail, verdict, needed, equal)


def _flipped(
    pair: ScoreMatrix,
    raised: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    new: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    asked: GateSettings,
    workers: int | None,
    progress: Progress | None,
) -> tuple[float, float]:
    """One-sided p-values of Fisher's randomisation test of the candidate against the baseline raised to θ."""
    from cranfield.comparison import compare

    shifted = ScoreMatrix(np.stack([raised, new], axis=1), pair.topics, ["threshold", "candidate"], pair.measure)
    both = []
    for alternative in ("greater", "less"):
        with quietly():
            result = compare(
                shifted, test="randomisation", baseline="threshold", alternative=alternative, correction="none",
                alpha=asked.alpha, n_resamples=asked.n_resamples, seed=asked.seed, workers=workers, progress=progress,
            )  # fmt: skip
        both.append(float(result.p[0]))
    return both[0], both[1]


def _cautions(asked: GateSettings, checks: list[GateCheck]) -> list[str]:
    """What is odd about the question, given the scores."""
    wide = [one.measure for one in checks if not asked.better and asked.accepted >= one.mean_baseline > 0]
    return [say.WIDE_MARGIN(margin=asked.accepted, measure=measure, baseline=asked.baseline) for measure in wide]
