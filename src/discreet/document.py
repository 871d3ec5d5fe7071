"""Documents: sentences, tables and plots under a title, as text, page, LaTeX and files.

A report, a map or a table of figures is a frozen value whose class says what its document is and
what its JSON holds; `Documented` writes both. Looking is free; what is saved asks the gate first.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len

from discreet.provenance import Provenance, Sealer, checksum_of
from discreet.render.figure_file import printable
from discreet.render.scene import Scene
from discreet.render.sealing import Gate, ask_to_leave, json_of, released, sealed
from discreet.render.to_html import (
    PICTURE,
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
from discreet.render.to_matplotlib import FIGURES, Drawing
from discreet.unfinished import path_to_save, write_whole

SCHEMA = 1
WIDTH = 88
WORDS = 24
"""Letters of a column of words, at least."""
MOST_NAME = 40
"""Letters of the names of rows, where the columns do not fit side by side."""
HEAD_LETTERS = 20
BLOCKS = "▁▂▃▄▅▆▇█"
"""What small histograms are written with."""
INDENT = "  "
"""A row whose name begins so is part of the section above it."""
STYLE = """
.discreet .part{display:inline-block;padding-left:1.25rem}
.discreet .section{font-weight:600}
@media (min-width:40rem){.discreet .part{min-width:9.5rem}}
"""


class Words(NamedTuple):
    """Sentences under a heading: a list, or paragraphs where `look` is one of `paragraph`.

    `brief` is what text has in their place, where that is given.
    """

    title: str
    sentences: Sequence[str] = ()
    look: str = "list"
    level: int = 2
    brief: Sequence[str] = ()

    def html(self) -> list[Html]:
        """Return it as parts of a page."""
        head = [heading(self.title, self.level)] if self.title else []
        if self.look == "list":
            return [*head, items(self.sentences)]
        return [*head, *(paragraph(it, self.look) for it in self.sentences)]

    def text(self) -> list[str]:
        """Return it as lines of 88 columns."""
        head, sentences = underlined(self.title) if self.title else [], self.brief or self.sentences
        if self.look == "list":
            return [*head, *bullets(sentences)]
        return [*head, *(line for it in sentences for line in textwrap.wrap(printable(it), WIDTH))]


class Listing(NamedTuple):
    """A table of texts, whose title stands above it; on a page `caption` does, where there is one.

    Each of the rows begins with its name; one that has nothing else is the heading of a section,
    whose rows have names that begin with `INDENT`. Columns but those of `words` are of numbers and
    stand to the right. A page shows it grey where what it compares is not reliable.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = (0,)
    caption: str = ""
    grey: bool = False

    def html(self) -> list[Html]:
        """Return it as parts of a page; of no rows, nothing."""
        rows = [(_styled_name(row), *map(_cell, row[1:])) for row in self.rows]
        made = table(self.head, rows, caption=self.caption or self.title, words=self.words)
        return [greyed([made])] if self.grey else [made]

    def text(self) -> list[str]:
        """Return it as lines of 88 columns: what is wider goes on below; of no rows, nothing."""
        if not self.rows:
            return []
        lines = underlined(self.title) if self.title else []
        head, *rows = (tuple(map(_printable, row)) for row in (self.head, *self.rows))
        shown = self._replace(head=head, rows=tuple(rows))
        widths = _widths(shown)
        for columns in _side_by_side(widths):
            lines += [*_lines(shown, columns, widths), ""]
        return lines[:-1]

    def latex(self, title: str, notes: Sequence[str]) -> str:
        r"""Return it as a LaTeX table with notes below; it needs ``\usepackage{booktabs}``."""
        rows = [
            (r"\quad " if row[0].startswith(INDENT) else "", row[0].strip(), row[1:])
            for row in (self.head, *self.rows)
        ]
        head, *body = (
            " & ".join([f"{{{before}{_tex(name)}}}", *map(_tex, cells)]) + r" \\"
            for before, name, cells in rows
        )
        below = " \\par\n".join(_tex(printable(note)) for note in notes)
        lines = [
            r"\begin{table}",
            rf"\caption{{{_tex(printable(title))}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip\footnotesize {below}"] if below else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"


class Picture(NamedTuple):
    """A plot, and the words that stand for it where it cannot be seen; text leaves it out.

    On a page it stands below a `title` and what is said `about` it.
    """

    scene: Scene
    words: str
    inches: tuple[float, float] = PICTURE
    title: str = ""
    about: str = ""
    grey: bool = False

    def html(self) -> list[Html]:
        """Return it as parts of a page."""
        drawn = picture(self.scene, self.words, self.inches)
        head = [heading(self.title)] if self.title else []
        about = [paragraph(self.about)] if self.about else []
        return [*head, *about, greyed([drawn]) if self.grey else drawn]

    def text(self) -> list[str]:
        """Return nothing: the tables have the numbers."""
        return []


Block = Words | Listing | Picture


class Document(NamedTuple):
    """A title and what stands below it.

    Examples
    --------
    >>> rows = (("sex", ""), ("  f", "40"), ("  m", "50"))
    >>> print(Document("Persons", (Listing("", ("", "all"), rows), Words("", ["of 90"]))).to_text())
    Persons
    -------
         all
    sex
      f   40
      m   50
    <BLANKLINE>
    - of 90
    """

    title: str
    blocks: tuple[Block, ...]

    def to_text(self) -> str:
        """Return it as text of 88 columns."""
        parts = ["\n".join(lines) for it in self.blocks if (lines := it.text())]
        has_headings = any(it.title for it in self.blocks if not isinstance(it, Picture))
        lines = underlined(self.title, "=" if has_headings else "-")
        first = [""] if has_headings else []
        return "\n".join([*lines, *first, "\n\n".join(parts)]).rstrip()

    def html(self) -> list[Html]:
        """Return it as parts of a page."""
        return [heading(self.title, 1), *(part for it in self.blocks for part in it.html())]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Documented:
    """What is read as a document, and saved as files once it may be released.

    Parameters
    ----------
    gate : callable or None
        Asked before it is released (`to_html`, `to_json`, `save`, a pickle); looking is free. Never
        written anywhere.
    sealer : Sealer or None
        Seals its files, where a study made it.
    provenance : Provenance or None
        What its files say of where it comes from; it has one once it is released.
    """

    gate: Gate | None = field(default=None, compare=False)
    sealer: Sealer | None = field(default=None, compare=False)
    provenance: Provenance | None = field(default=None, compare=False)

    what: ClassVar[str] = "a document"
    """What is saved, as errors name it."""

    def document(self) -> Document:
        """Return what it says: sentences, tables and plots."""
        raise NotImplementedError

    def to_plain(self) -> Mapping[str, Any]:
        """Return all that its JSON holds but the provenance, as plain values."""
        raise NotImplementedError

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings; each asks whether it may be released."""
        return {
            ".html": self.to_html,
            ".json": self.to_json,
            ".txt": partial(released, self, "txt", lambda: f"{self.to_text()}\n"),
        }

    def drawn_forms(
        self, scene: Scene, size: tuple[float, float] | None = None, drawing: Drawing | None = None
    ) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its plot's files, by their endings."""
        draw = (drawing or Drawing()).bytes_of
        return {
            it: partial(released, self, it[1:], partial(draw, scene, it, size=size))
            for it in FIGURES
        }

    def __str__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> Any:
        self.ask_to_leave("pickle")
        given = {it.name: getattr(self, it.name) for it in fields(self) if it.compare}
        plain = {name: dict(it) if isinstance(it, Mapping) else it for name, it in given.items()}
        again: Callable[..., Any] = type(self)
        return partial(again, **plain), ()

    def _repr_html_(self) -> str:
        """Show it in a notebook; looking is free."""
        return fragment(self.document().html(), STYLE)

    def to_text(self) -> str:
        """Return it as text of 88 columns, to look at."""
        return self.document().to_text()

    def to_html(self) -> str:
        """Return it as one page that needs no other file, once it may be released."""

        def make() -> str:
            document = self.document()
            return page(document.title, document.html(), STYLE)

        return released(self, "html", make).decode()

    def to_json(self) -> str:
        """Return its numbers and words as JSON, once it may be released."""
        of = sealed(self)
        of.ask_to_leave("json")
        return json_of(of.to_plain(), of.provenance)

    def save(self, path: str | Path) -> Path:
        """Write it to a file, once it may be released.

        Parameters
        ----------
        path : str or Path
            Ends in .html for a page, .json for the numbers, .txt for text; in .csv, .tex, .png,
            .svg or .pdf where it has such a table or plot.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        LeavingError
            If it may not be released; nothing is written then.
        """
        return self._save(path, self.forms())

    def _save(self, path: str | Path, forms: Mapping[str, Callable[[], str | bytes]]) -> Path:
        target = path_to_save(path, tuple(forms), self.what)
        made = forms[target.suffix.lower()]()
        write_whole(made.encode() if isinstance(made, str) else made, target)
        return target

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds but the provenance."""
        return checksum_of(self.to_plain())

    def ask_to_leave(self, form: str) -> None:
        """Ask the gate, where there is one, whether it may be released as `form`."""
        ask_to_leave(self, form)


# --- text of 88 columns -------------------------------------------------------------------------


def underlined(title: str, rule: str = "-") -> list[str]:
    """Return a title over a rule as wide."""
    lines = textwrap.wrap(printable(title), WIDTH) or [""]
    return [*lines, rule * max(map(cell_len, lines))]


def bullets(sentences: Sequence[str]) -> list[str]:
    """Return sentences as a list."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            printable(sentence), WIDTH, initial_indent="- ", subsequent_indent=INDENT
        )
    ]


def _printable(name: str) -> str:
    return (INDENT if name.startswith(INDENT) else "") + printable(name)


def _widths(listing: Listing) -> list[int]:
    """Return how wide each column is: numbers in full, words in what is left of the line."""
    heads = [_head_lines(name, HEAD_LETTERS) for name in listing.head]
    widths = [
        max(map(cell_len, (*lines, *cells)))
        for lines, cells in zip(heads, zip(*listing.rows, strict=True), strict=True)
    ]
    natural, room = widths.copy(), WIDTH - len(INDENT) * (len(widths) - 1)
    while sum(widths) > room and listing.words:
        widest = max(listing.words, key=widths.__getitem__)
        if widths[widest] <= WORDS:
            break
        widths[widest] -= 1
    if sum(widths) > room:
        widths[0] = min(natural[0], MOST_NAME)
    return widths


def _side_by_side(widths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the columns that fit beside the names: one at least."""
    columns: list[int] = []
    taken = widths[0]
    for j, wide in enumerate(widths[1:], 1):
        if columns and taken + len(INDENT) + wide > WIDTH:
            yield columns
            columns, taken = [], widths[0]
        columns.append(j)
        taken += len(INDENT) + wide
    yield columns


def _lines(listing: Listing, columns: Sequence[int], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of some columns beside the names.

    Heads end on one line, and cells begin on the last line of the name of their row.
    """
    for i, row in enumerate((listing.head, *listing.rows)):
        cells = {0: _name_lines(row[0], widths[0])}
        for j in columns:
            most = HEAD_LETTERS if not i and j not in listing.words else widths[j]
            cells[j] = _head_lines(row[j], most)
        before = len(cells[0]) - 1 if i else 0
        deep = max(len(it) + before * (j > 0) for j, it in cells.items())
        for at in range(deep):
            written = []
            for j, lines in cells.items():
                place = at - before * (j > 0) if i else at - deep + len(lines)
                text = lines[place] if 0 <= place < len(lines) else ""
                space = " " * (widths[j] - cell_len(text))
                written.append(text + space if j in listing.words else space + text)
            yield INDENT.join(written).rstrip()


def _head_lines(text: str, most: int) -> list[str]:
    return textwrap.wrap(text, most) or [""]


def _name_lines(name: str, most: int) -> list[str]:
    before = INDENT if name.startswith(INDENT) else ""
    then = f"{before}{INDENT}"
    return textwrap.wrap(name.strip(), most, initial_indent=before, subsequent_indent=then) or [
        before
    ]


# --- pages and LaTeX ----------------------------------------------------------------------------


def _styled_name(row: Sequence[str]) -> str:
    """Return the name of a row as a page has it: of a section, or of a part of one."""
    name = row[0].strip()
    look = "part" if row[0].startswith(INDENT) else "" if any(row[1:]) else "section"
    return Html(f'<span class="{look}">{marked_up(name)}</span>') if look else row[0]


def _cell(text: str) -> str:
    """Return a cell as a page has it: a histogram is a picture to whoever hears the page."""
    if not text.strip(f"{BLOCKS} ") and text:
        return Html(f'<span role="img" aria-label="histogram">{marked_up(text)}</span>')
    return text


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
