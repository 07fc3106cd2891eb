"""What scores say: the systems' means and the scores of every topic; and how far two rankings agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.errors import UnknownNameError
from cranfield.core.tables import Sheet
from cranfield.measures.names import parse_measure
from cranfield.scores.matrix import ScoreMatrix, Scores


def scores_answer(result: Scores | ScoreMatrix, settings: Any) -> Answer:
    """The mean of every system, and the score of every topic."""
    scores = result if isinstance(result, Scores) else Scores([result])
    first = next(iter(scores.values()))
    shown = {**settings.to_dict(), "measures": list(scores)} if settings is not None else {"measures": list(scores)}

    def sheet(rows: pl.DataFrame, **more: Any) -> Sheet:
        said = first.provenance[0] if first.provenance else ""
        return Sheet("evaluate", rows, said, shown, scores.warnings, read_back=True, **more)

    def means() -> Sheet:
        rows = summaries(scores)
        return sheet(rows, sections=() if getattr(settings, "long", False) else (sheet(_best_first(rows)),))

    def by_topic(matrix: ScoreMatrix) -> Callable[[], Sheet]:
        return lambda: sheet(matrix.to_wide() if matrix.partitions is None else matrix.to_long())

    matrices = {f"{measure} by topic": by_topic(matrix) for measure, matrix in scores.items()}
    return Answer(
        headline=f"{first.n_systems} systems on {first.n_topics} topics",
        sheets={
            "means": means,
            "topics": lambda: sheet(pl.concat([scores.to_long(), summaries(scores)], how="diagonal")),
            **matrices,
        },
        on_page=("means", "topics"),
        in_notebook=tuple(matrices),
        charts=(Chart("measures", "Means by measure", "Dots: every system's mean by each measure.", scores, None),),
    )


def summaries(scores: Scores) -> pl.DataFrame:
    """One row per system and measure, topic ``all``: the mean over topics, or the sum of a count."""
    return pl.concat(
        pl.DataFrame(
            {
                "system": matrix.systems,
                "topic": ["all"] * matrix.n_systems,
                "measure": [name] * matrix.n_systems,
                "value": matrix.values.sum(axis=0) if _is_count(name) else matrix.system_means,
            }
        )
        for name, matrix in scores.items()
    )


def _is_count(name: str) -> bool:
    """Whether a measure counts, so that topics add up; a measure that is not ours does not."""
    try:
        return parse_measure(name).definition.aggregate == "sum"
    except UnknownNameError:
        return False


def _best_first(means: pl.DataFrame) -> pl.DataFrame:
    """Systems by measures, the best by the first measure on top."""
    wide = means.pivot("measure", index="system", values="value", maintain_order=True)
    return wide.sort(wide.columns[1], descending=True, nulls_last=True, maintain_order=True)
