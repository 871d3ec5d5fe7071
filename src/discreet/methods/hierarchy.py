"""Ways to make the levels of a column coarser: a user's hierarchy, intervals, "other"."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels, as_levels
from discreet.errors import InputError, one_of, path_in_words
from discreet.places import is_there

SEPARATORS = (";", "\t", ",")  # the first that gives each line the same number of names


@dataclass(frozen=True)
class Hierarchy:
    """Coarser names for the levels of a column, step after step.

    Each step gives every level its name there; levels of one name are one level. Levels that share
    a name at one step share one at the next. InputError is raised if there is no step or no level,
    the steps know different levels, or one is finer than the one before.

    Examples
    --------
    >>> area = Hierarchy("town", ({"Exeter": "south", "Truro": "south", "York": "north"},))
    >>> area.steps[0]["Truro"]
    'south'
    """

    column: str
    steps: tuple[Mapping[str, str], ...]

    def __post_init__(self) -> None:
        where = f"the hierarchy of column {self.column!r}"
        if not self.steps or not self.steps[0]:
            raise InputError(f"{where} is empty; give each level at least one coarser name")
        for number, (fine, coarse) in enumerate(itertools.pairwise(self.steps), start=2):
            if fine.keys() != coarse.keys():
                raise InputError(f"{where} has different levels at step {number} than before")
            above = {fine[level]: coarse[level] for level in fine}
            if any(above[fine[level]] != coarse[level] for level in fine):
                raise InputError(
                    f"{where} splits at step {number} what was merged at the step before; give "
                    "different names to levels that stay separate"
                )


def read_hierarchy(column: str, source: str | Path | Mapping[str, Any]) -> Hierarchy:
    """Read a hierarchy from a CSV file, or from nested tables as TOML gives them.

    Parameters
    ----------
    column : str
        The column's name.
    source : path or mapping
        A CSV file in the form of ARX, one line for each level: the level, its coarser name, the
        still coarser one, and so on, separated by ``;``, tab or ``,`` (the first of these with
        which all lines are of one length). There is no header: a line of titles is taken for one
        more level, which does no harm, for a hierarchy may know levels that the data lack. Empty
        lines are passed over; spaces belong to names. Or nested mappings whose leaves are lists of
        levels, the outermost name being the coarsest: ``{"north": {"Yorkshire": ["York",
        "Leeds"]}}``. Whole numbers among the levels of a list are read as text.

    Raises
    ------
    InputError
        If the file cannot be read, a level comes twice, lines or tables differ in their number
        of names, there are no coarser names, or a step is finer than the one before.

    Examples
    --------
    >>> nested = {"north": {"Yorkshire": ["York", "Leeds"]}, "south": {"Devon": ["Exeter"]}}
    >>> for step in read_hierarchy("town", nested).steps:
    ...     print(dict(step))
    {'York': 'Yorkshire', 'Leeds': 'Yorkshire', 'Exeter': 'Devon'}
    {'York': 'north', 'Leeds': 'north', 'Exeter': 'south'}
    """
    if isinstance(source, Mapping):
        lines = list(_branches(column, source, ()))
    elif isinstance(source, str | Path):
        lines = _lines(column, Path(source))
    else:
        raise InputError(
            f"the hierarchy of column {column!r} must be the path of a CSV file or nested tables"
        )
    where = f"the hierarchy of column {column!r}"
    if not lines:
        raise InputError(f"{where} is empty; give each level at least one coarser name")
    if len({len(line) for line in lines}) > 1:
        raise InputError(f"{where} must give each level the same number of coarser names")
    levels = [line[0] for line in lines]
    if len(set(levels)) < len(levels):
        raise InputError(f"{where} names a level twice; name each once")
    return Hierarchy(
        column,
        tuple(
            MappingProxyType({line[0]: line[step] for line in lines})
            for step in range(1, len(lines[0]))
        ),
    )


def _lines(column: str, path: Path) -> list[tuple[str, ...]]:
    unread = f"file {path.name!r}, the hierarchy of column {column!r}, is no CSV file in UTF-8"
    try:
        if not (is_there(path) and path.is_file()):  # what is none may never end
            raise InputError(
                f"there is no file {path_in_words(path)}, the hierarchy of column {column!r}"
            )
        text = path.read_bytes().decode("utf-8-sig")
        tables = [
            [
                tuple(line)
                for line in csv.reader(StringIO(text, newline=""), delimiter=separator)
                if line
            ]
            for separator in SEPARATORS
        ]
    except OSError as error:
        raise InputError(
            f"the file {path_in_words(path)}, the hierarchy of column {column!r}, cannot be "
            f"read ({type(error).__name__}); whoever runs discreet must be allowed to read it"
        ) from None
    except (UnicodeDecodeError, csv.Error):  # whose words would quote the file
        raise InputError(unread) from None
    even = (
        table for table in tables if table and len(table[0]) > 1 and len(set(map(len, table))) == 1
    )
    return next(even, max(tables, key=lambda table: sum(map(len, table))))


def _branches(column: str, node: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Go through nested tables; give each level with its names from fine to coarse."""
    if isinstance(node, Mapping):
        for name, inner in node.items():
            yield from _branches(column, inner, (_text(column, name), *above))
    elif isinstance(node, list | tuple):
        for level in node:
            yield (_text(column, level), *above)
    else:
        raise InputError(
            f"the hierarchy of column {column!r} must be tables within tables"
            " that end in lists of levels"
        )


def _text(column: str, name: object) -> str:
    if isinstance(name, str | int) and not isinstance(name, bool):
        return str(name)
    raise InputError(f"the hierarchy of column {column!r} must name levels by texts")


@dataclass(frozen=True)
class Step:
    """What was done to a column: generalised, joined or dropped; and the same in plain words."""

    column: str
    what: str
    detail: str


@dataclass(frozen=True, eq=False)
class Chain:
    """Coarser and coarser joinings of a column's levels; after the `last` step, it is dropped.

    Step 0 joins nothing. Of a later one `grouping` returns which joined level each level belongs
    to, from 0 on, `naming` what it is called, and `wording` what was done, and how.
    """

    column: str
    levels: tuple[str, ...]
    last: int
    grouping: Callable[[int], Labels]
    naming: Callable[[int], list[str]]
    wording: Callable[[int], tuple[str, str]]

    def groups(self, step: int) -> Labels:
        """Return which joined level each level belongs to at `step`, from 0 on."""
        if self.dropped(step):
            return np.zeros(len(self.levels), dtype=np.intp)
        return self.grouping(step) if step else np.arange(len(self.levels), dtype=np.intp)

    def names(self, step: int) -> list[str]:
        """Return the name that each level has at `step`."""
        return self.naming(step) if step else list(self.levels)

    def dropped(self, step: int) -> bool:
        """Say whether the column is dropped at `step`."""
        return step > self.last

    def words(self, step: int) -> Step:
        """Say what a step after step 0 does."""
        return Step(
            self.column, *(("dropped", "left out") if self.dropped(step) else self.wording(step))
        )


def by_hierarchy(levels: Sequence[str], hierarchy: Hierarchy) -> Chain:
    """Join the levels of a column as a hierarchy says."""
    if not hierarchy.steps[0].keys() >= set(levels):
        raise InputError(
            f"the hierarchy of column {hierarchy.column!r} lacks a level of the data; add it"
        )

    def naming(step: int) -> list[str]:
        return [hierarchy.steps[step - 1][level] for level in levels]

    def grouping(step: int) -> Labels:
        number: dict[str, int] = {}
        named = [number.setdefault(name, len(number)) for name in naming(step)]
        return np.array(named, dtype=np.intp)

    return Chain(
        hierarchy.column,
        tuple(levels),
        len(hierarchy.steps),
        grouping,
        naming,
        lambda step: ("generalised", f"step {step} of its hierarchy"),
    )


def intervals(column: str, levels: Sequence[str], order: Sequence[str]) -> Chain:
    """Join neighbouring levels into intervals of 2, 4, 8 and so on."""
    where = f"the order of column {column!r}"
    if isinstance(order, str) or not all(isinstance(level, str) for level in order):
        raise InputError(f"{where} must be a list of texts")
    if len(set(order)) < len(order):
        raise InputError(f"{where} names a level twice; name each once")
    if not set(order) >= set(levels):
        raise InputError(f"{where} lacks a level of the data; add it")
    place = {level: i for i, level in enumerate(order)}
    places = np.array([place[level] for level in levels], dtype=np.intp)

    def name(group: int, step: int) -> str:
        members = order[group << step : (group + 1) << step]
        return members[0] if len(members) == 1 else f"{members[0]} to {members[-1]}"

    last = max(0, (len(order) - 1).bit_length() - 1)  # the widest that is not the whole
    for step in range(1, last + 1):
        names = [name(i, step) for i in range(((len(order) - 1) >> step) + 1)]
        if len(set(names)) < len(names):
            raise InputError(f"{where} would give two intervals one name; rename its levels")
    return Chain(
        column,
        tuple(levels),
        last,
        lambda step: places >> step,  # intervals of 2 ** step levels
        lambda step: [name(group, step) for group in (places >> step).tolist()],
        lambda step: ("joined", f"intervals of {1 << step} neighbouring levels"),
    )


def smallest(column: str, levels: Sequence[str], sizes: NDArray[np.int64]) -> Chain:
    """Join the two smallest levels into "other", then the three smallest, up to all but one.

    Which levels are joined depends on the data, and says which are the smallest. Where a level
    is called "other", the joined ones are "other levels".
    """
    ranks = np.empty(len(levels), dtype=np.intp)
    ranks[np.argsort(sizes, kind="stable")] = np.arange(len(levels))
    numbered = (f"other levels {i}" for i in itertools.count(2))
    names = itertools.chain(("other", "other levels"), numbered)
    other = next(name for name in names if name not in levels)

    def naming(step: int) -> list[str]:
        pairs = zip(levels, (ranks <= step).tolist(), strict=True)
        return [other if joined else level for level, joined in pairs]

    return Chain(
        column,
        tuple(levels),
        max(0, len(levels) - 2),
        lambda step: np.maximum(ranks - step, 0),  # step 1 joins the two smallest
        naming,
        lambda step: ("joined", f"the smallest levels are {other!r}"),
    )


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: its different levels, in order of their names, and which of them each row has."""

    name: str
    levels: tuple[str, ...]
    codes: Labels

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each level."""
        return np.bincount(self.codes, minlength=len(self.levels)).astype(np.int64)


def coded(name: str, given: Sequence[str]) -> Coded:
    """Find the levels of a column."""
    codes, levels = as_levels(name, given)
    return Coded(name, levels, codes)


def chains_of(
    columns: Sequence[Coded],
    hierarchies: Mapping[str, Hierarchy],
    ordered: Mapping[str, Sequence[str]],
) -> tuple[Chain, ...]:
    """Choose each column's chain: its hierarchy's; else intervals if ordered; else "other"."""
    names = [column.name for column in columns]
    for what, given in {"hierarchies": hierarchies, "ordered": ordered}.items():
        for name in given:
            if name not in names:
                raise InputError(f"{what} names column {name!r}; there are {one_of(names)}")
    chains = []
    for column in columns:
        hierarchy, order = hierarchies.get(column.name), ordered.get(column.name)
        if hierarchy is not None and order is not None:
            raise InputError(f"column {column.name!r} has a hierarchy and an order; give one")
        if hierarchy is not None:
            if hierarchy.column != column.name:
                raise InputError(f"the hierarchy of column {column.name!r} is of another column")
            chains.append(by_hierarchy(column.levels, hierarchy))
        elif order is not None:
            chains.append(intervals(column.name, column.levels, order))
        else:
            chains.append(smallest(column.name, column.levels, column.sizes))
    return tuple(chains)
