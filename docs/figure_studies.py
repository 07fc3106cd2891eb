"""Figures of the pages on pilots, reliability, looks, replicates, the sample, the report and trec_eval."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from figure_sources import matrix, short, table
from figures import ROOT, SHARED, Texts, figures, stored

import cranfield as cf
from cranfield.core.errors import quietly
from cranfield.measures.aliases import TREC_MEASURES, TrecMeasure

COVID = SHARED / "runs" / "trec-covid-r5"
MONITORED = (
    "questions/monitor/boundaries.py",
    "questions/monitor/boundaries.py",
    "questions/monitor/monitor.py",
    "questions/monitor/planned.py",
)
RELIABLE = (
    "questions/reliability/components.py",
    "questions/reliability/components.py",
    "questions/reliability/reliability.py",
)
REPLICATED = tuple(f"questions/replicates/{name}.py" for name in ("bootstrap", "partitioned", "splits"))

# ── exact ─────────────────────────────────────────────────────────────────────────────────────────────────


@figures("exact")
def trec_eval_tables() -> Texts:
    """Flags, sets and measures as the program has them."""
    from cranfield.trec_eval.arguments import FLAGS, says
    from cranfield.trec_eval.measures import SETS

    takes = {"none": "", "cutoffs": "ranks", "points": "decimals", "numbers": "numbers", "gains": "level=gain"}
    flags = [(f"`{flag.written}`", f"`--{flag.long}`", flag.does) for flag in FLAGS]
    sets = [(f"`{name}`", ", ".join(members)) for name, members in SETS.items()]
    measures = [
        (
            f"`{one.name}`",
            takes[one.kind] + (f": `{one.parameters}`" if one.parameters else ""),
            f"`{_in_our_syntax(one)}`" if one.ours else "–",
            says(one),
        )
        for one in TREC_MEASURES.values()
    ]
    return {
        "trec-eval-flags": _markdown(("flag", "long name", "here"), flags),
        "trec-eval-sets": _markdown(("name", "stands for"), sets),
        "trec-eval-measures": _markdown(
            ("trec_eval", "parameters, and those meant without", "here, in `evaluate`", "is"), measures
        ),
    }


@figures("exact")
def list_of_measures() -> Texts:
    """Every built-in measure: how it is written with its defaults, whose it is, what it is, and where it comes from."""
    from cranfield.measures.aliases import other_names
    from cranfield.measures.registry import find, known_names

    rows = [
        (
            f"`{one.written}`",
            ", ".join(f"`{name}`" for name in other_names(one)),
            one.family,
            one.summary,
            one.citation,
        )
        for one in map(find, known_names())
        if one.is_ours
    ]
    head = ("measure, with its defaults", "other names", "as computed by", "is", "citation")
    return {"list-of-measures": _markdown(head, rows)}


def _in_our_syntax(measure: TrecMeasure) -> str:
    """How a measure of trec_eval is written for `evaluate`: AP@k, IPrec(recall=…), RBP(p=0.9)."""
    inside = [f"{name}={value}" for name, value in measure.fixed.items()]
    if measure.number not in (None, "cutoff"):
        inside.append(f"{measure.number}=…")
    return measure.ours + (f"({','.join(inside)})" if inside else "") + "@k" * (measure.number == "cutoff")


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@figures("exact")
def looks() -> Texts:
    """What five looks cost and save."""
    plans = [cf.design_looks(0.04, 0.07, spending=spending) for spending in ("obrien-fleming", "pocock")]  # type: ignore[arg-type]
    one = cf.design_ttest(0.04, 0.07).n_topics
    most, difference, none = (
        [round(getattr(plan, name)) for plan in plans]
        for name in ("topics_max", "expected_alternative", "expected_null")
    )
    return {
        "looks-cost": f"one look takes {one} topics. Five looks take at most {most[0]} (O'Brien–Fleming) or {most[1]} "
        f"(Pocock). They take {difference[0]} or {difference[1]} on average if the difference is there, {none[0]} or "
        f"{none[1]} if it is not"
    }


# ── from public matrices ──────────────────────────────────────────────────────────────────────────────────


@figures("shared")
def three_views() -> Texts:
    """Reliability and power of the same 50 topics."""
    scores = matrix("trec8-adhoc.AP")
    with quietly():
        row = cf.three_views(scores, n_topics=[50], min_diff=0.05).to_frame().row(0, named=True)
    pairs = scores.n_systems * (scores.n_systems - 1) // 2
    return {
        "three-views-trec8": f"50 topics rank TREC-8's {scores.n_systems} systems with Eρ² = {short(row['erho2'], 2)}. "
        f"They find a difference of .05 between two of them with probability {short(row['power'], 2)}, and "
        f"{short(row['power_all_pairs'])} as one of all {pairs:,} pairs"
    }


@figures("shared", slow=True)
def sample_and_tracks() -> Texts:
    """The sample beside real tracks; its rows are computed again in tests/collection/test_sample_calibration.py."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.append(str(ROOT / "tests"))
    from known_scores import average_precisions, describe, table_row

    tracks = {
        "TREC-3 ad hoc": "trec3-adhoc", "TREC-8 ad hoc": "trec8-adhoc", "Robust 2003, new topics": "robust2003-new",
        "Robust 2004, new topics": "robust2004-new", "Terabyte 2006": "terabyte2006", "Web 2012 ad hoc": "web2012-adhoc",
    }  # fmt: skip
    rows = [table_row(name, matrix(f"{file}.AP").values) for name, file in tracks.items()]
    for seed in range(1, 6):
        sample = cf.make_sample(seed=seed)
        rows.append(table_row(f"sample, seed {seed}", average_precisions(sample.qrels, sample.runs)))
    first = cf.make_sample(seed=1)
    rows.append(table_row("seed 1, further topics", first.true_scores(400).values))
    names = [
        "collection",
        *(f">{name}" if name != "mean" else ">mean AP" for name in describe(first.true_scores(2).values)),
    ]
    return {"sample-and-tracks": table(" | ".join(names), rows)}


# ── measured ──────────────────────────────────────────────────────────────────────────────────────────────


@figures(
    "measured",
    command="python docs/pilots_study.py ../shared/data/matrices",
    sources=("questions/variance/estimate.py", "questions/design/anova.py", "scores/synthetic.py"),
)
def pilots() -> Texts:
    """Designs from small pilots."""
    import pilots_study as study

    return {"pilots-table": "\n".join(study.lines(SHARED / "matrices"))}


@figures("measured", command="python docs/reliability_study.py", sources=RELIABLE)
def reliability_intervals() -> Texts:
    """Coverage of the intervals of reliability."""
    import reliability_study as study

    with quietly():
        return {"reliability-coverage": "\n".join(study.coverage(2000))}


@figures("measured", command="python docs/reliability_study.py", sources=("questions/reliability/tau.py",))
def expected_taus() -> Texts:
    """Expected τ beside that of disjoint sets of topics."""
    import reliability_study as study

    with quietly():
        return {"expected-tau": "\n".join(study.taus(matrix("terabyte2006.AP")))}


@figures("measured", command="python docs/reliability_study.py", sources=MONITORED)
def levels_of_looks() -> Texts:
    """How often a true null is rejected at some look."""
    import reliability_study as study

    with quietly():
        return {
            "levels-of-looks": "\n".join(study.levels(20_000)),
            "levels-of-families": study.families(1000),
            "levels-of-sequences": study.sequences(4000),
        }


def replicated(**how: Any) -> cf.Replicates:
    """The TREC-COVID runs by AP and P@10."""
    with quietly():
        return cf.replicate(COVID / "qrels.txt", COVID / "runs", ["AP", "P@10"], **how)


def counted(pairs: int, of: int = 780) -> str:
    """A number of pairs and its share."""
    return f"{pairs} ({pairs / of:.1%})"


@figures("measured", command="cranfield replicates qrels.txt runs/ -m AP -m P@10 --show agreement", sources=REPLICATED)
def replicates_agreement() -> Texts:
    """How often the splits agree on a pair."""
    columns = {}
    for published in (False, True):
        frame = replicated(published=published).agreement
        for measure in ("AP", "P@10"):
            here = frame.filter(pl.col("measure") == measure)
            columns[measure, published] = dict(zip(here["agreement"], here["pairs"], strict=True))
    order = [(measure, published) for measure in ("AP", "P@10") for published in (False, True)]
    names = [f"{11 - k}:{k}" for k in range(6)]
    rows = [[name, *(counted(columns[one].get(name, 0)) for one in order)] for name in names]
    rows.append(["any disagreement", *(counted(780 - columns[one].get("11:0", 0)) for one in order)])
    header = " | >AP, default | >AP, published | >P@10, default | >P@10, published"
    return {"replicates-agreement": table(header, rows)}


@figures("measured", command="cranfield replicates qrels.txt runs/ -m AP -m P@10 --show comparison", sources=REPLICATED)
def replicates_comparison() -> Texts:
    """Pairs that rules and tests separate on TREC-COVID."""
    from dataclasses import replace

    from cranfield.questions.replicates.other_tests import comparison_table
    from cranfield.questions.replicates.splits import MeasureReplicates

    wanted: dict[str, tuple[dict[str, Any], str, str]] = {  # how, and which row of the comparison
        "paired t, uncorrected": ({}, "paired t", "none"),
        "randomisation, uncorrected": ({}, "randomisation", "none"),
        "randomisation, BH": ({}, "randomisation", "bh"),
        "published, 3 partitions, split 1": ({"published": True, "n_partitions": 3}, "split 1", "bh"),
        "published, 2 partitions, split 1": ({"published": True}, "split 1", "bh"),
        "published, 2 partitions, unanimous over 11 splits": ({"published": True}, "unanimous", "bh"),
        "default, 2 partitions, split 1": ({}, "split 1", "bh"),
        "default, 2 partitions, unanimous": ({}, "unanimous", "bh"),
        "default, 2 partitions, majority": ({}, "majority", "bh"),
        "default, 2 partitions, twice the median": ({}, "twice-median", "bh"),
        "default, 2 partitions, Cauchy": ({"merge": "cauchy"}, "cauchy", "bh"),
    }
    made = {
        (published, x): replicated(published=published, n_partitions=x).by_measure
        for published, x in ((False, 2), (True, 2), (True, 3))
    }
    tables: dict[tuple[Any, ...], pl.DataFrame] = {}
    for (published, x), by_measure in made.items():
        for alpha, merge in ((0.05, "twice-median"), (0.01, "twice-median"), (0.05, "cauchy"), (0.01, "cauchy")):
            for measure, one in by_measure.items():
                ruled = MeasureReplicates(one.data, one.effects, one.how, replace(one.rule, alpha=alpha, merge=merge))
                tables[published, x, alpha, merge, measure] = comparison_table(ruled)
    rows = []
    for name, (how, test, correction) in wanted.items():
        cells = []
        for measure in ("AP", "P@10"):
            for alpha in (0.05, 0.01):
                key = (how.get("published", False), how.get("n_partitions", 2), alpha, how.get("merge", "twice-median"))
                found = tables[*key, measure]
                row = found.filter((pl.col("test") == test) & (pl.col("correction") == correction))
                cells.append(counted(row["different"][0]))
        rows.append([name, *cells])
    conflicts = sum(int(one["conflicts"].sum()) for one in tables.values())
    header = " | >AP α = .05 | >AP α = .01 | >P@10 α = .05 | >P@10 α = .01"
    return {"replicates-comparison": table(header, rows), "replicates-conflicts": str(conflicts)}


def bracketed(row: dict[str, Any], name: str) -> str:
    """A rate with its extremes."""
    return f"{short(row[name])} [{short(row[f'{name}_min'])}, {short(row[f'{name}_max'])}]"


@figures("measured", command="python docs/figures.py --measure replicates-calibration", sources=(
    *REPLICATED, "../../docs/replicates_study.py"))  # fmt: skip
def replicates_calibration() -> Texts:
    """Coverage and type I error of every combination."""
    from replicates_study import calibrate

    rows = []
    for scenario in ("iid", "trec-like"):
        for x in (2, 3):
            found = list(calibrate(scenario, n_partitions=x, n_datasets=1500).iter_rows(named=True))  # type: ignore[arg-type]
            for at, row in enumerate(found):
                said = {0: " (default)", len(found) - 1: " (published)"}.get(at, "")
                rows.append([
                    scenario, str(x), row["residuals"], row["resample"], row["p"] + said, bracketed(row, "coverage"),
                    bracketed(row, "type_1"),
                ])  # fmt: skip
    return {"replicates-calibration": table("errors | >x | residuals | resample | p | >coverage | >type I error", rows)}


@figures("measured", command="python docs/figures.py --measure replicates-lengths", sources=REPLICATED)
def replicates_lengths() -> Texts:
    """Mean length of the intervals on TREC-COVID."""
    from dataclasses import replace

    from cranfield.questions.replicates.splits import analyse_splits

    ways: dict[str, dict[str, Any]] = {
        "no interaction, raw, cells": {"interaction": False, "residuals": "raw", "resample": "cells"},
        "interaction, raw, cells (published)": {"residuals": "raw", "resample": "cells"},
        "interaction, rescaled, cells": {"resample": "cells"},
        "interaction, rescaled, rows (default)": {},
    }
    cells: dict[tuple[str, str], list[str]] = {(measure, way): [] for measure in ("AP", "P@10") for way in ways}
    texts = {}
    for x in (2, 3, 5):
        for measure, one in replicated(n_partitions=x).by_measure.items():
            if (measure, x) == ("AP", 2):
                texts["replicates-topic-19"] = _parts_of_a_topic(one, "19")
            for way, how in ways.items():
                effects = analyse_splits(one.data.splits, replace(one.how, **how), one.rule.alpha)
                length = np.array([split.lengths.mean() for split in effects])
                if (measure, x, way) == ("AP", 2, "interaction, rescaled, cells"):
                    texts["replicates-median-length"] = short(float(np.median(length)), 4)
                spread = f"[{short(length.min())}, {short(length.max())}]"
                cells[measure, way].append(f"{short(length.mean(), 4)} {spread}")
    rows = [[measure, way, *lengths] for (measure, way), lengths in cells.items()]
    header = "measure | model, residuals, resampling | >x = 2 | >x = 3 | >x = 5"
    return texts | {"replicates-lengths": table(header, rows)}


def _parts_of_a_topic(one: Any, topic: str) -> str:
    """The smallest and largest share of the residual sum of squares that a topic makes in a split."""
    from cranfield.questions.replicates.bootstrap import fit

    parts = []
    for split in one.data.splits:
        squares = (fit(split.scores).residuals ** 2).sum(axis=1)
        its = np.array([split.topics[at] == topic for at in split.scores.topic])
        if its.any():
            parts.append(squares[its].sum() / squares.sum())
    return f"{min(parts):.0%} to {max(parts):.0%}"


@figures(
    "measured",
    command="python docs/figures.py --measure replicates-teams",
    sources=(*REPLICATED, "questions/replicates/other_tests.py"),
)
def replicates_teams() -> Texts:
    """Decisions within one team's runs against all runs."""
    import re

    columns, lengths = [], pl.DataFrame()
    for published in (False, True):
        for x in (2, 3):
            with quietly():
                found = cf.replicate(COVID / "qrels.txt", COVID / "runs", "AP", n_partitions=x, published=published)
                by_name = {name: re.match("[A-Za-z]+", name).group() for name in found.systems}  # type: ignore[union-attr]
                teams = found.teams(by_name)["AP"]
            columns.append({row[1:4]: row[4] for row in teams.triples.rows()})
            if x == 3 and not published:
                lengths = teams.lengths
    kinds = [kind for kind in columns[0] if any(column[kind] for column in columns)]
    rows = [[*kind, *(str(column.get(kind, 0)) for column in columns)] for kind in kinds]
    header = (
        "across | within | randomisation | >x = 2, default | >x = 3, default | >x = 2, published | >x = 3, published"
    )
    (_, _, *across), (_, _, *within) = lengths.rows()
    return {
        "replicates-teams": table(header, rows),
        "replicates-team-lengths": f"across {short(across[0], 4)} without and {short(across[1], 4)} with interaction; within "
        f"{short(within[0], 4)} and {short(within[1], 4)}",
    }


# ── beside the advice ─────────────────────────────────────────────────────────────────────────────────────


def powers(name: str) -> list[tuple[str, str, float]]:
    """Population, past topics and real power of every row of a stored table of the study of advice."""
    rows = [line.strip("|").split("|") for line in stored()[name]["text"].splitlines()[2:]]
    return [(row[0].strip(), row[1].strip(), float(row[4])) for row in rows]


@figures("exact")
def verdicts_on_advice() -> Texts:
    """Which rows of the two tables lie outside .78 to .85."""
    texts = {}
    for table_name, name in (("advice-table", "advice-verdict"), ("advice-held-out", "held-out-verdict")):
        rows = powers(table_name)
        off = [f"{who} from {past} topics, {short(power)}" for who, past, power in rows if not 0.78 <= power <= 0.85]
        inside = f"{len(rows) - len(off)} of {len(rows)} rows lie between .78 and .85"
        texts[name] = f"{inside}; outside: {'; '.join(off)}" if off else inside
    return texts


@figures(
    "measured",
    command="python docs/figures.py --measure powers-again",
    sources=("questions/design/power.py",),
)
def powers_again() -> Texts:
    """The rows outside .78 to .85 with other and more draws: which of them are chance?"""
    import advice_study as study

    from cranfield.questions.design.power import simulate_power

    real = study.populations() | study.untouched()
    found = []
    for name in ("advice-table", "advice-held-out"):
        for line in stored()[name]["text"].splitlines()[2:]:
            who, past, difference, advised, power, *_ = (cell.strip() for cell in line.strip("|").split("|"))
            if not 0.78 <= float(power) <= 0.85:
                topics = int(advised.split()[0])
                again = simulate_power(
                    real[who], topics, float(difference), n_systems=study.COMPARED, trials=12_000, seed=2
                )
                found.append(f"{who} from {past} topics {short(again.power)}")
    return {"powers-again": "; ".join(found)}


@figures("shared")
def few_topics_hold_much() -> Texts:
    """How much of the residual sum of squares a tenth of the topics hold."""
    shares = {year: share_of_a_tenth(matrix(f"trec{year}-adhoc.AP").values) for year in (5, 6, 7)}
    return {"tenth-of-topics": ", ".join(f"TREC-{year} AP {share:.0%}" for year, share in shares.items())}


def share_of_a_tenth(x: Any) -> float:
    """Of the residual sum of squares, what the tenth of the topics that hold most hold."""
    residual = ((x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()) ** 2).sum(axis=1)
    return float(np.sort(residual)[-len(x) // 10 :].sum() / residual.sum())


@figures("measured", command="python docs/figures.py --measure f-tests", sources=(
    "questions/design/anova.py", "questions/variance/sphericity.py"))  # fmt: skip
def f_tests() -> Texts:
    """The blocked F-test at its designed size, and at that of ε times λ."""
    from scipy import stats

    from cranfield.questions.variance.sphericity import unbiased_epsilon

    k, min_diff, trials = 20, 0.1, 1500
    rows, found = [], []
    names = {"Terabyte 2006 AP": "terabyte2006.AP", "Robust 2004 AP": "robust2004-new.AP", "TREC-8 AP": "trec8-adhoc.AP",
             "TREC-6 AP": "trec6-adhoc.AP"}  # fmt: skip
    for at, (title, name) in enumerate(names.items()):
        scores = matrix(name)
        with quietly():
            estimate = cf.estimate_variance(scores, "residual")
            design = cf.design_anova(estimate, k, min_diff, epsilon="past")
        epsilon = float(design.rows["epsilon"][0])

        def promised(n: int, e: float = epsilon, v: float = estimate.variance) -> float:
            df = (e * (k - 1), e * (k - 1) * (n - 1))
            return float(stats.ncf.sf(stats.f.isf(0.05, *df), *df, e * n * min_diff**2 / (2 * v)))

        more = next(n for n in range(design.n_topics, 1000) if promised(n) >= 0.8)
        centred = scores.values - scores.values.mean(axis=0)
        cells = [title]
        for n in (design.n_topics, more):
            rng, hits = np.random.default_rng([at, n]), 0
            for _ in range(trials):
                x = centred[rng.integers(len(centred), size=n)][:, rng.choice(scores.n_systems, k, replace=False)]
                x[:, 0] += min_diff / 2
                x[:, 1] -= min_diff / 2
                residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
                f = n * x.mean(axis=0).var(ddof=1) / (np.square(residual).sum() / ((k - 1) * (n - 1)))
                e = unbiased_epsilon(np.cov(x.T), n)
                hits += stats.f.sf(f, e * (k - 1), e * (k - 1) * (n - 1)) <= 0.05
            cells += [str(n), short(hits / trials)]
        rows.append(cells)
        found.append((float(cells[2]), float(cells[4])))
    low, high = zip(*found, strict=True)
    header = "population | >topics designed | >real power | >topics by ε times λ | >real power"
    return {
        "f-tests": table(header, rows),
        "f-tests-designed": f"{short(min(low), 2)} to {short(max(low), 2)}",
        "f-tests-more": f"{short(min(high), 2)} to {short(max(high), 2)}",
    }


@figures(
    "measured",
    command="python docs/figures.py --measure one-way-on-shared-topics",
    sources=("questions/design/anova.py",),
)
def one_way_on_shared_topics() -> Texts:
    """The papers' design and test, on systems that share topics."""
    from scipy import stats

    with quietly():
        x = cf.variances({name: matrix(name) for name in ("robust2003-new.AP", "robust2004-new.AP")})
    by_name = {one.estimator: one.variance for one in x if one.collection == "pooled"}
    within, residual = by_name["within"], by_name["residual"]
    rng, trials, said = np.random.default_rng(1), 2000, []
    for m in (2, 5, 10, 20):
        n = cf.design_anova(within, m, 0.1, blocked=False).n_topics
        hits = 0
        for _ in range(trials):
            y = rng.normal(0, np.sqrt(within - residual), (n, 1)) + rng.normal(0, np.sqrt(residual), (n, m))
            y[:, 0] += 0.05
            y[:, 1] -= 0.05
            between = n * y.mean(axis=0).var(ddof=1)
            hits += stats.f.sf(between / y.var(axis=0, ddof=1).mean(), m - 1, m * (n - 1)) <= 0.05
        said.append(short(hits / trials, 2))
    return {"one-way-on-shared": f"{', '.join(said[:-1])} and {said[-1]} for 2, 5, 10 and 20 systems"}


# ── beside the tests ──────────────────────────────────────────────────────────────────────────────────────


@figures("measured", command="python docs/figures.py --measure equal-means", sources=(
    "questions/compare/flips.py", "questions/compare/classical.py", "questions/compare/family.py"))  # fmt: skip
def equal_means() -> Texts:
    """Equal means, skewed differences: how often they are called different."""
    from cranfield.questions.compare.classical import wilcoxon
    from cranfield.questions.compare.family import GridScores, Pairs
    from cranfield.questions.compare.flips import saddlepoint

    rng, trials, rates = np.random.default_rng(1), 4000, []
    for n in (25, 50):
        d = rng.exponential(size=(n, trials)) - 1
        scores = GridScores.of(np.hstack([d, np.zeros((n, 1))]))
        pairs = Pairs(np.arange(trials), np.full(trials, trials))
        rates += [float((test(scores, pairs, "two-sided") <= 0.05).mean()) for test in (saddlepoint, wilcoxon)]
    flips, ranks = rates[::2], rates[1::2]
    return {
        "equal-means": f"the randomisation test rejected in {short(flips[0])} and {short(flips[1])} of the trials at .05 with "
        f"25 and 50 topics. Wilcoxon then tests something else, and rejected in {short(ranks[0])} and {short(ranks[1])}"
    }


@figures("measured", command="python docs/figures.py --measure rank-intervals", sources=(
    "questions/compare/max_t.py",))  # fmt: skip
def rank_intervals() -> Texts:
    """Coverage and width of rank intervals: 40 systems, the ten best .005 apart."""
    from cranfield.questions.compare.bootstrap import rank_intervals as percentiles
    from cranfield.questions.compare.family import GridScores
    from cranfield.questions.compare.max_t import rank_intervals_by_max_t
    from cranfield.questions.compare.resampled import Resampling

    truth = np.concatenate([0.40 - 0.005 * np.arange(10), 0.34 - 0.006 * np.arange(30)])
    how, trials, rows = Resampling(n_resamples=400, workers=1), 150, []
    places = np.arange(1, 41)
    for name in ("percentiles of resampled topics", "by the largest of its own differences"):
        row = [name]
        for topics in (25, 50):
            rng, held, wide = np.random.default_rng(3), np.zeros(40), 0.0
            for _ in range(trials):
                x = GridScores.of(truth + rng.normal(0, 0.18, (topics, 1)) + rng.normal(0, 0.1, (topics, 40)))
                if name.startswith("percentiles"):
                    lower, upper, _ = percentiles(x, 0.05, how)
                else:
                    lower, upper, _ = rank_intervals_by_max_t(x, how, 0.05)
                held += (lower <= places) & (places <= upper)
                wide += float((upper - lower).mean())
            row += [short(held[0] / trials, 2), short(held.mean() / trials, 2), f"{wide / trials:.0f}"]
        rows.append(row)
    header = "interval | >25 topics: the best | >all | >ranks wide | >50 topics: the best | >all | >ranks wide"
    return {"rank-intervals": table(header, rows)}


# ── rankings and tuning ───────────────────────────────────────────────────────────────────────────────────


@figures("measured", command="python docs/figures.py --measure coverage-of-tau", sources=(
    "scores/tau_interval.py", "scores/rank_coefficients.py"))  # fmt: skip
def coverage_of_tau() -> Texts:
    """How often the interval of τ holds the τ of a population of topics, and how often percentiles do."""
    from cranfield.core.resampling import blocks
    from cranfield.scores.rank_coefficients import rank_correlations
    from cranfield.scores.tau_interval import RankedScores, TopicNoise, hull, resample

    draws, rows, sides = 300, [], {}
    for year in (5, 7):
        name = f"trec{year}-adhoc"
        sides[f"TREC-{year}, AP against P@10"] = (matrix(f"{name}.AP").values, matrix(f"{name}.P@10").values)
    sides["Web 2012, P@20 against ERR@20"] = (
        matrix("web2012-adhoc.P@20").values,
        matrix("web2012-adhoc.ERR@20").values,
    )
    with quietly():
        raw = matrix("terabyte2006.AP")
        sides["Terabyte 2006 AP, raw against std-AB"] = (
            raw.values, cf.fit_standardisation(raw).apply(raw).scores.only().values,
        )  # fmt: skip
    for at, (name, population) in enumerate(sides.items()):
        n_topics, every = population[0].shape
        for m in (10, 25, every):
            row = [name, str(m)]
            for n in (25, 50):
                rng, hits = np.random.default_rng([at, m, n]), np.zeros(2)
                for draw in range(draws):
                    systems, topics = rng.choice(every, m, replace=False), rng.integers(n_topics, size=n)
                    x, y = (side[:, systems] for side in population)
                    truth = rank_correlations(*(side.mean(axis=0).round(12)[None] for side in (x, y)))["tau"][0]
                    a, b = RankedScores.of(x[topics]), RankedScores.of(y[topics])
                    totals, noise = (a.totals[None], b.totals[None]), TopicNoise.of(a.grid, b.grid, shared=True)
                    tau = float(rank_correlations(*totals, (a.tolerance, b.tolerance))["tau"][0])
                    drawn, factors = resample(a, b, noise, True, draw, 1024, blocks(500)[0])
                    found = hull(tau, float(noise.factors(totals)[0]), drawn["tau"], factors, n, 0.05)
                    ends = np.quantile(drawn["tau"], [0.025, 0.975])
                    hits += [(found.lower or -1) - 1e-9 <= truth <= (found.upper or 1) + 1e-9,
                             ends[0] - 1e-9 <= truth <= ends[1] + 1e-9]  # fmt: skip
                row += [short(hits[0] / draws, 2), short(hits[1] / draws, 2)]
            rows.append(row)
    header = "population | >systems | >25 topics | >percentiles | >50 topics | >percentiles"
    return {"coverage-of-tau": table(header, rows)}


@figures(
    "measured", command="python docs/figures.py --measure trust-in-the-warning", sources=("questions/tune/tune.py",)
)
def trust_in_the_warning() -> Texts:
    """How often `tune` warns, and how often tests on held-out scores of equal families reject."""
    from scipy import stats

    trials, rows = 150, []
    for rho in (0.0, 0.5, 0.7, 0.8, 0.9):
        warned, rejected = [], {"folds": [], "leave_one_out": []}  # type: ignore[var-annotated]
        for m, n in ((10, 30), (20, 100)):
            rng = np.random.default_rng([m, int(10 * rho)])
            counts = dict.fromkeys(rejected, 0)
            told = 0
            for _ in range(trials):
                own, shared = rng.standard_t(4, (n, m)), rng.standard_t(4, (n, 1))
                x = 0.5 + 0.1 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own)
                y = 0.5 + 0.1 * rng.standard_t(4, (n, 1))
                topics = [f"t{i:03}" for i in range(n)]
                families = {
                    "x": cf.ScoreMatrix(x, topics, [f"x(a={j})" for j in range(m)], "AP"),
                    "y": cf.ScoreMatrix(np.hstack([y, y - 0.3]), topics, ["y(a=1)", "y(a=2)"], "AP"),
                }
                for way, setting in (("folds", 10), ("leave_one_out", True)):
                    with quietly():
                        found = cf.tune(families, **{way: setting})  # type: ignore[arg-type]
                    held = found.held_out.values
                    counts[way] += stats.ttest_rel(held[:, 0], held[:, 1]).pvalue <= 0.05
                    told += way == "folds" and any("score quite differently" in text for text in found.warnings)
            warned.append(told / trials)
            for way, count in counts.items():
                rejected[way].append(short(count / trials, 2))
        rows.append([
            short(rho, 1) if rho else "0", f"{min(warned):.0%} – {max(warned):.0%}",
            *(" and ".join(both) for both in rejected.values()),
        ])  # fmt: skip
    return {"trust-in-the-warning": table(">ρ | >warned | >10-fold rejects | >leave-one-out rejects", rows)}
