"""What scores say: the systems' means and the scores of every topic; and how far two rankings agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cranfield.light_table import LightColumn, LightTable
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet
from cranfield.scores import ScoreMatrix, Scores


@answers("Scores", "ScoreMatrix")
def scores_answer(result: Scores | ScoreMatrix, settings: Any) -> Answer:
    """The mean of every system, and the score of every topic."""
    from cranfield.measures.evaluation import summaries

    scores = result if isinstance(result, Scores) else Scores([result])
    first = next(iter(scores.values()))
    shown = {**settings.to_dict(), "measures": list(scores)} if settings is not None else {"measures": list(scores)}

    def sheet(rows: Any, **more: Any) -> Sheet:
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
            "topics": lambda: sheet(_with_summaries(scores, summaries(scores))),
            **matrices,
        },
        on_page=("means", "topics"),
        in_notebook=tuple(matrices),
        charts=(Chart("measures", "Means by measure", "Dots: every system's mean by each measure.", scores, None),),
    )


def _with_summaries(scores: Scores, means: LightTable) -> Any:
    """The score of every topic, measure by measure and system by system, and the means below."""
    if any(matrix.partitions is not None for matrix in scores.values()):
        import polars as pl

        return pl.concat([scores.to_long(), means.frame])
    columns: dict[str, list[Any]] = {name: [] for name in means.columns}
    for name, matrix in scores.items():
        columns["system"] += [one for one in matrix.systems for _ in matrix.topics]
        columns["topic"] += list(matrix.topics) * matrix.n_systems
        columns["measure"] += [name] * matrix.values.size
        columns["value"] += matrix.values.T.ravel().tolist()
    return LightTable([LightColumn(one.name, columns[one.name] + one.values, one.kind) for one in means.dtypes])


def _best_first(means: LightTable) -> LightTable:
    """Systems by measures, the best by the first measure on top."""
    by_measure: dict[str, dict[str, float]] = {}
    for system, _, measure, value in means.iter_rows():
        by_measure.setdefault(measure, {})[system] = value
    first = next(iter(by_measure.values()))
    systems = list(dict.fromkeys(means.values("system")))
    systems.sort(key=lambda one: (one not in first, not math.isnan(first.get(one, 0)), -first.get(one, 0)))
    columns = [LightColumn(name, [of.get(one) for one in systems], float) for name, of in by_measure.items()]
    return LightTable([LightColumn("system", systems, str), *columns])


@answers("Correlation", "Correlations")
def correlation_answer(result: Any, settings: Any) -> Answer:
    """Every coefficient with its intervals."""
    from cranfield.scores.correlation import Correlations
    from cranfield.scores.rank_coefficients import COEFFICIENTS

    several = result if isinstance(result, Correlations) else Correlations((result,))
    first = several.correlations[0]
    names = (first.reference, first.estimate) if settings is None else (settings.reference, settings.estimate)
    title = f"Rank correlation of {first.n_systems} systems: {names[0]} (reference) and {names[1]}"

    def sheet() -> Sheet:
        return Sheet(
            "correlate",
            several.to_frame(),
            several.signature,
            {**several.settings, "reference": names[0], "estimate": names[1]},
            several.warnings,
            title=title,
            notes=tuple(f"{name}: {text}" for name, text in COEFFICIENTS.items()),
        )  # fmt: skip

    return Answer(
        headline=title,
        sheets={"correlation": sheet},
        charts=(
            Chart("correlation", "Rank correlation", "Dots with whiskers: each coefficient.", several, "correlation"),
            Chart("ranks", "Ranks on both sides", "One dot per system: its two ranks.", several, "ranks"),
        ),
    )
