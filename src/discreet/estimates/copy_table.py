"""A table of figures, such as the table 1 of a paper: its forms, and its gate.

It is of protected rows, or of what may be counted of the data.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from discreet.columns.native import frame_of
from discreet.errors import InputError
from discreet.estimates.figures import Figure, dots_of, size_of
from discreet.estimates.tidy import tidy_figures
from discreet.lines import Lines, lines_of
from discreet.provenance import Provenance, Sealer, checksum_of
from discreet.render.figure_file import printable, with_minus
from discreet.render.journal import FIGURES, Drawing
from discreet.render.report_text import WIDTH, bullets, headed, save_as
from discreet.render.scene import Panel, Scene
from discreet.render.sealing import Gate, ask_to_leave, json_of, released, sealed
from discreet.render.subtitle import unreliable_of
from discreet.render.to_html import (
    Html,
    fragment,
    greyed,
    heading,
    items,
    marked_up,
    page,
    paragraph,
    picture,
    table,
)
from discreet.render.to_matplotlib import asking_first, draw
from discreet.spreadsheet import as_texts, quoting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

SCHEMA = 1
SUFFIXES = (".html", ".csv", ".tex", ".txt", ".json")
STYLE = """
.discreet .part{display:inline-block;padding-left:1.25rem}
.discreet .section{font-weight:600}
@media (min-width:40rem){.discreet .part{min-width:9.5rem}}
"""
CAPTION = "Figures of rows of the protected copy"
SUMMARY = "summary"
INDENT = "  "
MOST_NAME = 40
"""Letters of a name in text: a longer one goes on in the next line."""


class Line(NamedTuple):
    """One line of the table: the section it stands in ("" for none), its name, its cells."""

    section: str
    name: str
    cells: tuple[str, ...]


def known_by(sealer: Sealer, file: bytes) -> tuple[Provenance, Lines]:
    """Return what the register knows a CSV by, which itself has no room for where it comes from."""
    provenance = sealer.of_text(hashlib.sha256(file).hexdigest())
    return provenance, lines_of(sealer.key, io.BytesIO(file))


@dataclass(frozen=True, repr=False)
class CopyTable:
    """A table of figures of protected rows.

    Parameters
    ----------
    kind : str
        "summary", "means", "model" or "counted means".
    title : str
        What stands above it.
    names : (str, str)
        What sections and lines are, for the head of a CSV file.
    head : tuple of str
        The names of the columns of cells.
    lines : tuple of Line
        Its lines, as they are printed.
    notes : tuple of str
        Where it comes from, and how near that is.
    figures : tuple of Figure
        The same numbers in full, one after the other: `pandas.DataFrame(table.figures)`.
    gate : callable or None
        Asked before it is released (`to_html`, `to_csv`, `to_latex`, `to_json`, `save`, a pickle);
        looking is free.
    labels : mapping of str to str
        What the plot has in place of the names of columns.
    orders : mapping of str to tuple of str
        All levels of columns in order, by which the plot gives them their colours.
    sealer : Sealer or None
        Seals its files, where a study made it.
    provenance : Provenance or None
        What its files say of where it comes from; it has one once it is released.
    framework : str
        The kind of frame that came in.

    Examples
    --------
    >>> line = Line("age", "mean (sd)", ("48.5 (13.1)",))
    >>> CopyTable("summary", "Summary", ("column", "figure"), ("all",), (line,), (), ())
    Summary
    -------
                         all
    age
      mean (sd)  48.5 (13.1)
    """

    kind: str
    title: str
    names: tuple[str, str]
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]
    gate: Gate | None = field(default=None, compare=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    sealer: Sealer | None = field(default=None, compare=False)
    provenance: Provenance | None = field(default=None, compare=False)
    framework: str = field(default="pandas", compare=False)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.to_text()

    def __str__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> tuple[Callable[[str], CopyTable], tuple[str]]:
        return CopyTable.from_json, (self.to_json(),)

    def _repr_html_(self) -> str:
        """Show it in a notebook; looking is free."""
        return fragment(self._parts(), STYLE)

    def to_frame(self) -> Any:
        """Return the numbers in full as a tidy frame.

        Returns
        -------
        frame
            Of the kind that came in; of a file, and of a table that was read back, of pandas. Of a
            model a row for each term, of means one for each group, with a column for each figure;
            of a summary a row for each figure, with dates apart from numbers.

        Notes
        -----
        It is there to be looked at: what you write of it yourself is not recorded, so release the
        table by `save`.
        """
        return frame_of(tidy_figures(self.figures, self.kind), self.framework)

    def to_text(self) -> str:
        """Return it as text of 88 columns: what is wider goes on below."""
        lines = headed(printable(self.title))
        wrapped = [_wrapped(name, part=part) for part, name, _ in self._rows()]
        wide = max((len(each) for name in wrapped for each in name), default=0)
        for columns in _side_by_side(self._widths(), WIDTH - wide):
            lines += [*self._columns(columns, wide), ""]
        return "\n".join([*lines, *bullets(self.notes)]).rstrip()

    def to_html(self) -> str:
        """Return it as one page that needs no other file, once it may be released."""
        made = released(self, "html", lambda: page(self.title, self._parts(), STYLE))
        return made.decode()

    def to_csv(self) -> str:
        """Return the cells as CSV, each line with its section and its name, once it may be."""
        text = self._csv()
        self._ask_with_lines(text.encode())
        return text

    def _ask_with_lines(self, file: bytes) -> None:
        """Ask the gate for CSV, which cannot say where it comes from: the register knows it."""
        if self.gate is None or self.sealer is None:
            self.ask_to_leave("csv")
            return
        self.gate("csv", *known_by(self.sealer, file))

    def _csv(self) -> str:
        file = io.StringIO()
        sections = any(line.section for line in self.lines)
        rows = [[*self.names[0 if sections else 1 :], *self.head]]
        for line in self.lines:
            rows.append([*([line.section] if sections else []), line.name, *line.cells])
        quotes = quoting(it for row in rows for it in row)
        csv.writer(file, lineterminator="\n", quoting=quotes).writerows(map(as_texts, rows))
        return file.getvalue()

    def to_latex(self) -> str:
        r"""Return it as a LaTeX table with its notes, once it may be released.

        It needs ``\usepackage{booktabs}``, and LaTeX of 2018 or later for letters beyond ASCII.
        """
        return released(self, "latex", self._latex, ".tex").decode()

    def _latex(self) -> str:
        rows = [(r"\quad " if part else "", name, cells) for part, name, cells in self._rows()]
        head, *body = (
            " & ".join([f"{{{before}{_tex(name)}}}", *map(_tex, cells)]) + r" \\"
            for before, name, cells in [("", "", self._head()), *rows]
        )
        notes = " \\par\n".join(_tex(printable(note)) for note in self.notes)
        lines = [
            r"\begin{table}",
            rf"\caption{{{_tex(printable(self.title))}}}",
            rf"\begin{{tabular}}{{l{'r' * len(self.head)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip\footnotesize {notes}"] if notes else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """Return its words and figures as JSON, once it may be released; `from_json` reads it."""
        of = self.sealed()
        of.ask_to_leave("json")
        return json_of(self._values(), of.provenance)

    def sealed(self) -> CopyTable:
        """Return it with its provenance, which it has once it is released."""
        return self if self.gate is None else sealed(self)

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds but the provenance."""
        return checksum_of(self._values())

    def _values(self) -> dict[str, Any]:
        plain = {
            "discreet": SCHEMA,
            "kind": self.kind,
            "title": self.title,
            "names": self.names,
            "head": self.head,
            "lines": [line._asdict() for line in self.lines],
            "notes": self.notes,
            "figures": [figure.to_plain() for figure in self.figures],
        }
        beside = {"labels": dict(self.labels), "orders": dict(self.orders)}
        return plain | {name: it for name, it in beside.items() if it}

    @classmethod
    def from_json(cls, text: str) -> CopyTable:
        """Read back what `to_json` wrote; it has no gate.

        Raises
        ------
        InputError
            If the text is something else.
        """
        try:
            given = json.loads(text, parse_constant=int)  # int("NaN") is refused
            if given.pop("discreet") != SCHEMA or given["kind"] not in KINDS:
                raise ValueError
            section, name = given.pop("names")
            told = given.pop("provenance", None)
            lines = (Line(**it | {"cells": tuple(it["cells"])}) for it in given.pop("lines"))
            figures = (Figure.from_plain(it) for it in given.pop("figures"))
            return cls(
                names=(section, name),
                head=tuple(given.pop("head")),
                lines=tuple(lines),
                notes=tuple(given.pop("notes")),
                figures=tuple(figures),
                provenance=None if told is None else Provenance.from_plain(told),
                labels={str(name): str(it) for name, it in given.pop("labels", {}).items()},
                orders={str(name): tuple(it) for name, it in given.pop("orders", {}).items()},
                **given,
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError("this is not the JSON of a table of discreet") from None

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        width: float | None = None,
        dpi: int | None = None,
        footnote: bool = True,
    ) -> Path:
        """Write it to a file, once it may be released.

        Parameters
        ----------
        path : str or Path
            Ends in .html for a page, .csv for the cells, .tex for LaTeX, .txt for text, .json for
            the numbers in full, or, of means and models, in .png, .svg or .pdf for the plot.
        title, width, dpi, footnote
            Of the plot, as of `View.save`.

        Raises
        ------
        InputError
            If the ending is another one, the folder does not exist, or something of a plot is asked
            of another file.
        LeavingError
            If it may not be released; nothing is written then.
        """
        drawing = Drawing(title, width, dpi, footnote)
        forms: dict[str, Callable[[], str | bytes]] = {
            ".html": self.to_html,
            ".csv": self.to_csv,
            ".tex": self.to_latex,
            ".txt": self._released_text,
            ".json": self.to_json,
        }
        if self.has_plot:
            forms |= {it: partial(self._drawn, it, drawing) for it in FIGURES}
        suffix = Path(path).suffix.lower()
        if suffix in forms:
            drawing.check(suffix)
        return save_as(path, forms, "a table of figures")

    @property
    def has_plot(self) -> bool:
        """Whether `scene` and `plot` draw it: means and models, but no summary."""
        return self._panel() is not None

    def _panel(self) -> Panel | None:
        if self.kind == SUMMARY:  # of many columns, each on an axis of its own
            return None
        return dots_of(self.figures, self.labels, self.orders)

    def scene(self) -> Scene:
        """Return the plot: a dot and an interval for each level, or each term of a model.

        Raises
        ------
        InputError
            If it is no table of means or of a model.
        """
        panel = self._panel()
        if panel is None:
            raise InputError(
                "a summary has no plot; study.means(value, by) and study.model(formula) have one"
            )
        return Scene((panel,), self.title, self.notes)

    @overload
    def plot(self, ax: None = None, *, size: tuple[float, float] | None = None) -> Drawn: ...
    @overload
    def plot(self, ax: Axes, *, size: tuple[float, float] | None = None) -> Axes: ...
    def plot(self, ax: Any = None, *, size: tuple[float, float] | None = None) -> Any:
        """Draw it with matplotlib; the figure asks before `savefig` writes it, as `save` does.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, in place of a figure of its own; what is drawn there is yours to look
            at, so save it with `save` if it shall be released.
        size : (float, float), optional
            Width and height in inches.

        Returns
        -------
        Figure, or the Axes that were given

        Raises
        ------
        InputError
            If it is no table of means or of a model.
        """
        scene = self.scene()
        if ax is not None:
            draw(scene, ax)
            return ax
        return asking_first(draw(scene, size=size or size_of(scene)), self.gate)

    def ask_to_leave(self, form: str) -> None:
        """Ask the gate, where there is one, whether it may be released as `form`."""
        ask_to_leave(self, form)

    def _drawn(self, suffix: str, drawing: Drawing) -> bytes:
        scene = self.scene()
        size = size_of(scene)
        return released(self, suffix[1:], lambda: drawing.bytes_of(scene, suffix, size=size))

    def _released_text(self) -> bytes:
        return released(self, "txt", lambda: f"{self.to_text()}\n")

    def _rows(self) -> Iterator[tuple[bool, str, tuple[str, ...]]]:
        """Yield each line as it is seen: whether it is part of a section, its name, its cells."""
        for section, lines in groupby(self.lines, key=lambda line: line.section):
            if section:
                yield False, printable(section), ("",) * len(self.head)
            for line in lines:
                cells = tuple(with_minus(printable(it)) for it in line.cells)
                yield bool(section), printable(line.name), cells

    def _looks(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Yield how the name of each line looks on a page, the name and the cells."""
        for part, name, cells in self._rows():
            yield "part" if part else "" if any(cells) else "section", name, cells

    def _head(self) -> list[str]:
        return [printable(name) for name in self.head]

    def _widths(self) -> list[int]:
        """Say how wide each column of cells is in text."""
        cells = [cells for _, _, cells in self._rows()]
        return [
            max(map(len, [*_head_lines(name), *(row[j] for row in cells)]))
            for j, name in enumerate(self._head())
        ]

    def _columns(self, columns: Sequence[int], wide: int) -> list[str]:
        """Write some columns of cells beside the names, which are so wide."""
        widths, heads = self._widths(), [_head_lines(name) for name in self._head()]
        deep = max(len(heads[j]) for j in columns)
        over = [[""] * (deep - len(head)) + head for head in heads]  # they stand on the cells
        rows = [("", [head[i] for head in over]) for i in range(deep)]
        for part, name, cells in self._rows():
            *before, last = _wrapped(name, part=part)
            rows += [*((each, [""] * len(heads)) for each in before), (last, list(cells))]
        return [
            "  ".join([name.ljust(wide), *(cells[j].rjust(widths[j]) for j in columns)]).rstrip()
            for name, cells in rows
        ]

    def _parts(self) -> list[Html]:
        rows = [
            (Html(f'<span class="{look}">{marked_up(name)}</span>') if look else name, *cells)
            for look, name, cells in self._looks()
        ]
        shown = table(("", *self._head()), rows, caption=CAPTION)
        panel = self._panel()
        drawn = [] if panel is None else [picture(Scene((panel,), "", ()), self.title)]
        unreliable = unreliable_of(self.notes)
        first = [paragraph(unreliable.says, "unreliable")] if unreliable.says else []
        if unreliable.of_all:
            shown, drawn = greyed([shown]), [greyed(drawn)]
        return [heading(self.title, 1), *first, shown, *drawn, items(self.notes)]


KINDS = (SUMMARY, "means", "model")
HEAD_LETTERS = 20


def _head_lines(name: str) -> list[str]:
    return textwrap.wrap(name, HEAD_LETTERS) or [""]


def _wrapped(name: str, *, part: bool) -> list[str]:
    before = INDENT if part else ""
    then = f"{before}{INDENT}"
    return textwrap.wrap(name, MOST_NAME, initial_indent=before, subsequent_indent=then) or [before]


def _side_by_side(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side into so many letters: one at least."""
    columns: list[int] = []
    taken = 0
    for j, wide in enumerate(widths):
        if columns and taken + wide + 2 > room:
            yield columns
            columns, taken = [], 0
        columns.append(j)
        taken += wide + 2
    yield columns


TEX = {
    "\u2212": "$-$",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _tex(text: str) -> str:
    r"""Return text as LaTeX writes it.

    Examples
    --------
    >>> print(_tex("R&D_50 % <5"))
    R\&D\_50 \% \textless{}5
    """
    return "".join(TEX.get(sign, sign) for sign in text)
