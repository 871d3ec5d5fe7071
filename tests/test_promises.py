"""What is promised, counted again from the raw data by code that knows the drawn numbers alone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

import discreet as dc
from discreet import datasets
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore import Study
from discreet.plots import PLOTS, MultiplesView, View
from discreet.policy import PRESETS, Policy
from tests.cases import examples

Floats = NDArray[np.float64]


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
        return dc.open(pa.table(columns), Policy.preset("standard", k=self.k, **fields))


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


def answer(study: Any, picture: str, columns: Sequence[str], how: dict[str, Any]) -> View:
    """Ask a study for a picture by its name."""
    given = [columns] if picture in ("correlations", "parallel") else columns
    view: View = getattr(study, picture)(*given, **how)
    return view


# --- rows -------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(tables(), st.randoms())
def test_shuffled_rows_are_the_same_views(raw: Raw, random: Any) -> None:
    order = random.sample(range(len(raw.a)), len(raw.a))
    who = None if raw.who is None else raw.who[order]
    studies = [raw.study(), Raw(raw.a[order], raw.b[order], who, raw.k).study()]
    plots = (("box", "ab"), ("scatter", "ab"))
    for picture, columns in plots:
        outcomes = []
        for study in studies:
            try:
                outcomes.append(repr(vars(getattr(study, picture)(*columns)) | NO_GATE))
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
        """The preset; each table is on its own."""
        return Policy.preset(self.preset, public=True)

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


EVERY: list[tuple[str, list[str], dict[str, Any]]] = [
    ("bars", ["ward"], {}),
    ("bars", ["ward"], {"by": "arm"}),
    ("crosstab", ["ward", "arm"], {}),
    ("histogram", ["a"], {}),
    ("histogram", ["a"], {"by": "ward"}),
    ("heatmap", ["a", "b"], {}),
    ("heatmap", ["a", "b"], {"by": "arm"}),
    ("contour", ["a", "b"], {}),
    ("contour", ["a", "b"], {"by": "arm"}),
    ("box", ["a"], {"by": "arm"}),
    ("scatter", ["a", "b"], {"trend": True}),
    ("scatter", ["a", "b"], {"by": "arm", "trend": True}),
    ("survival", ["a", "arm"], {"event_is": "f"}),
    ("over_time", ["a"], {}),
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
    assert {picture for picture, _, _ in EVERY} == set(PLOTS)


@pytest.mark.slow
@pytest.mark.made_anew
@settings(max_examples=examples(15) // 3)
@given(leveled(), st.randoms())
def test_shuffled_rows_and_asking_again_are_the_same_answers(raw: Leveled, random: Any) -> None:
    order = random.sample(range(len(raw.a)), len(raw.a))
    studies = [
        dc.open(
            pa.table({name: getattr(table, name) for name in ("a", "b", "ward", "arm")}), raw.policy
        )
        for table in (raw, raw.shuffled(order), raw)
    ]
    for picture, columns, how in EVERY:
        outcomes = []
        for study in studies:
            try:
                view = answer(study, picture, columns, how)
                outcomes.append(repr(vars(view) | NO_GATE | {"views": json.dumps(plain(view))}))
            except (InputError, RefusedError) as refused:
                outcomes.append(str(refused))
        assert outcomes[0] == outcomes[1] == outcomes[2], (picture, columns, how)


def plain(view: View) -> Any:
    """Return the plain values of the views in small multiples."""
    parts = view.views if isinstance(view, MultiplesView) else ()
    return [json.loads(part.to_json()) for part in parts]


# --- views come back, and are the same bytes --------------------------------------------------


def d1_elsewhere(kind: str, folder: Path, file_of: Any) -> Any:
    """Return D1 with its rows in another order, as a frame or file of another kind."""
    order = np.random.default_rng(3).permutation(500)
    columns = {name: datasets.d1()[name].to_numpy()[order].tolist() for name in "YX"}
    return file_of(folder / f"elsewhere.{kind}", columns)


@pytest.mark.slow
@pytest.mark.made_anew
@pytest.mark.parametrize(
    ("kind", "plot", "forms"),
    [("csv", "box", ("svg", "json")), ("parquet", "scatter", ("png", "pdf"))],
)
def test_the_same_version_is_the_same_bytes(
    kind: str, plot: str, forms: tuple[str, ...], tmp_path: Path, file_of: Any
) -> None:
    sources = (datasets.d1(), d1_elsewhere(kind, tmp_path, file_of))
    one, two = (answer(dc.open(it, study="D1"), plot, ["X", "Y"], {}) for it in sources)
    for form in forms:
        files = one.save(tmp_path / f"one.{form}"), two.save(tmp_path / f"two.{form}")
        assert files[0].read_bytes() == files[1].read_bytes(), form


@pytest.mark.slow
@pytest.mark.made_anew
def test_a_new_process_writes_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys, discreet as dc\n"
        "study = dc.open(dc.datasets.path('D1'), study='D1')\n"
        "study.scatter('X', 'Y').save(sys.argv[1] + '/scatter.svg')\n"
        "study.heatmap('X', 'Y').save(sys.argv[1] + '/heatmap.pdf')\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, env=env)
    study = dc.open(datasets.path("D1"), study="D1")
    for view, name in (
        (study.scatter("X", "Y"), "scatter.svg"),
        (study.heatmap("X", "Y"), "heatmap.pdf"),
    ):
        theirs = (tmp_path / name).read_bytes()
        assert view.save(tmp_path / f"own {name}").read_bytes() == theirs


# --- attacks ----------------------------------------------------------------------------------


def columns_of(table: pa.Table, names: str) -> Floats:
    """Return columns of a table as rows."""
    return np.column_stack([table[name].to_numpy() for name in names.split()])


def linkage(original: Floats, released: Floats) -> float:
    """Return how often the released row nearest to a record is its own; ties are shared."""
    sd = original.std(axis=0)
    distance = cdist(original / sd, released / sd)
    nearest = distance <= distance.min(axis=1, keepdims=True) + 1e-12
    own = np.diagonal(nearest) / nearest.sum(axis=1)
    return float(own.mean())


def expanded(view: Any) -> Floats:
    """Return a row for each record that a point stands for."""
    return np.repeat(np.column_stack([view.x, view.y]), view.size, axis=0)


def test_the_attack_finds_records_that_are_hardly_protected() -> None:
    values = columns_of(datasets.d1(), "X Y")
    assert linkage(values, values) == 1
    plain = dc.methods.deterministic(values, k=3)
    assert linkage(values, plain) > 0.5
    assert linkage(values, values[::-1]) < 0.05


def test_of_values_with_many_digits_none_is_drawn() -> None:
    table = datasets.d1()
    view = dc.open(table).scatter("X", "Y")
    for name, drawn in (("X", view.x), ("Y", view.y)):
        assert not set(drawn) & set(table[name].to_pylist())


def test_averaging_views_of_a_version_teaches_nothing() -> None:
    order = np.random.default_rng(1).permutation(500)
    views: list[Any] = [dc.open(datasets.d1()).scatter("X", "Y") for _ in range(2)]
    views.append(dc.open(datasets.d1().take(order)).scatter("X", "Y"))
    rows = np.mean([expanded(view) for view in views], axis=0)
    assert np.allclose(rows, expanded(views[0]), rtol=0, atol=1e-9)
    assert {view.origin.version for view in views} == {views[0].origin.version}


@pytest.mark.slow
def test_differencing_two_k_is_refused(tmp_path: Path) -> None:
    # (k + 1) c' - k c is the next neighbour: threats.md, fact 2
    dc.open(datasets.d1()).scatter("X", "Y").save(tmp_path / "5.json")
    for k in (4, 6, 10):
        view = dc.open(datasets.d1(), k=k).scatter("X", "Y")
        with pytest.raises(LeavingError, match="'k' must be the same as in"):
            view.save(tmp_path / f"{k}.json")
    assert [path.name for path in tmp_path.iterdir()] == ["5.json"]
