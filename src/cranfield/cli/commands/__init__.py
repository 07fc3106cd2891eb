"""What a command does that is a tool rather than a question, and so does not go the common way of `cli.ask`."""

from cranfield.cli.ask import RUNNERS
from cranfield.cli.commands import evaluate, files, pages, sample

__all__ = ["RUNNERS", "evaluate", "files", "pages", "sample"]
