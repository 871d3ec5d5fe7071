"""What is promised, counted again from the raw data by code that knows the drawn numbers alone."""

import json
import math
import os
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

import discreet as dc
from discreet import datasets
from discreet.errors import LeavingError, RefusedError
from discreet.policy import Policy
from discreet.protect import Condensation
from discreet.secret import Secret, row_keys
from discreet.study import Study
from discreet.views import BoxView, GridView, HistogramView, PointsView, View

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
        return dc.open(pa.table(columns), Policy.preset("standard", k=self.k, **fields))

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


@given(tables(), st.sampled_from(["merge", "suppression", "generalization"]))
def test_every_bin_stands_on_k_persons(raw: Raw, method: str) -> None:
    view: HistogramView = looked_at(lambda: raw.study().histogram("a", method=method))

    held: dict[int, set[Any]] = defaultdict(set)
    for person, rows in raw.persons("a").items():
        for (value,) in rows:
            held[bin_of(value, view.edges, 20)].add(person)
    for place, told in enumerate(view.counts):
        check_told(len(held[place]), told, raw.k)
    if method == "merge":
        assert None not in view.counts
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


@given(tables(several_rows=False), st.sampled_from(["condensation", "probabilistic"]))
def test_views_of_rows_show_the_one_copy_and_nothing_else(raw: Raw, rows: str) -> None:
    study = raw.study(rows=rows, groups=[["a", "b"]], bins=5, grid=3)
    points: PointsView = looked_at(lambda: study.scatter("a", "b"))

    assert sum(points.size) == len(raw.persons("a", "b"))
    copy = [
        point
        for *point, size in zip(points.x, points.y, points.size, strict=True)
        for _ in range(size)
    ]
    turned: PointsView = raw.study(rows=rows, groups=[["b", "a"]]).scatter("b", "a")
    assert sorted(zip(turned.y, turned.x, turned.size, strict=True)) == list(
        zip(points.x, points.y, points.size, strict=True)
    )
    bars: HistogramView = looked_at(lambda: study.histogram("a", method=rows))
    for place, told in enumerate(bars.counts):
        check_told(sum(bin_of(x, bars.edges, 5) == place for x, _ in copy), told, raw.k)
    cells: GridView = looked_at(lambda: study.heatmap("a", "b", method=rows))
    for i, row in enumerate(cells.counts):
        for j, told in enumerate(row):
            here = [
                (x, y)
                for x, y in copy
                if (bin_of(x, cells.x_edges, 3), bin_of(y, cells.y_edges, 3)) == (i, j)
            ]
            check_told(len(here), told, raw.k)


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
                outcomes.append(repr(vars(getattr(table.study(), picture)(*columns)) | {"gate": 0}))
            except RefusedError as refused:
                outcomes.append(str(refused))
        assert outcomes[0] == outcomes[1]


# --- views come back, and are the same bytes --------------------------------------------------

PICTURES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "histogram": ("histogram", ["X"], {}),
    "histogram, cells": ("histogram", ["X"], {"method": "suppression"}),
    "histogram, rows": ("histogram", ["X"], {"method": "condensation"}),
    "scatter": ("scatter", ["X", "Y"], {}),
    "scatter, cells": ("scatter", ["X", "Y"], {"method": "generalization"}),
    "heatmap": ("heatmap", ["X", "Y"], {}),
    "box": ("box", ["X", "Y"], {}),
}
RESEARCH: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "raw points": ("scatter", ["X", "Y"], {"method": "none"}),
    "noise": ("scatter", ["X", "Y"], {"method": "probabilistic"}),
    "raw cells": ("heatmap", ["X", "Y"], {"method": "none"}),
    "raw bins": ("histogram", ["X"], {"method": "none"}),
    "raw box": ("box", ["X", "Y"], {"method": "none"}),
    "box of cells": ("box", ["X", "Y"], {"method": "suppression"}),
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
    view: View = getattr(dc.open(datasets.d1(), preset, study="D1"), picture)(*columns, **named)

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


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "json"])
@pytest.mark.parametrize(
    ("picture", "kind"),
    [("histogram", "csv"), ("scatter", "parquet"), ("heatmap", "pandas"), ("box", "csv")],
)
def test_the_same_version_is_the_same_bytes(
    picture: str, kind: str, form: str, tmp_path: Path, file_of: Any
) -> None:
    name, columns, named = PICTURES[picture]
    files = []
    for i, source in enumerate([datasets.d1(), d1_elsewhere(kind, tmp_path, file_of)]):
        study = dc.open(source, study="D1")
        files.append(getattr(study, name)(*columns, **named).save(tmp_path / f"{i}.{form}"))

    assert files[0].read_bytes() == files[1].read_bytes()


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


@pytest.fixture
def protected(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Watch the protected copy being made, to know which row is whose."""
    seen: dict[str, Floats] = {}
    method = Condensation.__call__

    def watched(self: Condensation, values: Floats, normals: Floats, strata: Any) -> Floats:
        seen["in"], seen["out"] = values, method(self, values, normals, strata)
        return seen["out"]

    monkeypatch.setattr(Condensation, "__call__", watched)

    def make(values: Floats, secret: bytes, k: int) -> tuple[Floats, Floats]:
        """Return the records in the order of the copy, and the released row of each."""
        monkeypatch.setenv("DISCREET_SECRET", secret.hex())
        names = "abc"[: values.shape[1]]
        study = dc.open(pa.table(dict(zip(names, values.T, strict=True))), k=k, groups=[[*names]])
        view = study.scatter("a", "b")
        keys = row_keys(Secret.from_bytes(secret), [*values.T])
        order = sorted(range(len(keys)), key=keys.__getitem__)
        inside = (seen["in"] > seen["in"].min(axis=0)) & (seen["in"] < seen["in"].max(axis=0))
        assert (values[order][inside] == seen["in"][inside]).all()
        drawn = expanded(view)
        step = np.array([nice_gap(drawn[:, j]) for j in range(2)])
        released = np.column_stack([np.round(seen["out"][:, :2] / step) * step, seen["out"][:, 2:]])
        # what was watched is what left
        assert np.allclose(
            released[np.lexsort(released[:, 1::-1].T), :2], drawn, rtol=0, atol=step / 100
        )
        return values[order], released

    return make


def expanded(view: PointsView) -> Floats:
    """Return a row for each record that a point stands for."""
    return np.repeat(np.column_stack([view.x, view.y]), view.size, axis=0)


def nice_gap(values: Floats) -> float:
    """Return the step that drawn values are multiples of."""
    gaps = np.diff(np.unique(values))
    return float(f"{gaps[gaps > 1e-12].min():.6g}")


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("target", TARGETS)
def test_who_knows_the_true_values_finds_one_row_in_k(target: str, k: int, protected: Any) -> None:
    """The attacker has the true values of everyone and takes the nearest released row."""
    found = [
        linkage(*protected(TARGETS[target](), bytes(range(start, start + 32)), k))
        for start in range(4)
    ]

    assert np.mean(found) <= 1 / k + 0.03
    assert min(found) > 1 / (4 * k)  # the attack itself works


def test_the_attack_finds_records_that_are_hardly_protected() -> None:
    values = TARGETS["D1"]()

    assert linkage(values, values) == 1
    plain = dc.protect.deterministic(values, k=3)
    assert linkage(values, plain) > 0.5
    assert linkage(values, values[::-1]) < 0.05


def test_far_records_are_not_found_more_often(protected: Any) -> None:
    values = heavy_tailed()
    found = []
    for start in range(12):
        records, released = protected(values, bytes(range(start, start + 32)), 5)
        far = np.argsort(-np.abs(records).max(axis=1))[:5]
        distance = cdist(records[far], released)
        found += (distance.argmin(axis=1) == far).tolist()

    assert np.mean(found) <= 0.355  # 60 trials at one in five: three standard errors


def test_averaging_views_of_a_version_teaches_nothing() -> None:
    order = np.random.default_rng(1).permutation(500)
    views = [dc.open(datasets.d1()).scatter("X", "Y") for _ in range(5)]
    views.append(dc.open(datasets.d1().take(order)).scatter("X", "Y"))

    rows = np.mean([expanded(view) for view in views], axis=0)

    assert np.allclose(rows, expanded(views[0]), rtol=0, atol=1e-9)
    assert {view.origin.version for view in views} == {views[0].origin.version}


def test_differencing_two_k_is_refused(tmp_path: Path) -> None:
    # (k + 1) c' - k c is the next neighbour: threats.md, fact 2
    dc.open(datasets.d1(), rows="deterministic").scatter("X", "Y").save(tmp_path / "5.json")

    for k in (4, 6, 10):
        view = dc.open(datasets.d1(), rows="deterministic", k=k).scatter("X", "Y")
        with pytest.raises(LeavingError, match="'k' is another"):
            view.save(tmp_path / f"{k}.json")
    assert [path.name for path in tmp_path.iterdir()] == ["5.json"]


def test_differencing_two_groups_is_refused(tmp_path: Path) -> None:
    table = datasets.diabetes()
    dc.open(table, groups=[["age", "bmi"]]).scatter("age", "bmi").save(tmp_path / "a.json")

    for group in (["age", "glucose"], ["age", "bmi", "glucose"], ["bmi"]):
        view = dc.open(table, groups=[group]).histogram(group[0], method="condensation")
        with pytest.raises(LeavingError, match=r"the group of '\w+' is another"):
            view.to_json()


def test_what_leaves_tells_how_it_was_made() -> None:
    view = dc.open(datasets.d1(), study="D1").heatmap("X", "Y")

    told = json.loads(view.to_json())
    assert told["parameters"] == {"k": 5, "round_to": 5, "grid": 30, "drawn": "7 x 7"}
    assert told["origin"]["study"] == "D1"
    assert told["suppressed"] is None
