"""What axes share is counted in their order, and an order that gives a secret away is refused."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.plots.parallel_axes import (
    CellAxis,
    PersonsInCells,
    cell_axis,
    cells_of,
    check_order,
    counted_cells,
    proposed_order,
    rules_of_order,
)
from discreet.policy import AxesRequest, PlotRequest, Policy
from discreet.table import Table, open_table

N = 240
RNG = np.random.default_rng(3)
ILL = RNG.choice([*"abcd"], size=N)
COLUMNS: dict[str, Any] = {
    "near": np.array([ord(level) - 97.0 for level in ILL]) + RNG.normal(0, 0.3, size=N),
    "far": RNG.normal(size=N),
    "far off": RNG.normal(size=N),
    "ward": RNG.choice([*"uv"], size=N),
    "arm": RNG.choice([*"xyz"], size=N),
    "ill": ILL,
}


def table_of(columns: Mapping[str, Any] = COLUMNS, unit: str | None = None) -> Table:
    """Put columns behind a table."""
    frame = pa.table({name: pa.array(values) for name, values in columns.items()})
    return open_table(frame, kinds={}, roles={}, unit=unit, key=None)


TABLE = table_of()


def asked(columns: Sequence[str], *sensitive: str, **fields: Any) -> PlotRequest:
    """Settle parallel coordinates of an axis of 100 pixels, k = 3."""
    policy = Policy.preset("standard", **{"k": 3, "bins": 10, **fields})
    named = {name: () for name in sensitive}
    axes = AxesRequest(100, 2, named, {}, "smaller", fuzzy=True)
    return replace(policy.settle("parallel", columns), axes=axes)


def cut(table: Table, how: PlotRequest) -> dict[str, CellAxis]:
    """Cut the axes that are asked for."""
    return {name: cell_axis(table, how, name) for name in how.columns}


# --- counting ---------------------------------------------------------------------------------


def cell_of(axis: CellAxis, value: Any) -> int:
    """Find the cell of a value by its pixel, or by its level."""
    if axis.levels is not None:
        return axis.levels.at([value or ""])[0]
    low, high = axis.shown.low, axis.shown.high
    assert low is not None
    assert high is not None
    pixel = (value - low) / (high - low) * 100
    return sum(bool(edge <= pixel + 1e-9) for edge in axis.edges[1:-1])


@pytest.mark.parametrize("names", [*itertools.permutations(["near", "ward", "far", "arm"], 3)])
def test_cells_are_counted_in_the_order_of_the_axes(names: tuple[str, ...]) -> None:
    how = asked(names, limits={"near": [-1, 4], "far": [-3, 3]})
    axes = [*cut(TABLE, how).values()]

    found = cells_of(counted_cells(TABLE, axes), axes, 4)

    columns = [[cell_of(axis, value) for value in COLUMNS[axis.shown.name]] for axis in axes]
    persons = Counter(zip(*columns, strict=True))
    assert found.shape == tuple(axis.cells for axis in axes)
    assert {tuple(cell): int(found[tuple(cell)]) for cell in np.argwhere(found)} == persons


def test_rows_with_a_number_missing_are_not_counted_and_missing_levels_are() -> None:
    columns = {
        "x": [float(i % 10) for i in range(40)],
        "y": [None if i < 3 else float(i % 7) for i in range(40)],
        "g": [None if i % 4 == 0 else "ab"[i % 2] for i in range(40)],
    }
    table = table_of(columns)
    axes = [*cut(table, asked(["x", "g"])).values()]
    assert int(cells_of(counted_cells(table, axes), axes, 4).sum()) == 40
    axes = [*cut(table, asked(["x", "y", "g"])).values()]
    counted = counted_cells(table, axes)
    assert (int(cells_of(counted, axes, 4).sum()), counted.left_out) == (37, 3)


def test_persons_are_counted_once_however_many_rows_they_have() -> None:
    who = [*range(40), *range(20)]
    table = table_of(
        {"x": [i % 10 + 0.5 for i in who], "g": ["ab"[i % 2] for i in who], "who": who}, "who"
    )
    how = asked(["x", "g"], unit="who", limits={"x": [0, 10]})
    axes = [*cut(table, how).values()]

    found = cells_of(counted_cells(table, axes), axes, 4)

    assert found.tolist() == [[4, 0], [0, 4]] * 5


# --- orders -----------------------------------------------------------------------------------

ALLOWED: dict[str, tuple[list[str], list[str]]] = {
    "nothing is sensitive": (["near", "ill", "ward", "far"], []),
    "the secret last, beside a number that tells nothing": (["near", "far", "ill"], ["ill"]),
    "any of those that cannot be told apart": (["near", "far off", "far", "ill"], ["ill"]),
    "a number that is a secret": (["ill", "far", "far off"], ["far off"]),
    "two secrets, side by side at the end": (["ward", "far", "ill", "arm"], ["ill", "arm"]),
    "one number": (["ward", "near", "ill"], ["ill"]),
}


@pytest.mark.parametrize(("columns", "sensitive"), ALLOWED.values(), ids=ALLOWED)
def test_an_allowed_order_is_left_alone(columns: list[str], sensitive: list[str]) -> None:
    how = asked(columns, *sensitive)
    check_order(TABLE, how, cut(TABLE, how))


REFUSED: dict[str, tuple[list[str], list[str], str, list[str]]] = {
    # columns, sensitive, the reason, the nearest allowed order
    "not last": (
        ["near", "ill", "far"],
        ["ill"],
        "'ill' must come last, after 'far'",
        ["near", "far", "ill"],
    ),
    "beside levels": (
        ["near", "far", "ward", "ill"],
        ["ill"],
        "categorical axis 'ward' must not stand next to sensitive axis 'ill'",
        ["near", "ward", "far", "ill"],
    ),
    "beside what tells much of it": (
        ["far", "near", "ill"],
        ["ill"],
        "axis 'near' reveals too much about sensitive axis 'ill'",
        ["near", "far", "ill"],
    ),
    "one of two not last": (
        ["ill", "far", "arm"],
        ["ill", "arm"],
        "'ill' must come last, after 'far'",
        ["far", "ill", "arm"],
    ),
}


@pytest.mark.parametrize(
    ("columns", "sensitive", "reason", "nearest"), REFUSED.values(), ids=REFUSED
)
def test_an_order_that_breaks_a_rule_is_refused_with_the_nearest(
    columns: list[str], sensitive: list[str], reason: str, nearest: list[str]
) -> None:
    how = asked(columns, *sensitive)

    with pytest.raises(RefusedError, match="; the nearest allowed order is ") as told:
        check_order(TABLE, how, cut(TABLE, how))
    assert reason in str(told.value)
    assert str(told.value).endswith(", ".join(map(repr, nearest)))
    again = asked(nearest, *sensitive)
    check_order(TABLE, again, cut(TABLE, again))


def test_levels_alone_cannot_stand_beside_a_secret() -> None:
    how = asked(["ward", "ill"], "ill")

    for call in (check_order, proposed_order, rules_of_order):
        with pytest.raises(RefusedError, match="and there is none; add a continuous column"):
            call(TABLE, how, cut(TABLE, how))


@pytest.mark.parametrize(
    ("columns", "sensitive", "reason", "nearest"), REFUSED.values(), ids=REFUSED
)
def test_every_order_is_judged_by_what_was_measured_once(
    columns: list[str], sensitive: list[str], reason: str, nearest: list[str]
) -> None:
    how = asked(columns, *sensitive)
    broken, found = rules_of_order(TABLE, how, cut(TABLE, how))

    assert found == tuple(nearest)
    assert reason in "; ".join(broken(columns))
    assert broken(nearest) == ()
    for order in itertools.permutations(columns):
        again = asked(order, *sensitive)
        if broken(order):
            with pytest.raises(RefusedError, match="; the nearest allowed order is ") as told:
                check_order(TABLE, again, cut(TABLE, again))
            assert str(told.value).startswith("; ".join(broken(order)))
        else:
            check_order(TABLE, again, cut(TABLE, again))


def test_an_order_that_is_allowed_is_the_nearest() -> None:
    for columns, sensitive in ALLOWED.values():
        how = asked(columns, *sensitive)
        broken, nearest = rules_of_order(TABLE, how, cut(TABLE, how))
        assert (broken(columns), nearest) == ((), tuple(columns))


PROPOSED: dict[str, tuple[list[str], list[str], list[str]]] = {
    "kinds in turn": (["near", "far", "arm", "ward"], [], ["near", "arm", "far", "ward"]),
    "the secret last, and beside it what tells nothing": (
        ["ill", "far", "near", "ward"],
        ["ill"],
        ["near", "ward", "far", "ill"],
    ),
    "two secrets": (["arm", "ill", "far", "ward"], ["ill", "arm"], ["ward", "far", "arm", "ill"]),
}


@pytest.mark.parametrize(("columns", "sensitive", "order"), PROPOSED.values(), ids=PROPOSED)
def test_an_order_is_proposed(columns: list[str], sensitive: list[str], order: list[str]) -> None:
    how = asked(columns, *sensitive)
    assert proposed_order(TABLE, how, cut(TABLE, how)) == tuple(order)


def test_the_order_of_rows_does_not_matter() -> None:
    turned = table_of({name: values[::-1] for name, values in COLUMNS.items()})
    for columns in itertools.permutations(["near", "far", "far off", "ill"]):
        how = asked(columns, "ill")
        assert proposed_order(turned, how, cut(turned, how)) == proposed_order(
            TABLE, how, cut(TABLE, how)
        )


def test_what_an_axis_tells_is_measured_on_enough_persons() -> None:
    # each column has 60 values, and the two together 20
    lost = [math.nan] * 20
    x = [*range(40), *lost]
    ill = [math.nan if i < 20 else float(i % 9) for i in range(60)]
    table = table_of({"x": [float(v) for v in x], "ill": ill})
    how = asked(["x", "ill"], "ill")

    with pytest.raises(RefusedError, match="columns 'x', 'ill' have too few complete rows"):
        check_order(table, how, cut(table, how))


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 11)), min_size=1, max_size=60),
    st.lists(st.booleans(), min_size=9, max_size=9),
)
def test_a_sum_of_cells_never_makes_several_of_one_person(
    pairs: list[tuple[int, int]], chosen: list[bool]
) -> None:
    cells, persons = np.array(sorted(set(pairs))).T
    found = PersonsInCells((3, 3), cells, persons)

    for least in (2, 3, 5):
        counts = found.counts(least)
        within = np.array(chosen)
        held = len(set(persons[within[cells]].tolist()))
        total = int(counts.ravel()[within].sum())
        assert min(total, least) <= held
        for cell in range(9):
            many = len(set(persons[cells == cell].tolist()))
            assert counts.ravel()[cell] == many or max(many, counts.ravel()[cell]) < least
    kept = found.within(np.array(chosen).reshape(3, 3))
    assert kept.people == held
