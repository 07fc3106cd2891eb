"""Dropping files: what they hold, and what is wrong with them, by file and line."""

from __future__ import annotations

import gzip
import io

import polars as pl
import pytest

from web_page import QRELS, Client, ask, run, scores, zipped


def test_the_sample_is_one_click_away(client: Client) -> None:
    assert 'href="/data/sample"' in client.get("/").text
    page = client.get("/data/sample").text
    assert "Runs with judgments: 50 topics × 30 systems; AP, nDCG@10, P@10" in page
    assert 'href="/compare?data=sample"' in page


def test_scores_runs_and_archives(client: Client) -> None:
    files = [("files", ("past.AP.csv.gz", gzip.compress(scores().encode())))]
    answer = client.post("/data", files=files)
    assert answer.status_code == 303
    page = client.get(answer.headers["location"]).text
    assert "Scores: 12 topics × 4 systems; AP" in page
    packed = zipped(
        {"qrels.txt": QRELS.encode(), "runs/a.run": run("a", 1).encode(), "runs/b.run": run("b", 2).encode()}
    )
    found = client.post("/api/data", files={"files": ("track.zip", packed)}).json()
    assert (found["kind"], found["name"], found["problem"]) == ("runs", "track.zip", "")
    assert [file["kind"] for file in found["files"]] == ["qrels", "run", "run"]
    assert client.get(f"/api/data/{found['id']}").json() == found
    assert {"id": found["id"], "name": "track.zip"} in client.get("/api/data").json()["datasets"]
    assert client.delete(f"/api/data/{found['id']}").status_code == 204
    assert client.get(f"/api/data/{found['id']}").status_code == 404


def test_problems_are_shown_with_file_and_line(client: Client) -> None:
    bad = run("a", 1).replace("1 Q0", "1 Q0 extra", 1) + "9 Q0 d1 1 high a\n"
    files = [("files", ("qrels.txt", QRELS)), ("files", ("<b>bad.run", bad))]
    answer = client.post("/data", files=files)
    page = client.get(answer.headers["location"])
    assert page.status_code == 200
    assert "2 problems in the files of qrels.txt and 1 more. Correct them and upload the files again." in page.text
    assert "&lt;b&gt;bad.run:1: expected 6 fields (topic Q0 document rank score tag), found 7 fields" in page.text
    assert "&lt;b&gt;bad.run:81: " in page.text
    assert "<b>" not in page.text
    id = answer.headers["location"].rpartition("/")[2]
    refused = client.get(f"/api/compare?data={id}")
    assert refused.status_code == 409
    assert "2 problems in the files" in refused.json()["error"]
    client.delete(f"/api/data/{id}")


def diagonal(size: int) -> bytes:
    """A small file of a huge matrix: every row has a topic and a system of its own."""
    out, names = io.BytesIO(), pl.int_range(size, eager=True).cast(pl.String)
    pl.DataFrame({"topic": names, "system": names}).with_columns(measure=pl.lit("AP"), value=0.5).write_parquet(out)
    return out.getvalue()


DIAGONAL = diagonal(16_000)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"\x00\x01\x02binary", "a.csv:1: contains a NUL byte, so it is binary; expected text"),
        ("a.csv", "topic,é\n1,0.5\n".encode("latin-1"), "a.csv:1: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("a.csv", "topic,a\n1,0.5\n".encode("utf-16"), "a.csv: is UTF-16 text; save it as UTF-8 (for example: iconv -f UTF-16 -t UTF-8)"),
        ("a.csv", b"", "a.csv: is empty; expected at least one line of data"),
        ("a.parquet", b"PAR1 not really PAR1", "a.parquet: cannot be read as parquet"),
        ("a.parquet", DIAGONAL, "a.parquet: AP: 16,000 scores for 16,000 topics by 16,000 systems, where 256,000,000 are expected."),
    ],
)  # fmt: skip
def test_unreadable_files_are_described(client: Client, name: str, data: bytes, message: str) -> None:
    found = client.post("/api/data", files={"files": (name, data)})
    assert found.status_code == 201
    assert found.json()["files"][0]["error"].startswith(message)
    assert found.json()["problem"] == f"1 problem in the files of {name}. Correct them and upload the files again."
    client.delete(f"/api/data/{found.json()['id']}")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("bomb.run.gz", gzip.compress(b"\0" * 9_000_000), "bomb.run.gz: "),
        ("bomb.zip", zipped({"a.run": b"\0" * 9_000_000}), "bomb.zip: its member 'a.run' declares 9 MB; the limit for one file is 3 MB"),
        ("slip.zip", zipped({"../../a.run": b"x"}), "slip.zip: its member '../../a.run' points outside the archive. Repack it with relative names"),
        ("x.zip", b"PK\x03\x04rubbish", "x.zip: is not a valid .zip archive"),
    ],
)  # fmt: skip
def test_hostile_uploads_get_a_clear_refusal(client: Client, name: str, data: bytes, message: str) -> None:
    answer = client.post("/api/data", files={"files": (name, data)})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(message)
    page = client.post("/data", files={"files": (name, data)})
    assert page.status_code == 400
    assert 'role="alert"' in page.text


def test_removing(client: Client) -> None:
    id = client.post("/api/data", files={"files": ("x.csv", scores(seed=9))}).json()["id"]
    assert client.post(f"/data/{id}/remove").headers["location"] == "/data"
    assert client.get(f"/data/{id}").status_code == 404
    assert client.post("/data/sample/remove").status_code == 400


def test_stray_files_are_listed_and_ignored(client: Client) -> None:
    files = [
        ("qrels.txt", QRELS),
        ("a.run", run("a", 1)),
        ("b.run", run("b", 2)),
        ("paper.pdf", "%PDF-1.4 \0"),
        ("README", "x"),
    ]
    found = client.post("/api/data", files=[("files", one) for one in files]).json()
    assert found["problem"] == ""
    assert [file["kind"] for file in found["files"]] == ["qrels", "run", "run", "ignored", "ignored"]
    assert "ignored: paper.pdf, README. These are no runs, qrels or score files." in found["warnings"]
    assert "paper.pdf" in client.get(f"/data/{found['id']}").text
    alone = client.post("/api/data", files={"files": ("paper.pdf", "%PDF-1.4 \0")}).json()
    assert alone["files"][0]["problems"] == 1, "alone it is an error"
    for one in (found, alone):
        client.delete(f"/api/data/{one['id']}")


def test_equal_names_in_different_folders_get_the_folder_as_prefix(client: Client) -> None:
    files = [
        ("qrels.txt", QRELS),
        ("team0/run1", run("a", 1)),
        ("team1/run1", run("b", 2)),
        ("team1/run2", run("c", 3)),
    ]
    found = client.post("/api/data", files=[("files", one) for one in files]).json()
    assert found["problem"] == ""
    rows = ask(client, f"/api/view?data={found['id']}")["rows"]
    assert {row["system"] for row in rows} == {"team0/run1", "team1/run1", "run2"}
    client.delete(f"/api/data/{found['id']}")


def test_a_failed_upload_leaves_nothing_behind(client: Client) -> None:
    before = client.get("/api/data").json()
    answer = client.post("/data", files=[("files", ("qrels.txt", QRELS))])
    page = client.get(answer.headers["location"]).text
    assert "found judgments without runs. Upload the runs with the qrels file." in page
    assert client.get("/api/data").json() == before, "no list has it"
    id = answer.headers["location"].rpartition("/")[2]
    mended = client.post(
        f"/data/{id}/add", files=[("files", ("a.run", run("a", 1))), ("files", ("b.run", run("b", 2)))]
    )
    assert 'id="view"' in client.get(mended.headers["location"]).text, "its page takes what is missing"
    client.delete(f"/api/data/{mended.headers['location'].rpartition('/')[2]}")
    store = client.app.state.service.store  # type: ignore[attr-defined]
    assert not (store.path / id).exists()


def test_a_removed_dataset_gives_its_memory_back(client: Client) -> None:
    id = client.post("/api/data", files={"files": ("x.csv", scores(seed=11))}).json()["id"]
    store = client.app.state.service.store  # type: ignore[attr-defined]
    kept = store[id]
    assert kept.peek() is not None
    client.post(f"/data/{id}/remove")
    assert kept.peek() is None
    client.post(f"/data/{id}/restore")
    assert "12 topics" in client.get(f"/data/{id}").text, "and is read again when it comes back"
    client.delete(f"/api/data/{id}")
