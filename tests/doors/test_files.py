"""Files of every format, from wherever they lie: what is read, and what is said of what cannot be."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import polars as pl
import pytest

from cranfield import (
    CranfieldWarning,
    DataError,
    FileError,
    check_file,
    evaluate,
    read_qrels,
    read_run,
    read_runs,
    read_scores,
    write_scores,
)
from cranfield.collection.formats import COLLECTION_FORMATS, documented, writable
from cranfield.collection.types import Qrels, Run
from cranfield.core.files import NamedFile
from cranfield.questions.tune.families import read_families
from support import Type

Put = Callable[[str, str], Path]
RUN = [("1", "a", 1, 2.5), ("1", "b", 2, 1.5), ("2", "a", 1, 0.25)]
QRELS = [("1", "0", "a", 1), ("1", "0", "b", 0), ("2", "0", "c", 2)]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    return write


def rows(run: Run) -> list[tuple[Any, ...]]:
    return run.frame.select("topic", "document", "score").rows()


SCORED = [("1", "a", 2.5), ("1", "b", 1.5), ("2", "a", 0.25)]
NESTED = {"1": {"a": 2.5, "b": 1.5}, "2": {"a": 0.25}}
RUN_FILES = {
    "trec": ("x.run", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n2 Q0 a 1 0.25 t\n"),
    "BEIR's results": ("x.json", json.dumps(NESTED)),
    "MTEB's predictions": ("x.json", json.dumps({"mteb_model_meta": {"name": "m"}, "default": {"test": NESTED}})),
    "indented JSON": ("x.json", json.dumps(NESTED, indent=1)),
    "JSON lines": ("x.jsonl", "".join(json.dumps({"qid": t, "docno": d, "score": s}) + "\n" for t, d, s in SCORED)),
    "PyTerrier's columns": ("x.csv", "qid,docid,docno,rank,score\n1,7,a,0,2.5\n1,8,b,1,1.5\n2,7,a,0,0.25\n"),
    "semicolons": ("x.csv", "topic;document;score\n1;a;2.5\n1;b;1.5\n2;a;0.25\n"),
    "tabs with a header": ("x.tsv", "query_id\tdoc_id\tscore\n1\ta\t2.5\n1\tb\t1.5\n2\ta\t0.25\n"),
}


@pytest.mark.parametrize("kind", RUN_FILES)
def test_runs_of_every_format(put: Put, kind: str) -> None:
    run = read_run(put(*RUN_FILES[kind]))
    assert rows(run) == SCORED
    assert check_file(put(*RUN_FILES[kind])).kind == "run"


def test_predictions_of_mteb_are_named_after_their_model(put: Put) -> None:
    """Every model's predictions lie in a file of the task's name."""
    files = []
    for model in ("one/small", "two/large"):
        content = {"mteb_model_meta": {"model_name": model, "revision": "1"}, "default": {"test": NESTED}}
        files.append(put(f"{model}/Task_predictions.json", json.dumps(content)))
    assert evaluate(put(*JUDGED["trec"]), files, "AP", name="tag").only().systems == ("one/small", "two/large")
    with pytest.raises(DataError, match=r"system 'Task_predictions' was already read from .*name='tag'"):
        evaluate(put(*JUDGED["trec"]), files, "AP")
    assert read_run(put(*RUN_FILES["BEIR's results"]), name="tag").system == "x"  # which has no tag
    assert read_run(put("x.csv", "name,qid,docno,score\nbm25,1,a,2\n"), name="tag").system == "bm25"


def test_runs_of_ms_marco_are_ordered_by_rank(put: Put) -> None:
    path = put("dev.tsv", "1\ta\t1\n1\tb\t2\n1\tc d\t3\n2\ta\t1\n")
    run = read_run(path)
    assert rows(run) == [("1", "a", -1.0), ("1", "b", -2.0), ("1", "c d", -3.0), ("2", "a", -1.0)]
    assert run.notes == ("no scores in the file: documents are ordered by rank (score = -rank)",)
    assert check_file(put("plain.tsv", "1\ta\t1\n1\tb\t2\n1\tc\t3\n")).kind == "run"


JUDGED = {
    "trec": ("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 c 2\n"),
    "MS MARCO's": ("qrels.tsv", "1\t0\ta\t1\n1\t0\tb\t0\n2\t0\tc\t2\n"),
    "NTCIR's": ("qrels", "1 a L1\n1 b L0\n2 c L2\n"),
    "BEIR's": ("test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t2\n"),
    "JSON": ("qrels.json", '{"1": {"a": 1, "b": 0}, "2": {"c": 2}}'),
    "JSON lines": ("qrels.jsonl", '{"query_id": "1", "doc_id": "a", "relevance": 1}\n'
                   '{"query_id": "1", "doc_id": "b", "relevance": 0}\n{"query_id": "2", "doc_id": "c", "relevance": 2}\n'),
    "MTEB's JSON lines": ("test.jsonl", "".join(json.dumps({"query-id": t, "corpus-id": d, "score": float(r)}) + "\n"
                          for t, _, d, r in QRELS)),
    "PyTerrier's columns": ("qrels.csv", "qid,docno,label\n1,a,1\n1,b,0\n2,c,2\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", JUDGED)
def test_judgments_of_every_format(put: Put, kind: str) -> None:
    path = put(*JUDGED[kind])
    assert read_qrels(path).frame.rows() == QRELS
    assert check_file(path).kind == "qrels"


def test_ids_with_blanks_where_tabs_set_fields_apart(put: Put) -> None:
    run = read_run(put("x.run", "topic one\tQ0\tdoc 1\t1\t2.5\tmy tag\ntopic one\tQ0\tdoc 2\t2\t1.5\tmy tag\n"))
    assert run.frame["topic"].unique().to_list() == ["topic one"]
    assert run.frame["document"].to_list() == ["doc 1", "doc 2"]
    qrels = read_qrels(put("qrels", "topic one\t0\tdoc 1\t1\n"))
    assert qrels.frame.rows() == [("topic one", "0", "doc 1", 1)]
    mixed = read_qrels(put("mixed", "1 0\td\t2\n"))  # four fields, by blanks and tabs alike: as ever
    assert mixed.frame.rows() == [("1", "0", "d", 2)]


BAD_RUNS = {
    "comma in TREC": ("x.run", "1 Q0 a 1 2,5 t\n", r"x.run:1: .*found '2,5'; this has a decimal comma: write a point"),
    "comma in a table": ("x.csv", "qid;docno;score\n1;a;2,5\n", r"x.csv:2: topic '1'.*'2,5'.*decimal comma"),
    "twice in a table": ("x.csv", "qid,docno,score\n1,a,2\n1,a,1\n", r"x.csv:3: document 'a' occurs twice in topic '1'"),
    "ragged": ("x.csv", "qid,docno,score\n1,a\n", r"x.csv:2: expected 3 fields \(qid, docno, score\), found 2"),
    "two systems": ("x.csv", "system,qid,docno,score\nx,1,a,2\ny,1,a,1\n", r"holds 2 runs \(x, y, …\)"),
    "twice in JSON": ("x.json", '{"1": {"a": 1.0, "a": 2.0}}', r"key 'a' occurs twice in one object"),
    "broken JSON": ("x.json", '{"1": {"a": 1.0,\n', r"x.json:\d: is not JSON"),
    "text in JSON": ("x.json", '{"1": {"a": "high"}}', r"x.json: topic '1', document 'a' has score 'high'"),
    "means of BEIR": ("x.json", '{"NDCG@10": 0.5}', r"contains only means over topics.*prediction_folder"),
    "newer means of BEIR": ("x.json", '{"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.1}}', r"contains only means over topics"),
    "parquet": ("x.run", "PAR1\0", r"is a parquet table, not text; read it with polars"),
    "means of MTEB": ("x.json", '{"task_name": "T", "scores": {"test": [{"x": 1}]}}', r"contains only means over topics"),
    "two splits": ("x.json", json.dumps({"default": {"a": NESTED, "b": NESTED}}), r"holds 2 sets of rankings \(a, b, …\)"),
    "no comments in JSON": ("x.jsonl", '#{"qid": "1", "docno": "b", "score": 2}\n{"qid": "1", "docno": "a", "score": 1}\n',
                            r"x.jsonl:1: is not JSON"),
    "no keys at first": ("x.jsonl", '{"qic": "1"}\n{"qid": "1", "docno": "a", "score": 1}\n',
                         r"x.jsonl:1: expected keys for topic, document .*found qic"),
    "no keys": ("x.jsonl", '{"x": 1}\n{"x": 2}\n', r"x.jsonl:1: expected keys for topic, document"),
    "a key less": ("x.jsonl", '{"qid": "1", "docno": "a", "score": 1}\n{"qid": "1"}\n', r":2: expected the key 'docno'"),
    "rank": ("x.tsv", "1\ta\t1\n1\tb\tsecond\n", r"x.tsv:2: expected a whole number as rank \(field 3\), found 'second'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_RUNS)
def test_what_is_wrong_with_a_run(put: Put, kind: str) -> None:
    name, content, message = BAD_RUNS[kind]
    with pytest.raises(FileError, match=message):
        read_run(put(name, content))


@pytest.mark.parametrize("name", COLLECTION_FORMATS)
def test_what_is_written_reads_back(put: Put, name: str) -> None:
    entry = COLLECTION_FORMATS[name]
    run = read_run(put("x.run", RUN_FILES["trec"][1]))
    if "run" in entry.writes:
        path = put(f"y{entry.ending}", entry.write(run, "run").decode())
        again = read_run(path)
        if name == "msmarco":
            assert again.frame["rank"].to_list() == [1, 2, 1]
        else:
            assert rows(again) == SCORED
    qrels = Qrels(pl.DataFrame(QRELS, schema=["topic", "subtopic", "document", "relevance"], orient="row"))
    if "qrels" in entry.writes:
        ending = ".tsv" if name == "beir" else entry.ending
        assert read_qrels(put(f"qrels{ending}", entry.write(qrels, "qrels").decode())).frame.rows() == QRELS


def test_every_format_says_what_it_is() -> None:
    assert len(documented()) == len(COLLECTION_FORMATS) == 7
    assert set(writable("run")) < set(writable("qrels"))
    assert all(summary and notes for _, summary, notes in documented())


# ── scores ────────────────────────────────────────────────────────────────────────────────────────────────


def test_tidy_tables_hold_several_measures(put: Put) -> None:
    scores = read_scores(put("s.csv", "system,topic,AP,nDCG@10\na,1,0.5,0.6\nb,1,0.1,0.2\na,2,0.3,0.4\nb,2,0.7,0.8\n"))
    assert list(scores) == ["AP", "nDCG@10"]
    assert scores["nDCG@10"].values.tolist() == [[0.6, 0.2], [0.4, 0.8]]
    assert scores["AP"].topics == ("1", "2")


def test_settings_in_columns(put: Put) -> None:
    path = put("ql.csv", "query,lambda,P@10\n1,0.2,0.5\n1,0.4,0.6\n2,0.2,0.1\n2,0.4,0.3\n")
    assert read_scores(path).only().systems == ("ql(lambda=0.2)", "ql(lambda=0.4)")
    (family,) = read_families(path)
    assert (family.name, family.parameters, family.scores.measure) == ("ql", ("lambda",), "P@10")


def test_a_wide_table_with_a_topic_twice_is_still_an_error(put: Put) -> None:
    with pytest.raises(FileError, match="topic '1' occurs 2 times"):
        read_scores(put("s.csv", "topic,bm25,ql\n1,0.5,0.6\n1,0.1,0.2\n"))


SCORE_FILES = {
    "JSON": ("s.AP.json", '{"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 1.0}}'),
    "pytrec_eval's": ("s.json", '{"a": {"1": {"AP": 0.5}, "2": {"AP": 0.25}}, "b": {"1": {"AP": 0.75}, "2": {"AP": 1.0}}}'),
    "JSON lines": ("s.jsonl", '{"name": "a", "qid": "1", "measure": "AP", "value": 0.5}\n'
                   '{"name": "b", "qid": "1", "measure": "AP", "value": 0.75}\n'
                   '{"name": "a", "qid": "2", "measure": "AP", "value": 0.25}\n'
                   '{"name": "b", "qid": "2", "measure": "AP", "value": 1.0}\n'),
    "tidy": ("s.csv", "run,qid,AP\na,1,0.5\nb,1,0.75\na,2,0.25\nb,2,1\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SCORE_FILES)
def test_scores_of_every_new_format(put: Put, kind: str) -> None:
    scores = read_scores(put(*SCORE_FILES[kind])).only()
    assert (scores.measure, scores.systems, scores.topics) == ("AP", ("a", "b"), ("1", "2"))
    assert scores.values.tolist() == [[0.5, 0.75], [0.25, 1.0]]
    assert scores.provenance[0].startswith("read from s.")


BAD_SCORES = {
    "comma in a wide table": ("s.csv", "topic;a;b\n1;0,5;0.25\n", r"s.csv:2: .*'0,5'; this has a decimal comma"),
    "comma in a tidy table": ("s.csv", "system;topic;AP\na;1;0,5\nb;1;0.5\n", r"s.csv:2: .*as AP, found '0,5'; .*decimal comma"),
    "comma in a long table": ("s.csv", "system;topic;value\na;1;0,5\nb;1;0.5\n", r"s.csv:2: .*'0,5'; this has a decimal comma"),
    "means of MTEB": ("s.json", '{"task_name": "x", "scores": {}}', r"Results of MTEB and BEIR contain means only"),
    "newer means of BEIR": ("s.json", '{"ndcg": {"NDCG@1": 0.5}, "map": {"MAP@1": 0.1}}', r"Results of MTEB and BEIR contain means only"),
    "means of BEIR": ("s.json", '{"NDCG@10": 0.5}', r"Results of MTEB and BEIR contain means only"),
    "broken JSON": ("s.json", '{"a": ', r"s.json:1: is not JSON"),
    "broken JSON lines": ("s.jsonl", '{"a": 1}\n{"a"\n', r"s.jsonl:2: is not JSON"),
    "a list": ("s.jsonl", "[1]\n", r"s.jsonl:1: expected an object with the columns as keys, found list"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_SCORES)
def test_what_is_wrong_with_scores(put: Put, kind: str) -> None:
    name, content, message = BAD_SCORES[kind]
    with pytest.raises(FileError, match=message):
        read_scores(put(name, content))


# ── places ────────────────────────────────────────────────────────────────────────────────────────────────


def folder(put: Put) -> Path:
    for name in ("README.md", "Thumbs.db", ".DS_Store", "old/x.run", "archive.tar.gz"):
        put(f"runs/{name}", "no run")
    put("runs/a.run", RUN_FILES["trec"][1])
    return put("runs/b.run", RUN_FILES["trec"][1]).parent


def test_strays_in_a_folder_are_skipped_and_named(put: Put) -> None:
    runs, qrels = folder(put), put(*JUDGED["trec"])
    with pytest.warns(CranfieldWarning, match=r"runs: skipped .*DS_Store, README.md, Thumbs.db, archive.tar.gz, old/"):
        scores = evaluate(qrels, runs, "AP")
    assert scores.only().systems == ("a", "b")
    assert any("skipped" in text for text in scores.warnings)
    with pytest.warns(CranfieldWarning, match="skipped"):
        assert [run.system for run in read_runs([runs])] == ["a", "b"]
    put("runs/notes.txt", "hello\n")  # may be a run: an error, no skipping
    with pytest.warns(CranfieldWarning), pytest.raises(FileError, match=r"notes.txt:1: expected 6 fields"):
        list(read_runs(runs))


def test_a_folder_of_strays_is_empty(put: Put) -> None:
    with pytest.raises(FileError, match=r"is a directory without files that may hold data \(README.md\)"):
        list(read_runs(put("docs/README.md", "x").parent))


def test_strays_among_scores_are_named_too(put: Put) -> None:
    put("scores/README.md", "x")
    where = put("scores/s.AP.csv", "topic,a,b\n1,0.5,0.25\n").parent
    with pytest.warns(CranfieldWarning, match="scores: skipped README.md"):
        assert any("README.md" in text for text in read_scores(where).warnings)


class Memory:
    """A file system as fsspec's, of which only what we call is there."""

    files: ClassVar = {"/runs/a.run": RUN_FILES["trec"][1], "/runs/README.md": "x", "/qrels.txt": JUDGED["trec"][1]}

    def cat_file(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path].encode()

    def isdir(self, path: str) -> bool:
        return path not in self.files and any(one.startswith(path.rstrip("/") + "/") for one in self.files)

    def ls(self, path: str, detail: bool) -> list[dict[str, str]]:
        return [{"name": one, "type": "file"} for one in self.files if one.startswith(path.rstrip("/") + "/")]

    def glob(self, pattern: str) -> list[str]:
        import fnmatch

        return fnmatch.filter(self.files, pattern)


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real fsspec's memory:// where it is installed, otherwise a module that looks like it."""
    try:
        import fsspec

        system = fsspec.filesystem("memory")
        for name, content in Memory.files.items():
            system.pipe_file(name, content.encode())
    except ImportError:
        module: Any = ModuleType("fsspec")
        module.core = SimpleNamespace(url_to_fs=lambda name: (Memory(), "/" + name.partition("://")[2].lstrip("/")))
        monkeypatch.setitem(sys.modules, "fsspec", module)


@pytest.mark.usefixtures("remote")
def test_object_stores_through_fsspec() -> None:
    assert read_qrels("memory://qrels.txt").frame.rows() == QRELS
    assert rows(read_run("memory://runs/a.run")) == SCORED
    with pytest.warns(CranfieldWarning, match=r"memory://runs: skipped README.md"):
        assert evaluate("memory://qrels.txt", "memory://runs", "AP").only().systems == ("a",)
    assert [run.system for run in read_runs("memory://runs/*.run")] == ["a"]
    with pytest.raises(FileError, match=r"memory://none: no such file; check the name"):
        read_run("memory://none")


def test_without_fsspec_a_url_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(FileError, match=r"s3://bucket/a.run: reading a URL needs fsspec.*pip install"):
        read_run("s3://bucket/a.run")
    with pytest.raises(FileError, match="pip install fsspec"):
        read_qrels("https://example.org/qrels.txt")


@pytest.mark.parametrize(
    ("name", "package"), [("s3://b/a.run", "s3fs"), ("gs://b/runs/", "gcsfs"), ("az://b/*.run", "adlfs")]
)
def test_a_store_names_the_package_it_needs(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        FileError, match=rf"fsspec cannot open it: .*[Ii]nstall {package} .*\. Or download the file first"
    ):
        list(read_runs(name))


def test_scores_of_a_store(put: Put) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    scores = read_scores(put(*SCORE_FILES["tidy"]))
    write_scores(scores, put("s.parquet", ""))
    for file in (put(*SCORE_FILES["tidy"]), put("t", "").parent / "s.parquet"):
        store.pipe_file(f"/scores/{file.name}", file.read_bytes())
        assert read_scores(f"memory://scores/{file.name}") == scores
    with pytest.raises(FileError, match=r"memory://scores/x.csv: is a URL, and only local files are written"):
        write_scores(scores, "memory://scores/x.csv")


def test_a_store_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Memory):
        def isdir(self, path: str) -> bool:
            raise PermissionError("no credentials")

    module: Any = ModuleType("fsspec")
    module.core = SimpleNamespace(url_to_fs=lambda name: (Broken(), "/runs"))
    monkeypatch.setitem(sys.modules, "fsspec", module)
    with pytest.raises(FileError, match=r"s3://b/runs: cannot be read: PermissionError: no credentials"):
        list(read_runs("s3://b/runs"))


class Dataset:
    """What ir_datasets' datasets have; the package itself downloads, so it is stood in for."""

    def qrels_iter(self) -> Any:
        return iter([SimpleNamespace(query_id=t, doc_id=d, relevance=r, iteration=s) for t, s, d, r in QRELS])


def test_datasets_of_ir_datasets(monkeypatch: pytest.MonkeyPatch, put: Put) -> None:
    module: Any = ModuleType("ir_datasets")

    def load(name: str) -> Dataset:
        if name != "tiny/dev":
            raise KeyError(name)
        return Dataset()

    module.load = load
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    qrels = read_qrels("irds:tiny/dev")
    assert (qrels.name, qrels.frame.rows()) == ("tiny/dev", QRELS)
    assert evaluate("irds:tiny/dev", put(*RUN_FILES["trec"]), "RR").only().values.tolist() == [[1.0], [0.0]]
    with pytest.raises(FileError, match=r"irds:none: ir_datasets has no such dataset"):
        read_qrels("irds:none")
    with pytest.raises(FileError, match=r"this dataset has no scored documents"):
        read_run("irds:tiny/dev")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(FileError, match=r"ir_datasets is not installed; pip install ir_datasets, or name a file"):
        read_qrels("irds:tiny/dev")


@pytest.fixture
def registered(put: Put, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The real ir_datasets with datasets of files here: nothing is downloaded."""
    package = pytest.importorskip("ir_datasets")
    from ir_datasets import formats
    from ir_datasets.util import LocalDownload

    monkeypatch.setattr(package.registry, "_registered", dict(package.registry._registered))

    def file(name: str, content: str) -> Any:
        return LocalDownload(put(name, content))

    qrels = formats.TrecQrels(file("qrels", JUDGED["trec"][1]), {})
    package.registry.register(
        "tiny/dev", package.Dataset(qrels, formats.TrecScoredDocs(file("run", RUN_FILES["trec"][1])))
    )
    parts = formats.TrecSubQrels(file("parts", "1 1 a 1\n1 2 a 0\n"), {})
    package.registry.register("tiny/parts", package.Dataset(parts))
    package.registry.register(
        "tiny/lost", package.Dataset(formats.TrecQrels(LocalDownload(Path("none"), mkdir=False), {}))
    )
    return package


@pytest.mark.usefixtures("registered")
def test_the_real_ir_datasets(put: Put) -> None:
    assert read_qrels("irds:tiny/dev").frame.rows() == QRELS
    assert read_qrels("irds:tiny/parts").frame.rows() == [("1", "1", "a", 1), ("1", "2", "a", 0)]
    run = read_run("irds:tiny/dev")
    assert (run.system, rows(run)) == ("tiny/dev", SCORED)
    scores = evaluate("irds:tiny/dev", ["irds:tiny/dev", put(*RUN_FILES["trec"])], "RR").only()
    assert (scores.systems, scores.values.tolist()) == (("tiny/dev", "x"), [[1.0, 1.0], [0.0, 0.0]])
    check = check_file("irds:tiny/dev")
    assert (check.kind, check.n_rows, check_file("irds:tiny/dev", kind="run").n_rows) == ("qrels", 3, 3)
    with pytest.raises(FileError, match=r"irds:tiny/none: ir_datasets has no such dataset"):
        read_qrels("irds:tiny/none")
    with pytest.raises(FileError, match=r"irds:tiny/parts: this dataset has no scored documents"):
        read_run("irds:tiny/parts")
    with pytest.raises(FileError, match=r"irds:tiny/lost: ir_datasets failed .*; fetch the data with ir_datasets, or"):
        read_qrels("irds:tiny/lost")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    "words",
    [
        "evaluate irds:tiny/dev RUN -m AP",
        "check irds:tiny/dev RUN",
        "compare irds:tiny/dev RUN irds:tiny/dev -m AP --test t",
        "leaderboard irds:tiny/dev RUN irds:tiny/dev -m AP --test t",
        "table irds:tiny/dev RUN irds:tiny/dev -m AP --test t",
        "gate irds:tiny/dev --baseline RUN --candidate irds:tiny/dev -m AP --margin 0.1 --test randomisation",
        "convert irds:tiny/dev --layout beir",
        "trec_eval irds:tiny/dev RUN",
        "evaluate --collections LIST -m AP -o all",
    ],
)
def test_commands_take_datasets(cranfield: Type, put: Put, words: str) -> None:
    files = {"RUN": str(put("y.run", RUN_FILES["trec"][1])), "LIST": str(put("list.txt", "tiny irds:tiny/dev y.run\n"))}
    done = cranfield(*(files.get(word, word) for word in words.split()))
    assert done.exit_code in ((0, 4) if words.startswith("gate") else (0,)), done.stderr


def test_an_uploaded_file_of_such_a_name_is_a_file(put: Put) -> None:
    file = NamedFile("irds:tiny/dev", put(*JUDGED["trec"]))
    assert read_qrels(file).frame.rows() == QRELS
    assert check_file(file).kind == "qrels"
