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
    rows = []
    for kind in DESIGNS.values():
        facts = ", ".join(kind.asks), ", ".join(kind.methods)
        for form in kind.variants:
            name = f"{kind.name} --{form.option.replace('_', '-')}" if form.option else kind.name
            rows.append((name, form.title, *facts, f"`{form.estimator}`"))
    return rows
