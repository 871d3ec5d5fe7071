"""A table of figures, such as the table 1 of a paper: its forms, and its gate.

It is of protected rows, or of what may be counted of the data.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

from discreet.columns.native import frame_of
from discreet.document import INDENT, WIDTH, Block, Document, Documented, Listing, Picture, Words
from discreet.errors import InputError
from discreet.estimates.figures import Figure, dots_of, size_of, tidy_figures
from discreet.lines import WORKBOOKS, lines_of
from discreet.provenance import Provenance
from discreet.render.csv_words import csv_text
from discreet.render.figure_file import printable, with_minus
from discreet.render.scene import Panel, Scene, subtitle_of, unreliable_of
from discreet.render.sealing import released, sealed
from discreet.render.to_matplotlib import Drawing, asking_first, draw
from discreet.render.workbook import XLSX, as_labelled, as_workbook

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

SCHEMA = 1
SUFFIXES = (".html", ".csv", ".tex", ".txt", ".json", *WORKBOOKS)
CAPTION = "Figures of rows of the protected copy"
SUMMARY = "summary"
IN_A_LINE = WIDTH - len(INDENT)
"""So many letters has a line of text below a table."""


class Line(NamedTuple):
    """One line of the table: the section it stands in ("" for none), its name, its cells."""

    section: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class CopyTable(Documented):
    """A table of figures of protected rows.

    Parameters
    ----------
    kind : str
        "summary", "means", "model", or of answers from the data "counts".
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
    labels : mapping of str to str
        What the plot has in place of the names of columns.
    orders : mapping of str to tuple of str
        All levels of columns in order, by which the plot gives them their colours.
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
    labels: Mapping[str, str] = field(default_factory=dict)
    framework: str = field(default="pandas", compare=False)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    what: ClassVar[str] = "a table of figures"

    def __repr__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> tuple[Callable[[str], CopyTable], tuple[str]]:
        return CopyTable.from_json, (self.to_json(),)

    def to_frame(self) -> Any:
        """Return the numbers in full as a tidy frame of the kind that came in, to look at.

        Of a model it has a row for each term, of means one for each group, with a column for each
        figure; of a summary a row for each figure, with dates apart from numbers. What you write of
        it yourself is not recorded, so release the table by `save`.
        """
        return frame_of(tidy_figures(self.figures, self.kind), self.framework)

    def document(self) -> Document:
        """Return the table, its plot where it has one, and where it comes from."""
        unreliable, grey = unreliable_of(self.notes)
        panel = self._panel()
        blocks: list[Block] = []
        if unreliable:
            blocks.append(Words("", (unreliable,), "unreliable"))
        blocks.append(self._listing()._replace(grey=grey))
        if panel is not None:
            drawn = Picture(Scene((panel,), "", ()), self.title, grey=grey)
            blocks.append(drawn)
        return Document(self.title, (*blocks, Words("", self.notes, brief=self._two_lines())))

    def _two_lines(self) -> list[str]:
        """Return what text says below the table: what warns first, and how it was made."""
        below = subtitle_of([it for it in self.notes if not it.startswith("not reliable")])
        return below.lines(IN_A_LINE)

    def _listing(self) -> Listing:
        """Return the lines as they are printed, those of a section below its name."""
        rows: list[tuple[str, ...]] = []
        for section, lines in groupby(self.lines, key=lambda line: line.section):
            if section:
                rows.append((printable(section), *[""] * len(self.head)))
            for line in lines:
                name = (INDENT if section else "") + printable(line.name)
                rows.append((name, *(with_minus(printable(it)) for it in line.cells)))
        head = ("", *map(printable, self.head))
        return Listing("", head, tuple(rows), caption=CAPTION)

    def to_csv(self) -> str:
        """Return the cells as CSV, each line with its section and its name, once it may be."""
        return self._known_by_digest("csv", csv_text(self._rows()).encode()).decode()

    def to_workbook(self, suffix: str) -> bytes:
        """Return it as a file of Excel, Stata or SPSS, once it may be released.

        Of Excel (.xlsx) there are a sheet as it is printed, one of the numbers in full, and one of
        notes; of Stata (.dta) and SPSS (.sav) the numbers in full, with labels.
        """
        numbers = tidy_figures(self.figures, self.kind)
        if suffix == XLSX:
            heads, cells = [name for name, _ in numbers], [of for _, of in numbers]
            tidy = [heads, *map(list, zip(*cells, strict=True))]
            notes = [["notes"], *([note] for note in self.notes)]
            made = as_workbook({"table": self._rows(), "numbers": tidy, "notes": notes})
        else:
            made = as_labelled(numbers, suffix, self.title, self.labels)
        return self._known_by_digest(suffix[1:], made)

    def _rows(self) -> list[list[str]]:
        """Return the head and the lines as they are printed."""
        sections = any(line.section for line in self.lines)
        rows = [[*self.names[0 if sections else 1 :], *self.head]]
        for line in self.lines:
            rows.append([*([line.section] if sections else []), line.name, *line.cells])
        return rows

    def _known_by_digest(self, form: str, file: bytes) -> bytes:
        """Return a file that has no room for where it comes from, once it may be released.

        The register knows it by its digest, and CSV by its lines, too.
        """
        if self.gate is None or self.sealer is None:
            self.ask_to_leave(form)
            return file
        provenance = self.sealer.of_text(hashlib.sha256(file).hexdigest())
        lines = lines_of(self.sealer.key, io.BytesIO(file)) if form == "csv" else None
        self.gate(form, provenance, lines)
        return file

    def to_latex(self) -> str:
        r"""Return it as a LaTeX table with its notes, once it may be released.

        It needs ``\usepackage{booktabs}``, and LaTeX of 2018 or later for letters beyond ASCII.
        """
        make = partial(self._listing().latex, self.title, self.notes)
        return released(self, "latex", make, ".tex").decode()

    def sealed(self) -> CopyTable:
        """Return it with its provenance, which it has once it is released."""
        return self if self.gate is None else sealed(self)

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds but the provenance."""
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
            provenance = given.pop("provenance", None)
            lines = (Line(**it | {"cells": tuple(it["cells"])}) for it in given.pop("lines"))
            figures = (Figure.from_plain(it) for it in given.pop("figures"))
            return cls(
                names=(section, name),
                head=tuple(given.pop("head")),
                lines=tuple(lines),
                notes=tuple(given.pop("notes")),
                figures=tuple(figures),
                provenance=None if provenance is None else Provenance.from_plain(provenance),
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
            the numbers in full, .xlsx for both, .dta or .sav for the numbers with labels, or, of
            means and models, in .png, .svg or .pdf for the plot.
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
        forms = self.forms(drawing)
        suffix = Path(path).suffix.lower()
        if suffix in forms:
            drawing.check(suffix)
        return self._save(path, forms)

    def forms(self, drawing: Drawing | None = None) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings; where it has a plot, those of it, too."""
        more: dict[str, Callable[[], str | bytes]] = {".csv": self.to_csv, ".tex": self.to_latex}
        more |= {it: partial(self.to_workbook, it) for it in WORKBOOKS}
        if self.has_plot:
            more |= self.drawn_forms(self.scene(), size_of(self.scene()), drawing)
        return super().forms() | more

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
            Where to draw, in place of a figure of its own; what is drawn there is yours to look at,
            so save it with `save` if it shall be released.
        size : (float, float), optional
            Width and height in inches.
        """
        scene = self.scene()
        if ax is not None:
            draw(scene, ax)
            return ax
        return asking_first(draw(scene, size=size or size_of(scene)), self.gate)


KINDS = (SUMMARY, "means", "model", "counts")
