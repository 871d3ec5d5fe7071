"""Tables of figures of the copy of the whole table over HTTP: what is asked for, and its forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from discreet.errors import InputError, RefusedError
from discreet.measure.copy_table import CopyTable
from discreet.serve.facts import Served
from discreet.serve.refusals import Refusal
from discreet.serve.requests import (
    LONGEST_FORMULA,
    MOST_WORDS,
    STRICT,
    Body,
    Name,
    derivation_fields,
    part_of,
    parted,
    refused_in_words,
)
from discreet.study.derived import OfCopy
from discreet.study.model import modelled
from discreet.study.summary import average, summarise

__all__ = ["TABLES", "TABLE_FORMS", "TableAsked", "table_body", "table_file", "table_sent"]

MOST_COLUMNS = 1000
FORM = "web"

#: The files that a table can be downloaded as, and what they are.
TABLE_FORMS = {
    "table.csv": "text/csv; charset=utf-8",
    "table.html": "text/html; charset=utf-8",
    "table.tex": "application/x-tex; charset=utf-8",
    "table.txt": "text/plain; charset=utf-8",
    "table.json": "application/json",
}


@dataclass(frozen=True)
class TableAsked:
    """A table that can be asked for: what its body holds, and what makes it.

    Parameters
    ----------
    name : str
        Its kind.
    says : str
        A sentence on it.
    fields : mapping of str to (type, default)
        What its body holds beside `where` and `assign`.
    make : callable
        Makes it of the study's copy, or of what is derived of that, given the body.
    """

    name: str
    says: str
    fields: Mapping[str, Any]
    make: Callable[[OfCopy, Body], CopyTable]


def _names(most: int) -> Any:
    return Annotated[list[Name], Field(min_length=1, max_length=most)]


_EACH = (
    TableAsked(
        "summary",
        "Columns described in a table, in all and by the levels of another one.",
        {"columns": (_names(MOST_COLUMNS) | None, None), "by": (Name | None, None)},
        lambda part, body: summarise(part, body.get("columns"), body.get("by")),
    ),
    TableAsked(
        "means",
        "Means of a column by the levels of one or two others, with their intervals.",
        {"value": (Name, ...), "by": (_names(2), ...)},
        lambda part, body: average(part, body["value"], body["by"]),
    ),
    TableAsked(
        "model",
        "A regression, with intervals that have the copy's own error in them.",
        {
            "formula": (Annotated[str, Field(min_length=1, max_length=LONGEST_FORMULA)], ...),
            "family": (Annotated[str, Field(max_length=40)] | None, None),
            "event_is": (_names(MOST_WORDS) | None, None),
        },
        lambda part, body: modelled(
            part, body["formula"], body.get("family", "linear"), body.get("event_is")
        ),
    ),
)
TABLES: Mapping[str, TableAsked] = MappingProxyType({it.name: it for it in _EACH})
"""Every table by name. To add one: an entry above; the routes and the description follow."""


def table_body(asked: TableAsked) -> type[BaseModel]:
    """Return what the body of a request for a table may hold."""
    fields = {**asked.fields, **derivation_fields()}
    title = f"{asked.name.capitalize()}TableBody"
    model: type[BaseModel] = create_model(title, __config__=STRICT, **fields)
    model.__doc__ = asked.says
    return model


def table_sent(served: Served, kind: str, body: Body, name: str) -> bytes | Refusal:
    """Make a table and release it; what is returned may be sent.

    Only what is drawn of the copy goes in, so why it is refused tells of no record; it is said in
    fixed words all the same.
    """
    given, derivation = parted(body)
    try:
        part = part_of(served.study, derivation)
        table = TABLES[kind].make(part, given)
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    table.ask_to_leave(FORM)
    plain = replace(table, gate=None)
    told = {
        "id": name,
        "kind": kind,
        "table": json.loads(plain.to_json()),
        "text": plain.to_text(),
    }
    return json.dumps(told, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def table_file(sent: bytes, form: str) -> bytes:
    """Return a file of a table that was sent before: it holds no more than that."""
    table = CopyTable.from_json(json.dumps(json.loads(sent)["table"]))
    forms = {
        "table.csv": table.to_csv,
        "table.html": table.to_html,
        "table.tex": table.to_latex,
        "table.txt": lambda: f"{table.to_text()}\n",
        "table.json": table.to_json,
    }
    return forms[form]().encode()
