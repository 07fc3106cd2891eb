"""``cranfield convert``: any score format to any other."""

from __future__ import annotations

from cranfield.cli.options import ScoreFiles


def command(scores: ScoreFiles) -> None:
    """Read score files of any format and write them in another."""
