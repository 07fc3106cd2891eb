"""The designs, one file each: what a command line or a page needs to ask for one, and `solve_design`, which does.

The files import nothing numerical at the top, because help texts list the designs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.defaults import ALPHA, DESIGN_METHOD
from cranfield.errors import UnknownNameError, notify
from cranfield.registry import Registry

if TYPE_CHECKING:
    from cranfield.design.grid import Numbers
    from cranfield.design.question import Given
    from cranfield.design.result import Design


@dataclass(frozen=True)
class Variant:
    """One form of a design.

    Parameters
    ----------
    title : what the design is for, as its result says (``Design.what``)
    note : one sentence: when its sizes hold
    estimator : the estimate of the variance that matches, taken when a design starts from scores
    of_difference : whether its variance is that of the difference of two systems, σ_t², not that of a system, σ²
    function : variance, with the arguments of the design, ``alpha`` and ``method`` by name → `Design`
    option : the switch that asks for it; None for the plain form
    """

    title: str
    note: str
    estimator: str
    of_difference: bool
    function: Callable[..., Design]
    option: str | None = None


@dataclass(frozen=True)
class DesignKind:
    """A kind of topic set size design.

    Parameters
    ----------
    name : how it is asked for
    summary : one line for help and documentation
    asks : the quantities of the question, one of which is left out and found
    methods : how it can be computed, the default first
    variants : its forms, the plain one first
    pairwise : whether it is about two systems, so that the variance can be typed as that of their difference
    extras : further arguments that its functions take
    rank : its place in lists
    label : what somebody who wants it will do, as a choice on a page; its name unless given
    """

    name: str
    summary: str
    asks: tuple[str, ...]
    methods: tuple[str, ...]
    variants: tuple[Variant, ...]
    pairwise: bool = True
    extras: tuple[str, ...] = ()
    rank: int = 1000
    label: str = ""

    def variant(self, option: str | None = None) -> Variant:
        """The form that a switch asks for; without one, the plain form.

        >>> DESIGNS["anova"].variant("published").estimator
        'within'
        """
        for variant in self.variants:
            if variant.option == option:
                return variant
        raise UnknownNameError(f"form of {self.name}", str(option), [one.option for one in self.variants if one.option])


DESIGNS: Registry[DesignKind] = Registry("design", __name__)


def table() -> list[tuple[str, str, str, str, str]]:
    """Name (with its switch), summary, what can be found, methods and matching estimator: rows of the documentation."""
    return [
        (
            f"{kind.name} --{variant.option.replace('_', '-')}" if variant.option else kind.name,
            variant.title,
            ", ".join(kind.asks),
            ", ".join(kind.methods),
            f"`{variant.estimator}`",
        )
        for kind in DESIGNS.values()
        for variant in kind.variants
    ]


def solve_design(
    kind: str,
    variance: Given | None = None,
    *,
    variance_of_difference: Given | None = None,
    variant: str | None = None,
    alpha: Numbers = ALPHA,
    method: str = DESIGN_METHOD,
    estimator: str | None = None,
    **asked: Any,
) -> Design:
    """A design by its name, for whoever chooses it at run time; `design_anova` and the others say what each means.

    Parameters
    ----------
    kind : ``pairs``, ``anova``, ``ttest`` or ``interval``
    variance, variance_of_difference : give one. A typed σ² counts as σ_t² = 2σ² where a design wants that, and the
        other way round; an estimate from scores, and past scores themselves, are taken as the design wants it.
    variant : ``baseline`` for pairs, ``published`` (one-way) for an ANOVA, ``two_sample`` for the others; the
        plain form when left out
    estimator : for past scores; the matching one unless given
    alpha, method, **asked : passed on

    Examples
    --------
    >>> solve_design("anova", 0.0601, variant="published", n_systems=2, min_diff=0.02, method="published").n_topics
    2301
    >>> solve_design("ttest", 0.0214705, min_diff=0.05).n_topics == solve_design(
    ...     "ttest", variance_of_difference=0.042941, min_diff=0.05).n_topics == 137
    True
    """
    from cranfield.design.question import design_of

    entry = DESIGNS[kind]
    for name in asked:
        if name not in (*entry.asks, *entry.extras):
            raise UnknownNameError(f"argument of {kind}", name, (*entry.asks, *entry.extras))
    if method not in entry.methods:
        raise UnknownNameError(f"method of {kind}", method, entry.methods)
    design = design_of(
        kind, variant, variance, variance_of_difference, estimator=estimator, alpha=alpha, method=method, **asked
    )
    notify(design.warnings)
    return design
