"""The report of a release: what was done, what it gives away, what is left of its use.

The same content as text, JSON and one page. Like a view it may be looked at freely, and asks the
gate it was given before it leaves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from discreet.measure.claims import claims_of
from discreet.measure.evaluate import Measured
from discreet.measure.pictures import Picture, pictures_of
from discreet.measure.report_tables import Listing, listings
from discreet.measure.report_text import bullets, columns, headed
from discreet.measure.summary import summary
from discreet.render.figure_file import path_to_save, write_whole
from discreet.render.to_html import (
    Html,
    fragment,
    heading,
    items,
    page,
    paragraph,
    picture,
    table,
)

__all__ = ["SCHEMA", "SUFFIXES", "Report"]

SCHEMA = 1
SUFFIXES = (".html", ".json", ".txt")
LEAD = (
    "What was done to this table before it was released, what somebody could still learn from it"
    " about a person, and what it can be used for."
)
CLAIMS = "What must not be claimed"
ATTACKS = "Each number is of one attack that was tried; that one fails says nothing of others."

#: Called with the form a report is to leave in ("html", "json", ...); raises if it may not.
Gate = Callable[[str], None]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What was done to a table, what somebody could learn from the result, and its use.

    Parameters
    ----------
    title : str
        What the release is called.
    made : mapping of str to plain values
        What was done, in the order it is told in: method, parameters, strata, repairs, missing
        values, policy, versions. Counts in it are as the caller rounded them.
    measured : Measured
        Risk and utility; rounded by the caller where a policy asks for it.
    pictures : tuple of Picture
        Pictures besides those of what was measured, such as histograms; the caller decides what
        may be shown.
    notes : tuple of str
        What else the reader must know.
    claims : tuple of str or None
        What must not be claimed; by default what fits the method.
    gate : callable or None
        Asked before the report leaves (`to_json`, `to_html`, `save`, a pickle); looking at it is
        free. Never written anywhere.

    Notes
    -----
    A report tells what was measured by attacks that were tried. It is no proof that others fail,
    and it knows no other release of the same data.

    Examples
    --------
    >>> from discreet.measure.estimate import Estimate
    >>> found = Measured(columns=("age",), risks={"linkage": Estimate("linked", 17, 100, 0.01)})
    >>> report = Report("cohort.csv", {"method": "microaggregation", "k": 5}, found)
    >>> report
    Report(cohort.csv: microaggregation, k = 5)
    """

    title: str
    made: Mapping[str, Any]
    measured: Measured
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[str, ...] | None = None
    gate: Gate | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        known = [str(self.made["method"])] if self.made.get("method") else []
        known += [f"{name} = {self.made[name]}" for name in ("k", "q") if self.made.get(name)]
        return f"Report({self.title}{': ' if known else ''}{', '.join(known)})"

    def __str__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> tuple[Callable[..., Report], tuple[Any, ...]]:
        self.ask_to_leave("pickle")
        made = dict(self.made)
        return Report, (self.title, made, self.measured, self.pictures, self.notes, self.claims)

    def _repr_html_(self) -> str:
        """Show the report in a notebook; looking is free."""
        return fragment(self._parts())

    def saved_as(self, name: str, sha256: str) -> Report:
        """Return the report of a table that was written to a file of this name and checksum."""
        return replace(self, made=MappingProxyType({**self.made, "file": name, "sha256": sha256}))

    def in_words(self) -> str:
        """Return the summary in plain words, to read in a terminal."""
        lines: list[str] = []
        for head, told in self._summary():
            lines += [head, "-" * len(head), *bullets(told), ""]
        if self.notes:
            lines += ["Notes", "-----", *bullets(self.notes)]
        return "\n".join(lines).rstrip()

    def to_text(self) -> str:
        """Return the report as text to read in a terminal, of 88 columns where tables allow."""
        lines = [*headed(self.title, "="), ""]
        for head, told in self._summary():
            lines += [*headed(head), *bullets(told), ""]
        for listing in self._listings():
            lines += [*headed(listing.title), *columns(listing), ""]
        lines += [*headed(CLAIMS), *bullets(self._claims())]
        if self.notes:
            lines += ["", *headed("Notes"), *bullets(self.notes)]
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the report as JSON, once it was let leave."""
        self.ask_to_leave("json")
        return self._json()

    def to_html(self) -> str:
        """Return the report as one page that needs no other file, once it was let leave."""
        self.ask_to_leave("html")
        return self._html()

    def save(self, path: str | Path) -> Path:
        """Write the report to a file, once it was let leave.

        Parameters
        ----------
        path : str or Path
            Ends in .html for a page, .json for the numbers, .txt for text.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        LeavingError
            If it may not leave; nothing is written then.
        """
        target = path_to_save(path, SUFFIXES, "a report")
        suffix = target.suffix.lower()
        self.ask_to_leave(suffix[1:])
        written = {".html": self._html, ".json": self._json, ".txt": self.to_text}[suffix]()
        write_whole(written.encode(), target)
        return target

    def ask_to_leave(self, form: str) -> None:
        """Ask the gate, where there is one, whether the report may leave as `form`."""
        if self.gate is not None:
            self.gate(form)

    def _claims(self) -> tuple[str, ...]:
        return claims_of(self.made.get("method")) if self.claims is None else self.claims

    def _summary(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return summary(self.measured, self.made)

    def _listings(self) -> list[Listing]:
        return listings(self.measured, self.made)

    def _pictures(self) -> tuple[Picture, ...]:
        return (*self.pictures, *pictures_of(self.measured))

    def _json(self) -> str:
        told = {
            "discreet": SCHEMA,
            "kind": "report",
            "title": self.title,
            "made": self.made,
            "summary": [{"heading": head, "sentences": told} for head, told in self._summary()],
            "measured": self.measured.to_dict(),
            "pictures": [shown.words for shown in self._pictures()],
            "claims_not_to_make": self._claims(),
            "notes": self.notes,
        }
        return json.dumps(_plain(told), allow_nan=False, ensure_ascii=False)

    def _html(self) -> str:
        return page(self.title, self._parts())

    def _parts(self) -> list[Html]:
        parts = [heading(self.title, 1), paragraph(LEAD, "lead")]
        for head, told in self._summary():
            parts += [heading(head), items(told)]
        shown = self._pictures()
        if shown:
            parts += [heading("Pictures"), *(picture(one.scene, one.words) for one in shown)]
        parts.append(heading("Tables"))
        parts.append(paragraph(ATTACKS, "soft"))
        for each in self._listings():
            parts.append(table(each.head, each.rows, caption=each.title, words=each.words))
        parts += [heading(CLAIMS), items(self._claims())]
        return [*parts, *([heading("Notes"), items(self.notes)] if self.notes else [])]


def _plain(value: Any) -> Any:
    """Return what JSON holds: no number that is none, no tuple, no array."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | str | int):
        return value
    if hasattr(value, "item"):  # a number of numpy
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
