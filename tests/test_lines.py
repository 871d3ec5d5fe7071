"""A table of text is recognised by its lines, though some of them were changed."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.lines import LONGEST, SMALLEST, Lines, likeness, lines_of
from discreet.secret import Secret

KEY = Secret.from_bytes(bytes(range(32))).derived("test")
OTHER = Secret.from_bytes(bytes(range(1, 33))).derived("test")
ROWS = [f"{i},{i * i % 97}" for i in range(400)]


def text(rows: list[str], header: str = "a,b") -> bytes:
    """Return a table of text."""
    return "".join(f"{line}\n" for line in (header, *rows)).encode()


WHOLE = lines_of(KEY, BytesIO(text(ROWS)))
SMALL = lines_of(KEY, BytesIO(text(ROWS[:4])))
NOT_EMPTY = st.lists(st.text("ab12,.", min_size=1), max_size=300)


def test_it_keeps_the_smallest_of_many_and_all_of_few() -> None:
    assert (WHOLE.rows, len(WHOLE.smallest)) == (400, SMALLEST)
    assert (SMALL.rows, len(SMALL.smallest)) == (4, 4)
    everything = [lines_of(KEY, BytesIO(text([row]))).smallest[0] for row in ROWS]
    assert WHOLE.smallest == tuple(sorted(everything)[:SMALLEST])
    assert WHOLE.header == SMALL.header


def test_it_comes_back_as_the_register_keeps_it() -> None:
    for made in (WHOLE, SMALL, lines_of(KEY, BytesIO(b"")), lines_of(KEY, BytesIO(b"a\n"))):
        assert Lines.from_bytes(made.to_bytes(), made.rows) == made


@given(rows=NOT_EMPTY, data=st.data())
def test_the_order_of_rows_does_not_count(rows: list[str], data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(rows))
    assert lines_of(KEY, BytesIO(text(rows))) == lines_of(KEY, BytesIO(text(mixed)))


@given(rows=NOT_EMPTY)
def test_how_lines_end_does_not_count(rows: list[str]) -> None:
    plain = text(rows)
    for same in (plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain, plain + b"\n\n"):
        assert lines_of(KEY, BytesIO(same)) == lines_of(KEY, BytesIO(plain))


def test_without_the_key_no_line_is_confirmed() -> None:
    """Whoever has the register cannot try lines against what it keeps."""
    other = lines_of(OTHER, BytesIO(text(ROWS)))
    assert other.header != WHOLE.header
    assert not {*other.smallest} & {*WHOLE.smallest}
    (found,) = likeness(OTHER, BytesIO(text(ROWS)), [WHOLE])
    assert (found.header, found.found, found.is_alike) == (False, 0, False)


Change = Callable[[list[str]], tuple[str, list[str]]]
CHANGES: dict[str, tuple[Change, bool, int]] = {
    "a number": (lambda rows: ("a,b", [rows[0] + "1", *rows[1:]]), True, 0),
    "a row less": (lambda rows: ("a,b", rows[1:]), True, -1),
    "a third of the rows": (lambda rows: ("a,b", rows[: len(rows) * 2 // 3]), True, -134),
    "ten times the rows": (lambda rows: ("a,b", rows + [f"x{i}" for i in range(4000)]), True, 4000),
    "sorted": (lambda rows: ("a,b", sorted(rows)), True, 0),
    "another header": (lambda rows: ("c,d", rows), True, 0),
    "most of the rows": (lambda rows: ("a,b", rows[:80]), False, -320),
    "numbers written anew": (lambda rows: ("a,b", [f"{row}.0" for row in rows]), False, 0),
    "columns in another order": (
        lambda rows: ("b,a", [",".join(row.split(",")[::-1]) for row in rows]),
        False,
        0,
    ),
}


@pytest.mark.parametrize("what", [*CHANGES])
def test_what_was_changed_is_alike_where_most_lines_are_the_same(what: str) -> None:
    change, alike, more = CHANGES[what]
    header, rows = change(ROWS)
    (found,) = likeness(KEY, BytesIO(text(rows, header)), [WHOLE])
    assert (found.is_alike, found.more) == (alike, more)
    assert found.header == (header == "a,b")


def test_a_few_lines_prove_nothing_under_another_header() -> None:
    (same,) = likeness(KEY, BytesIO(text(ROWS[:4])), [SMALL])
    (other,) = likeness(KEY, BytesIO(text(ROWS[:4], "c,d")), [SMALL])
    assert (same.is_alike, other.is_alike) == (True, False)
    nothing = lines_of(KEY, BytesIO(text([])))
    assert not likeness(KEY, BytesIO(text([])), [nothing])[0].is_alike


class Endless:
    """A file of one line that never ends, and counts what is read of it at once."""

    def __init__(self, parts: int) -> None:
        self.parts, self.most = parts, 0

    def readline(self, size: int) -> bytes:
        """Read a part of the line."""
        self.most = max(self.most, size)
        self.parts -= 1
        return b"x" * size if self.parts > 0 else b""


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    file = Endless(50)
    assert lines_of(KEY, file).rows == 48  # type: ignore[arg-type]
    assert file.most == LONGEST
