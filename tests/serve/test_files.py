"""Files of pictures: one at a time, few wait, and what is kept is bounded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.serve.drawing import MOST_WAITING, Files, Kept
from discreet.serve.refusals import Refusal, refusal

PICTURE = b'{"view": 1}'


def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


class Slow:
    """Makes a file when it is let; tells how many it makes at once."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.made: list[tuple[bytes, str]] = []
        self.now = self.most = 0

    def __call__(self, picture: bytes, form: str) -> bytes:
        self.now += 1
        self.most = max(self.most, self.now)
        assert self.go_on.wait(20)
        self.now -= 1
        self.made.append((picture, form))
        return picture + form.encode()


# --- what is kept ---------------------------------------------------------------------------------


def test_those_not_asked_for_longest_go_first() -> None:
    kept = Kept(6)
    for name in ("a", "b", "c"):
        kept.put((name,), b"12")
    assert kept.get(("a",)) == b"12"  # used again: younger than b
    kept.put(("d",), b"12")

    assert {name: kept.get((name,)) is not None for name in "abcd"} == {
        "a": True,
        "b": False,
        "c": True,
        "d": True,
    }
    kept.put(("e",), b"123456")
    assert (kept.get(("e",)), kept.size) == (b"123456", 6)


def test_a_file_larger_than_all_is_not_kept_and_takes_no_room() -> None:
    kept = Kept(4)
    kept.put(("a",), b"12")
    kept.put(("b",), b"12345")

    assert (kept.get(("a",)), kept.get(("b",)), kept.size) == (b"12", None, 2)


def test_a_file_that_is_put_again_counts_once() -> None:
    kept = Kept(4)
    for file in (b"1", b"123", b"12"):
        kept.put(("a",), file)

    assert (kept.get(("a",)), kept.size) == (b"12", 2)


@given(
    most=st.integers(0, 20),
    steps=st.lists(st.tuples(st.sampled_from("abcd"), st.none() | st.binary(max_size=25))),
)
def test_never_more_bytes_than_allowed_and_never_another_file(
    most: int, steps: list[tuple[str, bytes | None]]
) -> None:
    kept, last = Kept(most), dict[str, bytes]()
    for name, file in steps:
        if file is None:
            found = kept.get((name,))
            assert found is None or found == last[name]
        elif len(file) <= most:
            last[name] = file
            kept.put((name,), file)
            assert kept.get((name,)) == file
        assert kept.size <= most
        there = [kept.get((it,)) for it in "abcd"]
        assert kept.size == sum(len(it) for it in there if it is not None)


# --- how files are made ---------------------------------------------------------------------------


def test_a_file_is_made_once_of_each_picture_and_form() -> None:
    make = Slow()
    make.go_on.set()
    files = Files(make)
    wanted = [("v", PICTURE, "a"), ("v", PICTURE, "b"), ("w", PICTURE, "a"), ("v", b"other", "a")]
    for view, picture, form in wanted * 2:
        assert files.made(view, picture, form) == picture + form.encode()

    assert make.made == [(picture, form) for _, picture, form in wanted]


def test_one_is_made_at_a_time_few_wait_and_the_rest_are_told_so() -> None:
    make = Slow()
    files = Files(make)
    with ThreadPoolExecutor(40) as threads:
        asked = [threads.submit(files.made, f"{i}", PICTURE, "a") for i in range(30)]
        until(lambda: sum(it.done() for it in asked) == 30 - 1 - MOST_WAITING)
        assert {it.result() for it in asked if it.done()} == {refusal("busy")}
        make.go_on.set()
        found = [it.result(20) for it in asked]

    assert make.most == 1
    assert sum(isinstance(it, bytes) for it in found) == 1 + MOST_WAITING
    assert files.made("31", PICTURE, "a") == PICTURE + b"a"  # the seats are free again


def test_those_who_wait_for_the_same_file_get_the_one_that_was_made() -> None:
    make = Slow()
    files = Files(make)
    with ThreadPoolExecutor(1 + MOST_WAITING) as threads:
        asked = [threads.submit(files.made, "v", PICTURE, "a") for _ in range(1 + MOST_WAITING)]
        until(lambda: make.now == 1)
        make.go_on.set()
        found = {it.result(20) for it in asked}

    assert found == {PICTURE + b"a"}
    assert make.made == [(PICTURE, "a")]


def test_what_is_kept_is_given_while_another_is_made() -> None:
    make = Slow()
    make.go_on.set()
    files = Files(make)
    kept = files.made("v", PICTURE, "a")
    make.go_on.clear()
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(files.made, "w", PICTURE, "a")
        until(lambda: make.now == 1)
        assert files.made("v", PICTURE, "a") == kept
        make.go_on.set()
        assert not isinstance(other.result(20), Refusal)


def test_a_file_that_fails_gives_its_seat_back() -> None:
    def make(picture: bytes, form: str) -> bytes:
        raise ValueError("cannot be made")

    files = Files(make)
    for _ in range(3 * MOST_WAITING):
        with pytest.raises(ValueError, match="cannot be made"):
            files.made("v", PICTURE, "a")
