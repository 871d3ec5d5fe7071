"""What every View is: frozen, plain numbers, how they came to be, and nothing else.

A View may be looked at freely. To be released (as a file or as JSON) it asks the
gate its Study gave it; a View that was read back was released already and has none.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Self,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np

from discreet.columns.native import are_whole, distinct_names, frame_of, moments
from discreet.errors import InputError, RefusedError, one_of, path_in_words
from discreet.methods import COPY_METHODS, METHODS, Whole
from discreet.provenance import Provenance, Sealer, checksum_of
from discreet.render.csv_words import CSV, as_csv
from discreet.render.dates import date_ticks
from discreet.render.scene import Axis, Scene, subtitle_of
from discreet.render.sealing import Gate, ask_to_leave, sealed, sealed_file
from discreet.render.to_matplotlib import (
    FIGURES,
    SCREEN_DPI,
    Drawing,
    asking_first,
    draw,
    figure_bytes,
)
from discreet.unfinished import path_to_save, write_whole
from discreet.web.figure import figure_page, figure_widget

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCHEMA = 1
Tidy = list[tuple[str, Sequence[Any]]]
"""Columns of one length, each with its name."""
#: Marks a field that is not written where it is empty: views of before had none.
WHERE_SAID = MappingProxyType({"where said": True})
WHERE_THERE_ARE = ("dates", "chosen", "labels", "orders")
"""Of an origin: what is not written where it is empty."""

FORMS = (*FIGURES, ".html", ".json", CSV)
"""How files of a view end."""
PUBLIC = "the data are declared public: releases are not recorded"
COPY_ROWS, PUBLIC_ROWS = "protected rows", "rows of a public table"
"""What rows are called beside a view: those of a copy, or those of a table that is public."""
OF_PUBLIC = "PUBLIC: rows of the table itself"
NOT_WRITTEN = ("gate", "sealer", "framework")
"""What of a view belongs to its study, and is in no file."""


@dataclass(frozen=True)
class Origin:
    """Where a View comes from: never more than its reader may know.

    `version` names the protected copy (a keyed digest), None for counts; `counted` is what the
    numbers count. `remarks` are sentences that stand with the plot. `shown` is how many people or
    records are drawn of `total`, all there are; None where it is not told. `most_gaps` is the
    column whose missing values cost most of them, if one does. All numbers are rounded. `left_out`,
    of views that were saved before `shown` was, is how many had no finite value. `dates` are the
    columns whose numbers are days since 1970-01-01. `chosen` says which plot it is and for which
    kinds of columns, where the study chose it. `labels` are columns of the view, each with what is
    drawn in place of its name. `orders` are columns whose levels divide the view, each with all
    levels of the copy in order: by them a level has its colour, whichever others are drawn.
    """

    policy: str
    regime: str
    public: bool
    study: str | None
    version: str | None
    left_out: int | None
    counted: str
    remarks: tuple[str, ...] = ()
    shown: int | None = None
    total: int | None = None
    most_gaps: str | None = None
    dates: tuple[str, ...] = ()
    chosen: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    orders: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for number in (self.left_out, self.shown, self.total):
            if number is not None and number < 0:
                raise InputError("how many a view shows is a number, 0 or more")


@dataclass(frozen=True, kw_only=True, repr=False)
class View:
    """A picture's numbers, how they came to be, and the verbs all pictures share.

    Parameters
    ----------
    columns : tuple of str
        The columns drawn.
    method : str
        How the values were protected.
    parameters : mapping of str to number or str
        The public parameters of the method.
    suppressed : int or None
        How many bins, cells or records were hidden; None where the policy does not tell.
    origin : Origin
        Policy, study and version.
    provenance : Provenance or None
        What its files carry; a view has it once it was released.
    """

    kind: ClassVar[str]
    _kinds: ClassVar[dict[str, type[View]]] = {}

    columns: tuple[str, ...]
    method: str
    parameters: Mapping[str, Any]
    suppressed: int | None
    origin: Origin
    gate: Gate | None = field(default=None, compare=False)
    sealer: Sealer | None = field(default=None, compare=False)
    framework: str = field(default="pandas", compare=False)
    provenance: Provenance | None = field(default=None, compare=False, metadata=WHERE_SAID)

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):  # what several kinds of picture share has none
            View._kinds[cls.kind] = cls

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.note()})"

    def __reduce__(self) -> tuple[Callable[[str], View], tuple[str]]:
        return View.from_json, (self.to_json(),)

    def scene(self) -> Scene:
        """Return the marks that draw this view."""
        raise NotImplementedError

    def tidy(self) -> Tidy:
        """Return the numbers that are drawn as named columns, a row for each mark."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the numbers that are drawn as a tidy frame, a row for each bar, point or cell.

        Returns
        -------
        frame
            Of the kind that came in; of a file, and of a view that was read back, of pandas. What
            is hidden is missing. Counts are whole numbers, and dates are dates.

        Notes
        -----
        It is there to be looked at: what you write of it yourself is not recorded, so release the
        view by `save`.
        """
        return frame_of(self.tidy(), self.framework)

    def ends(self, name: str, numbers: Sequence[float]) -> list[Any]:
        """Return ends of bins of a column as a frame has them: dates as such."""
        return moments(numbers) if name in self.origin.dates else [*numbers]

    def values(self, name: str, numbers: Sequence[float | None]) -> list[Any]:
        """Return numbers of a column as a frame has them: dates as such, whole ones as integers."""
        if name in self.origin.dates:
            return moments(numbers)
        whole = are_whole(np.array([math.nan if it is None else it for it in numbers], np.float64))
        return [None if it is None else int(it) for it in numbers] if whole else [*numbers]

    def label(self, name: str) -> str:
        """Return what is drawn in place of the name of a column."""
        return dict(self.origin.labels).get(name, name)

    def levels_of(self, name: str | None) -> tuple[str, ...]:
        """Return all levels of a column in order, by which they have their colours, if known."""
        return dict(self.origin.orders).get(name or "", ())

    def axis(
        self,
        name: str,
        values: Sequence[float],
        limits: tuple[float, float] | None = None,
        label: str | None = None,
    ) -> Axis:
        """Return the axis of a column that some values lie on, with ticks of dates where it has."""
        known = name in self.origin.dates and len(values) > 0
        dates = date_ticks(min(values), max(values)) if known else ()
        return Axis(self.label(name) if label is None else label, limits, dates=dates)

    @overload
    def plot(self, ax: None = None, *, size: tuple[float, float] | None = None) -> Figure: ...
    @overload
    def plot(self, ax: Axes, *, size: tuple[float, float] | None = None) -> Axes: ...
    @overload
    def plot(self, ax: Sequence[Axes], *, size: tuple[float, float] | None = None) -> Any: ...
    def plot(self, ax: Any = None, *, size: tuple[float, float] | None = None) -> Any:
        """Draw the view with matplotlib, on `ax` or on a figure of its own.

        A figure of its own asks the study before `savefig` writes it, as `save` does. What is drawn
        on your own axes is yours to look at: save it with `save` if it shall be released.

        Parameters
        ----------
        ax : matplotlib Axes, or a sequence of them, optional
            Where to draw; one for each panel of the view.
        size : (float, float), optional
            Width and height in inches of a figure of its own.

        Returns
        -------
        Figure, or the Axes that were given
        """
        figure = draw(self.scene(), ax, size=size)
        return asking_first(figure, self.gate) if ax is None else ax

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        width: float | None = None,
        dpi: int | None = None,
        footnote: bool = True,
    ) -> Path:
        """Write the view to a file, once its study lets it be released.

        Parameters
        ----------
        path : str or Path
            Ends in .png, .svg or .pdf for a picture, in .html for a page that draws it (see
            `to_html`), in .json for the numbers and how they were made, in .csv for the numbers
            that are drawn, a row for each mark (see `to_frame`).
        title : str, optional
            What stands above the plot.
        width : float, optional
            Of the plot, in millimetres: 85 for one column of many journals. The height follows, and
            letters are 7 to 10 points high.
        dpi : int, optional
            Of a .png: pixels to the inch, from 50 to 1200; 200 by default.
        footnote : bool
            Whether two lines are drawn below it: what warns, and how it was made. All notes, and
            all that `describe` says, stand in the file's metadata (Description of .png and .svg,
            Subject of .pdf): write them in the caption.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the ending is another one, the folder does not exist, a width or dpi is too small
            or too large, or something of a picture is asked of another file.
        LeavingError
            If it does not fit what was released before; nothing is written then.
        """
        path = path_to_save(path, FORMS, "a view")
        drawing = Drawing(title, width, dpi, footnote)
        write_whole(self.bytes_as(path.suffix.lower(), drawing), path)
        return path

    def bytes_as(self, suffix: str, drawing: Drawing | None = None) -> bytes:
        """Return what a file of the view holds, once its study lets it be released.

        Parameters
        ----------
        suffix : str
            How the file ends.
        drawing : Drawing, optional
            How it is drawn, where it is a picture.
        """
        drawing, scene = drawing or Drawing(), self.scene()
        drawing.check(suffix)
        view = self.sealed()
        if suffix == ".html":
            return view.to_html().encode()
        if suffix == ".json":
            return view.to_json().encode()
        view.ask_to_leave(suffix[1:])
        if suffix == CSV:
            return view.file_of(as_csv(distinct_names(view.tidy())), suffix)
        drawn = drawing.bytes_of(scene, suffix, self.describe().splitlines())
        return view.file_of(drawn, suffix, drawing)

    def to_json(self) -> str:
        """Return the view as JSON, once its study lets it be released."""
        view = self.sealed()
        view.ask_to_leave("json")
        return view._text()

    def _text(self) -> str:
        """Return the view as JSON; numbers that JSON has not are refused."""
        try:
            return json.dumps(_plain(self), allow_nan=False, ensure_ascii=False)
        except ValueError:
            raise RefusedError(
                "a number in this plot is too large to write; rescale the columns"
            ) from None

    def to_html(self) -> str:
        """Return the view as one HTML page that draws it, once its study lets it be released.

        Returns
        -------
        str
            The page, with its script, every number that is drawn, in full, and how it was made. It
            opens from a file and asks nobody for anything; the same view gives the same text.

        Raises
        ------
        LeavingError
            If it does not fit what was released before.
        """
        view = self.sealed()
        view.ask_to_leave("html")
        title = self._subject()
        name = f"{self.kind}-{'-'.join(self.columns)}"
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:80]
        notes = self.scene().notes
        says = [*dict.fromkeys((*notes, *self.describe().splitlines()))]
        plain = json.loads(dataclasses.replace(self, provenance=None)._text())
        drawn = figure_page(plain, title[:1].upper() + title[1:], subtitle_of(notes), says, safe)
        return view.file_of(drawn.encode(), ".html").decode()

    def widget(self) -> AnyWidget:
        """Return the view as a widget for a notebook, whose clusters light up under the pointer.

        Raises
        ------
        InputError
            If anywidget is not installed: ``pip install 'discreet[jupyter]'``.

        Notes
        -----
        Looking is free, so the gate is not asked. A notebook that is saved with its widgets keeps
        the view; passing it on is, as with a screenshot, outside what the register knows.
        """
        return figure_widget(json.loads(dataclasses.replace(self, provenance=None)._text()))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a view back from the text that `to_json` wrote."""
        try:
            view = View.from_plain(json.loads(text, parse_constant=int))  # int("NaN") is refused
        except InputError:
            raise
        except (ValueError, TypeError, RecursionError):
            raise InputError("this is not the JSON of a view of discreet") from None
        if not isinstance(view, cls):
            raise InputError(f"this is a {view.kind} view and no {cls.__name__}; read it with View")
        return view

    @staticmethod
    def from_plain(given: Any) -> View:
        """Make a view of the plain values that its JSON holds."""
        try:
            given = dict(given)
            schema, kind = given.pop("discreet"), given.pop("kind")
        except (ValueError, TypeError, KeyError):
            raise InputError("this is not the JSON of a view of discreet") from None
        if schema != SCHEMA or not isinstance(kind, str) or kind not in View._kinds:
            raise InputError(
                f"the view is of schema {schema!r} and kind {kind!r}; known are schema {SCHEMA}"
                f" and {one_of(sorted(View._kinds))}"
            )
        found = View._kinds[kind]
        fields = [item for item in dataclasses.fields(found) if item.name not in NOT_WRITTEN]
        names = {item.name for item in fields}
        needed = {item.name for item in fields if item.metadata != WHERE_SAID}
        if not needed <= set(given) <= names:
            raise InputError(
                f"a view of kind {kind!r} has exactly the fields {one_of(sorted(names))}"
            )
        if given["method"] not in [*METHODS]:
            raise InputError(f"the method of a view is one of {one_of(METHODS)}")
        try:
            made: View = _read(given, found)
            return made
        except InputError:
            raise
        except (TypeError, ValueError, AttributeError, KeyError):
            raise InputError(f"the JSON of the {kind} view holds values of another type") from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a view back from a .json file that `save` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise InputError(f"there is no view to read at {path_in_words(path)}") from None
        return cls.from_json(text)

    def made(self) -> dict[str, Any]:
        """Return what it says of how it was made, for another view of the same numbers."""
        names = ("columns", "method", "parameters", "suppressed", "origin")
        return {name: getattr(self, name) for name in names}

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        numbers = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        made = f"{self.method} ({numbers})" if numbers else self.method
        return f"{self._subject()}: {made}, policy {self.origin.policy}"

    def notes(self) -> tuple[str, ...]:
        """Return what the picture's file says of the copy and the rows drawn."""
        of, lines = self.origin, [self.note()]
        guarded, rows = of.regime == "guarded", of.counted == COPY_ROWS
        if of.shown is not None and of.total is not None:
            rough = guarded and self.method != Whole.name  # how many rows a copy has is nobody's
            about, who = "about " if rough else "", "rows" if rows else of.counted
            many = f"{about}{of.shown:,} of" if of.shown else f"none of {about}".rstrip()
            gaps = "" if of.most_gaps is None else f"; {of.most_gaps} has the most gaps"
            lines.append(f"shown: {many} {of.total:,} {who}, {self._source()}{gaps}")
        if of.regime == "research" and of.counted != PUBLIC_ROWS:
            lines.append("research: each plot protected separately, for public or simulated data")
        if rows and guarded:
            lines.append(
                "protected rows are drawn anew; with few distinct values, some equal a record "
                "by chance"
            )
        if of.public:
            lines.append(OF_PUBLIC if of.counted == PUBLIC_ROWS else PUBLIC)
        return (*lines, *of.remarks)

    def signs(self) -> tuple[str, ...]:
        """Return the lines below the picture that are of its own marks, not of the copy."""
        of_all = {*self.notes()}
        return tuple(line for line in self.scene().notes if line not in of_all)

    def describe(self) -> str:
        """Say in some lines what is shown, how it was made, and what it does not protect."""
        method = METHODS[self.method]
        lines = [
            *self.notes(),
            f"counts are of {self.origin.counted}",
            f"promises: {method.promises}",
            f"does not protect: {method.leaves_open}",
        ]
        if self.origin.chosen:
            lines.append(f"chosen from the types of the columns: {self.origin.chosen}")
        if self.suppressed is not None:
            lines.append(f"hidden: {self.suppressed}")
        if self.origin.left_out:
            lines.append(f"left out for missing values: about {self.origin.left_out}")
        if self.origin.version is not None:
            of = "public table" if self.origin.counted == PUBLIC_ROWS else "protected copy"
            lines.append(f"drawn from the {of} {self.origin.version}")
        return "\n".join(lines)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Show the view in a notebook: its plot, and for screen readers how it was made."""
        picture = base64.b64encode(figure_bytes(self.scene(), ".png", dpi=SCREEN_DPI)).decode()
        words = escape(self.describe(), quote=True)
        html = f'<img alt="{words}" style="max-width:100%" src="data:image/png;base64,{picture}">'
        return {"image/png": picture, "text/html": html, "text/plain": repr(self)}

    def ask_to_leave(self, form: str) -> None:
        """Ask the study's gate, where the view has one, whether it may be released as `form`."""
        ask_to_leave(self, form)

    def sealed(self) -> Self:
        """Return the view with its provenance, which it has once it is released."""
        return self if self.gate is None else sealed(self)

    def checksum(self) -> str:
        """Return the SHA-256 of all that is drawn, and of the words on how it was made."""
        return checksum_of(_plain(dataclasses.replace(self, provenance=None)))

    def file_of(self, drawn: bytes, suffix: str, drawing: Drawing | None = None) -> bytes:
        """Return a figure of the view with its provenance in it, where the view has one."""
        how = (drawing or Drawing()).to_plain(suffix)
        return sealed_file(self.provenance, self.sealer, drawn, suffix, how)

    def _subject(self) -> str:
        """Return what the view is and of what, the beginning of its note."""
        *first, last = self.columns
        return (
            f"{self.kind} of {', '.join(first)} and {last}" if first else f"{self.kind} of {last}"
        )

    def _source(self) -> str:
        """Say what the picture is drawn from."""
        if self.method not in COPY_METHODS:
            return "unprotected" if self.method == "none" else "from counts"
        if self.origin.regime == "guarded":
            return "from the protected copy"
        return "from rows protected for this plot"


def stacked(parts: Sequence[Tidy]) -> Tidy:
    """Return the rows of several views of one kind one after the other."""
    return [
        (name, [it for part in parts for it in part[place][1]])
        for place, (name, _) in enumerate(parts[0])
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, View):
        given: dict[str, Any] = {"discreet": SCHEMA, "kind": value.kind}
        for item in dataclasses.fields(value):
            held = getattr(value, item.name)
            if item.name not in NOT_WRITTEN and (held or item.metadata != WHERE_SAID):
                given[item.name] = _plain(held)
        return given
    if isinstance(value, Provenance):
        return value.to_plain()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        found = {i.name: _plain(getattr(value, i.name)) for i in dataclasses.fields(value)}
        return {name: it for name, it in found.items() if it or name not in WHERE_THERE_ARE}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


_hints = cache(get_type_hints)


@cache
def _parts(of: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(of) or of, get_args(of)


def _read(plain: Any, of: Any) -> Any:
    """Return a value of a type from what `_plain` made of it; refuse one of another type."""
    kind, inner = _parts(of)
    if type(plain) is kind or (kind is float and type(plain) is int):
        return plain
    if kind is UnionType:
        if plain is None:
            return None
        kept = [it for it in inner if it is not type(None)]
        return _read(plain, kept[0]) if len(kept) == 1 else plain
    if kind is tuple:
        if not isinstance(plain, list):
            raise TypeError
        each = inner[:1] * len(plain) if inner[-1] is Ellipsis else inner
        return tuple(_read(it, one) for it, one in zip(plain, each, strict=True))
    if kind is Mapping:
        return MappingProxyType(dict(plain))
    if kind is View:
        return View.from_plain(plain)
    if kind is Provenance:
        return Provenance.from_plain(plain)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise TypeError
    hints = _hints(kind)
    # An axis that lost its word on being sensitive must not come back as one that is not. The view
    # itself was looked at, and origins of before say less.
    if not issubclass(kind, View | Origin) and {*plain} != {*hints}:
        raise InputError(f"a {kind.__name__} has exactly the fields {one_of(sorted(hints))}")
    return kind(**{name: _read(it, hints[name]) for name, it in plain.items()})
