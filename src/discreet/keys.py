"""Keyed digests of whole rows: what a record's noise hangs on, wherever it was read from.

**Row keys.** A row is blocks of 16 bytes: its numbers by twos as 64-bit floats, then each text
by its own digest (length first, then its bytes). They are chained by AES (CBC-MAC), whole
columns at a time, under a key made of the number and kinds of the columns, so that all messages
under one key are as long. The i-th repeat of a digest becomes AES of it xor i under another
key. The version of a copy is a keyed digest of the settings, the number of rows and the sum of
the keys modulo 2^128: no order, no sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.secret import WORD, Encryption, Secret, canonical, encrypt

if TYPE_CHECKING:
    import pyarrow as pa

Keys = NDArray[np.uint64]
"""One key a row: of shape (n, 2), the sixteen bytes of each as two words, the lower one first."""
Column = Any
"""Numbers as an array of floats; texts as a sequence of str, or as a pyarrow DictionaryArray."""

BLOCK = 16
SPAN = 1 << 14
"""So many rows at a time stay in a processor's own cache, with all that is made of them."""
UNEVEN = "columns must be at least one, and all of the same length"


def row_keys(secret: Secret, columns: Sequence[Column]) -> Keys:
    """Return a key for each row: a keyed digest of its values, and no two alike.

    The encoding is the same for every file format and frame (numbers as 64-bit floats, text as
    UTF-8), so a record has the same key wherever it was read from. The i-th repeat of a digest
    becomes another by AES of it and i; as equal rows are, it does not matter which is which.

    `columns` are those of the row, in an order that stays the same; all of one length. All numbers
    that are not finite count as one, and as missing.
    """
    return number_repeats(secret, row_digests(secret, columns), columns)


def number_repeats(secret: Secret, digests: Keys, columns: Sequence[Column]) -> Keys:
    """Return the digests of all rows of some columns as keys: `row_keys` of them."""
    rows = _maybe_alike(digests[:, 0])
    if not len(rows):
        return digests
    keys = digests.copy()
    order = rows[sort_keys(keys[rows])]
    found = keys[order]
    place = np.arange(len(order))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (found[1:] != found[:-1]).any(axis=1)
    repeat = place - np.maximum.accumulate(np.where(new, place, 0))
    later = np.flatnonzero(repeat)
    block = found[later]
    block[:, 0] ^= repeat[later].astype(np.uint64)
    keys[order[later]] = encrypt(secret.digest("records 2 again", _kinds(columns))[:BLOCK], block)
    return keys


def _maybe_alike(words: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the places, in order, of all words that are there more than once, and of a few more.

    They are looked for by their last bits, which is quicker than to order them all.
    """
    found = np.sort(words)
    again = found[1:][found[1:] == found[:-1]]
    if not len(again):
        return np.zeros(0, dtype=np.intp)
    some = np.zeros(1 << 16, dtype=np.bool_)
    some[again & np.uint64(0xFFFF)] = True
    return np.flatnonzero(some[words & np.uint64(0xFFFF)])


def row_digests(secret: Secret, columns: Sequence[Column]) -> Keys:
    """Return a keyed digest of each row; equal rows have equal ones. Otherwise as `row_keys`.

    A row is blocks of sixteen bytes: its numbers by twos, then each text by its own digest. They
    are chained by AES (CBC-MAC), which is a pseudo-random function of messages of one length, and
    number and kinds of the columns, of which the key is made, fix the length.
    """
    kinds = _kinds(columns)
    if len({len(column) for column in columns}) != 1:
        raise InputError(UNEVEN)
    encryption = Encryption(secret.digest("records 2", kinds)[:BLOCK])
    numbers = [column for column in columns if isinstance(column, np.ndarray)]
    texts = []
    for column in columns:
        if not isinstance(column, np.ndarray):
            different, codes = code_texts(column)
            texts.append((_text_digests(secret, different), codes))
    out = np.zeros((len(columns[0]), 2), dtype=WORD)
    for start in range(0, len(out), SPAN):
        state = out[start : start + SPAN]
        for j in range(0, len(numbers), 2):
            for word, column in enumerate(numbers[j : j + 2]):
                state[:, word] ^= canonical(column[start : start + SPAN]).view(WORD)
            state[:] = encryption(state)
        for digests, codes in texts:
            state ^= digests[codes[start : start + SPAN]]
            state[:] = encryption(state)
    return out


def sort_keys(keys: Keys) -> NDArray[np.intp]:
    """Return an order of rows that is that of their keys as bytes, whatever that of the file."""
    first, second = keys.view(">u8").astype(np.uint64).T
    order = np.argsort(first, kind="stable")
    same = first[order[1:]] == first[order[:-1]]
    if (same & (second[order[1:]] != second[order[:-1]])).any():
        order = np.lexsort([second, first])
    return order


def total(keys: Keys) -> bytes:
    """Return the sum of the keys modulo 2^128: one for equal rows in any order."""
    first, second = keys.T
    # Of the second words only the sum modulo 2^64 counts. That of the first ones is their upper
    # halves' and, as long as there are fewer than 2^32 of them, what is left modulo 2^64.
    upper = int((first >> np.uint64(32)).sum()) << 32
    sums = [int(words.sum()) for words in (first, second)]
    lower = (sums[0] - upper) % (1 << 64)
    found = upper + lower + (sums[1] << 64)
    return (found % (1 << 128)).to_bytes(BLOCK, "little")


def code_texts(texts: Any) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the different texts of a column, and which of them each row has."""
    import pyarrow as pa

    if not isinstance(texts, pa.DictionaryArray):
        texts = pa.array(texts, pa.large_string()).dictionary_encode()
    return texts.dictionary, np.from_dlpack(texts.indices).astype(np.int64)


def _kinds(columns: Sequence[Column]) -> bytes:
    if not columns:
        raise InputError(UNEVEN)
    return "".join("n" if isinstance(column, np.ndarray) else "t" for column in columns).encode()


def _text_digests(secret: Secret, texts: pa.Array) -> Keys:
    """Return the CBC-MAC of (length, bytes with noughts after them) of each text.

    No text's message begins another's, for the length stands first.
    """
    import pyarrow as pa

    key = secret.digest("texts 2")[:BLOCK]
    texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    if not len(texts):
        return np.zeros((0, 2), dtype=WORD)
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset :][: len(texts) + 1]
    letters = np.frombuffer(data or b"", dtype=np.uint8)
    raw = np.concatenate([letters, np.zeros(BLOCK, dtype=np.uint8)])
    blocks = np.lib.stride_tricks.sliding_window_view(raw, BLOCK)
    sizes = np.diff(starts)
    state = np.zeros((len(texts), 2), dtype=WORD)
    state[:, 0] = sizes
    state = encrypt(key, state)
    done, rows = 0, np.flatnonzero(sizes > 0)
    while rows.size:
        block = blocks[starts[rows] + done]
        block[np.arange(BLOCK) >= (sizes[rows] - done)[:, None]] = 0
        state[rows] = encrypt(key, state[rows] ^ block.view(WORD))
        done += BLOCK
        rows = rows[sizes[rows] > done]
    return state
