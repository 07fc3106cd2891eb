"""The same question for a terminal and for a notebook."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any


def command_line(words: str, options: Mapping[str, Any]) -> str:
    """A command with its options; None and False are left out, lists repeat their option.

    >>> command_line("design anova", {"--variance": [0.053], "--systems": [10], "--blocked": True, "--topics": None})
    'cranfield design anova --variance 0.053 --systems 10 --blocked'
    """
    parts = ["cranfield", words]
    for option, value in options.items():
        if value is None or value is False:
            continue
        if value is True:
            parts.append(option)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            parts.append(f"{option} {shlex.quote(f'{one:g}' if isinstance(one, float) else str(one))}")
    return " ".join(parts)


def python_call(function: str, *arguments: str, **options: Any) -> str:
    """A call with its arguments; None is left out, and a list of one is that one.

    >>> python_call("design_anova", "0.053", "10", blocked=True, n_topics=None, alpha=[0.05])
    'design_anova(0.053, 10, blocked=True, alpha=0.05)'
    """
    named = [f"{name}={literal(value)}" for name, value in options.items() if value is not None]
    return f"{function}({', '.join([*arguments, *named])})"


def literal(value: Any) -> str:
    """A value as Python writes it.

    >>> literal([0.05]), literal([10, 20]), literal("AP")
    ('0.05', '[10, 20]', "'AP'")
    """
    if isinstance(value, (list, tuple)):
        return literal(value[0]) if len(value) == 1 else f"[{', '.join(literal(one) for one in value)}]"
    return f"{value:g}" if isinstance(value, float) else repr(value)
