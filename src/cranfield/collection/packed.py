"""Lines of a run as arrays of machine words: all that scoring needs, at a fraction of what text columns cost.

One pass finds the blanks and line ends of a block. Then every field is fetched eight bytes at a time, for all lines
together. Ids are not decoded: an id is a few 64-bit words, which are hashed, compared and sorted directly. Other
notations (other blanks, comments, a second tag, numbers with exponents) are left to the other parsers. The careful
parser (`collection.lines`) reads everything accepted here to the same rows; property tests check that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core.files import finite_number

if TYPE_CHECKING:
    import polars as pl

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

LONGEST_ID = 256
"""Bytes of the longest id that is packed."""
_BLANK, _LF, _MINUS = 32, 10, 45
_FIELDS = 6
_BYTES = 8
_ONE = np.uint64(1)


def _everywhere(byte: int) -> np.uint64:
    """A word with the byte in all eight places."""
    return np.uint64(byte * 0x0101010101010101)


_FIRST = np.array([(1 << 8 * n) - 1 for n in range(_BYTES + 1)], dtype=np.uint64)
"""Masks of the first n bytes of a word (the lowest: words are read with the first byte lowest)."""
_INSIDE = np.append(_FIRST[:1], _FIRST)
"""The same by the length of a field with the separator behind it."""
_ONES, _HIGHS, _POINTS, _NOUGHTS = _everywhere(0x01), _everywhere(0x80), _everywhere(0x2E), _everywhere(0x30)
_NOUGHTS_AFTER = _NOUGHTS & ~_FIRST
"""Digits 0 in all places but the first n."""
_NOUGHTS_BEFORE = _NOUGHTS & _FIRST[::-1]
"""Digits 0 in all places but the last n."""
_LAST = ~_FIRST[::-1]
"""Masks of the last n bytes of a word."""
_DIVISORS = 10.0 ** np.arange(_BYTES - 1, -1, -1)
"""The divisor of the digits, by the place of the point in a word."""
_ABOVE_NINE = _everywhere(0x76)
"""Added to a byte above 9, it sets the highest bit."""
_MOST_DECIMALS = 18
_SLOTS = 8
"""Slots for each key in the search for equal ones."""
_FEW = 20
"""One line in this many may have a score in another notation, which is read separately."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(32)


np.empty(1 << 24, dtype=np.uint8)
"""Allocated and freed without touching a byte. Linux's C library returns freed memory to the system at once, and
fetching new pages costs more than the arithmetic. It keeps pieces as large as the largest that was ever freed."""


class Ids:
    """Document ids, each as words of eight bytes, the first byte lowest, filled up with zeros.

    Parameters
    ----------
    words : the first word of every id, the second, and so on; none is needed that is zero for all

    Examples
    --------
    >>> ids = Ids.of(["FT911-3", "FT911-10"])
    >>> ids.to_list()
    ['FT911-3', 'FT911-10']
    >>> ids.equal(Ids.of(["FT911-3", "FT911-11"])).tolist()
    [True, False]
    """

    def __init__(self, words: Sequence[Words]) -> None:
        self.words = tuple(words)

    def __len__(self) -> int:
        return len(self.words[0])

    @staticmethod
    def of(texts: Sequence[str]) -> Ids:
        """Ids from text, of any length; text with NUL has no place here."""
        encoded = [text.encode() for text in texts]
        count = max(1, -(-max(map(len, encoded), default=1) // _BYTES))
        table = np.array(encoded, dtype=f"S{count * _BYTES}").view("<u8").reshape(-1, count)
        return Ids([np.ascontiguousarray(table[:, at]) for at in range(count)])

    @staticmethod
    def can_hold(text: str) -> bool:
        """Whether an id is of a length that is packed, and without NUL."""
        return "\0" not in text and len(text.encode()) <= LONGEST_ID

    def to_list(self) -> list[str]:
        """The ids as text."""
        table = np.stack(self.words, axis=1).astype("<u8")
        return [one.decode() for one in table.view(f"S{_BYTES * len(self.words)}").ravel().tolist()]

    @cached_property
    def hashes(self) -> Words:
        """A 64-bit hash of every id, the same however many words the ids are held in."""
        return self.hashed(0)

    def hashed(self, seed: int) -> Words:
        """Another hash for every seed.

        The fold stands between two products, so that no difference of words cancels another under every seed. A word
        of zeros adds nothing.
        """
        total = np.zeros(len(self), dtype=np.uint64)
        with np.errstate(over="ignore"):
            for at, word in enumerate(self.words, 1):
                mixed = word * _odd(seed, 2 * at)
                mixed ^= mixed >> _FOLD
                mixed *= _odd(seed, 2 * at + 1)
                total += mixed
        return total

    def gather(self, rows: NDArray[np.intp] | slice) -> Ids:
        """Some of the ids."""
        return Ids([word[rows] for word in self.words])

    def filter(self, chosen: NDArray[np.bool_]) -> Ids:
        """The ids chosen by a mask."""
        return self.gather(np.flatnonzero(chosen))

    def __getitem__(self, row: int) -> str:
        return self.gather(slice(row, row + 1)).to_list()[0]

    def equal(self, other: Ids) -> NDArray[np.bool_]:
        """Where the two hold the same id."""
        same = np.ones(len(self), dtype=np.bool_)
        for at in range(max(len(self.words), len(other.words))):
            same &= self._word(at) == other._word(at)
        return same

    def _word(self, at: int) -> Words:
        return self.words[at] if at < len(self.words) else np.zeros(len(self), dtype=np.uint64)

    @property
    def in_order(self) -> tuple[Words, ...]:
        """Words that compare as the bytes of the ids do, the first word first."""
        return tuple(word.byteswap() for word in self.words)

    def before(self, other: Ids) -> NDArray[np.bool_]:
        """Where an id comes before the other one in the order of their bytes; of as many words.

        >>> Ids.of(["a", "b", "b10"]).before(Ids.of(["b", "b", "b9"])).tolist()
        [True, False, True]
        """
        below = np.zeros(len(self), dtype=np.bool_)
        for one, its in zip(self.in_order[::-1], other.in_order[::-1], strict=True):
            below = (one < its) | ((one == its) & below)
        return below

    @staticmethod
    def together(parts: Sequence[Ids]) -> Ids:
        """Ids one after the other."""
        count = max(len(part.words) for part in parts)
        return Ids([np.concatenate([part._word(at) for part in parts]) for at in range(count)])


def _odd(seed: int, at: int) -> np.uint64:
    """A multiplier with well-mixed bits."""
    value = (0x9E3779B97F4A7C15 * (2 * at + 1 + 1000 * seed)) % 2**64
    return np.uint64((value ^ value >> 32) | 1)


@dataclass(frozen=True, eq=False)
class _Packed:
    """Lines of topics and documents, as words and numbers.

    Parameters
    ----------
    starts : the row at which each stretch of lines of one topic begins
    topics : the topic of each stretch
    documents : the ids
    """

    starts: Ints
    topics: list[str]
    documents: Ids

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def lengths(self) -> Ints:
        """How many rows each stretch has."""
        return np.diff(np.append(self.starts, len(self)))

    @property
    def has_duplicates(self) -> bool:
        """Whether a document may occur twice in a topic; no false negatives, rare false positives."""
        number = {topic: at for at, topic in enumerate(dict.fromkeys(self.topics))}
        code = np.array([number[topic] for topic in self.topics], dtype=np.uint64) * _MIX
        keys = self.documents.hashes + np.repeat(code, self.lengths)
        return has_equals(keys) if len(number) < len(self.topics) else has_equals(keys, self.lengths)

    def _labels(self) -> dict[str, pl.Series]:
        """The columns of topics and documents."""
        import polars as pl

        stretch = np.repeat(np.arange(len(self.topics)), self.lengths)
        return {
            "topic": pl.Series(self.topics, dtype=pl.String).gather(stretch),
            "document": pl.Series(self.documents.to_list(), dtype=pl.String),
        }


@dataclass(frozen=True, eq=False)
class PackedQrels(_Packed):
    """Judgments whose iteration is the same on all lines.

    Parameters
    ----------
    levels : the relevance levels
    subtopic : the iteration
    """

    levels: Ints
    subtopic: str

    def frame(self) -> pl.DataFrame:
        """The rows as a frame."""
        import polars as pl

        from cranfield.collection.types import QRELS_SCHEMA

        frame = pl.DataFrame({**self._labels(), "relevance": self.levels.astype(np.int32)})
        return frame.with_columns(subtopic=pl.lit(self.subtopic)).select(*QRELS_SCHEMA)


@dataclass(frozen=True, eq=False)
class PackedRun(_Packed):
    """Lines of a run.

    Parameters
    ----------
    scores : the scores
    rank_digits : the digits of each rank in one word, the last highest
    tag : the run tag
    """

    scores: NDArray[np.float64]
    rank_digits: Words
    tag: str

    @property
    def ranks(self) -> Ints:
        """The ranks."""
        return _number(self.rank_digits)

    def column(self, name: Literal["rank", "score"]) -> NDArray[Any]:
        """The ranks or the scores."""
        return self.scores if name == "score" else self.ranks

    def slice(self, first: int, count: int | None = None) -> PackedRun:
        """Whole stretches from a first row on: this many rows, or all that follow."""
        end = len(self) if count is None else first + count
        stretches = slice(*np.searchsorted(self.starts, [first, end]).tolist())
        rows = slice(first, end)
        return PackedRun(
            self.starts[stretches] - first,
            self.topics[stretches],
            self.documents.gather(rows),
            self.scores[rows],
            self.rank_digits[rows],
            self.tag,
        )

    @staticmethod
    def together(parts: Sequence[PackedRun]) -> PackedRun:
        """Rows one after the other; a topic that goes on in the next part is one stretch."""
        if len(parts) == 1:
            return parts[0]
        starts: list[Ints] = []
        topics: list[str] = []
        rows = 0
        for part in parts:
            goes_on = int(bool(topics) and topics[-1] == part.topics[0])
            starts.append(part.starts[goes_on:] + rows)
            topics += part.topics[goes_on:]
            rows += len(part)
        return PackedRun(
            np.concatenate(starts),
            topics,
            Ids.together([part.documents for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.rank_digits for part in parts]),
            parts[0].tag,
        )

    def frame(self) -> pl.DataFrame:
        """The rows as a frame."""
        import polars as pl

        from cranfield.collection.types import RUN_SCHEMA

        return pl.DataFrame({**self._labels(), "rank": self.ranks, "score": self.scores}, schema=RUN_SCHEMA)


def packed_qrels(data: bytes) -> PackedQrels | None:
    """Judgments of four fields, known to be UTF-8 without NUL; None at any doubt.

    >>> qrels = packed_qrels(b"301 0 FT911-3 1\\n301 0 FT911-4 -2\\n")
    >>> qrels.topics, qrels.documents.to_list(), qrels.levels.tolist()
    (['301'], ['FT911-3', 'FT911-4'], [1, -2])
    """
    lines = _Lines.of(data, 4)
    if lines is None:
        return None
    starts = lines.stretches(0)
    topics = [] if starts is None else lines.texts(0, starts)
    subtopic = lines.constant(1)
    if starts is None or subtopic is None or any(topic.startswith("#") for topic in topics):
        return None
    documents, levels = lines.ids(2), lines.whole_numbers(3)
    if documents is None or levels is None:
        return None
    return PackedQrels(starts, topics, documents, levels, subtopic)


def packed_run(data: bytes) -> PackedRun | None:
    """Whole lines of a run, known to be UTF-8 without NUL; None at any doubt.

    >>> run = packed_run(b"301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 -0.25 x\\n302 Q0 FT911-3 1 7 x\\n")
    >>> run.topics, run.starts.tolist(), run.scores.tolist(), run.ranks.tolist()
    (['301', '302'], [0, 2], [9.5, -0.25, 7.0], [1, 2, 1])
    >>> packed_run(b"301\\tQ0\\tFT911-3\\t1\\t9.5\\tx\\n") is None
    True
    """
    lines = _Lines.of(data)
    if lines is None:
        return None
    starts = lines.stretches(0)
    topics = [] if starts is None else lines.texts(0, starts)
    tag = lines.constant(5)
    if starts is None or tag is None or any(topic.startswith(("#", "<")) for topic in topics):
        return None
    ranks, documents, scores = lines.digits(3), lines.ids(2), lines.decimals(4)
    if ranks is None or documents is None or scores is None:
        return None
    return PackedRun(starts, topics, documents, scores, ranks, tag)


class _Lines:
    """Lines of fields with one blank between them: where each field of each line begins, and how long it is.

    Parameters
    ----------
    data : the lines, and enough bytes after them for words to be fetched anywhere
    begins : fields × lines: where a field begins
    spans : fields × lines: its length, with the separator behind it
    """

    def __init__(self, data: bytes, begins: Sequence[Ints], spans: NDArray[np.int64]) -> None:
        self.data, self.begins, self.spans = data, begins, spans
        self.words: Words = np.ndarray((len(data) - _BYTES + 1,), dtype="<u8", buffer=data, strides=(1,))
        """The word that begins at each byte."""

    @staticmethod
    def of(data: bytes, fields: int = _FIELDS) -> _Lines | None:
        """None unless every line has that many non-empty fields with one blank between them."""
        text = b"".join([data, b"" if data.endswith(b"\n") else b"\n", bytes(LONGEST_ID + 2 * _BYTES)])
        held = np.frombuffer(text, dtype=np.uint8, count=len(text) - LONGEST_ID - 2 * _BYTES)
        at = np.flatnonzero(held <= _BLANK)
        count = len(at) // fields
        if not count or len(at) != count * fields:
            return None
        after = np.add(at.reshape(count, fields).T, 1, order="C")  # where what follows a field begins
        blanks = np.count_nonzero(held == _BLANK)
        if (held[at[fields - 1 :: fields]] != _LF).any() or blanks != (fields - 1) * count:
            return None
        first = np.append(np.zeros(1, dtype=np.int64), after[-1, :-1])
        spans = np.empty_like(after)
        np.subtract(after[0], first, out=spans[0])
        np.subtract(after[1:], after[:-1], out=spans[1:])
        return None if spans.min() == 1 else _Lines(text, [first, *after[:-1]], spans)  # 1: an empty field

    def sizes(self, field: int) -> Ints:
        """How many bytes a field has on each line."""
        sizes: Ints = self.spans[field] - 1
        return sizes

    def texts(self, field: int, rows: Ints) -> list[str]:
        """A field of some lines as text."""
        begins = self.begins[field][rows]
        places = zip(begins.tolist(), (begins + self.spans[field][rows] - 1).tolist(), strict=True)
        return [self.data[begin:end].decode() for begin, end in places]

    def ids(self, field: int) -> Ids | None:
        """A field packed into words; None where it is too long."""
        begins, spans = self.begins[field], self.spans[field]
        most = int(spans.max())
        count = -(-(most - 1) // _BYTES)
        if count * _BYTES > LONGEST_ID:
            return None
        if most == int(spans.min()):  # all of one length
            spans = spans[:1]
        places = range(0, count * _BYTES, _BYTES)
        return Ids([self.words[begins + at if at else begins] & _INSIDE.take(spans - at, mode="clip") for at in places])

    def stretches(self, field: int) -> Ints | None:
        """The lines at which a field is not that of the line before."""
        ids = self.ids(field)
        if ids is None:
            return None
        changes = np.flatnonzero(~ids.gather(slice(1, None)).equal(ids.gather(slice(0, -1)))) + 1
        return np.concatenate([np.zeros(1, dtype=np.int64), changes])

    def constant(self, field: int) -> str | None:
        """A field that is the same on all lines; None where it is not."""
        starts = self.stretches(field)
        return self.texts(field, starts)[0] if starts is not None and len(starts) == 1 else None

    def digits(self, field: int) -> Words | None:
        """A field of up to eight digits in a word, the last digit highest; None where it is another."""
        sizes = self.sizes(field)
        if sizes.max() > _BYTES:
            return None
        held = self.words[self.begins[field]] << ((_BYTES - sizes) * _BYTES).view(np.uint64)
        return None if _not_digits(held | _NOUGHTS_BEFORE[sizes]).any() else held

    def whole_numbers(self, field: int) -> Ints | None:
        """A field of up to seven digits, perhaps after a minus, as numbers; None where it is another."""
        begins, sizes = self.begins[field], self.sizes(field)
        if sizes.max() > _BYTES:
            return None
        held = self.words[begins] << ((_BYTES - sizes) * _BYTES).view(np.uint64)
        minus = self.words[begins] & np.uint64(0xFF) == _MINUS
        sizes = sizes - minus
        held &= ~_FIRST[_BYTES - sizes]
        if not sizes.all() or _not_digits(held | _NOUGHTS_BEFORE[sizes]).any():
            return None
        number: Ints = np.where(minus, -_number(held), _number(held))
        return number

    def decimals(self, field: int) -> NDArray[np.float64] | None:
        """A field of decimal numbers, each the nearest double; None where one is not a number, or many are unusual."""
        values = self._short_decimals(field)
        return values if values is not None else self._any_decimals(field)

    def _short_decimals(self, field: int) -> NDArray[np.float64] | None:
        """The same of up to eight digits with a point among them, as most scores are; None where one is otherwise.

        The last eight bytes are fetched; those before the point move up by one, and what stood before them comes in.
        """
        sizes = self.sizes(field)
        most, ends = int(sizes.max()), self.begins[field] + sizes
        if most > _BYTES + 1 or int(sizes.min()) < 2 or int(ends[0]) <= _BYTES:
            return None
        held = self.words[ends - _BYTES] & _LAST.take(sizes, mode="clip")
        point = _lowest_point(held)
        if not point.all():
            return None
        digits = (held & ((point >> np.uint64(7)) - _ONE)) << np.uint64(_BYTES)
        digits |= held & ~((point << _ONE) - _ONE)
        if most > _BYTES:
            before = np.frombuffer(self.data, dtype=np.uint8)[ends - _BYTES - 1]
            digits |= before * (sizes > _BYTES).view(np.uint8)
        if _not_digits(digits | _NOUGHTS_BEFORE.take(sizes - 1)).any():
            return None
        place = point.astype(np.float64).view(np.int64) >> 55 & 7  # the point's bit is 2^(8 place + 7)
        values: NDArray[np.float64] = _number(digits) / _DIVISORS.take(place)
        return values

    def _any_decimals(self, field: int) -> NDArray[np.float64] | None:
        """The same of whatever length.

        Digits before the point and behind it are two whole numbers, which make one. It and the power of ten that it is
        divided by are exact, so that the quotient is rounded once.
        """
        begins, spans = self.begins[field], self.spans[field]
        head = self.words[begins] & _INSIDE.take(spans, mode="clip")
        minus = (head & np.uint64(0xFF)) == _MINUS
        if negative := bool(minus.any()):
            head >>= minus * np.uint64(_BYTES)
            begins = begins + minus
        sizes = spans - 1 - minus if negative else spans - 1
        whole = np.minimum(_first_point(head), sizes.view(np.uint64)).view(np.int64)  # digits before the point
        decimals = np.maximum(sizes - whole - 1, 0)
        odd = (whole + decimals == 0) | (whole > _BYTES - minus)
        whole = np.minimum(whole, _BYTES)
        most = int(decimals.max())
        held = head << ((_BYTES - whole) * _BYTES).view(np.uint64)
        wrong = _not_digits(held | _NOUGHTS_BEFORE[whole])
        number = _number(held)
        if most > _MOST_DECIMALS or int(number.max()) >= 2**62 // 10 ** max(most, _BYTES):
            return None
        most = max(most, _BYTES)
        behind = begins + whole + 1
        number *= 10**most
        for done in range(0, most, _BYTES):
            size = decimals - done
            held = self.words[behind + done] & _FIRST.take(size, mode="clip")
            held |= _NOUGHTS_AFTER.take(size, mode="clip")
            wrong |= _not_digits(held)
            left = most - done - _BYTES
            number += _number(held) * 10**left if left >= 0 else _number(held) // 10**-left
        values = _quotient(number, most)
        if negative:
            values = np.where(minus, -values, values)
        odd |= wrong != 0
        return self._one_by_one(field, np.flatnonzero(odd), values) if odd.any() else values

    def _one_by_one(self, field: int, rows: Ints, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The values, some lines read separately; None where one is not a number, or too many are left."""
        if len(rows) * _FEW > len(values):
            return None
        for row, text in zip(rows.tolist(), self.texts(field, rows), strict=True):
            number = finite_number(text)
            if number is None:
                return None
            values[row] = number
        return values


def _lowest_point(words: Words) -> Words:
    """The highest bit of the first point in each word; 0 where there is none."""
    other = words ^ _POINTS
    points = (other - _ONES) & ~other & _HIGHS  # the lowest set bit is that of the first point
    return points & (~points + _ONE)


def _first_point(words: Words) -> Words:
    """How many bytes stand before the first point of a word; a very large number where there is none."""
    exponent = _lowest_point(words).astype(np.float64).view(np.int64) >> 52
    return ((exponent - 1023) >> 3).view(np.uint64)


def _not_digits(words: Words) -> Words:
    """Zero for words of eight digits."""
    values = words ^ _NOUGHTS
    return (values + _ABOVE_NINE | values) & _HIGHS


def _number(digits: Words) -> Ints:
    """The number that eight digits write, the first lowest, by pairs and by fours; bytes of zero count as digits 0."""
    pairs = (digits & _everywhere(0x0F)) * np.uint64(10 << 8 | 1) >> np.uint64(8)
    fours = (pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 << 16 | 1) >> np.uint64(16)
    eights = (fours & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(10000 << 32 | 1) >> np.uint64(32)
    return eights.view(np.int64)


def _quotient(number: Ints, decimals: int) -> NDArray[np.float64]:
    """The doubles nearest to whole numbers (below 2^62) divided by a power of ten.

    Numbers below 2^53 are doubles themselves, and one division rounds as it should. For larger ones the remainder of
    the division is worked out without loss (Dekker 1971) and divided in turn; where the sum lies so near the middle of
    two doubles that the remainder's own rounding could matter, the text of the number decides.
    """
    power = float(10**decimals)
    high = number.astype(np.float64)
    if not len(number) or int(number.max()) <= 2**53:
        return high / power
    low = (number - high.astype(np.int64)).astype(np.float64)
    quotient = high / power
    product, error = _product(quotient, power)
    correction = (((high - product) - error) + low) / power
    value = quotient + correction
    left = np.abs(correction - (value - quotient))
    gap = np.spacing(value)
    near = (np.abs(left - gap / 2) < gap * 2**-20) | (np.abs(left - gap / 4) < gap * 2**-20)
    for row in np.flatnonzero(near).tolist():
        value[row] = float(f"{number[row]}e-{decimals}")
    return value


def _product(one: NDArray[np.float64], other: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A product, and what rounding took from it (Dekker 1971)."""
    split = float(2**27 + 1)
    one_high = one * split - (one * split - one)
    other_high = other * split - (other * split - other)
    one_low, other_low = one - one_high, other - other_high
    product = one * other
    error = ((one_high * other_high - product) + one_high * other_low + one_low * other_high) + one_low * other_low
    return product, error


def has_equals(keys: Words, lengths: Ints | None = None) -> bool:
    """Whether two keys are equal, without sorting all: keys are put in slots, and only evicted ones compared.

    Of two equal keys, one was evicted by the other, or both by a third. If equal keys can
    only stand in one stretch (`lengths`), each stretch has separate slots, close together in memory.
    """
    lengths = np.array([len(keys)]) if lengths is None else lengths
    room = lengths * _SLOTS
    base = np.repeat(np.cumsum(room) - room, lengths)
    part = (keys >> np.uint64(32)) * np.repeat(room, lengths).view(np.uint64)
    slot = (part >> np.uint64(32)).view(np.int64) + base
    row = np.arange(len(keys), dtype=np.int32)
    last = np.empty(len(keys) * _SLOTS, dtype=np.int32)
    last[slot] = row
    winner = last[slot]
    evicted = np.flatnonzero(winner != row)
    losers = np.sort(keys[evicted])
    return bool((keys[evicted] == keys[winner[evicted]]).any() or (losers[1:] == losers[:-1]).any())
