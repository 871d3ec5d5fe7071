"""Attacks on further counts beside a copy of the whole table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

import discreet as dc
from discreet.errors import LeavingError, RefusedError
from discreet.plots import BarView, CrossTableView, GridView, HistogramView, MultiplesView

K, STEP = 5, 5
MOST_CELLS = 40


def cohort(n: int, seed: int) -> pl.DataFrame:
    """Make a table with outliers and a small level, where counts have something to hide."""
    random = np.random.default_rng(seed)
    x = np.round(random.normal(50, 12, n), 1)
    return pl.DataFrame(
        {
            "x": x,
            "y": np.round(60 - x / 4 + random.lognormal(1.5, 0.6, n), 1),
            "ward": random.choice(["a", "b", "c", "d"], n, p=[0.5, 0.3, 0.16, 0.04]),
            "died": np.where(random.uniform(size=n) < x / 120, "yes", "no"),
        }
    )


def further(study: dc.Study) -> Iterator[Callable[[], Any]]:
    """Return counts of each column, and twenty more."""
    counts: dict[str, Any] = {"source": "counts"}
    yield from (partial(study.histogram, name, **counts) for name in ("x", "y"))
    yield from (partial(study.bars, name, **counts) for name in ("ward", "died"))
    for name in ("x", "y"):
        for by in ("ward", "died"):
            yield partial(study.histogram, name, by=by, **counts)
            yield partial(study.box, name, by=by, **counts)
        yield partial(study.box, name, **counts)
    for by in ("ward", "died"):
        yield partial(study.heatmap, "x", "y", by=by, **counts)
        yield partial(study.contour, "x", "y", by=by, **counts)
    yield partial(study.heatmap, "x", "y", **counts)
    yield partial(study.crosstab, "ward", "died", **counts)
    yield partial(study.bars, "ward", by="died", **counts)
    yield partial(study.bars, "died", by="ward", **counts)
    yield partial(study.parallel, ["x", "y"], **counts)
    yield partial(study.parallel, ["x", "y", "ward"], **counts)


def seen(study: dc.Study) -> list[Any]:
    """Return what the ledger lets out of further counts."""
    views = []
    for draw in further(study):
        try:
            view = draw()
            view.to_json()
        except (LeavingError, RefusedError):
            continue
        views.append(view)
    return views


Range = tuple[float, float]
Told = tuple[dict[str, Any], int | None]  # where each column lies, and the count, None if hidden


def open_ended(edges: Sequence[float]) -> tuple[float, ...]:
    """Return edges of bins, of which the first and the last hold what lies beyond them."""
    return (-np.inf, *edges[1:-1], np.inf)


def told_by(view: Any, where: dict[str, Any] | None = None) -> Iterator[Told]:
    """Return every cell of a view of counts: where its persons are, and how many are told.

    None of a view with gaps, whose few persons are counted beside them.
    """
    where = where or {}
    if any("across a gap" in remark for remark in view.origin.remarks):
        return
    if isinstance(view, MultiplesView):
        for level, inner in zip(view.levels, view.views, strict=True):
            yield from told_by(inner, {**where, view.by: level})
    elif isinstance(view, HistogramView):
        ends_of = itertools.pairwise(open_ended(view.edges))
        for ends, count in zip(ends_of, view.counts, strict=True):
            yield {**where, view.columns[0]: ends}, count
    elif isinstance(view, GridView):
        for i, x in enumerate(itertools.pairwise(open_ended(view.x_edges))):
            for j, y in enumerate(itertools.pairwise(open_ended(view.y_edges))):
                yield {**where, view.columns[0]: x, view.columns[1]: y}, view.counts[i][j]
    elif isinstance(view, BarView):
        for level, count in zip(view.levels, view.counts, strict=True):
            yield {view.columns[0]: level}, count
        for by, row in zip(view.by_levels, view.by_counts, strict=True):
            for level, count in zip(view.levels, row, strict=True):
                yield {view.columns[0]: level, str(view.by): by}, count
    elif isinstance(view, CrossTableView):
        for level, told in zip(view.row_levels, view.counts, strict=True):
            for column, count in zip(view.column_levels, told, strict=True):
                yield {view.columns[0]: level, view.columns[1]: column}, count


def atoms(cells: Sequence[Told]) -> dict[str, list[Any]]:
    """Return the finest intervals and levels that the told cells are made of."""
    out: dict[str, list[Any]] = {}
    for name in ("x", "y"):
        ends = sorted({end for where, _ in cells for end in where.get(name, ())})
        out[name] = [*itertools.pairwise(ends)]
    out["ward"], out["died"] = ["a", "b", "c", "d"], ["no", "yes"]
    return out


def inside(name: str, atom: Any, cell: Any) -> bool:
    """Say whether an atom of a column lies in the part of it that a cell names."""
    if name in ("x", "y"):
        return bool(cell[0] <= atom[0] and atom[1] <= cell[1])
    words = cell.split(" + ")  # a level, or levels that are joined
    return atom in words or ("other" in words and atom == "d")


def rows_in(raw: pl.DataFrame, where: dict[str, Any]) -> pl.DataFrame:
    """Return the raw rows in a cell."""
    for name, cell in where.items():
        if name in ("x", "y"):
            raw = raw.filter((pl.col(name) >= cell[0]) & (pl.col(name) < cell[1]))
        else:
            words = [*cell.split(" + "), *(["d"] if "other" in cell else [])]
            raw = raw.filter(pl.col(name).is_in(words))
    return raw


def bounds_of(count: int | None, step: int) -> Range:
    """Return how many persons a told count may stand for.

    A hidden one may be any: some are hidden so that sums do not give others back.
    """
    if count is None:
        return 0.0, np.inf
    return float(max(K, count - step // 2) if count else 0), float(
        count + step // 2 if count else 0
    )


def of_one_number(views: Sequence[Any]) -> list[Told]:
    """Return the told cells of views that are few enough to solve for."""
    return [(w, c) for view in views for w, c in told_by(view) if "y" not in w]


def widths(
    study: dc.Study,
    raw: pl.DataFrame,
    step: int,
    exact: Sequence[Told] = (),
    insider: pl.DataFrame | None = None,
    most: int | None = None,
) -> list[float]:
    """Return how many counts linear programs leave possible for each small cell.

    `exact` are counts that are known beside what is drawn, and `insider` are rows that are. Of
    what is drawn the first `most` are seen; all decide which cells are asked for.
    """
    study.scatter("x", "y", by="ward").to_json()
    views = seen(study)

    known, parts = of_one_number(views[:most]), atoms(of_one_number(views))
    names = ("x", "ward", "died")
    grid = [*itertools.product(*(parts[name] for name in names))]
    at_least = [
        0 if insider is None else len(rows_in(insider, dict(zip(names, atom, strict=True))))
        for atom in grid
    ]

    def row(where: dict[str, Any]) -> list[float]:
        held = [
            all(inside(n, at, where[n]) for n, at in zip(names, atom, strict=True) if n in where)
            for atom in grid
        ]
        return [float(it) for it in held]

    upper: list[list[float]] = []
    limits: list[float] = []
    told = [(where, *bounds_of(count, step)) for where, count in known]
    told += [(where, float(count or 0), float(count or 0)) for where, count in exact]
    for where, low, high in told:
        line = row(where)
        upper += [line, [-it for it in line]]
        limits += [min(high, 1e6), -low]
        assert low <= len(rows_in(raw, where)) <= high, "the attack reads the cells wrongly"
    found = []
    for where in small_cells(raw, parts)[: None if insider is not None else MOST_CELLS]:
        if insider is not None and len(rows_in(insider, where)) == len(rows_in(raw, where)):
            continue  # of nobody whom the insider does not know
        aim = np.array(row(where))
        ends = [
            linprog(
                sign * aim,
                A_ub=np.array(upper),
                b_ub=limits,
                bounds=[(least, None) for least in at_least],
            )
            for sign in (1, -1)
        ]
        assert all(it.status == 0 for it in ends)
        found.append(-ends[1].fun - ends[0].fun)
    return found


def small_cells(raw: pl.DataFrame, parts: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return cells of fewer than k persons."""
    cells = [
        dict(zip(of, at, strict=True))
        for of in (("x",), ("ward", "died"), ("x", "ward"), ("x", "died"))
        for at in itertools.product(*(parts[name] for name in of))
    ]
    return [where for where in cells if 0 < len(rows_in(raw, where)) < K]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_small_cell_follows_from_further_counts(seed: int) -> None:
    raw = cohort(400, seed)
    found = widths(dc.open(raw, rows="whole", study=f"lp {seed}"), raw, STEP)

    assert len(found) > 10
    assert min(found) >= 1


def nine_tenths(raw: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the rows that an insider knows."""
    return raw.filter(pl.Series(np.random.default_rng(seed).uniform(size=len(raw)) < 0.9))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_an_insider_finds_no_small_cell_of_somebody_else(seed: int) -> None:
    """Beside nine tenths of the rows, and further counts.

    That nobody else is in a cell may follow: all whom rounding allows are known by then.
    """
    raw = cohort(400, seed)
    study = dc.open(raw, rows="whole", study=f"insider {seed}")
    found = widths(study, raw, STEP, insider=nine_tenths(raw, seed))

    assert len(found) > 3
    assert min(found) >= 1


@pytest.mark.slow
def test_the_same_insider_finds_small_cells_beside_sums_that_are_told() -> None:
    raw = cohort(400, 0)
    kinds = [{"ward": w, "died": d} for w in ("a", "b", "c", "d") for d in ("no", "yes")]
    others: list[Told] = [(where, len(rows_in(raw, where))) for where in kinds]
    study = dc.open(raw, rows="whole", study="insider exact")
    found = widths(study, raw, STEP, others, insider=nine_tenths(raw, 0))

    assert min(found) < 1


@pytest.mark.slow
def test_the_same_attack_finds_small_cells_beside_sums_that_are_told() -> None:
    raw = cohort(400, 0)
    others: list[Told] = [
        ({"ward": ward, "died": died}, len(rows_in(raw, {"ward": ward, "died": died})))
        for ward in ("a", "b", "c")
        for died in ("no", "yes")
    ]
    others += [({"died": died}, len(rows_in(raw, {"died": died}))) for died in ("no", "yes")]
    found = widths(dc.open(raw, rows="whole", study="exact"), raw, STEP, others)

    assert min(found) < 1


@pytest.mark.slow
def test_a_walk_of_two_thousand_requests_is_never_refused() -> None:
    raw = cohort(500, 9)
    far = {"x": [-400.0, 700.0], "y": [-900.0, 2000.0], "ward": ["a", "b"], "died": ["no", "yes"]}
    raw = pl.concat([raw, pl.DataFrame(far)])
    analysts = [dc.open(raw, rows="whole", study="walk") for _ in range(2)]
    random = np.random.default_rng(1)
    levels = ["ward", "died"]

    def pick(of: Sequence[str]) -> str:
        return str(random.choice(np.array(of)))

    def pair() -> list[str]:
        return [str(it) for it in random.permutation(["x", "y"])]

    walks: list[Callable[[dc.Study], Any]] = [
        lambda s: s.histogram(pick(["x", "y"])),
        lambda s: s.histogram(pick(["x", "y"]), bins=int(random.integers(2, 60))),
        lambda s: s.histogram(pick(["x", "y"]), by=pick(levels)),
        lambda s: s.scatter(*pair(), by=pick(levels), trend=bool(random.integers(2))),
        lambda s: s.heatmap(*pair(), grid=int(random.integers(2, 60))),
        lambda s: s.heatmap(*pair(), by=pick(levels)),
        lambda s: s.contour(*pair()),
        lambda s: s.box(*pair()),
        lambda s: s.box(pick(["x", "y"]), by=pick(levels)),
        lambda s: s.bars(pick(levels)),
        lambda s: s.bars("ward", by="died"),
        lambda s: s.crosstab(*[str(it) for it in random.permutation(levels)]),
        lambda s: s.parallel([str(it) for it in random.permutation([*levels, "x", "y"])]),
        lambda s: s.residuals(f"{pair()[0]} ~ {pick(levels)}"),
        lambda s: s.leverage("y ~ x * died"),
    ]
    for _ in range(2000):
        study = analysts[int(random.integers(2))]
        walks[int(random.integers(len(walks)))](study).to_json()
    read, made = analysts[0].session.made_whole()
    for name, found in made.levels.items():
        words = [read.levels[name].words[code] for code in read.levels[name].codes]
        for word in {found.words[code] for code in found.codes} - {"(other)"}:
            assert words.count(word) >= K
    for name, values in made.numbers.items():
        own = np.sort(read.numbers[name])
        middle = float(np.median(own))
        # An end is drawn up to 1.4 times as far out as K persons or more are: nowhere near the two.
        assert values.max() - middle <= 1.5 * (own[-K] - middle)
        assert middle - values.min() <= 1.5 * (middle - own[K - 1])
