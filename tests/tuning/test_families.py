"""Families from files, matrices and live search engines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, tune
from cranfield.questions.tune.families import Family, LiveFamily, read_families, split_families
from cranfield.questions.tune.folds import NFold
from cranfield.questions.tune.parameters import Setting, grid

TOPICS = [str(i) for i in range(1, 11)]


def matrix(*systems: str, topics: Sequence[str] = TOPICS) -> ScoreMatrix:
    return ScoreMatrix(np.random.default_rng(len(systems)).random((len(topics), len(systems))), topics, systems, "AP")


def write(path: Path, *systems: str) -> str:
    x = matrix(*systems)
    rows = ["\t".join(["topic", *systems])]
    rows += ["\t".join([t, *map(str, row)]) for t, row in zip(x.topics, x.values.tolist(), strict=True)]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def names(families: Sequence[object]) -> list[tuple[str, int]]:
    return [(f.name, f.scores.n_systems) for f in families]  # type: ignore[attr-defined]


def test_a_file_is_a_family_named_after_it(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "old.AP.tsv", "bm25(b=0)", "bm25(b=1)"),
        write(tmp_path / "new.AP.tsv", "bm25(b=0)", "bm25(b=1)"),
    ]
    assert names(read_families(paths)) == [("old", 2), ("new", 2)]


def test_a_file_with_several_names_holds_several_families(tmp_path: Path) -> None:
    path = write(tmp_path / "all.AP.tsv", "bm25(b=0)", "ql(mu=1)", "bm25(b=1)", "ql(mu=2)")
    assert names(read_families(path)) == [("bm25", 2), ("ql", 2)]


def test_systems_without_parameters_are_one_family_only_if_told(tmp_path: Path) -> None:
    """Runs of many teams are not settings of one system."""
    path = write(tmp_path / "trec.AP.tsv", "a", "b", "c")
    with pytest.raises(DataError, match=r"the 3 systems \(a, b, c\) do not look like settings .* `one_family`"):
        read_families(path)
    assert names(read_families(path, one_family=True)) == [("trec", 3)]


def test_a_directory_of_per_run_files_is_a_family(tmp_path: Path) -> None:
    folder = tmp_path / "bm25"
    folder.mkdir()
    for b in ("0.1", "0.2"):
        lines = [f"map\t{topic}\t0.{topic}" for topic in ("1", "2")]
        (folder / f"bm25(b={b}).eval").write_text("\n".join(lines) + "\n")
    (family,) = read_families(folder)
    assert family.name == "bm25"
    assert [setting["b"] for setting in family.settings] == [0.1, 0.2]


def test_a_pattern_tells_families_apart_and_leaves_the_rest_out() -> None:
    x = matrix("ql-mu5", "bm-mu5", "ql-mu10", "bm-mu10", "other")
    found = split_families(x, "{family}-mu{mu}")
    assert names(found) == [("ql", 2), ("bm", 2)]
    assert [setting["mu"] for setting in found[0].settings] == [5, 10]
    with pytest.warns(CranfieldWarning) as caught:
        tuning = tune(found, NFold(5))  # type: ignore[arg-type]
    assert str(caught[0].message) == "dropped 1 systems that do not match '{family}-mu{mu}': other"
    assert tuning.warnings[0] == str(caught[0].message)


def test_a_pattern_without_a_family_keeps_the_file_s_name(tmp_path: Path) -> None:
    (family,) = read_families(write(tmp_path / "ql.AP.tsv", "run5", "run10"), pattern="run{mu}")
    assert (family.name, [setting["mu"] for setting in family.settings]) == ("ql", [5, 10])


def test_a_pattern_nothing_fits() -> None:
    with pytest.raises(DataError) as caught:
        split_families(matrix("a", "b"), "ql{mu}")
    assert str(caught.value) == "no system matches the pattern 'ql{mu}'. The systems are a, b."


def test_a_family_in_two_files(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.AP.tsv", f"ql-mu{n}0", f"ql-mu{n}5") for n in (1, 2)]
    with pytest.raises(DataError) as caught:
        read_families(paths, pattern="{family}-mu{mu}")
    assert str(caught.value) == ("family ql comes from several files. Put its settings into one file, or rename them.")


def test_settings_must_match_the_systems() -> None:
    with pytest.raises(DataError) as caught:
        Family("x", matrix("a", "b"), (Setting("a"),))
    assert str(caught.value) == "family 'x': 1 settings for 2 systems. Give one per system."


# ── live ──────────────────────────────────────────────────────────────────────────────────────────────────


class Engine:
    """Counts what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, setting: Setting, topics: Sequence[str]) -> list[float]:
        self.asked += [(setting.label, topic) for topic in topics]
        return [float(setting["mu"]) / (10 + int(topic)) for topic in topics]


def test_nothing_is_evaluated_before_it_is_needed_and_nothing_twice() -> None:
    engine = Engine()
    family = LiveFamily("ql", engine, grid("ql", mu=[1, 2, 3]), TOPICS, "AP")
    assert engine.asked == []
    family.scores(TOPICS[:4])
    assert len(engine.asked) == 12
    first = tune(family, NFold(5))
    second = tune(family, NFold(2))
    assert len(engine.asked) == len(set(engine.asked)) == 30
    assert first["ql"].final == second["ql"].final == "ql(mu=3)"


def test_a_live_family_and_its_matrix_are_tuned_alike() -> None:
    family = LiveFamily("ql", Engine(), grid("ql", mu=[1, 2, 3]), TOPICS, "AP")
    assert tune(family, NFold(5)).to_dict() == tune({"ql": family.scores()}, NFold(5)).to_dict()


def test_scores_may_come_as_a_mapping_or_a_matrix() -> None:
    settings = grid("x", a=[1, 2])
    as_list = LiveFamily("x", lambda s, t: [s["a"] / len(t)] * len(t), settings, TOPICS)
    as_dict = LiveFamily("x", lambda s, t: {topic: s["a"] / len(t) for topic in reversed(t)}, settings, TOPICS)
    as_matrix = LiveFamily("x", lambda s, t: ScoreMatrix([[s["a"] / len(t)]] * len(t), t, ["run"]), settings, TOPICS)
    assert as_list.scores() == as_dict.scores() == as_matrix.scores()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([0.5], "x(a=1): expected 10 scores, one per topic; got shape (1,)"),
        ({"1": 0.5}, "x(a=1): no score for topic 2, 3, 4, 5, 6 and 4 more. Give one for every topic."),
        ([0.5] * 9 + [float("nan")], "x(a=1): the score of topic '10' is nan. Give a finite score."),
        (ScoreMatrix([[1, 2]], ["1"], ["a", "b"]), "x(a=1): expected the scores of one system; got 2 systems"),
    ],
)
def test_an_engine_that_gives_something_else(result: object, message: str) -> None:
    family = LiveFamily("x", lambda s, t: result, grid("x", a=[1, 2]), TOPICS)  # type: ignore[arg-type,return-value]
    with pytest.raises(DataError) as caught:
        tune(family)
    assert str(caught.value) == message


def test_progress_of_a_live_family() -> None:
    seen: list[tuple[int, int]] = []
    family = LiveFamily("ql", Engine(), grid("ql", mu=[1, 2, 3]), TOPICS)
    tune(family, NFold(2), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_what_is_not_a_family() -> None:
    with pytest.raises(ArgumentError) as caught:
        tune([matrix("a", "b")])  # type: ignore[list-item]
    assert str(caught.value) == (
        "a family must be a Family, a LiveFamily or, in a mapping by name, a ScoreMatrix; got ScoreMatrix."
    )
    with pytest.raises(DataError) as nothing:
        tune({})
    assert str(nothing.value) == "there is no family to tune. Give at least one."


def test_families_of_one_name() -> None:
    with pytest.raises(DataError) as caught:
        tune([Family("x", matrix("a", "b")), Family("x", matrix("a", "b"))])
    assert str(caught.value) == "family 'x' occurs 2 times; every family needs its own label"
