"""Pictures of how well a regression fits: residuals, normal quantiles, leverage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from discreet.errors import InputError
from discreet.protect import COUNT_METHODS
from discreet.render.scene import Axis, Dots, Lines, Mark, Panel, Scene
from discreet.views.base import View

__all__ = ["Curve", "LeverageView", "QQView", "ResidualView"]

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Curve:
    """A reference line: its label and the points it goes through."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ResidualView(View):
    """Residuals of a regression against its fitted values.

    Parameters
    ----------
    formula : str
        The regression.
    x, y : tuple of float
        Fitted values and residuals of each point; of gridded points the middle of the cell.
    size : tuple of int
        How many records share the point.
    coefficients : mapping of str to float
        The estimate of each term of the model that is drawn.
    corrected : mapping of str to float
        The estimates corrected for the noise of the protected copy; empty where there is no
        correction.
    """

    kind: ClassVar[str] = "residuals"

    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    coefficients: Numbers
    corrected: Numbers

    def __post_init__(self) -> None:
        _check_points(self.x, self.y, self.size)

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        return _note(self, "residuals", self.formula)

    def describe(self) -> str:
        """Say what is shown, how it was made, what it does not protect, and what was estimated."""
        return "\n".join([super().describe(), *_estimates(self.coefficients, self.corrected)])

    def scene(self) -> Scene:
        """Return the points over a line at zero."""
        zero = _across(self.x, slope=0.0)
        marks = (_dots(self, self.x, self.y, self.size), zero)
        return _scene(self, marks, "fitted values", "residuals")

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        return super()._decoded(given) | _read_estimates(given)


@dataclass(frozen=True, kw_only=True, repr=False)
class QQView(View):
    """Quantiles of the standardised residuals against those of a normal distribution.

    Parameters
    ----------
    formula : str
        The regression.
    x, y : tuple of float
        Normal quantiles and residuals divided by their standard deviation.
    size : tuple of int
        How many records share the point.
    coefficients, corrected : mapping of str to float
        See `ResidualView`.
    """

    kind: ClassVar[str] = "qq"

    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    coefficients: Numbers
    corrected: Numbers

    def __post_init__(self) -> None:
        _check_points(self.x, self.y, self.size)

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        return _note(self, "normal QQ plot", self.formula)

    def describe(self) -> str:
        """Say what is shown, how it was made, what it does not protect, and what was estimated."""
        return "\n".join([super().describe(), *_estimates(self.coefficients, self.corrected)])

    def scene(self) -> Scene:
        """Return the points over the line of identity."""
        marks = (_dots(self, self.x, self.y, self.size), _across(self.x, slope=1.0))
        return _scene(self, marks, "normal quantiles", "standardised residuals")

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        return super()._decoded(given) | _read_estimates(given)


@dataclass(frozen=True, kw_only=True, repr=False)
class LeverageView(View):
    """Standardised residuals against leverage, with lines of equal Cook's distance.

    Parameters
    ----------
    formula : str
        The regression.
    x, y : tuple of float
        Leverage, and residuals divided by their standard deviation.
    size : tuple of int
        How many records share the point.
    curves : tuple of Curve
        Where Cook's distance is 0.5 and 1; too near to zero for a model without an intercept.
    coefficients, corrected : mapping of str to float
        See `ResidualView`.
    """

    kind: ClassVar[str] = "leverage"

    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    curves: tuple[Curve, ...]
    coefficients: Numbers
    corrected: Numbers

    def __post_init__(self) -> None:
        _check_points(self.x, self.y, self.size)

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        return _note(self, "residuals against leverage", self.formula)

    def describe(self) -> str:
        """Say what is shown, how it was made, what it does not protect, and what was estimated."""
        return "\n".join([super().describe(), *_estimates(self.coefficients, self.corrected)])

    def scene(self) -> Scene:
        """Return the points, a line at zero, and the lines of Cook's distance."""
        lines = []
        for label in dict.fromkeys(curve.label for curve in self.curves):
            same = [curve for curve in self.curves if curve.label == label]
            x, y = tuple(curve.x for curve in same), tuple(curve.y for curve in same)
            lines.append(Lines(x, y, "far reference", label))
        points = _dots(self, self.x, self.y, self.size)
        marks: tuple[Mark, ...] = (points, _across(self.x, slope=0.0), *lines)
        return _scene(self, marks, "leverage", "standardised residuals")

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        curves = tuple(
            Curve(curve["label"], tuple(curve["x"]), tuple(curve["y"])) for curve in given["curves"]
        )
        return super()._decoded(given) | _read_estimates(given) | {"curves": curves}


def _check_points(x: tuple[float, ...], y: tuple[float, ...], size: tuple[int, ...]) -> None:
    if not len(x) == len(y) == len(size):
        raise InputError("points have as many x as y coordinates and sizes")


def _note(view: View, what: str, formula: str) -> str:
    numbers = ", ".join(f"{name} = {value}" for name, value in view.parameters.items())
    made = f"{view.method} ({numbers})" if numbers else view.method
    return f"{what} of {formula}: {made}, policy {view.origin.policy}"


def _estimates(coefficients: Numbers, corrected: Numbers) -> list[str]:
    def listed(numbers: Numbers) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())

    lines = [f"estimates: {listed(coefficients)}"] if coefficients else []
    if corrected:
        lines.append(f"estimates corrected for the noise: {listed(corrected)}")
    return lines


def _dots(view: View, x: tuple[float, ...], y: tuple[float, ...], size: tuple[int, ...]) -> Dots:
    gridded = view.method in COUNT_METHODS and view.method != "none"
    return Dots(x, y, size, gridded, view.origin.counted)


def _across(x: tuple[float, ...], slope: float) -> Lines:
    """Return the reference line y = slope x, far enough to reach the ends of the axes."""
    low, high = min(x, default=0.0), max(x, default=0.0)
    room = (high - low) or 1.0
    ends = (low - room, high + room)
    if not math.isfinite(room) or not all(map(math.isfinite, ends)):
        ends = (low, high)
    return Lines((ends,), (tuple(slope * end for end in ends),), "reference")


def _scene(view: View, marks: tuple[Mark, ...], x: str, y: str) -> Scene:
    return Scene((Panel(marks, Axis(x), Axis(y)),), notes=view.notes())


def _read_estimates(given: Mapping[str, Any]) -> dict[str, Any]:
    names = ("coefficients", "corrected")
    return {name: MappingProxyType(dict(given[name])) for name in names}
