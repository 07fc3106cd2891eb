"""`cranfield compare` and `cranfield leaderboard` as typed at a terminal."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cranfield import make_scores
from support import Type

PAIR = [
    "measure",
    "system_a",
    "system_b",
    "mean_a",
    "mean_b",
    "difference",
    "lower",
    "upper",
    "effect_size",
    "p",
    "p_adjusted",
    "significant",
    "p_method",
]
BOARD = ["measure", "rank", "system", "mean", "lower", "upper", "rank_lower", "rank_upper"]


@pytest.fixture
def scores(cranfield: Type) -> str:
    """A wide table of AP in the empty directory the command runs in."""
    made = make_scores(30, 4, system_effects=[0, 0.05, 0.1, 0.3])
    rows = [",".join(["topic", "bm_25", "ql", "rm3", "dense"])]
    rows += [
        ",".join([t, *map(repr, row)]) for t, row in zip(made.topics, made.values.clip(0, 1).tolist(), strict=True)
    ]
    Path("x.AP.csv").write_text("\n".join(rows) + "\n")
    return "x.AP.csv"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_pairs(cranfield: Type, scores: str) -> None:
    result = cranfield("compare", scores, "--format", "json", "--resamples", "2000")
    answer = json.loads(result.stdout)
    assert list(answer) == ["schema", "command", "signature", "settings", "rows", "warnings"]
    assert [list(row) for row in answer["rows"]] == [PAIR] * 6
    assert answer["rows"][0]["system_a"] == "dense"
    assert answer["settings"]["test"] == "randomisation"
    assert answer["settings"]["correction"] == "holm"
    assert answer["settings"]["n_resamples"] == 2000
    assert result.stderr == ""


def test_table_says_what_was_found_and_how(cranfield: Type, scores: str) -> None:
    text = cranfield("compare", scores, "--test", "t").stdout
    assert text.startswith("AP: 4 of 6 pairs differ significantly (all pairs; Holm-adjusted p ≤ 0.05)")
    assert "simultaneous over 6 comparisons (Bonferroni level); 0 is inside exactly when" in text
    assert "p_method" not in text
    alone = cranfield("compare", scores, "--test", "paired-t", "--intervals", "pairwise").stdout
    assert "lower, upper: 95% paired t interval per pair; it may exclude 0" in alone
    assert "paired t-test; measure AP; topics 30; systems 4" in text


def test_leaderboard(cranfield: Type, scores: str) -> None:
    found = rows_of(cranfield("leaderboard", scores, "--test", "t", "--format", "csv").stdout)
    assert list(found[0]) == [*BOARD, "group", "may_be_best"]
    assert [row["system"] for row in found] == ["dense", "rm3", "ql", "bm_25"]
    assert [row["group"] for row in found] == ["a", "b", "bc", "c"]
    marked = rows_of(cranfield("leaderboard", scores, "--test", "t", "--format", "csv", "-b", "ql").stdout)
    assert list(marked[0]) == [*BOARD, "marks", "may_be_best"]
    assert [row["marks"] for row in marked] == ["†", "", "", ""]


def test_the_same_bytes_for_any_order_and_any_workers(cranfield: Type, scores: str) -> None:
    lines = Path(scores).read_text().splitlines()
    table = np.array([line.split(",") for line in lines])
    Path("y.AP.csv").write_text("\n".join(",".join(row) for row in table[[0, *range(30, 0, -1)]][:, [0, 3, 1, 4, 2]]))
    words = ("--resamples", "3000", "--format", "json")
    first = cranfield("compare", scores, *words, "--workers", "1").stdout
    assert first == cranfield("compare", "y.AP.csv", *words, "--workers", "2", "--memory", "0.01").stdout


def test_several_measures(cranfield: Type, scores: str) -> None:
    Path("x.P.csv").write_text(Path(scores).read_text())
    words = ("compare", scores, "x.P.csv", "--test", "t", "--format", "csv")
    assert [row["measure"] for row in rows_of(cranfield(*words).stdout)] == ["AP"] * 6 + ["P"] * 6
    assert {row["measure"] for row in rows_of(cranfield(*words, "-m", "P").stdout)} == {"P"}
    assert len(rows_of(cranfield(*words, "-m", "P", "-m", "AP").stdout)) == 12
    each, together = (rows_of(cranfield(*words, *more).stdout) for more in ((), ("--across-measures",)))
    assert float(together[0]["p_adjusted"]) > float(each[0]["p_adjusted"])
    power = rows_of(cranfield(*words, "--show", "power").stdout)
    assert [row["significant"] for row in power] == ["4", "4"]
    curve = rows_of(cranfield(*words, "--show", "curve").stdout)
    assert list(curve[0]) == ["measure", "pair", "p"]
    assert len(curve) == 12
    assert list(rows_of(cranfield(*words, "--show", "curve", "-m", "AP").stdout)[0]) == ["measure", "pair", "p"]


def test_effect_size_by_the_residual(cranfield: Type, scores: str) -> None:
    usual, other = (
        rows_of(cranfield("compare", scores, "--test", "t", "--format", "csv", "--effect-size", size).stdout)
        for size in ("difference", "residual")
    )
    assert list(usual[0]) == list(other[0]) == PAIR
    ratios = [float(row["difference"]) / float(row["effect_size"]) for row in other]
    assert ratios == pytest.approx([ratios[0]] * 6)


LATEX = [
    ("compare",),
    ("compare", "-b", "bm_25", "-b", "ql"),
    ("leaderboard",),
    ("leaderboard", "-b", "bm_25", "-b", "ql"),
]


@pytest.mark.parametrize("words", LATEX)
def test_latex(cranfield: Type, scores: str, words: tuple[str, ...]) -> None:
    text = cranfield(words[0], scores, *words[1:], "--test", "t", "--format", "latex").stdout
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert lines[0].startswith(r"\begin{tabular}{")
    columns = len(lines[0].removeprefix(r"\begin{tabular}{").rstrip("}"))
    body = [line for line in lines if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in body} == {columns - 1}
    assert r"bm\_25" in text
    if words != ("leaderboard",):
        assert r"\textsuperscript{" in text
        assert r"\ddag{}" in text
        assert "% †" in text
    code = "\n".join(lines)
    assert code.isascii()
    assert all(code.count(left) == code.count(right) for left, right in ("{}", "[]"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(cranfield: Type, scores: str) -> None:
    """Every table of this page in one paper, and the measures, whose definitions are full of signs."""
    tables = [cranfield(words[0], scores, *words[1:], "--test", "t", "--format", "latex").stdout for words in LATEX] + [
        cranfield("measures", "--format", "latex").stdout
    ]
    # booktabs may be missing from a small TeX installation: its rules are stood in for by \hline.
    rules = (
        r"\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{\let\toprule\hline\let\midrule\hline\let\bottomrule\hline}"
    )
    Path("t.tex").write_text(
        "\n".join([r"\documentclass{article}", rules, r"\begin{document}", *tables, r"\end{document}", ""])
    )
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], capture_output=True)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_effect_sizes_of_another_statistic_are_those_of_the_mean(cranfield: Type, scores: str) -> None:
    words = ("compare", scores, "--statistic", "median", "--resamples", "500")
    assert "effect_size: of the mean difference, which is not that of the medians.\n" in cranfield(*words).stdout


def test_markdown_and_files(cranfield: Type, scores: str) -> None:
    assert cranfield("leaderboard", scores, "--test", "t", "--format", "markdown").stdout.startswith(
        "| rank | system |"
    )
    result = cranfield("leaderboard", scores, "--test", "t", "-o", "board.tex")
    assert result.stderr == "wrote board.tex (4 rows)\n"
    assert r"\begin{tabular}" in Path("board.tex").read_text()


def test_warnings_go_to_stderr(cranfield: Type, scores: str) -> None:
    result = cranfield("compare", scores, "--test", "bootstrap", "--resamples", "50")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: No pair can be significant: the smallest possible p is 0.0196 times 6 comparisons, above 0.05. "
        "Use at least 119 resamples.\n"
        "warning: With 30 topics a bootstrap-shift test rejects true hypotheses too often. Prefer randomisation, or measure "
        "the error with `simulate tests`.\n"
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--baseline", "bm25"), 2, "error: unknown system 'bm25'. Did you mean 'bm_25'?\n"),
        (
            ("--resamples", "0"),
            2,
            "error: --resamples must be a whole number of at least 1; got 0. Write 100000.\n",
        ),
        (("--seed", "-1"), 2, "error: --seed must be a whole number of at least 0; got -1. Write 1.\n"),
        (("--alpha", "5"), 2, "error: --alpha must be between 0 and 1; got 5. Write 0.05.\n"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "leaderboard"])
def test_bad_usage(cranfield: Type, scores: str, command: str, words: tuple[str, ...], code: int, message: str) -> None:
    result = cranfield(command, scores, *words)
    assert (result.exit_code, result.stderr, result.stdout) == (code, message, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "topic,a,b\n1,0.5,0.25\n",
            "error: AP: a comparison of systems needs at least 2 topics; there is 1. Give scores of more topics.\n",
        ),
        (
            "topic,a\n1,0.5\n2,0.25\n",
            "error: AP: a comparison of systems needs at least 2 systems; there is 1. Give scores of more systems.\n",
        ),
    ],
)
def test_bad_data(cranfield: Type, content: str, message: str) -> None:
    Path("x.AP.csv").write_text(content)
    result = cranfield("compare", "x.AP.csv")
    assert (result.exit_code, result.stderr) == (1, message)


def test_missing_scores_and_unaligned_topics_are_refused_unless_told(cranfield: Type) -> None:
    Path("x.AP.csv").write_text("topic,a,b\n1,0.5,0.25\n2,,0.5\n3,0.1,0.2\n4,0.3,0.1\n")
    result = cranfield("compare", "x.AP.csv", "--test", "t")
    assert result.exit_code == 1
    assert "missing" in result.stderr
    assert cranfield("compare", "x.AP.csv", "--test", "t", "--missing", "drop-topic").exit_code == 0
    Path("a.AP.csv").write_text("topic,a\n1,0.5\n2,0.25\n")
    Path("b.AP.csv").write_text("topic,b\n1,0.5\n3,0.25\n")
    result = cranfield("compare", "a.AP.csv", "b.AP.csv", "--test", "t")
    assert result.exit_code == 1
    assert "topics" in result.stderr


def test_progress_is_silent_when_piped(cranfield: Type, scores: str) -> None:
    assert cranfield("compare", scores).stderr == ""
