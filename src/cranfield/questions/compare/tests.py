"""The significance tests, each one entry of `TESTS`: a test registered here is a test everywhere.

Nothing numerical is imported at the top, because help texts list the tests; `run` imports what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cranfield.core.answer import sentence
from cranfield.core.registry import Registry
from cranfield.core.resources import flipped_sums, resampled_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield.questions.compare.comparison import Comparison
    from cranfield.questions.compare.family import Differences, GridScores, Pairs
    from cranfield.questions.compare.max_t import Maximum
    from cranfield.questions.compare.resampled import Resampling

    Array = NDArray[np.float64]
    Errors = tuple[Array, Array | float]

T_INTERVAL = "paired t interval"
TWO_SAMPLE_INTERVAL = "two-sample t interval"
PERCENTILE = "bootstrap percentile interval"


@dataclass(frozen=True)
class PValues:
    """P-values of a test, one per pair; of a test by formula they are all there is to say.

    Parameters
    ----------
    p : the p-values
    smallest : the smallest p-value the test could have given
    exact : whether every possibility was enumerated, not a sample drawn
    n_resamples : how many were enumerated or drawn
    lower, upper : ends of intervals, where the test itself gives them
    method : how each p-value was found, where not all alike
    maximum : the largest statistic of the family over resamples, of a test that adjusts by it
    """

    p: Array
    smallest: float = 0.0
    exact: bool = False
    n_resamples: int = 0
    lower: Array | None = None
    upper: Array | None = None
    method: Sequence[str] = ()
    maximum: Maximum | None = None

    @property
    def of_family(self) -> Array:
        """The p-values, adjusted by the test itself where it does so."""
        return self.p if self.maximum is None else self.maximum.adjusted()


@dataclass(frozen=True)
class Size:
    """How large a comparison is."""

    n_topics: int
    n_systems: int
    n_pairs: int
    n_resamples: int
    on_means: bool


def paired_errors(scores: GridScores, pairs: Pairs, each: Differences) -> Errors:
    """The standard error of every mean difference, and n − 1 degrees of freedom."""
    return each.error, float(scores.n_topics - 1)


def no_resamples(size: Size) -> float:
    """The seconds of a test that draws no resamples: its formula for every pair."""
    return 1e-8 * size.n_topics * size.n_pairs


@dataclass(frozen=True)
class SignificanceTest:
    """A significance test of pairs of systems.

    Parameters
    ----------
    name : how it is asked for
    title : what it is called in a signature
    summary : one line for help and documentation
    assumes : one sentence: what must hold for its p-values to be right
    run : scores, pairs, settings and alpha → p-values (with intervals where the test itself gives them)
    any_statistic : whether it can test another statistic than the mean
    corrects_family : whether it adjusts for all pairs by itself
    two_sided : whether it is two-sided by construction
    by_maximum : whether it adjusts by the largest statistic of the family (`PValues.maximum`), and has p-values of
        each pair by itself, too
    run_families : families of one size and their pairs → families × pairs p-values, if that is faster than one by one
    resamples : whether it draws resamples
    needs_spread : whether its p-value means nothing where a difference is the same on every topic
    interval : what the t intervals of its differences are called
    errors : the standard errors and degrees of freedom behind them
    cautions : warnings about a result
    work : seconds of processor time of its resamples, about
    why, source : why a paper may use it, and whom it cites; a test without goes without
    family_error : its measured family-wise error with Holm at .05, all pairs of whole tracks, 50 topics, means equal
    rank : its place in lists
    """

    name: str
    title: str
    summary: str
    assumes: str
    run: Callable[[GridScores, Pairs, Resampling, float], PValues]
    any_statistic: bool = False
    corrects_family: bool = False
    two_sided: bool = False
    by_maximum: bool = False
    run_families: Callable[[list[GridScores], Pairs], Array] | None = None
    resamples: bool = False
    needs_spread: bool = False
    interval: str = T_INTERVAL
    errors: Callable[[GridScores, Pairs, Differences], Errors] = paired_errors
    cautions: Callable[[Comparison, Differences], list[str]] = lambda result, each: []
    work: Callable[[Size], float] = no_resamples
    why: str = ""
    source: str = ""
    family_error: str = ""
    rank: int = 1000


ALIASES = {
    **dict.fromkeys(("paired-t", "t-test", "ttest", "paired-ttest", "paired-t-test", "student", "students-t"), "t"),
    **dict.fromkeys(("students-t-test", "student-t", "student-t-test", "ttest-rel", "t-test-rel"), "t"),
    **dict.fromkeys(("t-test-paired", "t-paired", "ttest-paired", "students-paired-t", "dependent-t"), "t"),
    **dict.fromkeys(("permutation", "fisher", "randomization", "sign-flip", "fishers-randomisation"), "randomisation"),
    **dict.fromkeys(("permutation-test", "randomisation-test", "randomization-test"), "randomisation"),
    **dict.fromkeys(("paired-permutation", "paired-randomisation", "paired-randomization"), "randomisation"),
    **dict.fromkeys(("wilcoxon-signed-rank", "signed-rank", "wilcoxon-test"), "wilcoxon"),
    **dict.fromkeys(("sign-test", "binomial"), "sign"),
    **dict.fromkeys(("independent-t", "two-sample-t", "ttest-ind", "t-test-ind", "pooled-t"), "unpaired-t"),
    **dict.fromkeys(("unpaired-t-test", "unpaired-ttest", "t-test-unpaired", "ttest-unpaired"), "unpaired-t"),
    **dict.fromkeys(("welch-t", "welchs-t", "welch-test", "welch-t-test", "welchs-t-test"), "welch"),
    **dict.fromkeys(("tukey-hsd", "hsd", "tukeys-hsd"), "tukey"),
    **dict.fromkeys(("randomized-tukey", "randomised-tukey-hsd", "randomized-tukey-hsd"), "randomised-tukey"),
    **dict.fromkeys(("maxt", "max-t-moderated", "romano-wolf"), "max-t"),
    **dict.fromkeys(("bootstrap-shift", "shift"), "bootstrap"),
    **dict.fromkeys(("studentised-bootstrap", "studentized-bootstrap"), "bootstrap-t"),
}
"""Other names of tests, as other programs and papers have them."""
TESTS: Registry[SignificanceTest] = Registry("test", __name__, ALIASES)


def any_statistic_names() -> tuple[str, ...]:
    """The tests that take any statistic."""
    return tuple(name for name, test in TESTS.items() if test.any_statistic)


def table() -> list[tuple[str, str, str]]:
    """Name, summary and assumption of every test: the rows of the documentation."""
    return [(test.name, test.summary, test.assumes) for test in TESTS.values()]


# ── by resampling ──


def _randomisation(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.randomisation import randomisation, resolved

    return (resolved if how.on_means else randomisation)(scores, pairs, how)


def _flips(size: Size) -> float:
    if not size.on_means:
        return 7e-8 * size.n_resamples * size.n_topics * size.n_pairs
    return flipped_sums(size.n_topics, size.n_systems, size.n_resamples) + 4e-8 * size.n_topics * size.n_pairs


FEW_FOR_MAX_T = 25
"""Topics from which the family-wise error of max-t is known by simulation."""
MAX_T_FEW = sentence(
    "comparison.max-t-few-topics",
    "The error rates of max-t are unknown for {topics} topics; they were measured with 25 or more.",
    "the test is max-t and there are fewer than 25 topics",
    measured="families",
)
NO_COMMON_VARIANCE = sentence(
    "comparison.no-common-variance",
    "Every difference is the same on all topics, so max-t has no variance to use: p = 1 and no interval. Use "
    "randomisation.",
    "the test is max-t and v0, the mean variance of a pair, is 0",
)


def _max_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.max_t import max_t

    return max_t(scores, pairs, how, alpha)


def _max_t_cautions(result: Comparison, each: Differences) -> list[str]:
    few = result.clusters is None and result.n_topics < FEW_FOR_MAX_T  # groups have a warning of their own
    texts = [MAX_T_FEW(topics=result.n_topics)] if few else []
    return [*texts, NO_COMMON_VARIANCE()] if result.basis.error.max() == float("inf") else texts


FEW_TOPICS = 50
"""Below so many topics a bootstrap-shift test at .05 rejects more than .06 of true hypotheses (docs/simulate.md)."""
BOOTSTRAP_FEW = sentence(
    "comparison.bootstrap-few-topics",
    "With {topics} topics a bootstrap-shift test rejects true hypotheses too often. Prefer randomisation, or measure "
    "the error with `simulate tests`.",
    "the test is bootstrap and there are fewer than 50 topics: it then rejects more than .06 at .05 (docs/simulate.md)",
)


def _few(result: Comparison, each: Differences) -> list[str]:
    return [BOOTSTRAP_FEW(topics=result.n_topics)] if result.n_topics < FEW_TOPICS else []


def _bootstrap(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.bootstrap import bootstrap_shift

    return bootstrap_shift(scores, pairs, how, alpha)


def _drawn_topics(size: Size) -> float:
    if not size.on_means:
        return 2e-7 * size.n_resamples * size.n_topics * size.n_systems
    return resampled_sums(size.n_topics, size.n_systems, size.n_resamples)


def _bootstrap_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.bootstrap import bootstrap_t

    return bootstrap_t(scores, pairs, how, alpha)


# ── by formula ──


def _t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.classical import paired_t

    return PValues(paired_t(scores, pairs, how.alternative))


def _all_signs_alike(scores: GridScores, how: Resampling) -> float:
    """The smallest p-value of a test of signs or of their ranks."""
    return 2.0**-scores.n_topics * (2 if how.alternative == "two-sided" else 1)


def _skewed(result: Comparison, each: Differences, test: str) -> list[str]:
    from cranfield.questions.compare.cautions import asymmetry_caution

    return asymmetry_caution(result, each, test)


def _wilcoxon(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.classical import wilcoxon

    return PValues(wilcoxon(scores, pairs, how.alternative), _all_signs_alike(scores, how))


def _sign(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.classical import sign

    return PValues(sign(scores, pairs, how.alternative), _all_signs_alike(scores, how))


def _unpaired(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float, pooled: bool) -> PValues:
    from cranfield.questions.compare.classical import unpaired_t

    return PValues(unpaired_t(scores, pairs, how.alternative, pooled))


def _unpaired_errors(scores: GridScores, pairs: Pairs, each: Differences, pooled: bool) -> Errors:
    from cranfield.questions.compare.classical import two_samples

    return two_samples(scores, pairs, pooled)


# ── of all pairs at once ──


def _tukey(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.classical import tukey

    return tukey(scores, pairs, alpha)


def _tukey_of_families(families: list[GridScores], pairs: Pairs) -> Array:
    from cranfield.questions.compare.classical import tukey_of_families

    return tukey_of_families(families, pairs)


def _randomised_tukey(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    from cranfield.questions.compare.randomisation import randomised_tukey

    return randomised_tukey(scores, pairs, how, alpha)


for _test in (
    SignificanceTest(
        name="randomisation",
        title="randomisation test",
        summary="Fisher's randomisation test, by sign flips; resolves p-values of any size",
        assumes="the scores of two equal systems are exchangeable on every topic",
        run=_randomisation,
        any_statistic=True,
        resamples=True,
        work=_flips,
        why="It makes no assumption about the distribution of the scores",
        source="Smucker, Allan and Carterette, CIKM 2007",
        family_error=".05–.58",
        rank=10,
    ),
    SignificanceTest(
        name="max-t",
        title="max-t test with moderated variance",
        summary="largest studentised difference over resamples of topics, with moderated variance; adjusts by itself",
        assumes="25 or more topics represent the population of topics; variance is borrowed from other pairs",
        run=_max_t,
        corrects_family=True,
        by_maximum=True,
        resamples=True,
        interval="studentised bootstrap interval with moderated variance",
        cautions=_max_t_cautions,
        work=lambda size: 1e-9 * size.n_resamples * size.n_pairs * (5 + 0.06 * size.n_topics),
        why="It compares all pairs at once, and keeps the family-wise error near its level on skewed scores",
        source="Romano and Wolf, Econometrica 73, 2005; Smyth, SAGMB 3, 2004",
        rank=5,
    ),
    SignificanceTest(
        name="bootstrap",
        title="bootstrap-shift test",
        summary="bootstrap-shift test: topics drawn with replacement, differences shifted to 0",
        assumes="30 or more topics represent the population of topics",
        run=_bootstrap,
        any_statistic=True,
        resamples=True,
        needs_spread=True,
        cautions=_few,
        work=_drawn_topics,
        why="It resamples the topics and makes no assumption about their distribution",
        source="Sakai, SIGIR 2006",
        rank=20,
    ),
    SignificanceTest(
        name="bootstrap-t",
        title="bootstrap-t test",
        summary="studentised bootstrap test; cautious with heavy tails",
        assumes="the topics are many enough to represent the population of topics",
        run=_bootstrap_t,
        resamples=True,
        needs_spread=True,
        work=lambda size: 3e-10 * size.n_resamples * size.n_topics * size.n_pairs,
        why="It resamples the topics and studentises every resample",
        source="Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 16.4",
        rank=30,
    ),
    SignificanceTest(
        name="t",
        title="paired t-test",
        summary="Student's paired t-test; no resamples",
        assumes="the mean difference is nearly normal",
        run=_t,
        why="Simulations with retrieval scores found that it keeps its level for single pairs",
        source="Urbano, Lima and Hanjalic, SIGIR 2019",
        family_error=".05–.53",
        rank=40,
    ),
    SignificanceTest(
        name="wilcoxon",
        title="Wilcoxon signed-rank test (zeros dropped)",
        summary="Wilcoxon's signed-rank test; zero differences are dropped",
        assumes="differences are symmetric about 0 if the systems do not differ; it tests ranks, not means",
        run=_wilcoxon,
        cautions=partial(_skewed, test="Wilcoxon's test"),
        work=lambda size: 1.5e-7 * size.n_topics * size.n_pairs,
        why="It uses the ranks of the differences, not the means",
        source="Wilcoxon, Biometrics Bulletin 1, 1945",
        rank=50,
    ),
    SignificanceTest(
        name="sign",
        title="sign test (ties dropped)",
        summary="sign test; only the direction on each topic counts, ties are dropped",
        assumes="topics are independent; it tests topics won and lost, not means",
        run=_sign,
        cautions=partial(_skewed, test="the sign test"),
        why="It uses only the signs of the differences",
        source="Conover, Practical Nonparametric Statistics, 1999",
        rank=60,
    ),
    SignificanceTest(
        name="unpaired-t",
        title="unpaired t-test (pooled variance)",
        summary="two-sample t-test with pooled variance; ignores that systems share topics",
        assumes="each system has its own independent topics, means are nearly normal, and variances are equal",
        run=partial(_unpaired, pooled=True),
        interval=TWO_SAMPLE_INTERVAL,
        errors=partial(_unpaired_errors, pooled=True),
        rank=70,
    ),
    SignificanceTest(
        name="welch",
        title="unpaired t-test (Welch)",
        summary="Welch's two-sample t-test; ignores that systems share topics",
        assumes="each system has its own independent topics, and means are nearly normal",
        run=partial(_unpaired, pooled=False),
        interval=TWO_SAMPLE_INTERVAL,
        errors=partial(_unpaired_errors, pooled=False),
        rank=80,
    ),
    SignificanceTest(
        name="tukey",
        title="Tukey HSD, topics as blocks",
        summary="Tukey's HSD with topics as blocks; adjusts for all pairs by itself",
        assumes="residuals are nearly normal and have one variance for all systems",
        run=_tukey,
        corrects_family=True,
        two_sided=True,
        run_families=_tukey_of_families,
        why="It compares all pairs at once and bounds the family-wise error where residual variances are equal",
        source="Tukey, 1953; Carterette, TOIS 30(1), 2012",
        rank=90,
    ),
    SignificanceTest(
        name="randomised-tukey",
        title="randomised Tukey HSD",
        summary="Tukey's HSD by permuting systems within topics; adjusts for all pairs by itself",
        assumes="the scores of all equal systems are exchangeable on every topic",
        run=_randomised_tukey,
        any_statistic=True,
        corrects_family=True,
        two_sided=True,
        resamples=True,
        work=lambda size: 1.2e-8 * size.n_resamples * size.n_topics * size.n_systems,
        why="It compares all pairs at once and needs no normality",
        source="Carterette, TOIS 30(1), 2012",
        rank=100,
    ),
):
    TESTS.register(_test)
