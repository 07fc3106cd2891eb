"""``cranfield standardise apply``: scores of any systems, by saved factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.cli.output import emit, say

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.standardise import ApplySettings


def run(settings: ApplySettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Standardise the scores."""
    from cranfield.cli.sources import read
    from cranfield.present.answer import answer
    from cranfield.standardise import Standardisation

    (raw,) = read(settings, files)
    how = settings.values("question")
    done = Standardisation.load(how.pop("factors")).apply(raw, missing=settings.missing, **how)  # type: ignore[arg-type]
    emit(answer(done, settings).sheet(), output)
    if output.output is not None or output.format not in (None, "table"):
        for line in done.clipping():
            say(f"note: {line}")
    if output.plot is not None:
        from cranfield.present.charts import chart, save_chart

        save_chart(chart(done, output.chart, raw=raw, **output.look), output.plot)
        say(f"wrote {output.plot}")
