"""What a plot says of itself: everything that others must know to offer it, ask for it, make it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.methods import CLUSTER_METHODS, COPY_METHODS, ROW_METHODS
from discreet.parallel.pixels import COSTS, MOST_PIXELS, PIXEL_STEP
from discreet.plots.by_level import MultiplesView
from discreet.plots.periods import AUTO, EVERY
from discreet.plots.request import SHOWN, PlotRequest
from discreet.plots.view import Origin, View

GRIDDED = ("suppression", "generalization")
#: Methods that count in bins or cells, rows that are protected before among them.
BINNED = (*GRIDDED, *ROW_METHODS)
#: Methods of a plot of points.
POINTS = (*ROW_METHODS, *GRIDDED, "none")
#: What a plot of rows takes beside columns, and one that may be drawn on a grid.
ROWS = ("k", "q")
CELLS = (*ROWS, "grid")
ROWS_AND_COUNTS = ("rows", "counts")
LEAST_K = {name: method.least_k for name, method in ROW_METHODS.items() if method.least_k > 1}
NOISY = tuple(name for name, method in ROW_METHODS.items() if method.by_noise)

V = TypeVar("V", bound=View, covariant=True)
ByRows = Callable[[Mapping[str, Floats], Sequence[str], PlotRequest, Origin], V]
"""Draws protected rows, given their levels where the plot has any."""
ByCounts = Callable[[Countable, PlotRequest, Origin], V]
"""Draws counts of the raw table."""
Weigh = Callable[[Any, Mapping[str, Floats], Mapping[str, Sequence[str]], Floats, PlotRequest], V]
"""Draws a view again with weights: see `Plot.weigh`."""


@dataclass(frozen=True)
class Parameter:
    """Something a plot can be asked for with.

    Parameters
    ----------
    name : str
        What it is called, as in the methods of a Study.
    type : {"integer", "number", "yes_no", "word", "words"}
        What it is; "words" are texts of any kind, one or several.
    says : str
        One sentence on what it does.
    least, most, step : number, optional
        The range of a number.
    choices : tuple of str
        The words that are allowed.
    usual : bool or str, optional
        What holds where it is not named; of numbers the policy says it.
    methods : tuple of str
        The methods that have a use for it; all where none is named.
    more : mapping of str to number
        The least that single methods need, where that is more than `least`.
    """

    name: str
    type: str
    says: str
    least: float | None = None
    most: float | None = None
    step: float | None = None
    choices: tuple[str, ...] = ()
    usual: bool | str | None = None
    methods: tuple[str, ...] = ()
    more: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def least_of(self, methods: Iterable[str]) -> float | None:
        """Return the least that is enough for each of some methods."""
        if self.least is None:
            return None
        return max(self.more.get(method, self.least) for method in methods)


@dataclass(frozen=True)
class Place:
    """What one of a plot's columns is to it, where each is something else.

    Those beyond the least that the plot takes may be left out.

    Parameters
    ----------
    name : str
        What it is called.
    kind : {"continuous", "categorical", "any"}
        Of which kind its column is; of "any", numbers are codes of levels.
    """

    name: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Plot(Generic[V]):
    """A plot: what it takes, by which methods it is made, and how.

    Parameters
    ----------
    name : str
        The name of the method of a Study, and of the plot in policies, requests and registers.
    title, says : str
        What the page calls it, and a sentence on it.
    noun : str, optional
        What a sentence calls one of them; by default the title.
    columns : {"continuous", "categorical", "any", "formula"}
        Of which kind its columns are.
    least, most : int
        How many columns it takes; a plot of a formula takes none.
    places : tuple of Place
        What each of its columns is, where they are not alike.
    by : tuple of {"rows", "counts"}
        What of it a categorical column may divide: what is drawn from rows, from counts. With
        such a column it takes as few columns as it can.
    parameters : tuple of str
        The names of what else it takes; see `PARAMETERS`.
    axes : bool
        Whether its columns are axes in an order, of which some can be named as sensitive.
    listed : bool
        Whether the method of a Study takes its columns as one list, as it takes axes.
    pairwise : bool
        Whether rows of the copy with gaps are drawn, for it looks at each two columns by itself.
    methods : tuple of str
        The methods that it can be made by.
    method : str
        That of them which is taken under `research` where the caller says none; "rows" stands for
        the row method of the policy.
    like : str
        The plot whose method is taken instead, where there is one.
    binned : bool
        Whether it is drawn in bins or cells by every method.
    edges : bool
        Whether the edges of bins that a policy declares are used.
    from_rows, from_counts : callable, optional
        What draws it from protected rows, and from the raw table.
    by_level : (callable, callable), optional
        The same for small multiples, where a plot has them; else it divides itself.
    weigh : callable, optional
        What draws it again with weights: given the view, all columns of the rows of the copy that
        have a weight, numbers and levels, the weights, and what was settled.
    """

    name: str
    title: str
    noun: str = ""
    says: str
    columns: str
    least: int
    most: int
    places: tuple[Place, ...] = ()
    by: tuple[str, ...] = ()
    parameters: tuple[str, ...]
    axes: bool = False
    listed: bool = False
    pairwise: bool = False
    methods: tuple[str, ...]
    method: str = "rows"
    like: str = ""
    binned: bool = False
    edges: bool = False
    from_rows: ByRows[V] | None = None
    from_counts: ByCounts[V] | None = None
    by_level: tuple[ByRows[MultiplesView], ByCounts[MultiplesView]] | None = None
    weigh: Weigh[V] | None = None

    @property
    def phrase(self) -> str:
        """Name one of them in a sentence: "a bar chart"."""
        noun = self.noun or self.title.lower()
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

    @property
    def takes(self) -> str:
        """Say of which kinds its columns are."""
        if not self.places:
            return f"{self.columns} columns"
        named = [f"{it.name} ({it.kind})" for it in self.places]
        perhaps = "".join(f", and perhaps {it}" for it in named[self.least :])
        return " and ".join(named[: self.least]) + perhaps

    def check_kinds(
        self, names: Sequence[str], require: Callable[[Sequence[str], str], None]
    ) -> None:
        """Let `require` refuse columns of another kind than that of their place."""
        for place, name in zip(self.places, names, strict=False):
            if place.kind != "any":
                require([name], place.kind)

    @property
    def of_formula(self) -> bool:
        """Whether it is asked for with the formula of a regression."""
        return self.columns == "formula"

    def uses(self, method: str, number: str) -> bool:
        """Tell whether the plot by a method has a use for a number of the policy."""
        gridded = "grid" in self.parameters and (self.binned or method in GRIDDED)
        if number in ("limits", "edges"):
            binned = "bins" in self.parameters
            return binned or (number == "limits" and (gridded or "pixels" in self.parameters))
        if number == "q":
            return method in NOISY
        return gridded if number == "grid" else number in self.parameters


_EACH = (
    Parameter(
        "k",
        "integer",
        "The least number of persons anything drawn stands on.",
        1,
        more=MappingProxyType(LEAST_K | dict.fromkeys(CLUSTER_METHODS, 2)),
    ),
    Parameter(
        "q",
        "number",
        "Noise as a share of a column's standard deviation.",
        0.01,
        100,
        methods=NOISY,
    ),
    Parameter("bins", "integer", "How many bars the axis is divided into.", 2, 1000, 1),
    Parameter("grid", "integer", "Cells along each side of the grid.", 2, 1000, 1),
    Parameter("trend", "yes_no", "Draw the least-squares line.", usual=False),
    Parameter(
        "show",
        "word",
        "Points, or cells coloured by how many rows lie in them: the latter, where nobody says,"
        " of more than 2,000 rows of the copy.",
        choices=SHOWN,
        usual=SHOWN[0],
        methods=tuple(COPY_METHODS),
    ),
    Parameter("percent", "yes_no", "Draw shares in percent, within each level of by.", usual=False),
    Parameter(
        "overlay", "yes_no", "Draw the levels of by on one pair of axes, as outlines.", usual=False
    ),
    Parameter(
        "noise_on",
        "word",
        "Noise on the points of the plot, or on the residuals before it is made.",
        choices=("points", "variable"),
        usual="points",
        methods=NOISY,
    ),
    Parameter(
        "diversity",
        "integer",
        "The least number of different sensitive values of a cluster.",
        1,
        1000,
        1,
    ),
    Parameter(
        "pixels",
        "integer",
        f"Pixels of an axis; more than {MOST_PIXELS} are answered as {MOST_PIXELS}.",
        PIXEL_STEP,
        step=PIXEL_STEP,
    ),
    Parameter(
        "cost", "word", "How clusters grow.", choices=COSTS, usual="smaller", methods=("k-member",)
    ),
    Parameter(
        "event_is",
        "words",
        "The values of the event column that are the event; known of 0 and 1, no and yes.",
    ),
    Parameter(
        "every",
        "word",
        "How long a period is; auto is the shortest of which there are 60 at most.",
        choices=(AUTO, *EVERY),
        usual=AUTO,
    ),
    Parameter("gradient", "yes_no", "Let clusters fade towards their edges.", usual=True),
)
PARAMETERS: Mapping[str, Parameter] = MappingProxyType({it.name: it for it in _EACH})
