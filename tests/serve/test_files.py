"""From a request to a View, to what is sent, and to files: no more in them than in the View."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.explore import Study
from discreet.explore.derived import DerivedCopy
from discreet.explore.facts import plot_facts
from discreet.outputs.of_answers import file_of
from discreet.plots import PLOTS, View
from discreet.provenance import Sealer
from discreet.render.scene import scene_to_plain
from discreet.secret import DerivedKey
from discreet.serve import files as files_of
from discreet.serve.files import (
    MOST_WAITING,
    WARMED,
    Files,
    Kept,
    drawn,
    picture_json,
    warm,
    warm_in_background,
)
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import BODIES, Accepted, check
from discreet.serve.studies import Served
from tests.cases import few
from tests.serve.cohort import served_of

WISHES: dict[str, tuple[tuple[str, ...], str, dict[str, Any]]] = {
    "histogram": (("age",), "", {"by": "sex"}),
    "correlations": (("age", "bmi"), "", {}),
    "density": (("bmi",), "", {}),
    "violin": (("bmi",), "", {"by": "sex"}),
    "ecdf": (("age",), "", {"by": "sex"}),
    "scatter": (("age", "bmi"), "", {"trend": True}),
    "heatmap": (("age", "hdl"), "", {"grid": 9}),
    "contour": (("age", "bmi"), "", {}),
    "box": (("age", "bmi"), "", {}),
    "bars": (("region",), "", {}),
    "crosstab": (("region", "sex"), "", {}),
    "parallel": (("age", "bmi", "diagnosis"), "", {"gradient": False}),
    "residuals": ((), "bmi ~ age + C(sex)", {}),
    "qq": ((), "bmi ~ age", {}),
    "leverage": ((), "bmi ~ age", {}),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return served_of(tmp_path_factory.mktemp("study"))


def wished(served: Served, kind: str) -> View:
    """Draw a wish of each kind."""
    columns, formula, named = WISHES[kind]
    of = {"formula": formula} if formula else {"columns": [*columns]}
    asked = check(served.copy, served.columns, kind, {**of, **named})
    assert isinstance(asked, Accepted)
    return drawn(asked)


def test_there_is_a_wish_for_every_picture() -> None:
    assert {*WISHES} | {"survival", "over_time"} == {*PLOTS}


@pytest.mark.parametrize("kind", WISHES)
def test_what_is_sent_is_what_the_study_draws_and_what_is_made_of_it(
    served: Served, kind: str
) -> None:
    columns, formula, named = WISHES[kind]
    of: tuple[Any, ...] = (formula,) if formula else columns
    of = ([*columns],) if kind in ("correlations", "parallel") else of
    view = wished(served, kind)
    answer = picture_json(view, "f" * 32)
    sent = json.loads(answer)
    assert view == getattr(Study(served.file), kind)(*of, **named)
    assert [*sent] == ["id", "kind", "view", "scene", "says", "alt"]
    assert (sent["id"], sent["kind"]) == ("f" * 32, view.kind)
    back = View.from_plain(sent["view"])
    assert back == dataclasses.replace(view, gate=None)
    assert sent["scene"] == json.loads(json.dumps(scene_to_plain(back.scene())))
    assert (sent["says"], sent["alt"]) == (back.describe(), back.note())
    assert picture_json(wished(served, kind), "f" * 32) == answer


BEGINS = {
    "figure.svg": b"<?xml",
    "figure.png": b"\x89PNG\r\n",
    "figure.pdf": b"%PDF-",
    "view.json": b"{",
}


@pytest.mark.made_anew
@pytest.mark.parametrize("form", BEGINS)
@pytest.mark.parametrize("kind", few(["parallel", "histogram", "crosstab"]))
def test_a_file_of_what_was_sent(served: Served, kind: str, form: str) -> None:
    sent = picture_json(wished(served, kind), "f" * 32)
    made = file_of(sent, form)
    assert made.startswith(BEGINS[form])
    assert file_of(sent, form) == made
    if form == "view.json":
        assert json.loads(made) == json.loads(sent)["view"]


@pytest.mark.made_anew
def test_a_figure_looks_the_same_whatever_the_settings_are(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib as mpl

    sent = picture_json(wished(served, "bars"), "")
    before = file_of(sent, "figure.svg")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert file_of(sent, "figure.svg") == before


# --- numbers beyond all measure ------------------------------------------------------------------

NUMBERS = np.random.default_rng(0).normal(size=(2, 200))
ODD: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "tiny": lambda x: x * 1e-200,
    "below the least": lambda x: x * 1e-310,
    "huge": lambda x: x * 1e307,
    "all the same": lambda x: 0 * x + 3,
    "both ends": lambda x: np.where(x > 1.5, 1e308, np.where(x < -1.5, -1e308, x)),
}


def odd_copy(of: str, folder: Path) -> DerivedCopy:
    age, bmi = (ODD[of](x) for x in (NUMBERS[0], NUMBERS.sum(axis=0)))
    sex = ["f", "m"] * 100
    policy = f"kinds = {{ {', '.join(f'{it} = {CONTINUOUS}' for it in ('age', 'bmi'))} }}\n"
    return served_of(folder, policy, pa.table({"age": age, "bmi": bmi, "sex": sex})).copy


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("of", few([*ODD]))
def test_odd_numbers_are_drawn_or_held_back(of: str, tmp_path: Path) -> None:
    copy = odd_copy(of, tmp_path)
    columns = copy.whole.drawable
    drawn_or_not = Counter[bool]()
    for picture in plot_facts(copy.policy, [*columns.values()]):
        kind = picture["kind"]
        for body in WISHES_OF_ODD.get(kind, [{"columns": ["age", "bmi"]}]):
            whole = BODIES[kind].model_validate(body).model_dump()
            wish = check(copy, columns, kind, whole)
            if isinstance(wish, Refusal) and kind == "over_time":  # of numbers that are no years
                drawn_or_not[False] += 1
                continue
            assert isinstance(wish, Accepted), body
            try:
                told = json.loads(picture_json(drawn(wish), "0" * 32))
            except (InputError, RefusedError):  # the former where numbers are no years
                drawn_or_not[False] += 1
            else:
                assert told["kind"] in (kind, "multiples")
                drawn_or_not[True] += 1
    assert drawn_or_not[True] > 0


CONTINUOUS = '"continuous"'
ONE: list[dict[str, Any]] = [{"columns": ["age"]}, {"columns": ["age"], "by": "sex"}]
TWO: list[dict[str, Any]] = [{"columns": ["age", "bmi"]}, {"columns": ["age", "bmi"], "by": "sex"}]
WISHES_OF_ODD: dict[str, list[dict[str, Any]]] = {
    **dict.fromkeys(("histogram", "density", "ecdf", "violin", "box"), ONE),
    **dict.fromkeys(("heatmap", "contour"), TWO),
    "scatter": [TWO[0], {"columns": ["age", "bmi"], "trend": True}],
    "bars": [{"columns": ["sex"]}],
    "survival": [{"columns": ["age", "sex"], "event_is": ["f"]}],
    "over_time": [{"columns": ["age"]}, {"columns": ["age", "bmi"], "by": "sex"}],
    **{kind: [{"formula": "bmi ~ age"}] for kind in ("residuals", "qq", "leverage")},
}


PICTURE, KEY = b'{"view": 1}', DerivedKey(bytes(32))


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


class Slow:
    """Makes a file when it is let; tells how many it makes at once."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.made: list[tuple[bytes, str]] = []
        self.now = self.most = 0

    def __call__(self, picture: bytes, form: str, _: Sealer) -> bytes:
        self.now += 1
        self.most = max(self.most, self.now)
        assert self.go_on.wait(60)
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
        assert files.made(view, picture, form, KEY) == picture + form.encode()
    assert make.made == [(picture, form) for _, picture, form in wanted]


def test_one_is_made_at_a_time_few_wait_and_the_rest_are_told_so() -> None:
    make = Slow()
    files = Files(make)
    with ThreadPoolExecutor(40) as threads:
        asked = [threads.submit(files.made, f"{i}", PICTURE, "a", KEY) for i in range(30)]
        until(lambda: sum(it.done() for it in asked) == 30 - 1 - MOST_WAITING)
        assert {it.result() for it in asked if it.done()} == {refusal("busy")}
        make.go_on.set()
        found = [it.result(20) for it in asked]
    assert make.most == 1
    assert sum(isinstance(it, bytes) for it in found) == 1 + MOST_WAITING
    assert files.made("31", PICTURE, "a", KEY) == PICTURE + b"a"  # the seats are free again


def test_those_who_wait_for_the_same_file_get_the_one_that_was_made() -> None:
    make = Slow()
    files = Files(make)
    with ThreadPoolExecutor(1 + MOST_WAITING) as threads:
        asked = [
            threads.submit(files.made, "v", PICTURE, "a", KEY) for _ in range(1 + MOST_WAITING)
        ]
        until(lambda: make.now == 1)
        make.go_on.set()
        found = {it.result(20) for it in asked}
    assert found == {PICTURE + b"a"}
    assert make.made == [(PICTURE, "a")]


def test_what_is_kept_is_given_while_another_is_made() -> None:
    make = Slow()
    make.go_on.set()
    files = Files(make)
    kept = files.made("v", PICTURE, "a", KEY)
    make.go_on.clear()
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(files.made, "w", PICTURE, "a", KEY)
        until(lambda: make.now == 1)
        assert files.made("v", PICTURE, "a", KEY) == kept
        make.go_on.set()
        assert not isinstance(other.result(20), Refusal)


def test_a_file_that_fails_gives_its_seat_back() -> None:
    def make(picture: bytes, form: str, _: Sealer) -> bytes:
        raise ValueError("cannot be made")

    files = Files(make)
    for _ in range(3 * MOST_WAITING):
        with pytest.raises(ValueError, match="cannot be made"):
            files.made("v", PICTURE, "a", KEY)


def test_to_warm_up_draws_of_each_sort_and_leaves_no_trace(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, steps = [], []

    def figure(picture: bytes, form: str) -> bytes:
        made.append((json.loads(picture)["kind"], form))
        return b""

    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(files_of, "file_of", figure)
    warm(served.copy, lambda: steps.append(1))
    assert {"histogram", "scatter", "bars", "parallel"} <= {kind for kind, _ in made}
    assert {form for _, form in made} == {"figure.png"}
    assert len(steps) == len(WARMED)
    assert [*tmp_path.iterdir()] == []


def test_a_server_that_ends_meanwhile_does_not_wait_for_all(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def figure(picture: bytes, form: str) -> bytes:
        made.append(form)
        return b""

    class Ended:
        def is_alive(self) -> bool:
            return False

    monkeypatch.setattr(files_of, "file_of", figure)
    monkeypatch.setattr(threading, "main_thread", Ended)
    thread = warm_in_background(lambda: warm(served.copy))
    thread.join(60)
    assert not thread.daemon  # it ends before the interpreter does
    assert made == ["figure.png"]
