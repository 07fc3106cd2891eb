"""Words for the sample collection: titles and short documents that a search engine can index.

Words are made of syllables and follow Zipf's law. Every topic has a few words. Relevant documents hold many of them;
look-alikes (documents that mislead every system) hold a few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 3000
"""Words of the language."""
TOPIC_WORDS = 6
"""Words of each topic; its title is the first two to four of them."""
COMMON_WORDS = 50
"""The most frequent words, which never belong to a topic."""
SHARE_OF_TOPIC_WORDS = (0.04, 0.06, 0.10)
"""Share of a document's words that come from the topic: look-alikes, relevance 1, relevance 2."""
_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"


def make_vocabulary() -> NDArray[np.str_]:
    """The words of the language, the most frequent and shortest first.

    >>> make_vocabulary()[[0, 1, 70, 2999]].tolist()
    ['ba', 'ni', 'baba', 'rifo']
    """
    listed = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
    syllables = [listed[37 * i % len(listed)] for i in range(len(listed))]  # 37 and 70 share no factor: all, mixed
    pairs = [first + second for first in syllables for second in syllables]
    return np.array((syllables + pairs)[:VOCABULARY])


def make_topic_words(random: np.random.Generator, n_topics: int) -> list[NDArray[np.int64]]:
    """The words of each topic, as positions in the vocabulary."""
    return [random.choice(np.arange(COMMON_WORDS, VOCABULARY), TOPIC_WORDS, replace=False) for _ in range(n_topics)]


def make_titles(random: np.random.Generator, topic_words: Sequence[NDArray[np.int64]]) -> list[str]:
    """A title for each topic: two to four of its words."""
    vocabulary = make_vocabulary()
    lengths = random.integers(2, 5, size=len(topic_words))
    return [" ".join(vocabulary[words[:length]]) for words, length in zip(topic_words, lengths, strict=True)]


def make_texts(
    random: np.random.Generator,
    n_documents: int,
    topic_words: Sequence[NDArray[np.int64]],
    topical: Sequence[tuple[NDArray[np.integer], NDArray[np.integer]]],
) -> list[str]:
    """A text of 20 to 60 words for each document.

    Parameters
    ----------
    topical : for each topic its documents and their degree: 0 look-alike, 1 and 2 relevant
    """
    lengths = random.integers(20, 61, size=n_documents)
    ends = np.cumsum(lengths)
    frequency = 1.0 / (np.arange(VOCABULARY) + 2.7)  # Zipf-Mandelbrot
    cumulative = np.cumsum(frequency) / frequency.sum()
    words = np.minimum(np.searchsorted(cumulative, random.random(int(ends[-1]))), VOCABULARY - 1)
    share = np.array(SHARE_OF_TOPIC_WORDS)
    for own, (documents, degree) in zip(topic_words, topical, strict=True):
        spoken = lengths[documents]
        # The positions of all words of these documents: each starts where the one before it ends.
        first = np.repeat(ends[documents] - spoken, spoken)
        within = np.arange(int(spoken.sum())) - np.repeat(np.cumsum(spoken) - spoken, spoken)
        chosen = (first + within)[random.random(len(first)) < np.repeat(share[degree], spoken)]
        words[chosen] = random.choice(own, len(chosen))
    text = make_vocabulary()[words].tolist()
    return [" ".join(text[end - length : end]) for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
