"""The commands that are tools, which `cli.ask` does not run in the common way."""

from cranfield.cli.ask import RUNNERS
from cranfield.cli.commands import evaluate, files, pages, sample

__all__ = ["RUNNERS", "evaluate", "files", "pages", "sample"]
