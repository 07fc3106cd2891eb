"""Scores in the files of spreadsheet programs: read as the same table in text, and written."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import DataError, FileError, ScoreMatrix, check_file, compare, read_scores, write_scores
from cranfield.collection.teams import read_teams
from cranfield.core.errors import CranfieldWarning, quietly
from cranfield.core.files import expand, read_bytes
from cranfield.core.workbooks import WRITTEN, column_name, workbook
from cranfield.scores.readers import join_parts, read_part

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
)
Cell = float | str | None
DATE = "<c r='{}' s='1'><v>45629</v></c>"
"""3 December 2024, which a spreadsheet makes of 3.12 typed in Germany."""


def cell(value: Cell, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith("<c"):
        return value.format(place)
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'


def excel(path: Path, **sheets: list[list[Cell]]) -> str:
    """A workbook as spreadsheet programs write it, made without the writer under test."""
    names = list(sheets)
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(names, 1))
    with zipfile.ZipFile(path, "w") as book:
        types = "".join(
            f'<Override PartName="/xl/worksheets/s{i}.xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
            for i in range(1, len(names) + 1)
        )
        book.writestr("[Content_Types].xml", f'<Types xmlns="http://x">{types}</Types>')
        target = '<Relationship Id="{}" Type="' + RELATIONS + '/{}" Target="{}"/>'
        package = "http://schemas.openxmlformats.org/package/2006/relationships"
        root = target.format("r1", "officeDocument", "xl/workbook.xml")
        book.writestr("_rels/.rels", f'<Relationships xmlns="{package}">{root}</Relationships>')
        rels = "".join(target.format(f"r{i}", "worksheet", f"worksheets/s{i}.xml") for i in range(1, len(names) + 1))
        rels += target.format("s", "styles", "styles.xml")
        book.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}">{rels}</Relationships>')
        book.writestr("xl/styles.xml", STYLES)
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        )
        for i, rows in enumerate(sheets.values(), 1):
            lines = "".join(
                f'<row r="{r}">{"".join(cell(v, column_name(c) + str(r)) for c, v in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            book.writestr(
                f"xl/worksheets/s{i}.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
            )
    return str(path)


PLAIN: list[list[Cell]] = [["topic", "bm25", "ql"], [301.0, 0.25, 1 / 3], [302.0, 0.5, 0.75]]
EXPECTED = ScoreMatrix([[0.25, 1 / 3], [0.5, 0.75]], ["301", "302"], ["bm25", "ql"], "AP")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ── read ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_numbers_are_exact_and_topics_are_labels() -> None:
    assert read_scores(excel(Path("a.AP.xlsx"), Sheet1=PLAIN)).only() == EXPECTED


def test_the_name_of_a_sheet_may_be_the_measure() -> None:
    assert list(read_scores(excel(Path("a.xlsx"), AP=PLAIN))) == ["AP"]
    assert list(read_scores(excel(Path("b.xlsx"), Sheet1=PLAIN))) == ["score"]


def test_several_sheets_are_said_and_one_can_be_named() -> None:
    other: list[list[Cell]] = [["topic", "bm25", "ql"], [301.0, 0.125, 0.25], [302.0, 0.375, 0.5]]
    file = excel(Path("a.xlsx"), AP=PLAIN, RR=other)
    with pytest.warns(CranfieldWarning, match="a.xlsx: read sheet 'AP'; others: RR. Name one: a.xlsx#RR"):
        first = read_scores(file)
    assert first.only() == EXPECTED
    assert first.warnings == ("AP: a.xlsx: read sheet 'AP'; others: RR. Name one: a.xlsx#RR",)
    named = read_scores("a.xlsx#RR")
    assert named.only() == ScoreMatrix([[0.125, 0.25], [0.375, 0.5]], ["301", "302"], ["bm25", "ql"], "RR")
    assert named.warnings == ()
    assert list(read_scores(["a.xlsx#AP", "a.xlsx#RR"])) == ["AP", "RR"]
    with pytest.raises(FileError, match="a.xlsx#P: unknown sheet 'P'. Did you mean 'AP'"):
        read_scores("a.xlsx#P")


def test_a_file_whose_name_has_the_mark_is_that_file() -> None:
    excel(Path("a.xlsx"), AP=PLAIN)
    Path("a.xlsx#AP").write_text("topic,x\n1,0.5\n2,0.25\n")
    assert read_scores("a.xlsx#AP").only().systems == ("x",)


def test_titles_remarks_and_summary_rows_are_those_of_text() -> None:
    body: list[list[Cell]] = [[None, *row] for row in PLAIN]
    mean: list[Cell] = [None, "Mean", 0.375, (1 / 3 + 0.75) / 2]
    rows: list[list[Cell]] = [
        [None, "Results, autumn"], [], *body, mean, [], [None, "Made by our team"],
    ]  # fmt: skip
    read = read_scores(excel(Path("a.xlsx"), AP=rows))
    assert read.only() == EXPECTED
    assert read.warnings[-1] == "AP: a.xlsx: row 'Mean' is the mean of the other topics; dropped"
    notes = check_file("a.xlsx").notes
    assert "line 1 is a title above the header; it was not read" in notes
    assert "line 8 is a remark below the table; it was not read" in notes


def test_a_transposed_sheet_is_transposed() -> None:
    turned: list[list[Cell]] = [["System", 301.0, 302.0], ["bm25", 0.25, 0.5], ["ql", 1 / 3, 0.75]]
    read = read_scores(excel(Path("a.xlsx"), AP=turned))
    assert read.only() == EXPECTED
    assert read.warnings[0].startswith("AP: a.xlsx: the first column is named 'System'")


def test_text_cells_with_decimal_commas_and_percentages_are_read() -> None:
    rows: list[list[Cell]] = [["topic", "bm25", "ql"], ["1", "0,25", "0,5"], ["2", "0,75", "1"]]
    assert read_scores(excel(Path("a.xlsx"), AP=rows)).only().values.tolist() == [[0.25, 0.5], [0.75, 1.0]]
    rows = [["topic", "bm25", "ql"], ["1", "25%", "50%"], ["2", "75 %", "100%"]]
    assert read_scores(excel(Path("b.xlsx"), AP=rows)).only().values.tolist() == [[0.25, 0.5], [0.75, 1.0]]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (DATE, "a.xlsx:3: expected a finite number in column 3, found 'date 2024-12-03 in cell C3'; write a number "
               "there, in a cell without date format"),
        ("<c r='{}' t='b'><v>1</v></c>", "a.xlsx:3: expected a finite number in column 3, found 'TRUE in cell C3'; "
                                         "write a number there"),
        ("0.2x", "a.xlsx:3: expected a finite number in column 3, found '0.2x'"),
        ("<c r='{}' t='e'><f>1/0</f><v>#DIV/0!</v></c>", "a.xlsx: AP: 1 of 4 scores is missing, first for topic '302', "
                                                         "system 'ql'."),
        (None, "a.xlsx: AP: 1 of 4 scores is missing, first for topic '302', system 'ql'."),
    ],
)  # fmt: skip
def test_cells_that_hold_no_score_are_errors_with_their_place(bad: Cell, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_scores(excel(Path("a.xlsx"), AP=[*PLAIN[:2], [302.0, 0.5, bad]]))
    assert str(caught.value).startswith(message)


def test_the_column_is_that_of_the_sheet() -> None:
    rows: list[list[Cell]] = [[None, *row] for row in (*PLAIN[:2], [302.0, 0.5, "0.2x"])]
    with pytest.raises(FileError, match="a.xlsx:3: expected a finite number in column 4, found '0.2x'"):
        read_scores(excel(Path("a.xlsx"), AP=rows))


def test_a_formula_counts_by_its_value() -> None:
    formula = "<c r='{}'><f>A1+1</f><v>0.75</v></c>"
    assert read_scores(excel(Path("a.xlsx"), AP=[*PLAIN[:2], [302.0, 0.5, formula]])).only() == EXPECTED


def test_a_long_table_in_a_sheet() -> None:
    rows: list[list[Cell]] = [["run", "qid", "measure", "value"]]
    rows += [[s, t, "AP", float(EXPECTED.values[i, j])] for i, t in enumerate(EXPECTED.topics)
             for j, s in enumerate(EXPECTED.systems)]  # fmt: skip
    assert read_scores(excel(Path("a.xlsx"), Sheet1=rows)).only() == EXPECTED


def test_without_the_engine_the_remedy_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    file = excel(Path("a.xlsx"), AP=PLAIN)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(FileError) as caught:
        read_scores(file)
    assert str(caught.value) == (
        "a.xlsx: is a spreadsheet, which needs python-calamine; pip install 'cranfield[excel]' (in a clone: pip install "
        "'.[excel]'), or save the sheet as CSV"
    )


@pytest.mark.parametrize("data", [b"PK\x03\x04\x14\0\6\0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)])
def test_an_archive_that_is_no_workbook_is_refused(data: bytes) -> None:
    Path("a.xlsx").write_bytes(data)
    with pytest.raises(FileError, match=r"^a.xlsx: cannot be read as a spreadsheet: .*; is the file complete\?$"):
        read_scores("a.xlsx")


def test_a_sheet_without_cells_is_refused() -> None:
    with pytest.raises(FileError, match="a.xlsx: is empty; expected at least one line of data"):
        read_scores(excel(Path("a.xlsx"), AP=[]))


def test_teams_may_stand_in_a_sheet() -> None:
    file = excel(Path("t.xlsx"), teams=[["Run", "Year", "Group"], ["a1", 2024.0, "A"], ["b1", 2024.0, "B"]])
    assert read_teams(file) == {"a1": "A", "b1": "B"}


def test_folders_hold_workbooks_but_not_their_locks() -> None:
    Path("d").mkdir()
    excel(Path("d/a.xlsx"), AP=PLAIN)
    Path("d/~$a.xlsx").write_bytes(b"x")
    assert list(expand("d")) == ["d/a.xlsx"]


def test_check_reports_every_problem_of_a_workbook() -> None:
    rows = [PLAIN[0], [301.0, "x", 0.5], [302.0, 0.5, "y"]]
    found = check_file(excel(Path("a.xlsx"), AP=rows))
    assert found.problems == 2
    assert "a.xlsx:2: expected a finite number in column 2, found 'x'" in found.error


def test_bytes_that_are_given_are_read_alike() -> None:
    excel(Path("a.xlsx"), AP=PLAIN)
    part = read_part("a.xlsx", data=read_bytes("a.xlsx"))
    assert join_parts([part]).only() == EXPECTED


# ── written ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", WRITTEN)
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_scores_come_back_unchanged(ending: str, layout: str) -> None:
    values = np.random.default_rng(1).random((30, 4))
    names = ["bm25", "=1+1", "a&b <x>", 'the "best" one']
    matrix = ScoreMatrix(values, [str(topic) for topic in range(301, 331)], names, "AP")
    file = f"a.AP{ending}"
    write_scores(matrix, file, layout=layout)
    assert read_scores(file).only() == matrix
    first = Path(file).read_bytes()
    write_scores(matrix, file, layout=layout)
    assert Path(file).read_bytes() == first


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
@settings(max_examples=20, deadline=None)
def test_every_number_is_written_exactly(values: list[float]) -> None:
    import polars as pl
    from python_calamine import CalamineWorkbook

    for ending in WRITTEN:
        book = CalamineWorkbook.from_filelike(io.BytesIO(workbook(pl.DataFrame({"x": values}), ending)))
        assert [row[0] for row in book.get_sheet_by_index(0).to_python()[1:]] == values


def test_text_is_never_a_formula() -> None:
    import polars as pl

    with zipfile.ZipFile(io.BytesIO(workbook(pl.DataFrame({"system": ["=HYPERLINK(A1)"]}), ".xlsx"))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert '<c r="A2" t="inlineStr"><is><t xml:space="preserve">=HYPERLINK(A1)</t></is></c>' in sheet
    assert "<f>" not in sheet


def test_a_control_character_cannot_be_written() -> None:
    import polars as pl

    with pytest.raises(DataError, match="cannot be written to a spreadsheet; write .csv instead"):
        workbook(pl.DataFrame({"system": ["a\x07"]}), ".xlsx")


@pytest.mark.parametrize("ending", WRITTEN)
def test_an_answer_is_written_as_a_workbook(ending: str, cranfield: Any) -> None:
    with quietly():
        write_scores(EXPECTED, "s.AP.csv", layout="wide")
        rows = compare(EXPECTED).to_frame()
    assert cranfield("compare", "s.AP.csv", "-o", f"out{ending}").exit_code == 0
    lines = read_bytes(f"out{ending}").decode().splitlines()
    assert lines[0].split("\t")[:3] == ["measure", "system_a", "system_b"]
    assert len(lines) == 1 + rows.height


def test_an_input_is_not_overwritten_by_way_of_a_sheet(cranfield: Any) -> None:
    file = excel(Path("a.xlsx"), AP=PLAIN)
    before = Path(file).read_bytes()
    result = cranfield("convert", "a.xlsx#AP", "-o", "a.xlsx")
    assert (result.exit_code, Path(file).read_bytes()) == (2, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a processor's time")
def test_a_workbook_in_which_the_library_loops_for_ever_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cranfield.core.parquet.SECONDS", 1)
    frame = pl.DataFrame({"topic": ["t1", "t2"], "a": [0.5, 0.25]})
    sound, place = workbook(frame, ".ods"), tmp_path / "s.ods"
    with zipfile.ZipFile(io.BytesIO(sound)) as whole, zipfile.ZipFile(place, "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, whole.read(name).replace(b"</table:table>", b"</table]y>"))
    with pytest.raises(FileError, match=r"within 1,\d\d\d MB of memory and 1 s of processor time; is the file damaged"):
        read_scores(place)
    place.write_bytes(sound)
    assert read_scores(place).only().systems == ("a",)
