"""Copies of a whole table by other methods, made as `measure.attacks` wants them: a method each.

The papers' methods protect numbers; levels and gaps travel with their rows, as strata do. A copy in
groups of three columns has no rows across groups: each group comes in an order of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from discreet.arguments import Floats, Labels
from discreet.measure.attacks import Copy, Make, Records
from discreet.measure.makers import whole_maker
from discreet.measure.pairs import Side
from discreet.protect import Condensation, Deterministic, Microaggregation, Probabilistic
from discreet.protect.base import RowMethod
from discreet.secret import Secret

__all__ = ["MAKERS", "makers_of_r"]

K = 5
LEAF = 5
"""The least rows of a leaf: synthpop's usual setting."""
TOGETHER = 3

Random = np.random.Generator
Values = dict[str, np.ndarray]


def _random(secret: Secret) -> Random:
    return np.random.default_rng(np.frombuffer(secret.digest("benchmark"), dtype=np.uint32))


def _columns(side: Side) -> Values:
    """Return all columns as arrays; a missing level is an empty text."""
    out: Values = dict(side.numbers)
    return out | {name: np.array(words, dtype=object) for name, words in side.levels.items()}


def _side(columns: Mapping[str, np.ndarray], like: Side) -> Side:
    numbers = {name: np.asarray(columns[name], dtype=np.float64) for name in like.numbers}
    levels = {name: tuple(map(str, columns[name])) for name in like.levels}
    return Side(MappingProxyType(numbers), MappingProxyType(levels))


def resample(records: Records, secret: Secret) -> Copy:
    """Draw rows with replacement: no protection at all."""
    rows = _random(secret).integers(0, len(records), len(records))
    return Copy(records.table.taken(rows), rows)


# --- others' synthesis --------------------------------------------------------------------------


def cart(records: Records, secret: Secret) -> Copy:
    """Draw one column after the other, each from the leaf of a tree on those before it."""
    random, raw = _random(secret), _columns(records.table)
    made: Values = {}
    for name, column in raw.items():
        made[name] = _drawn_by_tree(column, raw, made, random)
    return Copy(_side(made, records.table))


def _drawn_by_tree(column: np.ndarray, raw: Values, made: Values, random: Random) -> np.ndarray:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    n = len(column)
    if not made:
        return np.asarray(column[random.integers(0, n, n)])
    seed = int(random.integers(2**31))
    if column.dtype == object:
        tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=seed)
        y = column
    else:
        tree = DecisionTreeRegressor(min_samples_leaf=LEAF, random_state=seed)
        y = np.where(np.isnan(column), np.nanmean(column), column)
    design = [_design(raw[name], raw[name]) for name in made]
    leaves = tree.fit(np.column_stack(design), y).apply(np.column_stack(design))
    to = tree.apply(np.column_stack([_design(made[name], raw[name]) for name in made]))
    out = np.empty(n, dtype=column.dtype)
    for leaf in np.unique(to):
        at, donors = np.flatnonzero(to == leaf), np.flatnonzero(leaves == leaf)
        out[at] = column[donors[random.integers(0, len(donors), len(at))]]
    return out


def _design(column: np.ndarray, raw: np.ndarray) -> Floats:
    """Return a column for a tree: numbers with gaps far below, an indicator for each level."""
    if column.dtype != object:
        below = np.nanmin(raw) - np.nanstd(raw) - 1
        return np.where(np.isnan(column), below, column)[:, None]
    has: Floats = (column[:, None] == np.unique(raw.astype(str))[None, :]).astype(np.float64)
    return has


def copula(records: Records, secret: Secret) -> Copy:
    """Draw normal scores with the correlations of the raw ones, and go back by ranks."""
    from scipy.special import ndtri
    from scipy.stats import norm, rankdata

    random, raw = _random(secret), _columns(records.table)
    n = len(records)
    ordered = {
        name: np.unique(column.astype(str), return_inverse=True)[1].astype(float)
        if column.dtype == object
        else column
        for name, column in raw.items()
    }
    scores = []
    for column in ordered.values():
        known = ~np.isnan(column)
        z = np.zeros(n)
        z[known] = ndtri((rankdata(column[known]) - 0.5) / known.sum())
        scores.append(z)
    correlation = np.corrcoef(np.array(scores)) + 1e-6 * np.eye(len(scores))
    drawn = random.multivariate_normal(np.zeros(len(scores)), correlation, n, method="cholesky")
    made: Values = {}
    for (name, column), z in zip(raw.items(), drawn.T, strict=True):
        share = norm.cdf(z / z.std())
        if column.dtype == object:
            made[name] = np.sort(column.astype(str))[(share * n).astype(int).clip(0, n - 1)]
        else:
            known = np.sort(column[~np.isnan(column)])
            gap = random.random(n) < np.isnan(column).mean()
            made[name] = np.where(gap, np.nan, np.quantile(known, share))
    return Copy(_side(made, records.table))


# --- the papers' methods ------------------------------------------------------------------------


def by_rows(method: RowMethod, records: Records, secret: Secret) -> Copy:
    """Protect all numbers jointly by a row method; levels and gaps stay with their rows."""
    table = records.table
    if not table.numbers:
        return Copy(table, np.arange(len(records)))
    made = _protected(method, list(table.numbers.values()), _random(secret))
    numbers = {
        name: np.where(np.isnan(raw), np.nan, column)
        for (name, raw), column in zip(table.numbers.items(), made.T, strict=True)
    }
    return Copy(Side(MappingProxyType(numbers), table.levels), np.arange(len(records)))


def in_threes(records: Records, secret: Secret) -> Copy:
    """Condense numbers in groups of three; each group, and each level column, in its own order."""
    table, random = records.table, _random(secret)
    names = list(table.numbers)
    n, made = len(records), {}
    for start in range(0, len(names), TOGETHER):
        group = names[start : start + TOGETHER]
        columns = [table.numbers[name] for name in group]
        order = random.permutation(n)
        rows = _protected(Condensation(k=K), columns, random)
        for name, raw, column in zip(group, columns, rows.T, strict=True):
            made[name] = np.where(np.isnan(raw), np.nan, column)[order]
    for name, words in table.levels.items():
        made[name] = np.array(words, dtype=object)[random.permutation(n)]
    return Copy(_side(made, table))


def _protected(method: RowMethod, columns: list[Floats], random: Random) -> Floats:
    """Protect columns, a missing number at the median."""
    filled = np.column_stack([np.where(np.isnan(x), np.nanmedian(x), x) for x in columns])
    strata: Labels = np.zeros(len(filled), dtype=np.intp)
    return method(filled, random.normal(size=filled.shape), strata)


MAKERS: Mapping[str, Make] = {
    "a resample": resample,
    "whole, m = 2k": whole_maker(K, 2 * K),
    "whole, m = 4k": whole_maker(K),
    "sequential CART": cart,
    "Gaussian copula": copula,
    "deterministic": partial(by_rows, Deterministic(k=K)),
    "probabilistic, q = .25": partial(by_rows, Probabilistic(q=0.25)),
    "MDAV": partial(by_rows, Microaggregation(k=K)),
    "condensation in threes": in_threes,
}
"""All methods that need nothing else, with k = 5."""


# --- R ------------------------------------------------------------------------------------------

SYNTHPOP = "made <- syn(raw, seed = seed, print.flag = FALSE)$syn"
SDCMICRO = """
numbers <- names(raw)[sapply(raw, is.numeric)]
levels <- setdiff(names(raw), numbers)
made <- raw
set.seed(seed)
if (length(numbers)) made[numbers] <- microaggregation(raw[numbers], aggr = 3)$mx
for (name in levels) made[[name]] <- pram(factor(raw[[name]]))[[2]]
"""
READ = """
raw <- read.csv("raw.csv", na.strings = "")
for (name in names(raw)) if (!is.numeric(raw[[name]])) raw[[name]] <- factor(raw[[name]])
"""


def makers_of_r() -> tuple[dict[str, Make], dict[str, str]]:
    """Return makers that run R's packages by their usual settings, and why others are skipped."""
    made: dict[str, Make] = {}
    skipped: dict[str, str] = {}
    rscript = shutil.which("Rscript")
    for name, code in (("synthpop", SYNTHPOP), ("sdcMicro", SDCMICRO)):
        if rscript is None:
            skipped[name] = "no R was found where they were made"
        elif subprocess.run([rscript, "-e", f"library({name})"], capture_output=True).returncode:
            skipped[name] = "R had no such package where they were made"
        else:
            made[f"R {name}"] = partial(_by_r, rscript, f"library({name})\n{READ}{code}")
    return made, skipped


def _by_r(rscript: str, code: str, records: Records, secret: Secret) -> Copy:
    seed = int(_random(secret).integers(2**31))
    columns = _columns(records.table)
    with tempfile.TemporaryDirectory() as folder:
        pd.DataFrame(columns).to_csv(Path(folder) / "raw.csv", index=False)
        script = f'seed <- {seed}\n{code}\nwrite.csv(made, "made.csv", row.names = FALSE, na = "")'
        subprocess.run([rscript, "-e", script], cwd=folder, check=True, capture_output=True)
        read = pd.read_csv(Path(folder) / "made.csv", keep_default_na=False)
    out: Values = {}
    for (name, column), made in zip(columns.items(), read.columns, strict=True):
        if column.dtype == object:
            out[name] = read[made].astype(str).to_numpy(object)
        else:
            out[name] = pd.to_numeric(read[made], "coerce").to_numpy()
    return Copy(_side(out, records.table))
