"""The table of a paper over collections or seeds: means with the spread of seeds, and marks by one claim."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from cranfield.core.formats import to_csv
from cranfield.core.labels import plural
from cranfield.core.tables import DIGITS, Sheet, steady_rows
from cranfield.questions.across.answer import where_of
from cranfield.questions.compare.equivalence import letter, mark
from cranfield.questions.table.typeset import LATEX, TEXT, Markup, typeset

if TYPE_CHECKING:
    from cranfield.questions.across.across import Across

MOST_LETTERS = 26
OVERALL = "mean"
"""The column of the mean over collections."""


class Cell(NamedTuple):
    """A system by one measure, on one collection or over all: its mean, and what stands beside it."""

    mean: float
    seed_sd: float | None
    best: bool
    marks: tuple[str, ...] = ()


def claim_of(result: Across) -> str:
    """The claim that marks rest on: recipes where there are any, else the first."""
    claims = result.settings["claim"]
    return "recipe" if "recipe" in claims else str(claims[0])


def signs(result: Across) -> dict[str, str]:
    """The mark of every baseline or, without, the letter of every system."""
    baselines = result.settings["baseline"]
    if baselines:
        return {name: mark(at) for at, name in enumerate(baselines)}
    names = result.board["system"].unique(maintain_order=True).to_list()
    return {name: letter(at) for at, name in enumerate(names)} if len(names) <= MOST_LETTERS else {}


def cells(result: Across) -> dict[tuple[str, str, str], Cell]:
    """Every cell by measure, system and collection; the mean over several collections is one of them."""
    found: dict[tuple[str, str, str], Cell] = {}
    own, claim = signs(result), claim_of(result)
    baselines = result.settings["baseline"] or ()
    for data in result.data:
        marks: dict[str, list[str]] = {name: [] for name in data.systems}
        decided = result.rows.filter((pl.col("measure") == data.measure) & (pl.col("claim") == claim))
        for row in decided.filter(pl.col("significant")).iter_rows(named=True):
            ahead, behind = row["system_a"], row["system_b"]
            if not baselines:
                ahead, behind = (ahead, behind) if row["difference"] > 0 else (behind, ahead)
            if behind in own:
                marks[ahead].append(own[behind])
            if baselines and ahead in own:
                marks[behind].append(own[ahead])
        columns = {name: np.eye(len(data.collections))[at] for at, name in enumerate(data.collections)}
        columns[OVERALL if len(columns) > 1 else data.collections[0]] = data.weights
        last = next(reversed(columns))
        for name, weights in columns.items():
            of_runs = weights @ data.means
            means = np.array([of_runs[at].mean() for at in data.runs])
            for j, system in enumerate(data.systems):
                runs = of_runs[data.runs[j]]
                spread = float(runs.std(ddof=1)) if len(runs) > 1 else None
                ordered = tuple(sorted(marks[system], key=[*own.values()].index)) if name == last else ()
                found[data.measure, system, name] = Cell(
                    float(means[j]), spread, bool(means[j] == means.max()), ordered
                )
    return found


def shown_columns(result: Across) -> list[tuple[str, str, str]]:
    """Head, measure and collection of every column: all collections by one measure, or all measures over them."""
    if len(result.data) == 1:
        (data,) = result.data
        names = [*data.collections, *([OVERALL] if len(data.collections) > 1 else [])]
        return [(data.measure if names == [*data.collections] else name, data.measure, name) for name in names]
    last = {data.measure: OVERALL if len(data.collections) > 1 else data.collections[0] for data in result.data}
    return [(measure, measure, name) for measure, name in last.items()]


def heads(result: Across, markup: Markup) -> list[str]:
    """The names of the columns."""
    return ["system", *(markup.escape(head) for head, _, _ in shown_columns(result))]


def body(result: Across, digits: int, markup: Markup) -> list[list[str]]:
    """The rows, best first by the first measure."""
    every, columns, own = cells(result), shown_columns(result), signs(result)
    lettered = not result.settings["baseline"]
    rows = []
    for system in result.board["system"].unique(maintain_order=True):
        sign = own.get(system, "") if lettered else ""
        row = [f"{sign} {system}".lstrip() if markup is TEXT else markup.escape(system) + markup.sign(sign)]
        for _, measure, name in columns:
            one = every.get((measure, system, name))
            row.append("–" if one is None else _written(one, digits, markup))
        rows.append(row)
    return rows


def _written(one: Cell, digits: int, markup: Markup) -> str:
    mean = f"{one.mean:.{digits}f}"
    spread = (
        "" if one.seed_sd is None else f" {'$' + chr(92) + 'pm$' if markup is LATEX else '±'} {one.seed_sd:.{digits}f}"
    )
    between = " " if any(len(sign) > 1 for sign in one.marks) else ""
    return (markup.best.format(mean) if one.best else mean) + spread + markup.sign(between.join(one.marks))


def caption(result: Across) -> str:
    """What the table shows, and what its marks rest on."""
    known = result.settings
    seeded, several = known["n_seeds"] > 1, known["n_collections"] > 1
    parts = [f"Means over topics{' and seeds' * seeded}; the best in bold."]
    if seeded:
        parts.append("±: standard deviation over seeds.")
    if several and len(result.data) > 1:
        parts[0] = f"Means over {plural(known['n_collections'], 'collection')}; the best in bold."
    where = where_of(claim_of(result), known["n_collections"])
    if known["baseline"]:
        meanings = ", ".join(f"{sign} from {name}" for name, sign in signs(result).items())
        parts.append(f"Significantly different {where}: {meanings} (adjusted p ≤ {known['alpha']:g}).")
    elif signs(result):
        parts.append(
            f"Letters mark the systems that a system is significantly better than {where} (adjusted p ≤ "
            f"{known['alpha']:g})."
        )
    else:
        parts.append(f"{plural(known['n_systems'], 'system')} are too many to mark.")
    return " ".join(parts)


def frame(result: Across) -> pl.DataFrame:
    """One row per measure, system and collection."""
    rows = [
        {"measure": measure, "system": system, "collection": name, "mean": one.mean, "seed_sd": one.seed_sd,
         "marks": " ".join(one.marks), "best": one.best}
        for (measure, system, name), one in cells(result).items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"seed_sd": pl.Float64})


def paper_sheet(result: Across, facts: Mapping[str, object], digits: int = DIGITS) -> Sheet:
    """The table in every format."""
    text = caption(result)
    texts = typeset(text, partial(heads, result), partial(body, result, digits), signature=result.signature)
    rows = frame(result)
    schema = dict.fromkeys(heads(result, TEXT), pl.String)
    shown = Sheet(
        "across", pl.DataFrame(body(result, digits, TEXT), schema=schema, orient="row"), result.signature,
        title=text.replace("in bold", "with *"), dispensable=tuple(schema)[-2:0:-1],
    )  # fmt: skip
    return Sheet(
        "across", rows, result.signature, {**facts, "caption": text}, result.warnings, text, sections=(shown,),
        heading="Table for a paper", texts={**texts, "csv": to_csv(steady_rows(rows))},
    )  # fmt: skip
