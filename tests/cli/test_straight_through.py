"""From judgments and runs straight to an answer; files of the wrong kind; refusals before the work; help; quiet."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cranfield.cli.main import EXIT_CODES
from cranfield.core.answer import gathered
from cranfield.core.defaults import REPORT_SECTIONS
from support import Type


@pytest.fixture
def here(cranfield: Type) -> Type:
    made = cranfield(
        *[
            "sample",
            ".",
            "--topics",
            "12",
            "--systems",
            "4",
            "--documents",
            "200",
            "--depth",
            "10",
            "--length",
            "40",
            "--force",
        ]
    )
    assert made.exit_code == 0
    assert (
        cranfield(*["evaluate", "qrels.txt", "runs", "-m", "AP", "-m", "P@5", "-q", "-o", "scores.csv"]).exit_code == 0
    )
    return cranfield


def rows(here: Type, words: str) -> list[dict[str, object]]:
    result = here(*words.split(), "--format", "json")
    assert result.exit_code == 0, result.stderr
    return list(json.loads(result.stdout)["rows"])


@pytest.mark.parametrize("command", ["compare", "leaderboard", "table"])
def test_runs_give_what_their_scores_give(here: Type, command: str) -> None:
    straight = rows(here, f"{command} qrels.txt runs -m AP -m P@5 --resamples 200")
    assert straight == rows(here, f"{command} scores.csv --resamples 200")
    assert rows(here, f"{command} qrels.txt runs -m map -m P_5 --resamples 200") == straight


def test_simulated_scores_have_their_truth_beside_them(here: Type) -> None:
    words = ["simulate", "scores", "scores.csv", "--measure", "AP", "--topics", "9", "--systems", "3"]
    made = here(*words, "-o", "simulated.csv")
    assert made.exit_code == 0, made.stderr
    assert made.stderr.endswith("wrote simulated.csv (27 rows)\nwrote simulated.truth.csv (3 rows)\n")
    asked = here(*words, "--show", "truth", "-o", "only.csv")
    assert asked.stderr.endswith("wrote only.csv (3 rows)\n")
    assert Path("simulated.truth.csv").read_bytes() == Path("only.csv").read_bytes()
    assert not Path("only.truth.csv").exists()


def test_the_options_of_evaluate_apply(here: Type) -> None:
    strict = rows(here, "leaderboard qrels.txt runs -m AP --level 2 --test t")
    assert strict != rows(here, "leaderboard qrels.txt runs -m AP --test t")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("compare scores.csv --level 2", "--level"),
        ("leaderboard scores.csv --gains exp --order rank", "--gains, --order"),
        ("compare scores.csv --tune -m AP --lenient", "--lenient"),
        ("table scores.csv --name tag", "--name"),
    ],
)
def test_scores_are_settled_and_cannot_be_scored_otherwise(here: Type, words: str, named: str) -> None:
    result = here(*words.split())
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: scores.csv contains scores, and {named} applies to runs only. ")
    assert f"cranfield {words.split()[0]} QRELS RUN..." in result.stderr


def test_settings_can_be_runs(here: Type) -> None:
    straight = here(
        *["tune", "qrels.txt", "runs", "-m", "AP", "--folds", "3", "--pattern", "{family}-{k}", "--format", "json"]
    )
    assert straight.exit_code == 0, straight.stderr
    scored = here(*["tune", "scores.csv", "-m", "map", "--folds", "3", "--pattern", "{family}-{k}", "--format", "json"])
    assert json.loads(straight.stdout)["rows"] == json.loads(scored.stdout)["rows"]
    unnamed = here(*["tune", "qrels.txt", "runs", "--folds", "3"])
    assert (unnamed.exit_code, unnamed.stderr) == (
        2, "error: tuning needs one measure. Name it with --measure, such as --measure AP.\n"
    )  # fmt: skip


def test_a_pair_is_a_family_of_one(here: Type) -> None:
    first, second = sorted(path.name.split(".")[0] for path in Path("runs").iterdir())[:2]
    (row,) = rows(here, f"compare scores.csv -m AP --test t --system {first} --system {second}")
    assert row["p"] == row["p_adjusted"]
    (row,) = rows(here, f"monitor scores.csv -m AP --looks 1 --system {first} --baseline {second}")
    assert (row["system_a"], row["system_b"]) == (first, second)
    (row,) = rows(here, f"compare scores.csv -m AP --test t --system {first} --baseline {second}")
    assert (row["system_a"], row["system_b"]) == (first, second)
    topics = rows(here, f"compare scores.csv -m AP --test t -s {first} -s {second} --show topics")
    assert len(topics) == 12


@pytest.mark.parametrize(
    "command",
    ["variance", "reliability", "standardise fit", "standardise robustness", "simulate tests --topics 10 --trials 20"],
)
def test_some_systems_are_all_there_is(here: Type, command: str) -> None:
    head, *lines = Path("scores.csv").read_text().splitlines()
    names = list(dict.fromkeys(line.split(",")[0] for line in lines))[:3]
    kept = [line for line in lines if line.split(",")[0] in names]
    Path("three.csv").write_text("\n".join([head, *kept]) + "\n")
    wanted = " ".join(f"--system {name}" for name in names)
    chosen, alone = (rows(here, f"{command} {source}") for source in (f"scores.csv -m AP {wanted}", "three.csv -m AP"))
    assert [{**row, "collection": ""} for row in chosen] == [{**row, "collection": ""} for row in alone]


@pytest.mark.parametrize(
    "words", ["variance scores.csv -m map", "convert scores.csv -m map", "standardise fit scores.csv -m map"]
)
def test_a_measure_by_another_name(here: Type, words: str) -> None:
    assert {row["measure"] for row in rows(here, words)} == {"AP"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("variance RUN", "RUN: contains a run, not scores. Evaluate it first: cranfield evaluate QRELS RUN... -q -o scores.csv"),
        ("variance qrels.txt", "qrels.txt: contains judgments, not scores. Evaluate runs against them first: cranfield "
         "evaluate QRELS RUN... -q -o scores.csv"),
        ("compare RUN", "RUN: contains a run, not scores. Put the qrels file first: cranfield compare QRELS RUN..."),
        ("compare qrels.txt", "qrels.txt contains only judgments. Add the runs (cranfield compare QRELS RUN...), or "
         "give score files."),
        ("compare qrels.txt scores.csv -m AP", "scores.csv: contains scores, not a run. Put runs after the qrels file: "
         "cranfield compare QRELS RUN..."),
        ("evaluate RUN qrels.txt", "RUN: contains a run, not judgments. Put the qrels file first: cranfield evaluate QRELS RUN..."),
        ("trec_eval RUN qrels.txt", "RUN: contains a run, not judgments. Put the qrels file first: cranfield trec_eval QRELS RUN"),
        ("trec_eval qrels.txt scores.csv", "scores.csv: contains scores, not a run. Put runs after the qrels file: cranfield trec_eval QRELS RUN"),
        ("evaluate qrels.txt qrels.txt", "qrels.txt: contains judgments, not a run. Put runs after the qrels file: "
         "cranfield evaluate QRELS RUN..."),
        ("evaluate scores.csv RUN", "scores.csv: contains scores, not judgments. Put the qrels file first: cranfield "
         "evaluate QRELS RUN..."),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_recognised(here: Type, words: str, message: str) -> None:
    run = str(next(Path("runs").iterdir()))
    result = here(*words.replace("variance RUN", f"variance {run}").replace(" RUN", f" {run}").split())
    assert result.exit_code in (1, 2)
    said = "error: " + message.replace("RUN:", f"{run}:")
    assert result.stderr == said + "\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "-o s3://bucket/a.csv",
            "error: s3:/bucket/a.csv: is a URL, and only local files are written; name a local file",
        ),
        ("-o nowhere/a.csv", "error: nowhere/a.csv: cannot be written: there is no directory nowhere"),
        ("--plot nowhere/a.svg", "error: nowhere/a.svg: cannot be written: there is no directory nowhere"),
        ("--plot a.svg --chart curve", "error: unknown chart 'curve'"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_read(here: Type, words: str, message: str) -> None:
    result = here("compare", "no-such-scores.csv", *words.split())
    assert result.exit_code in (1, 2)
    assert result.stderr.startswith(message)
    assert here("compare", "no-such.csv", "-o", "a.doc").stderr.startswith("error: cannot tell the format of a.doc")


@pytest.mark.parametrize(
    ("words", "package", "message"),
    [
        (
            "simulate tests no-such.csv --mode copula",
            "pyvinecopulib",
            "error: --mode 'copula' needs pyvinecopulib; install",
        ),
        (
            "evaluate qrels.txt no-such.run -m irm:Accuracy",
            "ir_measures",
            "error: measures named irm:… need ir_measures",
        ),
        ("serve --port 1", "uvicorn", "error: the page needs uvicorn. Install: "),
    ],
)
def test_a_missing_extra_is_said_before_anything_is_read(
    here: Type, monkeypatch: pytest.MonkeyPatch, words: str, package: str, message: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # importing it fails
    result = here(*words.split())
    assert result.exit_code in (1, 2)
    assert result.stderr.startswith(message)


@pytest.mark.parametrize(
    "words",
    [
        "replicates qrels.txt runs -m AP --splits 2 --resamples 20",
        "cost qrels.txt runs -m AP --depth 10 --systems 4 --min-diff 0.3",
        "pool qrels.txt runs --depth 10",
        "reuse qrels.txt runs -m AP --team-prefix .*-. --resamples 20",
        "report qrels.txt runs -m AP --resamples 20 -o report.html",
    ],
)
def test_stray_files_among_runs_are_named(here: Type, words: str) -> None:
    for name in ("README.md", "Thumbs.db"):
        Path("runs", name).write_text("no run")
    said = "runs: skipped README.md, Thumbs.db (not data, or a folder)"
    if words.startswith("report"):
        skips = [word for name in REPORT_SECTIONS if name not in ("data", "methods") for word in ("--skip", name)]
        assert here(*words.split(), *skips).exit_code == 0
        assert said in Path("report.html").read_text()
        return
    result = here(*words.split(), "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert f"warning: {said}" in result.stderr
    assert said in json.loads(result.stdout)["warnings"]


def test_help_of_a_command_and_pages(here: Type) -> None:
    assert here("help", "design", "anova").stdout == here("design", "anova", "--help").stdout
    assert "randomised-tukey" in here("help", "tests").stdout
    assert "holm" in here("help", "corrections").stdout
    page = here("help", "exit-codes").stdout
    assert all(meaning in page for meaning in EXIT_CODES.values())
    assert here("help").stdout.splitlines()[2] == here("--help").stdout.splitlines()[2]
    unknown = here("help", "contrast")
    assert unknown.exit_code == 2
    assert unknown.stderr.startswith("error: unknown command 'contrast'.")


def test_the_exit_codes_are_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "gate.md").read_text()
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in page


def test_help_names_no_file_that_is_not_installed(here: Type) -> None:
    from cranfield.core.question import questions

    for name in questions():
        assert "docs/" not in here(*name.split(), "--help").stdout, name


def test_quiet_leaves_warnings_and_notes_out(here: Type) -> None:
    run = next(Path("runs").iterdir())
    Path("half.csv").write_text("topic,a,b\n1,0.5,0.25\n2,,0.5\n3,0.5,0.25\n4,0.1,0.2\n")
    words = ["compare", "half.csv", "--missing", "zero", "--test", "t"]
    loud, quiet = here(*words), here(*words, "--quiet")
    assert "warning: " in loud.stderr
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    assert json.loads(here(*words, "--quiet", "--format", "json").stdout)["warnings"]
    assert here("evaluate", "qrels.txt", str(run), "--quiet", "-o", "means.csv").stderr == ""
    assert here("compare", "none.csv", "--quiet").stderr.startswith("error: ")


def test_check_compares_runs_with_judgments(here: Type) -> None:
    run = next(Path("runs").iterdir())
    checked = {row["file"]: row for row in rows(here, f"check qrels.txt {run}")}
    assert checked[str(run)]["shared_topics"] == 12
    assert checked[str(run)]["judged_at_10"] == 1.0
    Path("plain.run").write_text("1 Q0 D1 1 3.5 x\n02 Q0 d2 1 2.5 x\n3 Q0 d3 1 1.5 x\n")
    Path("plain.qrels").write_text("1 0 d1 1\n2 0 d2 1\n3 0 d3 0\n4 0 d1 0\n")
    result = here("check", "plain.run", "plain.qrels")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "warning: plain.run: 1 topic id would match the judgments if case, blanks and leading zeros were ignored; "
        "write them alike",
        "warning: plain.run: 1 document id would match the judgments if case and blanks were ignored; write them alike",
    ]


def test_many_alike_warnings_become_one() -> None:
    texts = [f"run{i}: no document for 2 of 50 topics, scored 0: 1, 2" for i in range(40)]
    assert gathered(texts) == [
        "run0, run1, run2, run3, run4 and 35 more: no document for 2 of 50 topics, scored 0: 1, 2"
    ]
    measured = [f"AP, P@10: {text}" for text in texts]
    assert len(gathered(measured)) == 1
    assert gathered(["one", "two: 2", "one", "three: 3"]) == ["one", "two: 2", "three: 3"]


def test_many_warnings_that_differ_in_numbers_become_one() -> None:
    """Capitals in the ids of 40 runs: some find one of the judged documents, others two, and so on."""
    texts = [f"run{i}: only {i % 9 + 1} of its 44,{i:03} documents is judged" for i in range(40)]
    (one,) = gathered(texts)
    assert one == ("run0, run1, run2, run3, run4 and 35 more: only 1–9 of its 44,000–44,039 documents is judged")
    assert gathered(texts[:3]) == texts[:3]
    missing = [f"run{i}: no document for {i} of 50 topics: {', '.join(map(str, range(i)))}" for i in range(2, 40)]
    (lacking,) = gathered(missing)
    assert "no document for 2–39 of 50 topics: 0, 1, 2" in lacking
    assert lacking.endswith(", 38, …")
    assert gathered([f"AP: {text}" for text in texts]) == [f"AP: {one}"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("evaluate", "Missing arguments 'QRELS' and 'RUN...'."),
        ("pool", "Missing arguments 'QRELS' and 'RUN...', and option '--depth'."),
        ("design recommend", "Missing argument 'SCORES...', and options '--systems' and '--min-diff'."),
        ("design recommend scores.csv --systems=3", "Missing option '--min-diff'."),
    ],
)
def test_all_that_is_missing_is_named_at_once(here: Type, words: str, said: str) -> None:
    result = here(*words.split())
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: {said}")


def test_the_help_of_trec_eval_is_its_own(here: Type) -> None:
    assert here("help", "trec_eval").stdout == here("trec_eval", "-h").stdout
