"""Hostile names on the pages themselves: shown as text."""

from __future__ import annotations

from pathlib import Path

from cranfield import write_scores
from hostile import RAW, hostile_matrix
from web_page import Client


def test_pages_show_them_as_text(client: Client, tmp_path: Path) -> None:
    write_scores(hostile_matrix(), tmp_path / "scores.csv")
    name = "<img src=x onerror=alert(1)>.csv"
    answer = client.post("/api/data", files={"files": (name, (tmp_path / "scores.csv").read_bytes())})
    assert answer.status_code == 201, answer.text
    id = answer.json()["id"]
    assert answer.json()["problem"] == ""
    for address in (f"/data/{id}", "/data", f"/compare?data={id}&resamples=100"):
        page = client.get(address)
        assert page.status_code == 200
        assert "&lt;" in page.text
        assert [raw for raw in RAW if raw in page.text] == []
