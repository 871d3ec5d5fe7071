"""What a file says was asked for, drawn again: of the protected copy, or of a study file.

A request stands in a file that anybody may have written. It is looked at for its shape first, and
then settled as an analyst's is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

from discreet.errors import DiscreetError, InputError
from discreet.explore.choice import Choice, chosen, kinds_of, overview, with_choice
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_file import FileSession
from discreet.explore.notes import plot_asked
from discreet.plots import PLOTS, MultiplesView, PanelsView, Plot, View
from discreet.provenance import canonical_text

MOST_LETTERS, MOST_STEPS = 20_000, 40
"""So long a request may be, and so many conditions and new columns it may name."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return type(value) is int


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_ends(value: object) -> bool:
    if not isinstance(value, dict) or not all(isinstance(it, list) for it in value.values()):
        return False
    return all(type(it) in (int, float) and abs(it) < math.inf for it in chain(*value.values()))


def _are_steps(value: object) -> bool:
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        return False
    return all(_are_texts(it) and len(it) == 2 for it in value)


SHAPES: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        **dict.fromkeys(("plot", "formula", "show", "every", "weights", "method"), _is_text),
        **dict.fromkeys(("columns", "event_is"), _are_texts),
        **dict.fromkeys(("bins", "grid", "pixels"), _is_whole),
        **dict.fromkeys(("trend", "percent", "overlay", "gradient"), _is_switch),
        **dict.fromkeys(("limits", "edges"), _are_ends),
        "by": lambda it: _is_text(it) or _are_texts(it),
        "derived": _are_steps,
    }
)
"""What the request of a plot may say, and of which shape each is."""


def drawn_again(of: FileSession, request: Mapping[str, Any]) -> list[View]:
    """Return what a request gives now, and all within it that may have been saved by itself."""
    if request.get("plot") not in [*PLOTS]:
        raise InputError("it does not name a plot that discreet draws")
    if len(canonical_text(dict(request))) > MOST_LETTERS:
        raise InputError(f"its request is longer than {MOST_LETTERS:,} letters")
    wrong = [name for name, it in request.items() if name not in SHAPES or not SHAPES[name](it)]
    if wrong:
        raise InputError(f"its {wrong[0][:40]!r} is not written by discreet")
    try:
        return [*_views(of, request)]
    except DiscreetError as error:
        raise InputError(str(error)) from None
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError):
        raise InputError("it asks for something that is not a plot of these columns") from None


def _views(of: FileSession, request: Mapping[str, Any]) -> Iterator[View]:
    plot, way, asks = plot_asked(request)
    part = DerivedCopy(of, of.whole)
    for name, text in asks:
        part = part.assign({name: text}) if name else part.where(text)
    view = part.draw(plot, **way)
    yield from _within(view)
    for choice in _choices(part, plot):
        yield with_choice(view, choice)


def _within(view: View | None) -> Iterator[View]:
    """Yield a view and those within it."""
    if view is None:
        return
    yield view
    for inner in view.views if isinstance(view, MultiplesView | PanelsView) else ():
        yield from _within(inner)


def _choices(of: DerivedCopy, plot: Plot[Any]) -> Iterator[Choice]:
    """Yield how a plot may have been chosen: a figure says so, and its request does not."""
    columns, divided = plot.names, plot.by_names
    for names in dict.fromkeys((columns, (*columns, *divided[:1]))):
        try:
            found = chosen(kinds_of(of, names))
        except DiscreetError:
            continue
        if found.plot == plot.name:
            yield found
    if plot.axes and not divided:
        found = overview(of)
        if found.columns == columns:
            yield found
