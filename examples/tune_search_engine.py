"""Tune a search engine and compare it, tuned, with the same engine plus a special sauce, tuned on the same folds.

The engine is bm25s, the collection a generated one with known judgments, the sauce pseudo-relevance feedback: the
first two documents found lend their most telling words to the topic, with a weight lambda. Both families are
searched live, every setting once.

    pip install bm25s
    python examples/tune_search_engine.py
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

import bm25s
import numpy as np
import polars as pl

from cranfield import LiveFamily, NFold, Run, Tuning, make_sample, tune
from cranfield.measures.evaluation import Evaluator
from cranfield.questions.compare.compare import compare
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.tune.parameters import Setting, grid

FEEDBACK_DOCUMENTS, FEEDBACK_WORDS, FOUND = 2, 20, 200

sample = make_sample(n_topics=50, n_systems=1, n_documents=2000)
documents = sample.documents["document"].to_numpy()
words = [text.split() for text in sample.documents["text"]]
titles = dict(zip(sample.topics["topic"], [title.split() for title in sample.topics["title"]], strict=True))
evaluator = Evaluator(sample.full_qrels, "AP")
tokens = bm25s.tokenize(sample.documents["text"].to_list(), stopwords=None, show_progress=False)
spread = Counter(word for text in words for word in set(text))


@lru_cache
def engine(k1: float, b: float) -> bm25s.BM25:
    """The index for one pair of parameters."""
    index = bm25s.BM25(k1=k1, b=b)
    index.index(tokens, show_progress=False)
    return index


@cache
def title_scores(k1: float, b: float, topic: str) -> np.ndarray:
    """Scores of all documents for the words of a topic's title."""
    return engine(k1, b).get_scores(titles[topic]) / len(titles[topic])


@cache
def feedback_scores(k1: float, b: float, topic: str) -> np.ndarray:
    """Scores of all documents for the most telling words of the first documents found."""
    telling: Counter[str] = Counter()
    for document in np.argsort(-title_scores(k1, b, topic), kind="stable")[:FEEDBACK_DOCUMENTS]:
        for word in sorted(set(words[document])):
            telling[word] += math.log(len(words) / spread[word])
    chosen = telling.most_common(FEEDBACK_WORDS)
    return sum(value * engine(k1, b).get_scores([word]) for word, value in chosen) / telling.total()


def plain(setting: Setting, topics: Sequence[str]) -> dict[str, float]:
    """AP of BM25 under one setting."""
    return average_precision({topic: title_scores(**setting, topic=topic) for topic in topics})


def with_feedback(setting: Setting, topics: Sequence[str]) -> dict[str, float]:
    """AP of BM25 with feedback under one setting."""
    k1, b, share = setting["k1"], setting["b"], setting["lambda"]
    return average_precision(
        {t: (1 - share) * title_scores(k1, b, t) + share * feedback_scores(k1, b, t) for t in topics}
    )


def average_precision(scores: dict[str, np.ndarray]) -> dict[str, float]:
    """AP of the best documents by these scores, topic by topic."""
    best = [np.argsort(-values, kind="stable")[:FOUND] for values in scores.values()]
    frame = pl.DataFrame(
        {
            "topic": np.repeat(list(scores), FOUND),
            "document": documents[np.concatenate(best)],
            "rank": np.tile(np.arange(1, FOUND + 1), len(best)),
            "score": np.concatenate([values[at] for values, at in zip(scores.values(), best, strict=True)]),
        }
    )
    values = evaluator.score(evaluator.judge(Run(frame)))[0]
    return dict(zip(evaluator.topics, values.tolist(), strict=True))


def main() -> tuple[Tuning, Comparison]:
    """Tune both families by 10-fold cross-validation and compare their held-out scores."""
    topics = list(titles)
    bm25 = grid("bm25", k1=[0.3, 0.6, 0.9, 1.2, 1.5, 2.0], b=[0.0, 0.2, 0.4, 0.6, 0.8])
    feedback = grid("feedback", k1=[0.9, 1.5], b=[0.2, 0.6], **{"lambda": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]})
    families = [
        LiveFamily("bm25", plain, bm25, topics, "AP"),
        LiveFamily("feedback", with_feedback, feedback, topics, "AP"),
    ]
    tuning = tune(families, NFold(10))
    return tuning, compare(tuning.held_out, baseline="bm25")


if __name__ == "__main__":
    tuning, comparison = main()
    print(tuning)
    print(comparison)
