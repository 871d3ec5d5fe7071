"""Keys of rows: worked out again by a slow twin, free of order, and apart for every row."""

import math
import struct
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.keys import code_texts, row_digests, row_keys, sort_keys, total
from discreet.secret import Secret

NAN, INF = math.nan, math.inf
SECRET = Secret.from_text("00112233445566778899aabbccddeeff" * 2)
OTHER = Secret.from_text("ffeeddccbbaa99887766554433221100" * 2)


# --- a twin: one block after another, with the AES of FIPS 197 -----------------------------------


def times(a: int, b: int) -> int:
    """Multiply in the field of 256 elements that AES is made of."""
    out = 0
    while b:
        out ^= a if b & 1 else 0
        a, b = (a << 1) ^ (0x11B if a & 0x80 else 0), b >> 1
    return out


def substitute(byte: int) -> int:
    inverse = next((b for b in range(256) if times(byte, b) == 1), 0)
    turned = [inverse << i | inverse >> (8 - i) for i in range(5)]
    return (turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63) & 0xFF


BOX = [substitute(byte) for byte in range(256)]
MIX = (2, 3, 1, 1)


def aes(key: bytes, block: bytes) -> bytes:
    """Encrypt one block by AES-128, byte by byte."""
    words = [list(key[i : i + 4]) for i in range(0, 16, 4)]
    once = 1
    for i in range(4, 44):
        last = words[-1]
        if i % 4 == 0:
            last = [BOX[byte] for byte in last[1:] + last[:1]]
            last[0] ^= once
            once = times(once, 2)
        words.append([a ^ b for a, b in zip(words[-4], last, strict=True)])
    keys = [bytes(chain.from_iterable(words[i : i + 4])) for i in range(0, 44, 4)]
    state = xor(block, keys[0])
    for number, round_key in enumerate(keys[1:], start=1):
        state = bytes(BOX[byte] for byte in state)
        state = bytes(state[(i + 4 * (i % 4)) % 16] for i in range(16))
        if number < 10:
            columns = [state[i : i + 4] for i in range(0, 16, 4)]
            state = bytes(
                times(c[0], MIX[-i % 4])
                ^ times(c[1], MIX[(1 - i) % 4])
                ^ times(c[2], MIX[(2 - i) % 4])
                ^ times(c[3], MIX[(3 - i) % 4])
                for c in columns
                for i in range(4)
            )
        state = xor(state, round_key)
    return state


def xor(one: bytes, two: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, two, strict=True))


def chained(key: bytes, blocks: Sequence[bytes]) -> bytes:
    state = bytes(16)
    for block in blocks:
        state = aes(key, xor(state, block))
    return state


def slow_keys(secret: Secret, kinds: str, rows: Sequence[Sequence[float | str]]) -> list[bytes]:
    """Return the key of each row, as the docstrings say it."""
    key = secret.digest("records 2", kinds.encode())[:16]
    again = secret.digest("records 2 again", kinds.encode())[:16]
    text_key = secret.digest("texts 2")[:16]
    seen: dict[bytes, int] = {}
    out = []
    for row in rows:
        numbers = [cell for cell in row if isinstance(cell, float)]
        raw = b"".join(
            struct.pack("<d", cell + 0.0)
            if math.isfinite(cell)
            else bytes.fromhex("000000000000f87f")
            for cell in numbers
        )
        blocks = [raw[i : i + 16].ljust(16, b"\0") for i in range(0, len(raw), 16)]
        for cell in row:
            if isinstance(cell, str):
                told = cell.encode()
                length = len(told).to_bytes(16, "little")
                pieces = [told[i : i + 16].ljust(16, b"\0") for i in range(0, len(told), 16)]
                blocks.append(chained(text_key, [length, *pieces]))
        digest = chained(key, blocks)
        repeat = seen[digest] = seen.get(digest, -1) + 1
        out.append(aes(again, xor(digest, repeat.to_bytes(16, "little"))) if repeat else digest)
    return out


def test_the_twin_is_aes() -> None:
    """The example of FIPS 197, appendix C.1."""
    key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    assert aes(key, block).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


LONG = "a text of more than sixteen bytes, größer als zwei Blöcke"
GOLDEN: dict[str, tuple[str, list[tuple[float | str, ...]]]] = {
    "one number": ("n", [(1.5,), (-0.0,), (0.0,), (NAN,), (INF,), (1.5,), (1.5,)]),
    "three numbers": ("nnn", [(1.0, 2.0, 3.0), (3.0, 2.0, 1.0), (1.0, 2.0, 3.0)]),
    "texts of all lengths": ("t", [(LONG[:n],) for n in (0, 1, 15, 16, 17, 31, 32, 33, 57)]),
    "noughts at the end of a text": ("t", [("a",), ("a\0",), ("a\0\0",), ("\0" * 16,), ("",)]),
    "numbers before texts": ("tnt", [("a", 1.0, "b"), ("b", 1.0, "a"), ("a", 1.0, "b")]),
}


@pytest.mark.parametrize(("kinds", "rows"), GOLDEN.values(), ids=GOLDEN)
def test_keys_are_those_of_the_twin(kinds: str, rows: list[tuple[float | str, ...]]) -> None:
    columns = [
        np.array(column) if kind == "n" else list(column)
        for kind, column in zip(kinds, zip(*rows, strict=True), strict=True)
    ]
    made = row_keys(SECRET, columns)
    assert [key.tobytes() for key in made] == slow_keys(SECRET, kinds, rows)
    assert made.shape == (len(rows), 2)


def test_keys_are_for_good() -> None:
    """Noise of everything that leaves from now on hangs on these bytes."""
    columns = [np.array([1.0, 1.0]), ["a", "a"], np.array([2.5, 2.5]), np.array([NAN, NAN])]
    assert (
        row_keys(SECRET, columns).tobytes().hex()
        == "5f72532bdd90f7c6d73edeba279dc737a1c1ca8c0cd4873cd6660deb35021aa7"
    )


def test_keys_of_many_rows_are_those_of_each_span() -> None:
    rng = np.random.default_rng(2)
    numbers, texts = rng.normal(size=70_000), [str(i % 9) for i in range(70_000)]
    made = row_keys(SECRET, [numbers, texts])
    some = np.array([0, 16_383, 16_384, 65_536, 69_999])
    alone = row_keys(SECRET, [numbers[some], [texts[i] for i in some]])
    assert made[some].tolist() == alone.tolist()


# --- order, sums and codes ------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2**128 - 1), max_size=8))
def test_the_order_is_that_of_bytes_and_the_sum_of_whole_numbers(numbers: list[int]) -> None:
    raw = [number.to_bytes(16, "little") for number in numbers]
    made = np.frombuffer(b"".join(raw), dtype=np.uint64).reshape(-1, 2)
    assert [raw[i] for i in sort_keys(made)] == sorted(raw)
    assert int.from_bytes(total(made), "little") == sum(numbers) % 2**128


def test_keys_of_one_first_word_are_in_order_too() -> None:
    made = np.array([[7, 2], [7, 1], [1, 3]], dtype=np.uint64)
    assert sort_keys(made).tolist() == [2, 1, 0]


def test_codes_say_which_text_each_row_has() -> None:
    for given_texts in (
        ["b", "a", "b"],
        ("b", "a", "b"),
        pa.array(["b", "a", "b"]).dictionary_encode(),
    ):
        different, codes = code_texts(given_texts)
        assert [different[i].as_py() for i in codes] == ["b", "a", "b"]
        assert len(different) == 2


def test_codes_stand_for_their_texts() -> None:
    texts = pa.array(["b", "a", "b", ""])
    numbers = np.arange(4.0)
    assert (
        row_keys(SECRET, [numbers, texts.dictionary_encode()]).tolist()
        == row_keys(SECRET, [numbers, texts.to_pylist()]).tolist()
    )


def test_equal_rows_have_equal_digests_and_no_two_keys_are_alike() -> None:
    column = np.array([1.0, 2.0, 1.0, 1.0])
    digests, made = row_digests(SECRET, [column]), row_keys(SECRET, [column])
    assert digests[0].tolist() == digests[2].tolist() == digests[3].tolist() == made[0].tolist()
    assert len(np.unique(made, axis=0)) == 4


# --- keys of records, in both formats -------------------------------------------------------------

cells = st.sampled_from([0.0, -0.0, 1.0, NAN, INF, -INF, 2.5])
words = st.sampled_from(["", "a", "b", "ab", "größe", "\0"])
tables = st.lists(st.tuples(cells, words, cells), min_size=1, max_size=12)
Row = tuple[float, str, float]


def keys(rows: Sequence[Row], secret: Secret = SECRET) -> list[bytes]:
    first, text, last = zip(*rows, strict=True)
    return as_bytes(row_keys(secret, [np.array(first), list(text), np.array(last)]))


def as_bytes(made: Any) -> list[bytes]:
    return [key.tobytes() for key in made]


def same(row: Row) -> tuple[object, ...]:
    """Return what makes a row equal to another: any number that is not finite is as any other."""
    return tuple(
        None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row
    )


@given(tables, st.data())
def test_equal_rows_share_keys_in_any_order(rows: list[Row], data: Any) -> None:
    shuffled = data.draw(st.permutations(rows))
    assert sorted(keys(rows)) == sorted(keys(shuffled))
    by_row: dict[object, set[bytes]] = {}
    for row, key in zip(rows, keys(rows), strict=True):
        by_row.setdefault(same(row), set()).add(key)
    for row, key in zip(shuffled, keys(shuffled), strict=True):
        assert key in by_row[same(row)]


@given(tables)
def test_every_row_has_a_key_of_its_own(rows: list[Row]) -> None:
    assert len(set(keys(rows))) == len(rows)
    assert {len(key) for key in keys(rows)} == {16}


@given(tables)
def test_another_row_does_not_change_the_keys(rows: list[Row]) -> None:
    assert keys([*rows, (77.0, "new", 77.0)])[: len(rows)] == keys(rows)
    assert set(keys(rows)).isdisjoint(keys(rows, OTHER))


ALIKE: dict[str, tuple[list[Any], list[Any]]] = {
    "noughts": ([np.array([0.0])], [np.array([-0.0])]),
    "missing and infinite": ([np.array([NAN])], [np.array([INF])]),
    "signs of infinity": ([np.array([INF])], [np.array([-INF])]),
    "NaN of another bit pattern": (
        [np.array([NAN])],
        [np.frombuffer(struct.pack("<Q", 0xFFF8_0000_DEAD_BEEF), np.float64)],
    ),
    "layouts in memory": ([np.arange(3.0)], [np.arange(6.0).reshape(3, 2)[:, 0] / 2]),
    "kinds of sequence": ([["a", "b"]], [("a", "b")]),
    "orders of bytes": ([np.array([1.5])], [np.array([1.5], dtype=">f8")]),
}


@pytest.mark.parametrize(("one", "two"), ALIKE.values(), ids=ALIKE)
def test_alike(one: list[Any], two: list[Any]) -> None:
    assert as_bytes(row_keys(SECRET, one)) == as_bytes(row_keys(SECRET, two))


DIFFERENT: dict[str, tuple[list[Any], list[Any]]] = {
    "letters of the next column": ([["a"], ["bc"]], [["ab"], ["c"]]),
    "a nought of text": ([["a"], [""]], [["a\0"], [""]]),
    "columns the other way round": ([["a"], ["b"]], [["b"], ["a"]]),
    "nothing and a missing number": ([[""]], [np.array([NAN])]),
    "a number and its text": ([["1"]], [np.array([1.0])]),
    "eight bytes of text and a number": (
        [["abcd"]],
        [np.frombuffer(struct.pack("<I", 4) + b"abcd", np.float64)],
    ),
    "a number and text after it": ([np.array([1.0]), ["abcd"]], [["a" * 4], np.array([1.0])]),
    "the last digit": ([np.array([0.1])], [np.array([0.1 + 2**-56])]),
    "one column more": ([["a"]], [["a"], [""]]),
}


@pytest.mark.parametrize(("one", "two"), DIFFERENT.values(), ids=DIFFERENT)
def test_different(one: list[Any], two: list[Any]) -> None:
    assert as_bytes(row_keys(SECRET, one)) != as_bytes(row_keys(SECRET, two))


UNEVEN: dict[str, list[Any]] = {"no columns": [], "of two lengths": [np.arange(3.0), ["a", "b"]]}


@pytest.mark.parametrize("columns", UNEVEN.values(), ids=UNEVEN)
def test_uneven_columns_are_refused(columns: list[Any]) -> None:
    with pytest.raises(
        InputError, match="columns must be at least one, and all of the same length"
    ):
        row_keys(SECRET, columns)


def test_the_columns_are_left_as_they_were() -> None:
    column = np.array([0.0, -0.0, NAN, INF])
    before = column.tobytes()
    row_keys(SECRET, [column])
    SECRET.marks(column)
    assert column.tobytes() == before
