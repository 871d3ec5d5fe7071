"""What is asked of a plot, and how it is made.

Each plot is one frozen dataclass. Its fields are what one can ask for: columns first, then settings
by name. Of each field `Setting` says its type, its range and what it does; the methods of a Study
and a Research, the options of the command line, the schema of the server and the form of the page
are made from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, InputError
from discreet.levels import in_order
from discreet.methods import CLUSTER_METHODS, COPY_METHODS, ROW_METHODS
from discreet.plots.view import Origin, View
from discreet.regression import Model

BINS, GRID, PIXELS = 20, 30, 400
"""Bins of a histogram, cells along each side of a grid and pixels of an axis, where nobody says."""

GRIDDED = ("suppression", "generalization")
#: Methods that count in bins or cells, rows that are protected before among them.
BINNED = (*GRIDDED, *ROW_METHODS)
#: Methods of a plot of points.
POINTS = (*ROW_METHODS, *GRIDDED, "none")
NOISY = tuple(name for name, method in ROW_METHODS.items() if method.by_noise)
LEAST_K = {name: method.least_k for name, method in ROW_METHODS.items() if method.least_k > 1}

ROWS, COUNTS = "rows", "counts"
"""What a plot is drawn from: protected rows, or counts of a table."""
STUDY, PAPERS = "study", "papers"
"""Where a setting is of use: of a Study and its copy, and of the papers' methods."""

V = TypeVar("V", bound=View, covariant=True)
Limits = Mapping[str, tuple[float, float]]
Edges = Mapping[str, tuple[float, ...]]
Ends = Mapping[str, Sequence[float]]
"""Of some columns the ends of their axis, or the edges of their bins."""
By = str | tuple[str, str] | list[str]
"""The column of levels that divides a plot, or two of them."""
NONE: Mapping[str, Any] = MappingProxyType({})


# --- what is known of a field ---------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """What is known of a field of a plot.

    Parameters
    ----------
    type : str
        "column", "columns", "formula", "by", "weights", "sensitive", "limits" or "edges" of what
        names columns; "integer", "number", "yes_no", "word" or "words" (texts, one or several) of
        what else a plot is asked for with.
    says : str
        One sentence on it.
    kind : {"continuous", "categorical", "any"}
        Of a column, of which kind it is; of "any", numbers are codes of levels.
    least, most, step : number, optional
        The range of a number; of columns how many there are.
    choices : tuple of str
        The words that are allowed.
    methods : tuple of str
        The methods that have a use for it; all where none is named.
    more : mapping of str to number
        The least that single methods need, where that is more than `least`.
    only : {"", "study", "papers"}
        Where it can be asked for, if not everywhere.
    one_by_one : bool
        Whether columns are named one by one where a plot is asked for, and not in a list.
    """

    type: str
    says: str
    kind: str = "any"
    least: float | None = None
    most: float | None = None
    step: float | None = None
    choices: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    more: Mapping[str, float] = field(default_factory=lambda: NONE)
    only: str = ""
    one_by_one: bool = False

    def least_of(self, methods: Iterable[str]) -> float | None:
        """Return the least that is enough for each of some methods."""
        if self.least is None:
            return None
        return max(self.more.get(method, self.least) for method in methods)


ASKED_FOR = ("integer", "number", "yes_no", "word", "words")
"""Types of what a plot is asked for with beside columns, and the ends of their axes."""
OF_METHOD: Mapping[str, Setting] = MappingProxyType(
    {
        "k": Setting(
            "integer",
            "The least number of people behind anything drawn.",
            least=1,
            more=MappingProxyType(LEAST_K | dict.fromkeys(CLUSTER_METHODS, 2)),
        ),
        "q": Setting(
            "number",
            "Noise as a share of a column's standard deviation.",
            least=0.01,
            most=100,
            methods=NOISY,
        ),
    }
)
"""Numbers of the method by which rows are protected: no fields of a plot."""


def setting(type: str, says: str, **more: Any) -> dict[str, Setting]:
    """Return the metadata of a field."""
    return {"setting": Setting(type, says, **more)}


def column(says: str, kind: str = "continuous") -> dict[str, Setting]:
    """Return the metadata of a field that names one column."""
    return setting("column", says, kind=kind)


BY = setting("by", "A column of levels that divides the plot, or two.", kind="categorical")
WEIGHTS = setting("weights", "A column of numbers: the weights of a survey.", only=STUDY)
LIMITS = setting("limits", "The lower and the upper end of the axis of a column.")
CELLS = setting("integer", "Cells along each side of the grid.", least=2, most=1000, step=1)


# --- counts of people from the data ---------------------------------------------------------------


@dataclass(frozen=True)
class AnsweredCells:
    """Counts of people that were answered from the data, with noise; 0 where one is not given.

    Of each dimension, first those of `by` and then of the columns, there are the names of its parts
    and their ends, none of levels.
    """

    labels: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[float, ...], ...]
    counts: NDArray[np.int64]
    given: NDArray[np.bool_]


# --- how a plot is made ---------------------------------------------------------------------------


@dataclass(frozen=True)
class How:
    """How a plot is made: the method and its numbers, as the policy settles them.

    `of_copy` says whether it is drawn from the copy of the whole table, whose groups are of `m`
    persons. `orders` are the levels of columns in order: all of the copy, and of rows that are
    drawn of no such copy those that the data or the policy declare.
    """

    method: str
    k: int
    q: float | None = None
    rounding: str | None = None
    c: int | None = None
    m: int | None = None
    of_copy: bool = False
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NONE, repr=False)

    @property
    def from_rows(self) -> bool:
        """Whether protected rows are drawn, rather than counts."""
        return self.method in COPY_METHODS

    @property
    def row_parameters(self) -> dict[str, Any]:
        """The parameters of a row method that a reader may know."""
        given: dict[str, Any] = {} if COPY_METHODS[self.method].by_noise else {"k": self.k}
        also = {"m": self.m, "q": self.q or None, "rounding": self.rounding, "c": self.c}
        return given | {name: value for name, value in also.items() if value is not None}

    def count_parameters(self, **beside: Any) -> dict[str, Any]:
        """Return the parameters of a count method that a reader may know, and some beside them."""
        out: dict[str, Any] = {} if self.method in ("none", *NOISY) else {"k": self.k}
        also = {"m": self.m, "q": self.q or None}
        return out | {name: value for name, value in also.items() if value is not None} | beside

    def in_order(self, levels: Iterable[str], column: str | None) -> tuple[str, ...]:
        """Return different levels of a column in order."""
        return in_order(levels, self.orders.get(column or "", ()))


@dataclass(frozen=True, kw_only=True)
class Plot(Generic[V]):
    """What is asked of a plot: a dataclass a plot, with what is known of all such plots.

    Attributes
    ----------
    name : str
        The method of a Study, and the plot in policies, requests and registers.
    title, noun, says : str
        What the page calls it, what a sentence calls one of them (by default the title), and a
        sentence on it.
    numbers : tuple of str
        Which of `OF_METHOD` it has a use for.
    methods, method : tuple of str, str
        The methods that it can be made by, and that which `research` takes where the caller says
        none; "rows" stands for the row method of the policy.
    sources : tuple of {"rows", "counts"}
        What it can be drawn from.
    divided : tuple of {"rows", "counts"}
        What of it a column of levels may divide. With such a column it takes as few columns as it
        can.
    small_multiples : bool
        Whether such a column gives a panel for each level, and not a part of one picture.
    each_pair : bool
        Whether each pair of levels of two columns has a panel, or marks would hide one another.
    side_by_side : bool
        Whether the levels of a second column stand side by side at those of the first.
    binned : bool
        Whether it is drawn in bins or cells by every method.
    pairwise : bool
        Whether rows of the copy with gaps are drawn, for it looks at each two columns by itself.
    axes : bool
        Whether its columns are axes in an order, of which some can be named as sensitive.
    answered : {"", "levels", "bins", "steps", "quantiles"}
        How people are counted where the data are asked for it: by levels, in bins, in steps of
        time, or by quantiles; empty where the data cannot be asked for it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    noun: ClassVar[str] = ""
    says: ClassVar[str]
    numbers: ClassVar[tuple[str, ...]] = ()
    methods: ClassVar[tuple[str, ...]]
    method: ClassVar[str] = "rows"
    sources: ClassVar[tuple[str, ...]] = (ROWS,)
    divided: ClassVar[tuple[str, ...]] = ()
    small_multiples: ClassVar[bool] = False
    each_pair: ClassVar[bool] = False
    side_by_side: ClassVar[bool] = False
    binned: ClassVar[bool] = False
    pairwise: ClassVar[bool] = False
    axes: ClassVar[bool] = False
    answered: ClassVar[str] = ""

    # --- what can be asked for ------------------------------------------------------------------

    @classmethod
    @cache
    def settings(cls) -> Mapping[str, Setting]:
        """Return what is known of each field."""
        named = {it.name: it for it in fields(cls) if "setting" in it.metadata}
        return MappingProxyType({name: it.metadata["setting"] for name, it in named.items()})

    @classmethod
    @cache
    def parameters(cls) -> Mapping[str, Setting]:
        """Return what it is asked for with beside columns and the ends of their axes."""
        own = {name: it for name, it in cls.settings().items() if it.type in ASKED_FOR}
        return MappingProxyType({name: OF_METHOD[name] for name in cls.numbers} | own)

    @classmethod
    @cache
    def usual(cls) -> Mapping[str, Any]:
        """Return what holds where a field is not named."""
        return MappingProxyType({it.name: it.default for it in fields(cls)})

    @classmethod
    def places(cls) -> dict[str, Setting]:
        """Return the fields that name a column each, or all of its columns."""
        return {n: it for n, it in cls.settings().items() if it.type in ("column", "columns")}

    @classmethod
    def listed(cls) -> bool:
        """Tell whether its columns are one field."""
        return any(it.type == "columns" for it in cls.settings().values())

    @classmethod
    def one_by_one(cls) -> bool:
        """Tell whether its columns are named one by one where it is called, not in a list."""
        return any(it.one_by_one for it in cls.places().values())

    @classmethod
    def kind(cls) -> str:
        """Say of which kind its columns are, "any" where they are not alike.

        It is "formula" of what is asked for with the formula of a regression.
        """
        if "formula" in cls.settings():
            return "formula"
        kinds = {it.kind for it in cls.places().values()}
        return kinds.pop() if len(kinds) == 1 else "any"

    @classmethod
    def least(cls) -> int:
        """Return how many columns it takes at least."""
        if not cls.listed():
            usual = cls.usual()
            return sum(usual[name] is not None for name in cls.places())
        return int(next(iter(cls.places().values())).least or 0)

    @classmethod
    def most(cls) -> int:
        """Return how many columns it takes at most."""
        if not cls.listed():
            return len(cls.places())
        return int(next(iter(cls.places().values())).most or 0)

    @classmethod
    def phrase(cls) -> str:
        """Name one of them in a sentence: "a bar chart"."""
        noun = cls.noun or cls.title.lower()
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

    @classmethod
    def takes(cls) -> str:
        """Say of which kinds its columns are."""
        if not cls.unlike():
            return f"{cls.kind()} columns"
        named = [f"{name} ({it.kind})" for name, it in cls.places().items()]
        optional = "".join(f", and perhaps {it}" for it in named[cls.least() :])
        return " and ".join(named[: cls.least()]) + optional

    @classmethod
    def unlike(cls) -> bool:
        """Tell whether each of its columns is something else to it, and not one of two alike."""
        places = cls.places()
        return len(places) > 1 and (cls.kind() == "any" or cls.least() < cls.most())

    @classmethod
    def uses(cls, method: str, number: str) -> bool:
        """Tell whether the plot by a method has a use for a number."""
        if number == "q":
            return method in NOISY
        if number == "grid":
            return "grid" in cls.settings() and (cls.binned or method in GRIDDED)
        if number == "limits":
            gridded = cls.uses(method, "grid")
            return gridded or not {"bins", "pixels"}.isdisjoint(cls.settings())
        return number in {**cls.settings(), **cls.parameters()}

    @classmethod
    def of_columns(cls, columns: Sequence[str], **how: Any) -> Plot[V]:
        """Return the plot of some columns, in the order of its places."""
        if cls.listed():
            (name,) = cls.places()
            return cls(**{name: tuple(columns)}, **how)
        return cls(**dict(zip(cls.places(), columns, strict=False)), **how)

    # --- what was asked for ---------------------------------------------------------------------

    def get(self, name: str) -> Any:
        """Return a field, None of one that this plot does not have."""
        return getattr(self, name) if name in self.settings() else None

    def changed(self, **values: Any) -> Self:
        """Return the plot with other values of some fields."""
        return replace(self, **values)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it draws, in the order of its fields."""
        found: list[str] = []
        for name, it in self.places().items():
            value = getattr(self, name)
            found += value if it.type == "columns" else [] if value is None else [value]
        return tuple(found)

    @property
    def by_names(self) -> tuple[str, ...]:
        """The columns that divide it: none, one, or two."""
        return columns_of_by(self.get("by"))

    @property
    def by_name(self) -> str | None:
        """The first column that divides it."""
        return next(iter(self.by_names), None)

    def declared(self, what: str, column: str) -> tuple[float, ...]:
        """Return the edges of a column's bins, or the limits of its axis; none if undeclared."""
        return tuple(map(float, (self.get(what) or NONE).get(column, ())))

    # --- how it is drawn ------------------------------------------------------------------------

    def made(
        self,
        how: How,
        origin: Origin,
        parameters: Mapping[str, Any] = NONE,
        suppressed: int | None = 0,
    ) -> dict[str, Any]:
        """Return what its View says of how it was made."""
        return {
            "columns": self.names,
            "method": how.method,
            "parameters": MappingProxyType({**parameters}),
            "suppressed": suppressed,
            "origin": origin,
        }

    def on_axes_of(self, values: Floats, how: How, *, dated: bool) -> Plot[V]:
        """Return the plot of a part of the rows, on axes that all of `values` would have."""
        return self

    def from_rows(
        self, rows: Mapping[str, Floats], levels: Sequence[str], how: How, origin: Origin
    ) -> V:
        """Draw protected rows, given the level of each where the plot is divided."""
        raise BrokenPromiseError(f"{self.phrase()} is not drawn from rows")

    def from_counts(self, table: Countable, how: How, origin: Origin) -> V:
        """Draw counts of a table."""
        raise BrokenPromiseError(f"{self.phrase()} is not drawn from counts")

    def from_cells(self, cells: AnsweredCells, how: How, origin: Origin) -> V | None:
        """Draw counts of people that were answered from the data; None where it cannot be drawn."""
        raise BrokenPromiseError(f"{self.phrase()} is not answered from the data")

    def weighted(
        self,
        view: Any,
        rows: Mapping[str, Floats],
        levels: Mapping[str, Sequence[str]],
        weights: Floats,
        how: How,
    ) -> V:
        """Draw a view again with the weights of its rows, given all columns of these."""
        raise BrokenPromiseError(f"{self.phrase()} has no weights")


@dataclass(frozen=True)
class PlotRequest:
    """One plot as it will be made: what was asked for, and how, after the policy had its say."""

    plot: Plot[Any]
    how: How
    model: Model | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it draws; of a formula the numbers in it."""
        return self.plot.names if self.model is None else tuple(self.model.numbers)

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that the plot says something about."""
        return (*self.columns, *self.plot.by_names)


def columns_of_by(by: object) -> tuple[str, ...]:
    """Return the columns that divide a plot: none, one, or two that are named as a pair.

    Examples
    --------
    >>> columns_of_by(None), columns_of_by("sex"), columns_of_by(["age_band", "sex"])
    ((), ('sex',), ('age_band', 'sex'))
    """
    if by is None:
        return ()
    if isinstance(by, str):
        return (by,)
    names = tuple(by) if isinstance(by, Sequence) else ()
    if not 1 <= len(names) <= 2 or not all(isinstance(name, str) for name in names):
        raise InputError(
            "by takes the name of a column of levels, or of two: by=('age_band', 'sex')",
            parameter="by",
            rule="two",
        )
    return names
