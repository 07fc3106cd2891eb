"""Factors on disk: every format gives back the same bits, and a bad file is named and explained."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, FileError, ScoreMatrix, Scores, Standardisation
from cranfield.questions.standardise.fit import fit_standardisation
from cranfield.scores.matrix import replace_values

SCORES = Scores(
    [
        ScoreMatrix(
            [[0.1, 1 / 3, 0.8], [0.1, 0.1, 0.1]], ["401", "t, 2"], ["a", "b", "c"], "AP", provenance=["typed in"]
        ),
        ScoreMatrix([[3.0, 4.0, 9.0], [1e-9, 2e-9, 0.5]], ["401", "t, 2"], ["a", "b", "c"], "nDCG@10"),
    ]
)


@pytest.fixture
def factors() -> Standardisation:
    with pytest.warns(CranfieldWarning):
        return fit_standardisation(SCORES)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet", ".csv.gz", ".json.zst"])
def test_saved_and_loaded_factors_are_the_same_bits(factors: Standardisation, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"factors{ending}"
    factors.save(path)
    again = Standardisation.load(path)
    assert again == factors
    assert again.provenance == factors.provenance
    assert again.version == 1
    assert again.warnings == factors.warnings
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_same_factors_give_the_same_bytes(factors: Standardisation, tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        factors.save(tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_trec_eval_files_are_written_and_read(tmp_path: Path) -> None:
    raw = SCORES["nDCG@10"].select(topics=["401"])
    factors = fit_standardisation(raw)
    path = tmp_path / "f.zscores"
    factors.save(path)
    topic, measure, mean, sd = path.read_text().split()
    assert (topic, measure, float(mean), float(sd)) == (
        "401",
        "ndcg_cut_10",
        factors["nDCG@10"].mean[0],
        factors["nDCG@10"].sd[0],
    )
    again = Standardisation.load(path)
    assert again["nDCG@10"].n_systems == (None,)
    assert again.apply(raw).scores.only() == factors.apply(raw).scores.only()
    assert "systems unknown" in again.signature


def test_trec_eval_has_one_name_where_we_have_two(tmp_path: Path) -> None:
    raw = SCORES["nDCG@10"].select(topics=["401"])
    both = fit_standardisation(Scores([replace_values(raw, raw.values, measure=name) for name in ("AP", "AP(rel=2)")]))
    with pytest.raises(DataError, match=r"^AP and AP\(rel=2\) are both map to trec_eval; write them to two -Z files$"):
        both.save(tmp_path / "f.zscores")


def test_factors_are_found_by_any_name_of_the_measure(tmp_path: Path) -> None:
    path = tmp_path / "f.zscores"
    path.write_text("1 map 0.25 0.5\n1 P_10 0.5 0.1\n1 clicks 3 1\n")
    factors = Standardisation.load(path)
    assert [factors[name].mean[0] for name in ("AP", "map", "MAP", "P@10", "P.10", "clicks")] == [
        0.25, 0.25, 0.25, 0.5, 0.5, 3.0
    ]  # fmt: skip
    assert "nDCG" not in factors
    assert "AP(rel=2)" not in factors


def test_a_table_without_version_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "hand.csv"
    path.write_text("measure,topic,sd,mean\nAP,1,0.5,0.25\n")
    assert Standardisation.load(path).to_frame().rows() == [("1", "AP", 0.25, 0.5, None)]


def test_a_topic_called_0_is_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('{"version": 1, "rows": [{"topic": 0, "measure": "AP", "mean": 0.25, "sd": 0.5}]}')
    assert Standardisation.load(path)["AP"].topics == ("0",)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        (
            "f.csv",
            "topic,measure,mean,sd,version\n1,AP,0.1,0.2,2\n",
            "{path}:2: is version 2 of the factors file; this cranfield reads version 1; fit the factors again",
        ),
        (
            "f.json",
            '{"version": 7, "rows": []}',
            "{path}: is version 7 of the factors file; this cranfield reads version 1; fit the factors again",
        ),
        ("f.json", '{"version": 1, "rows": []}', "{path}: holds no factors"),
        ("f.json", '{"version": 1}', '{path}: has no "rows" of factors; is it a factors file?'),
        ("f.json", '{"version": 1,', None),
        ("f.csv", "topic,measure,mean\n1,AP,0.1\n", "{path}: lacks the column 'sd'; it has: topic, measure, mean"),
        (
            "f.csv",
            "topic,measure,mean,sd,systems\n1,AP,0.1,0.2,1\n",
            "{path}: AP: the factors of topic '1' rest on 1 system; a standard deviation needs at least 2",
        ),
        (
            "f.csv",
            "topic,measure,mean,sd\n1,AP,0.1,-0.2\n",
            "{path}: AP: the factors of topic '1' are mean 0.1, sd -0.2; both must be finite and sd not negative; "
            "fit the factors again",
        ),
        ("f.csv", "topic,measure,mean,sd\n1,AP,x,0.2\n", "{path}:2: topic '1', AP: 'x' is not a finite number"),
        ("f.csv", "topic,measure,mean,sd\n1,AP,nan,0.2\n", "{path}:2: topic '1', AP: 'nan' is not a finite number"),
        ("f.csv", "topic,measure,mean,sd\n,AP,1,0.2\n", "{path}:2: lacks a topic or a measure"),
        (
            "f.csv",
            "topic,measure,mean,sd\n1,AP,1,2\n1,AP,1,2\n",
            "{path}:3: topic '1', AP: factors given twice; keep one row",
        ),
        (
            "f.z",
            "301 map 0.1 0.2\n301 P_5 0.1\n",
            "{path}:2: expected 4 fields (topic measure mean sd), found 3: '301 P_5 0.1'",
        ),
        (
            "f.csv",
            "topic,measure,mean,sd\n1,AP,0.1\n2,AP,0,1,0.2\n",
            "{path}: 2 problems\n  {path}:2: expected 4 fields as in the first row, found 3: '1,AP,0.1'\n"
            "  {path}:3: expected 4 fields as in the first row, found 5: '2,AP,0,1,0.2'",
        ),
        ("f.parquet", "PAR1 nonsense", None),
        ("f.csv", "", "{path}: is empty; expected at least one line of data"),
    ],
)
def test_bad_files_are_explained(tmp_path: Path, name: str, content: str, text: str | None) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        Standardisation.load(path)
    if text is not None:
        assert str(caught.value) == text.replace("{path}", str(path))


def test_nothing_half_written_stays(factors: Standardisation, tmp_path: Path) -> None:
    kept = tmp_path / "kept.zscores"
    kept.write_text("before")
    with pytest.raises(
        DataError, match=r"^'t, 2' cannot be written to a trec_eval -Z file, whose fields are separated by blanks$"
    ):
        factors.save(kept)
    assert kept.read_text() == "before"
    with pytest.raises(FileError, match="cannot be written"):
        factors.save(tmp_path / "nowhere" / "f.csv")
    with pytest.raises(ArgumentError) as caught:
        factors.save(tmp_path / "factors.xls")
    assert str(caught.value) == (
        f"cannot tell the format of {tmp_path / 'factors.xls'} from its ending; end it in .csv, .tsv, .json, .parquet, "
        ".zscores, or name the format: csv, tsv, json, parquet, trec"
    )
    with pytest.raises(ArgumentError, match=r"^`format` must be one of csv, tsv, json, parquet, trec; got 'xls'$"):
        factors.save(tmp_path / "factors.xls", format="xls")  # type: ignore[arg-type]
    assert [file.name for file in tmp_path.iterdir()] == ["kept.zscores"]


def test_json_says_what_it_is(factors: Standardisation, tmp_path: Path) -> None:
    factors.save(tmp_path / "f.json")
    content = json.loads((tmp_path / "f.json").read_text())
    assert content["format"] == "cranfield standardisation factors"
    assert content["version"] == 1
    assert content["provenance"][0] == "AP: typed in"


def test_parquet_carries_version_and_history(factors: Standardisation, tmp_path: Path) -> None:
    factors.save(tmp_path / "f.parquet")
    frame = pl.read_parquet(tmp_path / "f.parquet")
    assert frame["version"].unique().to_list() == [1]
    assert "typed in" in frame["provenance"][0]
    frame.with_columns(version=pl.lit(9)).write_parquet(tmp_path / "g.parquet")
    with pytest.raises(FileError, match="is version 9 of the factors file"):
        Standardisation.load(tmp_path / "g.parquet")
