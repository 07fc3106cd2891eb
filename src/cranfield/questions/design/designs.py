"""The designs by name, for pages and documentation that go through them."""

from __future__ import annotations

from cranfield.core.registry import Registry
from cranfield.questions.design.all_pairs import PAIRS
from cranfield.questions.design.anova import ANOVA
from cranfield.questions.design.interval import INTERVAL
from cranfield.questions.design.result import DesignKind
from cranfield.questions.design.ttest import TTEST

DESIGNS: Registry[DesignKind] = Registry("design", __name__)
for kind in (PAIRS, ANOVA, TTEST, INTERVAL):
    DESIGNS.register(kind)


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
