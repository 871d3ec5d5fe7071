"""The chain: what a seal is of."""

import hashlib
import hmac
import sqlite3
from collections.abc import Mapping
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.ledger.store import FIRST, create, link, row_of, seal_of

KEY = b"k" * 32
VALUES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.text(), st.binary())
ROWS = st.dictionaries(st.sampled_from("abcd"), VALUES, min_size=1)


def test_a_seal_is_of_the_one_before_and_the_row() -> None:
    digest = hashlib.sha256(b"\x00\xff").hexdigest()
    text = f'{FIRST}\n["asked",7,{{"a":"\\u00e4","b":{{"sha256":"{digest}"}},"c":null}}]'
    wanted = hmac.new(KEY, text.encode(), "sha256").hexdigest()

    assert seal_of(KEY, FIRST, "asked", 7, {"c": None, "b": b"\x00\xff", "a": "ä"}) == wanted


@given(ROWS, ROWS)
def test_other_rows_have_other_seals(
    one: Mapping[str, object], other: Mapping[str, object]
) -> None:
    same = seal_of(KEY, FIRST, "t", 1, one) == seal_of(KEY, FIRST, "t", 1, other)

    assert same == (one == other)


@given(ROWS)
def test_all_of_a_seal_counts(row: Mapping[str, object]) -> None:
    seals = {
        seal_of(KEY, FIRST, "t", 1, row),
        seal_of(b"j" * 32, FIRST, "t", 1, row),
        seal_of(KEY, "1" * 64, "t", 1, row),
        seal_of(KEY, FIRST, "u", 1, row),
        seal_of(KEY, FIRST, "t", 2, row),
    }
    assert len(seals) == 5


def test_bytes_are_no_text_that_reads_like_their_digest() -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    texts = (digest, f'{{"sha256":"{digest}"}}')

    for text in texts:
        plain = seal_of(KEY, FIRST, "t", 1, {"a": text})
        assert seal_of(KEY, FIRST, "t", 1, {"a": b"x"}) != plain


def test_links_follow_each_other() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create(connection)
        for at in ("one", "two"):
            connection.execute("INSERT INTO adoption (at) VALUES (?)", (at,))
        for row in (2, 1):
            link(connection, KEY, "adoption", row)
        with pytest.raises(ValueError, match="a row that is not there has no link"):
            link(connection, KEY, "adoption", 3)

        first = seal_of(KEY, FIRST, "adoption", 2, {"id": 2, "at": "two"})
        second = seal_of(KEY, first, "adoption", 1, {"id": 1, "at": "one"})
        found = connection.execute("SELECT id, source, row, seal FROM chain").fetchall()
        assert found == [(1, "adoption", 2, first), (2, "adoption", 1, second)]
        assert row_of(connection, "adoption", 1) == {"id": 1, "at": "one"}
        assert row_of(connection, "adoption", 9) is None
        assert row_of(connection, "sqlite_master", 1) is None, "a link may name any table"
