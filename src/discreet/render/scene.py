"""The drawing vocabulary: what a picture consists of, as plain data.

A View says what may be shown; its Scene says with which marks. Back-ends draw Scenes and know
nothing else, so what is not in a Scene cannot reach a figure.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError


@dataclass(frozen=True)
class Beneath:
    """A row of words beneath an axis: its name, and where on the axis each of its words stands.

    One without words is a heading of the rows that follow.
    """

    name: str
    words: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Axis:
    """One axis: its label and, where the view fixes them, its limits and named ticks.

    The i-th named tick stands at i (0, 1, 2 ...), and so does the i-th of `Boxes` and, upward,
    of `Intervals`. An axis of dates, whose numbers are days since 1970-01-01, has `dates`: where
    each of its ticks stands, and the word there. An x axis with rows `beneath` has its ticks where
    their words stand. Beside a `whole` axis, such as one of years, stand whole numbers alone.
    """

    label: str
    limits: tuple[float, float] | None = None
    ticks: tuple[str, ...] = ()
    dates: tuple[tuple[float, str], ...] = ()
    beneath: tuple[Beneath, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class Bands:
    """Bands of one series: the i-th lies between `low[i]` and `high[i]` along `x[i]`.

    They are shaded in the colour of the lines of look "curve" with the same label.
    """

    x: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    label: str = ""


@dataclass(frozen=True)
class Bars:
    """Histogram bars on `edges` (one more than `heights`).

    A hidden bar is None, which is drawn as a sign below the axis.
    """

    edges: tuple[float, ...]
    heights: tuple[float | None, ...]


@dataclass(frozen=True)
class Dots:
    """Points; `size` is how many records one stands for.

    `by_size` draws the area in proportion to it (gridded points); otherwise all dots are alike
    and those of more than one record are dark, as in Fig. 2 of the 2021 paper. `label` says
    what is counted. Dots of a named `series` have its colour, and a legend tells them apart.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    by_size: bool = False
    label: str = "records"
    series: str = ""


@dataclass(frozen=True)
class Lines:
    """Lines of one meaning: the i-th goes through the points `x[i]`, `y[i]`.

    `look` is "trend" (of what is drawn), "raw" (of raw records, under `research` alone; wider, and
    below trends, so that both are seen where they are one), "reference" (what to compare with; it
    does not widen the axes, and a straight line of two points goes on to their edges), "far
    reference" (dashed, and as long as its points reach), "level" (a contour of value `levels[i]`,
    coloured by it), "series" (a mark at each point; each label has a colour, a mark and dashes of
    its own) or "curve" (a colour and dashes of its own, of points too close for marks). A `label`
    stands in the legend. `scale` are all levels that colours are given to, where several panels
    share them. A trend of a `group` has the colour of the dots of that series.
    """

    x: tuple[tuple[float, ...], ...]
    y: tuple[tuple[float, ...], ...]
    look: str
    label: str = ""
    levels: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Cells:
    """A grid of `values[i][j]` at x interval i and y interval j; a hidden cell is None.

    `span` are the values of the lightest and the darkest colour, where several panels share them.
    `texts` stand in the cells, as many as there are values. Colours of `signed` values go from one
    hue by a pale middle to another.
    """

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]
    label: str
    span: tuple[float, float] | None = None
    texts: tuple[tuple[str, ...], ...] = ()
    signed: bool = False


@dataclass(frozen=True)
class Columns:
    """Upright bars in groups: `heights[s][i]` of series s at the i-th named tick of the x axis.

    A hidden bar is None, which is drawn as a sign below the axis; `series` are the names of a
    legend, and one empty name where there is a single series.
    """

    heights: tuple[tuple[float | None, ...], ...]
    series: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Words:
    """A table of texts: `texts[i][j]` in the i-th row from the top and the j-th column.

    Row names are the ticks of the y axis, column names those of the x axis, which stands on top.
    `totals` says that the last row and the last column are sums, and set apart.
    """

    texts: tuple[tuple[str, ...], ...]
    totals: bool = False


@dataclass(frozen=True)
class Box:
    """One box: five numbers, and the mean and outliers where they may be drawn."""

    label: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    mean: float | None = None
    outliers: tuple[float, ...] = ()


@dataclass(frozen=True)
class Boxes:
    """Boxes side by side, one for each tick of the x axis.

    Those of a `group` have a colour and a line of the legend. Each stands at the tick that has its
    label, beside the boxes of the panel's other groups there.
    """

    boxes: tuple[Box, ...]
    group: str = ""


@dataclass(frozen=True)
class Violin:
    """A shape about the middle of its tick, half as wide at `values[i]` as `halves[i]` says.

    Ticks are 1 apart; a half is at most 0.5. The median is drawn, and a bar between the quartiles.
    """

    values: tuple[float, ...]
    halves: tuple[float, ...]
    q1: float
    median: float
    q3: float


@dataclass(frozen=True)
class Violins:
    """Violins side by side, one for each tick of the x axis."""

    violins: tuple[Violin, ...]


@dataclass(frozen=True)
class Intervals:
    """Estimates lying in their intervals: the i-th of each series stands at the i-th named y tick.

    `ends[s][i]` are the low end, the estimate and the high end of series s; one that is not known
    is None and left out. `series` are the names of a legend, one for each line of `ends`.
    """

    ends: tuple[tuple[tuple[float, float, float] | None, ...], ...]
    series: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Upright:
    """One axis of parallel coordinates: its name, and what stands beside it.

    `ends` are the words at its foot and at its head; of an axis of levels, `levels` are the place
    (0 to 1, from the foot) and the name of each. An axis that is `apart` is drawn as a sensitive
    one, with a line and a word of its own. `scale` are the numbers at its very foot and head: of
    an axis that has it, round numbers between them stand beside the axis; of one of `dates` they
    are days since 1970-01-01, and `dates` are the place (0 to 1) and the word of each tick.
    """

    label: str
    ends: tuple[str, str] | None = None
    levels: tuple[tuple[float, str], ...] = ()
    apart: bool = False
    scale: tuple[float, float] | None = None
    dates: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Uprights:
    """Axes side by side: the i-th stands at x = i and goes from y = 0 to y = 1.

    A panel of uprights has no frame and no ticks; `Trapezoids` and `Strands` lie between them.
    """

    axes: tuple[Upright, ...]


@dataclass(frozen=True)
class Trapezoids:
    """Clusters between the `gap`-th upright and the next, each as the place it takes on both.

    `ends[c]` are the low and the high end on the left, then on the right, each 0 to 1. Wide ones
    are blue and lie behind, narrow ones are orange and in front. `fuzzy` lets their colour fade
    from the middle to the edges. Where some are `lit` (one word for each), the others are pale;
    without any trapezoid, the gap says that it shows nothing. `span` is how wide, at both ends
    together, the first and the last of the colours are, where several gaps share them. `joins` are
    pairs of a cluster here and a cluster of the next gap that light up together under a pointer.
    """

    gap: int
    ends: tuple[tuple[float, float, float, float], ...]
    fuzzy: bool = True
    lit: tuple[bool, ...] | None = None
    span: tuple[float, float] = (0.02, 0.9)
    joins: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Strands:
    """Straight lines between the `gap`-th upright and the next: raw records, under `research`.

    `ends[i]` are its places on the left and on the right, each 0 to 1; `lit` and `joins` as of
    `Trapezoids`.
    """

    gap: int
    ends: tuple[tuple[float, float], ...]
    lit: tuple[bool, ...] | None = None
    joins: tuple[tuple[int, int], ...] = ()


Mark = (
    Bands
    | Bars
    | Boxes
    | Cells
    | Columns
    | Dots
    | Intervals
    | Lines
    | Strands
    | Trapezoids
    | Uprights
    | Violins
    | Words
)


@dataclass(frozen=True)
class Panel:
    """Marks on one pair of axes, under a title of their own where there are several panels.

    What a panel without marks `says` stands in its middle. `legend` is the title of its legend:
    the column whose levels have a colour each. `order` are all of these in order, of which some may
    have no mark: a level has the colour of its place there, whichever others are drawn.
    """

    marks: tuple[Mark, ...]
    x: Axis
    y: Axis
    title: str = ""
    says: str = ""
    legend: str = ""
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """Panels in rows and columns, which are named once each instead of every panel."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """Panels side by side, a title, and notes that stand small below (how it was made).

    Panels of a `grid` come row by row; where there is no room for its columns they stand one below
    the other, each under its own title.
    """

    panels: tuple[Panel, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    grid: Grid | None = None

    def __post_init__(self) -> None:
        grid = self.grid
        if grid is not None and len(self.panels) != len(grid.rows) * len(grid.columns):
            raise InputError("a grid has a panel in each row of each column")


SCHEMA = 1
WHERE_THERE_ARE = (
    *("dates", "texts", "signed", "beneath", "whole"),
    *("group", "says", "grid", "legend", "order"),
)
"""Fields that are not written where they are empty: scenes of before had none."""


def scene_to_plain(scene: Scene) -> dict[str, Any]:
    """Return a scene as dicts, lists, texts and numbers that JSON can hold.

    `scene` (the schema's number), `title`, `notes`, `panels` and `subtitle` (what of the notes
    stands below the picture); each mark says which it is. A number that is not finite is refused.
    """
    plain: dict[str, Any] = _plain(scene)
    for panel, drawn in zip(plain["panels"], scene.panels, strict=True):
        names = [type(mark).__name__.lower() for mark in drawn.marks]
        panel["marks"] = [
            {"mark": name, **mark} for name, mark in zip(names, panel["marks"], strict=True)
        ]
    return {"scene": SCHEMA, **plain, "subtitle": _plain(subtitle_of(scene.notes))}


def _left_out(of: dataclasses.Field[Any]) -> bool:
    """Tell whether a field is not written where it is empty, and read back without."""
    return of.name in WHERE_THERE_ARE and of.default is not dataclasses.MISSING


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = {it: getattr(value, it.name) for it in dataclasses.fields(value)}
        return {of.name: _plain(it) for of, it in given.items() if it or not _left_out(of)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a scene holds finite numbers alone")
    return value


# --- what of the notes stands below --------------------------------------------------------------

BETWEEN = " · "
SHOWN = "shown: "
CODE = re.compile(r", policy \S")
PART = r"^where |; where .*[=<>]"
IN_BRACKETS = re.compile(r" \((?!missing\)|other\)|1 \|)[^()]*\)")
HOW_FAR = re.compile(r"( by .*)? may be off by .*|, with fewer than \d+ rows( of the copy)?")
WARNS = (
    r"^not reliable",
    r"^rough|fewer than \d+ (rows|people)",
    r" may hold codes|^research: |declared public|^intervals: for sampling error alone",
)
FIRST = tuple(
    re.compile(pattern)
    for pattern in (
        *WARNS,
        PART,
        r"^not drawn|left out|left off|partly",
        r"^hatched|^grey|^dark|^gaps in|^white",
        r"^rows without a value",
        r"squares about 0|^rows of a negative",
        r"^(bars|counts) may be off",
        r"^differences ",
        r"^(?!the copy: |[^:]* ~ )",
    )
)
"""What is said first, and then: what warns, which rows it is of, which signs it has, the rest."""
OF_THE_COPY = re.compile(r"^protected rows are drawn anew|^counted in the data")
"""What is so of every figure of the copy: it stands in the file alone."""
TOGETHER = re.compile(r"\d+ studies together: ")
LETTERS = 110
"""So many have room in a line below a picture on a page."""


@dataclass(frozen=True)
class Subtitle:
    """What stands below a picture: what it `says`, the most important first, and how it was made.

    Both are one line; of `says` as many go into it as there is room for.
    """

    says: tuple[str, ...] = ()
    code: str = ""

    def line(self, room: float = LETTERS, wide: Callable[[str], float] = len) -> str:
        """Return as much of what it says as a line has room for, in letters or as `wide` measures.

        Warnings that have no room side by side leave out by how much; what is first is cut where it
        is too long; what has no room beside others is left out.

        Examples
        --------
        >>> Subtitle(("rough: only 90 rows", "rows without a value: 2 of age", "hatched")).line(30)
        'rough: only 90 rows · hatched'
        """
        warn = [it for it in self.says if re.search("|".join(WARNS), it)]
        others = [it for it in self.says if it not in warn]
        if wide(BETWEEN.join(warn)) > room:
            warn = [HOW_FAR.sub("", it) for it in warn]
        line = ""
        for words in (*warn, *others):
            if not line:
                line = cut(words, room, wide)
            elif wide(f"{line}{BETWEEN}{words}") <= room:
                line = f"{line}{BETWEEN}{words}"
        return line

    def lines(self, room: int = LETTERS) -> list[str]:
        """Return both lines, where there is something to say, each of so many letters."""
        return [it for it in (self.line(room), cut(self.code, room)) if it]


def cut(words: str, room: float, wide: Callable[[str], float] = len) -> str:
    """Return words cut to a line of so much room.

    Examples
    --------
    >>> cut("rough: only 90 rows", 10)
    'rough: on…'
    """
    keep = len(words)
    while keep and wide(words[:keep] + "…" * (keep < len(words))) > room:
        keep = min(keep - 1, int(keep * room / wide(words[:keep])))
    return words if keep == len(words) else f"{words[:keep].rstrip()}…"


def unreliable_of(notes: Sequence[str]) -> tuple[str, bool]:
    """Find the note that a comparison is not reliable; tell whether none is, so that it is grey.

    It is what draw/unreliable.js says first, too.

    Examples
    --------
    >>> unreliable_of(["not reliable: differences in bmi may be off by up to 2.5"])
    ('Not reliable: differences in bmi may be off by up to 2.5', True)
    >>> unreliable_of(["differences in bmi by sex may be off by up to 2.5"])
    ('', False)
    """
    says = next((it for it in notes if it.startswith("not reliable")), "")
    others = any(it.startswith("differences ") for it in notes)
    return says[:1].upper() + says[1:], bool(says) and not others


def subtitle_of(notes: Sequence[str]) -> Subtitle:
    """Return what of some notes stands below a picture: two lines, what warns first.

    All notes are in a figure's metadata, and on a page. A picture has room for what a reader must
    not miss, and for how it was made.

    Examples
    --------
    >>> found = subtitle_of(
    ...     [
    ...         "bars of ward: whole (k = 5, m = 10), policy standard",
    ...         "shown: 90 of 90 rows, from the protected copy",
    ...         "the copy: shares of single columns are off by at most 2.0 points",
    ...         "rough: only 90 rows of the copy; in parts of this size it is 20 % off",
    ...     ]
    ... )
    >>> found.says[0]
    'rough: only 90 rows of the copy'
    >>> found.code
    '90 of 90 rows · bars of ward: whole (k = 5, m = 10), policy standard'
    """
    made = [it for it in notes if CODE.search(it)]
    shown = [it for it in notes if it.startswith(SHOWN)]
    studies = [it for it in notes if TOGETHER.match(it)]
    apart = (*made, *shown, *studies)
    others = [it for it in notes if it not in apart and not OF_THE_COPY.search(it)]
    # What is of one kind stays in its order.
    others.sort(key=lambda it: next((i for i, of in enumerate(FIRST) if of.search(it)), len(FIRST)))
    says: dict[str, None] = {}
    for note in others:
        said = note
        if not re.search(PART, note):  # how it is known and what can be done is left out
            said = IN_BRACKETS.sub("", note).split("; ")[0]
        says[said] = None
    # What it is drawn from is said by the method.
    many = [it.split(" together")[0] for it in studies]
    many += [it.removeprefix(SHOWN).split(", ")[0] for it in shown]
    return Subtitle(tuple(says), BETWEEN.join([*many, *(it.split("; ")[0] for it in made)]))
