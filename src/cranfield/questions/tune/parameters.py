"""Parameter settings: `bm25(k1=0.9,b=0.4)` into parameters and back, grids, and names by a pattern."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cranfield.core.errors import ArgumentError

Value = bool | int | float | str

_CALL = re.compile(r"(?P<name>[^()]*)\((?P<inside>.*)\)", re.DOTALL)
_FIELD = re.compile(r"\{([^{}]*)\}")
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Setting(Mapping[str, Value]):
    """A point of a parameter grid: a mapping from parameter to value, so that ``engine(**setting)`` works.

    Parameters
    ----------
    name : the system's name without its parameters; may be empty
    parameters : (parameter, value) in order
    label : how the setting is written; made of name and parameters unless given

    Examples
    --------
    >>> setting = Setting("bm25", (("k1", 0.9), ("b", 0.4)))
    >>> setting
    Setting(bm25(k1=0.9,b=0.4))
    >>> dict(setting)
    {'k1': 0.9, 'b': 0.4}
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.label:
            inside = ",".join(f"{key}={_write(value)}" for key, value in self.parameters)
            object.__setattr__(self, "label", f"{self.name}({inside})" if inside else self.name)

    def __getitem__(self, parameter: str) -> Value:
        for key, value in self.parameters:
            if key == parameter:
                return value
        raise KeyError(parameter)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"Setting({self.label})"


def _write(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_value(text: str) -> Value:
    """A number or a truth value where the text is one, otherwise the text.

    >>> [read_value(text) for text in ("10", "0.4", "1e-3", "true", "lucene", "nan", "1_0")]
    [10, 0.4, 0.001, True, 'lucene', 'nan', '1_0']
    """
    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def parse_setting(label: str) -> Setting:
    """The name and parameters in a system's label; a label without parameters is a name.

    Parameters are in brackets after the name, separated by commas, each as ``key=value``. Without a name and brackets
    they are a setting of the family of these parameters, and numbers alone are one of the family ``value``. Any other
    label is a setting without parameters: it can be tuned, but not drawn as a curve.

    >>> parse_setting("bm25(k1=0.9, b=0.4)")["b"]
    0.4
    >>> parse_setting("bm25(method=lucene,k1=1)").parameters
    (('method', 'lucene'), ('k1', 1))
    >>> dict(parse_setting("lambda=0.1")), dict(parse_setting("0.4, 0.8"))
    ({'lambda': 0.1}, {'value1': 0.4, 'value2': 0.8})
    >>> parse_setting("uwmt6a0")
    Setting(uwmt6a0)
    """
    call = _CALL.fullmatch(label)
    inside = label if call is None else call["inside"]
    if call is None and all(_NUMBER.fullmatch(part.strip()) for part in label.split(",")):
        numbers = [read_value(part) for part in label.split(",")]
        names = ["value"] if len(numbers) == 1 else [f"value{at}" for at in range(1, len(numbers) + 1)]
        return Setting("value", tuple(zip(names, numbers, strict=True)), label)
    if "=" not in inside or (call is None and ("(" in label or ")" in label)):
        return Setting(label, label=label)
    parts = [part.partition("=") for part in inside.split(",")]
    keys = [key.strip() for key, _, _ in parts]
    if not all(key and equals for key, (_, equals, _) in zip(keys, parts, strict=True)) or len(set(keys)) < len(keys):
        return Setting(label, label=label)
    values = [read_value(value) for _, _, value in parts]
    name = ",".join(keys) if call is None else call["name"].strip()
    return Setting(name, tuple(zip(keys, values, strict=True)), label)


def grid(name: str, **parameters: Sequence[Value]) -> list[Setting]:
    """Every combination of the parameters' values, the last parameter changing fastest.

    >>> grid("bm25", k1=[0.9, 1.2], b=[0.4])
    [Setting(bm25(k1=0.9,b=0.4)), Setting(bm25(k1=1.2,b=0.4))]
    """
    for key, values in parameters.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise ArgumentError(f"`{key}` must be a list with at least one value; got {values!r}.")
    combinations = itertools.product(*parameters.values())
    return [Setting(name, tuple(zip(parameters, values, strict=True))) for values in combinations]


class NamePattern:
    """Family and parameters in system names, by a template such as ``{family}-mu{mu}``.

    A word in braces matches any text. ``{family}`` is the family, ``{}`` is ignored, and all others are parameters.

    >>> NamePattern("{family}-mu{mu}").match("ql-mu500")
    ('ql', Setting(ql-mu500))
    >>> NamePattern("{family}-mu{mu}").match("ql-mu500")[1]["mu"]
    500
    """

    def __init__(self, template: str) -> None:
        fields = [name for name in _FIELD.findall(template) if name]
        literal = _FIELD.sub("", template)
        if not fields or "{" in literal or "}" in literal or not all(name.isidentifier() for name in fields):
            raise ArgumentError(
                f"`pattern` must contain parameters in braces, each a plain word; got {template!r}. "
                "Write for example '{family}-mu{mu}'."
            )
        if len(set(fields)) < len(fields):
            raise ArgumentError(f"`pattern` names a parameter twice: {template!r}. Name each once, or write {{}}.")
        self.template = template
        pieces, at = [], 0
        for match in _FIELD.finditer(template):
            pieces.append(re.escape(template[at : match.start()]))
            pieces.append(f"(?P<{match[1]}>.+?)" if match[1] else ".*?")
            at = match.end()
        self._regex = re.compile("".join(pieces) + re.escape(template[at:]), re.DOTALL)

    def match(self, label: str) -> tuple[str | None, Setting] | None:
        """The family (None if the pattern has none) and the setting of a label; None if it does not match."""
        matched = self._regex.fullmatch(label)
        if matched is None:
            return None
        values = matched.groupdict()
        family = values.pop("family", None)
        parameters = tuple((key, read_value(value)) for key, value in values.items())
        return family, Setting(family or "", parameters, label)
