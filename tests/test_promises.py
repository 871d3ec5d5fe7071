"""What is promised, counted again from the raw data by code that knows the drawn numbers alone."""

import json
import math
import os
import subprocess
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

import discreet as dc
from discreet import datasets
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.plots import (
    PLOTS,
    BarView,
    BoxView,
    ContourView,
    CrossTableView,
    GridView,
    HistogramView,
    MultiplesView,
    ParallelAxis,
    ParallelView,
    PointsView,
    View,
)
from discreet.policy import PRESETS, Policy
from discreet.study import Study

Floats = NDArray[np.float64]
Persons = dict[Any, list[tuple[float, ...]]]


@pytest.fixture(autouse=True)
def one_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same noise every time the tests run."""
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())


# --- random tables ----------------------------------------------------------------------------

COLUMNS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "one decimal": lambda rng, n: rng.normal(0, 0.4, size=n).round(1),
    "tenths": lambda rng, n: rng.integers(0, 11, size=n) / 10,
    "ages": lambda rng, n: rng.integers(18, 90, size=n).astype(float),
    "few whole numbers": lambda rng, n: rng.poisson(1.5, size=n).astype(float),
    "heavy": lambda rng, n: rng.lognormal(0, 2, size=n),
    "far records": lambda rng, n: np.where(rng.random(n) < 0.03, 1e6, rng.normal(size=n)),
    "a large constant": lambda rng, n: 1e6 + rng.normal(size=n),
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-12,
    "a heap at zero": lambda rng, n: np.where(rng.random(n) < 0.6, 0, rng.exponential(5, size=n)),
}
MISSING = (np.nan, np.inf, -np.inf)
NO_GATE = {"gate": 0, "sealer": 0}
"""In place of what a view is released by, which has another address in each process."""


@dataclass(frozen=True)
class Raw:
    """A raw table: two columns, and whose each row is where persons have several."""

    a: Floats
    b: Floats
    who: NDArray[np.intp] | None
    k: int

    def study(self, **fields: Any) -> Study:
        """Open it under `standard`."""
        columns: dict[str, Any] = {"a": self.a, "b": self.b}
        if self.who is not None:
            columns["who"] = self.who
            fields["unit"] = "who"
        return dc.open(
            pa.table(columns),
            Policy.preset("standard", k=self.k, **fields),
        )

    @property
    def everyone(self) -> int:
        """How many persons there are, with values or without."""
        return len(self.a) if self.who is None else len(set(self.who.tolist()))

    def persons(self, *names: str) -> Persons:
        """Return the complete cases of some columns, person by person."""
        held: Persons = defaultdict(list)
        columns = [getattr(self, name).tolist() for name in names]
        for place, row in enumerate(zip(*columns, strict=True)):
            if all(math.isfinite(value) for value in row):
                held[place if self.who is None else self.who[place]].append(row)
        return held


@st.composite
def tables(draw: Callable[..., Any], several_rows: bool = True) -> Raw:
    """Draw a table of at least 10 k persons."""
    k = draw(st.sampled_from([3, 5, 8]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(10 * k, 10 * k + 80))
    who = None
    if several_rows and draw(st.booleans()):
        who = np.concatenate([np.arange(n), rng.integers(0, n, size=draw(st.integers(1, n)))])
    rows = n if who is None else len(who)
    a, b = (COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))](rng, rows) for _ in range(2))
    share = draw(st.sampled_from([0, 0, 0.05]))
    for column in (a, b):
        column[rng.random(rows) < share] = draw(st.sampled_from(MISSING))
    return Raw(a, b, who, k)


def answer(study: Study, picture: str, columns: Sequence[str], how: dict[str, Any]) -> View:
    """Ask a study for a picture by its name."""
    given = [columns] if picture in ("correlations", "parallel") else columns
    view: View = getattr(study, picture)(*given, **how)
    return view


def looked_at(draw: Callable[[], View]) -> Any:
    """Draw a view; pass over tables that are refused."""
    try:
        return draw()
    except RefusedError:
        assume(False)


# --- bins and cells ---------------------------------------------------------------------------


def bin_of(value: float, edges: Sequence[float], bins: int) -> int:
    """Find the drawn bin of a value: end bins are open, a hair below an edge is on it."""
    hair = 2e-9 * (edges[-1] - edges[0]) / bins
    return min(max(bisect_right(edges, value + hair) - 1, 0), len(edges) - 2)


def check_told(persons: int, told: int | None, k: int) -> None:
    """Check what is told of a bin that holds so many persons."""
    if told is None:
        assert persons < k
    else:
        assert persons >= k
        assert told % 5 == 0
        assert abs(told - persons) <= 2


def check_note(
    view: View, shown: int, persons: int, k: int, counts: Sequence[int | None] = ()
) -> None:
    """Check how many are said to be shown: to 5, and no finer than k, or a count would follow."""
    step = 5 * -(-k // 5)
    told, total = view.origin.shown, view.origin.total
    assert told is not None
    assert total is not None
    assert told % step == total % step == 0
    bins = [count for count in counts if count]
    # Were nearly all counts rounded the same way, their sum would tell it; it is drawn in by 4.
    drawn_in = 4 if bins and abs(sum(bins) - shown) > 2 * len(bins) - 4 else 0
    off = step // 2 + drawn_in
    assert abs(told - shown) <= off
    assert abs(total - persons) <= off
    many = f"about {told:,} of {total:,}" if told else f"none of about {total:,}"
    assert [line for line in view.notes() if line.startswith(f"shown: {many} ")]


@given(tables(), st.sampled_from(["merge", "suppression", "generalization"]))
def test_every_bin_stands_on_k_persons(raw: Raw, method: str) -> None:
    view: HistogramView = looked_at(lambda: raw.study().histogram("a", method=method))

    held: dict[int, set[Any]] = defaultdict(set)
    for person, rows in raw.persons("a").items():
        for (value,) in rows:
            held[bin_of(value, view.edges, 20)].add(person)
    gaps = [place for place, told in enumerate(view.counts) if told is None]
    for place, told in enumerate(view.counts):
        # By `merge` nobody is hidden: who lies in a gap is counted in the larger bar beside it.
        beside = [gap for gap in gaps if abs(gap - place) == 1 and told and method == "merge"]
        chosen = [some for n in range(len(beside) + 1) for some in combinations(beside, n)]
        at = [len(held[place].union(*(held[gap] for gap in some))) for some in chosen]
        check_told(min(at, key=lambda n: abs(n - (told or 0))), told, raw.k)
    seen = {p for place in held if method == "merge" or place not in gaps for p in held[place]}
    check_note(view, len(seen), raw.everyone, raw.k, view.counts)
    shown = [d * w for d, w in zip(view.density, np.diff(view.edges), strict=True) if d is not None]
    assert not shown or sum(shown) == pytest.approx(1, abs=1e-4)
    assert list(view.edges) == sorted(set(view.edges))


@given(tables(), st.sampled_from(["suppression", "generalization"]))
def test_every_cell_stands_on_k_persons(raw: Raw, method: str) -> None:
    study = raw.study()
    view: GridView = looked_at(lambda: study.heatmap("a", "b", method=method))

    held: dict[tuple[int, int], set[Any]] = defaultdict(set)
    for person, rows in raw.persons("a", "b").items():
        for a, b in rows:
            x, y = bin_of(a, view.x_edges, 30), bin_of(b, view.y_edges, 30)
            held[x, y].add(person)
    for i, row in enumerate(view.counts):
        for j, told in enumerate(row):
            check_told(len(held[i, j]), told, raw.k)
    seen = {
        person
        for (i, j), persons in held.items()
        if view.counts[i][j] is not None
        for person in persons
    }
    check_note(view, len(seen), raw.everyone, raw.k, told_of(view))

    points: PointsView = study.scatter("a", "b", method=method)
    assert list(points.size) == [told for row in view.counts for told in row if told is not None]
    drawn = {
        (bin_of(x, view.x_edges, 30), bin_of(y, view.y_edges, 30))
        for x, y in zip(points.x, points.y, strict=True)
    }
    assert drawn == {
        (i, j) for i, row in enumerate(view.counts) for j, told in enumerate(row) if told
    }


def end_of(inward: Sequence[float], k: int) -> float:
    """Return the mean of k extreme values of which none makes up four fifths of their reach."""
    for start in range(k):
        reach = [abs(value - inward[start + k]) for value in inward[start : start + k]]
        if reach[0] <= 0.8 * math.fsum(reach):
            return math.fsum(inward[start : start + k]) / k
    return math.fsum(inward[k : 2 * k]) / k


def ends_of(raw: Raw, name: str) -> tuple[float, float]:
    """Return the means of k small and k large values, of k different persons each."""
    persons = raw.persons(name).values()
    lows = sorted(min(row[0] for row in rows) for rows in persons)
    highs = sorted((max(row[0] for row in rows) for rows in persons), reverse=True)
    return end_of(lows, raw.k), end_of(highs, raw.k)


@given(tables())
def test_limits_rest_on_k_persons_and_are_nice(raw: Raw) -> None:
    view: HistogramView = looked_at(lambda: raw.study().histogram("a", method="suppression"))

    low, high = ends_of(raw, "a")
    first, last = view.edges[0], view.edges[-1]
    finite = [row[0] for rows in raw.persons("a").values() for row in rows]
    if sum(value != math.floor(value) for value in finite) < raw.k:
        assert first % 1 == last % 1 == 0.5
        width = view.edges[1] - first
        assert math.floor(low) - 0.5 - width < first < low
        assert high < last < math.ceil(high) + 0.5 + width
        return
    span, hair = high - low, 1e-9 * max(abs(low), abs(high))
    assert low - 0.05 * span - hair <= first <= low + hair
    assert high - hair <= last <= high + 0.05 * span + hair
    # multiples of the step of 1, 2 or 5 next below a twentieth of the span
    power = 10.0 ** math.floor(math.log10(0.05 * span * (1 + 1e-9)))
    step = max(f * power for f in (1, 2, 5) if f * power <= 0.05 * span * (1 + 1e-9))
    for limit in (first, last):
        assert limit / step == pytest.approx(round(limit / step), abs=1e-6)


# --- boxes ------------------------------------------------------------------------------------


@given(tables(several_rows=False))
def test_every_box_number_is_the_mean_of_k_values_on_a_nice_step(raw: Raw) -> None:
    view: BoxView = looked_at(lambda: raw.study().box("a"))

    (box,) = view.groups
    assert (box.mean, box.outliers) == (None, ())
    ordered = sorted(row[0] for rows in raw.persons("a").values() for row in rows)
    runs = [
        (i + (raw.k - 1) / 2, math.fsum(ordered[i : i + raw.k]) / raw.k)
        for i in range(len(ordered) - raw.k + 1)
    ]
    low, high = ends_of(raw, "a")
    sd = float(np.std(np.clip(ordered, low, high), ddof=1))
    power = 10.0 ** math.floor(math.log10(0.02 * sd * (1 + 1e-9)))
    step = max(f * power for f in (1, 2, 5) if f * power <= 0.02 * sd * (1 + 1e-9))
    hair = 1e-9 * max(abs(low), abs(high), step)

    def rests_on(number: float, place: float) -> bool:
        nearest = min(abs(middle - place) for middle, _ in runs)
        means = [mean for middle, mean in runs if abs(middle - place) <= nearest + 1e-9]
        return any(abs(number - mean) <= step / 2 + hair for mean in means)

    last = len(ordered) - 1
    assert abs(box.low - low) <= step / 2 + hair
    assert abs(box.high - high) <= step / 2 + hair
    assert rests_on(box.q1, 0.25 * last)
    assert rests_on(box.median, 0.5 * last)
    assert rests_on(box.q3, 0.75 * last)
    for number in (box.low, box.q1, box.median, box.q3, box.high):
        assert abs(number / step - round(number / step)) <= 1e-6 * max(1, abs(number / step))


# --- rows -------------------------------------------------------------------------------------


@given(tables(), st.randoms())
def test_shuffled_rows_are_the_same_views(raw: Raw, random: Any) -> None:
    order = random.sample(range(len(raw.a)), len(raw.a))
    who = None if raw.who is None else raw.who[order]
    shuffled = Raw(raw.a[order], raw.b[order], who, raw.k)

    for picture, columns in (
        ("histogram", "a"),
        ("heatmap", "ab"),
        ("box", "ab"),
        ("scatter", "ab"),
    ):
        outcomes = []
        for table in (raw, shuffled):
            try:
                outcomes.append(repr(vars(getattr(table.study(), picture)(*columns)) | NO_GATE))
            except RefusedError as refused:
                outcomes.append(str(refused))
        assert outcomes[0] == outcomes[1]


# --- levels, under every guarded preset -------------------------------------------------------

GUARDED = [name for name in PRESETS if name != "research"]
# How likely the levels are: even ones, one that is rare, many that are.
LEVELS: dict[str, dict[str, float]] = {
    "two": {"f": 0.5, "m": 0.5},
    "uneven": {"a": 0.6, "b": 0.25, "c": 0.1, "d": 0.05},
    "one rare": {"a": 0.6, "b": 0.38, "c": 0.02},
    "many rare": {"a": 0.5, "b": 0.3, **{f"r{i}": 0.02 for i in range(10)}},
    "numbers": {"1": 0.4, "2": 0.3, "10": 0.2, "11": 0.1},
    "one": {"all": 1.0},
}


@dataclass(frozen=True)
class Leveled:
    """A raw table of numbers and two columns of levels, to be opened under one preset."""

    a: Floats
    b: Floats
    ward: tuple[str | None, ...]
    arm: tuple[str | None, ...]
    preset: str

    @property
    def policy(self) -> Policy:
        """The preset, with few enough cells for so few persons; each table is on its own."""
        return Policy.preset(self.preset, bins=8, grid=4, public=True)

    def study(self) -> Study:
        """Open it."""
        columns = {"a": self.a, "b": self.b, "ward": list(self.ward), "arm": list(self.arm)}
        return dc.open(pa.table(columns), self.policy)

    def shuffled(self, order: Sequence[int]) -> "Leveled":
        """Put its rows in another order."""
        ward, arm = (tuple(column[i] for i in order) for column in (self.ward, self.arm))
        return Leveled(self.a[order], self.b[order], ward, arm, self.preset)


@st.composite
def leveled(draw: Callable[..., Any], presets: Sequence[str] = GUARDED) -> Leveled:
    """Draw a table of at least 20 k persons."""
    preset = draw(st.sampled_from(presets))
    k = Policy.preset(preset).k
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(20 * k, 20 * k + 120))
    texts = []
    for _ in range(2):
        levels = LEVELS[draw(st.sampled_from(sorted(LEVELS)))]
        text = rng.choice([*levels], p=np.array([*levels.values()]) / sum(levels.values()), size=n)
        lost = rng.random(n) < draw(st.sampled_from([0, 0, 0.02, 0.2]))
        texts.append(tuple(None if gone else str(t) for gone, t in zip(lost, text, strict=True)))
    a = COLUMNS[draw(st.sampled_from(["normal", "ages", "one decimal", "a heap at zero"]))](rng, n)
    return Leveled(a, a + rng.normal(size=n), texts[0], texts[1], preset)


def named(raw: Sequence[str | None], shown: Sequence[str]) -> list[str]:
    """Return what each raw level is shown as: itself, or the one name that joins the small."""
    stored = ["(missing)" if level is None else level for level in raw]
    (rest,) = [name for name in shown if name not in stored] or [""]
    assert rest == "" or "other" in rest
    return [level if level in shown else rest for level in stored]


def check_stands_on(persons: int, told: int | None, policy: Policy) -> None:
    """Check what is told of so many persons: nothing, or at least k of them, rounded."""
    if told is None:
        return
    assert persons >= policy.k
    assert told % policy.round_to == 0
    assert abs(told - persons) <= policy.round_to / 2


@given(leveled())
def test_every_bar_stands_on_k_persons(raw: Leveled) -> None:
    view: BarView = looked_at(lambda: raw.study().bars("ward"))

    of = Counter(named(raw.ward, view.levels))
    assert set(of) == set(view.levels)
    for level, told in zip(view.levels, view.counts, strict=True):
        assert told is not None, "small levels are joined, so that none is hidden"
        check_stands_on(of[level], told, raw.policy)


@given(leveled())
def test_every_cell_of_a_table_stands_on_k_persons_and_no_sum_gives_another_back(
    raw: Leveled,
) -> None:
    study = raw.study()
    view: CrossTableView = looked_at(lambda: study.crosstab("ward", "arm"))

    wards, arms = named(raw.ward, view.row_levels), named(raw.arm, view.column_levels)
    of = Counter(zip(wards, arms, strict=True))
    for ward, row in zip(view.row_levels, view.counts, strict=True):
        for arm, told in zip(view.column_levels, row, strict=True):
            check_stands_on(of[ward, arm], told, raw.policy)
    # The sums are those of the bar charts, which are drawn as well: none of them is hidden.
    for column, levels, totals in (
        ("ward", view.row_levels, view.row_totals),
        ("arm", view.column_levels, view.column_totals),
    ):
        bars = study.bars(column)
        assert (bars.levels, bars.counts) == (levels, totals)
    # With the true sums and shown cells, hidden ones have at least k possible values.
    hidden = np.array([[told is None for told in row] for row in view.counts])
    for i, j in zip(*np.nonzero(hidden), strict=True):
        low, high = possible(view, of, hidden, int(i), int(j))
        assert high - low >= raw.policy.k - 1 - 1e-6


def possible(
    view: CrossTableView, of: Counter[Any], hidden: NDArray[np.bool_], i: int, j: int
) -> tuple[float, float]:
    """Work out by linear programs what a hidden cell can be, knowing all that is shown exactly."""
    counts = [[of[ward, arm] for arm in view.column_levels] for ward in view.row_levels]
    places = list(zip(*np.nonzero(hidden), strict=True))
    lines = [[a == line for a, _ in places] for line in range(len(counts))]
    lines += [[b == line for _, b in places] for line in range(len(counts[0]))]
    left = [
        [n * h for n, h in zip(row, hide, strict=True)]
        for row, hide in zip(counts, hidden, strict=True)
    ]
    totals = [*np.sum(left, axis=1), *np.sum(left, axis=0)]
    aim = np.array([1.0 if place == (i, j) else 0.0 for place in places])
    found = [linprog(sign * aim, A_eq=np.array(lines, float), b_eq=totals) for sign in (1, -1)]
    return found[0].fun, -found[1].fun


@given(leveled(), st.booleans())
def test_every_bin_of_every_level_stands_on_k_persons(raw: Leveled, cells: bool) -> None:
    study, policy = raw.study(), raw.policy
    named_columns = ("a", "b") if cells else ("a",)
    picture = study.heatmap if cells else study.histogram
    view: MultiplesView = looked_at(lambda: picture(*named_columns, by="ward"))

    of = np.array(named(raw.ward, view.levels))
    told = np.array([told_of(part) for part in view.views], dtype=float)
    hidden = np.isnan(told)
    assert (hidden == hidden[0]).all(), "a bin is shown for all levels or for none"
    seen = 0
    for level, part, row in zip(view.levels, view.views, told, strict=True):
        persons = Counter(places_of(part, raw.a[of == level], raw.b[of == level]))
        assert sum(persons.values()) >= 10 * policy.k
        for place, count in enumerate(row):
            check_stands_on(persons[place], None if math.isnan(count) else int(count), policy)
            seen += 0 if math.isnan(count) else persons[place]
    assert {part.origin.shown for part in view.views} == {None}, "it is said of all together"
    if policy.round_to == 5:
        of_all = [n for part in view.views for n in told_of(part)]
        check_note(view, seen, len(raw.a), policy.k, of_all)
    else:
        shown = (seen + policy.k // 2) // policy.k * policy.k
        others = (len(raw.a) - seen) // policy.k * policy.k
        assert (view.origin.shown, view.origin.total) == (shown, shown + others)
    # Beside the picture of all persons: what it hides is hidden, what it shows adds up.
    whole = picture(*named_columns)
    everyone = Counter(places_of(whole, raw.a, raw.b))
    for place, count in enumerate(told_of(whole)):
        check_stands_on(everyone[place], count, policy)


def told_of(view: View) -> list[int | None]:
    """Return the counts of a histogram or grid, one after the other."""
    if isinstance(view, HistogramView):
        return [*view.counts]
    assert isinstance(view, GridView)
    return [count for row in view.counts for count in row]


def places_of(view: View, a: Floats, b: Floats) -> list[int]:
    """Return the drawn bin or cell of each row."""
    if isinstance(view, HistogramView):
        return [bin_of(value, view.edges, 8) for value in a]
    assert isinstance(view, GridView)
    columns = len(view.y_edges) - 1
    return [
        bin_of(x, view.x_edges, 4) * columns + bin_of(y, view.y_edges, 4)
        for x, y in zip(a, b, strict=True)
    ]


ALL_COUNTS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("bars", ["ward"], {}),
    ("bars", ["ward"], {"by": "arm"}),
    ("crosstab", ["ward", "arm"], {}),
    ("histogram", ["a"], {}),
    ("histogram", ["a"], {"by": "ward"}),
    ("histogram", ["a"], {"method": "suppression"}),
    ("heatmap", ["a", "b"], {}),
    ("heatmap", ["a", "b"], {"by": "arm"}),
    ("contour", ["a", "b"], {}),
    ("contour", ["a", "b"], {"by": "arm"}),
]


def numbers_told(given: Any) -> list[int]:
    """Return every count in the plain values of a view, wherever it stands."""
    if isinstance(given, dict):
        names = ("counts", "by_counts", "row_totals", "column_totals", "total", "views")
        return [n for name in names for n in numbers_told(given.get(name))]
    if isinstance(given, list):
        return [n for item in given for n in numbers_told(item)]
    return [] if given is None else [given]


LEAST = {"standard": 5, "datashield": 3, "sacro": 10, "opensafely": 10}


@pytest.mark.parametrize("preset", GUARDED)
@given(data=st.data())
def test_no_count_below_the_threshold_of_the_preset_is_told(
    preset: str, data: st.DataObject
) -> None:
    study = data.draw(leveled([preset])).study()
    picture, columns, named_ = data.draw(st.sampled_from(ALL_COUNTS))
    view: View = looked_at(lambda: getattr(study, picture)(*columns, **named_))

    told = numbers_told(json.loads(view.to_json()))

    assert told
    assert min(told) >= LEAST[preset]
    if preset in ("standard", "opensafely"):
        assert all(count % 5 == 0 for count in told)
    assert not set(told) & set(range(1, study.policy.k))


EVERY: list[tuple[str, list[str], dict[str, Any]]] = [
    *ALL_COUNTS,
    ("box", ["a"], {"by": "arm"}),
    ("scatter", ["a", "b"], {"trend": True}),
    ("scatter", ["a", "b"], {"by": "arm", "trend": True}),
    ("histogram", ["a"], {"by": "arm", "method": "rows"}),
    ("correlations", ["a", "b"], {}),
    ("density", ["a"], {}),
    ("violin", ["a"], {"by": "arm"}),
    ("ecdf", ["b"], {"by": "arm"}),
    ("residuals", ["b ~ a"], {}),
    ("residuals", ["b ~ a + C(arm)"], {}),
    ("qq", ["b ~ a"], {}),
    ("leverage", ["b ~ a"], {}),
    ("parallel", ["ward", "a", "b"], {}),
    ("parallel", ["b", "a"], {"gradient": False}),
]


def test_every_picture_is_asked_for_again() -> None:
    counted = {name for name, plot in PLOTS.items() if not plot.of_copy_alone}
    assert {picture for picture, _, _ in EVERY} == counted


@given(leveled(PRESETS), st.randoms())
def test_shuffled_rows_and_asking_again_are_the_same_answers(raw: Leveled, random: Any) -> None:
    order = random.sample(range(len(raw.a)), len(raw.a))
    studies = [
        dc.open(
            pa.table({name: getattr(table, name) for name in ("a", "b", "ward", "arm")}),
            raw.policy,
        )
        for table in (raw, raw.shuffled(order), raw)
    ]

    for picture, columns, how in EVERY:
        outcomes = []
        for study in studies:
            try:
                view = answer(study, picture, columns, how)
                outcomes.append(repr(vars(view) | NO_GATE | {"views": json.dumps(plain(view))}))
            except RefusedError as refused:
                outcomes.append(str(refused))
        assert outcomes[0] == outcomes[1] == outcomes[2], (picture, columns, how)


def plain(view: View) -> Any:
    """Return the plain values of the views in small multiples."""
    parts = view.views if isinstance(view, MultiplesView) else ()
    return [json.loads(part.to_json()) for part in parts]


@given(leveled(), st.integers(0, 2**32))
def test_bars_and_contours_count_persons_and_not_their_rows(raw: Leveled, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = len(raw.a)
    who = np.concatenate([np.arange(n), rng.integers(0, n, size=n // 2)])
    ward = [raw.ward[i] for i in who[:n]] + [str(rng.choice(["a", "b"])) for _ in range(n // 2)]
    study = dc.open(
        pa.table({"a": raw.a[who], "b": raw.b[who], "ward": ward, "who": who}),
        raw.policy.changed(unit="who"),
    )

    bars: BarView = looked_at(lambda: study.bars("ward"))
    persons: dict[str, set[int]] = defaultdict(set)
    for person, level in zip(who.tolist(), named(ward, bars.levels), strict=True):
        persons[level].add(person)
    for level, told in zip(bars.levels, bars.counts, strict=True):
        check_stands_on(len(persons[level]), told, raw.policy)
    assert bars.origin.counted == "persons (who)"
    for picture, columns, how in ALL_COUNTS:
        if "by" in how and picture in ("histogram", "heatmap", "contour"):
            with pytest.raises((RefusedError, InputError), match=r"several rows|no column 'arm'"):
                getattr(study, picture)(*columns, **how)
    once = raw.study()
    lines: ContourView = looked_at(lambda: study.contour("a", "b"))
    assert lines.counts == once.contour("a", "b").counts, "the same row twice is one person"


# --- parallel coordinates -------------------------------------------------------------------------

Mask = NDArray[np.bool_]


def persons_between(raw: Leveled, axis: ParallelAxis, low: int, high: int, pixels: int) -> Mask:
    """Say who is between two pixels of an axis; its end pixels take what lies beyond them."""
    if axis.levels:
        shown = named(raw.ward if axis.name == "ward" else raw.arm, axis.levels)
        bands = dict(zip(axis.levels, axis.bands, strict=True))
        # Of a sensitive axis who has no value is in no cluster.
        held = [bands.get(level, (-1, -1)) for level in shown]
        return np.array([low <= first and last <= high for first, last in held])
    assert axis.low is not None
    assert axis.high is not None
    values = raw.a if axis.name == "a" else raw.b
    place = (values - axis.low) / (axis.high - axis.low) * pixels + 1e-6
    inside: Mask = ((low == 0) | (place >= low)) & ((high == pixels) | (place < high))
    return inside


def check_axes(raw: Leveled, view: ParallelView, least: int) -> None:
    """Count again who is in each cluster, in two that are lit, and between any two edges."""
    inside: list[list[Mask]] = []
    edges: list[set[int]] = [{0, view.pixels} for _ in view.axes]
    for gap, boxes in enumerate(view.clusters):
        left, right = view.axes[gap : gap + 2]
        inside.append([])
        for a, b, c, d in boxes:
            of = persons_between(raw, left, a, b, view.pixels)
            of &= persons_between(raw, right, c, d, view.pixels)
            assert of.sum() >= raw.policy.k
            inside[-1].append(of)
            edges[gap] |= {a, b}
            edges[gap + 1] |= {c, d}
            for axis in (left, right):
                if axis.sensitive:
                    held = [persons_between(raw, axis, *band, view.pixels) for band in axis.bands]
                    assert sum(bool((here & of).any()) for here in held) >= least
    for i, joins in enumerate(view.joins):
        for one, other in joins:
            assert (inside[i][one] & inside[i + 1][other]).sum() >= raw.policy.k
    # however many boxes are intersected, nobody is narrowed down below what lies between edges
    for axis, found in zip(view.axes, edges, strict=True):
        for low, high in pairwise(sorted(found)):
            assert persons_between(raw, axis, low, high, view.pixels).sum() >= raw.policy.k


ORDERS = (["a", "b"], ["ward", "a"], ["ward", "arm"], ["ward", "a", "b"], ["a", "arm", "b", "ward"])


@given(leveled(), st.sampled_from(ORDERS))
def test_every_cluster_and_every_two_that_are_lit_stand_on_k_persons(
    raw: Leveled, order: list[str]
) -> None:
    view: ParallelView = looked_at(lambda: raw.study().parallel(order))

    check_axes(raw, view, least=1)
    assert view.sizes is None
    assert all(view.clusters)


@given(leveled(), st.sampled_from([["a", "arm"], ["b", "a", "arm"], ["ward", "a", "arm"]]))
def test_every_cluster_beside_a_secret_has_several_of_its_values(
    raw: Leveled, order: list[str]
) -> None:
    policy = raw.policy.changed(roles={"arm": "sensitive"}, diversity=3)
    columns = {"a": raw.a, "b": raw.b, "ward": list(raw.ward), "arm": list(raw.arm)}
    try:
        view = dc.open(pa.table(columns), policy).parallel(order)
    except (RefusedError, InputError) as error:
        expected = ("too few", "lie on one place", "more than the sensitive", "next to", "constant")
        assume(not any(words in str(error) for words in expected))
        raise
        raise

    check_axes(raw, view, least=3)
    assert bool(view.clusters[-1]) is (len(view.axes[-1].levels) > 3)


# --- estimates --------------------------------------------------------------------------------


# --- views come back, and are the same bytes --------------------------------------------------

PICTURES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "histogram": ("histogram", ["X"], {}),
    "histogram, cells": ("histogram", ["X"], {"method": "suppression"}),
    "scatter": ("scatter", ["X", "Y"], {}),
    "scatter, cells": ("scatter", ["X", "Y"], {"method": "generalization"}),
    "heatmap": ("heatmap", ["X", "Y"], {}),
    "box": ("box", ["X", "Y"], {}),
    "contour": ("contour", ["X", "Y"], {}),
    "residuals": ("residuals", ["Y ~ X"], {}),
    "qq": ("qq", ["Y ~ X"], {}),
    "leverage": ("leverage", ["Y ~ log(X)"], {}),
    "trend": ("scatter", ["X", "Y"], {"trend": True}),
    "axes": ("parallel", ["Y", "X"], {}),
}
RESEARCH: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "raw points": ("scatter", ["X", "Y"], {"method": "none"}),
    "noise": ("scatter", ["X", "Y"], {"method": "probabilistic"}),
    "raw cells": ("heatmap", ["X", "Y"], {"method": "none"}),
    "raw bins": ("histogram", ["X"], {"method": "none"}),
    "raw box": ("box", ["X", "Y"], {"method": "none"}),
    "box of cells": ("box", ["X", "Y"], {"method": "suppression"}),
    "raw residuals": ("residuals", ["Y ~ X"], {"method": "none"}),
    "cells of residuals": ("residuals", ["Y ~ X"], {"method": "suppression"}),
    "noise on the variable": ("qq", ["Y ~ X"], {"method": "probabilistic", "noise_on": "variable"}),
    "raw trend": ("scatter", ["X", "Y"], {"trend": True}),
    "clusters of records": ("parallel", ["X", "Y"], {}),
    "clusters over all axes": ("parallel", ["X", "Y"], {"method": "k-member-joint"}),
    "raw axes": ("parallel", ["X", "Y"], {"method": "none", "gradient": False}),
}


@pytest.mark.parametrize(
    ("preset", "picture", "columns", "named"),
    [("standard", *case) for case in PICTURES.values()]
    + [("research", *case) for case in RESEARCH.values()],
    ids=[*PICTURES, *RESEARCH],
)
def test_every_view_comes_back_from_json(
    preset: str, picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    study = dc.open(datasets.d1(), preset, study="D1")
    view = answer(study, picture, columns, named)

    again = View.from_json(view.to_json())

    assert again == view
    assert again.to_json() == view.to_json()
    assert again.scene() == view.scene()


def d1_elsewhere(kind: str, folder: Path, file_of: Any) -> Any:
    """Return D1 with its rows in another order, as a frame or file of another kind."""
    order = np.random.default_rng(3).permutation(500)
    columns = {name: datasets.d1()[name].to_numpy()[order].tolist() for name in "YX"}
    if kind == "pandas":
        return pa.table(columns).to_pandas()
    return file_of(folder / f"elsewhere.{kind}", columns)


@pytest.mark.parametrize(
    ("picture", "kind"),
    [
        ("histogram", "csv"),
        ("scatter", "parquet"),
        ("heatmap", "pandas"),
        ("box", "csv"),
        ("axes", "parquet"),
    ],
)
def test_the_same_version_is_the_same_bytes(
    picture: str, kind: str, tmp_path: Path, file_of: Any
) -> None:
    name, columns, named = PICTURES[picture]
    one, two = (
        answer(dc.open(source, study="D1"), name, columns, named)
        for source in (datasets.d1(), d1_elsewhere(kind, tmp_path, file_of))
    )
    for form in ("svg", "png", "pdf", "json"):
        files = one.save(tmp_path / f"one.{form}"), two.save(tmp_path / f"two.{form}")
        assert files[0].read_bytes() == files[1].read_bytes(), form


def test_a_new_process_writes_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys, discreet as dc\n"
        "study = dc.open(dc.datasets.path('D1'), study='D1')\n"
        "study.scatter('X', 'Y').save(sys.argv[1] + '/scatter.svg')\n"
        "study.heatmap('X', 'Y').save(sys.argv[1] + '/heatmap.pdf')\n"
    )
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / seed)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )

    for name in ("scatter.svg", "heatmap.pdf"):
        one, other = ((tmp_path / seed / name).read_bytes() for seed in ("1", "2"))
        assert one == other


# --- attacks ----------------------------------------------------------------------------------


def heavy_tailed() -> Floats:
    """Make a lognormal bulk with five far records."""
    rng = np.random.default_rng(11)
    bulk = rng.lognormal(0, 1, size=(495, 2))
    return np.vstack([bulk, rng.uniform(30, 200, size=(5, 2))])


def columns_of(table: pa.Table, names: str) -> Floats:
    """Return columns of a table as rows."""
    return np.column_stack([table[name].to_numpy() for name in names.split()])


TARGETS: dict[str, Callable[[], Floats]] = {
    "D1": lambda: columns_of(datasets.d1(), "X Y"),
    "diabetes": lambda: columns_of(datasets.diabetes(), "age bmi glucose"),
    "heavy tails": heavy_tailed,
}


def linkage(original: Floats, released: Floats) -> float:
    """Return how often the released row nearest to a record is its own; ties are shared."""
    sd = original.std(axis=0)
    distance = cdist(original / sd, released / sd)
    nearest = distance <= distance.min(axis=1, keepdims=True) + 1e-12
    own = np.diagonal(nearest) / nearest.sum(axis=1)
    return float(own.mean())


def expanded(view: PointsView) -> Floats:
    """Return a row for each record that a point stands for."""
    return np.repeat(np.column_stack([view.x, view.y]), view.size, axis=0)


def test_the_attack_finds_records_that_are_hardly_protected() -> None:
    values = TARGETS["D1"]()

    assert linkage(values, values) == 1
    plain = dc.protect.deterministic(values, k=3)
    assert linkage(values, plain) > 0.5
    assert linkage(values, values[::-1]) < 0.05


def places(rows: Floats) -> set[tuple[float, ...]]:
    """Return the different rows."""
    return {(row[0], row[1]) for row in rows.tolist()}


def test_of_values_with_many_digits_none_is_drawn() -> None:
    table = datasets.d1()
    view = dc.open(table).scatter("X", "Y")

    for name, drawn in (("X", view.x), ("Y", view.y)):
        assert not set(drawn) & set(table[name].to_pylist())


def test_averaging_views_of_a_version_teaches_nothing() -> None:
    order = np.random.default_rng(1).permutation(500)
    views = [dc.open(datasets.d1()).scatter("X", "Y") for _ in range(5)]
    views.append(dc.open(datasets.d1().take(order)).scatter("X", "Y"))

    rows = np.mean([expanded(view) for view in views], axis=0)

    assert np.allclose(rows, expanded(views[0]), rtol=0, atol=1e-9)
    assert {view.origin.version for view in views} == {views[0].origin.version}


def test_differencing_two_k_is_refused(tmp_path: Path) -> None:
    # (k + 1) c' - k c is the next neighbour: threats.md, fact 2
    dc.open(datasets.d1()).scatter("X", "Y").save(tmp_path / "5.json")

    for k in (4, 6, 10):
        view = dc.open(datasets.d1(), k=k).scatter("X", "Y")
        with pytest.raises(LeavingError, match="'k' must be as in"):
            view.save(tmp_path / f"{k}.json")
    assert [path.name for path in tmp_path.iterdir()] == ["5.json"]


def test_what_leaves_tells_how_it_was_made() -> None:
    view = dc.open(datasets.d1(), study="D1").heatmap("X", "Y")

    told = json.loads(view.to_json())
    assert told["parameters"] == {"k": 5, "round_to": 5, "grid": 30, "drawn": "7 x 7"}
    assert told["origin"]["study"] == "D1"
    assert told["suppressed"] is None
