"""Teams left out in turn: pools made by hand, the same by `evaluate` on smaller judgments, and bad input."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    FileError,
    Qrels,
    Run,
    ScoreMatrix,
    UnknownNameError,
    correlate,
    evaluate,
    make_sample,
)
from cranfield.core.errors import quietly
from cranfield.questions.reuse.reuse import Reuse, reuse
from small_collections import qrels_of, run_of

# Two topics with the same documents. At depth 3 the pool is a, b (both teams), c (only red's r2) and d (only blue's).
TOPICS = ("1", "2")
LISTS = {"r1": "abx", "r2": "cab", "b1": "bda"}
TEAMS = {"r1": "red", "r2": "red", "b1": "blue"}
LEVELS = {"a": 1, "b": 0, "c": 1, "d": 0}


def small_qrels(topics: tuple[str, ...] = TOPICS) -> Qrels:
    return qrels_of((topic, "0", document, level) for topic in topics for document, level in LEVELS.items())


def small_runs() -> list[Run]:
    return [
        run_of([(topic, document, -place) for topic in TOPICS for place, document in enumerate(documents)], system)
        for system, documents in LISTS.items()
    ]


def small(**changes: object) -> Reuse:
    arguments: dict[str, object] = {"qrels": small_qrels(), "runs": small_runs(), "teams": TEAMS}
    arguments |= {"measures": ["AP", "P@2"], "depths": 3, "cutoff": 2, "p": 0.5, "n_resamples": 50}
    with warnings.catch_warnings():  # so few systems tie by some views
        warnings.simplefilter("ignore", CranfieldWarning)
        return reuse(**(arguments | changes))  # type: ignore[arg-type]


def test_a_pool_by_hand() -> None:
    rows = {(row["measure"], row["view"], row["team"]): row for row in small().to_frame().iter_rows(named=True)}
    red, blue = rows["AP", "full list", "red"], rows["AP", "full list", "blue"]
    # c came in by red alone, in both topics, and is relevant; d by blue alone, and is not.
    assert (red["runs"], red["unique_judged"], red["unique_relevant"]) == (2, 2, 2)
    assert (blue["runs"], blue["unique_judged"], blue["unique_relevant"]) == (1, 2, 0)
    # AP with all: r1 = 1/2, r2 = 1, b1 = (1/3)/2; without c: r1 = 1, r2 = 1/2, b1 = 1/3.
    assert red["rank_drop"] == 1
    assert red["score_change"] == pytest.approx(-0.5)
    assert red["tau"] == pytest.approx(1 / 3)
    assert red["pairs"] == 2
    assert (blue["rank_drop"], blue["score_change"], blue["tau"], blue["flips"]) == (0, 0, 1, 0)
    # P@2 with all: 1/2, 1, 0; without c: 1/2, 1/2, 0.
    assert rows["P@2", "full list", "red"]["score_change"] == pytest.approx(-0.5)
    # Condensed lists without c: r2 becomes a b, so AP 1, as r1; with c both documents come first: AP 1.
    assert rows["AP", "condensed list", "red"]["score_change"] == 0
    assert ("Bpref", "full list", "red") in rows
    assert ("nDCG", "condensed list", "blue") in rows


def test_judged_share_and_residual_by_hand() -> None:
    systems = {row["system"]: row for row in small().systems_frame().iter_rows(named=True)}
    # r1 = a b x: everything judged but rank 3 and what would follow: 1 − (1/2 + 1/4).
    assert systems["r1"]["residual"] == pytest.approx(0.25)
    # r2 = c a b: all judged, tail p³; without c rank 1 adds 1/2.
    assert systems["r2"]["residual"] == pytest.approx(0.5**3)
    assert systems["r2"]["residual_without"] == pytest.approx(0.5**3 + 0.5)
    assert (systems["r2"]["judged"], systems["r2"]["judged_without"]) == (1, 0.5)
    assert (systems["b1"]["judged"], systems["b1"]["judged_without"]) == (1, 0.5)


def test_depth_makes_the_pool() -> None:
    """At depth 1 b is blue's own; at depth 3 every run has a and b, and only c and d are a team's own."""
    found = small(depths=[1, 2, 3], leave_out="blue", measures="AP").to_frame().filter(pl.col("view") == "full list")
    by_depth = found.filter(pl.col("measure") == "AP").select("depth", "unique_judged").rows()
    assert by_depth == [(1, 2), (2, 2), (3, 2)]
    red = small(depths=[1], leave_out="red", measures="AP").to_frame().row(0, named=True)
    assert (red["unique_judged"], red["unique_relevant"]) == (4, 4)  # a by r1 and c by r2


SAMPLE = make_sample(12, 8, n_documents=400, depth=15, length=60)
SAMPLE_TEAMS = dict(SAMPLE.truth.select("system", "team").iter_rows())


def without(team: str, depth: int) -> tuple[Qrels, Qrels]:
    """The pool and the pool without a team, made by sets of documents."""
    tops: dict[str, set[tuple[str, str]]] = {}
    for run in SAMPLE.runs:
        ranked = run.frame.sort(["topic", "score", "document"], descending=[False, True, True])
        top = ranked.group_by("topic", maintain_order=True).head(depth).select("topic", "document")
        tops.setdefault(SAMPLE_TEAMS[run.system], set()).update(top.rows())
    frame = SAMPLE.qrels.frame
    pairs = frame.select("topic", "document").rows()
    pool = set().union(*tops.values())
    rest = set().union(*(documents for name, documents in tops.items() if name != team))
    made = [Qrels(frame.filter(pl.Series([pair in kept for pair in pairs]))) for kept in (pool, rest)]
    return made[0], made[1]


def condensed_runs(qrels: Qrels) -> list[Run]:
    judged = qrels.frame.select("topic", "document")
    return [Run(run.frame.join(judged, on=["topic", "document"], how="semi"), run.system) for run in SAMPLE.runs]


def scores(qrels: Qrels, runs: object, measure: str) -> ScoreMatrix:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(qrels, runs, measure).only().canonical()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measure", "view"),
    [("AP", "full list"), ("nDCG@10", "full list"), ("Bpref", "full list"), ("nDCG", "condensed list")],
)
def test_the_same_by_evaluate(measure: str, view: str) -> None:
    depth = 5
    found = reuse(SAMPLE.qrels, SAMPLE.runs, SAMPLE_TEAMS, measures=["AP", "nDCG@10"], depths=depth, n_resamples=40)
    for row in found.to_frame().filter((pl.col("measure") == measure) & (pl.col("view") == view)).to_dicts():
        pool, rest = without(row["team"], depth)
        assert row["unique_judged"] == len(pool) - len(rest)
        relevant = [int((qrels.frame["relevance"] > 0).sum()) for qrels in (pool, rest)]
        assert row["unique_relevant"] == relevant[0] - relevant[1]
        assert rest.topics == pool.topics
        runs = [condensed_runs(q) if view == "condensed list" else list(SAMPLE.runs) for q in (pool, rest)]
        x, y = scores(pool, runs[0], measure), scores(rest, runs[1], measure)
        own = [j for j, system in enumerate(x.systems) if SAMPLE_TEAMS[system] == row["team"]]
        change = (y.system_means - x.system_means)[own]
        assert row["score_change"] == pytest.approx(change.min(), abs=1e-9)
        ranks = [stats.rankdata(-m.system_means.round(9), method="min") for m in (x, y)]
        assert row["rank_drop"] == (ranks[1] - ranks[0])[own].max()
        expected = correlate(x, y, n_resamples=40)
        assert row["tau"] == pytest.approx(expected.values["tau_b"])
        assert (row["lower"], row["upper"]) == pytest.approx(expected.intervals["tau_b"] or (None, None))
        assert row["flips"] == flips(x.values, y.values, own)


def flips(x: np.ndarray, y: np.ndarray, own: list[int]) -> int:
    """Paired t-tests by scipy, Holm written out."""
    others = [j for j in range(x.shape[1]) if j not in own]
    decided = []
    for values in (x, y):
        tests = [stats.ttest_rel(values[:, a], values[:, b]) for a in own for b in others]
        p = np.asarray([test.pvalue for test in tests])
        order = np.argsort(p)
        reject = np.zeros(len(p), dtype=bool)
        for step, at in enumerate(order):
            if p[at] > 0.05 / (len(p) - step):
                break
            reject[at] = True
        decided.append(np.where(reject, np.sign([test.statistic for test in tests]), 0))
    return int((decided[0] != decided[1]).sum())


def test_order_does_not_matter_and_the_result_says_what_it_did() -> None:
    found = small(n_resamples=20)
    again = small(n_resamples=20, runs=small_runs()[::-1], teams=dict(reversed(TEAMS.items())))
    assert found.to_frame().equals(again.to_frame())
    assert found.to_frame().columns == [
        "measure", "view", "depth", "pool_judged", "team", "runs", "unique_judged", "unique_relevant", "rank_drop", "score_change",
        "tau", "lower", "upper", "pairs", "flips",
    ]  # fmt: skip
    assert found.summary() == "Reusability is unknown: only 80% of the pool of depth 3 is judged."
    assert found.worst().filter(pl.col("measure") == "AP")["team"].to_list()[1] == "red"
    assert found.settings["test"].startswith("paired t, Holm")
    assert found.signature.startswith("reusability, teams left out in turn; judgments qrels")
    assert found.to_dict()["systems"][0]["system"] == "b1"
    assert found.sound_depth is None


JUDGED = LISTS | {"r1": "ab"}
"""The same lists without the unjudged document: the pool of depth 3 is judged."""


def runs_of(lists: dict[str, str]) -> list[Run]:
    return [run_of([(t, d, -at) for t in TOPICS for at, d in enumerate(lists[name])], name) for name in lists]


def test_the_headline_is_of_the_deepest_pool_that_is_judged() -> None:
    """Without x everything is judged; a fourth document that nobody judged makes depth 4 count no more."""
    found = small(runs=runs_of(JUDGED))
    assert found.summary().startswith(
        "Without their team's judgments, runs lose at most 1 rank (AP, depth 3, team red)."
    )
    assert "no run loses a rank" in small(runs=runs_of(JUDGED), leave_out="blue").summary()
    deep = small(runs=runs_of(JUDGED | {"b1": "bdaxyz"}), depths=[3, 6])
    assert (deep.sound_depth, round(deep.shares[6], 3)) == (3, round(4 / 7, 3))
    assert "(AP, depth 3, team red)" in deep.summary()
    assert deep.to_frame().filter(pl.col("pool_judged") < 0.9)["depth"].unique().to_list() == [6]
    said = deep.answer().sentences
    assert "Losses at depth 6 are underestimated, because less than 90% of these pools is judged." in said
    assert not any("underestimated" in text for text in found.answer().sentences)


def test_only_contributing_runs_build_the_pool() -> None:
    """r2 alone brought c: if it did not contribute, c is outside the pool, and red has nothing of its own."""
    found = small(runs=runs_of(JUDGED), contributing=["r1", "b1"], measures="AP")
    rows = found.to_frame().filter((pl.col("measure") == "AP") & (pl.col("view") == "full list"))
    assert {row["team"]: row["unique_judged"] for row in rows.to_dicts()} == {"blue": 2, "red": 0}
    assert (found.pools[3], found.n_judged, found.settings["n_pooled"]) == (6, 8, 2)
    assert found.settings["contributing"] == "2 runs"
    # All runs are scored by that pool, also r2: AP of c a b without c is 1/2.
    assert rows.filter(pl.col("team") == "red")["score_change"].to_list() == [0]
    without_red = small(runs=runs_of(JUDGED), contributing=["b1"], measures="AP").to_frame()
    assert without_red["team"].unique().to_list() == ["blue"]


def test_the_same_as_a_collection_of_contributing_runs() -> None:
    """Unique documents with contributing runs are those of a collection that has no other runs."""
    chosen = [run for at, run in enumerate(SAMPLE.runs) if at % 3]
    names = [run.system for run in chosen]
    found = reuse(SAMPLE.qrels, SAMPLE.runs, SAMPLE_TEAMS, measures="AP", depths=10, contributing=names, n_resamples=20)
    teams = {name: SAMPLE_TEAMS[name] for name in names}
    alone = reuse(SAMPLE.qrels, chosen, teams, measures="AP", depths=10, n_resamples=20)
    columns = ["team", "unique_judged", "unique_relevant", "pool_judged"]
    assert (
        found.to_frame()
        .select(columns)
        .unique()
        .sort("team")
        .equals(alone.to_frame().select(columns).unique().sort("team"))
    )
    assert found.to_frame()["pairs"].sum() > alone.to_frame()["pairs"].sum()


def test_bad_contributing_runs(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        small(contributing=["R1"])
    assert str(error.value) == (
        "`contributing`: none of the 3 runs is named (b1, r1, r2). Write one run name per line, as the runs are named."
    )
    with pytest.raises(ArgumentError) as empty:
        small(contributing=[])
    assert str(empty.value) == ("`contributing` is empty. Name the runs that built the pool, or omit it for all runs.")
    with pytest.raises(ArgumentError) as nothing:
        small(contributing=["b1"], leave_out="red")
    assert str(nothing.value) == ("`leave_out`: no run of team red contributed to the pool. Leave out another team.")
    absent = small(contributing=["r1", "b1", "late"]).warnings
    assert "1 contributing run is missing (late). The pool lacks the documents that no other run retrieved." in absent
    file = tmp_path / "pooled.txt"
    file.write_text("run\n# judged\nr1\nb1\n")
    assert small(contributing=file).settings["n_pooled"] == 2
    file.write_text("r1 red\nb1\nb1\n")
    with pytest.raises(FileError) as twice:
        small(contributing=file)
    assert "pooled.txt:1: expected one run name, found 2 words: 'r1 red'" in str(twice.value)
    assert "run 'b1' already stands in line 2" in str(twice.value)
    file.write_text("# nothing\n")
    with pytest.raises(FileError, match="names no run; expected one run name on each line"):
        small(contributing=file)


def test_all_systems_tie() -> None:
    nothing = qrels_of((topic, "0", document, 0) for topic in TOPICS for document in "abcd")
    with pytest.warns(
        CranfieldWarning, match="rows have no tau, because all systems tie with or without the judgments"
    ):
        found = reuse(nothing, small_runs(), TEAMS, measures="AP", depths=2, n_resamples=10)
    assert found.to_frame()["tau"].null_count() == found.to_frame().height


def test_judgments_by_subtopic() -> None:
    diverse = qrels_of((t, s, d, int(d in "ac")) for t in TOPICS for s in "12" for d in "abcd")
    found = small(qrels=diverse, measures="alpha-nDCG@2").to_frame()
    assert found["view"].unique().to_list() == ["full list"]
    assert found.filter(pl.col("team") == "red")["unique_relevant"].to_list() == [2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depths": 0}, "`depths` must be a whole number of at least 1; got 0. Write 100."),
        ({"depths": []}, "`depths` is empty. Give at least one pool depth."),
        ({"p": 1}, "`p` must be between 0 and 1; got 1. Write 0.8."),
        ({"alpha": 5}, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
        ({"cutoff": 0}, "`cutoff` must be a whole number of at least 1; got 0. Write 10."),
        ({"leave_out": []}, "`leave_out` is empty. Name at least one team, or omit it for all teams."),
        ({"leave_out": "rde"}, "unknown team 'rde'. Did you mean 'red'?"),
    ],
)
def test_bad_arguments(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        small(**changes)
    assert str(error.value) == message


def test_bad_teams_and_runs() -> None:
    qrels, runs = small_qrels(), small_runs()

    def refused(
        error: type[Exception], message: str, given: list[Run], teams: dict[str, str], q: Qrels = qrels
    ) -> None:
        with pytest.raises(error) as raised:
            reuse(q, given, teams, measures="AP", depths=2)
        assert str(raised.value) == message

    one = dict.fromkeys(TEAMS, "red")
    refused(DataError, "all 3 runs are of one team (red). Give at least 2 teams.", runs, one)
    refused(DataError, "no team is given for 1 run (b1). Add them to `teams`.", runs, {"r1": "red", "r2": "red"})
    with quietly():
        more = reuse(qrels, runs, TEAMS | {"g1": "green"}, measures="AP", depths=2)
    assert set(more.rows["team"]) == {"red", "blue"}
    assert "1 of 4 systems in `teams` is not among the runs here and is ignored: g1" in more.warnings
    refused(ArgumentError, "`runs` is empty. Give the runs the pool was made of.", [], TEAMS)
    refused(DataError, "two runs are called r1. Give every run a unique name.", [runs[0], *runs], TEAMS)
    message = "qrels: there is 1 judged topic; leaving teams out needs at least 2. Judge more topics."
    refused(DataError, message, runs, TEAMS, small_qrels(("1",)))
    strange = qrels_of((topic, "0", "elsewhere", 1) for topic in TOPICS)
    message = (
        "no document of the 3 runs is judged in qrels, so the pool would be empty. Do the topic and document ids "
        "agree (capitals, blanks, leading zeros)? `cranfield check` compares them"
    )
    refused(DataError, message, runs, TEAMS, strange)
    lists = {system: [*documents, "elsewhere"] for system, documents in LISTS.items()}
    deep = [run_of([(t, d, -at) for t in TOPICS for at, d in enumerate(docs)], name) for name, docs in lists.items()]
    message = "qrels: no document among the first 2 of any run is judged. Check the document ids."
    refused(DataError, message, deep, TEAMS, strange)
    with pytest.raises(ArgumentError, match="irm:AP is computed by ir_measures, which cannot leave judgments out"):
        small(measures="irm:AP")
    with pytest.raises(UnknownNameError):
        small(measures="APP")


def test_judgments_outside_the_pool_of_these_runs_are_counted() -> None:
    from cranfield.core.answer import answer

    extra = qrels_of([(t, "0", d, level) for t in TOPICS for d, level in (LEVELS | {"far": 1}).items()])
    found = small(qrels=extra, depths=[1, 3])
    # First documents are a, c and b; all of a, b, c and d are among the first three; no run has `far`.
    assert (found.n_judged, dict(found.pools)) == (10, {1: 6, 3: 8})
    assert found.to_dict()["pools"] == [
        {"depth": 1, "judged": 6, "judged_share": 1.0},
        {"depth": 3, "judged": 8, "judged_share": 0.8},
    ]
    said = answer(found).sentences[-1]
    assert said.startswith("2 of 10 judgments are not used: no run has their documents among its first 3. ")
    assert not any("not used" in text for text in answer(small()).sentences)


def test_a_measure_that_falls_further_than_the_first_is_named() -> None:
    from cranfield.questions.reuse.answer import headline, other_measures

    found = small(runs=runs_of(JUDGED))
    rows = found.rows.with_columns(
        rank_drop=pl.when(pl.col("measure") == "P@2").then(pl.lit(7, pl.Int64)).otherwise("rank_drop")
    )
    worse = Reuse(rows, found.system_rows, found.settings, found.n_judged, found.pools, found.shares)
    assert "runs lose at most 1 rank (AP, depth 3, team red)" in headline(worse)
    assert other_measures(worse) == "By P@2 the loss is larger: 7 ranks (team blue)."
    assert other_measures(found) == ""
