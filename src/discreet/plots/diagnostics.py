"""Pictures of how well a regression fits: residuals, normal quantiles, leverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.protect import COUNT_METHODS
from discreet.render.scene import Axis, Dots, Lines, Mark, Panel, Scene

__all__ = ["Curve", "Diagnostic", "LeverageView", "QQView", "ResidualView"]

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Curve:
    """A reference line: its label and the points it goes through."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class Diagnostic(View):
    """What the pictures of a regression share: its formula, its points and its estimates.

    Parameters
    ----------
    formula : str
        The regression.
    x, y : tuple of float
        The points; of gridded ones the middle of the cell.
    size : tuple of int
        How many records share the point.
    coefficients : mapping of str to float
        The estimate of each term of the model that is drawn.
    corrected : mapping of str to float
        The estimates corrected for the noise of the protected copy; empty where there is no
        correction.
    """

    what: ClassVar[str]
    axes: ClassVar[tuple[str, str]]
    slope: ClassVar[float] = 0.0

    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    coefficients: Numbers
    corrected: Numbers

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.size):
            raise InputError("points have as many x as y coordinates and sizes")

    def describe(self) -> str:
        """Say what is shown, how it was made, what it does not protect, and what was estimated."""
        return "\n".join([super().describe(), *_estimates(self.coefficients, self.corrected)])

    def scene(self) -> Scene:
        """Return the points over the line that they are to be compared with."""
        gridded = self.method in COUNT_METHODS and self.method != "none"
        points = Dots(self.x, self.y, self.size, gridded, self.origin.counted)
        marks = (points, _across(self.x, self.slope), *self._more_lines())
        return Scene((Panel(marks, Axis(self.axes[0]), Axis(self.axes[1])),), notes=self.notes())

    def _more_lines(self) -> tuple[Mark, ...]:
        return ()

    def _subject(self) -> str:
        return f"{self.what} of {self.formula}"

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        names = ("coefficients", "corrected")
        read = {name: MappingProxyType(dict(given[name])) for name in names}
        return super()._decoded(given) | read


@dataclass(frozen=True, kw_only=True, repr=False)
class ResidualView(Diagnostic):
    """Residuals of a regression against its fitted values; see `Diagnostic`."""

    kind: ClassVar[str] = "residuals"
    what: ClassVar[str] = "residuals"
    axes: ClassVar[tuple[str, str]] = ("fitted values", "residuals")


@dataclass(frozen=True, kw_only=True, repr=False)
class QQView(Diagnostic):
    """Residuals divided by their standard deviation against normal quantiles; see `Diagnostic`."""

    kind: ClassVar[str] = "qq"
    what: ClassVar[str] = "normal QQ plot"
    axes: ClassVar[tuple[str, str]] = ("normal quantiles", "standardised residuals")
    slope: ClassVar[float] = 1.0


@dataclass(frozen=True, kw_only=True, repr=False)
class LeverageView(Diagnostic):
    """Residuals divided by their standard deviation against leverage; see `Diagnostic`.

    Parameters
    ----------
    curves : tuple of Curve
        Where Cook's distance is 0.5 and 1; too near to zero for a model without an intercept.
    """

    kind: ClassVar[str] = "leverage"
    what: ClassVar[str] = "residuals against leverage"
    axes: ClassVar[tuple[str, str]] = ("leverage", "standardised residuals")

    curves: tuple[Curve, ...]

    def _more_lines(self) -> tuple[Mark, ...]:
        lines = []
        for label in dict.fromkeys(curve.label for curve in self.curves):
            same = [curve for curve in self.curves if curve.label == label]
            x, y = tuple(curve.x for curve in same), tuple(curve.y for curve in same)
            lines.append(Lines(x, y, "far reference", label))
        return tuple(lines)

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        curves = tuple(
            Curve(curve["label"], tuple(curve["x"]), tuple(curve["y"])) for curve in given["curves"]
        )
        return super()._decoded(given) | {"curves": curves}


def _estimates(coefficients: Numbers, corrected: Numbers) -> list[str]:
    def listed(numbers: Numbers) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())

    lines = [f"estimates: {listed(coefficients)}"] if coefficients else []
    if corrected:
        lines.append(f"estimates corrected for the noise: {listed(corrected)}")
    return lines


def _across(x: tuple[float, ...], slope: float) -> Lines:
    """Return the reference line y = slope x, which goes on to the edges of the panel."""
    low, high = min(x, default=0.0), max(x, default=0.0)
    ends = (low, high) if low < high else (low, low + (abs(low) or 1.0))
    return Lines((ends,), (tuple(slope * end for end in ends),), "reference")
