"""``cranfield evaluate``: scores of runs, by any measure; also as trec_eval prints them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit, progress_bar, say, warn
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.cli.build import OutputSettings
    from cranfield.scores import Scores
    from cranfield.settings.evaluate import EvaluateSettings


def run(settings: EvaluateSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Evaluate, and print means or every score."""
    from cranfield.present.answer import answer

    if settings.trec and output.format is not None:
        raise ArgumentError("--trec has a format of its own; leave out --format")
    with progress_bar(settings.counts) as progress:
        scores = settings.ask(files["qrels"], list(files["runs"]), progress=progress)
    if settings.trec:
        _print_trec(scores, settings.per_topic, output.output)
        return
    said = answer(scores, settings)
    sheet = said.sheet("topics" if settings.per_topic else "means")
    emit(replace(sheet, settings={"qrels": files["qrels"], **sheet.settings}), output)
    draw(said, scores, output)
    if output.output is not None and not settings.per_topic:
        say(
            f"note: {output.output} holds the means only; -q writes the scores of every topic, which other commands "
            "read"
        )


def _print_trec(scores: Scores, per_topic: bool, output: Path | None) -> None:
    from cranfield.files import write_atomically
    from cranfield.measures.trec import trec_lines

    warn(scores.warnings)
    systems = next(iter(scores.values())).systems
    lines = []
    for system in systems:
        if len(systems) > 1:
            lines.append(f"{'runid':<22}\tall\t{system}")
        lines += trec_lines(scores, system, topics=per_topic)
    text = "".join(line + "\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())
        say(f"wrote {output} ({len(lines)} lines)")
