"""Group fairness and relevance: NTCIREVAL's values, the paper's formulas in plain Python, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cranfield import ArgumentError, DataError, FileError, Qrels, Run, as_qrels, evaluate
from cranfield.collection.groups import GroupSet, read_groups, with_groups
from small_collections import run_of

LEVELS = {"a": 2, "b": 0, "c": 1, "d": 1, "e": 2}
MEMBERS = {"a": (1, 0, 0, 0), "b": (0.1, 0.2, 0.3, 0.4), "c": (0, 0.5, 0.5, 0), "d": (0, 0, 0, 1), "e": (0.25,) * 4}
TARGET = (0.4, 0.3, 0.3, 0.0)
RANKED = "xcbayd"
BY_NTCIREVAL = {
    "ERR(gains=1:3)": 0.2734, "iRBU(gains=1:3)": 0.8295,
    "GF(divergence=jsd,gains=1:3)": 0.7714, "GF(divergence=nmd,gains=1:3)": 0.7331, "GF(divergence=rnod,gains=1:3)": 0.7171,
    "ERR(gains=1:3)@3": 0.125, "iRBU(gains=1:3)@3": 0.245,
    "GF(divergence=jsd,gains=1:3)@3": 0.2192, "GF(divergence=nmd,gains=1:3)@3": 0.2,
    "GF(divergence=rnod,gains=1:3)@3": 0.2008,
}  # fmt: skip
"""Printed by ntcir_eval GFRcompute (version of January 2023) with -g 1:3 -cutoffs 3,20."""


def judgments(ordinal: bool = True) -> Qrels:
    members = {("1", document): tuple(map(float, one)) for document, one in MEMBERS.items()}
    return with_groups(as_qrels({"1": LEVELS}), [GroupSet("HINDEX", members, TARGET, ordinal)])


def ranked(documents: str = RANKED, topic: str = "1") -> Run:
    return run_of([(topic, document, -at) for at, document in enumerate(documents)])


def only(qrels: Qrels, run: Run, measure: str) -> float:
    return float(evaluate(qrels, run, measure).only().values[0, 0])


@pytest.mark.parametrize(("measure", "expected"), BY_NTCIREVAL.items())
def test_ntcireval(measure: str, expected: float) -> None:
    assert only(judgments(), ranked(), measure) == pytest.approx(expected, abs=5.001e-5)


# ── the paper's formulas, one document at a time ──────────────────────────────────────────────────────────


def jsd(found: list[float], target: list[float]) -> float:
    def entropy(p: list[float]) -> float:
        return -sum(one * math.log2(one) for one in p if one > 0)

    middle = [(a + b) / 2 for a, b in zip(found, target, strict=True)]
    return entropy(middle) - (entropy(found) + entropy(target)) / 2


def nmd(found: list[float], target: list[float]) -> float:
    steps = range(1, len(target))
    return sum(abs(sum(found[:at]) - sum(target[:at])) for at in steps) / len(steps)


def rnod(found: list[float], target: list[float]) -> float:
    size = len(target)
    weighted = [
        sum(abs(i - j) * (found[j] - target[j]) ** 2 for j in range(size)) for i in range(size) if target[i] > 0
    ]
    return math.sqrt(sum(weighted) / len(weighted) / (size - 1))


def naive(
    documents: list[str], level: dict[str, int], members: dict[str, list[float]], target: list[float],
    distance: Callable[[list[float], list[float]], float], cutoff: int,
) -> float:  # fmt: skip
    total, going, size = 0.0, 1.0, len(target)
    for rank in range(1, min(cutoff, len(documents)) + 1):
        gain = 2 ** level.get(documents[rank - 1], 0) - 1
        stop = gain / 2 ** max(level.values())
        seen = [members.get(document, [1 / size] * size) for document in documents[:rank]]
        mean = [sum(one[at] for one in seen) / rank for at in range(size)]
        total += going * stop * (1 - distance(mean, target))
        going *= 1 - stop
    return total


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("seed", range(8))
def test_the_formulas(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 6))
    documents = [f"d{number}" for number in range(25)]
    level = {one: int(random.integers(0, 4)) for one in documents[:12]} | {"d0": 3}
    members = {one: random.dirichlet(np.ones(size)).tolist() for one in documents[:10]}
    target = random.dirichlet(np.ones(size)).tolist()
    order = [documents[at] for at in random.permutation(25)]
    run = run_of([("1", document, -at) for at, document in enumerate(order)])
    group_set = GroupSet("A", {("1", one): tuple(p) for one, p in members.items()}, tuple(target), seed % 2 == 0)
    qrels = with_groups(as_qrels({"1": level}), [group_set])
    for cutoff in (5, 20):
        for kind, distance in (("jsd", jsd), ("nmd", nmd), ("rnod", rnod)):
            expected = naive(order, level, members, target, distance, cutoff)
            assert only(qrels, run, f"GF(divergence={kind})@{cutoff}") == pytest.approx(expected, abs=1e-12)
        fair = naive(order, level, members, target, rnod if group_set.ordinal else jsd, cutoff)
        expected = (only(qrels, run, f"ERR@{cutoff}") + fair) / 2
        assert only(qrels, run, f"GFR@{cutoff}") == pytest.approx(expected, abs=1e-12)
        condensed = naive([one for one in order if one in level], level, members, target, jsd, cutoff)
        assert only(qrels, run, f"GF(divergence=jsd,judged_only=True)@{cutoff}") == pytest.approx(condensed, abs=1e-12)


def test_a_perfectly_fair_ranking_loses_nothing_and_the_worst_loses_all() -> None:
    halves = {("1", "a"): (0.5, 0.5), ("1", "b"): (1.0, 0.0)}
    fair = with_groups(as_qrels({"1": {"a": 1, "b": 1}}), [GroupSet("A", halves, (0.5, 0.5), True)])
    assert only(fair, ranked("a"), "GF@1") == pytest.approx(0.5)  # stops with probability 1/2
    one_sided = with_groups(as_qrels({"1": {"a": 1, "b": 1}}), [GroupSet("A", halves, (0.0, 1.0), True)])
    assert only(one_sided, ranked("b"), "GF@1") == 0


def test_each_topic_takes_the_groups_it_has() -> None:
    """FairWeb: topics about researchers have other attributes than topics about films."""
    qrels = as_qrels({"1": {"a": 1}, "2": {"a": 1}})
    sets = [
        GroupSet("HINDEX", {("1", "a"): (1.0, 0.0)}, (0.5, 0.5), True),
        GroupSet("PRONOUN", {("1", "a"): (0.5, 0.5)}, (0.5, 0.5)),
        GroupSet("ORIGIN", {("2", "a"): (0.0, 1.0)}, (0.5, 0.5)),
    ]
    run = run_of([("1", "a", 1), ("2", "a", 1)])
    fair = [(1 - rnod([1, 0], [0.5, 0.5])) / 2, 0.5, (1 - jsd([0, 1], [0.5, 0.5])) / 2]
    expected = [(0.5 + fair[0] + fair[1]) / 3, (0.5 + fair[2]) / 2]
    values = evaluate(qrels, run, "GFR", groups=sets).only().values[:, 0]
    assert values.tolist() == pytest.approx(expected, abs=1e-12)
    with pytest.raises(DataError, match=r"^1 topic without groups HINDEX \(2\)\. Score such topics apart\.$"):
        evaluate(qrels, run, "GF(groups=HINDEX)", groups=sets)
    with pytest.raises(DataError, match=r"^GF needs one set of groups of HINDEX, PRONOUN, ORIGIN\. Write GF\(groups="):
        evaluate(qrels, run, "GF", groups=sets)
    with pytest.raises(DataError, match=r"^GF: no groups are called 'REGION'\. Known: HINDEX, PRONOUN, ORIGIN\.$"):
        evaluate(qrels, run, "GF(groups=REGION)", groups=sets)
    with pytest.raises(DataError, match=r"^GFR needs the groups of documents\. Give `groups`, such as"):
        evaluate(qrels, run, "GFR")


def test_files_of_ntcireval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"1 {document} {' '.join(map(str, one))}\n" for document, one in MEMBERS.items())
    Path("HINDEX.gmemb").write_text(lines)
    Path("HINDEX.golddistr").write_text("0.4\n0.3\n0.3\n0\n")
    assert repr(read_groups("HINDEX.gmemb")) == "GroupSet(HINDEX: 4 nominal groups, 1 topics, 5 documents)"
    plain = as_qrels({"1": LEVELS})
    for named, measure in [("ordinal=HINDEX.gmemb,HINDEX.golddistr", "GF(gains=1:3)@3"),
                           ("nominal=HINDEX.gmemb,HINDEX.golddistr", "GF(groups=HINDEX,gains=1:3)@3")]:  # fmt: skip
        kind = "rnod" if named.startswith("ordinal") else "jsd"
        value = float(evaluate(plain, ranked(), measure, groups=[named]).only().values[0, 0])
        assert value == pytest.approx(BY_NTCIREVAL[f"GF(divergence={kind},gains=1:3)@3"], abs=5.001e-5)


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_relevant_documents_without_groups_are_reported() -> None:
    members = {("1", "a"): (1.0, 0.0)}
    result = evaluate(as_qrels({"1": LEVELS}), ranked(), "GFR", groups=[GroupSet("A", members, (0.5, 0.5))])
    assert "A: 3 relevant documents without groups count as spread evenly over them" in result.warnings
    complete = evaluate(judgments(), ranked(), "GFR")
    assert not any("without groups" in warning for warning in complete.warnings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n", "g:1: expected topic document and a probability per group (2 or more), found '1'"),
        ("1 a 1\n", "g:1: expected topic document and a probability per group (2 or more), found '1 a 1'"),
        ("1 a 1 x\n", "g:1: expected topic document and a probability per group (2 or more), found '1 a 1 x'"),
        ("1 a 1 0\n1 b 1 0 0\n", "g:2: expected 2 groups as on the lines above, found 3"),
        ("1 a 0.5 0.6\n", "g:1: the probabilities sum to 1.1, not 1"),
        ("1 a 1.5 -0.5\n", "g:1: expected probabilities between 0 and 1"),
        ("1 a 1 0\n1 a 0 1\n", "g:2: document a already has groups for topic 1"),
        ("# none\n", "g: holds no groups; expected lines of topic document and a probability per group"),
    ],
)
def test_lines_that_are_no_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g").write_text(text)
    with pytest.raises(FileError) as error:
        read_groups("g")
    assert str(error.value) == message


def test_groups_that_do_not_fit() -> None:
    one = {("1", "a"): (1.0, 0.0)}
    qrels = as_qrels({"1": {"a": 1}})
    for make, message in [
        (lambda: GroupSet("A", one, (0.5, 0.25, 0.25)), "groups A: the target has 3 groups, and document a of topic 1 has 2."),
        (lambda: GroupSet("A", one, (0.5, 0.6)), "groups A, target: the probabilities sum to 1.1, not 1."),
        (lambda: GroupSet("A", {}, (1.0,)), "groups A: a target needs 2 groups or more; found 1."),
        (lambda: with_groups(qrels, [GroupSet("A", {("1", "z"): (1.0, 0.0)}, (0.5, 0.5))]),
         "groups A: document z of topic 1 has no judgment. Give it level -1 (unjudged) in the qrels."),
    ]:  # fmt: skip
        with pytest.raises(DataError) as error:
            make()
        assert str(error.value) == message
    (alone,) = with_groups(qrels, GroupSet("A", one, (0.5, 0.5))).groups
    assert alone.name == "A"
    with pytest.raises(ArgumentError, match=r"got 'A\.gmemb'"):
        with_groups(qrels, "A.gmemb")
    for given in ("A.gmemb", "fair=A.gmemb", "nominal=", "nominal=A,"):
        with pytest.raises(ArgumentError, match=r"^`groups` must be KIND=MEMBERS or KIND=MEMBERS,TARGET; got "):
            with_groups(qrels, [given])
    with pytest.raises(ArgumentError, match=r"^two sets of groups are called A\. Rename one of the files\.$"):
        with_groups(qrels, [GroupSet("A", one, (0.5, 0.5))] * 2)
    with pytest.raises(ArgumentError, match=r"^groups 'A B': a name holds letters"):
        GroupSet("A B", one, (0.5, 0.5))
