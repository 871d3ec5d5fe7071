"""From a wish to a View, to what is sent, and to files: no more in them than in the View."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from discreet.errors import LeavingError, RefusedError
from discreet.ledger import Ledger
from discreet.plots import PLOTS, ParallelView, View
from discreet.policy import Policy
from discreet.render.scene import scene_to_plain
from discreet.serve.checking import Wish, check
from discreet.serve.describing import pictures_told
from discreet.serve.drawing import FORMS, drawn, figure, orders_told, picture_told
from discreet.serve.schemas import BODIES
from discreet.study import Study
from discreet.study import open as open_study
from discreet.study.parallel import Move, Orders
from tests.serve.cohort import opened

WISHES: dict[str, tuple[tuple[str, ...], str, dict[str, Any]]] = {
    "histogram": (("age",), "", {"by": "sex"}),
    "scatter": (("age", "bmi"), "", {"trend": True}),
    "heatmap": (("age", "hdl"), "", {"method": "suppression"}),
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
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The cohort."""
    return opened(tmp_path_factory.mktemp("study"))


def wished(study: Study, kind: str) -> View:
    """Draw a wish of each kind."""
    columns, formula, named = WISHES[kind]
    plot = study.policy.settle(kind, columns)
    return drawn(study, Wish(kind, columns, formula, named, plot))


def test_there_is_a_wish_for_every_picture() -> None:
    assert set(WISHES) == set(PLOTS)


@pytest.mark.parametrize("kind", WISHES)
def test_a_wish_is_what_the_study_draws(study: Study, kind: str) -> None:
    columns, formula, named = WISHES[kind]
    of: tuple[Any, ...] = (formula,) if formula else columns
    of = ([*columns],) if kind == "parallel" else of

    assert wished(study, kind) == getattr(study, kind)(*of, **named)


@pytest.mark.parametrize("kind", WISHES)
def test_what_is_sent_is_the_view_and_what_is_made_of_it(study: Study, kind: str) -> None:
    view = wished(study, kind)
    sent = json.loads(picture_told(view, "f" * 32))

    assert [*sent] == ["id", "kind", "view", "scene", "says", "alt"]
    assert (sent["id"], sent["kind"]) == ("f" * 32, view.kind)
    back = View.from_plain(sent["view"])
    assert back == dataclasses.replace(view, gate=None)
    assert sent["scene"] == json.loads(json.dumps(scene_to_plain(back.scene())))
    assert (sent["says"], sent["alt"]) == (back.describe(), back.note())


@pytest.mark.parametrize("kind", WISHES)
def test_the_same_view_is_told_with_the_same_bytes(study: Study, kind: str) -> None:
    assert picture_told(wished(study, kind), "a") == picture_told(wished(study, kind), "a")


def test_telling_does_not_ask_the_gate(study: Study) -> None:
    def gate(form: str) -> None:
        raise LeavingError("not out of here")

    view = dataclasses.replace(wished(study, "parallel"), gate=gate)
    with pytest.raises(LeavingError, match="not out of here"):
        view.to_json()

    assert json.loads(picture_told(view, ""))["kind"] == "parallel"
    assert not isinstance(study.session.ledger, Ledger) or study.session.ledger.history() == []


BEGINS = {
    "figure.svg": b"<?xml",
    "figure.png": b"\x89PNG\r\n",
    "figure.pdf": b"%PDF-",
    "view.json": b"{",
}


@pytest.mark.parametrize("form", BEGINS)
@pytest.mark.parametrize("kind", ["histogram", "parallel", "crosstab"])
def test_a_file_of_what_was_sent(study: Study, kind: str, form: str) -> None:
    sent = picture_told(wished(study, kind), "f" * 32)
    made = figure(sent, form)

    assert made.startswith(BEGINS[form])
    assert figure(sent, form) == made
    if form == "view.json":
        assert json.loads(made) == json.loads(sent)["view"]


def test_every_file_has_a_type() -> None:
    assert set(FORMS) == {*BEGINS, "figure.html"}


def test_a_page_of_what_was_sent(study: Study) -> None:
    if not hasattr(ParallelView, "to_html"):
        pytest.skip("views make no pages yet")
    made = figure(picture_told(wished(study, "parallel"), "f" * 32), "figure.html").decode()

    assert made.lstrip().lower().startswith("<!doctype html>")
    assert "parallel coordinates of age, bmi and diagnosis" in made


def test_a_figure_looks_the_same_whatever_the_settings_are(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib as mpl

    sent = picture_told(wished(study, "bars"), "")
    before = figure(sent, "figure.svg")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert figure(sent, "figure.svg") == before


# --- numbers beyond all measure ------------------------------------------------------------------

NUMBERS = np.random.default_rng(0).normal(size=(2, 200))
ODD: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "tiny": lambda x: x * 1e-200,
    "below the least": lambda x: x * 1e-310,
    "huge": lambda x: x * 1e307,
    "all the same": lambda x: 0 * x + 3,
    "both ends": lambda x: np.where(x > 1.5, 1e308, np.where(x < -1.5, -1e308, x)),
}


def odd_study(of: str, preset: str) -> Study:
    age, bmi = (ODD[of](x) for x in (NUMBERS[0], NUMBERS.sum(axis=0)))
    sex = ["f", "m"] * 100
    kinds = dict.fromkeys(("age", "bmi"), "continuous")
    policy = Policy.preset(preset, strata=["sex"], kinds=kinds, public=preset == "research")
    return open_study(pa.table({"age": age, "bmi": bmi, "sex": sex}), policy, study="odd")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("preset", ["standard", "research"])
@pytest.mark.parametrize("of", ODD)
def test_odd_numbers_are_drawn_or_held_back(of: str, preset: str) -> None:
    study = odd_study(of, preset)
    columns = {it.name: it for it in study.session.drawable()}
    drawn_or_not = Counter[bool]()
    for picture in pictures_told(study.policy, [*columns.values()]):
        kind = picture["kind"]
        asked = WISHES_OF_ODD.get(kind, [{"columns": ["age", "bmi"]}])
        for method, body in itertools.product(picture["methods"], asked):
            whole = BODIES[kind].model_validate({**body, "method": method["name"]}).model_dump()
            wish = check(study, columns, kind, whole)
            assert isinstance(wish, Wish), body
            try:
                told = json.loads(picture_told(drawn(study, wish), "0" * 32))
            except RefusedError:
                drawn_or_not[False] += 1
            else:
                assert told["kind"] in (kind, "multiples")
                drawn_or_not[True] += 1
    assert drawn_or_not[True] > 0


ONE: list[dict[str, Any]] = [{"columns": ["age"]}, {"columns": ["age"], "by": "sex"}]
TWO: list[dict[str, Any]] = [
    {"columns": ["age", "bmi"]},
    {"columns": ["age", "bmi"], "by": "sex"},
]
WISHES_OF_ODD: dict[str, list[dict[str, Any]]] = {
    **dict.fromkeys(("histogram", "box"), ONE),
    **dict.fromkeys(("heatmap", "contour"), TWO),
    "scatter": [TWO[0], {"columns": ["age", "bmi"], "trend": True}],
    "bars": [{"columns": ["sex"]}],
    **{kind: [{"formula": "bmi ~ age"}] for kind in ("residuals", "qq", "leverage")},
}


# --- orders ---------------------------------------------------------------------------------------

ORDERS: dict[str, tuple[Orders, dict[str, Any]]] = {
    "an order that is allowed": (
        Orders("", ("a", "b"), "", (Move(0, 1, ("b", "a"), "no"), Move(1, 0, ("b", "a"), ""))),
        {
            "order": ["a", "b"],
            "allowed": True,
            "why": "",
            "moves": [
                {"from": 0, "to": 1, "order": ["b", "a"], "allowed": False, "why": "no"},
                {"from": 1, "to": 0, "order": ["b", "a"], "allowed": True, "why": ""},
            ],
        },
    ),
    "one that is not, and the nearest": (
        Orders("a last", ("b", "a"), "", ()),
        {"order": ["b", "a"], "allowed": False, "why": "a last", "moves": []},
    ),
    "one that is not, and the nearest is not either": (
        Orders("a last", ("b", "a"), "no pair", ()),
        {"order": ["a", "b"], "allowed": False, "why": "a last", "moves": []},
    ),
}


@pytest.mark.parametrize(("found", "told"), ORDERS.values(), ids=ORDERS)
def test_orders_are_told(found: Orders, told: dict[str, Any]) -> None:
    assert json.loads(orders_told(("a", "b"), found)) == told


def test_a_files_bytes_hold_no_path(study: Study, tmp_path: Path) -> None:
    for form in BEGINS:
        made = figure(picture_told(wished(study, "histogram"), ""), form)
        assert str(tmp_path.parent).encode() not in made
