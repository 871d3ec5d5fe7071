"""Clusters of records and pixels, by hand on a few records, and counted again on more."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.plots import How, ParallelAxis, ParallelView
from discreet.plots.parallel import Gap, ParallelPlot
from discreet.table import Table, open_table
from tests.plots.cases import OF_RECORDS, table_of

Columns = Mapping[str, Sequence[Any]]
Whole = NDArray[np.int64]


def drawn(
    columns: Columns,
    names: Sequence[str] = (),
    *,
    sensitive: Mapping[str, tuple[str, ...]] | None = None,
    diversity: int = 2,
    pixels: int = 10,
    method: str = "k-member",
    cost: str = "smaller",
    table: Table | None = None,
    **fields: Any,
) -> ParallelView:
    """Draw parallel coordinates of records; numbers are pixels where `pixels` says so."""
    chosen = tuple(names) or tuple(columns)
    limits = {
        name: [0, pixels]
        for name in chosen
        if not any(isinstance(value, str) for value in columns[name])
    }
    how = How(method, k=fields.pop("k", 3))
    given: dict[str, Any] = {"limits": limits, "sensitive": sensitive or {}, **fields}
    plot = ParallelPlot(chosen, pixels=pixels, diversity=diversity, cost=cost, **given)
    return plot.from_counts(table or table_of(columns), how, OF_RECORDS)


# --- by hand ----------------------------------------------------------------------------------

SEVEN: Columns = {
    "x": [0.0, 0.0, 1.0, 8.0, 9.0, 9.0, 5.0],
    "y": [2.0, 3.0, 2.0, 7.0, 7.0, 9.0, 5.0],
    "z": [0.0, 0.0, 9.0, 9.0, 9.0, 9.0, 0.0],
}


def test_pairs_are_clustered_one_by_one_and_light_up_where_they_share_a_record() -> None:
    view = drawn(SEVEN)
    # x and y: the first three, and the four others.
    # y and z, by convergence to 0 first: those at y = 2, 3, 5; two at 7 with that at 9; what is
    # left over, at (2, 9), joins those.
    assert view.clusters == (((0, 2, 2, 4), (5, 10, 5, 10)), ((2, 6, 0, 1), (2, 10, 9, 10)))
    assert view.sizes == ((3, 4), (3, 4))
    assert view.joins == (((0, 0), (0, 1), (1, 0), (1, 1)),)
    assert view.axes[0] == ParallelAxis("x", "continuous", 0.0, 10.0)
    assert (view.pixels, view.columns, view.method) == (10, ("x", "y", "z"), "k-member")
    assert view.parameters == {"k": 3, "pixels": 10}
    assert (view.suppressed, view.origin) == (0, replace(OF_RECORDS, shown=7, total=7))


def test_records_by_themselves_are_strands() -> None:
    view = drawn({**SEVEN, "x": [0.0, 0.0, 0.0, 8.0, 9.0, 9.0, 5.0]}, method="none")
    assert view.clusters == (
        ((0, 1, 2, 3), (0, 1, 3, 4), (5, 6, 5, 6), (8, 9, 7, 8), (9, 10, 7, 8), (9, 10, 9, 10)),
        ((2, 3, 0, 1), (2, 3, 9, 10), (3, 4, 0, 1), (5, 6, 0, 1), (7, 8, 9, 10), (9, 10, 9, 10)),
    )
    assert view.sizes == ((2, 1, 1, 1, 1, 1), (1, 1, 1, 1, 2, 1))
    assert view.joins == (((0, 0), (0, 1), (1, 2), (2, 3), (3, 4), (4, 4), (5, 5)),)
    assert view.parameters == {"pixels": 10}


def test_over_all_axes_at_once_each_path_is_one_cluster() -> None:
    view = drawn(SEVEN, method="k-member-joint")
    # all paths of clusters are those of whole clusters
    assert view.sizes is not None
    assert sorted(view.sizes[0]) == sorted(view.sizes[1]) == [3, 4]
    assert len(view.joins[0]) == 2


@pytest.mark.parametrize("method", ["k-member", "k-member-joint"])
def test_all_are_one_cluster_where_there_are_fewer_than_two_k(method: str) -> None:
    view = drawn(SEVEN, method=method, k=4)
    assert view.clusters == (((0, 10, 2, 10),), ((2, 10, 0, 10),))
    assert view.sizes == ((7,), (7,))
    assert view.joins == (((0, 0),),)
    assert drawn(SEVEN, method=method, k=7) == replace(view, parameters={"k": 7, "pixels": 10})


def test_clusters_alike_are_all_there_with_their_sizes() -> None:
    columns = {"x": [1.0] * 9 + [7.0] * 5, "y": [2.0] * 9 + [4.0] * 5}
    view = drawn(columns)
    assert view.clusters == (((1, 2, 2, 3),) * 3 + ((7, 8, 4, 5),),)
    assert view.sizes == ((3, 3, 3, 5),)


def test_missing_numbers_leave_a_record_out_and_missing_levels_do_not() -> None:
    columns = {
        "x": [*SEVEN["x"], None, math.nan, math.inf, None, None],
        "y": [*SEVEN["y"], *[1.0] * 5],
        "g": [*"aaabbb", None, *"ababa"],
    }
    view = drawn(columns)
    assert view.sizes is not None
    assert sum(view.sizes[0]) == sum(view.sizes[1]) == 7
    assert view.clusters[0] == drawn(SEVEN, ["x", "y"]).clusters[0]
    assert view.axes[2].levels == ("a", "b", "(missing)")
    assert (view.origin.shown, view.origin.total) == (7, 12)


def test_the_joins_of_equal_bins_do_not_depend_on_the_order_of_rows() -> None:
    # two records share a bin on the left axes and are told apart by the third
    rows = [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (2.0, 1.0, 1.0), (0.0, 1.0, 0.0)]
    views = [
        drawn(dict(zip("xyz", map(list, zip(*order, strict=True)), strict=True)), k=2, pixels=3)
        for order in itertools.permutations(rows)
    ]
    assert all(view == views[0] for view in views)


def test_a_gap_does_not_print_its_records() -> None:
    gap = Gap(np.array([[0, 1, 2, 3]]), np.zeros(5, dtype=np.intp))
    assert repr(gap) == "Gap(1 clusters)"


# --- diversity --------------------------------------------------------------------------------


def secretive(levels: str, n: int = 48) -> Columns:
    """Make records of levels in turn, beside a number that tells nothing of them."""
    return {
        "g": [[*"uv"][(i // 3) % 2] for i in range(n)],
        "y": [float((7 * i) % n) for i in range(n)],
        "ill": [levels[i % len(levels)] for i in range(n)],
    }


def lit_levels(view: ParallelView, columns: Columns) -> list[set[str]]:
    """Return the levels in the boxes that each cluster of the first gap is lit with."""
    ill = pixel_of(view.axes[2], columns["ill"], view.pixels)
    y = pixel_of(view.axes[1], columns["y"], view.pixels)
    found = []
    for cluster in range(len(view.clusters[0])):
        boxes = [view.clusters[1][other] for one, other in view.joins[0] if one == cluster]
        found.append(
            {
                str(level)
                for level, place, at in zip(columns["ill"], ill, y, strict=True)
                if any(a <= at < b and c <= place < d for a, b, c, d in boxes)
            }
        )
    return found


@pytest.mark.parametrize(("levels", "diversity"), [("abc", 2), ("abcd", 3), ("abcd", 2)])
def test_every_cluster_is_lit_with_enough_levels_or_with_none(levels: str, diversity: int) -> None:
    columns = secretive(levels)
    view = drawn(columns, sensitive={"ill": ()}, diversity=diversity, pixels=48)
    assert view.joins[0]
    for seen in lit_levels(view, columns):
        assert not seen or len(seen) >= diversity
    assert view.parameters == {"k": 3, "pixels": 48, "l": diversity}


@pytest.mark.parametrize(("levels", "diversity"), [("ab", 2), ("abc", 3), ("abcd", 4)])
def test_nothing_is_lit_where_diversity_hides_nothing(levels: str, diversity: int) -> None:
    view = drawn(secretive(levels), sensitive={"ill": ()}, diversity=diversity, pixels=48)
    assert view.joins == ((),)
    assert view.clusters[1], "clusters are drawn as the paper has them"


def test_only_clusters_with_a_named_value_are_treated() -> None:
    # levels lie in runs, so that most clusters reach one level
    columns = {**secretive("a"), "ill": [*"a" * 14, *"b" * 12, *"c" * 12, *"d" * 10]}
    columns["y"] = [float(i) for i in range(48)]
    plain = drawn(columns, pixels=48)
    all_ = drawn(columns, pixels=48, sensitive={"ill": ()})
    one = drawn(columns, pixels=48, sensitive={"ill": ("d",)})

    assert plain.clusters == all_.clusters == one.clusters
    assert one.joins != plain.joins
    assert one.joins != all_.joins
    assert one.parameters["sensitive"] == "ill = d"
    # no record of d is in a cluster below the middle
    low = [at for at, box in enumerate(one.clusters[0]) if box[3] <= 30]
    assert low
    for at in low:
        assert [pair for pair in one.joins[0] if pair[0] == at] == [
            pair for pair in plain.joins[0] if pair[0] == at
        ]


# --- refused ----------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Columns, dict[str, Any], str]] = {
    "k above n": (SEVEN, {"k": 8}, "fewer complete records than k; choose a smaller k"),
    "k above the complete": (
        {**SEVEN, "x": [None, None, None, *SEVEN["x"][3:]]},
        {"k": 5},
        "fewer complete records than k",
    ),
    "k above n, all at once": (SEVEN, {"k": 8, "method": "k-member-joint"}, "fewer complete recor"),
    "k above n, beside a secret": (
        secretive("abcd", 12),
        {"k": 13, "pixels": 20, "sensitive": {"ill": ()}},
        "fewer complete records than k",
    ),
    "all on one pixel": (
        {**SEVEN, "y": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]},
        {},
        "the values of 'y' all lie at one place of its axis",
    ),
    "complete records on one pixel": (
        {"x": [None, 1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0, 4.0]},
        {},
        "the values of 'x' all lie at one place of its axis",
    ),
    "one value": ({**SEVEN, "y": [1.5] * 7}, {"limits": {}}, "column 'y' is constant"),
    "one level": ({**SEVEN, "g": ["a"] * 7}, {}, "the values of 'g' all lie at one place"),
    "nobody complete": (
        {"x": [1.0, 2.0, None, None], "y": [None, None, 1.0, 2.0]},
        {},
        "no row has values in all of 'x', 'y'",
    ),
    "a secret beside levels alone": (
        {"ill": secretive("abc")["ill"], "g": secretive("abc")["ill"]},
        {"sensitive": {"ill": ()}, "pixels": 48},
        "must stand next to a continuous axis that is not sensitive, and there is none",
    ),
}


@pytest.mark.parametrize(("columns", "how", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_drawn_is_refused(
    columns: Columns, how: dict[str, Any], message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        drawn(columns, **how)


def test_persons_with_several_rows_are_refused_with_advice() -> None:
    for who, enough in (([0, 0, 1, 2, 3, 4, 5], False), ([*range(7)], True)):
        frame = pa.table({**SEVEN, "who": who})
        table = open_table(frame, kinds={}, roles={}, unit="who", key=None)
        if enough:
            assert drawn(SEVEN, table=table) == drawn(SEVEN)
            continue
        with pytest.raises(
            RefusedError, match="several rows, and a cluster of records counts rows; make"
        ):
            drawn(SEVEN, table=table)


def test_what_is_no_secret_is_an_error() -> None:
    columns = secretive("abcd")
    with pytest.raises(InputError, match=r"the diversity \(l\) is more than the sensitive column"):
        drawn(columns, sensitive={"ill": ()}, diversity=5, pixels=48)
    with pytest.raises(InputError, match=r"the diversity \(l\) is more than the sensitive column"):
        drawn(columns, ["y", "ill"], sensitive={"ill": ()}, diversity=5, pixels=48)
    with pytest.raises(InputError, match="a sensitive value of 'ill' is not on its axis"):
        drawn(columns, sensitive={"ill": ("z",)}, pixels=48)


def test_more_clusters_than_can_be_drawn_are_refused() -> None:
    rng = np.random.default_rng(1)
    columns = {name: (400 * rng.random(24_000)).tolist() for name in "xy"}
    with pytest.raises(RefusedError, match="too many clusters to draw; choose a larger k, or few"):
        drawn(columns, pixels=400, method="none")
    assert len(drawn(columns, pixels=400, k=50).clusters[0]) == 480


# --- counted again ----------------------------------------------------------------------------


def pixel_of(axis: ParallelAxis, column: Sequence[Any], pixels: int) -> Whole:
    """Return the pixel of each record; -1 where it has none."""
    if axis.levels:
        bands = dict(zip(axis.levels, axis.bands, strict=True))
        names = ["(missing)" if value is None else value for value in column]
        return np.array([bands[name][0] for name in names])
    assert axis.low is not None
    assert axis.high is not None
    out = []
    for value in column:
        if value is None or not math.isfinite(value):
            out.append(-1)
            continue
        share = (value - axis.low) / (axis.high - axis.low)
        out.append(min(max(math.floor(share * pixels + 1e-9), 0), pixels - 1))
    return np.array(out)


@dataclass(frozen=True)
class Raw:
    """Records on a few axes, and how they are clustered."""

    columns: Columns
    how: Mapping[str, Any]

    def view(self, order: Sequence[int] | None = None) -> ParallelView:
        """Draw them, in another order of rows; pass over what is refused."""
        columns = self.columns
        if order is not None:
            columns = {name: [values[i] for i in order] for name, values in columns.items()}
        try:
            return drawn(columns, **self.how)
        except RefusedError:
            assume(False)
            raise


@st.composite
def raws(draw: st.DrawFn) -> Raw:
    """Draw few records on few pixels, so that many share them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, pixels = draw(st.integers(6, 60)), draw(st.sampled_from([5, 20, 100]))
    columns: dict[str, Any] = {}
    for name in draw(st.permutations(["x", "y", "g", "z"]))[: draw(st.integers(2, 4))]:
        lost = rng.random(n) < draw(st.sampled_from([0, 0, 0.05]))
        values = rng.choice([*"abc"], size=n) if name == "g" else rng.integers(0, pixels, size=n)
        columns[name] = [
            None if gone else str(value) if name == "g" else float(value)
            for gone, value in zip(lost, values, strict=True)
        ]
    how = {
        "k": draw(st.integers(2, 7)),
        "pixels": pixels,
        "method": draw(st.sampled_from(["k-member", "k-member", "k-member-joint", "none"])),
        "cost": draw(st.sampled_from(["seed", "span", "smaller"])),
    }
    return Raw(columns, how)


@given(raws())
def test_every_cluster_holds_k_and_every_edge_is_a_pixel_of_a_record(raw: Raw) -> None:
    view = raw.view()

    places = [pixel_of(axis, raw.columns[axis.name], view.pixels) for axis in view.axes]
    complete = np.all([place >= 0 for place in places], axis=0)
    least = 1 if view.method == "none" else raw.how["k"]
    assert view.sizes is not None
    inside: list[list[NDArray[np.bool_]]] = []
    for gap, (boxes, sizes) in enumerate(zip(view.clusters, view.sizes, strict=True)):
        left, right = places[gap], places[gap + 1]
        assert sum(sizes) == complete.sum(), "every record is in one cluster"
        assert min(sizes) >= least
        assert sorted(zip(boxes, sizes, strict=True)) == [*zip(boxes, sizes, strict=True)]
        inside.append([])
        for (a, b, c, d), size in zip(boxes, sizes, strict=True):
            of = complete & (a <= left) & (left < b) & (c <= right) & (right < d)
            assert of.sum() >= size
            assert {int(left[of].min()), int(left[of].max()) + 1} == {a, b}
            assert {int(right[of].min()), int(right[of].max()) + 1} == {c, d}
            inside[-1].append(of)
        covered = np.any(inside[-1], axis=0)
        assert (covered == complete).all()
    for i, joins in enumerate(view.joins):
        assert {one for one, _ in joins} == set(range(len(view.clusters[i])))
        assert {other for _, other in joins} == set(range(len(view.clusters[i + 1])))
        for one, other in joins:
            assert (inside[i][one] & inside[i + 1][other]).any()
    if view.method == "none":
        for i, sizes in enumerate(view.sizes):
            assert [int(of.sum()) for of in inside[i]] == [*sizes]


@given(raws(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(raw: Raw, random: Any) -> None:
    n = len(next(iter(raw.columns.values())))
    assert raw.view(random.sample(range(n), n)) == raw.view()


@given(raws())
def test_over_all_axes_at_once_every_path_is_shared_by_k(raw: Raw) -> None:
    together = replace(raw, how={**raw.how, "method": "k-member-joint"}).view()
    assert together.sizes is not None
    for i, joins in enumerate(together.joins):
        assert len(joins) == len(together.clusters[i]) == len(together.clusters[i + 1])
        for one, other in joins:
            assert together.sizes[i][one] == together.sizes[i + 1][other] >= raw.how["k"]
