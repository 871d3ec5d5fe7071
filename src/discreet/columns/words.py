"""Columns of levels: the word of each row, and by codes, of which many rows are counted at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.integer[Any]]
"""Of each row the place of its word among the words that there are."""


class Coded(NamedTuple):
    """Words that rows may have, and of each row the place of its own."""

    names: tuple[str, ...]
    codes: Codes


class CodedWords(tuple[str, ...]):
    """The level of each row, empty where it is missing; its codes are kept beside it.

    It is made of words that rows may have, and of each row the place of its own; `names` are those
    that some row has, each once, and `codes` the places among them.

    Examples
    --------
    >>> sex = CodedWords(("f", "m", "", "x"), np.array([1, 0, 2]))
    >>> sex == ("m", "f", ""), sex.names, sex.at(np.array([0, 2])).names
    (True, ('f', 'm', ''), ('m', ''))
    """

    names: tuple[str, ...]
    codes: Codes

    def __new__(cls, texts: Sequence[str], codes: Codes) -> CodedWords:
        """Write out the word of each row."""
        has_rows = np.bincount(codes, minlength=len(texts)).tolist()
        place: dict[str, int] = {}
        table = [
            place.setdefault(it, len(place)) if n else 0
            for it, n in zip(texts, has_rows, strict=True)
        ]
        own = np.array(table, dtype=np.min_scalar_type(len(place)))[codes]
        own.flags.writeable = False
        made = super().__new__(cls, np.array([*place, ""], dtype=object)[own].tolist())
        made.names, made.codes = (*place,), own
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Say what a copy of it is made of."""
        return self.names, self.codes

    def at(self, places: NDArray[np.intp]) -> CodedWords:
        """Return the words of some rows."""
        return CodedWords(self.names, self.codes[places])


def coded(words: Sequence[str]) -> Coded:
    """Return the words that rows have, each once, and of each row the place of its own.

    Examples
    --------
    >>> names, codes = coded(("b", "", "b"))
    >>> names, codes.tolist()
    (('b', ''), [0, 1, 0])
    """
    if isinstance(words, CodedWords):
        return Coded(words.names, words.codes)
    import pyarrow as pa

    found = pa.array(words, pa.string()).dictionary_encode()
    return Coded(tuple(found.dictionary.to_pylist()), found.indices.to_numpy())


def words_at(words: Sequence[str], places: NDArray[np.intp]) -> tuple[str, ...]:
    """Return the words of some rows."""
    if isinstance(words, CodedWords):
        return words.at(places)
    return tuple(map(words.__getitem__, places.tolist()))


def places_of(words: Sequence[str], levels: Sequence[str]) -> NDArray[np.int32]:
    """Return the place of each word among levels, -1 of a word that is none of them.

    Examples
    --------
    >>> places_of(("b", "", "a"), ("a", "b")).tolist()
    [1, -1, 0]
    """
    return each_as(words, {level: i for i, level in enumerate(levels)}, -1, np.int32)


def each_as(
    words: Sequence[str], known: Mapping[str, float], other: float, dtype: type[Any]
) -> NDArray[Any]:
    """Return for each word the number that is known of it; `other` where there is none.

    Examples
    --------
    >>> each_as(("b", "", "a"), {"a": 2, "b": 7}, -1, np.intp).tolist()
    [7, -1, 2]
    """
    names, codes = coded(words)
    table: NDArray[Any] = np.array([known.get(it, other) for it in names], dtype=dtype)
    return table[codes]


def is_word(words: Sequence[str], *which: str) -> NDArray[np.bool_]:
    """Tell of each row whether its word is one of some.

    Examples
    --------
    >>> is_word(("b", "", "a"), "a", "b").tolist()
    [True, False, True]
    """
    return each_as(words, dict.fromkeys(which, 1), 0, np.bool_)


def counts_of(words: Sequence[str]) -> dict[str, int]:
    """Return how many rows have each word, of words that some row has.

    Examples
    --------
    >>> counts_of(("b", "", "b"))
    {'b': 2, '': 1}
    """
    names, codes = coded(words)
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return {name: n for name, n in zip(names, counts, strict=True) if n}


def stacked(each: Sequence[Coded]) -> Coded:
    """Return the words of several tables below each other.

    Examples
    --------
    >>> names, codes = stacked([coded(("b", "")), coded(("a", "b"))])
    >>> names, codes.tolist()
    (('b', '', 'a'), [0, 1, 2, 0])
    """
    place = {
        name: i for i, name in enumerate(dict.fromkeys(it for names, _ in each for it in names))
    }
    codes = [np.array([place[it] for it in names], np.int32)[codes] for names, codes in each]
    return Coded((*place,), np.concatenate([np.zeros(0, np.int32), *codes]))
