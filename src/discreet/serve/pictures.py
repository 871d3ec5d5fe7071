"""The pictures that a server draws, and what each may be asked for with: one list for all.

The bodies that requests are checked against, what `/api/study` tells and the page's form are made
of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from discreet.parallel.pixels import COSTS, MOST_PIXELS, PIXEL_STEP
from discreet.policy import DIAGNOSTICS
from discreet.protect import CLUSTER_METHODS, ROW_METHODS

__all__ = ["PARAMETERS", "PICTURES", "Parameter", "Picture"]

MOST_AXES = 24
MOST_BOXES = 24
LEAST_K = {name: method.least_k for name, method in ROW_METHODS.items() if method.least_k > 1}
NOISY = tuple(name for name, method in ROW_METHODS.items() if method.additive)


@dataclass(frozen=True)
class Parameter:
    """Something a picture can be asked for with.

    Parameters
    ----------
    name : str
        What it is called, as in the methods of a Study.
    type : {"integer", "number", "yes_no", "word"}
        What it is.
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
class Picture:
    """A picture: what it takes and with what it may be asked for.

    Parameters
    ----------
    kind : str
        The name of the method of a Study.
    title, says : str
        What the page calls it, and a sentence on it.
    least, most : int
        How many columns it takes; a picture of a formula takes none.
    columns : {"continuous", "categorical", "any", "formula"}
        Of which kind they are.
    by : bool
        Whether a categorical column may divide it.
    parameters : tuple of str
        The names of what else it takes.
    """

    kind: str
    title: str
    says: str
    least: int
    most: int
    columns: str
    by: bool
    parameters: tuple[str, ...]

    @property
    def of_formula(self) -> bool:
        """Whether it is asked for with the formula of a regression."""
        return self.columns == "formula"


PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        it.name: it
        for it in (
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
                more=MappingProxyType({"k-member-cells": 2}),
            ),
            Parameter(
                "pixels",
                "integer",
                f"Pixels of an axis; more than {MOST_PIXELS} are answered as {MOST_PIXELS}.",
                PIXEL_STEP,
                None,
                PIXEL_STEP,
            ),
            Parameter(
                "cost",
                "word",
                "How clusters grow.",
                choices=COSTS,
                usual="smaller",
                methods=("k-member",),
            ),
            Parameter("gradient", "yes_no", "Let clusters fade towards their edges.", usual=True),
        )
    }
)

_ROWS = ("k", "q")
_CELLS = (*_ROWS, "grid")

PICTURES: Mapping[str, Picture] = MappingProxyType(
    {
        it.kind: it
        for it in (
            Picture(
                "histogram",
                "Histogram",
                "How the values of one column are spread.",
                1,
                1,
                "continuous",
                True,
                (*_ROWS, "bins"),
            ),
            Picture(
                "scatter",
                "Scatter plot",
                "Two columns as points of protected rows.",
                2,
                2,
                "continuous",
                True,
                (*_CELLS, "trend"),
            ),
            Picture(
                "heatmap",
                "Heat map",
                "Two columns as cells, coloured by how many lie in them.",
                2,
                2,
                "continuous",
                True,
                _CELLS,
            ),
            Picture(
                "contour",
                "Contour plot",
                "Two columns as lines of equal count.",
                2,
                2,
                "continuous",
                True,
                _CELLS,
            ),
            Picture(
                "box",
                "Box plot",
                "The middle and the spread of columns, side by side.",
                1,
                MOST_BOXES,
                "continuous",
                True,
                _CELLS,
            ),
            Picture(
                "bars",
                "Bar chart",
                "How many have each level of a column.",
                1,
                1,
                "categorical",
                True,
                ("k",),
            ),
            Picture(
                "crosstab",
                "Cross-table",
                "How many have each pair of levels of two columns.",
                2,
                2,
                "categorical",
                False,
                ("k",),
            ),
            Picture(
                "parallel",
                "Parallel coordinates",
                "Several columns as axes side by side, and clusters between them.",
                2,
                MOST_AXES,
                "any",
                False,
                ("k", "diversity", "pixels", "cost", "gradient"),
            ),
            *(
                Picture(kind, title, says, 0, 0, "formula", False, parameters)
                for kind, title, says, parameters in (
                    (
                        "residuals",
                        "Residuals",
                        "What a linear regression leaves over, against what it fits.",
                        _CELLS,
                    ),
                    (
                        "qq",
                        "Q-Q plot",
                        "Whether what a linear regression leaves over is normal.",
                        (*_CELLS, "noise_on"),
                    ),
                    (
                        "leverage",
                        "Leverage",
                        "Which points pull a linear regression, with Cook's distance.",
                        _CELLS,
                    ),
                )
                if kind in DIAGNOSTICS
            ),
        )
    }
)
