"""JSON in one way, and nothing else is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.study_file.signing import LARGEST_WHOLE, canonical_json, read_json

WRITTEN = {
    "keys in order": ({"b": 1, "a": 2}, b'{"a":2,"b":1}'),
    "no letter is a number": ({"name": "Žižka"}, '{"name":"Žižka"}'.encode()),
    "tuples are lists": (("a", (1.5, None)), b'["a",[1.5,null]]'),
    "a fraction stays one": ([1.0, 1, -0.0], b"[1.0,1,-0.0]"),
    "the largest": (LARGEST_WHOLE, b"9007199254740991"),
}
REFUSED: dict[str, tuple[Any, str]] = {
    "2^53": (2**53, "below 2"),
    "NaN": ([float("nan")], "not finite"),
    "infinity": ({"a": float("inf")}, "not finite"),
    "bytes": (b"a", "no value of JSON"),
    "a set": ({1, 2}, "no value of JSON"),
    "a number as key": ({1: 2}, "no text"),
    "half a character": ("\ud800", "half a character"),
}
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-LARGEST_WHOLE, LARGEST_WHOLE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('abc"\\\n'), inner),
    max_leaves=20,
)


def test_value_is_written_in_one_way() -> None:
    assert {name: canonical_json(value) for name, (value, _) in WRITTEN.items()} == {
        name: text for name, (_, text) in WRITTEN.items()
    }


def test_value_that_has_no_one_way_is_refused() -> None:
    for value, why in REFUSED.values():
        with pytest.raises(InputError, match=why):
            canonical_json(value)


@pytest.mark.slow
@pytest.mark.hypothesis
@given(values)
def test_what_is_written_is_read_as_it_was(value: object) -> None:
    text = canonical_json(value)
    assert canonical_json(read_json(text, "a text")) == text


def test_value_that_is_too_deep_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(16):
        deep = [deep]
    with pytest.raises(InputError, match="deeper"):
        canonical_json(deep)
