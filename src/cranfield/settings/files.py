"""Files, samples and the page: the settings of `check`, `convert`, `sample`, `demo` and `serve`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import ClassVar

from cranfield import defaults
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import Settings, registered, setting

FORMATS = registered("cranfield.scores.formats:FORMATS")


@record(kw_only=True)
class DemoSettings(Settings):
    """Make a sample collection and tell the whole story with it.

    Shows each command before its answer, so that you can type it with your own files.

    Example: cranfield demo
    """

    command: ClassVar[str] = "demo"
    brief: ClassVar[str] = "The whole story on a sample collection."
    place: ClassVar[int] = 10
    printed: ClassVar[bool] = False

    directory: Path = setting(
        Path("cranfield-demo"), "Where the sample collection and the scores go.", argument=True, metavar="[DIR]"
    )
    seed: int = shared.seed()


@record(kw_only=True)
class SampleSettings(Settings):
    """Write a synthetic collection with known truth: documents, topics, graded judgments and runs."""

    command: ClassVar[str] = "sample"
    brief: ClassVar[str] = "Make a synthetic collection with known truth."
    answered_by: ClassVar[str] = "cranfield.collection:make_sample"
    place: ClassVar[int] = 20
    drawn: ClassVar[bool] = False

    directory: Path = setting(
        help="Where to write it: a new or empty directory.", argument=True, metavar="DIR", part="source"
    )
    n_topics: int = setting(defaults.SAMPLE_TOPICS, "How many topics.", least=1, most=100_000)
    n_systems: int = setting(defaults.SAMPLE_SYSTEMS, "How many systems.", least=1, most=10_000)
    n_documents: int = setting(defaults.SAMPLE_DOCUMENTS, "How many documents.", least=1, most=10_000_000)
    depth: int | None = setting(
        None, "Judge this many top documents of every run.", usual=str(defaults.SAMPLE_DEPTH), least=1, most=1_000_000
    )
    length: int | None = setting(
        None, "Documents per run and topic.", usual=str(defaults.SAMPLE_LENGTH), least=1, most=1_000_000
    )
    seed: int = shared.seed()
    force: bool = setting(False, "Replace a former sample in DIR.", part="view")


@record(kw_only=True)
class CheckSettings(Settings):
    """Validate files: what they hold, ties, and every problem with file and line.

    Judgments and runs together are compared too: shared topics, the judged share of the first ten documents, and ids
    that would match but for capitals, blanks or leading zeros. Exits with code 1 when any file has a problem.

    Example: cranfield check qrels.txt runs/
    """

    command: ClassVar[str] = "check"
    brief: ClassVar[str] = "Validate runs, qrels and score files."
    answered_by: ClassVar[str] = "cranfield.collection:check_file"
    counts: ClassVar[str] = "checking files"
    place: ClassVar[int] = 30
    drawn: ClassVar[bool] = False

    files: tuple[str, ...] = setting(
        help="Runs, qrels or score files, directories or globs.", argument=True, metavar="FILE...", part="source"
    )
    kind: str | None = setting(
        None, "What the files are; recognised from their content if not given.",
        choices=defaults.names(defaults.FileKind),
    )  # fmt: skip
    lenient: bool = setting(False, "Accept fields after the run tag.")


def layouts() -> tuple[str, ...]:
    """Every layout in which `convert` writes: those of scores, then those of runs and judgments."""
    scores = importlib.import_module("cranfield.scores.formats").writable()
    writable = importlib.import_module("cranfield.collection.formats").writable
    return tuple(
        dict.fromkeys([*sorted(scores, key=lambda name: name != "long"), *writable("run"), *writable("qrels")])
    )


@record(kw_only=True)
class ConvertSettings(Settings):
    """Read scores, runs or judgments of any format and write them in another.

    Understands wide, long and tidy tables, trec_eval -q and ir_measures -q output, NTCIREVAL .nev, parquet and JSON;
    runs and judgments of TREC, NTCIR, MS MARCO, BEIR and MTEB, tables, JSON and JSON lines. Numbers survive unchanged,
    to the last bit.

    Example: cranfield convert evals/*.eval -o scores.parquet

    Example: cranfield convert predictions.json --layout trec -o bm25.run
    """

    command: ClassVar[str] = "convert"
    brief: ClassVar[str] = "Any format of scores, runs or qrels to any other."
    takes: ClassVar[str] = "files"
    answered_by: ClassVar[str] = "cranfield.scores:read_scores"
    place: ClassVar[int] = 40

    layout: str | None = setting(
        None, "Scores: long (system, topic, measure, value), wide (one row per topic), trec_eval and nev (one file per "
        "system into the directory that -o names). Runs and qrels: trec, ntcir, msmarco, beir, table, json or jsonl.",
        choices=layouts, usual="long; for runs and qrels by the ending, or trec", part="view",
    )  # fmt: skip
    kind: str | None = setting(
        None, "What the files are; recognised from the content of the first if not given.",
        choices=defaults.names(defaults.FileKind), part="view",
    )  # fmt: skip
    measure: str | None = shared.measure("Keep only this measure." + shared.WIDE)
    missing: str = shared.missing()
    format: str | None = setting(
        None, "Format of the input; recognised from its content if not given.", "--input-format", choices=FORMATS,
        part="source",
    )  # fmt: skip
    header: bool | None = setting(
        None, "Whether a wide table's first row holds labels.", "--header/--no-header", part="source"
    )
    topic_column: bool | None = setting(
        None, "Whether a wide table's first column holds labels.", "--topic-column/--no-topic-column", part="source"
    )


@record(kw_only=True)
class ServeSettings(Settings):
    """Design and analyse a collection in the browser. Nothing leaves this machine.

    With judgments and runs, or score files, the page opens with them; others can be dropped on it. Uploaded files are
    kept in a private temporary directory that is removed when the server stops (Ctrl-C); with --keep they stay in a
    directory of yours, with the names they were given and the questions asked. Files given here are not copied: with
    --keep the next start finds them where they lie.

    \b
    Examples:
      cranfield serve --open
      cranfield serve qrels.txt runs/ --open
    """

    command: ClassVar[str] = "serve"
    brief: ClassVar[str] = "The same questions on a page in your browser."
    place: ClassVar[int] = 190
    printed: ClassVar[bool] = False

    files: tuple[str, ...] = setting(
        (), "Judgments and runs, or score files, to open with. Directories and globs work.", argument=True,
        metavar="[QRELS RUN... | SCORES...]", part="source",
    )  # fmt: skip
    teams: Path | None = shared.teams()
    port: int = setting(defaults.PORT, "Port to listen on; 0 takes a free one.", least=0, most=65535)
    open_page: bool = setting(False, "Open the page in the browser.", "--open")
    host: str = setting(defaults.HOST, "Address to listen on; any but this machine's own needs --allow-remote.")
    allow_remote: bool = setting(False, "Let other machines connect; every request must carry the token printed.")
    allow_origin: tuple[str, ...] | None = setting(
        None, "A website whose pages may call the API; repeatable.", metavar="ORIGIN"
    )
    keep: Path | None = setting(
        None,
        "Keep data, their names and the questions asked in this directory, for the next start.",
        metavar="DIR",
        usual="they end with the server",
    )
    max_upload: int = setting(defaults.MAX_UPLOAD_MB, "Largest upload accepted.", metavar="MB", least=1, most=1_000_000)
