"""The fast reader of long score tables reads what the careful one reads, or gives up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.core.errors import CranfieldError
from cranfield.core.recognition import long_columns
from cranfield.scores import text_tables
from cranfield.scores.frames import from_long
from cranfield.scores.matrix import ScoreMatrix
from cranfield.scores.text_tables import parse_long, read_table

label = st.sampled_from(["bm25", "ql", " x", "é", "all", "#1", "a b"])
topic = st.sampled_from(["1", "2", "10", "all", "q é"])
value = st.sampled_from(["0.5", "1", "1e-3", "+.25", "-0.0", "nan", "", " 0.5", "inf", "0,5", "5."])
odd = st.sampled_from(["", "  ", "# remark", "a,b", "bm25,1,AP,0.5,more", '"ql",3,AP,0.5', ",,,", "bm25,3,AP,0.5\r"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A long table, mostly sound."""
    rows = draw(st.lists(st.builds("{},{},AP,{}".format, label, topic, value), max_size=8, unique=True))
    for at, line in draw(st.lists(st.tuples(st.integers(0, 8), odd), max_size=1)):
        rows.insert(at, line)
    header = draw(st.sampled_from(["system,topic,measure,value", "name,qid,measure,value", "system,topic,x,value"]))
    before = draw(st.sampled_from(["", "# made by hand\n", "\n"]))
    return (before + "\n".join([header, *rows]) + draw(st.sampled_from(["\n", ""]))).encode()


def outcome(read: object) -> list[tuple[object, ...]] | str:
    try:
        matrices: list[ScoreMatrix] = read()  # type: ignore[operator]
    except CranfieldError as error:
        return str(error)
    return [(m.measure, m.topics, m.systems, m.values.tolist(), m.provenance) for m in matrices]


@settings(max_examples=300, deadline=None)
@given(data=tables())
def test_fast_is_careful(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_tables, "_LARGE", 0)
        frame = text_tables.long_table(data)
    if frame is None:
        return
    table = read_table(data, "x")
    assert long_columns(table.rows[0]) is not None
    fast, careful = (
        outcome(lambda columns=columns: list(from_long(columns, system="file", missing="zero").values()))
        for columns in (frame, parse_long(table)[0])
    )
    assert fast == careful


def test_the_fast_reader_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_tables, "_LARGE", 0)
    assert text_tables.long_table(b"system,topic,measure,value\nbm25,1,AP,0.5\n") is not None
    assert text_tables.long_table(b"topic;value\r\n1;0.5\r\n") is not None
    assert text_tables.long_table(b'system,topic,measure,value\n"bm25",1,AP,0.5\n') is None
    mark = "\ufeff".encode()  # which belongs to the first label
    assert text_tables.long_table(b"system,topic,measure,value\n" + mark + b"bm25,1,AP,0.5\n") is None
