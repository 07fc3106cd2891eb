"""Charts as files: every format, offline, readable by screen readers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from chart_support import matrix
from cranfield import save_chart
from cranfield.core.charts.export import to_html, to_svg
from cranfield.core.errors import ArgumentError, FileError
from cranfield.questions.replicates.charts import methods_table

EXTERNAL = re.compile(r"""<(?:script|img|iframe|link|source)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//""", re.I)


@pytest.mark.parametrize(
    ("ending", "start"),
    [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>"), (".json", b"{")],
)
def test_every_format_by_its_ending(tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"figure{ending}"
    save_chart(matrix().chart(), path)
    assert path.read_bytes().lstrip().startswith(start)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_svg_describes_itself() -> None:
    drawing = matrix().chart()
    svg = to_svg(drawing)
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.get("aria-label", "").startswith("Topics differ: mean")
    assert (root.findtext(f"{space}title") or "").startswith("Topics differ: mean")
    assert "20 topics" in (root.findtext(f"{space}desc") or "")


def test_a_hostile_name_stays_text() -> None:
    from cranfield import ScoreMatrix

    x = matrix(5, 2)
    bad = ScoreMatrix(x.values, x.topics, ["<script>alert(1)</script>", 'a & "b"'], "AP")
    svg = to_svg(bad.chart("systems"))
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_html_carries_its_scripts() -> None:
    page = to_html(matrix().chart())
    assert not EXTERNAL.search(page)
    assert "vegaEmbed(" in page, "the call that draws"
    assert len(page) > 500_000, "the drawing library is in the page"


def test_specification_round_trips(tmp_path: Path) -> None:
    drawing = matrix().chart()
    save_chart(drawing, tmp_path / "figure.json")
    assert json.loads((tmp_path / "figure.json").read_text()) == drawing.to_dict()


def test_same_result_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save_chart(matrix().chart(), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_wrong_endings_and_places(tmp_path: Path) -> None:
    with pytest.raises(
        ArgumentError, match=r"^cannot draw to figure\.gif: end the name in \.svg, \.png, \.pdf, \.html, \.json\.$"
    ):
        save_chart(matrix().chart(), "figure.gif")
    with pytest.raises(FileError, match="cannot be written: No such file or directory"):
        save_chart(matrix().chart(), tmp_path / "nowhere" / "figure.svg")


@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_the_leaderboard_of_scores_from_0_to_1_stays_there() -> None:
    import numpy as np

    from cranfield import ScoreMatrix, chart
    from cranfield.questions.compare.compare import compare

    def ticks(values: np.ndarray[Any, Any]) -> list[float]:
        x = ScoreMatrix(values, [str(i) for i in range(len(values))], ["a", "b", "c"], "AP")
        svg = to_svg(chart(compare(x, n_resamples=100), "leaderboard"))
        labels = re.findall(r"<text[^>]*>([−-]?\d+\.\d+)</text>", svg)
        return [float(label.replace("−", "-")) for label in labels]

    low = np.zeros((6, 3))
    low[0] = [0.5, 0.2, 0.9]  # one topic alone is answered: the interval of the mean reaches below 0
    assert min(ticks(low)) == 0
    assert max(ticks(1 - low)) == 1
    assert min(ticks(low - 0.5)) < 0, "standardised scores and differences may be negative"


def test_rules_that_find_nothing_are_drawn_all_the_same() -> None:
    """A key without entries has no size, and no picture that holds it has one."""
    none = {"different": [0, 0], "both": [0, 0], "extra": [0, 0], "conflicts": [0, 0]}
    table = pl.DataFrame({"test": ["majority", "randomisation"], "correction": ["bh", "none"], **none})
    root = ElementTree.fromstring(to_svg(methods_table(table, 6, "AP", "2 splits")))
    assert 300 < float(root.attrib["width"]) < 2000
    assert 50 < float(root.attrib["height"]) < 1000
