"""A collection with known truth: the settings of `sample`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question

if TYPE_CHECKING:
    from cranfield.collection.sample import Sample


@dataclass(frozen=True, kw_only=True)
class SampleQuestion(Question):
    """Write a synthetic collection with known truth: documents, topics, graded judgments and runs.

    Example: cranfield sample collection --topics 50 --systems 12
    """

    command: ClassVar[str] = "sample"
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("synthetic",)
    brief: ClassVar[str] = "Make a synthetic collection with known truth."
    place: ClassVar[int] = 20
    drawn: ClassVar[bool] = False

    directory: Path = setting(help="New or empty directory to write to.", argument=True, metavar="DIR", part="source")
    n_topics: int = setting(defaults.SAMPLE_TOPICS, "Number of topics.", least=1, most=100_000)
    n_systems: int = setting(defaults.SAMPLE_SYSTEMS, "Number of runs to write.", least=1, most=10_000)
    n_documents: int = setting(defaults.SAMPLE_DOCUMENTS, "Size of the collection.", least=1, most=10_000_000)
    depth: int | None = setting(
        None,
        "Pool depth: documents judged per run and topic.",
        usual=str(defaults.SAMPLE_DEPTH),
        least=1,
        most=1_000_000,
    )
    length: int | None = setting(
        None, "Documents per run and topic.", usual=str(defaults.SAMPLE_LENGTH), least=1, most=1_000_000
    )
    seed: int = shared.seed()
    force: bool = setting(False, "Replace an earlier sample in DIR.", part="view")

    @staticmethod
    def verb() -> Callable[..., Sample]:
        """The public function that answers it."""
        from cranfield.collection.sample import make_sample

        return make_sample
