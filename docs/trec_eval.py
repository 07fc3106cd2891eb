"""Put the tables of flags and measures into docs/trec_eval.md: ``python docs/trec_eval.py``."""

from __future__ import annotations

from pathlib import Path

from cranfield.trec_eval.help import flags_table, measures_table, sets_table

PAGE = Path(__file__).with_suffix(".md")
TABLES = {"flags": flags_table, "sets": sets_table, "measures": measures_table}


def filled(text: str) -> str:
    """The page with its tables as the program has them."""
    for name, table in TABLES.items():
        head, begin, rest = text.partition(f"<!-- table: {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        text = head + begin + table() + end + tail
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
