"""What -h and -v print, and the tables of docs/trec_eval.md: all from the flags and measures themselves."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield import __version__
from cranfield.measures.aliases import NO_SCORE
from cranfield.trec_eval.arguments import FLAGS, USAGE, Options
from cranfield.trec_eval.measures import MEASURES, SETS, TrecMeasure, choose

FOLLOWED = "10.0"
"""The version of trec_eval whose lines are printed."""
_TAKES = {
    "none": "",
    "cutoffs": "ranks",
    "points": "decimals",
    "numbers": "numbers",
    "gains": "level=gain",
}


def version_text() -> str:
    """The answer to -v."""
    return f"cranfield {__version__}, as trec_eval {FOLLOWED}\n"


def help_text(options: Options) -> str:
    """The answer to -h: the flags, the sets of measures, and the measures named with -m (all unless named)."""
    flags = [f"  {_flag(f.letter, f.value):<22} {f.does}" for f in FLAGS]
    sets = [f"  {name:<22} {_listed(members)}" for name, members in SETS.items()]
    named = choose(options.measures)[0] if options.measures else list(MEASURES.values())
    measures = [f"  {_with_parameters(m):<22} {_says(m)}" for m in named]
    parts = [f"Usage: {USAGE}", "", "Flags:", *flags, "", "Sets of measures:", *sets, "", "Measures:", *measures]
    return "\n".join(parts) + "\n"


def flags_table() -> str:
    """The flags as a Markdown table."""
    rows = [(f"`{_flag(f.letter, f.value)}`", f"`--{f.long}`", f.does) for f in FLAGS]
    return _markdown(("flag", "long name", "here"), rows)


def measures_table() -> str:
    """The measures as a Markdown table, in trec_eval's order."""
    rows = [
        (
            f"`{m.name}`",
            _TAKES[m.kind] + (f": `{m.parameters}`" if m.parameters else ""),
            f"`{m.ours}`" if m.ours else "–",
            _says(m),
        )
        for m in MEASURES.values()
    ]
    return _markdown(("trec_eval", "parameters, and those meant without", "here, in `evaluate`", "is"), rows)


def sets_table() -> str:
    """The names for several measures as a Markdown table."""
    rows = [(f"`{name}`", _listed(members)) for name, members in SETS.items()]
    return _markdown(("name", "stands for"), rows)


def _says(measure: TrecMeasure) -> str:
    refusal = measure.refusal
    return f"Not computed: {refusal}." if refusal is not None else measure.summary_line


def _flag(letter: str, value: str) -> str:
    return f"-{letter} {value}".rstrip()


def _with_parameters(measure: TrecMeasure) -> str:
    return measure.name + ("" if measure.kind == "none" else "[.…]")


def _listed(names: Iterable[str]) -> str:
    members = list(names)
    if all(name in NO_SCORE for name in members[2:]):
        return ", ".join(members) + " (not computed)"
    return ", ".join(members)


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
