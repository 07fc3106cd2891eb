"""The same questions on a page: the settings of `serve`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import Question


@dataclass(frozen=True, kw_only=True)
class ServeQuestion(Question):
    """Design and analyse a collection in the browser. Nothing leaves this machine.

    The page opens with the files given here; more can be dropped on it. Uploads go to a private temporary directory,
    which is removed when the server stops (Ctrl-C). --keep stores uploads, their names and the questions in a directory
    for the next start. Files given here are never copied.

    \b
    Examples:
      cranfield serve --open
      cranfield serve qrels.txt runs/ --open
    """

    command: ClassVar[str] = "serve"
    aliases: ClassVar[tuple[str, ...]] = ("web", "gui", "ui")
    brief: ClassVar[str] = "Open a local page with all questions in the browser."
    place: ClassVar[int] = 190
    printed: ClassVar[bool] = False

    files: tuple[str, ...] = setting(
        (), "Judgments and runs, or score files, to open with. Directories and globs work.", argument=True,
        metavar="[QRELS RUN... | SCORES...]", part="source",
    )  # fmt: skip
    teams: Path | None = shared.teams()
    documents: Path | None = shared.documents()
    port: int = setting(defaults.PORT, "Port to listen on; 0 picks a free one.", least=0, most=65535)
    open_page: bool = setting(False, "Open the page in the browser.", "--open")
    host: str = setting(defaults.HOST, "Address to listen on; a public one needs --allow-remote.")
    allow_remote: bool = setting(False, "Let other machines connect; every request needs the printed token.")
    token: bool = setting(False, "Require a token on this machine too; keeps other accounts out.")
    allow_origin: tuple[str, ...] | None = setting(
        None, "A website whose pages may call the API; repeatable.", metavar="ORIGIN"
    )
    keep: Path | None = setting(
        None,
        "Directory that keeps data and questions for the next start.",
        metavar="DIR",
        usual="removed when the server stops",
    )
    max_upload: int = setting(defaults.MAX_UPLOAD_MB, "Largest upload accepted.", metavar="MB", least=1, most=1_000_000)
