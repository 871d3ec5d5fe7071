"""One protected copy of a whole table: numbers, levels and gaps, every row redrawn from a group.

**Space.** Numbers become normal scores of their ranks, levels and patterns of gaps become
indicators. Rows far from the others of their group take no part. Groups of at least m rows are
made by MDAV in this space; each row is redrawn from its group's mean, its members and the
correlations within all groups. Levels are the largest of their latent numbers, calibrated to
rounded counts; numbers go back by rank to a quantile function whose every knot stands on k
persons or more.

**Draws.** Each is a keyed function of the version and the record, or of the version and a name:
neither the order of rows nor that of columns changes anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.protect.base import check_groups_of_persons, persons_in, several_rows
from discreet.protect.microaggregation import groups_in_order
from discreet.protect.relations import relations_of
from discreet.protect.values import nice_step
from discreet.secret import Secret

__all__ = ["MISSING", "OTHER", "Draws", "Levels", "Settings", "WholeCopy", "whole_copy"]

OTHER, MISSING = "(other)", "(missing)"
HUGE = 1e150
ROWS_PER_M = 4
"""A copy has at least this many times m persons."""

CAP = 0.8
WITHHELD = 0.02
BLEND, BLEND_SENSITIVE, BESIDE = 0.3, 0.6, 2
JITTER = 0.5
WEIGHT_LEVELS, WEIGHT_GAPS = 0.25, 0.5
GRAINS = (1000.0, 500.0, 100.0, 50.0, 10.0, 5.0, 1.0, 0.5, 0.1, 0.01)


@dataclass(frozen=True)
class Settings:
    """How a whole copy is made.

    Parameters
    ----------
    k : int
        How many persons each level, knot and end of a column stands on at least.
    m : int
        How many rows, of as many persons, a group has at least; k or more.
    sensitive : tuple of str
        Level columns that shape no group, and whose shares are taken more from beside.
    bounds : mapping of str to pair of float
        Between which numbers a column lies.
    """

    k: int
    m: int
    sensitive: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


class Levels(NamedTuple):
    """A column of levels: the words, and which of them each row has; -1 where it has none."""

    words: tuple[str, ...]
    codes: Labels


@dataclass(frozen=True, repr=False)
class Draws:
    """Numbers between 0 and 1 that hang on the secret, the version and the record alone."""

    secret: Secret
    version: bytes
    keys: NDArray[np.uint64]

    def of_rows(self, *names: str) -> Floats:
        """Return a row for each record and a column for each name."""
        return self.secret.uniforms(self.version, self.keys, [f"\0whole {name}" for name in names])

    def of_table(self, name: str, count: int) -> Floats:
        """Return `count` numbers that hang on no record."""
        places = np.zeros((count, 2), dtype=np.uint64)
        places[:, 0] = np.arange(count)
        key = self.secret.digest("whole", self.version, name.encode())
        return self.secret.uniforms(key, places, ["\0whole"])[:, 0]

    def taken(self, rows: Labels) -> Draws:
        """Return the draws of some records."""
        return replace(self, keys=self.keys[rows])


@dataclass(frozen=True, eq=False, repr=False)
class WholeCopy:
    """The protected rows, and what the custodian alone may see: whose each row is, and its group.

    `numbers` and `levels` hold a column each, in the order of a draw. `source` is which raw row
    each was drawn for, `groups` the group of each raw row, -1 where it was withheld.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    source: Labels
    groups: Labels
    left_out: Mapping[str, str]


class _Space(NamedTuple):
    """The table as columns: scores of numbers, then indicators of levels and patterns of gaps."""

    scores: Floats
    weights: Floats
    known: NDArray[np.bool_]
    numbers: tuple[str, ...]
    coded: Mapping[tuple[str, str], Levels]
    spans: Mapping[tuple[str, str], slice]
    gap_of: Mapping[str, tuple[str, str]]


def whole_copy(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
) -> WholeCopy:
    """Redraw every row of a table from a group of at least m rows that are like it.

    Parameters
    ----------
    numbers : mapping of str to ndarray of shape (n,)
        Columns of numbers; what is not finite is missing.
    levels : mapping of str to Levels
        Columns of levels.
    draws : Draws
        What the noise of each record is keyed by.
    settings : Settings
        k, m, and what is declared of columns.
    persons : ndarray of int of shape (n,), optional
        Whose each row is, where a person may have several.

    Raises
    ------
    RefusedError
        If the table has fewer than 4 m rows or persons, or no column that can be shown.
    BrokenPromiseError
        If a group, counted again, is too small.
    """
    n = len(draws.keys)
    persons = several_rows(persons)
    held = n if persons is None else len(np.unique(persons))
    if held < ROWS_PER_M * settings.m:
        raise RefusedError(
            f"the table has too few persons for a copy of all its columns: at least {ROWS_PER_M}"
            " times m are needed; choose a smaller k"
        )
    kept: Labels = np.lexsort(draws.keys.T)  # one order, whatever that of the file
    (shown, coded), left_out = _prepared(numbers, levels, settings, draws, persons)
    relations = relations_of(shown, settings.k, persons)
    ready = relations.apart(shown), coded
    if not ready[0] and not ready[1]:
        raise RefusedError("no column of the table can be shown: each is constant or nearly empty")
    space = _space(ready, kept, draws, settings, persons)
    groups = _grouped(space, draws.taken(kept), settings, _of(persons, kept))
    share = WITHHELD * (0.5 + float(draws.of_table("withheld", 1)[0]))
    if space.numbers:
        far = _far(_filled(space, groups), len(space.numbers), groups, share)
        if persons is not None:  # who stands out takes no part with any row
            far = np.isin(persons[kept], persons[kept][far])
        kept = kept[~far]
        space = _space(ready, kept, draws, settings, persons)
        groups = _grouped(space, draws.taken(kept), settings, _of(persons, kept))
    total = settings.k * int(n / settings.k + draws.of_table("rows", 1)[0])  # how many is nobody's
    out = _drawn(space, groups, draws.taken(kept), total, ready, kept, settings, _of(persons, kept))
    raw = np.full(n, -1, dtype=np.intp)
    raw[kept] = groups
    whole = relations.together(out.numbers)
    for name, (low, high) in settings.bounds.items():
        if name in whole:
            whole[name] = np.clip(whole[name], low, high)
    return replace(out, numbers=whole, groups=raw, left_out=left_out)


def _of(values: Labels | None, rows: Labels) -> Labels | None:
    return None if values is None else values[rows]


# --- columns made ready -------------------------------------------------------------------------

_Ready = tuple[dict[str, Floats], dict[str, Levels]]


def _prepared(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    settings: Settings,
    draws: Draws,
    persons: Labels | None,
) -> tuple[_Ready, dict[str, str]]:
    """Return the columns that can be protected, by name, and why each other one is left out."""
    left_out: dict[str, str] = {}
    ready: dict[str, Floats] = {}
    joined: dict[str, Levels] = {}
    for name in sorted(numbers):
        column = np.asarray(numbers[name], dtype=np.float64)
        with np.errstate(invalid="ignore"):
            column = np.where(np.abs(column) < HUGE, column, np.nan)
        known = ~np.isnan(column)
        if _persons(persons, known) < ROWS_PER_M * settings.k:
            left_out[name] = "nearly empty"
        else:
            ready[name] = column
    for name in sorted(levels):
        least = settings.k + int(draws.of_table(f"level {name}", 1)[0] * settings.k)
        found = _joined(levels[name], least, persons)
        if len(found.words) == 1 and found.words[0] in (OTHER, MISSING):
            left_out[name] = "nearly unique" if found.words[0] == OTHER else "nearly empty"
        else:
            joined[name] = found
    return (ready, joined), left_out


def _persons(persons: Labels | None, rows: NDArray[np.bool_]) -> int:
    return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))


def _joined(column: Levels, least: int, persons: Labels | None) -> Levels:
    """Join levels of fewer than `least` persons; a missing one is a level too."""
    words = np.array([*column.words, MISSING], dtype=object)
    codes = np.where(column.codes < 0, len(column.words), column.codes)
    while True:
        kinds, codes = np.unique(codes, return_inverse=True)
        words = words[kinds]
        held = persons_in(codes, persons)
        rare = np.flatnonzero(held < least)
        if not rare.size or len(words) == 1:
            break
        if rare.size == 1:  # the next smallest, of equally small ones the first by name
            others = [(int(c), str(w), i) for i, (c, w) in enumerate(zip(held, words, strict=True))]
            rare = np.append(rare, min(o for o in others if o[2] != rare[0])[2])
        words = np.append(words, OTHER)
        codes = np.where(np.isin(codes, rare), len(words) - 1, codes)
    order = np.argsort(words.astype(str))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return Levels(tuple(words[order].tolist()), place[codes])


def _scores(values: Floats) -> Floats:
    """Return normal scores of mid-ranks, of variance 1; noughts for a constant."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    if not np.ptp(values):
        return np.zeros(len(values))
    z: Floats = ndtri((rankdata(values) - 0.5) / len(values))
    z = (z - z.mean()) / z.std()
    return z


def _space(
    ready: _Ready, rows: Labels, draws: Draws, settings: Settings, persons: Labels | None
) -> _Space:
    """Return the rows as scores and indicators, with the weight of each in distances."""
    numbers = {name: column[rows] for name, column in ready[0].items()}
    coded = {("level", name): Levels(c.words, c.codes[rows]) for name, c in ready[1].items()}
    gap_of: dict[str, tuple[str, str]] = {}
    seen: dict[bytes, tuple[str, str]] = {}
    whose = _of(persons, rows)
    for name, column in numbers.items():
        gap = np.isnan(column)
        if min(_persons(whose, gap), _persons(whose, ~gap)) >= settings.k:
            first = seen.setdefault(gap.tobytes(), ("gap", name))
            gap_of[name] = first
            coded[first] = Levels(("known", MISSING), gap.astype(np.intp))
    columns, weights = [], []
    for column in numbers.values():
        known = ~np.isnan(column)
        z = np.zeros(len(rows))
        if known.any():
            z[known] = _scores(column[known])
        columns.append(z)
        weights.append(1.0)
    spans = {}
    for key, held in coded.items():
        shares = np.bincount(held.codes, minlength=len(held.words)) / len(rows)
        hidden = key[0] == "level" and key[1] in settings.sensitive
        weight = WEIGHT_GAPS if key[0] == "gap" else 0.0 if hidden else WEIGHT_LEVELS
        spans[key] = slice(len(columns), len(columns) + len(held.words))
        columns += [(held.codes == j).astype(np.float64) for j in range(len(held.words))]
        weights += [float(np.sqrt(weight / max(1 - (shares**2).sum(), 0.2)))] * len(held.words)
    return _Space(
        np.column_stack(columns),
        np.array(weights),
        np.column_stack([np.ones(len(rows)), *(~np.isnan(x) for x in numbers.values())])[:, 1:] > 0,
        tuple(numbers),
        coded,
        spans,
        gap_of,
    )


# --- groups -------------------------------------------------------------------------------------


def _grouped(space: _Space, draws: Draws, settings: Settings, persons: Labels | None) -> Labels:
    """Return the group of each row, numbered from 0: m rows or more, of as many persons."""
    near = np.ascontiguousarray(np.round(space.scores * space.weights, 9))
    near = near[:, near.any(axis=0)]
    ties = draws.of_rows("tie")
    at: Labels = np.arange(len(near))
    if persons is not None:
        _, firsts, at = np.unique(persons, return_index=True, return_inverse=True)
        rows = np.bincount(at)
        near = np.column_stack([np.bincount(at, column) / rows for column in near.T])
        ties = ties[firsts]
    size = len(near)
    order, labels = groups_in_order(
        np.ascontiguousarray(near), np.zeros(size, dtype=np.intp), min(settings.m, size), ties
    )
    groups = np.empty(size, dtype=np.intp)
    groups[order] = np.unique(labels, return_inverse=True)[1]
    found = groups[at]
    _check_groups(found, persons, settings.m)
    return found


def _check_groups(groups: Labels, persons: Labels | None, m: int) -> None:
    """Count again, apart from how they were made, that groups are of m rows and persons."""
    if persons is not None:
        check_groups_of_persons(groups, persons, m)
    elif len(groups) and np.bincount(groups).min() < m:
        raise BrokenPromiseError(
            "a group of the copy was counted again and is too small; please report this"
        )


class _Moments(NamedTuple):
    """Of each group: how many rows; their mean; and how far each row is from it."""

    size: Floats
    mean: Floats
    gap: Floats


def _moments(scores: Floats, groups: Labels) -> _Moments:
    size = np.bincount(groups).astype(np.float64)
    mean = np.column_stack([np.bincount(groups, column) for column in scores.T]) / size[:, None]
    return _Moments(size, mean, scores - mean[groups])


def _filled(space: _Space, groups: Labels) -> Floats:
    """Return scores where a missing number has the mean of those of its group."""
    scores = space.scores.copy()
    for j, known in enumerate(space.known.T):
        total = np.bincount(groups, np.where(known, scores[:, j], 0.0))
        mean = total / np.maximum(np.bincount(groups, known), 1)
        scores[~known, j] = mean[groups[~known]]
    return scores


def _from_others(scores: Floats, p: int, groups: Labels) -> tuple[Floats, Floats]:
    """Return how far rows are from their group's others, and the pooled Mahalanobis lengths."""
    size, _, gap = _moments(scores[:, :p], groups)
    alone = gap * (size / np.maximum(size - 1, 1))[groups][:, None]
    spread = gap.T @ gap / len(gap) + 1e-3 * np.eye(p)
    squared = np.einsum("ij,jk,ik->i", alone, np.linalg.inv(spread), alone)
    return alone, np.sqrt(squared)


def _far(scores: Floats, p: int, groups: Labels, share: float) -> NDArray[np.bool_]:
    """Say which rows stand out: far from their group's others, or along an axis of the table."""
    length = _from_others(scores, p, groups)[1]
    out: NDArray[np.bool_] = length > np.quantile(length, 1 - share)
    if p > 1:
        sizes, axes = np.linalg.eigh(np.cov(scores[:, :p], rowvar=False) + 1e-3 * np.eye(p))
        along = np.abs(scores[:, :p] @ axes / np.sqrt(sizes)).max(axis=1)
        out |= along > np.quantile(along, 1 - share / 2)
    return out


# --- rows redrawn -------------------------------------------------------------------------------


def _drawn(
    space: _Space,
    groups: Labels,
    draws: Draws,
    n: int,
    ready: _Ready,
    rows: Labels,
    settings: Settings,
    persons: Labels | None,
) -> WholeCopy:
    """Draw n rows: one for each that takes part, and some again in place of those withheld."""
    by_chance = np.argsort(draws.of_rows("refill")[:, 0])
    once, again = by_chance[:n], by_chance[: max(n - len(rows), 0)]
    parts = [(once, draws.taken(once), ""), (again, draws.taken(again), "again ")]
    who = np.concatenate([at for at, _, _ in parts])

    def keyed(name: str) -> Floats:
        return np.concatenate([part.of_rows(before + name)[:, 0] for _, part, before in parts])

    latent = _latent(space, groups, who, keyed, settings, persons)
    p = len(space.numbers)
    words = {
        key: _taken(
            latent[0][:, at],
            latent[1][:, at.start - p : at.stop - p],
            space.coded[key],
            settings.k,
            draws.of_table(f"counts {key}", len(space.coded[key].words)),
        )
        for key, at in space.spans.items()
    }
    ties, place = keyed("order of ties"), np.argsort(keyed("place"))
    numbers = {}
    for j, name in enumerate(space.numbers):
        raw, have = ready[0][name][rows], np.ones(n, dtype=np.bool_)
        if name in space.gap_of:
            have = words[space.gap_of[name]] == 0
        known = np.flatnonzero(~np.isnan(raw))
        column = np.full(n, np.nan)
        whose = _of(persons, known)
        column[have] = _back(latent[0][have, j], ties[have], raw[known], whose, draws, settings.k)
        numbers[name] = column[place]
    levels = {
        key[1]: Levels(space.coded[key].words, codes[place])
        for key, codes in words.items()
        if key[0] == "level"
    }
    return WholeCopy(numbers, levels, rows[who[place]], groups, {})


def _latent(
    space: _Space,
    groups: Labels,
    who: Labels,
    keyed: Callable[[str], Floats],
    settings: Settings,
    persons: Labels | None,
) -> tuple[Floats, Floats]:
    """Return the latent numbers of drawn rows, and the shares of levels where each was drawn.

    A row is its group's mean, plus its members weighed by noise, plus noise with the correlations
    within all groups: of it the more, the fewer members there are for so many columns.
    """
    scores, p = _filled(space, groups), len(space.numbers)
    if p:  # who is far from the others of a group is drawn in
        alone, length = _from_others(scores, p, groups)
        reach = np.quantile(length, CAP)
        scores[:, :p] -= alone * (1 - np.minimum(1, reach / np.maximum(length, 1e-12)))[:, None]
    size, mean, gap = _moments(scores, groups)
    columns = scores.shape[1]
    sd = np.sqrt(np.column_stack([np.bincount(groups, c**2) for c in gap.T]) / size[:, None])
    pooled = gap.T @ gap / len(gap)
    scale = np.sqrt(np.maximum(np.diag(pooled), 1e-12))
    stretch, axes = np.linalg.eigh(pooled / np.outer(scale, scale))
    root = (axes * np.sqrt(np.clip(stretch, 0, None))) @ axes.T  # symmetric: no sign to choose
    free = columns - len(space.spans)
    noisy = (free / (free + size))[groups[who]][:, None]
    noise = np.column_stack([_normal(keyed(f"noise {j}")) for j in range(columns)]) @ root.T
    own = _by_members(gap, groups, size, who, keyed)
    spread = sd[groups[who]]
    y = mean[groups[who]] + np.sqrt(1 - noisy) * own + np.sqrt(noisy) * noise * spread
    shares = _shares(space, mean, settings)[groups[who]]
    if columns > p:
        flat = spread[:, p:] < 1e-9
        unit = (y - mean[groups[who]])[:, p:] / np.where(flat, 1.0, spread[:, p:])
        wide = np.sqrt(np.clip(shares * (1 - shares), 0, None))
        y[:, p:] = shares + wide * np.where(flat, noise[:, p:], unit)
    return y, shares


def _normal(uniform: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(uniform))


def _by_members(
    gap: Floats, groups: Labels, size: Floats, who: Labels, keyed: Callable[[str], Floats]
) -> Floats:
    """Return for each drawn row the sum of its group's gaps, each times noise of its own."""
    order = np.argsort(groups, kind="stable")
    starts = np.concatenate([[0], np.cumsum(size).astype(np.intp)])
    mine = groups[who]
    out = np.zeros((len(who), gap.shape[1]))
    for slot in range(int(size.max())):
        has = np.flatnonzero(size[mine] > slot)
        member = order[starts[mine[has]] + slot]
        out[has] += _normal(keyed(f"member {slot}"))[has, None] * gap[member]
    return out / np.sqrt(size[mine])[:, None]


def _shares(space: _Space, mean: Floats, settings: Settings) -> Floats:
    """Return the shares of levels of each group, partly of the groups nearest to it."""
    from scipy.spatial import cKDTree

    p = len(space.numbers)
    shares = mean[:, p:].copy()
    few = min(BESIDE + 1, len(mean))
    if few == 1 or not space.spans:
        return shares
    centre = np.round(mean * space.weights, 9)
    near = cKDTree(centre).query(centre, k=few)[1][:, 1:]
    blend = np.concatenate(
        [
            np.full(
                at.stop - at.start,
                BLEND_SENSITIVE if key[0] == "level" and key[1] in settings.sensitive else BLEND,
            )
            for key, at in space.spans.items()
        ]
    )
    out: Floats = (1 - blend) * shares + blend * shares[near].mean(axis=1)
    return out


def _taken(latent: Floats, share: Floats, column: Levels, k: int, uniform: Floats) -> Labels:
    """Return the level of largest latent number that rows near have; totals are calibrated.

    They are those of the raw rows, rounded to k: up or down as the secret says, so that no count
    shows by itself which side of a limit it is.
    """
    latent = np.where(share > 0, latent, -np.inf)
    count = np.bincount(column.codes, minlength=len(column.words))
    target = np.maximum(k, k * np.floor(count / k + uniform))
    target = target * len(latent) / target.sum()
    shift = np.zeros(len(target))
    for _ in range(60):
        have = np.bincount((latent + shift).argmax(axis=1), minlength=len(shift))
        if np.abs(have - target).max() <= 1:
            break
        shift += 0.5 * np.clip((target - have) / np.maximum(target, 5), -0.2, 0.2)
    return np.asarray((latent + shift).argmax(axis=1))


# --- numbers back -------------------------------------------------------------------------------


class _Blocks(NamedTuple):
    """Neighbouring values in order: whether a block is one value of many, its size and value."""

    alone: NDArray[np.bool_]
    size: Floats
    value: Floats


def _back(
    latent: Floats,
    ties: Floats,
    raw: Floats,
    persons: Labels | None,
    draws: Draws,
    k: int,
) -> Floats:
    """Give drawn scores, by rank, the safe quantiles of raw numbers, on their grain."""
    if not np.ptp(raw):
        return np.full(len(latent), raw[0])
    rank = np.empty(len(latent))
    rank[np.lexsort([ties, latent])] = np.arange(len(latent))
    blocks = _blocks(raw, persons, draws, k)
    share, value = _quantiles(blocks, draws, _tag(raw))
    out: Floats = np.interp((rank + 0.5) / len(latent), share, value)
    step = _step(raw, out)
    rounded = np.round(out / step) * step
    kept = blocks.value[blocks.alone]
    return np.where(np.isin(out, kept), out, rounded) + 0.0


def _step(raw: Floats, out: Floats) -> Floats:
    """Return what each number is rounded to: a fiftieth of an sd, or two digits, or its grain."""
    step = nice_step(float(np.std(np.sort(raw), ddof=1)))
    for grain in GRAINS:
        if grain >= step and np.mean(np.abs(raw / grain - np.round(raw / grain)) < 1e-6) > 0.99:
            step = grain
            break
    digits = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(out), 1e-12))) - 1)
    whole = 1.0 if (raw == np.round(raw)).all() else 0.0
    return np.maximum(np.minimum(step, digits), whole)


def _tag(raw: Floats) -> str:
    """Return a name of the values alone, so that equal columns are drawn alike."""
    from hashlib import blake2b

    return blake2b(np.sort(raw).tobytes(), digest_size=16).hexdigest()


def _blocks(raw: Floats, persons: Labels | None, draws: Draws, k: int) -> _Blocks:
    """Cut the values, in order, into blocks of k persons or more; where is the secret's.

    A value of k to 2 k - 1 persons, the secret says how many, is a block of its own.
    """
    order = np.argsort(raw, kind="stable") if persons is None else np.lexsort([persons, raw])
    x = raw[order]
    whose = _of(persons, order)
    value, first, rows = np.unique(x, return_index=True, return_counts=True)
    held = rows if whose is None else persons_in(np.repeat(np.arange(len(value)), rows), whose)
    tag = _tag(raw)
    least = k + np.floor(draws.of_table(f"kept {tag}", len(value)) * k)
    alone = held >= np.minimum(least, len(x))
    new = np.concatenate([[True], alone[1:] | alone[:-1]])
    starts = first[new]
    found: list[tuple[bool, int, float]] = []
    sizes = k + np.floor(draws.of_table(f"cuts {tag}", len(x) // k + len(starts)) * k).astype(
        np.intp
    )
    for kept, a, b in _runs(alone[new], starts, np.append(starts[1:], len(x)), whose, k):
        if kept:
            found.append((True, b - a, float(np.median(x[a:b]))))
            continue
        cuts = _cuts(b - a, sizes, k) if whose is None else _cuts_of_persons(whose[a:b], sizes, k)
        sizes = sizes[len(cuts) + 1 :]
        ends = [a, *(a + cuts), b]
        found += [(False, t - s, float(x[s:t].mean())) for s, t in itertools.pairwise(ends)]
    kinds, counts, values = zip(*found, strict=True)
    blocks = _Blocks(np.array(kinds), np.array(counts, dtype=np.float64), np.array(values))
    for end, inner in ((0, 1), (-1, -2)):  # the farthest block takes the value of the next one
        if len(found) > 3 and not blocks.alone[end]:
            blocks.value[end] = blocks.value[inner]
    return blocks


def _runs(
    alone: NDArray[np.bool_], starts: Labels, ends: Labels, whose: Labels | None, k: int
) -> list[tuple[bool, int, int]]:
    """Return runs of k persons or more: fewer between two kept values go to one of them."""
    out: list[list[int]] = []
    ahead = -1
    for i, (kept, a, b) in enumerate(
        zip(alone.tolist(), starts.tolist(), ends.tolist(), strict=True)
    ):
        start = a if ahead < 0 else ahead
        ahead = -1
        if kept or (b - a if whose is None else len(np.unique(whose[a:b]))) >= k:
            out.append([kept, start, b])
        elif out and (i + 1 == len(alone) or i % 2):
            out[-1][2] = b
        elif i + 1 < len(alone):
            ahead = a
    return [(bool(kept), a, b) for kept, a, b in out] or [(False, 0, int(ends[-1]))]


def _cuts(count: int, sizes: Labels, k: int) -> Labels:
    """Return where to cut `count` rows into blocks of `sizes`, the last of k to 2 k - 1 rows."""
    cuts = np.cumsum(sizes)
    cuts = cuts[cuts <= count - k]
    rest = count - (int(cuts[-1]) if cuts.size else 0)
    return np.append(cuts, count - rest // 2) if rest >= 2 * k else cuts


def _cuts_of_persons(whose: Labels, sizes: Labels, k: int) -> Labels:
    """Return where to cut rows into blocks of so many persons, the last of k or more."""
    last = np.zeros(len(whose), dtype=np.intp)
    last[len(whose) - 1 - np.unique(whose[::-1], return_index=True)[1]] = 1
    ahead = np.cumsum(last[::-1])[::-1].tolist()
    targets, seen, cuts = iter(sizes.tolist()), set[int](), []
    target = next(targets)
    for i, person in enumerate(whose.tolist()):
        if len(seen) >= target and ahead[i] >= k:
            cuts.append(i)
            seen, target = set(), next(targets)
        seen.add(person)
    return np.array(cuts, dtype=np.intp)


def _quantiles(blocks: _Blocks, draws: Draws, tag: str) -> tuple[Floats, Floats]:
    """Return shares of rows and the values there: a block's share has half a bootstrap's noise."""
    from scipy.special import gammaincinv

    uniform = draws.of_table(f"shares {tag}", len(blocks.size))
    mass = gammaincinv(blocks.size / JITTER**2, uniform) * JITTER**2
    edge = np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum()
    before = np.concatenate([[True], blocks.alone[:-1]])
    after = np.append(blocks.alone[1:], True)
    middle = (edge[:-1] + edge[1:]) / 2
    share = np.column_stack([edge[:-1], middle, edge[1:]])
    used = np.column_stack([blocks.alone | before, ~blocks.alone, blocks.alone | after])
    return share[used], np.repeat(blocks.value, 3).reshape(-1, 3)[used]
