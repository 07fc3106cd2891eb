"""``cranfield convert``: any score format to any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from cranfield.cli.output import emit, say
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.files import ConvertSettings


def run(settings: ConvertSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Read, and write in another layout."""
    from cranfield.cli.sources import by_any_name
    from cranfield.present.tables import Sheet
    from cranfield.scores import read_scores, write_scores
    from cranfield.signature import signature

    how = settings.values("source")
    format, measure = how.pop("input_format"), how.pop("measure")
    scores = by_any_name(lambda name: read_scores(list(files["scores"]), format=format, measure=name, **how), measure)
    layout, to = settings.layout, output.output
    notes = tuple(
        dict.fromkeys(step for matrix in scores.values() for step in matrix.provenance if "read from" not in step)
    )
    if to is None and layout in ("trec_eval", "nev"):
        raise ArgumentError(f"--layout {layout} writes one file per system; name a directory with --output")
    if to is None or output.format is not None:
        rows = scores.only().to_wide() if layout == "wide" else scores.to_long()
        shown = {"layout": layout, "missing": settings.missing}
        emit(Sheet("convert", rows, signature("convert", **shown), shown, notes), output)
        return
    for note in notes:
        say(f"note: {note}")
    write_scores(scores, to, layout=cast(Any, layout))
    for matrix in scores.values():
        say(f"wrote {to}: {matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems")
