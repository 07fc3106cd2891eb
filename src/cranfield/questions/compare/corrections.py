"""Many comparisons at once: p-values adjusted for the size of their family, and every correction there is.

To add a correction, register a `Correction` here. Nothing numerical is imported at the top, because help texts list the
corrections.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cranfield.core.defaults import CORRECTION, SIGNIFICANT, CorrectionName
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import repr_of
from cranfield.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cranfield.questions.compare.family import GridScores, Pairs
    from cranfield.questions.compare.resampled import Resampling

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Correction:
    """A way to adjust the p-values of a family.

    Parameters
    ----------
    name : how it is asked for
    title : the adjective of its p-values, such as "Holm-adjusted"
    summary : one line for help and documentation
    controls : what it bounds: the chance of any false claim ("family-wise error"), the share of false claims
        ("false discovery rate"), or nothing
    adjust_sorted : p-values in ascending order → adjusted ones; what passes 1 is cut by `adjust`. None for a
        correction that needs the scores
    at_least : size of the family → the least factor of its smallest p-value
    level : alpha, size of the family, how many are significant → the level of a single interval; unless given,
        alpha divided by `at_least`
    of_scores : scores, pairs, settings and alpha → adjusted p-values, and the multiple of its standard error that an
        interval of a difference extends; for a correction that needs more than p-values
    fits : the tests it can follow; all if none are named
    source : whom a paper cites
    rank : its place in lists
    """

    name: str
    title: str
    summary: str
    controls: Literal["nothing", "family-wise error", "false discovery rate"]
    adjust_sorted: Callable[[Array], Array] | None
    at_least: Callable[[int], float]
    level: Callable[[float, int, int], float] | None = None
    of_scores: Callable[[GridScores, Pairs, Resampling, float], tuple[Array, float]] | None = None
    fits: tuple[str, ...] = ()
    source: str = ""
    rank: int = 1000


ALIASES = {
    "step-down": "holm",
    "holm-bonferroni": "holm",
    "benjamini-hochberg": "bh",
    "benjamini-yekutieli": "by",
    "maxt": "westfall-young",
    "max-t": "westfall-young",
    "wy": "westfall-young",
    "no": "none",
}
"""Other names of corrections."""
CORRECTIONS: Registry[Correction] = Registry("correction", __name__, ALIASES)


# ── the corrections ──


def step_down(p: Array) -> Array:
    """Holm: the k-th smallest times n − k + 1, and never below the one before."""
    import numpy as np

    return np.asarray(np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def largest_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> tuple[Array, float]:
    """P-values adjusted by the largest t over the family, and the critical t of intervals of all differences."""
    from cranfield.questions.compare.westfall_young import interval_critical_t, westfall_young

    return westfall_young(scores, pairs, how), interval_critical_t(scores, pairs, how, alpha)


def step_up(p: Array, penalty: float = 1.0) -> Array:
    """Benjamini & Hochberg: the k-th smallest times n·penalty/k, and never above the one after."""
    import numpy as np

    stepped = p * (p.size * penalty / np.arange(1, p.size + 1))
    return np.asarray(np.minimum.accumulate(stepped[::-1])[::-1])


def harmonic(count: int) -> float:
    """1 + 1/2 + … + 1/count, the price of `by` for any dependence.

    >>> harmonic(4) * 12
    25.0
    """
    return math.fsum(1 / rank for rank in range(1, count + 1))


for _correction in (
    Correction(
        name="none",
        title="uncorrected",
        summary="no adjustment; for one comparison chosen in advance",
        controls="nothing",
        adjust_sorted=lambda p: p.copy(),
        at_least=lambda family: 1,
        rank=10,
    ),
    Correction(
        name="bonferroni",
        title="Bonferroni-adjusted",
        summary="p times the number of comparisons; never more powerful than holm",
        controls="family-wise error",
        adjust_sorted=lambda p: p * p.size,
        at_least=lambda family: family,
        source="Dunn, Journal of the American Statistical Association 56, 1961",
        rank=20,
    ),
    Correction(
        name="holm",
        title="Holm-adjusted",
        summary="step-down Bonferroni; valid under any dependence of the p-values (Holm 1979)",
        controls="family-wise error",
        adjust_sorted=step_down,
        at_least=lambda family: family,
        source="Holm, Scandinavian Journal of Statistics 6, 1979",
        rank=30,
    ),
    Correction(
        name="westfall-young",
        title="Westfall–Young-adjusted",
        summary="largest t of all pairs over common sign flips, step-down (Westfall & Young 1993)",
        controls="family-wise error",
        adjust_sorted=None,
        at_least=lambda family: 1,
        of_scores=largest_t,
        fits=("randomisation", "t"),
        rank=35,
    ),
    Correction(
        name="bh",
        title="BH-adjusted",
        summary="step-up; valid under independence or positive dependence (Benjamini & Hochberg 1995)",
        controls="false discovery rate",
        adjust_sorted=step_up,
        at_least=lambda family: 1,
        level=lambda alpha, family, significant: alpha * significant / family,
        source="Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995",
        rank=40,
    ),
    Correction(
        name="by",
        title="BY-adjusted",
        summary="step-up; valid under any dependence; p times 1 + 1/2 + … + 1/n (Benjamini & Yekutieli 2001)",
        controls="false discovery rate",
        adjust_sorted=lambda p: step_up(p, harmonic(p.size)),
        at_least=harmonic,
        level=lambda alpha, family, significant: alpha * significant / (family * harmonic(family)),
        source="Benjamini and Yekutieli, Annals of Statistics 29, 2001",
        rank=50,
    ),
):
    CORRECTIONS.register(_correction)


# ── what is done with them ──


def of_p_alone() -> tuple[str, ...]:
    """The corrections that need nothing but the p-values."""
    return tuple(name for name, one in CORRECTIONS.items() if one.adjust_sorted is not None)


def interval_level(correction: str, alpha: float, family: int, significant: int) -> float:
    """α′, the level at which a single interval is built, so that the family is what the correction promises.

    >>> round(interval_level("holm", 0.05, 10, 3), 6), round(interval_level("bh", 0.05, 10, 3), 6)
    (0.005, 0.015)
    """
    entry = CORRECTIONS[correction]
    if entry.of_scores is not None:
        raise ArgumentError(
            f"correction {correction!r} has no level for one interval. Give its critical value as `critical`."
        )
    return entry.level(alpha, family, max(significant, 1)) if entry.level else alpha / entry.at_least(family)


def table() -> list[tuple[str, str, str]]:
    """Name, summary and what it controls of every correction: the rows of the documentation."""
    return [(one.name, one.summary, one.controls) for one in CORRECTIONS.values()]


def adjust(p: ArrayLike, correction: CorrectionName | str = CORRECTION) -> Array:
    """Adjusted p-values of a family: reject where they are at most alpha.

    Parameters
    ----------
    p : array of any shape
        The p-values of every comparison in the family, whether interesting or not.
    correction : {"holm", "bonferroni", "bh", "by", "none"}
        ``westfall-young`` needs the scores, so `compare` has it and this function has not. ``bonferroni`` and ``holm``
        bound the probability of any false rejection under any dependence (Holm 1979; never less powerful than
        Bonferroni, hence the default). ``bh`` bounds the expected share of false rejections under independence or
        positive dependence (Benjamini & Hochberg 1995). That is not proven for all pairs of systems; ``by`` holds under
        any dependence (Benjamini & Yekutieli 2001).

    Returns
    -------
    array
        The adjusted p-values, in the shape of `p`, never above 1 and never below the p-value itself.

    Examples
    --------
    The fifteen p-values of Benjamini & Hochberg (1995, section 4): Bonferroni and Holm reject three hypotheses
    at .05, their procedure four.

    >>> p = [.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1]
    >>> {name: int((adjust(p, name) <= .05).sum()) for name in of_p_alone()}
    {'none': 9, 'bonferroni': 3, 'holm': 3, 'bh': 4, 'by': 3}
    """
    import numpy as np

    try:
        values = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"`p` must be numbers; got {repr_of(p)}.") from None
    if values.size and not ((values >= 0) & (values <= 1)).all():
        wrong = values[~((values >= 0) & (values <= 1))].flat[0]
        raise ArgumentError(f"`p` must hold probabilities between 0 and 1; got {wrong}")
    adjust_sorted = CORRECTIONS[correction].adjust_sorted
    if adjust_sorted is None:
        raise ArgumentError(
            f"correction {correction!r} needs the scores, not p-values alone. Use it in `compare`; for p-values write "
            f"one of {', '.join(of_p_alone())}."
        )
    flat = values.ravel()
    order = np.argsort(flat, kind="stable")
    adjusted = np.empty_like(flat)
    adjusted[order] = adjust_sorted(flat[order])
    return np.minimum(adjusted, 1.0).reshape(values.shape)


def at_most(p: ArrayLike, alpha: float) -> NDArray[np.bool_]:
    """Where a p-value is at most alpha, both rounded to `SIGNIFICANT` digits, as files write them.

    A p-value of exactly alpha counts, though a product may miss it in the last bit. An alpha of 0, as at a look that
    can decide nothing, is reached by a p-value of 0 alone.

    >>> p = adjust([0.034] * 17 + [0.9] * 8, "bh")  # 0.034·25/17 is 0.05
    >>> float(p[0]), bool(at_most(p, 0.05)[0]), bool(at_most(0.05 + 1e-11, 0.05))
    (0.05000000000000001, True, False)
    """
    import numpy as np

    if not alpha:
        return np.asarray(np.asarray(p) <= 0.0)
    written = f"{alpha:.{SIGNIFICANT - 1}e}"
    middle = float("5e".join(written.split("e")))  # to the next number that is written; itself on one side or the other
    below = float(f"{middle:.{SIGNIFICANT - 1}e}") <= float(written)
    return np.asarray(np.asarray(p) <= middle if below else np.asarray(p) < middle)


def resamples_needed(family: float, alpha: float) -> int:
    """The fewest resamples with which one pair of a family can be significant under bonferroni or holm.

    The smallest Monte-Carlo p-value is 1/(B+1); times the family it must not pass alpha.

    >>> resamples_needed(8256, 0.05)
    165119
    >>> resamples_needed(10, 5e-324) > 10**17  # nobody draws so many, but a level may be that small
    True
    """
    return math.ceil(round(min(family / alpha, 1e18), 9)) - 1
