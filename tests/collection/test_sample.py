"""The sample collection: what it promises about judgments, pool, runs, teams, truth and files."""

from __future__ import annotations

import errno
import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import ArgumentError, FileError, Sample, SampleModel, make_sample, read_qrels, read_runs
from cranfield.collection.sample_files import README
from known_scores import average_precisions


def small(seed: int = 1, **changes: object) -> Sample:
    settings = {"n_topics": 6, "n_systems": 8, "n_documents": 400, "depth": 15, "length": 60} | changes
    return make_sample(seed=seed, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sample() -> Sample:
    return make_sample()


def contents(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


def message_of(call: object, error: type[Exception]) -> str:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    return str(caught.value)


# ── judgments and pool ────────────────────────────────────────────────────────────────────────────────────


def test_the_pool_is_the_union_of_the_tops() -> None:
    sample = small()
    relevance = {(t, d): r for t, _, d, r in sample.full_qrels.frame.iter_rows()}
    pooled = defaultdict(set)
    for run in sample.runs:
        by_topic = defaultdict(list)
        for topic, document, _, score in run.frame.iter_rows():
            by_topic[topic].append((score, document))
        for topic, found in by_topic.items():
            pooled[topic] |= {document for _, document in sorted(found, reverse=True)[:15]}
    assert {(t, d) for t, _, d, _ in sample.qrels.frame.iter_rows()} == {(t, d) for t in pooled for d in pooled[t]}
    assert all(relevance[t, d] == r for t, _, d, r in sample.qrels.frame.iter_rows())


def test_every_document_is_judged_in_the_full_judgments() -> None:
    sample = small()
    assert len(sample.full_qrels) == 6 * 400
    assert sample.full_qrels.frame.select("topic", "document").is_duplicated().sum() == 0
    truth = {row["topic"]: row for row in sample.topic_truth.to_dicts()}
    for qrels, column in ((sample.full_qrels, "relevant"), (sample.qrels, "pooled_relevant")):
        counts = qrels.frame.group_by("topic").agg((pl.col("relevance") > 0).sum())
        assert dict(counts.iter_rows()) == {topic: row[column] for topic, row in truth.items()}
    judged = sample.qrels.frame.group_by("topic").len()
    assert dict(judged.iter_rows()) == {topic: row["judged"] for topic, row in truth.items()}


def test_judgments_are_graded_and_every_topic_keeps_a_relevant_document(sample: Sample) -> None:
    for qrels in (sample.qrels, sample.full_qrels):
        assert sorted(qrels.frame["relevance"].unique()) == [0, 1, 2]
    assert sample.topic_truth["pooled_relevant"].min() > 0
    share = sample.topic_truth["pooled_relevant"].sum() / sample.topic_truth["relevant"].sum()
    assert 0.4 < share < 0.95  # the pool misses some, as pools do


def test_topics_without_relevant_documents_in_the_pool_are_told(sample: Sample) -> None:
    assert sample.warnings == ()
    hopeless = SampleModel(failure_rate=1.0)
    assert small(n_topics=1, model=hopeless).warnings == (
        "topic 1 has no relevant document in the pool of depth 15, so every system scores 0 there",
    )
    assert small(n_topics=2, model=hopeless).warnings == (
        "2 topics (1, 2) have no relevant document in the pool of depth 15, so every system scores 0 there",
    )


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_runs_are_ordered_by_score_and_no_document_comes_twice(sample: Sample) -> None:
    for run in sample.runs:
        frame = run.frame
        assert frame.select("topic", "document").is_duplicated().sum() == 0
        steps = frame.select(step=pl.col("score").diff().over("topic"), rank=pl.col("rank").diff().over("topic"))
        assert (steps["step"].drop_nulls() <= 0).all()
        assert (steps["rank"].drop_nulls() == 1).all()
        assert frame.group_by("topic").agg(pl.col("rank").first())["rank"].unique().to_list() == [1]
        assert run.topics == tuple(str(i) for i in range(1, 51))
        assert frame.group_by("topic").len()["len"].max() == 500


def test_coarse_systems_tie_and_only_they_tie_often(sample: Sample) -> None:
    tied = {run.system: run.frame.select("topic", "score").is_duplicated().mean() for run in sample.runs}
    coarse = sample.truth.filter(pl.col("decimals") == 1)["system"].to_list()
    assert len(coarse) == 6
    assert all((tied[system] > 0.8) == (system in coarse) for system in tied)


def test_ap_agrees_with_trec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    sample = small(n_documents=1000, length=300, depth=40)
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, _, document, relevance in sample.qrels.frame.iter_rows():
        judged[topic][document] = relevance
    ours = average_precisions(sample.qrels, sample.runs)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    for j, run in enumerate(sample.runs):
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for topic, document, _, score in run.frame.iter_rows():
            scores[topic][document] = score
        theirs = evaluator.evaluate(scores)
        assert [theirs[topic]["map"] for topic in judged] == pytest.approx(ours[:, j].tolist(), abs=1e-12)


def test_systems_of_one_team_err_together() -> None:
    sample = small(n_topics=60, n_systems=12, n_documents=2000, length=200)
    x = average_precisions(sample.full_qrels, sample.runs)
    residual = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    correlation = np.corrcoef(residual.T)
    team = sample.truth["team"].to_numpy()
    same = team[:, None] == team
    pairs = np.triu(np.ones_like(same), 1).astype(bool)
    assert correlation[pairs & same].mean() > correlation[pairs & ~same].mean() + 0.25


def test_without_shared_noise_and_interaction_teams_do_not_matter() -> None:
    model = SampleModel(team_noise=0.0, team_interaction_sd=0.0)
    sample = small(n_topics=60, n_systems=12, n_documents=2000, length=200, model=model)
    x = average_precisions(sample.full_qrels, sample.runs)
    residual = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    correlation = np.corrcoef(residual.T)
    team = sample.truth["team"].to_numpy()
    same = team[:, None] == team
    pairs = np.triu(np.ones_like(same), 1).astype(bool)
    assert abs(correlation[pairs & same].mean() - correlation[pairs & ~same].mean()) < 0.15
    assert "team interaction sd 0; team noise 0" in sample.signature


def test_failures_are_short_lists_without_relevant_documents() -> None:
    sample = small(model=SampleModel(failure_rate=1.0))
    assert not average_precisions(sample.full_qrels, sample.runs).any()
    assert max(run.frame.group_by("topic").len()["len"].max() for run in sample.runs) <= 30


def test_missing_topics_are_off_unless_asked_for(sample: Sample) -> None:
    assert all(len(run.topics) == 50 for run in sample.runs)
    holes = small(n_topics=40, model=SampleModel(missing_rate=0.2))
    missing = sum(40 - len(run.topics) for run in holes.runs) / (40 * 8)
    assert 0.1 < missing < 0.3


# ── documents ─────────────────────────────────────────────────────────────────────────────────────────────


def test_texts_speak_of_their_topics() -> None:
    sample = small()
    texts = dict(sample.documents.iter_rows())
    assert all(20 <= len(text.split()) <= 60 for text in texts.values())
    titles = {topic: set(title.split()) for topic, title in sample.topics.iter_rows()}
    by_relevance: dict[int, list[float]] = defaultdict(list)
    for topic, _, document, relevance in sample.full_qrels.frame.iter_rows():
        words = texts[document].split()
        by_relevance[relevance].append(sum(word in titles[topic] for word in words) / len(words))
    means = [np.mean(by_relevance[relevance]) for relevance in (0, 1, 2)]
    assert means[0] < 0.02 < means[1] < means[2]


def test_words_follow_zipf(sample: Sample) -> None:
    counts = sample.documents["text"].str.split(" ").explode().value_counts(sort=True)["count"].to_numpy()
    slope = np.polyfit(np.log(np.arange(10, 500)), np.log(counts[10:500]), 1)[0]
    assert -1.2 < slope < -0.7


# ── truth ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_quality_is_standardised_and_decides_true_ap() -> None:
    sample = small(n_systems=20, n_documents=1000, length=300)
    quality = sample.truth["quality"].to_numpy()
    assert quality.mean() == pytest.approx(0, abs=1e-12)
    assert quality.std() == pytest.approx(0.4)
    truth = sample.true_means(200)
    assert truth.columns == ["system", "team", "quality", "decimals", "true_ap", "standard_error"]
    assert np.corrcoef(truth["quality"], truth["true_ap"])[0, 1] > 0.9


def test_true_means_are_what_the_collection_estimates() -> None:
    # Both are means over topics of one population, so they differ by their standard errors only.
    sample = small(n_topics=150, n_systems=6, n_documents=500, length=200)
    seen = average_precisions(sample.full_qrels, sample.runs)
    truth = sample.true_means(300)
    error = np.sqrt(seen.var(axis=0, ddof=1) / 150 + truth["standard_error"].to_numpy() ** 2)
    assert (np.abs(seen.mean(axis=0) - truth["true_ap"].to_numpy()) < 3.5 * error).all()


def test_a_smaller_sample_is_the_beginning_of_a_larger_one() -> None:
    fewer, more = small(n_topics=3), small(n_topics=6)
    for ours, theirs in zip(fewer.runs, more.runs, strict=True):
        assert ours.frame.equals(theirs.frame.filter(pl.col("topic").cast(pl.Int64) <= 3))
    assert fewer.true_scores(5) == more.true_scores(5)


def test_one_system_one_topic() -> None:
    sample = make_sample(1, 1, n_documents=100)
    assert (sample.length, sample.depth) == (100, 50)
    assert sample.truth["quality"].to_list() == [0.0]
    assert repr(sample) == "Sample(1 topics, 1 systems, 100 documents, 50 judgments to depth 50, seed 1)"
    assert sample.to_frame().equals(sample.truth)
    assert "<b>Sample(" in sample._repr_html_()


def test_team_names_run_on() -> None:
    names = small(n_topics=1, n_systems=90).truth["team"].unique(maintain_order=True).to_list()
    assert names[:2] == ["alder", "apple"]
    assert names[24:27] == ["yew", "team26", "team27"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 0}, "`n_topics` must be at least 1; got 0"),
        ({"n_systems": 0}, "`n_systems` must be at least 1; got 0"),
        ({"n_documents": 99}, "`n_documents` must be at least 100; got 99"),
        ({"depth": 0}, "`depth` must be at least 1; got 0"),
        ({"length": 0}, "`length` must be at least 1; got 0"),
        ({"seed": -1}, "`seed` must be at least 0; got -1"),
        ({"length": 6000}, "`length` must be at most the number of documents, 5000; got 6000"),
        ({"depth": 501}, "`depth` must be at most the length of the runs, 500; got 501"),
    ],
)
def test_bad_sizes(arguments: dict[str, int], message: str) -> None:
    assert message_of(lambda: make_sample(**arguments), ArgumentError) == message  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ease_sd": -1}, "`ease_sd` must be 0 or more; got -1"),
        ({"failure_rate": 2}, "`failure_rate` must be between 0 and 1; got 2"),
        ({"signal": float("inf")}, "`signal` must be a finite number; got inf"),
        (
            {"common_noise": 0.7},
            "`common_noise` and `team_noise` are parts of a whole; their sum is 1.05, above 1",
        ),
        (
            {"failure_rate": 0.5, "missing_rate": 0.6},
            "`failure_rate` and `missing_rate` are parts of a whole; their sum is 1.1, above 1",
        ),
    ],
)
def test_bad_parameters(arguments: dict[str, float], message: str) -> None:
    assert message_of(lambda: SampleModel(**arguments), ArgumentError) == message


def test_true_means_need_two_topics() -> None:
    assert message_of(lambda: small().true_means(1), ArgumentError) == "`n_topics` must be at least 2; got 1"


# ── files ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_sample_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        small().write(tmp_path / name, truth_topics=3)
    small(seed=2).write(tmp_path / "three", truth_topics=3)
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert set(one) == set(three)
    assert all(one[name] != three[name] for name in one)


def test_written_files_read_back(tmp_path: Path) -> None:
    sample = small()
    written = sample.write(tmp_path / "new" / "sample", truth_topics=3)
    directory = tmp_path / "new" / "sample"
    assert {str(path.relative_to(directory)) for path in written} == set(contents(directory))
    assert read_qrels(directory / "qrels.txt") == sample.qrels
    assert read_qrels(directory / "qrels.full.txt.gz") == sample.full_qrels
    assert list(read_runs(directory / "runs")) == list(sample.runs)

    # the same by the plainest parsing there is
    lines = gzip.decompress((directory / "runs" / "alder-1.run.gz").read_bytes()).decode().splitlines()
    topic, q0, document, rank, score, tag = lines[0].split(" ")
    first = sample.runs[0].frame.row(0)
    assert (topic, document, int(rank), float(score)) == first
    assert (q0, tag) == ("Q0", "alder-1")
    assert len(lines) == len(sample.runs[0])
    documents = gzip.decompress((directory / "documents.jsonl.gz").read_bytes()).decode().splitlines()
    assert [tuple(json.loads(line).values()) for line in documents] == sample.documents.rows()
    topics = [tuple(line.split("\t")) for line in (directory / "topics.tsv").read_text().splitlines()]
    assert topics == sample.topics.rows()
    truth = json.loads((directory / "truth.json").read_text())
    assert truth["systems"] == sample.true_means(3).to_dicts()
    assert truth["topics"] == sample.topic_truth.to_dicts()
    assert truth["model"]["signal"] == sample.model.signal
    assert truth["truth_topics"] == 3
    assert truth["signature"] == sample.signature


def test_the_readme_names_every_file(tmp_path: Path) -> None:
    sample = small()
    sample.write(tmp_path / "s", truth_topics=2)
    readme = (tmp_path / "s" / "README.txt").read_text()
    assert readme == README.format(signature=sample.signature, depth=15, truth_topics=2)
    assert all(path.name in readme for path in (tmp_path / "s").iterdir() if path.name != "README.txt")


def test_a_directory_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    assert message_of(lambda: small().write(tmp_path), FileError) == (
        f"{tmp_path}: is not empty; name a new directory, or replace an earlier sample with force=True"
    )
    assert list(contents(tmp_path)) == ["mine.txt"]


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    message = f"{tmp_path / 'x'}: is a file where a directory is expected"
    assert message_of(lambda: small().write(tmp_path / "x", force=True), FileError) == message


def test_a_file_above_the_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    message = f"{tmp_path / 'x'}: is a file where a directory is expected"
    assert message_of(lambda: small().write(tmp_path / "x" / "y"), FileError) == message


def test_a_failing_write_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("cranfield.collection.sample_files.write_run", full)
    message = f"{tmp_path / 's'}: cannot be written: No space left on device"
    assert message_of(lambda: small().write(tmp_path / "s", truth_topics=2), FileError) == message
    assert not list(tmp_path.iterdir())


def test_force_replaces_a_former_sample_and_nothing_else(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    small().write(directory, truth_topics=2)
    (directory / "mine.txt").write_text("x")
    (directory / "runs" / "mine.run").write_text("y")
    fewer = small(n_systems=3)
    fewer.write(directory, force=True, truth_topics=2)
    fewer.write(tmp_path / "fresh", truth_topics=2)
    assert contents(directory) == contents(tmp_path / "fresh") | {"mine.txt": b"x", "runs/mine.run": b"y"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "s"]  # no scratch left


@pytest.mark.parametrize("truth", ["[]", "not JSON", '{"systems": [1]}', "{}", "[" * 100_000])
def test_force_beside_a_foreign_truth_file(tmp_path: Path, truth: str) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "truth.json").write_text(truth)
    small(n_systems=2).write(tmp_path / "s", force=True, truth_topics=2)
    assert len(list((tmp_path / "s" / "runs").iterdir())) == 2


def test_an_empty_directory_is_used_as_it_is(tmp_path: Path) -> None:
    before = tmp_path.stat().st_ino
    small(n_systems=2).write(tmp_path, truth_topics=2)
    assert tmp_path.stat().st_ino == before  # a shell standing in it still does


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cranfield.collection.sample_files.write_run", stop)
    with pytest.raises(KeyboardInterrupt):
        small().write(tmp_path / "s", truth_topics=2)
    assert not list(tmp_path.iterdir())
