"""A synthetic collection with known truth: documents, topics, graded judgments, a pool, and runs.

`cranfield.core.truth` describes the model of the runs. docs/sample.md compares their AP with real tracks.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection import sample_text
from cranfield.collection.sample_files import write_sample
from cranfield.collection.types import Qrels, Run
from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import summary
from cranfield.core.options import number_text
from cranfield.core.resampling import generator
from cranfield.core.resources import Demand, seconds_of
from cranfield.core.results import signature
from cranfield.core.truth import Rankings, SampleModel, Systems, average_precision, draw_systems, draw_topic
from cranfield.scores.matrix import ScoreMatrix

MIN_DOCUMENTS = 100
MOST_ROWS = 200_000_000
"""Largest number of rows of all runs, or of documents of all systems, that fits in memory."""
_TEXT = 3  # the random stream of words; those of the model are 0 to 2
_LOOKALIKE_SHARE = 0.01
"""Share of documents with words of a topic that are not relevant: those that mislead systems most."""
NONE_IN_POOL = sentence(
    "measures.none-in-pool",
    "{which} no relevant document in the pool of depth {depth}, so every system scores 0 there",
    "the pool of a sample has none of the relevant documents of these topics",
)


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """A synthetic collection, and the truth about it.

    Attributes
    ----------
    qrels : judgments of the pool: every document in the top `depth` of at least one run
    full_qrels : judgments of every document for every topic
    runs : one run per system
    documents : frame with columns document, text
    topics : frame with columns topic, title
    truth : frame with columns system, team, quality (the model's parameter), decimals (of its printed scores)
    topic_truth : frame with columns topic, ease (the model's parameter), relevant, pooled_relevant, judged
    model : the parameters of the model
    """

    qrels: Qrels
    full_qrels: Qrels
    runs: tuple[Run, ...]
    documents: pl.DataFrame
    topics: pl.DataFrame
    truth: pl.DataFrame
    topic_truth: pl.DataFrame
    model: SampleModel
    depth: int
    length: int
    seed: int
    _systems: Systems = field(repr=False)

    @property
    def signature(self) -> str:
        """One line to make the same sample again: the settings, and the changed parameters of the model."""
        usual = dataclasses.asdict(SampleModel())
        sizes = {"topics": self.topics.height, "systems": len(self.runs), "documents": self.documents.height}
        changed = {name: value for name, value in dataclasses.asdict(self.model).items() if value != usual[name]}
        return signature("sample collection", **sizes, **self._settings, **changed)

    @property
    def _settings(self) -> dict[str, int]:
        return {"depth": self.depth, "length": self.length, "seed": self.seed}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Topics without a relevant document in the pool."""
        lost = self.topic_truth.filter(pl.col("pooled_relevant") == 0)["topic"].to_list()
        if not lost:
            return ()
        which = f"topic {lost[0]} has" if len(lost) == 1 else f"{len(lost)} topics ({summary(lost)}) have"
        return (NONE_IN_POOL(which=which, depth=self.depth),)

    def __repr__(self) -> str:
        return (
            f"Sample({self.topics.height} topics, {len(self.runs)} systems, {self.documents.height} documents, "
            f"{len(self.qrels)} judgments to depth {self.depth}, seed {self.seed})"
        )

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{escape(repr(self))}</b></p>{self.truth._repr_html_()}"

    def to_frame(self) -> pl.DataFrame:
        """The truth about each system (see `truth`)."""
        return self.truth

    def to_dict(self) -> dict[str, object]:
        """The truth as plain values: settings, model, systems and topics."""
        return {
            "signature": self.signature,
            "settings": self._settings,
            "model": dataclasses.asdict(self.model),
            "systems": self.truth.to_dicts(),
            "topics": self.topic_truth.to_dicts(),
        }

    def true_scores(self, n_topics: int = defaults.SAMPLE_TRUTH_TOPICS) -> ScoreMatrix:
        """AP of the same systems on further topics of the same kind, every document judged.

        The further topics are independent draws from the same model with the same systems. Compare estimates from
        the collection with them. A thousand topics take a few seconds.

        >>> make_sample(4, 3, n_documents=200, length=50, depth=10).true_scores(100)
        ScoreMatrix(AP: 100 topics × 3 systems, mean 0.4613)
        """
        _at_least("n_topics", n_topics, 1)
        fixed = self.model, self._systems, self.documents.height, self.length, self.seed
        rankings = (draw_topic(*fixed, topic, further=True) for topic in range(n_topics))
        values = np.stack([average_precision(ranked.in_score_order(), ranked.relevance) for ranked in rankings])
        topics, steps = [f"further{i}" for i in range(1, n_topics + 1)], [f"further topics of a {self.signature}"]
        return ScoreMatrix(values, topics, self._systems.names, "AP", provenance=steps)

    def true_means(self, n_topics: int = defaults.SAMPLE_TRUTH_TOPICS) -> pl.DataFrame:
        """The mean AP of each system over the population of topics, estimated on `n_topics` further ones.

        Returns the columns of `truth` with true_ap and standard_error, the Monte-Carlo error of true_ap.
        """
        _at_least("n_topics", n_topics, 2)
        scores = self.true_scores(n_topics)
        error = scores.values.std(axis=0, ddof=1) / np.sqrt(n_topics)
        return self.truth.with_columns(pl.Series("true_ap", scores.system_means), pl.Series("standard_error", error))

    def write(
        self,
        directory: str | os.PathLike[str],
        *,
        force: bool = False,
        truth_topics: int = defaults.SAMPLE_TRUTH_TOPICS,
    ) -> tuple[Path, ...]:
        """Write the collection as files, and return their paths. The same sample gives the same bytes.

        README.txt in the directory describes each file. A directory that is not empty is refused. With `force`, the
        files of an earlier sample are replaced and all others kept.

        Parameters
        ----------
        truth_topics : further topics for the true mean AP in truth.json (see `true_means`)
        """
        return write_sample(self, directory, force=force, truth_topics=truth_topics)


def make_sample(
    n_topics: int = defaults.SAMPLE_TOPICS,
    n_systems: int = defaults.SAMPLE_SYSTEMS,
    seed: int = defaults.SEED,
    *,
    n_documents: int = defaults.SAMPLE_DOCUMENTS,
    depth: int | None = None,
    length: int | None = None,
    model: SampleModel | None = None,
) -> Sample:
    """A synthetic collection with known truth, to try and check every method.

    Topics differ in ease, systems in quality, and each system suits some topics more than others. The systems of one
    team share part of their errors. Some print coarse scores, so that documents tie; some fail on a topic. Means and
    variance components of AP are of the size seen on TREC-3, TREC-8 and Robust.

    Parameters
    ----------
    n_topics, n_systems, n_documents : the size of the collection
    seed : the draw. A topic and its rankings depend on the seed, the systems and the size of the collection. They do
        not depend on the number of topics: a sample of 50 topics is the beginning of one of 100.
    depth : the pool holds the top `depth` documents of every run, ordered by score and, where scores tie, by
        document id descending (as trec_eval does); default 50, or the length of the runs if that is less
    length : documents of a run per topic; default 500, or all if there are fewer
    model : the model's parameters; see `SampleModel`

    Examples
    --------
    >>> sample = make_sample(n_topics=5, n_systems=4, n_documents=500, depth=20, length=100)
    >>> sample
    Sample(5 topics, 4 systems, 500 documents, 213 judgments to depth 20, seed 1)
    >>> sample.runs[0]
    Run(alder-1: 5 topics, 500 documents)
    """
    check_arguments(make_sample, locals())
    _at_least("n_topics", n_topics, 1, 100_000)
    _at_least("n_systems", n_systems, 1, 10_000)
    _at_least("n_documents", n_documents, MIN_DOCUMENTS, 10_000_000)
    _at_least("seed", seed, 0, 2**63 - 1)
    length = min(defaults.SAMPLE_LENGTH, n_documents) if length is None else length
    _at_least("length", length, 1)
    depth = min(defaults.SAMPLE_DEPTH, length) if depth is None else depth
    _at_least("depth", depth, 1)
    if length > n_documents:
        raise ArgumentError(f"`length` must be at most the number of documents, {n_documents}; got {length}")
    if depth > length:
        raise ArgumentError(f"`depth` must be at most the length of the runs, {length}; got {depth}")
    _check_size(n_topics=n_topics, n_systems=n_systems, length=length)
    _check_size(n_systems=n_systems, n_documents=n_documents)
    _check_size(n_topics=n_topics, n_documents=n_documents)  # all are judged in `full_qrels`
    _demand(n_topics, n_systems, n_documents).foretell()
    model = model or SampleModel()
    systems = draw_systems(model, n_systems, seed)
    rankings = [draw_topic(model, systems, n_documents, length, seed, topic) for topic in range(n_topics)]
    tops = [np.unique(ranked.in_score_order()[:, :depth]) for ranked in rankings]
    pools = [top[top >= 0] for top in tops]  # -1 stands beyond the end of a list

    width = max(5, len(str(n_documents)))  # ids of equal width, so that their byte order is that of their numbers
    ids = pl.Series("document", [f"d{i:0{width}d}" for i in range(1, n_documents + 1)])
    topics = pl.Series("topic", [str(i) for i in range(1, n_topics + 1)])
    titles, texts = _words(rankings, n_documents, seed)
    everything = [np.arange(n_documents)] * n_topics
    relevant = [ranked.relevance > 0 for ranked in rankings]
    return Sample(
        qrels=_qrels(rankings, pools, topics, ids, "qrels.txt"),
        full_qrels=_qrels(rankings, everything, topics, ids, "qrels.full.txt.gz"),
        runs=tuple(_run(j, systems, rankings, topics, ids) for j in range(n_systems)),
        documents=pl.DataFrame({"document": ids, "text": texts}),
        topics=pl.DataFrame({"topic": topics, "title": titles}),
        truth=pl.DataFrame(
            {"system": systems.names, "team": systems.teams, "quality": systems.quality, "decimals": systems.decimals}
        ),
        topic_truth=pl.DataFrame(
            {
                "topic": topics,
                "ease": [ranked.ease for ranked in rankings],
                "relevant": [int(mask.sum()) for mask in relevant],
                "pooled_relevant": [int(mask[pool].sum()) for mask, pool in zip(relevant, pools, strict=True)],
                "judged": [len(pool) for pool in pools],
            }
        ),
        model=model,
        depth=depth,
        length=length,
        seed=seed,
        _systems=systems,
    )


def _at_least(name: str, value: int, least: int, most: int = 1_000_000) -> None:
    if value < least:
        raise ArgumentError(f"`{name}` must be at least {least}; got {value}")
    if value > most:
        raise ArgumentError(f"`{name}` must be at most {most:,}; got {number_text(value)}")


def _check_size(**counts: int) -> None:
    """Refuse sizes that do not fit in memory."""
    total = math.prod(counts.values())
    if total > MOST_ROWS:
        product = " × ".join(f"`{name}`" for name in counts)
        raise ArgumentError(f"{product} is {total:,}; at most {MOST_ROWS:,} fit in memory. Make one of them smaller.")


_PER_TOPIC, _PER_SYSTEM, _PER_TEXT = 1_700, 170, 90_000
"""Steps (see `demand`) per topic and document, the same for every system, and per text of a document."""
_PER_JUDGMENT = 60
"""Bytes of memory per topic and document, in the model and in the judgments of all documents."""


def _demand(n_topics: int, n_systems: int, n_documents: int) -> Demand:
    cells = n_topics * n_documents
    seconds = seconds_of(cells * (_PER_TOPIC + _PER_SYSTEM * n_systems) + _PER_TEXT * n_documents)
    instead = "fewer documents take proportionally less"
    return Demand(
        f"a sample of {n_topics:,} topics and {n_documents:,} documents", seconds, cells * _PER_JUDGMENT / 1e6, instead
    )


def _qrels(
    rankings: Sequence[Rankings], chosen: Sequence[NDArray[np.int64]], topics: pl.Series, ids: pl.Series, name: str
) -> Qrels:
    topic = np.repeat(np.arange(len(rankings)), [len(some) for some in chosen])
    relevance = np.concatenate([ranked.relevance[some] for ranked, some in zip(rankings, chosen, strict=True)])
    frame = pl.DataFrame(
        {
            "topic": topics.gather(topic),
            "subtopic": pl.repeat("0", len(topic), eager=True),
            "document": ids.gather(np.concatenate(chosen)),
            "relevance": pl.Series(relevance, dtype=pl.Int32),
        }
    )
    return Qrels(frame, name)


def _run(j: int, systems: Systems, rankings: Sequence[Rankings], topics: pl.Series, ids: pl.Series) -> Run:
    lengths = [int(ranked.lengths[j]) for ranked in rankings]
    documents = [ranked.documents[j, :n] for ranked, n in zip(rankings, lengths, strict=True)]
    frame = pl.DataFrame(
        {
            "topic": topics.gather(np.repeat(np.arange(len(rankings)), lengths)),
            "document": ids.gather(np.concatenate(documents)),
            "rank": np.concatenate([np.arange(1, n + 1) for n in lengths]),
            "score": np.concatenate([ranked.scores[j, :n] for ranked, n in zip(rankings, lengths, strict=True)]),
        }
    )
    return Run(frame, system=systems.names[j], tag=systems.names[j])


def _words(rankings: Sequence[Rankings], n_documents: int, seed: int) -> tuple[list[str], list[str]]:
    """The topics' titles and the documents' texts."""
    random = generator(seed, _TEXT)
    topic_words = sample_text.make_topic_words(random, len(rankings))
    titles = sample_text.make_titles(random, topic_words)
    topical = []
    for ranked in rankings:
        lookalikes = np.argsort(-ranked.lookalike, kind="stable")[: round(_LOOKALIKE_SHARE * n_documents)]
        about_topic = np.union1d(lookalikes, np.flatnonzero(ranked.relevance))
        topical.append((about_topic, ranked.relevance[about_topic]))
    return titles, sample_text.make_texts(random, n_documents, topic_words, topical)
