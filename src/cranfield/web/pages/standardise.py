"""Standardised scores, their factors, and what they change."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.present.answer import answer
from cranfield.settings.standardise import ApplySettings, EffectSettings
from cranfield.standardise import fit_standardisation
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import ask_library
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


def standardise(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """What standardisation changes, with the factors and the scores themselves."""
    outcome = ask_library(question, dataset, progress)
    scores = dataset.scores(question.measure)
    applied = ApplySettings(factors="factors.csv", to=question.to, a=question.a, b=question.b)
    with quietly():
        factors = fit_standardisation(scores)
        done = factors.apply(scores, to=question.to, a=question.a, b=question.b)
    said, further = outcome.answer, (answer(factors), answer(done))
    both = replace(
        said,
        sentences=(*said.sentences, *further[1].sentences),
        sheets={**said.sheets, **further[0].sheets, **further[1].sheets},
        charts=(*said.charts, *further[1].charts),
        on_page=(*said.shown, "factors", "scores"),
    )
    files = dataset.score_files(question.measure)[1]
    fit = f"cranfield standardise fit {shlex.join(files)} -o factors.csv"
    changed = [f"{name}={value!r}" for name, value in applied.changed().items() if name in ("to", "a", "b")]
    return replace(
        outcome,
        answer=both,
        command=(*outcome.command, fit, applied.words(*files)),
        python=(
            outcome.python[0].replace("import ", "import fit_standardisation, ", 1),
            *outcome.python[1:],
            f"fit_standardisation(scores).apply({', '.join(['scores', *changed])})",
        ),
    )


page(
    "standardise",
    "Standardise",
    EffectSettings,
    heading="Standardise scores",
    lead="Make topics comparable: every score in units of how the systems did on its topic.",
    button="Standardise",
    doing="Standardising",
    brief="Variance, ranking and design before and after; factors and standardised scores are in `tables`.",
    answer=standardise,
    place=30,
)
