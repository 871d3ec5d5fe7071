"""One protected copy of a whole table: numbers, levels and gaps, every row redrawn from a group.

**Who takes part.** The secret leaves out about a tenth of the persons, and rows that stand out.
**Space.** Numbers become normal scores of their ranks, levels and patterns of gaps become
indicators. Groups of at least m rows are made by MDAV in this space, of slightly blurred numbers;
each row is redrawn from its group's mean, its members and the correlations within all groups.
Levels are the largest of their latent numbers, calibrated to counts with noise; numbers go back
by rank to a quantile function whose every knot stands on k persons or more.

**Draws.** Each is a keyed function of the version and the record, or of the version and a name:
neither the order of rows nor that of columns changes anything. Rows are taken in the order of
their keys.

**Thresholds.** Whatever a number of persons decides (a level, a gap, a sum, an order, a whole
number, a column that is shown) is decided by one that the secret draws, of k to 2 k - 1 or of 4 k
to 8 k - 1: so no single person is sure to turn it. Of relations, of gaps and of columns that are
nearly empty there is one draw for all columns: who is rare in many of them in the same way is
seen no more often than who is so in one.

**Totals** are those of the persons who take part, with noise that grows with the number of
columns, for who looks at all of them adds up what each shows.

**Why there is noise where groups would do.** Who knows the whole table but for one person makes
copies with and without that person and compares. Groups of a fixed table are always the same, so
that any measure of a copy would show who is in them; with random persons left out and blurred
numbers they never are, and every total, margin and moment has noise of the size of a sample's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.protect.base import persons_in, several_rows
from discreet.protect.copies import MISSING, OTHER, Draws, Levels, Settings, WholeCopy
from discreet.protect.grain import Chance
from discreet.protect.microaggregation import groups_in_order
from discreet.protect.participants import (
    PERSONS_PER_K,
    finite,
    least_known,
    limited,
    persons_of,
    usual_rows,
)
from discreet.protect.quantiles import given_back, noised
from discreet.protect.recount import check_whole
from discreet.protect.relations import relations_of

__all__ = ["MISSING", "OTHER", "Draws", "Levels", "Settings", "WholeCopy", "whole_copy"]

ROWS_PER_M = 4
"""A copy has at least this many times m persons, and up to k more."""

APART = 0.1
"""The share of persons left out by chance."""
BLUR = 0.2
"""The noise of numbers where groups are made, in sds."""
WITHHELD, CAP = 0.02, 0.8
"""The share of rows that stand out, and the share of distances that are not drawn in."""
ROWS_NOISE, WIDEST_NOISE = 2.0, 3.0
"""The noise of how many rows a copy has, in times k, and how many of its sds it is at most."""
COUNT_NOISE = 2.0
"""The noise of each count of rows: of persons, so many times the square root of the columns."""
BLEND, BLEND_SENSITIVE, BESIDE = 0.3, 0.6, 2
WEIGHT_LEVELS, WEIGHT_GAPS = 0.25, 0.5
MEMBERS = 4
"""A row is drawn from this many times m members of its group at most."""


class _Table(NamedTuple):
    """Rows of the raw table: their columns, draws, whose they are, and their places in it.

    `usual` is how many rows a person usually has, and `noise` the sd of that of a count of rows.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    draws: Draws
    persons: Labels | None
    rows: Labels
    usual: int
    noise: float

    def taken(self, at: Labels) -> _Table:
        """Return some of the rows."""
        return self._replace(
            numbers={name: column[at] for name, column in self.numbers.items()},
            levels={name: Levels(it.words, it.codes[at]) for name, it in self.levels.items()},
            draws=self.draws.taken(at),
            persons=_of(self.persons, at),
            rows=self.rows[at],
        )

    def chance(self, name: str) -> Chance:
        """Return the draws of a column that hang on no record."""
        return lambda what, count: self.draws.of_table(f"{what} of {name}", count)


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
        Columns of numbers; what is not finite, or beyond 1e150, is missing.
    levels : mapping of str to Levels
        Columns of levels.
    draws : Draws
        What the noise of each record is keyed by.
    settings : Settings
        k, m, and what is declared of columns.
    persons : ndarray of int of shape (n,), optional
        Whose each row is, where a person may have several. Of one who has more than four times
        the median, some rows take no part.

    Returns
    -------
    WholeCopy
        About as many rows as the table has, with noise of 2 k persons', in the order of a draw.
        Columns with numbers of few persons (fewer than a draw of 4 k to 8 k - 1), and levels of
        which none is shared by k, are left out and named.

    Raises
    ------
    RefusedError
        If the table has fewer than 4 m persons, or up to k more, which the secret draws; or no
        column that can be shown.
    BrokenPromiseError
        If a promise, counted again (`protect.recount`), does not hold.

    Notes
    -----
    Each group holds m rows of m persons or more, and each level, gap, knot and end of a column
    stands on k. A tenth of the persons, drawn by the secret, and two or three rows in a hundred
    that stand out take no part in a copy; others are drawn twice in their place.

    **What it does not protect.** It is not differential privacy. What a group has in common shows:
    who knows most of a person's values infers the last one a little better than from others. Who
    knows the whole table but for one person tells whether the person is in it somewhat better
    than by guessing, more so where rows are few and columns many. Copies of the same persons
    add up: make few. Rare combinations of common levels are drawn as often as their groups have
    them. A person's many rows are drawn one by one: what they have in common as one person's is
    lost.

    References
    ----------
    Groups redrawn from their moments: Aggarwal and Yu, "A condensation approach to privacy
    preserving data mining", EDBT 2004; groups: MDAV, Domingo-Ferrer and Torra, "Ordinal,
    continuous and heterogeneous k-anonymity through microaggregation", Data Mining and Knowledge
    Discovery 11, 2005. Our own are: normal scores with safe quantiles back, indicators of levels
    as latent numbers, draws from members and pooled correlations in place of a decomposition of
    each group, shares blended with near groups, persons left out, blurred groups, and the noise
    of totals.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.keys import row_keys
    >>> from discreet.secret import Secret
    >>> secret, x = Secret.from_bytes(bytes(range(32))), np.arange(100.0)
    >>> draws = Draws(secret, b"1", row_keys(secret, [x, x % 7]))
    >>> made = whole_copy({"x": x, "day": x % 7}, {}, draws, Settings(k=5, m=10))
    >>> sorted(made.numbers), made.left_out
    (['day', 'x'], {})
    """
    persons, k = several_rows(persons), settings.k
    held = len(draws.keys) if persons is None else len(np.unique(persons))
    if held < ROWS_PER_M * settings.m + draws.threshold("persons", k) - k:
        raise RefusedError(
            f"the table has too few persons for a copy of all its columns: {ROWS_PER_M} times m are"
            " needed, and up to k more, which the secret draws; choose a smaller k"
        )
    cleaned = {name: finite(numbers[name]) for name in sorted(numbers)}
    least = least_known(held, k, draws)
    shown = {n: it for n, it in cleaned.items() if persons_of(persons, ~np.isnan(it)) >= least}
    left_out = dict.fromkeys(sorted(cleaned.keys() - shown.keys()), "nearly empty")
    relations = relations_of(shown, k, draws.of_table, persons, settings.parts)
    usual = usual_rows(persons, draws)
    whole = _Table(
        relations.apart(shown),
        {name: levels[name] for name in sorted(levels)},
        draws,
        persons,
        np.arange(len(draws.keys)),
        usual,
        COUNT_NOISE * usual * float(np.sqrt(len(shown) + len(levels))),
    )
    some = whole.taken(limited(draws, persons, usual))
    part = some.taken(_in_part(some, settings.m))
    ready, _ = _prepared(part, settings)
    ready, lost = _prepared(part.taken(np.flatnonzero(~_far(ready, settings))), settings)
    if not ready.numbers and not ready.levels:
        raise RefusedError("no column of the table can be shown: each is nearly empty or unique")
    lost |= dict.fromkeys(relations.unmade({*left_out, *lost}), "stands on a column left out")
    out = _drawn(ready, len(some.rows), settings)
    groups = np.full(len(draws.keys), -1, dtype=np.intp)
    groups[ready.rows] = out.groups

    def safe(name: str, latent: Floats) -> Floats:
        return _safe(name, shown[name][ready.rows], latent, ready, k)

    whole_again = relations.together(out.numbers, settings.bounds, safe, settings.parts)
    made = replace(
        out,
        groups=groups,
        numbers={name: column for name, column in whole_again.items() if name not in lost},
        left_out=left_out | lost,
    )
    check_whole(cleaned, levels, relations.within(made.numbers), made, settings, persons)
    return made


def _safe(name: str, raw: Floats, latent: Floats, table: _Table, k: int) -> Floats:
    """Return safe quantiles of what persons have in a column, gaps aside, by rank."""
    known = np.flatnonzero(~np.isnan(raw))
    ties = np.arange(len(latent), dtype=np.float64)  # rows of a copy are in an order of chance
    whose, chance = _of(table.persons, known), table.chance(f"end {name}")
    return given_back(latent, ties, raw[known], whose, chance, k, table.noise)


def _of(values: Labels | None, rows: Labels) -> Labels | None:
    return None if values is None else values[rows]


# --- who takes part -----------------------------------------------------------------------------


def _in_part(table: _Table, m: int) -> Labels:
    """Return the rows of all persons but those left out by chance; how many is the secret's too."""
    chance: Floats = table.draws.of_rows("apart")[:, 0]
    at = np.arange(len(chance))
    if table.persons is not None:  # a sum of uniform numbers, less its whole part, is one too
        at = np.unique(table.persons, return_inverse=True)[1]
        chance = np.bincount(at, chance).astype(np.float64) % 1.0
    share = APART * (0.5 + float(table.draws.of_table("apart", 1)[0]))
    out = min(int(share * len(chance)), len(chance) - 3 * m)
    left = np.argsort(chance, kind="stable")[:out]
    return np.flatnonzero(~np.isin(at, left))


# --- columns made ready -------------------------------------------------------------------------


def _prepared(table: _Table, settings: Settings) -> tuple[_Table, dict[str, str]]:
    """Return the columns that can be protected, and why each other one is left out."""
    left_out: dict[str, str] = {}
    for name, column in table.numbers.items():
        # Of 4 k or more who had one, so few take part by chance alone.
        if persons_of(table.persons, ~np.isnan(column)) < PERSONS_PER_K // 2 * settings.k:
            left_out[name] = "nearly empty"
    joined: dict[str, Levels] = {}
    for name, levels in table.levels.items():
        least = table.draws.threshold(f"level {name}", settings.k)
        found = _joined(levels, least, table, name)
        if len(found.words) == 1 and found.words[0] in (OTHER, MISSING):
            left_out[name] = "nearly unique" if found.words[0] == OTHER else "nearly empty"
        else:
            joined[name] = found
    ready = {name: it for name, it in table.numbers.items() if name not in left_out}
    return table._replace(numbers=ready, levels=joined), left_out


def _joined(column: Levels, least: int, table: _Table, name: str) -> Levels:
    """Join levels of fewer than `least` persons; a missing one is a level too.

    Where one alone is so rare, its rows have another one each, by chance: joined with a larger
    level it would take the name of that away.
    """
    words = np.array([*column.words, MISSING], dtype=object)
    kinds, codes = np.unique(
        np.where(column.codes < 0, len(column.words), column.codes), return_inverse=True
    )
    words = words[kinds]
    rare = np.flatnonzero(persons_in(codes, table.persons) < least)
    if rare.size > 1:
        words = np.append(words, OTHER)
        codes = np.where(np.isin(codes, rare), len(words) - 1, codes)
        kinds, codes = np.unique(codes, return_inverse=True)
        words = words[kinds]
        rare = np.flatnonzero(persons_in(codes, table.persons) < least)
    if rare.size and len(words) > 1:
        others = np.flatnonzero(np.arange(len(words)) != rare[0])
        rows = np.flatnonzero(codes == rare[0])
        share = np.cumsum(np.bincount(codes, minlength=len(words))[others])
        chance = table.draws.taken(rows).of_rows(f"another level {name}")[:, 0]
        codes[rows] = others[np.searchsorted(share, chance * share[-1], side="right")]
        kinds, codes = np.unique(codes, return_inverse=True)
        words = words[kinds]
    order = np.argsort(words.astype(str))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return Levels(tuple(words[order].tolist()), place[codes])


def _scores(values: Floats) -> Floats:
    """Return normal scores of mid-ranks, of variance 1; noughts for a constant."""
    from scipy.special import ndtri  # scipy.stats has mid-ranks too, and takes .5 s to load

    if not np.ptp(values):
        return np.zeros(len(values))
    _, at, rows = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.cumsum(rows) - (rows - 1) / 2
    z: Floats = ndtri((rank - 0.5) / len(values))[at]
    z = (z - z.mean()) / z.std()
    return z


def _space(table: _Table, settings: Settings) -> _Space:
    """Return the rows as scores and indicators, with the weight of each in distances."""
    gaps, gap_of = _gaps(table, settings.k)
    coded = {("level", name): held for name, held in table.levels.items()} | gaps
    columns, weights = [], []
    for column in table.numbers.values():
        gap = np.isnan(column)
        z = np.zeros(len(column))
        z[~gap] = _scores(column[~gap])
        columns.append(z)
        weights.append(1.0)
    spans = {}
    for key, held in coded.items():
        shares = np.bincount(held.codes, minlength=len(held.words)) / len(held.codes)
        hidden = key[0] == "level" and key[1] in settings.sensitive
        weight = WEIGHT_GAPS if key[0] == "gap" else 0.0 if hidden else WEIGHT_LEVELS
        spans[key] = slice(len(columns), len(columns) + len(held.words))
        columns += [(held.codes == j).astype(np.float64) for j in range(len(held.words))]
        weights += [float(np.sqrt(weight / max(1 - (shares**2).sum(), 0.2)))] * len(held.words)
    known = [~np.isnan(column) for column in table.numbers.values()]
    return _Space(
        np.column_stack(columns),
        np.array(weights),
        np.column_stack(known) if known else np.zeros((len(table.rows), 0), dtype=np.bool_),
        tuple(table.numbers),
        coded,
        spans,
        gap_of,
    )


def _gaps(
    table: _Table, k: int
) -> tuple[dict[tuple[str, str], Levels], dict[str, tuple[str, str]]]:
    """Return patterns of gaps, and that of each column that has one.

    Gaps of few persons are none, and patterns that differ for few persons are one: fewer than a
    number that is drawn once for all columns.
    """
    least = table.draws.threshold("gaps", k)
    patterns: dict[tuple[str, str], NDArray[np.bool_]] = {}
    gap_of: dict[str, tuple[str, str]] = {}
    for name, column in table.numbers.items():
        gap = np.isnan(column)
        if persons_of(table.persons, gap) < least:
            continue
        near = (key for key, it in patterns.items() if persons_of(table.persons, it ^ gap) < least)
        gap_of[name] = next(near, ("gap", name))
        patterns.setdefault(gap_of[name], gap)
    words = ("known", MISSING)
    return {key: Levels(words, it.astype(np.intp)) for key, it in patterns.items()}, gap_of


# --- groups -------------------------------------------------------------------------------------


def _placed(space: _Space) -> Floats:
    """Return rows as points of the fewest columns that have the same distances.

    Indicators of L levels lie in a space of L - 1.
    """
    from scipy.linalg import helmert

    p = len(space.numbers)
    parts = [space.scores[:, :p]]
    for key, at in space.spans.items():
        weight = space.weights[at.start]
        if weight and at.stop - at.start > 1:
            parts.append((helmert(at.stop - at.start).T * weight)[space.coded[key].codes])
    return np.column_stack(parts)


def _grouped(points: Floats, table: _Table, settings: Settings) -> Labels:
    """Return the group of each row, numbered from 0: m rows or more, of as many persons.

    The first columns of `points` are those of the numbers; they are blurred.
    """
    near = points.copy()
    for j, name in enumerate(table.numbers):
        if near[:, j].any():
            near[:, j] += BLUR * _normal(table.draws.of_rows(f"blur {name}")[:, 0])
    near = np.round(near, 9)
    near = near[:, near.any(axis=0)] if near.any() else np.zeros((len(near), 1))
    ties = table.draws.of_rows("tie")
    at: Labels = np.arange(len(near))
    if table.persons is not None:
        _, firsts, at = np.unique(table.persons, return_index=True, return_inverse=True)
        rows = np.bincount(at)
        near = np.column_stack([np.bincount(at, column) / rows for column in near.T])
        ties = ties[firsts]
    size = len(near)
    order, labels = groups_in_order(
        np.ascontiguousarray(near), np.zeros(size, dtype=np.intp), settings.m, ties
    )
    groups = np.empty(size, dtype=np.intp)
    groups[order] = np.unique(labels, return_inverse=True)[1]
    return groups[at]


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


def _far(table: _Table, settings: Settings) -> NDArray[np.bool_]:
    """Say which rows stand out: far from their group's others, or along an axis of the table.

    Numbers alone count, so groups are of them alone. Who stands out takes no part with any row.
    A column keeps the numbers of 2 k persons or more.
    """
    p = len(table.numbers)
    if not p:
        return np.zeros(len(table.rows), dtype=np.bool_)
    space = _space(table._replace(levels={}), settings)
    groups = _grouped(space.scores[:, :p], table, settings)
    scores = _filled(space, groups)[:, :p]
    share = WITHHELD * (0.5 + float(table.draws.of_table("withheld", 1)[0]))
    length = _from_others(scores, p, groups)[1]
    out: NDArray[np.bool_] = length > np.quantile(length, 1 - share)
    if p > 1:
        sizes, axes = np.linalg.eigh(np.cov(scores, rowvar=False) + 1e-3 * np.eye(p))
        along = np.abs(scores @ axes / np.sqrt(sizes)).max(axis=1)
        out |= along > np.quantile(along, 1 - share / 2)
    if table.persons is not None:
        out = np.isin(table.persons, table.persons[out])
    for known in space.known.T:
        if persons_of(table.persons, known & ~out) < PERSONS_PER_K // 2 * settings.k:
            out &= ~known
            if table.persons is not None:
                out &= ~np.isin(table.persons, table.persons[known])
    return out


# --- rows redrawn -------------------------------------------------------------------------------


def _drawn(table: _Table, rows: int, settings: Settings) -> WholeCopy:
    """Draw about so many rows: for those that take part, and for some again in place of others."""
    space = _space(table, settings)
    groups = _grouped(_placed(space), table, settings)
    draws, k = table.draws, settings.k
    off = np.clip(_normal(draws.of_table("rows", 1)[0]), -WIDEST_NOISE, WIDEST_NOISE)
    n = max(settings.m, round(rows + ROWS_NOISE * k * table.usual * float(off)))
    by_chance = np.argsort(draws.of_rows("refill")[:, 0], kind="stable")
    parts = []
    for turn, start in enumerate(range(0, n, len(groups))):
        at = by_chance[: n - start]
        parts.append((at, draws.taken(at), "again " * turn))
    who = np.concatenate([at for at, _, _ in parts])

    def keyed(name: str) -> Floats:
        return np.concatenate([part.of_rows(before + name)[:, 0] for _, part, before in parts])

    latent, shares = _latent(space, groups, who, keyed, settings)
    p = len(space.numbers)
    words = {
        key: _taken(
            latent[:, at],
            shares[:, at.start - p : at.stop - p],
            space.coded[key],
            k,
            draws.of_table(f"counts {key}", len(space.coded[key].words)),
            table.noise,
        )
        for key, at in space.spans.items()
    }
    ties, place = keyed("order of ties"), np.argsort(keyed("place"))
    numbers = {}
    for j, name in enumerate(space.numbers):
        raw, have = table.numbers[name], np.ones(len(who), dtype=np.bool_)
        if name in space.gap_of:
            have = words[space.gap_of[name]] == 0
        known = np.flatnonzero(~np.isnan(raw))
        column, whose = np.full(len(who), np.nan), _of(table.persons, known)
        column[have] = given_back(
            latent[have, j], ties[have], raw[known], whose, table.chance(name), k, table.noise
        )
        numbers[name] = column[place]
    levels = {
        key[1]: Levels(space.coded[key].words, codes[place])
        for key, codes in words.items()
        if key[0] == "level"
    }
    return WholeCopy(numbers, levels, table.rows[who[place]], groups, {})


def _latent(
    space: _Space,
    groups: Labels,
    who: Labels,
    keyed: Callable[[str], Floats],
    settings: Settings,
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
    own = _by_members(gap, groups, who, keyed, MEMBERS * settings.m)
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
    gap: Floats, groups: Labels, who: Labels, keyed: Callable[[str], Floats], most: int
) -> Floats:
    """Return for each drawn row the sum of its group's gaps, each times noise of its own.

    Of a group of more than `most` rows, so many are drawn.
    """
    order = np.argsort(groups, kind="stable")
    size = np.bincount(groups)
    starts = np.cumsum(size) - size
    mine = groups[who]
    count = np.minimum(size, most)[mine]
    out = np.zeros((len(who), gap.shape[1]))
    for slot in range(int(count.max())):
        has = np.flatnonzero(count > slot)
        at = np.full(len(has), slot)
        large = size[mine[has]] > most
        if large.any():
            any_of = keyed(f"which {slot}")[has]
            at = np.where(large, (any_of * size[mine[has]]).astype(np.intp), at)
        member = order[starts[mine[has]] + at]
        out[has] += _normal(keyed(f"member {slot}"))[has, None] * gap[member]
    return out / np.sqrt(count)[:, None]


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


def _taken(
    latent: Floats, share: Floats, column: Levels, k: int, uniform: Floats, noise: float
) -> Labels:
    """Return the level of largest latent number that rows near have; totals are calibrated.

    They are those of the rows that take part with noise, so that no count shows who is in it.
    """
    latent = np.where(share > 0, latent, -np.inf)
    count = np.bincount(column.codes, minlength=len(column.words)).astype(np.float64)
    target = noised(count * len(latent) / count.sum(), uniform, noise, k)
    target = target * len(latent) / target.sum()
    shift = np.zeros(len(target))
    for _ in range(60):
        have = np.bincount((latent + shift).argmax(axis=1), minlength=len(shift))
        if np.abs(have - target).max() <= 1:
            break
        shift += 0.5 * np.clip((target - have) / np.maximum(target, 5), -0.2, 0.2)
    return np.asarray((latent + shift).argmax(axis=1))
