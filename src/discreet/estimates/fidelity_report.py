"""How near a copy is to its raw table: the figures, a word for them, their plot, text and JSON.

The figures of `discreet.measure.fidelity.fidelity` are exact, and the custodian's. Those of
`Fidelity.rounded` are coarse enough to be released with the copy and kept beside it.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from discreet.arguments import Labels
from discreet.document import Block, Document, Documented, Listing, Picture, Words
from discreet.errors import InputError
from discreet.estimates.raw_beside import (
    ColumnBeside,
    GroupFit,
    LevelFit,
    MomentFit,
    farthest_words,
    listings_beside,
    panels_beside,
)
from discreet.estimates.words import nice_above
from discreet.methods.copies import Draws
from discreet.render.figure_file import PANELS_A_ROW
from discreet.render.scene import Axis, Cells, Columns, Lines, Panel, Scene
from discreet.render.to_matplotlib import FIGURES, asking_first, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = 1
OF_STUDY = ("gate", "sealer", "provenance")
"""What of it is no figure."""
SUFFIXES = (".html", ".json", ".txt", *FIGURES)
TITLE = "How near the copy is"
RAW_BESIDE = "Raw beside copy"
BESIDE = f"{RAW_BESIDE}, for the custodian's eyes: bars are the copy, lines the raw table"
DISTANCES = "How far columns and pairs are off"
KOLMOGOROV = 0.8687
"""The mean of Kolmogorov's distribution: a resample's distance times the root of its rows."""
SELDOM = 1.63
"""The distance, so scaled, that one resample in a hundred exceeds."""
STEP, STEP_OF_SUBSETS, STEP_OF_CORRELATIONS, STEP_OF_COEFFICIENTS = 7.0, 16.0, 16.0, 300.0
"""To what figures are rounded, times rows: so chosen that the attack in the tests fails."""
LEAST_STEP, LEAST_OF_SUBSETS, LEAST_OF_COEFFICIENTS = 0.001, 0.01, 0.1
FINER = 2.0
"""A resample's figures, which one row moves by a tenth as much, are rounded to this part."""
MOST_STEP = 0.6
"""What would be rounded to more than this part of a resample's distance is not released."""
HIGH, SMALL = 2.7, (3.75, 2.7)
"""Inches of a panel of raw beside copy, in a figure and on a page, where two have room."""
MOST_PAIRS = 20
MOST_NAMED = 3
"""So many columns, and so many pairs, are named first."""
LIGHTEST, DARKEST = 0.5, 2.5
"""Times a resample's: what the lightest and the darkest colour stand for."""


class Limit(NamedTuple):
    """A word, and how far a copy that deserves it may be at most.

    `pairs` are times a resample's total variation, or `or_pairs` itself where that is more;
    `column` is the largest error of a column (or what one resample in a hundred exceeds, where
    that is more); `correlations` what their mean error may be above a resample's; `coefficients`
    their mean error in standard errors.
    """

    word: str
    pairs: float
    or_pairs: float
    column: float
    correlations: float
    coefficients: float


LIMITS = (
    Limit("near", 1.3, 0.0, 0.06, 0.03, 1.5),
    Limit("a little off", 2.0, 0.03, 0.12, 0.08, math.inf),
    Limit("coarse", *[math.inf] * 5),
)
"""From near to far: the first of which no limit is exceeded is the word of a copy."""


class ColumnFit(NamedTuple):
    """How far a column is: "number" by Kolmogorov and Smirnov, "levels" by total variation.

    `distance` is None in rounded figures of too few rows for so many columns. `joint` is the mean
    total variation of the column with each other one, `resample` that of a resample; 0 where there
    is no other.
    """

    name: str
    kind: str
    distance: float | None
    joint: float = 0.0
    resample: float = 0.0

    @property
    def ratio(self) -> float:
        """How many times as far as a resample it is, with each other column on average."""
        return _ratio(self.joint, self.resample)


class PairFit(NamedTuple):
    """How far two columns are jointly, by total variation, and how far a resample is on average."""

    first: str
    second: str
    distance: float
    resample: float

    @property
    def ratio(self) -> float:
        """How many times as far as a resample it is; infinite where a resample is exact."""
        return _ratio(self.distance, self.resample)


class Beside(NamedTuple):
    """A mean error, and that of a resample."""

    distance: float
    resample: float

    @property
    def ratio(self) -> float:
        """How many times as far as a resample it is; infinite where a resample is exact."""
        return _ratio(self.distance, self.resample)


def _ratio(distance: float, resample: float) -> float:
    if not resample:
        return math.inf if distance else 0.0
    return distance / resample


class SubsetFit(NamedTuple):
    """How far subsets of about so many people are.

    `size` and `size_p90` are the mean and the 90 % quantile of the relative error of how many there
    are; `far_means` is the share of means that are more than two standard errors off.
    """

    persons: int
    subsets: int
    size: float
    size_p90: float
    size_of_resample: float
    far_means: float
    far_of_resample: float


@dataclass(frozen=True, repr=False)
class Fidelity(Documented):
    """How near a copy is to its raw table.

    Parameters
    ----------
    rows : int
        How many rows the copy has.
    largest : float
        The largest error of a column.
    columns : tuple of ColumnFit
        Each column.
    pairs : tuple of PairFit
        Each two columns; none in rounded figures of too few rows for so many pairs.
    correlations : Beside or None
        The mean error of correlations; None where there are not two numbers.
    coefficients : Beside or None
        The mean error of linear coefficients, in standard errors.
    subsets : tuple of SubsetFit
        Subsets of about 30, 50, 100 and 300 people, where there are any.
    exact : bool, default True
        Whether the figures are exact, for the custodian alone.
    moments : tuple of MomentFit
        Means and standard deviations of numbers of both tables; of exact figures alone, as
        are the next two.
    shares : tuple of LevelFit
        Of each column of levels the one whose share is farthest off.
    groups : tuple of GroupFit
        Of each number by each column of levels the group whose mean is farthest off.
    beside : tuple of ColumnBeside
        Of the columns that are farthest off, the shares of the rows in each bar of both tables; of
        exact figures alone as well.
    dates : tuple of str
        The columns whose numbers are days since 1970-01-01.

    Notes
    -----
    It is of use, not of risk. `said` sums it up in points, `word` by the table `LIMITS`.

    Examples
    --------
    >>> pair = PairFit("age", "bmi", 0.06, 0.05)
    >>> columns = tuple(ColumnFit(name, "number", 0.02, 0.06, 0.05) for name in ("age", "bmi"))
    >>> near = Fidelity(500, 0.02, columns, (pair,), None, None, ())
    >>> near.word
    'near'
    >>> near.said
    'shares of single columns are off by at most 2.0 points, of two together by 6.0 on average'
    >>> near
    Fidelity(near; exact, for the custodian: not for release)
    """

    rows: int
    largest: float
    columns: tuple[ColumnFit, ...]
    pairs: tuple[PairFit, ...]
    correlations: Beside | None
    coefficients: Beside | None
    subsets: tuple[SubsetFit, ...]
    exact: bool = True
    moments: tuple[MomentFit, ...] = ()
    shares: tuple[LevelFit, ...] = ()
    groups: tuple[GroupFit, ...] = ()
    beside: tuple[ColumnBeside, ...] = ()
    dates: tuple[str, ...] = ()

    what: ClassVar[str] = "how near a copy is"

    def __repr__(self) -> str:
        return f"Fidelity({self.word}; {self._standing()})"

    @property
    def word(self) -> str:
        """How near the copy is: the first word of `LIMITS` of which no limit is exceeded."""
        return next(limit.word for limit in LIMITS if self._keeps(limit))

    @property
    def said(self) -> str:
        """How far the copy is off, in percentage points of its rows."""
        columns = f"shares of single columns are off by at most {100 * self.largest:.1f} points"
        if self.joint is None:
            return columns
        return f"{columns}, of two together by {100 * self.joint.distance:.1f} on average"

    @property
    def joint(self) -> Beside | None:
        """The mean total variation of pairs, and a resample's; None where there is one column."""
        if len(self.columns) < 2:
            return None
        n = len(self.columns)
        return Beside(
            math.fsum(it.joint for it in self.columns) / n,
            math.fsum(it.resample for it in self.columns) / n,
        )

    def rounded(self, draws: Draws, persons: Labels | None = None) -> Fidelity:
        """Return the figures rounded so coarsely that they may be released with the copy.

        Parameters
        ----------
        draws : Draws
            Those that the copy was made with: each figure goes up or down as the secret says.
        persons : ndarray of int, optional
            Whose each raw row is, where a person may have several: figures are then rounded as for
            so many people, and not for so many rows.

        Notes
        -----
        A figure of 3.4 steps becomes 4 with chance .4 and 3 else: rounded to the nearest, figures
        at a limit would tell whoever knows everybody else, and has the copy, whether one more
        person is in the data. Steps grow with the number of figures of a kind and fall with the
        number of rows, of columns and pairs as 7 root(figures) / rows. Where so coarse a step would
        be more than .6 of a resample's distance, distances of pairs and of columns are left out:
        the largest of the columns, and a column's mean over its pairs, which one person moves less,
        stay.

        **What it does not protect.** Such an insider, who compares what is released with what
        either case would give, has an AUC of about .6, and of .7 to .8 for somebody who stands out
        by several columns together (Titanic, diabetes; four standard deviations in each). Who has
        many more rows than others moves figures further than they do.
        """
        n = self.rows if persons is None else len(np.unique(persons))
        (largest,) = _round(draws, "largest", [self.largest], _step(1, n))
        return Fidelity(
            rows=self.rows,
            largest=largest,
            columns=self._rounded_columns(draws, n),
            pairs=self._rounded_pairs(draws, n),
            correlations=self._rounded_correlations(draws, n),
            coefficients=self._rounded_coefficients(draws, n),
            subsets=tuple(self._rounded_subset(draws, it, n) for it in self.subsets),
            exact=False,
        )

    def _resample(self) -> float:
        """Return how far a column of numbers of a resample is, on average."""
        return KOLMOGOROV / math.sqrt(self.rows)

    def _rounded_columns(self, draws: Draws, n: int) -> tuple[ColumnFit, ...]:
        step, fine = _step(len(self.columns), n), _step(1, n) / FINER
        far: Sequence[float | None] = [None] * len(self.columns)
        if step <= MOST_STEP * self._resample():
            known = [it.distance for it in self.columns if it.distance is not None]
            far = _round(draws, "columns", known, step)
        # A person moves a mean over pairs less than one pair, but the largest as far as that.
        joint = _round(draws, "joint", [it.joint for it in self.columns], _step(1, n))
        near = _round(draws, "joint of a resample", [it.resample for it in self.columns], fine)
        return tuple(
            it._replace(distance=d, joint=j, resample=r)
            for it, d, j, r in zip(self.columns, far, joint, near, strict=True)
        )

    def _rounded_pairs(self, draws: Draws, n: int) -> tuple[PairFit, ...]:
        step = _step(len(self.pairs), n)
        if self.joint is None or step > MOST_STEP * self.joint.resample:
            return ()
        fine = step / FINER
        far = _round(draws, "pairs", [it.distance for it in self.pairs], step)
        near = _round(draws, "resample", [it.resample for it in self.pairs], fine)
        return tuple(
            it._replace(distance=d, resample=max(r, fine) if it.resample else 0.0)
            for it, d, r in zip(self.pairs, far, near, strict=True)
        )

    def _rounded_correlations(self, draws: Draws, n: int) -> Beside | None:
        if self.correlations is None:
            return None
        step = nice_above(max(STEP_OF_CORRELATIONS / n, LEAST_STEP))
        far, near = self.correlations
        (far,) = _round(draws, "correlations", [far], step)
        (near,) = _round(draws, "correlations of a resample", [near], step / FINER)
        return Beside(far, near)

    def _rounded_coefficients(self, draws: Draws, n: int) -> Beside | None:
        if self.coefficients is None:
            return None
        step = nice_above(max(STEP_OF_COEFFICIENTS / n, LEAST_OF_COEFFICIENTS))
        (far,) = _round(draws, "coefficients", [self.coefficients.distance], step)
        return Beside(far, self.coefficients.resample)  # a resample's is the same for all tables

    def _rounded_subset(self, draws: Draws, it: SubsetFit, n: int) -> SubsetFit:
        figures = math.sqrt(3 * len(self.subsets))
        step = nice_above(max(STEP_OF_SUBSETS * figures / n, LEAST_OF_SUBSETS))
        given = [it.size, it.size_p90, it.far_means]
        size, p90, means = _round(draws, f"subsets {it.persons}", given, step)
        near = round(it.size_of_resample, 2)
        return SubsetFit(
            it.persons, it.subsets, size, p90, near, means, round(it.far_of_resample, 2)
        )

    def _keeps(self, limit: Limit) -> bool:
        joint = self.joint or Beside(0.0, 0.0)
        correlations = self.correlations or Beside(0.0, 0.0)
        off = self.coefficients.distance if self.coefficients else 0.0
        near = joint.ratio <= limit.pairs or joint.distance <= limit.or_pairs
        return (
            near
            and self.largest <= max(limit.column, SELDOM / math.sqrt(self.rows))
            and correlations.distance - correlations.resample <= limit.correlations
            and off <= limit.coefficients
        )

    def _standing(self) -> str:
        return "exact, for the custodian: not for release" if self.exact else ROUNDED

    # --- plot, text, page and JSON ---

    def scene(self) -> Scene:
        """Return the plot: of exact figures raw beside copy, of others how far pairs are off."""
        if not self.beside:
            return self._distances()
        return Scene(
            panels_beside(self.beside, self.dates), BESIDE, (*self._not_drawn(), *self.notes())
        )

    def _not_drawn(self) -> tuple[str, ...]:
        more = len(self.columns) - len(self.beside)
        columns = "one column that is" if more == 1 else f"{more:,} columns that are"
        return (f"not drawn: {columns} nearer",) if more else ()

    def _distances(self) -> Scene:
        """Return pairs as a triangle of cells (or columns with all others), and columns."""
        panels = []
        if self.pairs:
            panels.append(self._triangle())
        elif self.joint is not None:
            ratios = [min(it.ratio, DARKEST) for it in self.columns]
            what = "error, relative to a resample"
            panels.append(self._bars("Each column with each other one", what, ratios, 1.0))
        known = [it.distance for it in self.columns if it.distance is not None]
        if known:
            beside = self._resample() if any(it.kind == "number" for it in self.columns) else None
            what = "largest difference of shares"
            panels.append(self._bars("Each column", what, known, beside))
        return Scene(tuple(panels), f"{TITLE}: {self.said}", self.notes())

    def _bars(self, title: str, what: str, values: Sequence[float], beside: float | None) -> Panel:
        names = tuple(it.name for it in self.columns)
        marks: list[Columns | Lines] = [Columns((tuple(values),))]
        if beside is not None:
            ends = (-0.5, len(names) - 0.5)
            marks.append(Lines((ends,), ((beside, beside),), "far reference", "a resample"))
        top = 1.15 * max(*values, beside or 0.0, 0.01)
        return Panel(tuple(marks), Axis("", ticks=names), Axis(what, (0.0, top)), title)

    def _triangle(self) -> Panel:
        names = [it.name for it in self.columns]
        place = {name: i for i, name in enumerate(names)}
        cells: list[list[float | None]] = [[None] * (len(names) - 1) for _ in names[1:]]
        for it in self.pairs:
            first, second = sorted((place[it.first], place[it.second]))
            cells[first][second - 1] = min(max(it.ratio, LIGHTEST), DARKEST)
        edges = tuple(i - 0.5 for i in range(len(names)))
        label = f"error, relative to a resample ({DARKEST:g}: or more)"
        return Panel(
            (Cells(edges, edges, tuple(map(tuple, cells)), label, (LIGHTEST, DARKEST)),),
            Axis("", (edges[0], edges[-1]), tuple(names[:-1])),
            Axis("", (edges[0], edges[-1]), tuple(names[1:])),
            "Each two columns",
        )

    def _size(self) -> tuple[float, float]:
        """Return how large the plot is, in inches: names of columns stand side by side."""
        if self.beside:
            across = min(len(self.beside), PANELS_A_ROW)
            return 4.0 + 2.0 * across, HIGH * math.ceil(len(self.beside) / across)
        wide = max(4.6, 1.8 + 0.3 * len(self.columns))
        high = max(4.2, 1.2 + 0.26 * len(self.columns)) if self.pairs else 4.2
        return len(self.scene().panels) * wide, high

    def _farthest(self) -> tuple[str, ...]:
        """Name what is farthest: in the columns' units where figures are exact, else in points."""
        named_columns = farthest_words(self.moments, self.shares, self.groups, self.dates)
        pairs = sorted(self.pairs, key=lambda it: (it.resample - it.distance, it.first, it.second))
        named = [
            f"{it.first} and {it.second} {_beside(it.distance, it.resample)}"
            for it in pairs[:MOST_NAMED]
            if it.distance
        ]
        of_pairs = [f"farthest pairs, in points: {', '.join(named)}"] if named else []
        return (*(named_columns or self._farthest_columns()), *of_pairs)

    def _farthest_columns(self) -> tuple[str, ...]:
        known = [(it.distance, it.name) for it in self.columns if it.distance]
        if known or all(it.distance is not None for it in self.columns):
            worst = sorted(known, key=lambda it: (-it[0], it[1]))[:MOST_NAMED]
            words = ", ".join(f"{name} {100 * far:.1f}" for far, name in worst)
            return (f"farthest columns, in points: {words}",) if worst else ()
        order = sorted(self.columns, key=lambda it: (it.resample - it.joint, it.name))
        words = ", ".join(
            f"{it.name} {_beside(it.joint, it.resample)}" for it in order[:MOST_NAMED]
        )
        return (f"farthest columns, with each other one, in points: {words}",)

    def notes(self) -> tuple[str, ...]:
        """Return in a few lines what is farthest, and how near the copy is in all."""
        lines = [*self._farthest(), f"{self.rows:,} rows; {self._standing()}"]
        shares_off = [f"columns: shares differ by at most {100 * self.largest:.1f} points"]
        if self.joint:
            shares = tuple(f"{100 * it:.1f} %" for it in self.joint)
            shares_off.append(
                "pairs: {} of rows lie in a different cell (of a resample {})".format(*shares)
            )
        lines.append("; ".join(shares_off))
        more = []
        if self.correlations:
            far, near = self.correlations
            more.append(f"correlations off by {_number(far)} (a resample: {_number(near)})")
        if self.coefficients:
            far, near = self.coefficients
            more.append(
                f"linear coefficients by {far:.1f} standard errors (a resample: {near:.1f})"
            )
        beside = [WITHHOLD] if self.exact else []
        return (*lines, *(["; ".join(more)] if more else []), RESAMPLE, *beside)

    def listings(self) -> list[Listing]:
        """Return the tables of text and page: columns, subsets, and the coarsest pairs."""
        head: tuple[str, ...] = ("column", "distance", "with each other one", "a resample")
        rows = tuple(
            (it.name, *map(_number, (it.distance, it.joint, it.resample))) for it in self.columns
        )
        if all(it.distance is None for it in self.columns):  # they would be noise
            head, rows = (head[0], *head[2:]), tuple((row[0], *row[2:]) for row in rows)
        listings = [Listing("Columns", head, rows)]
        if self.subsets:
            head = ("people", "size off, mean", "90 %", "a resample", "means far off", "by chance")
            subsets = (
                (it.size, it.size_p90, it.size_of_resample, it.far_means, it.far_of_resample)
                for it in self.subsets
            )
            rows = tuple(
                (str(it.persons), *(f"{100 * share:.0f} %" for share in shares))
                for it, shares in zip(self.subsets, subsets, strict=True)
            )
            listings.append(Listing("Subsets", head, rows, ()))
        if self.pairs:
            order = sorted(self.pairs, key=lambda it: (-it.ratio, it.first, it.second))
            pairs = tuple(
                (it.first, it.second, f"{it.distance:.3f}", f"{it.resample:.3f}", f"{it.ratio:.1f}")
                for it in order[:MOST_PAIRS]
            )
            head = ("column", "column", "distance", "a resample", "times")
            listings.append(Listing("Pairs of columns, the coarsest first", head, pairs, (0, 1)))
        return listings

    def document(self) -> Document:
        """Return the figures: in short, the plots, tables, and what they do not show."""
        words = f"How near the copy is, column by column and pair by pair: {self.said}"
        distances = Picture(replace(self._distances(), title="", notes=()), words)
        pictures = [distances]
        if self.beside:
            shown = replace(self.scene(), title="", notes=self._not_drawn())
            pictures = [
                Picture(shown, BESIDE, SMALL, title=BESIDE),
                distances._replace(title=DISTANCES),
            ]
        blocks: list[Block] = [Words("", self.notes()), *pictures, *self.listings()]
        return Document(f"{TITLE}: {self.said}", (*blocks, Words(UNSAID, NOT_SAID)))

    def beside_text(self) -> str:
        """Return raw beside copy as text of 88 columns; nothing where figures are not exact."""
        if not self.beside:
            return ""
        blocks: list[Block] = [*listings_beside(self.beside, self.dates)]
        return Document(RAW_BESIDE, (*blocks, Words("", self._not_drawn()))).to_text()

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds but the provenance."""
        names = [it.name for it in dataclasses.fields(self) if it.name not in OF_STUDY]
        names = [it for it in names if it not in OF_EXACT or getattr(self, it)]
        plain: dict[str, Any] = {"discreet": SCHEMA, "kind": "fidelity", "word": self.word}
        for name in names:
            value = getattr(self, name)
            if name in KINDS and isinstance(value, Beside):
                plain[name] = value._asdict()
            else:
                plain[name] = [it._asdict() for it in value] if name in KINDS and value else value
        return plain

    @classmethod
    def from_json(cls, text: str) -> Fidelity:
        """Read back what `to_json` wrote; it has no gate.

        Raises
        ------
        InputError
            If the text is something else.
        """
        try:
            given = json.loads(text, parse_constant=int)  # int("NaN") is refused
            if given.pop("discreet") != SCHEMA or given.pop("kind") != "fidelity":
                raise ValueError
            del given["word"]
            given.pop("provenance", None)
            given["dates"] = tuple(given.get("dates", ()))
            for name, kind in KINDS.items():
                some = given.get(name, ()) if name in OF_EXACT else given[name]
                given[name] = _read(some, kind, several=name not in SINGLE)
            return cls(**given)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError("this is not the JSON of how near a copy is") from None

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings."""
        return super().forms() | self.drawn_forms(self.scene(), self._size())

    def plot(self, *, size: tuple[float, float] | None = None) -> Figure:
        """Draw it with matplotlib; the figure asks before `savefig` writes it, as `save` does."""
        return asking_first(draw(self.scene(), size=size or self._size()), self.gate)


ROUNDED = "figures are rounded up or down at random"
RESAMPLE = (
    "a resample: as many rows drawn with replacement from the raw table; it differs from the "
    "table about as much as the table differs from the population"
)
WITHHOLD = "a column in which the copy is too far off can be withheld (withhold in the policy)"
UNSAID = "What this does not show"
NOT_SAID = (
    "How far off three or more columns are jointly, except through the linear coefficients.",
    "What lies beyond the ends of the copy's columns: the most extreme people are not shown.",
    "What the copy reveals about anybody.",
)
KINDS: Mapping[str, Callable[..., Any]] = {
    "columns": ColumnFit,
    "pairs": PairFit,
    "correlations": Beside,
    "coefficients": Beside,
    "subsets": SubsetFit,
    "moments": MomentFit,
    "shares": LevelFit,
    "groups": GroupFit,
    "beside": ColumnBeside.from_plain,
}
OF_EXACT = ("moments", "shares", "groups", "beside", "dates")
"""What exact figures alone have; it is left out of the JSON of others."""
SINGLE = ("correlations", "coefficients")


def _read(given: Any, kind: Callable[..., Any], *, several: bool) -> Any:
    if several:
        return tuple(kind(**it) for it in given)
    return None if given is None else kind(**given)


def _step(figures: int, n: int) -> float:
    return nice_above(max(STEP * math.sqrt(figures) / n, LEAST_STEP))


def _round(draws: Draws, name: str, values: Sequence[float], step: float) -> list[float]:
    """Round each value to a step below or above, as the secret says; on average it stays."""
    chance = draws.of_table(f"fidelity {name}", len(values)).tolist()
    places = [math.floor(v / step + u) for v, u in zip(values, chance, strict=True)]
    return [float(f"{place * step:.10g}") for place in places]


def _beside(far: float, near: float) -> str:
    return f"{100 * far:.1f} (a resample {100 * near:.1f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
