"""Files of what a server answered: made of the answer, and of nothing else.

The same answer gives the same file, whoever asks for it and whenever: an analyst who downloads it,
or a checker for whom it is collected.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from discreet.estimates.copy_table import CopyTable
from discreet.explore.notes import COPY, COUNTS
from discreet.outputs.folder import Finding, command_of
from discreet.plots import View
from discreet.provenance import Sealer
from discreet.render.to_matplotlib import figure_bytes

#: The files that a plot can be downloaded as, and what they are.
PLOT_FORMS = {
    "figure.svg": "image/svg+xml",
    "figure.png": "image/png",
    "figure.pdf": "application/pdf",
    "figure.html": "text/html; charset=utf-8",
    "view.json": "application/json",
}
#: The files that a table can be downloaded as, and what they are.
TABLE_FORMS = {
    "table.csv": "text/csv; charset=utf-8",
    "table.html": "text/html; charset=utf-8",
    "table.tex": "application/x-tex; charset=utf-8",
    "table.txt": "text/plain; charset=utf-8",
    "table.json": "application/json",
}
DIGITS = 12
"""Of an id in the name of a file: enough that two files of one folder have two names."""

Judge = Callable[[str], tuple[str, tuple[str, ...]]]
"""Says of a source whether what is made from it passes, and by which rules it was made."""


def file_name(id_: str, form: str) -> str:
    """Return the name of a file of an answer."""
    return f"discreet-{id_[:DIGITS]}.{form.rpartition('.')[2]}"


def file_of(answer: bytes, form: str, sealer: Sealer | None = None) -> bytes:
    """Return a file of a plot or table that was answered: it holds no more than that.

    The `sealer` of the study file seals it.
    """
    plain = json.loads(answer)
    if form in TABLE_FORMS:
        return _file_of_table(plain, form, sealer)
    view = View.from_plain(plain["view"])
    if form == "view.json":
        return view.to_json().encode()
    view = replace(view, sealer=sealer)
    if form == "figure.html":
        return view.to_html().encode()
    suffix = form.removeprefix("figure")
    return view.file_of(figure_bytes(view.scene(), suffix), suffix)


def _file_of_table(plain: Mapping[str, Any], form: str, sealer: Sealer | None) -> bytes:
    table = replace(CopyTable.from_json(json.dumps(plain["table"])), sealer=sealer)
    made = table.forms()[form.removeprefix("table")]()
    return made.encode() if isinstance(made, str) else made


@dataclass(frozen=True)
class Answered:
    """A plot or table that a server answered: its id, the answer, and what was asked, as JSON."""

    view: str
    body: bytes
    request: str

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        """What was sent, as plain values."""
        return MappingProxyType(json.loads(self.body))

    def has(self, form: str) -> bool:
        """Tell whether it is given in a form."""
        return form in (TABLE_FORMS if "table" in self.answer else PLOT_FORMS) and self.is_file

    @property
    def is_file(self) -> bool:
        """Whether it is a plot or a table, and none of what a board asks for at once."""
        return not {"view", "table"}.isdisjoint(self.answer)

    @property
    def command(self) -> str:
        """What was asked for, as a call."""
        if "table" in self.answer:
            return command_of({"plot": self.answer["kind"], **json.loads(self.request)})
        known = self._view.provenance
        asked = {} if known is None else known.request
        return command_of({"plot": self._view.kind, "columns": self._view.columns, **asked})

    def finding(self, file: bytes, judge: Judge, callers: Sequence[str]) -> Finding:
        """Return what an output checker reads of a file that was made of it for some callers."""
        columns, method, source = self._of_table() if "table" in self.answer else self._of_view()
        status, says = judge(source)
        return Finding(
            status=status,
            kind=self.answer["kind"],
            type="table" if "table" in self.answer else "plot",
            columns=columns,
            method=method,
            command=self.command,
            digest=hashlib.sha256(file).hexdigest(),
            says=("made of what the server answered", *says),
            view=self.view,
            callers=tuple(callers),
        )

    @cached_property
    def _view(self) -> View:
        return View.from_plain(self.answer["view"])

    def _of_view(self) -> tuple[tuple[str, ...], str, str]:
        """Return the columns, the method and the source of a plot."""
        view = self._view
        counted = COUNTS if view.origin.version is None else COPY
        source = counted if view.provenance is None else view.provenance.source
        return view.columns, view.method, source

    def _of_table(self) -> tuple[tuple[str, ...], str, str]:
        """Return the columns of a table, none of a formula, what it is, and its source."""
        asked, kind = json.loads(self.request), self.answer["table"]["kind"]
        value, by = asked.get("value"), asked.get("by", ())
        divided = [by] if isinstance(by, str) else by
        columns = (*asked.get("columns", ()), *([value] if value else ()), *divided)
        return columns, kind, COPY
