"""``cranfield correlate``: how far two rankings of systems agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from cranfield.cli.output import draw, emit

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.scores import ScoreMatrix, Scores
    from cranfield.settings.standardise import CorrelateSettings

Side = Union["Scores", dict[str, float]]


def run(settings: CorrelateSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Correlate the rankings by every measure that both sides have."""
    from cranfield.present.answer import answer
    from cranfield.scores.correlation import Correlations

    reference = _side(settings.reference, settings.measure, settings.missing)
    estimate = _side(settings.estimate, settings.other_measure or settings.measure, settings.missing)
    result = Correlations(tuple(settings.ask(x, y) for x, y in _pairs(reference, estimate)))
    said = answer(result, settings)
    emit(said.sheet(), output)
    draw(said, result.correlations[0], output)


def _side(path: str, measure: str | None, missing: Any) -> Side:
    from cranfield.scores import is_order, read_order, read_scores

    if is_order(path):
        return read_order(path)
    return read_scores(path, measure=measure, missing=missing)


def _pairs(x: Side, y: Side) -> list[tuple[ScoreMatrix | dict[str, float], ScoreMatrix | dict[str, float]]]:
    """What to compare with what: the only measure on each side, or all measures that both sides have."""
    from cranfield.errors import DataError
    from cranfield.labels import summary

    if isinstance(x, dict) or isinstance(y, dict) or len(x) == len(y) == 1:
        return [(x if isinstance(x, dict) else x.only(), y if isinstance(y, dict) else y.only())]
    common = [measure for measure in x if measure in y]
    if not common:
        raise DataError(
            f"the files have no measure in common ({summary(list(x))} and {summary(list(y))}); "
            "say which with --measure and --other-measure"
        )
    return [(x[measure], y[measure]) for measure in common]
