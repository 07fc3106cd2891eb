"""What notebooks show of a result: heading, tables, notes and signature, escaped."""

from __future__ import annotations

import pytest
from markupsafe import escape

from chart_support import drawings, matrix, results
from cranfield import ScoreMatrix
from cranfield.core.answer import gathered


@pytest.mark.parametrize("name", sorted(drawings()))
def test_every_result_shows_itself(name: str) -> None:
    result = results()[name]
    html = result._repr_html_()
    assert html.strip().startswith('<div class="cranfield">')
    assert "<table" in html
    assert "shape: (" not in html, "our own table, not a frame's"
    assert escape(result.signature.partition(";")[0]) in html
    for warning in gathered(result.warnings):
        assert warning[:20] in html.replace("&#39;", "'").replace("&#34;", '"')


def test_wide_and_long_results_are_cut_and_say_so() -> None:
    html = matrix(60, 40)._repr_html_()
    assert "27 more columns" in html
    assert "35 more rows; to_frame() has them all." in html


def test_names_are_escaped() -> None:
    x = matrix(4, 2)
    html = ScoreMatrix(x.values, x.topics, ["<b>", "&"], "AP")._repr_html_()
    assert "<b></th>" not in html
    assert "&lt;b&gt;" in html
