"""The same questions on a page: the settings of `serve`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.question import Question, setting


@dataclass(frozen=True, kw_only=True)
class ServeQuestion(Question):
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
    aliases: ClassVar[tuple[str, ...]] = ("web", "gui", "ui")
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
