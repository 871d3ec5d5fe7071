"""Columns of levels by codes: the same as their words, whatever is asked of them."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns import words_of
from discreet.columns.words import (
    CodedWords,
    coded,
    counts_of,
    is_word,
    places_of,
    stacked,
    words_at,
)
from discreet.plots.counts import codes_as_words

WORDS = st.lists(st.sampled_from(["f", "m", "", "other"]), max_size=12).map(tuple)


@given(WORDS, WORDS)
def test_whatever_holds_the_words_answers_alike(
    words: tuple[str, ...], more: tuple[str, ...]
) -> None:
    each = CodedWords(("never", *coded(words).names), coded(words).codes + 1)
    assert each == words
    assert pickle.loads(pickle.dumps(each)).codes.tolist() == each.codes.tolist()
    at = np.arange(0, len(words), 2)
    for rows in (words, each):
        assert counts_of(rows) == Counter(words)
        assert is_word(rows, "f", "never").tolist() == [it == "f" for it in words]
        assert words_at(rows, at) == words[::2]
        places = ["m", "f"]
        expected = [places.index(it) if it in places else -1 for it in words]
        assert places_of(rows, places).tolist() == expected
        assert CodedWords(*stacked([coded(rows), coded(more)])) == words + more


def test_a_text_is_one_word_however_it_is_stored_and_no_row_has_more() -> None:
    chunks = [pa.array([1.0, None, 2.0]), pa.array([2.0, 1.0])]
    words = words_of(pa.chunked_array(chunks))
    assert isinstance(words, CodedWords)
    assert tuple(words) == ("1", "", "2", "2", "1")
    assert words.names == ("1", "2", "")
    assert words.codes.dtype == np.uint8


def test_numbers_that_look_alike_are_one_level() -> None:
    words = codes_as_words(np.array([0.1 + 0.2, 0.3, 0.3, 1.0, np.nan, np.inf]))
    assert words == ("0.3", "0.3", "0.3", "1", "", "")
    assert counts_of(words or ()) == {"0.3": 3, "1": 1, "": 2}


def test_more_levels_than_a_byte_has() -> None:
    texts = [str(it) for it in range(300)]
    assert CodedWords(texts, np.arange(300)) == tuple(texts)
