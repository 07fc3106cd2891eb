"""Tables as spreadsheets save them: summary rows, systems in rows, decimal commas, percentages, titles and remarks."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import DataError, FileError, ScoreMatrix, check_file, compare, read_collections, read_scores
from cranfield.core.errors import quietly
from cranfield.core.files import system_name
from cranfield.questions.files import kind_of
from cranfield.scores.doors import as_scores
from cranfield.scores.readers import read_part

TOPICS = [str(topic) for topic in range(1, 7)]
SYSTEMS = ["BM25", "Neural"]
VALUES = np.array([[0.31, 0.42], [0.25, 0.33], [0.48, 0.5], [0.12, 0.29], [0.61, 0.66], [0.46, 0.5]])
EXPECTED = ScoreMatrix(VALUES, TOPICS, SYSTEMS, "score")
ROWS = {
    "all": "0.3717,0.4500", "Mean": "0.3717,0.45", "AVERAGE": "0.372,0.45", "avg": "0.37,0.45", "amean": "0.3717,0.45",
    "gmean": "0.3285,0.4291", "Total": "2.23,2.7", "sum": "2.23,2.70", "Median": "0.385,0.46",
    "SD": "0.1766,0.1343", "Std": "0.1612,0.1226", "stdev": "0.177,0.134", "Min": "0.12,0.29", "MAX": "0.61,0.66",
}  # fmt: skip
Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    monkeypatch.chdir(tmp_path)

    def write(content: str, name: str = "s.csv") -> Path:
        Path(name).write_bytes(content.encode())
        return Path(name)

    return write  # type: ignore[return-value]


def wide(*more: str, mark: str = ",") -> str:
    lines = ["topic,BM25,Neural", *(f"{t},{a},{b}" for t, (a, b) in zip(TOPICS, VALUES.tolist(), strict=True)), *more]
    return "\n".join(lines).replace(",", mark) + "\n"


def of(data: str, name: str = "s.csv") -> ScoreMatrix:
    (matrix,) = read_part(name, data=data.encode()).matrices
    return matrix


def frame(**more: Any) -> pl.DataFrame:
    return pl.DataFrame({"topic": TOPICS, **dict(zip(SYSTEMS, VALUES.T.tolist(), strict=True)), **more})


def with_mean() -> pl.DataFrame:
    return pl.concat([frame(), pl.DataFrame({"topic": ["Mean"], "BM25": [0.3717], "Neural": [0.45]})])


def long(table: pl.DataFrame) -> pl.DataFrame:
    return table.unpivot(index="topic", variable_name="system", value_name="value")


# ── summary rows and columns ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_summary_row_is_left_out_with_a_warning(name: str, mark: str) -> None:
    read = of(wide(f"{name},{ROWS[name]}", mark=mark))
    assert read == EXPECTED
    assert read.warnings[0].startswith(f"s.csv: row {name!r} is the ")
    assert read.warnings[0].endswith(" of the other topics; dropped")


def test_several_summaries_of_rows_and_columns() -> None:
    text = wide(f"Mean,{ROWS['Mean']}", f"SD,{ROWS['SD']}").splitlines()
    ends = ["avg", *(str(round(float(row.mean()), 3)) for row in VALUES), "0.411", "0.15"]
    read = of("\n".join(f"{line},{end}" for line, end in zip(text, ends, strict=True)))
    assert read == EXPECTED
    assert [warning.partition(" is ")[0] for warning in read.warnings] == [
        "s.csv: column 'avg'", "s.csv: row 'Mean'", "s.csv: row 'SD'",
    ]  # fmt: skip


def test_the_answer_of_the_issue(put: Put) -> None:
    """Six topics decide nothing; with the row of means there seemed to be seven, and a difference."""
    path = put(wide(f"Mean,{ROWS['Mean']}"), "s.csv")
    with quietly():
        plain, summed = compare(EXPECTED), compare(str(path))
    assert plain.to_frame().equals(summed.to_frame())
    assert any("s.csv: row 'Mean' is the mean of the other topics" in warning for warning in summed.warnings)


def test_a_name_without_the_values_is_refused_with_the_line() -> None:
    with pytest.raises(
        FileError, match=r"^s.csv:8: topic 'Mean' is named like a summary row but .*\. Rename the topic or"
    ):
        of(wide("Mean,0.6,0.45"))
    with pytest.raises(
        FileError, match=r"^s.csv:1: system 'max' is named like a summary column but .*Rename the system"
    ):
        of("topic,a,b,max\n1,0.1,0.2,0.3\n2,0.2,0.1,0.05\n")
    with pytest.raises(FileError, match="topic 'Mean' is named like a summary row"):
        of("topic,a\nMean,0.5\n")


def test_summary_rows_of_long_and_tidy_tables() -> None:
    text = long(with_mean()).write_csv()
    assert of(text) == EXPECTED
    assert of(text).warnings == ("s.csv: row 'Mean' is the mean of the other topics; dropped",)
    assert of(text.replace(",", "\t"), "s.tsv") == EXPECTED
    wrong = text.replace("0.3717", "0.9")
    with pytest.raises(FileError, match="s.csv: topic 'Mean' is named like a summary row"):
        of(wrong)
    tidy = of(text.replace("value", "AP"))
    assert (tidy.topics, tidy.measure, len(tidy.warnings)) == (tuple(TOPICS), "AP", 1)
    extra = [f"{topic},mean,{round(float(row.mean()), 4)}" for topic, row in zip(TOPICS, VALUES, strict=True)]
    assert of(long(frame()).write_csv() + "\n".join(extra)) == EXPECTED
    # A long table calls a system a system, so one that only has the name of a summary stays.
    assert of(long(frame()).write_csv().replace("BM25", "max")).systems == ("max", "Neural")


def test_rows_of_evaluation_tools_stay_as_they_were(put: Put) -> None:
    """Whatever the value: it may be over topics that are not in the file."""
    read = of(long(frame()).write_csv() + "all,BM25,0.9\nall,Neural,0.8\n")
    assert read == EXPECTED
    assert not read.warnings
    path = put("map\t1\t0.2\nmap\t2\t0.4\nmap\tall\t0.1\n", "bm25.eval")
    assert read_scores(path).only().topics == ("1", "2")


@pytest.mark.parametrize("table", [with_mean, lambda: long(with_mean())], ids=["wide", "long"])
def test_summary_rows_of_parquet_and_frames(table: Callable[[], pl.DataFrame]) -> None:
    raw = io.BytesIO()
    table().write_parquet(raw)
    (read,) = read_part("s.parquet", data=raw.getvalue()).matrices
    assert read == EXPECTED
    assert read.warnings == ("s.parquet: row 'Mean' is the mean of the other topics; dropped",)
    pandas = pd.DataFrame(table().to_dict(as_series=False))
    for one in (table(), pandas):
        scores = as_scores(one).only()
        assert scores == EXPECTED
        assert scores.warnings == ("row 'Mean' is the mean of the other topics; dropped",)
    wrong = table().with_columns(pl.col(table().columns[-1]) * pl.when(pl.col("topic") == "Mean").then(2).otherwise(1))
    with pytest.raises(DataError, match="topic 'Mean' is named like a summary row"):
        as_scores(wrong)


def test_summary_rows_of_mappings_and_json(put: Put) -> None:
    given = {"a": {"1": 0.25, "2": 0.75, "all": 0.5}, "b": {"1": 0.5, "2": 1.0, "all": 0.75}}
    assert as_scores(given).only().topics == ("1", "2")
    path = put(str(given).replace("'", '"'), "s.json")
    assert read_scores(path).only().warnings[0].startswith("s.json: row 'all' is the mean of")


def test_missing_cells_are_passed_over_in_a_mean() -> None:
    text = "topic,a,b\n1,0.2,0.4\n2,,0.6\n3,0.4,0.8\nMean,0.3,0.6\n"
    (matrix,) = read_part("s.csv", data=text.encode(), options=_options("drop-topic")).matrices
    assert matrix.topics == ("1", "3")
    (matrix,) = read_part("s.csv", data=text.replace("0.3,", "0.2,").encode(), options=_options("zero")).matrices
    assert matrix.topics == ("1", "2", "3")


def _options(missing: Any) -> Any:
    from cranfield.scores.formats import ReadOptions

    return ReadOptions(missing=missing)


def test_check_reports_summaries(put: Put) -> None:
    good = check_file(put(wide(f"Mean,{ROWS['Mean']}"), "s.csv"))
    assert (good.n_topics, good.problems) == (6, 0)
    assert "row 'Mean' is the mean of the other topics; dropped" in good.notes
    bad = check_file(put(wide("Mean,0.6,0.45"), "s.csv"))
    assert (bad.problems, "s.csv:8: topic 'Mean' is named like" in bad.error) == (1, True)


cells = st.integers(0, 10_000).map(lambda whole: whole / 10_000)


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(st.lists(cells, min_size=2, max_size=2), min_size=2, max_size=12),
    name=st.sampled_from(["Mean", "mean", "Average", "AVG", "amean"]),
    digits=st.integers(2, 16),
    layout=st.sampled_from(["wide", "long", "tsv", "frame"]),
)
def test_a_true_mean_changes_nothing(values: list[list[float]], name: str, digits: int, layout: str) -> None:
    topics = [f"q{at}" for at in range(len(values))]
    plain = pl.DataFrame({"topic": topics, "a": [x for x, _ in values], "b": [y for _, y in values]})
    means = np.round(np.mean(values, axis=0), digits).tolist()
    summed = pl.concat([plain, pl.DataFrame({"topic": [name], "a": means[:1], "b": means[1:]})])
    expected = ScoreMatrix(values, topics, ["a", "b"])
    if layout == "frame":
        read = as_scores(summed).only()
    else:
        table = long(summed) if layout == "long" else summed
        read = of(table.write_csv(separator="\t" if layout == "tsv" else ","))
    assert read == expected
    assert len(read.warnings) == 1
    with quietly():
        assert compare(read, n_resamples=200).to_frame().equals(compare(expected, n_resamples=200).to_frame())


LABELS = st.sampled_from(
    ["1", "2", "301", "T7", "Mean", "all", "Average", "sum", "Median", "SD", "min", "Max", "gmean", "N", "MAP", "Mean AP",
     "Mittelwert", "red cars", "apple", "mean-pooling", "number of cars", "maximal"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    rows=st.dictionaries(LABELS, st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=6),
    digits=st.integers(1, 4),
    layout=st.sampled_from(["wide", "long", "frame"]),
)
def test_no_row_vanishes_without_a_word(rows: dict[str, list[float]], digits: int, layout: str) -> None:
    """Every topic is read with its scores, or a warning names it, or the table is refused."""
    values = {topic: [round(x, digits) for x in row] for topic, row in rows.items()}
    table = pl.DataFrame(
        {"topic": list(values), "a": [x for x, _ in values.values()], "b": [y for _, y in values.values()]}
    )
    try:
        if layout == "frame":
            read = as_scores(table).only()
        else:
            read = of((long(table) if layout == "long" else table).write_csv())
    except DataError as error:
        assert any(topic in str(error) for topic in values) or "only means" in str(error)
        return
    for topic, row in values.items():
        if topic in read.topics:
            assert read.values[read.topics.index(topic)].tolist() == row
        elif layout == "long" and topic == "all":  # of evaluation tools, and said in the provenance
            assert any("(topic 'all') not read" in step for step in read.provenance)
        else:
            assert any(f"row {topic!r} is the " in warning for warning in read.warnings)


@pytest.mark.parametrize(
    ("label", "row"),
    [("Mittelwert", "0.3717,0.45"), ("Moyenne", "0.3717,0.45"), ("MAP", "0.3717,0.45"), ("Mean (n = 6)", "0.3717,0.45"),
     ("Mean AP", "0.3717,0.45"), ("N", "6,6")],
)  # fmt: skip
def test_summaries_by_other_names(label: str, row: str) -> None:
    read = of(wide(f"{label},{row}"))
    assert read == EXPECTED
    assert read.warnings[0].startswith(f"s.csv: row {label!r} is the ")


@pytest.mark.parametrize("label", ["MAP", "n", "Mean pooling", "Gesamt"])
def test_topics_that_may_be_called_so_stay(label: str) -> None:
    read = of(wide(f"{label},0.9,0.1"))
    assert (read.topics, read.warnings) == ((*TOPICS, label), ())


def test_each_name_means_its_own_statistic() -> None:
    with pytest.raises(FileError, match="topic 'Mean' is named like a summary row"):
        of("topic,a\n1,0.2\n2,0.4\nMean,0.7\n")  # the sum, within the digits
    with pytest.raises(FileError, match="topic 'all' is named like a summary row"):
        of(wide("all,0.2,0.1"))  # the standard deviation, within the digits


def test_a_row_of_means_by_any_name_is_reported() -> None:
    read = of(wide("Gesamtwert,0.3717,0.45"))
    assert read.topics == (*TOPICS, "Gesamtwert")
    assert read.warnings == (
        "s.csv: row 'Gesamtwert' equals the mean of the other topics and counts as a topic; remove it if it sums up",
    )
    assert of(wide("7,0.3717,0.45")).warnings == ()  # numbered as the others are
    assert of("topic,a\n1,0.5\n2,0.5\nlast,0.5\n").warnings == ()  # every row equals the mean


@pytest.mark.parametrize(
    ("row", "what"), [("Gesamt,2.23,2.70", "sum"), ("Streuung,0.1766,0.1343", "standard deviation")]
)
def test_a_row_of_other_statistics_by_any_name_is_reported(row: str, what: str) -> None:
    name = row.partition(",")[0]
    assert of(wide(row)).warnings == (
        f"s.csv: row {name!r} equals the {what} of the other topics and counts as a topic; remove it if it sums up",
    )


@pytest.mark.parametrize("name", ["Std. Dev.", "avg.", "Grand total", "Summe", "Standardabweichung"])
def test_more_names_of_summary_rows(name: str) -> None:
    values = {"a": "0.3717,0.45", "S": "0.1766,0.1343"}.get(name[0], "2.23,2.70")
    assert of(wide(f"{name},{'2.23,2.70' if name == 'Summe' else values}")) == EXPECTED


@pytest.mark.parametrize("name", ["Variance", "Standard error", "95% CI"])
def test_rows_of_spread_are_refused(name: str) -> None:
    with pytest.raises(FileError, match=f"^s.csv:8: topic '{name}' is named like a summary row"):
        of(wide(f"{name},0.03,0.02"))


@pytest.mark.parametrize("head", ["Modell", "Système", "participant"])
@pytest.mark.parametrize("topics", ["1,2,3", "T1,T2,T3"])
def test_columns_like_topics_under_an_unknown_head_are_refused(head: str, topics: str) -> None:
    """Numbers in the first row were taken for scores of a topic of that name."""
    text = f"{head},{topics}\nbm25,0.1,0.2,0.3\nneural,0.2,0.3,0.4\n"
    with pytest.raises(FileError, match="s.csv:1: cannot tell whether rows are topics or systems: columns are named"):
        of(text)
    frame = pd.read_csv(io.StringIO(text), index_col=0)
    with pytest.raises(DataError, match="cannot tell whether rows are topics or systems"):
        as_scores(frame)


@pytest.mark.parametrize("rows", ["cats,1,0,1\ndogs,0.5,1,0\n", "cats,3,0,1\ndogs,5,1,0\n"])
def test_whole_scores_without_a_header_stay_scores(rows: str) -> None:
    assert of(rows).topics == ("cats", "dogs")


@pytest.mark.parametrize("head", ["system name", "Approach", "run_id", "tag", "retriever"])
def test_more_heads_of_tables_with_systems_in_rows(head: str) -> None:
    read = of(f"{head},cats,dogs\nbm25,0.1,0.2\nneural,0.2,0.3\n")
    assert (read.systems, read.topics) == (("bm25", "neural"), ("cats", "dogs"))
    assert read.warnings[0].startswith(f"s.csv: the first column is named {head!r}")


@pytest.mark.parametrize("head", ["measure", "", "metric"])
def test_measures_in_rows_are_no_topics(head: str) -> None:
    text = f"{head},bm25,neural\nAP,0.2,0.3\nnDCG@10,0.3,0.4\nP@10,0.4,0.5\n"
    with pytest.raises(FileError, match=r"s.csv: topics are named AP, nDCG@10, P@10, which are measures\."):
        of(text)
    with pytest.raises(DataError, match="which are measures"):
        as_scores(pd.read_csv(io.StringIO(text), index_col=0))


@pytest.mark.parametrize("topics", [["1", "2", "3"], ["T1", "T2", "T3"], ["q-1", "q-2", "q-3"]])
def test_columns_like_topics_without_a_head_are_refused(topics: list[str]) -> None:
    text = f",{','.join(topics)}\nbm25,0.1,0.2,0.3\nneural,0.2,0.3,0.4\n"
    with pytest.raises(FileError, match="s.csv:1: cannot tell whether rows are topics or systems: columns are named"):
        of(text)
    assert of(f"system{text}").systems == ("bm25", "neural")
    assert of(f"topic{text}").topics == ("bm25", "neural")
    table = pd.DataFrame([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]], index=["bm25", "neural"], columns=topics)
    with pytest.raises(DataError, match="cannot tell whether rows are topics or systems"):
        as_scores(table)
    assert of(",1,2\nT1,0.1,0.2\nT2,0.3,0.4\n").topics == ("T1", "T2")


def test_what_was_skipped_and_how_numbers_are_written_is_said_with_the_answer(put: Put) -> None:
    path = put("Our results;;\ntopic;bm25;ql\n1;0,2;0,3\n2;0,4;0,6\nmade by us;;\n", "s.csv")
    with quietly():
        said = compare(str(path)).warnings
    for text in (
        "s.csv: line 1 is a title",
        "s.csv: line 5 is a remark",
        "s.csv: numbers are written with decimal commas",
    ):
        assert any(text in one for one in said), text


# ── means, systems in rows, and ranges ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("head", ["system", "Run", "MODEL", "name", "method", "", "approach"])
def test_means_of_systems_are_refused(head: str) -> None:
    with pytest.raises(FileError, match="s.csv:1: holds one row of means per system.*Per-topic scores are needed"):
        of(f"{head},AP,nDCG@10,P@10\nbm25,0.2,0.3,0.4\nneural,0.3,0.4,0.5\n")
    with pytest.raises(FileError, match="Per-topic scores are needed"):
        of("system,score\nbm25,0.2\nneural,0.3\n")
    with pytest.raises(FileError, match="Per-topic scores are needed"):
        of("run,Precision,Recall,F1\nbm25,0.2,0.3,0.4\nneural,0.3,0.4,0.5\n")


def test_means_of_systems_in_frames_are_refused() -> None:
    means = {"system": ["a", "b"], "AP": [0.2, 0.3], "P@10": [0.1, 0.4]}
    indexed = pd.DataFrame(means).set_index("system")
    for table in (pl.DataFrame(means), pd.DataFrame(means), indexed, indexed.rename_axis(None)):
        with pytest.raises(DataError, match="Per-topic scores are needed"):
            as_scores(table)
    raw = io.BytesIO()
    pl.DataFrame(means).write_parquet(raw)
    with pytest.raises(FileError, match="Per-topic scores are needed"):
        read_part("s.parquet", data=raw.getvalue())


def test_measures_of_one_system_are_no_systems(put: Put) -> None:
    text = "topic,AP,nDCG@10\n1,0.2,0.3\n2,0.4,0.5\n"
    both = read_scores([put(text, "bm25.csv"), put(text.replace("0.2", "0.1"), "ql.csv")])
    assert (list(both), both["AP"].systems) == (["AP", "nDCG@10"], ("bm25", "ql"))
    one = as_scores(pl.read_csv(io.StringIO(text)))
    assert (list(one), one["AP"].n_systems) == (["AP", "nDCG@10"], 1)
    assert of("topic,P,AP\n1,0.2,0.3\n2,0.4,0.5\n").systems == ("P", "AP")


def test_parquet_holds_any_table(put: Put) -> None:
    tidy = pl.DataFrame({"system": ["a", "b"], "qid": ["1", "1"], "AP": [0.5, 0.25], "RR": [1.0, 0.5]})
    single = pl.DataFrame({"qid": ["1", "2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]})
    tables = {"tidy.parquet": tidy, "bm25.parquet": single, "wide.AP.parquet": frame().rename({"topic": "query_id"})}
    read = {}
    for name, table in tables.items():
        raw = io.BytesIO()
        table.write_parquet(raw)
        read[name] = read_part(name, data=raw.getvalue()).matrices
    assert [matrix.measure for matrix in read["tidy.parquet"]] == ["AP", "RR"]
    assert read["bm25.parquet"][0].systems == ("bm25",)
    assert read["wide.AP.parquet"][0].systems == EXPECTED.systems


def by_system(head: str, topics: list[str], mark: str = ",") -> str:
    lines = [[head, *topics], *([s, *map(str, row)] for s, row in zip(SYSTEMS, VALUES.T.tolist(), strict=True))]
    return "\n".join(mark.join(line) for line in lines) + "\n"


@pytest.mark.parametrize("head", ["System", "run", "MODEL", "name", "method", "systems", "Runs", "models"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("topics", [TOPICS, [f"T{topic}" for topic in TOPICS]], ids=["numbers", "words"])
def test_systems_in_rows(head: str, mark: str, topics: list[str]) -> None:
    read = of(by_system(head, topics, mark))
    assert read == ScoreMatrix(VALUES, topics, SYSTEMS, "score")
    said = f"the first column is named {head!r}, so rows are read as systems, columns as topics"
    assert read.warnings == (f"s.csv: {said}",)
    assert said in read.provenance


def test_systems_in_rows_with_two_topics_set_apart_by_tabs() -> None:
    read = of("System\t1\t2\nbm25\t0.2\t0.4\nql\t0.1\t0.3\n", "s.tsv")
    assert (read.systems, read.topics) == (("bm25", "ql"), ("1", "2"))


def test_systems_in_rows_with_a_mean() -> None:
    lines = by_system("System", TOPICS).splitlines()
    read = of("\n".join(f"{line},{end}" for line, end in zip(lines, ["Mean", "0.3717", "0.45"], strict=True)))
    assert read == EXPECTED
    assert read.warnings[1] == "s.csv: column 'Mean' is the mean of the other topics; dropped"


def test_systems_in_rows_of_frames() -> None:
    table = pl.DataFrame({"system": SYSTEMS, **dict(zip(TOPICS, VALUES.tolist(), strict=True))})
    raw = io.BytesIO()
    table.write_parquet(raw)
    pandas = pd.DataFrame(table.to_dict(as_series=False))
    read = [as_scores(one).only() for one in (table, pandas, pandas.set_index("system"))]
    read += read_part("s.parquet", data=raw.getvalue()).matrices
    for matrix in read:
        assert matrix == EXPECTED
        assert (
            "the first column is named 'system', so rows are read as systems, columns as topics" in matrix.warnings[0]
        )


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("s.json", '{"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.5, "2": 0.75}}', "scores"),
        ("s.run", "topic a b\n1 0.5 0.25\n2 0.1 0.2\n", "scores"),
        ("qrels.dat", "topic a b\n1 0.5 0.25\n2 0.1 0.2\n", "scores"),
        ("s.csv", "301 Q0 FT911-3 1 9.5 x\n301 Q0 FT911-4 2 8.5 x\n", "run"),
        ("s.csv", '{"qid": "1", "docno": "d", "score": 2.5}\n{"qid": "2", "docno": "d", "score": 1.5}\n', "run"),
        ("s.csv", "301 0 FT911-3 1\n301 0 FT911-4 0\n", "qrels"),
    ],
)
def test_command_line_and_reader_agree_on_what_holds_scores(put: Put, name: str, text: str, kind: str) -> None:
    path = put(text, name)
    assert kind_of(path, "scores") == kind
    if kind == "scores":
        assert read_scores(path).only().n_topics == 2
    else:
        with pytest.raises(FileError, match="not scores. Evaluate the runs first"):
            read_scores(path)


def test_what_stays_as_it_was(put: Put) -> None:
    text = "name,qid,measure,value\na,1,AP,0.5\nb,1,AP,0.25\n"
    assert (of(text).systems, of(text).topics) == (("a", "b"), ("1",))
    assert of("run,base\n0.25,0.5\n0.75,1\n").systems == ("run", "base")  # two systems, no topics
    assert of("run,0.25,0.5\nq2,0.75,1\n").topics == ("run", "q2")  # a topic of that name, no header
    path = put("system,a,b\nq1,0.25,0.5\nq2,0.75,1\n", "s.csv")
    assert read_scores(path, topic_column=True).only().systems == ("a", "b")
    assert of("topic,Q,G\n1,0.5,0.25\n").systems == ("Q", "G")


@pytest.mark.parametrize(
    ("measure", "value"), [("nDCG@10", 1.47), ("AP", 31), ("map", 1.2), ("P_10", 10), ("RR", 1.001), ("AP", -0.01)]
)
def test_scores_outside_their_range_are_refused(measure: str, value: float) -> None:
    text = f"system,topic,measure,value\na,1,{measure},0.5\na,2,{measure},{value}\n"
    with pytest.raises(FileError, match=r"^s.csv: .*: topic '2', system 'a' scores .* lies between 0 and 1\. "):
        of(text)
    with pytest.raises(DataError, match="lies between 0 and 1"):
        as_scores({"a": {"1": 0.5, "2": value}}, measure=measure)
    with pytest.raises(DataError, match="lies between 0 and 1"):
        as_scores(pl.DataFrame({"system": ["a"], "topic": ["1"], "measure": [measure], "value": [value]}))


def test_percentages_without_a_sign_say_what_to_do() -> None:
    with pytest.raises(FileError, match=r"AP lies between 0 and 1\. Divide percentages by 100 \(or write 31% in every"):
        of("topic,a\n1,31\n2,25.5\n", "t.AP.csv")


@pytest.mark.parametrize("measure", ["score", "std-AB(AP)", "z(AP)", "DCG@10", "NumRel", "my.clicks"])
def test_other_measures_may_be_anything(measure: str) -> None:
    assert of(f"system,topic,measure,value\na,1,{measure},-3\na,2,{measure},31\n").values.tolist() == [[-3.0], [31.0]]


# ── European spreadsheets ─────────────────────────────────────────────────────────────────────────────────

COMMAS = "numbers are written with decimal commas"


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas(mark: str) -> None:
    text = wide().replace(",", mark).replace(".", ",")
    assert of(text) == EXPECTED
    assert COMMAS in of(text).provenance
    assert of("\n".join(text.splitlines()[1:])).values.tolist() == VALUES.tolist()
    table = long(frame()).write_csv().replace(",", mark).replace(".", ",")
    assert of(table) == EXPECTED
    assert COMMAS in of(table).provenance
    tidy = of(table.replace("value", "AP"))
    assert (tidy.values.tolist(), COMMAS in tidy.provenance) == (VALUES.tolist(), True)
    assert of(by_system("System", TOPICS, mark).replace(".", ",")) == EXPECTED
    assert of(text + f"Mean{mark}0,3717{mark}0,45\n") == EXPECTED


def test_quoted_decimal_commas() -> None:
    assert of('topic,a,b\n1,"0,25","0,5"\n2,"0,75","1"\n').values.tolist() == [[0.25, 0.5], [0.75, 1.0]]


def test_commas_that_could_be_anything_are_refused() -> None:
    with pytest.raises(FileError, match=r"s.csv:2: .*'0,25'; this has a decimal comma: write a point"):
        of("topic;a;b\n1;0,25;0.5\n")
    with pytest.raises(FileError, match=r"s.csv:2: .*'1,250'; this has a decimal comma"):
        of("topic;a;b\n1;1,250;2,500\n")
    assert of("topic;a\n1,5;3\n2,5;4\n").topics == ("1,5", "2,5")


@pytest.mark.parametrize("write", ["{:g}%", "{:g} %"])
def test_percentages(write: str) -> None:
    lines = ["topic,BM25,Neural"]
    lines += [f"{t},{','.join(write.format(100 * x) for x in row)}" for t, row in zip(TOPICS, VALUES, strict=True)]
    read = of("\n".join(lines))
    assert read == EXPECTED
    assert "scores are percentages: 31% is read as 0.31" in read.provenance
    assert of("topic;a;b\n1;31,7%;50 %\n").values.tolist() == [[0.317, 0.5]]
    assert of("system,topic,value\na,1,31.7%\nb,1,5%\n").values.tolist() == [[0.317, 0.05]]


def test_some_percentages_are_refused() -> None:
    with pytest.raises(FileError, match=r"s.csv:2: .*found '0.5'; the others are percentages: write all scores as"):
        of("topic,a,b\n1,31%,0.5\n")


@pytest.mark.parametrize(
    "title",
    ["Results of the spring trial", "Results 2024,,", "Trial\n\nsecond line of it", ",,\nnDCG@10 of 2024,,"],
)
def test_a_title_above_the_header(title: str) -> None:
    read = of(f"{title}\n{wide()}")
    assert read == EXPECTED
    assert any("is a title above the header; it was not read" in step for step in read.provenance)
    table = of(f"{title}\n{long(frame()).write_csv()}")
    assert table == EXPECTED


def test_a_title_keeps_the_numbers_of_lines() -> None:
    with pytest.raises(FileError, match=r"^s.csv:4: expected a finite number in column 2, found 'x'"):
        of("My results\n\ntopic,a,b\n1,x,0.5\n2,0.5,0.25\n")


def test_remarks_below_the_table() -> None:
    for remark in ("Source: our own runs", "Source: our own runs,,", "* all runs of 2024,,\n\nSee the notes"):
        read = of(f"{wide()}\n{remark}\n")
        assert read == EXPECTED
        assert any("is a remark below the table; it was not read" in step for step in read.provenance)
    assert of(wide(mark=";").replace(".", ",") + "Quelle: eigene Läufe\n") == EXPECTED


def test_what_may_be_data_is_no_remark() -> None:
    with pytest.raises(FileError, match=r"s.csv:8: expected 3 fields as in the first row, found 1: '7'"):
        of(wide("7"))
    with pytest.raises(FileError, match=r"s.csv:4: expected 3 fields"):
        of("topic,a,b\nred cars,0.5,0.5\nblue cars,0.5,0.25\ngreen ca\n")
    with pytest.raises(FileError, match="are missing, first for topic '7'"):
        of(wide("7,,"))


def test_a_title_without_a_header_is_refused() -> None:
    with pytest.raises(FileError, match=r"s.csv:1: .*title"):
        of("My results\n1,0.5,0.25\n2,0.5,0.75\n")


# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["dat", "txt", "run", "csv", "DAT", "txt.gz"])
def test_endings_leave_names(put: Put, ending: str) -> None:
    assert system_name(f"runs/bm25.{ending}") == "bm25"
    text = "topic,value\n1,0.5\n2,0.25\n"
    if ending != "txt.gz":
        assert read_scores(put(text, f"bm25.{ending}")).only().systems == ("bm25",)
    if ending in ("dat", "txt", "csv"):
        assert list(read_collections([str(put(wide(), f"trec8.AP.{ending}"))])) == ["trec8"]


def test_the_command_line_suggests_no_python(put: Put) -> None:
    from click.testing import CliRunner

    from cranfield.cli.main import app

    put("x,0.5,b\n1,0.25,0.5\n", "s.csv")
    for words, advice in (
        (["compare", "s.csv"], "or use cranfield convert --header or --no-header"),
        (["convert", "s.csv"], "or use --header or --no-header"),
    ):
        told = CliRunner().invoke(app, words).stderr
        assert advice in told
        assert "header=" not in told


def test_the_command_line_names_the_row_that_it_left_out(put: Put) -> None:
    from click.testing import CliRunner

    from cranfield.cli.main import app

    put(wide(f"Mean,{ROWS['Mean']}"), "s.csv")
    for command in ("compare", "convert", "check", "leaderboard", "variance"):
        ended = CliRunner().invoke(app, [command, "s.csv"])
        assert ended.exit_code == 0
        assert "row 'Mean' is the mean of the other topics; dropped" in ended.stderr + ended.stdout
