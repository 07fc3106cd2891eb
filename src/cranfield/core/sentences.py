"""Every sentence that states a conclusion, listed once, with the condition under which it is true.

Each is defined in the file that prints it, beside that condition, and called with its figures. `docs/sentences.md` is
made from this list. `tests/test_sentences.py` has two cases for every sentence: one prints it and it is true; in the
other it would be false and is not printed.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from dataclasses import dataclass
from typing import Any

from cranfield.core.errors import ArgumentError


@dataclass(frozen=True)
class Sentence:
    """A conclusion, with places for its figures.

    Parameters
    ----------
    name : room and sentence, such as ``comparison.only-best``
    template : the words; places in braces, as for `str.format`
    true_when : the condition under which it is true
    always : it is printed for any data, and true of the figures in it; otherwise it is printed only when its
        condition holds
    measured : where its coverage or error was measured: sections of docs/validation.md, or a page and its section

    Examples
    --------
    >>> Sentence("x.lead", "{system} leads by {margin:.2f}", "no mean is higher")(system="a", margin=0.1)
    'a leads by 0.10'
    """

    name: str
    template: str
    true_when: str
    always: bool = False
    measured: str = ""

    def __call__(self, **values: Any) -> str:
        return self.template.format(**values)

    @property
    def places(self) -> tuple[str, ...]:
        """What has to be filled in."""
        parsed = string.Formatter().parse(self.template)
        return tuple(dict.fromkeys(place for _, place, _, _ in parsed if place))

    @property
    def links(self) -> tuple[str, ...]:
        """The sections of the documentation that have its coverage or error.

        >>> Sentence("x.lead", "{system} leads", "no mean is higher", measured="ranks gate.md#how-often-it-errs").links
        ('validation.md#ranks', 'gate.md#how-often-it-errs')
        """
        return tuple(one if "#" in one else f"validation.md#{one}" for one in self.measured.split())

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds the sentence in a text, whatever its figures."""
        parts = [
            re.escape(literal) + ("" if place is None else ".*?")
            for literal, place, _, _ in string.Formatter().parse(self.template)
        ]
        return re.compile("".join(parts))

    @property
    def shown(self) -> str:
        """The words with the names of the places, for documentation.

        >>> Sentence("x.lead", "{system} leads by {margin:.2f}", "no mean is higher").shown
        '{system} leads by {margin}'
        """
        parsed = string.Formatter().parse(self.template)
        return "".join(literal + ("" if place is None else f"{{{place}}}") for literal, place, _, _ in parsed)


_SENTENCES: dict[str, Sentence] = {}


def sentence(name: str, template: str, true_when: str, *, always: bool = False, measured: str = "") -> Sentence:
    """Register a sentence and give it back; a name that is taken is refused."""
    if name in _SENTENCES:
        raise ArgumentError(f"sentence {name!r} is registered already; choose another name.")
    _SENTENCES[name] = Sentence(name, template, true_when, always, measured)
    return _SENTENCES[name]


def every_sentence() -> dict[str, Sentence]:
    """All of them, by name: in the same order whatever was imported before."""
    package = importlib.import_module("cranfield")
    for module in pkgutil.walk_packages(package.__path__, "cranfield."):
        if not module.name.startswith(("cranfield.cli", "cranfield.web", "cranfield.__main__")):
            importlib.import_module(module.name)
    return dict(sorted(_SENTENCES.items()))
