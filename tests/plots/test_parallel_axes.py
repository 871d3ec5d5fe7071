"""Axes cut into cells of at least k rows, and into pixels, by hand."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods.counts import merged_bins
from discreet.plots import How, ParallelAxis
from discreet.plots.counts import Levels
from discreet.plots.parallel import ParallelPlot
from discreet.plots.parallel_axes import (
    CELL_PIXELS,
    AxesRequest,
    CellAxis,
    PixelAxis,
    axes_to_order,
    cell_axis,
    cells_of,
    check_named,
    check_order,
    counted_cells,
    pixel_axis,
    proposed_order,
)
from discreet.table import Table, open_table

Sensitive = Mapping[str, tuple[str, ...]]
LIMITS = {"x": [0, 100]}


def table_of(ordered: Sensitive | None = None, **columns: Sequence[Any]) -> Table:
    """Put columns behind a table, whose levels may be `ordered`."""
    frame = pa.table({name: pa.array(values) for name, values in columns.items()})
    return open_table(frame, kinds={}, roles={}, unit=None, key=None, ordered=ordered or {})


def asked(
    *columns: str, pixels: int = 100, sensitive: Sensitive | None = None, **fields: Any
) -> AxesRequest:
    """Ask for axes of k = 3."""
    k, given = fields.pop("k", 3), {"bins": max(2, pixels // CELL_PIXELS), "diversity": 2, **fields}
    plot = ParallelPlot(columns, pixels=pixels, sensitive=sensitive or {}, **given)
    return plot.request(How("none", k=k))


def cut(table: Table, name: str, **how: Any) -> CellAxis:
    """Cut the axis of one column into cells."""
    return cell_axis(table, asked(name, **how), name)


# --- cells of numbers -------------------------------------------------------------------------

# Persons in each tenth of the axis, and the pixels between which the cells lie.
CUT: dict[str, tuple[list[int], list[int]]] = {
    "k in each": ([3] * 10, [*range(0, 101, 10)]),
    "small ones join those after them": ([4, 2, 0, 7, 1, 5, 1, 1, 5, 4], [0, 10, 40, 60, 90, 100]),
    "the last of all join what is before them": (
        [10, 10, 8, 0, 0, 0, 0, 0, 1, 1],
        [0, 10, 20, 100],
    ),
    "just k at the end": ([10, 10, 7, 0, 0, 0, 0, 0, 1, 2], [0, 10, 20, 30, 100]),
    "nobody at the ends": ([0, 0, 15, 0, 0, 0, 0, 15, 0, 0], [0, 70, 100]),
    "two halves": ([2, 2, 2, 2, 2, 3, 3, 3, 2, 9], [0, 20, 40, 60, 70, 80, 100]),
}


def tenths(held: Sequence[int]) -> list[float]:
    """Make so many persons in each tenth from 0 to 100, none on an edge."""
    return [10 * i + (j + 1) * 9 / (n + 1) for i, n in enumerate(held) for j in range(n)]


@pytest.mark.parametrize(("held", "edges"), CUT.values(), ids=CUT)
def test_cells_are_joined_until_each_holds_k(held: list[int], edges: list[int]) -> None:
    axis = cut(table_of(x=tenths(held)), "x", limits=LIMITS)
    assert axis.edges.tolist() == edges
    assert axis.cells == len(edges) - 1
    assert axis.shown == ParallelAxis("x", "continuous", 0.0, 100.0)
    assert axis.levels is None
    assert axis.bins is not None
    assert axis.cell_of_bin is not None
    assert len(axis.cell_of_bin) == axis.bins.bins == 10
    cells = axis.cell_of_bin[axis.bins.places(np.array(tenths(held)))]
    assert np.bincount(cells).min() >= 3


def test_persons_beyond_declared_limits_are_in_the_end_cells() -> None:
    inside = tenths([0, 4, 4, 4, 4, 4, 4, 4, 0, 0])
    axis = cut(table_of(x=[*inside, -5.0, -1e9, 100.0, 1e9]), "x", limits=LIMITS)
    # two at the foot join the four after them; two at the head join the last four
    assert axis.edges.tolist() == [0, 20, 30, 40, 50, 60, 70, 100]


@pytest.mark.parametrize("levels", [2, 9])
def test_whole_numbers_have_cells(levels: int) -> None:
    axis = cut(table_of(x=[i for i in range(levels) for _ in range(30 // levels + 3)]), "x")
    assert (axis.shown.low, axis.shown.high, axis.shown.whole) == (0, levels - 1, True)
    assert axis.cells == levels
    assert axis.bins is not None
    assert axis.cell_of_bin is not None
    of_number = axis.cell_of_bin[axis.bins.places(np.arange(float(levels)))]
    assert of_number.tolist() == [*range(levels)]


def test_all_on_one_place_is_refused_by_name_and_without_a_number() -> None:
    for held in ([28, 0, 0, 0, 0, 0, 0, 0, 1, 1], [30, *[0] * 9], [0] * 9 + [30]):
        with pytest.raises(RefusedError, match=r"^the values of 'x' all lie at one place") as told:
            cut(table_of(x=tenths(held)), "x", limits=LIMITS)
        assert "30" not in str(told.value)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(RefusedError, match="all bins together hold fewer than k rows"):
        cut(table_of(x=[1.0, 2.0]), "x")
    with pytest.raises(RefusedError, match="column 'x' is constant, so"):
        cut(table_of(x=[1.5] * 40), "x")


@given(
    st.lists(st.integers(0, 9), min_size=10, max_size=10).filter(lambda held: sum(held) >= 5),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_every_cell_holds_k_persons_whatever_the_order(
    held: list[int], k: int, random: Any
) -> None:
    values = tenths(held)
    joined = merged_bins(np.array(held), k)  # which has a twin of its own in tests/methods
    try:
        axis = cut(table_of(x=values), "x", limits=LIMITS, k=k)
    except RefusedError:
        assert joined.max() == 0
        return
    random.shuffle(values)
    again = cut(table_of(x=values), "x", limits=LIMITS, k=k)
    assert again.edges.tolist() == axis.edges.tolist()
    firsts = np.flatnonzero(np.diff(joined, prepend=-1))
    assert axis.edges.tolist() == [*(10 * firsts).tolist(), 100]
    for low, high in zip(axis.edges, axis.edges[1:], strict=False):
        assert sum(low <= value < high for value in values) >= k


# --- cells of levels --------------------------------------------------------------------------

WARDS: list[str | None] = [*"a" * 12, *"b" * 10, *"c" * 5, *"d" * 2, "e"]
LEVELED: dict[str, tuple[list[str | None], Sensitive, tuple[str, ...]]] = {
    "small ones are joined": (WARDS, {}, ("a", "b", "c", "other")),
    "a declared order": (WARDS, {"g": ("c", "b", "a")}, ("c", "b", "a", "other")),
    "those that are not declared come after": (WARDS, {"g": ("c",)}, ("c", "a", "b", "other")),
    "declared levels that nobody has, or too few": (
        WARDS,
        {"g": ("z", "e", "b", "d", "a")},
        ("b", "a", "c", "other"),
    ),
    "missing values are a level": (
        [*WARDS[:27], None, None, None],
        {},
        ("a", "b", "c", "(missing)"),
    ),
    "few missing values are joined": (
        [*WARDS[:27], None, "d", "e"],
        {"g": ("b", "a")},
        ("b", "a", "c", "other"),
    ),
}


@pytest.mark.parametrize(("wards", "ordered", "names"), LEVELED.values(), ids=LEVELED)
def test_levels_have_bands_in_their_order(
    wards: list[str | None], ordered: Sensitive, names: tuple[str, ...]
) -> None:
    axis = cut(table_of(ordered, g=wards), "g")
    bands = ((0, 25), (25, 50), (50, 75), (75, 100))
    assert axis.shown == ParallelAxis("g", "categorical", None, None, names, bands)
    assert axis.edges.tolist() == [0, 25, 50, 75, 100]
    assert axis.cells == 4
    assert (axis.bins, axis.cell_of_bin) == (None, None)
    assert axis.levels is not None
    for ward in {*wards}:
        shown = "(missing)" if ward is None else ward
        place = names.index(shown if shown in names else "other")
        assert axis.levels.at([ward or ""]) == (place,)


def test_one_level_and_too_many_levels_are_refused() -> None:
    with pytest.raises(RefusedError, match="the values of 'g' all lie at one place of its axis"):
        cut(table_of(g=["a"] * 40), "g")
    with pytest.raises(RefusedError, match="the values of 'g' all lie at one place of its axis"):
        cut(table_of(g=[*"a" * 38, "b", "c"]), "g")  # two of them are joined with all
    many = table_of(g=[f"g{i:02}" for i in range(51)] * 3)
    assert cut(many, "g", pixels=100).cells == 51
    with pytest.raises(RefusedError, match="column 'g' has more levels than its axis has room for"):
        cut(many, "g", pixels=50)


def test_a_sensitive_axis_says_so() -> None:
    table = table_of(x=tenths([3] * 10), g=[*"abc"] * 10)
    for name in ("x", "g"):
        assert cut(table, name, limits=LIMITS, sensitive={name: ()}).shown.sensitive is True
        assert cut(table, name, limits=LIMITS, sensitive={"y": ()}).shown.sensitive is False


# --- pixels -----------------------------------------------------------------------------------


def pixeled(table: Table, name: str, **how: Any) -> PixelAxis:
    """Say which pixels a column has under `research`."""
    return pixel_axis(table, asked(name, **how), name)


PIXELS: dict[str, tuple[list[float], dict[str, Any], list[int]]] = {
    # values, limits, pixels of 50
    "declared limits": (
        [0.0, 1.9, 2.0, 50.0, 99.9],
        {"limits": {"x": [0, 100]}},
        [0, 0, 1, 25, 49],
    ),
    "what lies beyond them is at the ends": (
        [-7.0, 100.0, 1e300, 98.0],
        {"limits": {"x": [0, 100]}},
        [0, 49, 49, 49],
    ),
    "the observed range": ([10.0, 11.0, 35.5, 59.5, 60.0], {}, [0, 1, 25, 49, 49]),
    "the observed range of whole numbers": ([1.0, 2.0, 51.0], {}, [0, 1, 49]),
}


@pytest.mark.parametrize(("values", "fields", "pixels"), PIXELS.values(), ids=PIXELS)
def test_numbers_have_pixels(
    values: list[float], fields: dict[str, Any], pixels: list[int]
) -> None:
    axis = pixeled(table_of(x=values), "x", pixels=50, **fields)
    assert axis.pixels(np.array(values)).tolist() == pixels
    assert axis.shown.kind == "continuous"
    low, high = fields.get("limits", {"x": (min(values), max(values))})["x"]
    assert (axis.shown.low, axis.shown.high) == (low, high)


def test_research_names_single_persons_and_has_a_pixel_for_each_level() -> None:
    many = table_of(g=[f"g{i:02}" for i in range(50)])
    assert len(pixeled(many, "g", pixels=50).shown.levels) == 50
    with pytest.raises(RefusedError, match="column 'g' has more levels than its axis has room for"):
        pixeled(table_of(g=[f"g{i:02}" for i in range(51)]), "g", pixels=50)
    with pytest.raises(RefusedError, match="the values of 'g' all lie at one place of its axis"):
        pixeled(table_of(g=["a"] * 5), "g")
    with pytest.raises(RefusedError, match="column 'x' is constant"):
        pixeled(table_of(x=[1.5] * 5), "x")


def test_data_that_changed_have_no_pixel() -> None:
    axis = pixeled(table_of(g=["a", "b"]), "g")
    with pytest.raises(InputError, match="the data changed while they were being read"):
        axis.pixels(("a", "c"))
    with pytest.raises(BrokenPromiseError, match="an axis has neither bins nor levels"):
        PixelAxis(axis.shown).pixels(np.array([1.0]))


# --- what is asked of them --------------------------------------------------------------------

NUMBER = ParallelAxis("x", "continuous", 0.0, 1.0)
LEVELS = ParallelAxis("g", "categorical", None, None, ("1", "2", "other"), ((0, 1),) * 3)
OF_LEVELS = Levels(LEVELS.levels, {"1": 0, "2": 1, "3": 2, "4": 2})
AXES = [PixelAxis(NUMBER), PixelAxis(LEVELS, levels=OF_LEVELS)]


def test_sensitive_values_are_levels_of_their_axis() -> None:
    check_named(AXES, {})
    check_named(AXES, {"x": (), "g": ()})
    check_named(AXES, {"g": ("2", "1")})
    for named in (("3",), ("1", "3"), ("",), (" 1",)):
        with pytest.raises(InputError, match=r"a sensitive value of 'g' is not on its axis"):
            check_named(AXES, {"g": named})
    with pytest.raises(InputError, match=r"of 'x' must be levels, .* kinds=\{'x': 'categorical'\}"):
        check_named(AXES, {"x": ("1",)})


def test_no_value_is_no_sensitive_value() -> None:
    axis = pixeled(table_of(g=["a", "b", None] * 9), "g")
    assert axis.shown.levels == ("a", "b", "(missing)")
    check_named([axis], {"g": ("a",)})
    with pytest.raises(InputError, match="a sensitive value of 'g' is not on its axis"):
        check_named([axis], {"g": ("(missing)",)})


def test_cells_are_the_bins_of_the_histogram_and_no_narrower_than_ten_pixels() -> None:
    values = [float(i) for i in range(1000)]
    limits = {"x": [0, 1000]}
    assert cut(table_of(x=values), "x", pixels=400, limits=limits, bins=20).cells == 20
    fine = cut(table_of(x=values), "x", pixels=400, limits=limits, bins=100)
    assert fine.edges.tolist() == [*range(0, 385, 12), 400], "three bins of four pixels each"
    assert np.diff(fine.edges).min() >= CELL_PIXELS


# --- the order of axes ---------------------------------------------------------------------------

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


def table_of_in_order(columns: Mapping[str, Any] = COLUMNS) -> Table:
    """Put columns behind a table."""
    frame = pa.table({name: pa.array(values) for name, values in columns.items()})
    return open_table(frame, kinds={}, roles={}, unit=None, key=None)


TABLE = table_of_in_order()


def asked_in_order(columns: Sequence[str], *sensitive: str, **fields: Any) -> AxesRequest:
    """Ask for axes of 100 pixels, k = 3."""
    return asked(*columns, sensitive=dict.fromkeys(sensitive, ()), **fields)


def cut_in_order(table: Table, how: AxesRequest) -> dict[str, CellAxis]:
    """Cut the axes that are asked for."""
    return {name: cell_axis(table, how, name) for name in how.names}


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


@pytest.mark.parametrize("names", [("near", "ward", "far"), ("arm", "far", "ward")], ids=str)
def test_cells_are_counted_in_the_order_of_the_axes(names: tuple[str, ...]) -> None:
    how = asked_in_order(names, limits={"near": [-1, 4], "far": [-3, 3]})
    axes = [*cut_in_order(TABLE, how).values()]
    found = cells_of(counted_cells(TABLE, axes), axes)
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
    table = table_of_in_order(columns)
    axes = [*cut_in_order(table, asked_in_order(["x", "g"])).values()]
    assert int(cells_of(counted_cells(table, axes), axes).sum()) == 40
    axes = [*cut_in_order(table, asked_in_order(["x", "y", "g"])).values()]
    counted = counted_cells(table, axes)
    assert (int(cells_of(counted, axes).sum()), counted.left_out) == (37, 3)


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
    how = asked_in_order(columns, *sensitive)
    check_order(TABLE, how, axes_to_order(TABLE, how))


REFUSED: dict[str, tuple[list[str], list[str], str, list[str]]] = {
    # columns, sensitive, the reason, the nearest allowed order
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
}


@pytest.mark.parametrize(
    ("columns", "sensitive", "reason", "nearest"), REFUSED.values(), ids=REFUSED
)
def test_an_order_that_breaks_a_rule_is_refused_with_the_nearest(
    columns: list[str], sensitive: list[str], reason: str, nearest: list[str]
) -> None:
    how = asked_in_order(columns, *sensitive)
    with pytest.raises(RefusedError, match="; the nearest allowed order is ") as told:
        check_order(TABLE, how, axes_to_order(TABLE, how))
    assert reason in str(told.value)
    assert str(told.value).endswith(", ".join(map(repr, nearest)))
    again = asked_in_order(nearest, *sensitive)
    check_order(TABLE, again, axes_to_order(TABLE, again))


def test_levels_alone_cannot_stand_beside_a_secret() -> None:
    how = asked_in_order(["ward", "ill"], "ill")
    for call in (check_order, proposed_order):
        with pytest.raises(RefusedError, match="and there is none; add a continuous column"):
            call(TABLE, how, axes_to_order(TABLE, how))


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
    how = asked_in_order(columns, *sensitive)
    assert proposed_order(TABLE, how, axes_to_order(TABLE, how)) == tuple(order)


def test_the_order_of_rows_does_not_matter() -> None:
    turned = table_of_in_order({name: values[::-1] for name, values in COLUMNS.items()})
    for columns in [*itertools.permutations(["near", "far", "far off", "ill"])][::7]:
        how = asked_in_order(columns, "ill")
        assert proposed_order(turned, how, axes_to_order(turned, how)) == proposed_order(
            TABLE, how, axes_to_order(TABLE, how)
        )
