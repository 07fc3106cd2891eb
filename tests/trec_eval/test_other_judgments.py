"""Preferences and judgment groups: by hand on small files, and line by line beside a trec_eval 10 on the PATH."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from cranfield import ArgumentError, DataError, FileError
from cranfield.collection.preferences import read_preferences
from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.evaluation import trec_eval
from support import Type

PROGRAM = shutil.which("trec_eval")
RUN = "1 Q0 a 1 4 tag\n1 Q0 x 2 3 tag\n1 Q0 b 3 2 tag\n1 Q0 c 4 1 tag\n"


def values(tmp_path: Path, judged: str, run: str, *words: str) -> dict[str, str]:
    (tmp_path / "judged").write_text(judged)
    (tmp_path / "run").write_text(run)
    text = trec_eval(parse_arguments([*words, str(tmp_path / "judged"), str(tmp_path / "run")])).text
    return {line.split()[0]: line.split()[-1] for line in text.splitlines()}


def test_preferences_of_one_group(tmp_path: Path) -> None:
    """a=2, b=0, c=1, d=1: six pairs less the tie of c and d; a, b, c are retrieved in this order."""
    judged = "1 ann s a 2\n1 ann s b 0\n1 ann s c 1\n1 ann s d 1\n"
    found = values(tmp_path, judged, RUN, "-R", "prefs", "-m", "all_prefs")
    assert found["runid"] == "tag"
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"], found["prefs_num_prefs_ful_ret"]) == (
        "5",
        "3",
        "2",
    )
    assert found["prefs_simp"] == found["prefs_pair"] == found["prefs_avgjg"] == "0.6000"  # a over b, c, d
    assert found["prefs_simp_ret"] == found["prefs_pair_ret"] == found["prefs_avgjg_ret"] == "0.6667"  # a over b, c
    assert found["prefs_simp_imp"] == "0.6000"  # at least one retrieved: all five pairs
    # Two more documents of level 0, below the two relevant documents retrieved of three: (3 + 2·2) / (5 + 3·2)
    assert found["prefs_avgjg_Rnonrel"] == f"{7 / 11:.4f}"


def test_subgroups_are_transitive_and_groups_may_disagree(tmp_path: Path) -> None:
    judged = "1 ann s1 a 2\n1 ann s1 b 1\n1 ann s2 b 2\n1 ann s2 c 1\n1 bob s c 2\n1 bob s a 1\n"
    found = values(tmp_path, judged, RUN, "-R", "prefs", "-m", "all_prefs")
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("4", "3")  # a>b, b>c, a>c; c>a
    assert found["prefs_simp"] == "0.7500"
    assert found["prefs_avgjg"] == "0.5000"  # mean of 1 and 0
    assert found["prefs_pair"] == f"{(1 + 1 + 0.5) / 3:.4f}"  # a and c: one group of two


def test_ties_of_scores_go_to_the_smaller_id(tmp_path: Path) -> None:
    run = "1 Q0 a 1 1 tag\n1 Q0 b 2 1 tag\n"
    assert (
        values(tmp_path, "1 g a 1\n1 g b 0\n", run, "-R", "qrels_prefs", "-m", "prefs_simp")["prefs_simp"] == "1.0000"
    )
    assert values(tmp_path, "1 0 a 1\n1 0 b 0\n", run, "-m", "recip_rank")["recip_rank"] == "0.5000"


def test_judgment_groups_are_averaged(tmp_path: Path) -> None:
    judged = "1 ann a 1\n1 ann b 0\n1 bob a 0\n1 bob b 1\n2 ann a 1\n"
    found = values(tmp_path, judged, RUN + "2 Q0 a 1 1 tag\n", "-R", "qrels_jg", "-m", "qrels_jg", "-m", "P_avgjg.1,2")
    assert found["map_avgjg"] == f"{((1 + 1 / 3) / 2 + 1) / 2:.4f}"  # topic 2 has one group
    assert (found["P_avgjg_1"], found["P_avgjg_2"]) == ("0.7500", "0.3750")
    assert found["Rprec_mult_avgjg_1.00"] == "0.7500"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["-R", "prefs"],
            "trec_eval -m official: num_ret needs judgments in the format qrels; omit -R prefs, or use -m prefs",
        ),
        (
            ["-R", "qrels_jg", "-m", "prefs"],
            "trec_eval -m prefs: prefs_num_prefs_poss needs judgments in the format prefs or",
        ),
        (
            ["-R", "qrels_jg", "-m", "map"],
            "trec_eval -m map: needs judgments in the format qrels; omit -R qrels_jg, or",
        ),
    ],
)
def test_measures_that_the_format_does_not_allow(tmp_path: Path, words: list[str], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        values(tmp_path, "1 g s a 1\n", RUN, *words)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ("1 g a 1\n", "expected 5 fields (topic group subgroup document level), found 4"),
        ("1 g s a high\n", "expected a level (field 5), found 'high'"),
        ("1 g s a 1\n1 g s a 2\n", "document a already has a level for topic 1 in this group"),
    ],
)
def test_bad_lines_of_preferences(tmp_path: Path, judged: str, message: str) -> None:
    (tmp_path / "judged").write_text(judged)
    with pytest.raises(FileError) as error:
        read_preferences(tmp_path / "judged")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ("1 g s a 2\n1 g s b 1\n1 g t b 2\n1 g t a 1\n", "topic 1: the preferences of group g contradict each other"),
        ("1 g s a 0\n1 g s b 1\n1 g t a 1\n", "topic 1: group g calls a document both relevant and not relevant"),
    ],
)
def test_a_group_that_contradicts_itself(tmp_path: Path, judged: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        values(tmp_path, judged, RUN, "-R", "prefs", "-m", "prefs")
    assert str(error.value) == message


def test_several_runs_are_printed_one_after_the_other(tmp_path: Path, cranfield: Type) -> None:
    Path("qrels").write_text("1 0 a 1\n")
    Path("one").write_text("1 Q0 a 1 1 first\n")
    Path("two").write_text("1 Q0 x 1 2 second\n1 Q0 a 2 1 second\n")
    done = cranfield("trec_eval", "-m", "map", "qrels", "one", "two")
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines == [
        ["runid", "all", "first"],
        ["map", "all", "1.0000"],
        ["runid", "all", "second"],
        ["map", "all", "0.5000"],
    ]
    official = cranfield("trec_eval", "qrels", "one", "two").stdout
    assert [line.split()[-1] for line in official.splitlines() if line.startswith("runid")] == ["first", "second"]


def test_a_rank_is_cut_at_its_point(tmp_path: Path) -> None:
    (tmp_path / "judged").write_text("1 0 b 1\n")
    (tmp_path / "run").write_text(RUN)
    printed = trec_eval(parse_arguments(["-m", "P.2,3.9", str(tmp_path / "judged"), str(tmp_path / "run")]))
    assert [line.split()[::2] for line in printed.text.splitlines()] == [["P_2", "0.0000"], ["P_3", "0.3333"]]
    assert printed.notes[0] == "-m P: ranks are whole numbers; 3.9 is cut at the point (trec_eval)"


def generated(seed: int, form: str, folder: Path) -> list[str]:
    """Write judgments and a run; within a group, levels agree between subgroups."""
    chance = random.Random(seed)
    topics = [str(number) for number in range(1, chance.randint(2, 5))]
    documents = [f"d{number}" for number in range(14)]
    judged = []
    for topic in topics:
        for group in range(chance.randint(1, 3)):
            level = {document: chance.choice([0, 0, 0, 1, 2, 3]) for document in documents}
            for part in range(chance.randint(1, 3) if form == "prefs" else 1):
                between = f"g{group} s{part}" if form == "prefs" else f"g{group}"
                judged += [
                    f"{topic} {between} {one} {level[one]}\n" for one in chance.sample(documents, chance.randint(1, 9))
                ]
    found = [
        f"{topic} Q0 {one} 1 {chance.randint(0, 6)} tag\n"
        for topic in topics
        for one in chance.sample([*documents, "u1", "u2"], chance.randint(1, 12))
    ]
    (folder / "judged").write_text("".join(judged))
    (folder / "run").write_text("".join(found))
    return [str(folder / "judged"), str(folder / "run")]


@pytest.mark.skipif(PROGRAM is None, reason="no trec_eval program on the PATH")
@pytest.mark.parametrize("form", ["prefs", "qrels_prefs", "qrels_jg"])
@pytest.mark.parametrize("flags", [[], ["-M", "4"], ["-c"], ["-J"], ["-l", "2"]], ids=str)
def test_trec_eval_itself(form: str, flags: list[str], tmp_path: Path) -> None:
    for seed in range(15):
        files = generated(seed, form, tmp_path)
        words = ["-q", "-R", form, "-m", "qrels_jg" if form == "qrels_jg" else "all_prefs", *flags, *files]
        theirs = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, check=True).stdout
        assert trec_eval(parse_arguments(words)).text == theirs, seed


def test_the_script_answers_to_the_programs_name(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "examples" / "trec_eval"
    command = tmp_path / "cranfield"
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [str(script), "-m", "P.5,10", "a file", "run"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["trec_eval", "-m", "P.5,10", "a file", "run"]
