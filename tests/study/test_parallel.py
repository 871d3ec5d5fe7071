"""Parallel coordinates of a study: what may be asked, which pairs, and what is pinned."""

import dataclasses
import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import DiscreetError, InputError, LeavingError, RefusedError
from discreet.parallel.pixels import COSTS
from discreet.plots import ParallelView
from discreet.plots.parallel import PARALLEL
from discreet.policy import AxesRequest, PlotRequest, Policy
from discreet.study import Study
from discreet.study.gate import pairs_of, pins_of_axes
from discreet.study.session import Move, Orders, Session, axis_order, orders
from discreet.table import open_table

N = 120
RNG = np.random.default_rng(6)
X = RNG.normal(50, 10, size=N)
COLUMNS: dict[str, Any] = {
    "x": X,
    "y": X + RNG.normal(0, 5, size=N),
    "z": RNG.integers(18, 80, size=N),
    "ward": RNG.choice([*"uvw"], size=N),
    "ill": RNG.choice([*"abcd"], size=N),
    "code": RNG.choice([1, 2, 3, 4], size=N),
    "who": [f"person {i}" for i in range(N)],
}
SECRET: dict[str, Any] = {"roles": {"ill": "sensitive"}}


def opened(preset: str = "standard", given: Any = None, **fields: Any) -> Study:
    """Open the table."""
    table = pa.table(COLUMNS if given is None else given)
    return dc.open(table, Policy.preset(preset, **fields))


# --- what is asked ----------------------------------------------------------------------------

BAD: dict[str, tuple[Any, dict[str, Any], type[DiscreetError], str]] = {
    # columns, how, the error
    "one axis": (["x"], {}, InputError, "need at least two columns, in a list"),
    "no axis": ([], {}, InputError, "need at least two columns, in a list"),
    "a name for a list": ("xy", {}, InputError, "columns must be a list of column names"),
    "an axis twice": (["x", "y", "x"], {}, InputError, "a column is named twice"),
    "nobody's": (["x", "yy"], {}, InputError, "there is no column 'yy'"),
    "a number": (["x", 3], {}, InputError, "given a list of something else"),
    "an identifier": (["x", "who"], {}, RefusedError, "'who' identifies persons"),
    "no method": (["x", "y"], {"method": "magic"}, InputError, "cannot be made by method 'magic'"),
    "cells of a grid": (
        ["x", "y"],
        {"method": "suppression"},
        InputError,
        "there are 'k-member-cells', 'k-member', 'k-member-joint', 'none'",
    ),
    "no cost": (["x", "y"], {"cost": "dear"}, InputError, "cost must be 'seed', 'span', 'smaller'"),
    "a secret that is no axis": (
        ["x", "y"],
        {"sensitive": "ill"},
        InputError,
        "'ill' is sensitive, but none of the columns",
    ),
    "values that are no list": (
        ["x", "ill"],
        {"sensitive": {"ill": "a"}},
        InputError,
        "the sensitive values of 'ill' are a list",
    ),
    "a set of values": (
        ["x", "ill"],
        {"sensitive": {"ill": {"a"}}},
        InputError,
        "the sensitive values of 'ill' are a list",
    ),
    "half a pixel": (["x", "y"], {"pixels": 400.5}, InputError, "pixels"),
    "few pixels": (["x", "y"], {"pixels": 10}, InputError, "pixels"),
    "limits of levels": (["x", "ward"], {"limits": {"ward": [0, 1]}}, DiscreetError, "ward|limits"),
    "no k": (["x", "y"], {"k": "many"}, InputError, "k of the policy must be a whole number"),
    "a word for l": (
        ["x", "y"],
        {"diversity": "3"},
        InputError,
        "diversity must be a whole number",
    ),
    "nothing": (None, {}, InputError, "columns must be a list of column names"),
    "limits of another": (
        ["x", "y"],
        {"limits": {"z": [0, 1]}},
        InputError,
        "limits name 'z', which is none of the columns",
    ),
    "no l": (
        ["x", "y"],
        {"diversity": 0},
        InputError,
        "diversity must be a whole number of at least 1",
    ),
}


@pytest.mark.parametrize("preset", ["standard", "research"])
@pytest.mark.parametrize(("columns", "how", "kind", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(
    columns: Any, how: dict[str, Any], kind: type[DiscreetError], message: str, preset: str
) -> None:
    study = opened(preset, roles={"ill": "sensitive", "who": "identifier"})

    with pytest.raises(kind, match=message):
        study.parallel(columns, **how)


GUARDED: dict[str, tuple[dict[str, Any], str]] = {
    "single records": ({"method": "k-member"}, "'k-member' tells pixels of single records"),
    "all axes at once": ({"method": "k-member-joint"}, "a guarded study draws 'k-member-cells'"),
    "raw": ({"method": "none"}, "method 'none' draws raw data"),
    "another k": ({"k": 6}, "k is fixed when the study is opened"),
    "other pixels": ({"pixels": 300}, "pixels is fixed when the study is opened"),
    "other limits": ({"limits": {"x": [0, 100]}}, "limits is fixed when the study is opened"),
    "another l": ({"diversity": 3}, "diversity is fixed when the study is opened"),
    "a secret of the moment": (
        {"sensitive": "y"},
        r"open one that says so: discreet.open\(..., roles=\{'y': 'sensitive'\}\)",
    ),
}


@pytest.mark.parametrize(("how", "message"), GUARDED.values(), ids=GUARDED)
def test_a_guarded_study_has_one_answer(how: dict[str, Any], message: str) -> None:
    study = opened()

    with pytest.raises(RefusedError, match=message):
        study.parallel(["x", "y"], **how)
    assert study.parallel(["z", "y"]).method == "k-member-cells", "a refusal has settled nothing"


def test_what_the_policy_has_may_be_asked_for() -> None:
    study = opened(limits={"x": [0, 100]}, **SECRET)
    plain = study.parallel(["x", "y", "ill"])

    asked: list[dict[str, Any]] = [
        {"method": "k-member-cells"},
        {"k": 5},
        {"pixels": 400},
        {"diversity": 2},
        {"limits": {"x": [0, 100]}},
        {"sensitive": "ill"},
        {"sensitive": ["ill"]},
        {"sensitive": {"ill": ["a", "b"]}},
    ]
    for how in asked:
        assert study.parallel(["x", "y", "ill"], **how) == plain
    assert plain.parameters == {"k": 5, "pixels": 400, "l": 2}
    assert "l" not in study.parallel(["x", "y"]).parameters


def test_a_guarded_study_cannot_do_with_one_sensitive_value() -> None:
    with pytest.raises(InputError, match="diversity of a guarded study is at least 2"):
        opened(**SECRET).parallel(["x", "ill"], diversity=1)


def test_the_policy_says_what_is_sensitive_how_diverse_and_how_fine() -> None:
    view = opened(**SECRET, diversity=3, pixels=200).parallel(["x", "y", "ill"])

    assert view.parameters == {"k": 5, "pixels": 200, "l": 3}
    assert view.pixels == 200
    assert [axis.sensitive for axis in view.axes] == [False, False, True]
    with pytest.raises(InputError, match=r"the diversity \(l\) is more than the sensitive column"):
        opened(**SECRET, diversity=5).parallel(["x", "y", "ill"])


def test_levels_stand_in_the_order_that_the_policy_declares() -> None:
    view = opened(ordered={"ward": ["w", "u"]}).parallel(["x", "ward"])

    assert view.axes[1].levels == ("w", "u", "v")
    assert opened().parallel(["x", "ward"]).axes[1].levels == ("u", "v", "w")


def test_codes_are_levels_where_they_are_declared_so() -> None:
    study = opened(kinds={"code": "categorical"}, roles={"code": "sensitive"})

    assert study.parallel(["x", "code"], sensitive={"code": [4]}).axes[1].levels == (*"1234",)
    with pytest.raises(InputError, match="a sensitive value of 'code' is none that its axis shows"):
        study.parallel(["x", "code"], sensitive={"code": [5]})
    numbers = opened(roles={"code": "sensitive"})
    with pytest.raises(InputError, match="of 'code' are levels, and it is continuous"):
        numbers.parallel(["x", "code"], sensitive={"code": [4]})


def test_an_order_that_breaks_a_rule_is_refused_with_the_nearest() -> None:
    study = opened(**SECRET)

    with pytest.raises(RefusedError, match="the nearest allowed order is 'x', 'y', 'ill'"):
        study.parallel(["x", "ill", "y"])
    with pytest.raises(RefusedError, match="'ward' must not stand next to sensitive axis 'ill'"):
        study.parallel(["x", "ward", "ill"])


def test_too_few_persons_are_refused() -> None:
    few = {name: values[:49] for name, values in COLUMNS.items()}

    with pytest.raises(
        RefusedError, match="too few complete rows: the policy asks for at least 10"
    ):
        opened(given=few).parallel(["x", "y"])
    with pytest.raises(RefusedError, match="too few complete rows"):
        opened(k=13).parallel(["x", "y"])


def test_a_flat_picture_is_the_same_but_for_its_edges() -> None:
    study = opened()
    flat = study.parallel(["x", "y"], gradient=False)

    assert (flat.fuzzy, study.parallel(["x", "y"]).fuzzy) == (False, True)
    assert flat == study.parallel(["x", "y"]).flat()


def test_looking_leaves_nothing_behind() -> None:
    opened(study="s", **SECRET).parallel(["ward", "x", "y", "ill"])

    assert opened(study="s", k=6).parallel(["x", "z"]).to_json()


def test_a_view_comes_back_from_json() -> None:
    view = opened(study="s", **SECRET).parallel(["ward", "x", "y", "ill"])

    assert dc.View.from_json(view.to_json()) == view
    assert view.origin.counted == "rows, each taken as a person"
    assert view.sizes is None
    assert all(view.clusters)


# --- proposed orders --------------------------------------------------------------------------


def test_an_order_is_proposed_and_may_be_asked_for() -> None:
    study = opened(**SECRET)

    order = study.axis_order(["ill", "x", "ward", "y"])

    assert order[-1] == "ill"
    assert order[-3] == "ward"
    assert sorted(order) == ["ill", "ward", "x", "y"]
    assert study.parallel(order).columns == order
    assert opened().axis_order(["x", "y", "z"]) == ("x", "y", "z")


def test_a_proposal_settles_no_pair() -> None:
    study = opened()
    study.axis_order(["x", "y", "z"])

    assert study.parallel(["x", "z", "y"]).columns == ("x", "z", "y")


def test_a_proposal_needs_what_a_picture_needs() -> None:
    for columns, message in (
        (["x"], "need at least two columns"),
        (["x", "x"], "named twice"),
        (["x", "who"], "identifies persons"),
    ):
        with pytest.raises(DiscreetError, match=message):
            opened(roles={"who": "identifier"}).axis_order(columns)
    with pytest.raises(RefusedError, match="what is sensitive is said when a study is opened"):
        opened().axis_order(["x", "ill"], sensitive="ill")
    assert opened("research").axis_order(["ill", "x"], sensitive="ill") == ("x", "ill")


# --- pairs ------------------------------------------------------------------------------------


def test_pairs_of_an_order_have_their_names_sorted() -> None:
    assert pairs_of(["x", "ward", "y"]) == (("ward", "x"), ("ward", "y"))
    assert pairs_of(["y", "ward", "x"]) == (("ward", "y"), ("ward", "x"))


PAIRS: dict[str, tuple[list[str], list[str], str | None]] = {
    # the first order, another, what of it is refused
    "the same": (["x", "ward", "y"], ["x", "ward", "y"], None),
    "mirrored": (["x", "ward", "y"], ["y", "ward", "x"], None),
    "a part": (["x", "ward", "y"], ["ward", "y"], None),
    "one more at the end": (["x", "ward", "y"], ["x", "ward", "y", "z"], None),
    "one more at the other end": (["x", "ward", "y"], ["z", "x"], None),
    "others": (["x", "y"], ["ward", "z"], None),
    "another order": (["x", "ward", "y"], ["x", "y", "ward"], "do not fit into one order with"),
    "a ring": (["x", "ward", "y"], ["y", "x"], "of which stood 'ward', 'x'; 'ward', 'y' side by"),
    "a third neighbour": (
        ["x", "ward", "y"],
        ["ward", "z"],
        "custodian can open a study whose",
    ),
}


@pytest.mark.parametrize(("first", "then", "message"), PAIRS.values(), ids=PAIRS)
def test_all_pictures_fit_into_one_order(
    first: list[str], then: list[str], message: str | None
) -> None:
    study = opened()
    view = study.parallel(first)
    if message is None:
        assert study.parallel(then).columns == tuple(then)
    else:
        with pytest.raises(RefusedError, match=message):
            study.parallel(then)
    assert study.parallel(first) == view


def test_a_refused_picture_settles_no_pair() -> None:
    study = opened(roles={"ill": "sensitive", "who": "identifier"})
    for columns in (["x", "ill", "y"], ["x", "who"], ["x", "ward", "ill"]):
        with pytest.raises(RefusedError, match=r"must|identifies"):
            study.parallel(columns)

    assert study.parallel(["z", "x", "ill"]).columns == ("z", "x", "ill")


def test_the_policy_may_name_the_pairs() -> None:
    table = pa.table(COLUMNS)
    study = dc.open(table, pairs=[["y", "x"], ["x", "z"], ["z", "ward"]])

    assert study.parallel(["y", "x", "z", "ward"]).columns == ("y", "x", "z", "ward")
    assert study.parallel(["ward", "z"]).columns == ("ward", "z")
    with pytest.raises(RefusedError, match=r"are 'y', 'x'; 'x', 'z'; 'z', 'ward'\. All orders"):
        study.parallel(["y", "z"])


BAD_PAIRS: dict[str, tuple[Any, str]] = {
    "of nobody": ([["x", "yy"]], "there is no column 'yy'"),
    "of an identifier": ([["x", "who"]], "'who' identifies persons"),
    "of one with itself": ([["x", "x"]], "pairs of the policy must be a list of pairs of differ"),
    "of three": ([["x", "y", "z"]], "pairs of the policy must be a list of pairs of different"),
    "of one": ([["x"]], "pairs of the policy must be a list of pairs"),
    "no list": ("xy", "pairs of the policy must be a list of pairs"),
    "of numbers": ([[1, 2]], "pairs of the policy must be a list of pairs"),
}


@pytest.mark.parametrize(("pairs", "message"), BAD_PAIRS.values(), ids=BAD_PAIRS)
def test_pairs_are_of_columns_that_may_be_shown(pairs: Any, message: str) -> None:
    with pytest.raises(DiscreetError, match=message):
        dc.open(pa.table(COLUMNS), pairs=pairs, roles={"who": "identifier"})


def test_pairs_that_left_hold_in_every_later_study_of_the_name() -> None:
    opened(study="s").parallel(["x", "ward", "y"]).to_json()

    again = opened(study="s")
    assert again.parallel(["y", "ward"]).to_json()
    for columns in (["x", "y"], ["ward", "z"]):
        with pytest.raises(RefusedError, match=r"stood 'ward', 'x'; 'ward', 'y' side by side"):
            again.parallel(columns)
    assert again.parallel(["y", "z"]).to_json()


def test_a_secret_has_one_neighbour() -> None:
    study = opened(**SECRET)
    study.parallel(["z", "ill"])

    with pytest.raises(RefusedError, match="do not fit into one order"):
        study.parallel(["y", "ill"])


def test_names_of_one_table_have_one_order_together() -> None:
    opened(study="s").parallel(["x", "y"]).to_json()
    opened(study="t").parallel(["y", "z"]).to_json()

    with pytest.raises(LeavingError, match="do not fit into one order with those released"):
        opened(study="s").parallel(["x", "z"]).to_json()


@pytest.mark.parametrize("other", [["x", "y"], ["z", "ward"], ["z", "y", "x", "ward"]])
def test_other_pairs_are_refused_at_leaving_where_the_data_have_no_name(other: list[str]) -> None:
    opened().parallel(["x", "ward", "y"]).to_json()

    view = opened().parallel(other)
    with pytest.raises(LeavingError, match="do not fit into one order with those released"):
        view.to_json()
    with pytest.raises(LeavingError, match=r"draw them next to each other as they were$"):
        view.save("never.svg")
    assert opened().parallel(["x", "ward", "y"]).to_json()


def test_other_pairs_of_a_policy_are_refused_at_leaving() -> None:
    opened(study="s", pairs=[["x", "y"]]).parallel(["x", "y"]).to_json()

    view = opened(study="s", pairs=[["x", "y"], ["y", "z"]]).parallel(["x", "y"])
    with pytest.raises(LeavingError, match="the list of pairs must be as in"):
        view.to_json()
    assert opened(study="s", pairs=[["y", "x"]]).parallel(["x", "y"]).to_json()


def test_the_answer_is_the_same_in_every_study_and_order_of_rows() -> None:
    order = np.random.default_rng(8).permutation(N)
    turned = {name: np.asarray(values)[order] for name, values in COLUMNS.items()}
    names = ["ward", "x", "y", "ill"]
    first = opened(study="s", **SECRET).parallel(names).to_json()

    assert opened(study="s", **SECRET).parallel(names).to_json() == first
    assert opened(study="s", given=turned, **SECRET).parallel(names).to_json() == first


# --- what leaving pins ------------------------------------------------------------------------


def settled(columns: Sequence[str], *sensitive: str, diversity: int = 2) -> PlotRequest:
    """Settle parallel coordinates without a study."""
    axes = AxesRequest(400, diversity, dict.fromkeys(sensitive, ()), "smaller", fuzzy=True)
    return dataclasses.replace(Policy(rows="condensation").settle("parallel", columns), axes=axes)


def test_what_is_pinned() -> None:
    asked = settled(["z", "y", "x"], "x", diversity=3)

    assert pins_of_axes(asked, ()) == {
        "count method of 'y', 'z'": "k-member-cells",
        "count method of 'x', 'y'": "k-member-cells",
        "pair 'x', 'y'": '["x", "y"]',
        "pair 'y', 'z'": '["y", "z"]',
        "list of pairs": "those of one order",
        "diversity of 'x'": "3",
        "diversity of 'y'": "1",
        "diversity of 'z'": "1",
    }


def test_pairs_are_pinned_alike_in_whatever_order_they_are_written() -> None:
    one = pins_of_axes(settled(["x", "y", "z"]), (("x", "y"), ("y", "z")))
    other = pins_of_axes(settled(["z", "y", "x"]), (("z", "y"), ("y", "x")))

    assert one == other


Draw = Callable[[Study], Any]
PINNED: dict[str, tuple[Mapping[str, Any], Draw, Mapping[str, Any], Draw, str]] = {
    # fields and picture of the first, of the second; what is another
    "a heat map of a pair": (
        {},
        lambda s: s.parallel(["x", "y", "z"]),
        {},
        lambda s: s.heatmap("y", "x"),
        "the count method of 'x', 'y' must be as in",
    ),
    "cells of a pair": (
        {},
        lambda s: s.parallel(["x", "y", "z"]),
        {},
        lambda s: s.scatter("y", "z", method="suppression"),
        "the count method of 'y', 'z' must be as in",
    ),
    "a table of a pair": (
        {},
        lambda s: s.parallel(["x", "ward", "ill"]),
        {},
        lambda s: s.crosstab("ill", "ward"),
        "the count method of 'ill', 'ward' must be as in",
    ),
    "a pair after its heat map": (
        {},
        lambda s: s.heatmap("y", "x"),
        {},
        lambda s: s.parallel(["x", "y", "z"]),
        "the count method of 'x', 'y' must be as in",
    ),
    "a pair after its table": (
        {},
        lambda s: s.crosstab("ill", "ward"),
        {},
        lambda s: s.parallel(["x", "ill", "ward"]),
        "the count method of 'ill', 'ward' must be as in",
    ),
    "a secret that was none": (
        {},
        lambda s: s.parallel(["x", "y", "ill"]),
        SECRET,
        lambda s: s.parallel(["x", "y", "ill"]),
        "the diversity of 'ill' must be as in",
    ),
    "no secret any more": (
        SECRET,
        lambda s: s.parallel(["x", "y", "ill"]),
        {},
        lambda s: s.parallel(["x", "y", "ill"]),
        "the diversity of 'ill' must be as in",
    ),
    "another l": (
        SECRET,
        lambda s: s.parallel(["x", "y", "ill"]),
        {**SECRET, "diversity": 3},
        lambda s: s.parallel(["x", "y", "ill"]),
        "'diversity' must be as in",
    ),
    "other pixels": (
        {},
        lambda s: s.parallel(["x", "y"]),
        {"pixels": 300},
        lambda s: s.parallel(["x", "y"]),
        "'pixels' must be as in",
    ),
    "other limits": (
        {},
        lambda s: s.parallel(["x", "y"]),
        {"limits": {"x": [0, 90]}},
        lambda s: s.parallel(["x", "y"]),
        "'limits' must be as in",
    ),
    "levels in another order": (
        {},
        lambda s: s.parallel(["x", "ward"]),
        {"ordered": {"ward": ["w", "v", "u"]}},
        lambda s: s.parallel(["x", "ward"]),
        "'ordered' must be as in",
    ),
    "codes as levels": (
        {},
        lambda s: s.parallel(["x", "code"]),
        {"kinds": {"code": "categorical"}},
        lambda s: s.parallel(["x", "code"]),
        "the kind of 'code' must be as in",
    ),
    "another k": (
        {},
        lambda s: s.parallel(["x", "y"]),
        {"k": 6},
        lambda s: s.parallel(["x", "y"]),
        "'k' must be as in",
    ),
}


@pytest.mark.parametrize("study", ["s", None])
@pytest.mark.parametrize(
    ("fields", "first", "others", "then", "message"), PINNED.values(), ids=PINNED
)
def test_what_left_before_is_pinned(
    fields: Mapping[str, Any],
    first: Draw,
    others: Mapping[str, Any],
    then: Draw,
    message: str,
    study: str | None,
) -> None:
    first(opened(study=study, **fields)).to_json()

    view = then(opened(study=study, **others))
    with pytest.raises(LeavingError, match=message):
        view.to_json()
    assert first(opened(study=study, **fields)).to_json()


def test_pictures_of_other_pairs_and_of_single_columns_leave_beside() -> None:
    study = opened(study="s")
    study.parallel(["x", "y", "ward"]).to_json()

    for view in (
        study.histogram("x"),
        study.bars("ward"),
        study.heatmap("x", "z"),
        study.scatter("x", "y"),
    ):
        assert view.to_json()


def test_a_public_study_pins_nothing() -> None:
    opened(public=True).parallel(["x", "y"]).to_json()

    assert opened(public=True, k=6).parallel(["y", "x"]).to_json()
    assert opened(public=True).parallel(["x", "z", "y"]).to_json()


# --- as functions -----------------------------------------------------------------------------


def test_a_desk_keeps_the_pairs() -> None:
    table = open_table(pa.table(COLUMNS), kinds={}, roles={}, unit=None, key=None)
    session = Session(table, Policy(rows="condensation"))
    assert axis_order(session, ["x", "y"], None) == ("x", "y")
    assert not session.pairs

    view = session.draw(PARALLEL, ["y", "x"])

    assert isinstance(view, ParallelView)
    assert [*session.pairs] == [("x", "y")]


def test_persons_are_counted() -> None:
    columns = {**COLUMNS, "who": [f"person {i // 2}" for i in range(N)]}

    view = opened(given=columns, unit="who").parallel(["x", "y"])
    assert view.origin.counted == "persons (who)"
    assert opened(unit="who").parallel(["x", "y"]).origin.counted == "persons (who)"


# --- under research ---------------------------------------------------------------------------


def test_pixels_of_research_are_few_and_round() -> None:
    study = opened("research")

    for asked, got in ((50, 50), (350, 350), (500, 500), (501, 500), (10_000, 500)):
        assert study.parallel(["x", "y"], pixels=asked).pixels == got
    assert study.parallel(["x", "y"]).pixels == 400
    for wrong in (49, 120, 333, 0, -50):
        with pytest.raises(InputError, match="50"):
            study.parallel(["x", "y"], pixels=wrong)


def test_research_may_choose() -> None:
    study = opened("research")
    plain = study.parallel(["x", "y", "z"])

    assert (plain.method, plain.parameters) == ("k-member", {"k": 3, "pixels": 400})
    seven = study.parallel(["x", "y", "z"], k=7)
    assert seven.sizes is not None
    assert min(size for sizes in seven.sizes for size in sizes) >= 7
    limited = study.parallel(["x", "y"], limits={"x": [0, 100]})
    assert (limited.axes[0].low, limited.axes[0].high) == (0, 100)
    for order in (["x", "y"], ["z", "y"], ["x", "z"]):
        assert study.parallel(order).columns == tuple(order), "pairs are free"
    cells = study.parallel(["x", "y"], method="k-member-cells")
    assert (cells.method, cells.sizes) == ("k-member-cells", None)


def test_research_has_secrets_of_the_moment() -> None:
    study = opened("research")

    view = study.parallel(["x", "y", "ill"], sensitive={"ill": ["a", "c"]}, diversity=3)

    assert view.parameters == {"k": 3, "pixels": 400, "l": 3, "sensitive": "ill = a or c"}
    assert view.axes[2].sensitive is True
    assert study.parallel(["x", "y", "ill"], sensitive="ill").parameters["l"] == 2
    with pytest.raises(InputError, match=r"the diversity \(l\) is more than the sensitive column"):
        study.parallel(["x", "y", "ill"], sensitive="ill", diversity=5)
    with pytest.raises(InputError, match="a sensitive value of 'ill' is none that its axis shows"):
        study.parallel(["x", "y", "ill"], sensitive={"ill": ["e"]})


def test_a_secret_stands_anywhere_under_research_and_that_is_said() -> None:
    study = opened("research")

    for order in (["x", "ill", "y"], ["ill", "x", "y"], ["z", "x", "ill", "y"]):
        view = study.parallel(order, sensitive="ill")
        assert view.origin.remarks[-1].startswith("sensitive: ill, not the last of the axes")
        assert [axis.sensitive for axis in view.axes] == [name == "ill" for name in order]
    last = study.parallel(["x", "y", "ill"], sensitive="ill")
    assert not any("not the last" in remark for remark in last.origin.remarks)
    session = desk_of(**SECRET)
    with pytest.raises(RefusedError, match="sensitive axis 'ill' must come last, after 'z'"):
        session.draw(PARALLEL, ("x", "ill", "z"))


@pytest.mark.parametrize("order", [("ill", "y", "x"), ("x", "y", "ill")])
def test_a_secret_at_either_end_is_lit_with_diversity(order: tuple[str, ...]) -> None:
    study = opened("research")
    at = order.index("ill")

    view = study.parallel(order, sensitive="ill", diversity=3)
    plain = study.parallel(order)

    def least(of: Any) -> int:
        """Return the fewest values of ill that a cluster of the other gap lights."""
        lit: dict[int, set[int]] = {}
        for pair in of.joins[0]:
            other, own = pair if at == 2 else pair[::-1]
            low, high = of.clusters[min(at, 1)][own][at : at + 2]
            bands = of.axes[at].bands
            held = {i for i, (start, end) in enumerate(bands) if low < end and start < high}
            lit.setdefault(other, set()).update(held)
        return min(map(len, lit.values()))

    assert view.parameters["l"] == 3
    assert least(view) >= 3 > least(plain)


@pytest.mark.parametrize("method", ["k-member-cells", "k-member-joint", "none"])
def test_a_cost_is_of_clusters_of_records_pair_by_pair(method: str) -> None:
    study = opened("research")

    for cost in COSTS:
        assert study.parallel(["x", "y"], cost=cost).method == "k-member"
        with pytest.raises(InputError, match="cost says how clusters of 'k-member' grow"):
            study.parallel(["x", "y"], method=method, cost=cost)


def test_looking_under_research_and_leaving_are_the_same_bytes() -> None:
    texts = {opened("research", study="s").parallel(["x", "y", "z"]).to_json() for _ in range(2)}

    assert len(texts) == 1
    assert json.loads(texts.pop())["kind"] == "parallel"


@pytest.mark.parametrize(
    "other", [{"pairs": [["x", "z"]]}, {"roles": {"x": "sensitive"}}], ids=["pairs", "roles"]
)
def test_a_new_version_may_have_other_pairs_and_secrets(other: dict[str, Any]) -> None:
    opened(study="s").parallel(["x", "y"]).to_json()

    assert opened(study="s", **other).new_version() == 2


def test_a_new_version_of_the_same_pairs_and_secrets_is_none() -> None:
    opened(study="s", pairs=[["x", "y"]]).parallel(["x", "y"]).to_json()

    with pytest.raises(InputError, match="neither the data nor the policy"):
        opened(study="s", pairs=[["x", "y"]]).new_version()


def test_a_column_of_dates_is_no_axis() -> None:
    dated = {**COLUMNS, "when": pa.array([datetime.date(2020, 1, 1 + i % 28) for i in range(N)])}

    with pytest.raises(InputError, match="column 'when' holds dates; numbers are needed here"):
        opened(given=dated).parallel(["x", "when"])


def test_all_axes_at_once_are_for_fewer_records() -> None:
    many = {"x": np.arange(100_001.0), "y": np.arange(100_001.0) % 7}

    with pytest.raises(RefusedError, match="too many records to cluster over all axes at once"):
        opened("research", given=many).parallel(["x", "y"], method="k-member-joint", k=500)


# --- which orders there are -------------------------------------------------------------------


def told(found: Orders) -> dict[tuple[int, int], tuple[str, bool]]:
    """Return each move, as the initials of the order after it, and whether it is allowed."""
    return {(it.source, it.target): ("".join(it.order), not it.why) for it in found.moves}


def desk_of(**fields: Any) -> Session:
    """Return the session of a study of the table."""
    return opened(**fields).session


def test_every_move_of_one_axis_is_told() -> None:
    found = orders(desk_of(preset="research"), ["x", "y", "z"])

    assert (found.why, found.nearest, found.nearest_why) == ("", ("x", "y", "z"), "")
    assert told(found) == {
        (0, 1): ("yxz", True),
        (0, 2): ("yzx", True),
        (1, 0): ("yxz", True),
        (1, 2): ("xzy", True),
        (2, 0): ("zxy", True),
        (2, 1): ("xzy", True),
    }
    assert found.moves[0] == Move(0, 1, ("y", "x", "z"), "")


def test_a_move_that_is_refused_says_why() -> None:
    session = desk_of(**SECRET)
    found = orders(session, ["x", "z", "ill"])

    assert found.why == ""
    why = {"".join(move.order): move.why for move in found.moves}
    assert why["zxill"] == ""
    assert why["illxz"] == "sensitive axis 'ill' must come last, after 'x', 'z'"
    assert why["xillz"] == "sensitive axis 'ill' must come last, after 'z'"
    assert why["zillx"] == "sensitive axis 'ill' must come last, after 'x'"


def test_of_an_order_that_is_refused_the_nearest_is_told() -> None:
    session = desk_of(**SECRET)
    found = orders(session, ["ill", "x", "z"])

    assert found.why == "sensitive axis 'ill' must come last, after 'x', 'z'"
    assert (found.nearest, found.nearest_why) == (("x", "z", "ill"), "")
    assert session.draw(PARALLEL, found.nearest).columns == found.nearest


def test_pairs_of_the_policy_bind_the_moves() -> None:
    session = desk_of(pairs=[["x", "y"], ["y", "z"]])
    found = orders(session, ["x", "y", "z"])

    assert told(found) == {
        (0, 1): ("yxz", False),
        (0, 2): ("yzx", False),
        (1, 0): ("yxz", False),
        (1, 2): ("xzy", False),
        (2, 0): ("zxy", False),
        (2, 1): ("xzy", False),
    }
    for move in found.moves:
        assert "may not stand side by side; the pairs of this study are 'x', 'y'; 'y', 'z'" in (
            move.why
        )
    assert orders(session, ["z", "y", "x"]).why == ""


def test_where_pairs_forbid_the_nearest_order_another_is_told() -> None:
    session = desk_of(**SECRET, pairs=[["x", "z"], ["z", "ill"]])
    found = orders(session, ["ill", "z", "x"])

    assert found.why == "sensitive axis 'ill' must come last, after 'z', 'x'"
    assert (found.nearest, found.nearest_why) == (("x", "z", "ill"), "")
    assert session.draw(PARALLEL, found.nearest).columns == found.nearest


def test_where_no_order_may_be_it_is_said_why_of_the_nearest() -> None:
    session = desk_of(**SECRET, pairs=[["x", "z"]])
    found = orders(session, ["ill", "z", "x"])

    assert found.nearest == ("z", "x", "ill")
    assert found.nearest_why == (
        "'ill', 'x' may not stand side by side; the pairs of this study are 'x', 'z'"
    )


def test_what_was_drawn_before_binds_the_moves() -> None:
    session = desk_of()
    session.draw(PARALLEL, ["x", "y", "z"])
    found = orders(session, ["x", "y", "z"])

    assert found.why == ""
    assert told(found) == {  # x and z would be neighbours: a ring
        (0, 1): ("yxz", False),
        (0, 2): ("yzx", False),
        (1, 0): ("yxz", False),
        (1, 2): ("xzy", False),
        (2, 0): ("zxy", False),
        (2, 1): ("xzy", False),
    }
    assert "do not fit into one order with those drawn before" in found.moves[0].why


def test_telling_orders_settles_none() -> None:
    session = desk_of()
    orders(session, ["x", "y", "z"])
    orders(session, ["y", "z", "x"])

    assert session.pairs == ()


def test_under_research_what_is_sensitive_may_be_named() -> None:
    session = desk_of(preset="research")

    assert orders(session, ["ill", "x", "z"]).why == ""
    assert orders(session, ["ill", "x", "z"], ["ill"]).nearest == ("x", "z", "ill")
    with pytest.raises(RefusedError, match="what is sensitive is said when a study is opened"):
        orders(desk_of(), ["ill", "x", "z"], ["ill"])


@pytest.mark.parametrize("columns", [["x", "y"], ["x", "z", "ward", "ill"], ["ill", "x", "code"]])
@pytest.mark.parametrize("preset", ["standard", "research"])
def test_a_move_is_allowed_where_the_picture_after_it_is_drawn(
    columns: list[str], preset: str
) -> None:
    found = orders(desk_of(preset=preset, **SECRET), columns)
    for move in found.moves:
        assert sorted(move.order) == sorted(columns)
        assert move.order[move.target] == columns[move.source]
        fresh = desk_of(preset=preset, **SECRET)
        if not move.why:
            assert fresh.draw(PARALLEL, move.order).columns == move.order
            continue
        with pytest.raises(RefusedError, match=r".+") as refused:
            fresh.draw(PARALLEL, move.order)
        assert str(refused.value).startswith(move.why)


@pytest.mark.parametrize("columns", [["x"], "xy", ["x", "x"], ["x", "nobody"]])
def test_orders_of_what_are_no_axes(columns: Any) -> None:
    with pytest.raises(InputError, match=r"at least two columns|named twice|there is no column"):
        orders(desk_of(), columns)
