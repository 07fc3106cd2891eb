"""The sentences of `across`: each with data for which it is printed, and data for which it would be false."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl

import cranfield as cf
from cranfield.core.answer import answer

Shown = tuple[str, str]
CASES: dict[str, tuple[Callable[[], Shown], Callable[[], str]]] = {}


def scored(effects: list[list[float]], n: int = 40, sd: float = 0.05, seed: int = 1) -> dict[str, cf.ScoreMatrix]:
    """One matrix per row of effects: the systems a, b, c, … with these means on one collection."""
    rng = np.random.default_rng(seed)
    made = {}
    for at, row in enumerate(effects):
        values = np.asarray(row) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, sd, (n, len(row)))
        made[f"c{at}"] = cf.ScoreMatrix(values, [str(t) for t in range(n)], list("abcdef"[: len(row)]), "AP")
    return made


def seeded(n_seeds: int, n_collections: int = 2, best: bool = False) -> pl.DataFrame:
    """A long table: two systems trained with several seeds; with `best`, a third with one seed per collection."""
    rng = np.random.default_rng(3)
    rows = []
    for k in range(n_collections):
        for system in "ab":
            for r in range(n_seeds):
                for topic in range(20):
                    rows.append((f"c{k}", system, str(r), str(topic), float(rng.normal(0.5, 0.1))))
        if best:
            rows += [(f"c{k}", "z", str(k), str(topic), float(rng.normal(0.5, 0.1))) for topic in range(20)]
    return pl.DataFrame(rows, schema=["collection", "system", "seed", "topic", "value"], orient="row")


def means(n_collections: int) -> pl.DataFrame:
    """A long table of means alone."""
    rng = np.random.default_rng(4)
    rows = [(f"c{k}", system, float(rng.normal(0.5, 0.1))) for k in range(n_collections) for system in "abc"]
    return pl.DataFrame(rows, schema=["collection", "system", "value"], orient="row")


@cache
def said(kind: str) -> str:
    """Everything that an answer says."""
    made: dict[str, Callable[[], cf.Across]] = {
        "apart": lambda: cf.across(scored([[0.5, 0.3, 0.1]] * 3), n_resamples=199),
        "alike": lambda: cf.across(scored([[0.3, 0.3]] * 2, seed=5), n_resamples=199),
        "two": lambda: cf.across(scored([[0.5, 0.3]] * 2), n_resamples=199),
        "three of two": lambda: cf.across(scored([[0.5, 0.3]] * 3), n_resamples=199),
        "one": lambda: cf.across(scored([[0.5, 0.3, 0.1]]), n_resamples=199),
        "turns": lambda: cf.across(scored([[0.9, 0.3], [0.3, 0.4], [0.3, 0.4]]), n_resamples=199),
        "nine": lambda: cf.across(scored([[0.5, 0.3, 0.1]] * 9, n=10), n_resamples=199),
        "means": lambda: cf.across(means(9), n_resamples=199),
        "two seeds": lambda: cf.across(seeded(2), n_resamples=199),
        "three seeds": lambda: cf.across(seeded(3), n_resamples=199),
        "best seed": lambda: cf.across(seeded(3, best=True), deterministic="z", n_resamples=199),
        "twice": lambda: cf.across(dict.fromkeys(("c0", "c1"), scored([[0.5, 0.3]])["c0"]), n_resamples=199),
        "part": lambda: cf.across(overlapping(), n_resamples=199),
        "hole": lambda: cf.across(holed(), "drop-system", n_resamples=199),
    }
    found = answer(made[kind]())
    texts = [found.headline, *found.sentences]
    for name in found.sheets:
        texts += [found.sheet(name).title, *found.sheet(name).notes, *found.sheet(name).warnings]
    return "\n".join(texts)


def overlapping() -> dict[str, cf.ScoreMatrix]:
    """Two collections; the second is 25 of the 40 topics of the first."""
    whole = scored([[0.5, 0.3]])["c0"]
    return {"c0": whole, "part": whole.select(topics=whole.topics[:25])}


def holed() -> dict[str, cf.ScoreMatrix]:
    """Three systems on two collections, and only two on the third."""
    made = scored([[0.5, 0.3, 0.1]] * 3)
    return {**made, "c2": made["c2"].select(systems=["a", "b"])}


def case(name: str, true: str, expected: str, false: str) -> None:
    CASES[f"across.{name}"] = (lambda: (said(true), expected), lambda: said(false))


case("pairs-differ", "apart", "AP: 3 of 3 pairs differ on these 3 collections", "means")
case("one-differs", "two", "AP: a is better than b on these 2 collections", "alike")
case("one-not-shown", "alike", "AP: no significant difference between a and b on these 2 collections", "two")
case("leader-changes", "turns", "a leads by the mean, but without c0 b leads.", "apart")
case("leader-stays", "apart", "a leads whichever collection is left out.", "turns")
case("orders", "turns", "The Borda count puts b first, not a.", "apart")
case(
    "few-collections", "apart",
    "3 collections are few to infer about others like them (2 degrees of freedom), so intervals are wide. Use at least 8.", "nine",
)  # fmt: skip
case(
    "means-only", "means",
    "score: only means are given, without topics. They support claims about collections like these, not about these "
    "collections.", "nine",
)  # fmt: skip
case(
    "few-seeds", "two seeds",
    "Some systems have two seeds. Where seed spread differs between systems, up to 13% of simulated families had a "
    "false positive at level 0.05. Train a third seed.", "three seeds",
)  # fmt: skip
case(
    "best-of-seeds", "best seed",
    "One run per collection, of different seeds: z (seeds 0, 1). If these are the best seeds, the means are too high. Report "
    "all seeds.", "three seeds",
)  # fmt: skip
case(
    "few-topics", "nine",
    "c0 has 10 topics. The error rates were measured with 25 or more per collection.", "apart",
)  # fmt: skip
case(
    "one-collection", "one",
    "c0 counts as one collection of 40 topics. If these are collections, give a table with a column `collection`.", "two",
)  # fmt: skip
case(
    "one-pair-like-these", "three of two",
    "One pair on collections like these: at level 0.05, 6 to 8% of draws of BEIR's collections had a false positive.", "apart",
)  # fmt: skip
case(
    "one-pair-recipe", "three seeds",
    "One pair of recipes: at level 0.05, up to 9% of simulations with very unequal seed spread had a false positive.",
    "two seeds",
)  # fmt: skip
case("dropped", "hole", "AP: dropped 1 of 3 systems, because some scores are missing: c.", "apart")
case(
    "twice", "twice",
    "AP: c0 and c1 have the same scores. If they are one collection, give it once: otherwise errors are too small.", "apart",
)  # fmt: skip
case(
    "means-hold", "means",
    "In simulations with BEIR's or similarly skewed collections, intervals of single means had coverage of 88% or more.", "apart",
)  # fmt: skip
case(
    "overlap", "part",
    "AP: c0 and part share 25 topics with the same scores. They count as independent, so errors are too small. Give each "
    "topic once.", "apart",
)  # fmt: skip
case("no-interaction", "twice", "The topics' error explains how much differences vary between collections.", "turns")


def share() -> Shown:
    """The share of interaction, computed anew: one collection's order is reversed."""
    data = scored([[0.9, 0.3], [0.3, 0.4], [0.3, 0.4]])
    table = np.array([m.values.mean(axis=0) for m in data.values()])
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    error = (rest**2).sum() / 2
    noise = np.mean([np.var(m.values[:, 0] - m.values[:, 1], ddof=1) / 2 / 40 for m in data.values()])
    share = f"{(error - noise) / error:.0%} of that variance is interaction, which more topics do not reduce."
    return said("turns"), f"A difference varies between collections: {share}"


CASES["across.interaction"] = (share, lambda: said("one"))


@cache
def designed(min_diff: float) -> str:
    """What a design says; two systems whose difference depends on the collection."""
    found = answer(cf.design_across(scored([[0.5, 0.3], [0.4, 0.4], [0.5, 0.4]]), min_diff=min_diff))
    return "\n".join([found.headline, found.sheet().title])


def cheapest() -> Shown:
    result = cf.design_across(scored([[0.5, 0.3], [0.4, 0.4], [0.5, 0.4]]), min_diff=0.1)
    rows = result.to_frame().filter((pl.col("claim") == "like_these") & pl.col("topics").is_not_null())
    row = rows.sort("topics_in_all").row(0, named=True)
    size = f"{row['collections']} collections of {row['topics']} topics"
    return designed(0.1), f"AP: {size} detect 0.1 on collections like these"


CASES["across.cheapest"] = (cheapest, lambda: designed(0.001))
CASES["across.impossible"] = (
    lambda: (designed(0.001), "AP: 30 collections are too few to detect 0.001 on collections like these"),
    lambda: designed(0.1),
)


@cache
def with_seeds(min_diff: float) -> str:
    """What a design says of recipes: two systems whose seeds lie .01 apart."""
    table = seeded(3).with_columns(value=pl.col("value") + 0.01 * pl.col("seed").cast(pl.Float64))
    found = answer(cf.design_across(table, min_diff=min_diff, seed_cost=20))
    return "\n".join([*found.sentences, *found.sheet().notes])


def fewest_costs() -> Shown:
    table = seeded(3).with_columns(value=pl.col("value") + 0.01 * pl.col("seed").cast(pl.Float64))
    rows = cf.design_across(table, min_diff=0.1, seed_cost=20).to_frame().drop_nulls("cost")
    row = min(rows.iter_rows(named=True), key=lambda row: row["topics_in_all"] + 2 * row["seeds"] * 20)
    text = f"Recipes: {row['seeds']} seeds per system and {row['topics']} topics per collection cost least"
    return with_seeds(0.1), f"{text} ({row['cost']:,.0f} topics' worth)."


CASES["across.seeds-against-topics"] = (fewest_costs, lambda: with_seeds(0.0001))
CASES["across.seeds-limit"] = (
    lambda: (with_seeds(0.05), "Recipes: no number of topics makes up for 2 seeds; 3 or more are needed."),
    lambda: with_seeds(0.2),
)
