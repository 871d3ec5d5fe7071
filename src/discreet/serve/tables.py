"""Tables of figures over HTTP: what is asked for, and its forms.

They are of the copy of the whole table, but for means that are asked for of counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from discreet.errors import InputError, RefusedError
from discreet.measure.copy_table import CopyTable
from discreet.plots.request import COUNTS, SOURCES
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.regression import FAMILIES
from discreet.render.scene import scene_to_plain
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
from discreet.study import Study
from discreet.study.counted_means import check_cells, count_means
from discreet.study.derived import OfCopy
from discreet.study.model import modelled
from discreet.study.summary import average, settle_counted, summarise

__all__ = [
    "TABLES",
    "TABLE_FORMS",
    "TableAsked",
    "TableField",
    "is_counted",
    "table_body",
    "table_file",
    "table_sent",
    "tables_told",
]

MOST_COLUMNS = 1000
LONGEST_WORD = 40
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
class TableField:
    """Something a table is asked for with.

    Parameters
    ----------
    name : str
        What it is called in a body.
    type : {"column", "columns", "formula", "word", "words"}
        What it is; "words" are texts of any kind.
    says : str
        One sentence on it.
    kind : {"any", "continuous", "categorical"}
        Of columns, which may be named.
    least, most : int
        How many columns or words; where `least` is 0 it may be left out.
    choices : tuple of str
        The words that there are, the usual one first.
    """

    name: str
    type: str
    says: str
    kind: str = "any"
    least: int = 0
    most: int = 1
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableAsked:
    """A table that can be asked for: what its body holds, and what makes it.

    Parameters
    ----------
    name : str
        Its kind.
    title : str
        What it is called where it is offered.
    says : str
        A sentence on it.
    fields : tuple of TableField
        What its body holds beside `where` and `assign`.
    make : callable
        Makes it of the study's copy, or of what is derived of that, given the body.
    """

    name: str
    title: str
    says: str
    fields: tuple[TableField, ...]
    make: Callable[[OfCopy, Body], CopyTable]


WEIGHTS = TableField(
    "weights", "column", "A survey's weights, by which rows are weighted.", "continuous"
)

_EACH = (
    TableAsked(
        "summary",
        "Summary",
        "Columns described in a table, in all and by the levels of another one.",
        (
            TableField(
                "columns", "columns", "What is described; all where none.", most=MOST_COLUMNS
            ),
            TableField("by", "column", "Whose levels have a column each.", "categorical"),
            WEIGHTS,
        ),
        lambda part, body: summarise(
            part, body.get("columns"), body.get("by"), body.get("weights")
        ),
    ),
    TableAsked(
        "means",
        "Means",
        "Means of a column by the levels of one or two others, with their intervals.",
        (
            TableField("value", "column", "The column that is averaged.", "continuous", least=1),
            TableField("by", "columns", "Whose levels the means are of.", "categorical", 1, 2),
            WEIGHTS,
            TableField(
                "source", "word", "The copy, or the data by further counts.", choices=SOURCES
            ),
        ),
        lambda part, body: average(
            part, body["value"], body["by"], body.get("weights"), body.get("source")
        ),
    ),
    TableAsked(
        "model",
        "Model",
        "A regression, with intervals that have the copy's own error in them.",
        (
            TableField(
                "formula",
                "formula",
                "outcome ~ terms joined by +; of a Cox model survival(time, event) ~ terms.",
                least=1,
            ),
            TableField("family", "word", "The family of the model.", choices=FAMILIES),
            TableField(
                "event_is",
                "words",
                "Which values of the outcome are the event, where that is not clear.",
                most=MOST_WORDS,
            ),
            WEIGHTS,
        ),
        lambda part, body: modelled(
            part,
            body["formula"],
            body.get("family", FAMILIES[0]),
            body.get("event_is"),
            body.get("weights"),
        ),
    ),
)
TABLES: Mapping[str, TableAsked] = MappingProxyType({it.name: it for it in _EACH})
"""Every table by name. To add one: an entry above; routes, facts and the description follow."""


def table_body(asked: TableAsked) -> type[BaseModel]:
    """Return what the body of a request for a table may hold."""
    fields: dict[str, Any] = {
        it.name: (_type_of(it), ...) if it.least else (_type_of(it) | None, None)
        for it in asked.fields
    }
    title = f"{asked.name.capitalize()}TableBody"
    model: type[BaseModel] = create_model(title, __config__=STRICT, **fields, **derivation_fields())
    model.__doc__ = asked.says
    return model


def _type_of(it: TableField) -> Any:
    if it.type in ("columns", "words"):
        return Annotated[list[Name], Field(min_length=1, max_length=it.most)]
    if it.type == "formula":
        return Annotated[str, Field(min_length=1, max_length=LONGEST_FORMULA)]
    return Name if it.type == "column" else Annotated[str, Field(max_length=LONGEST_WORD)]


def tables_told(policy: Policy) -> list[dict[str, Any]]:
    """Return every table that can be asked for, and with what; none where there is no copy."""
    if policy.rows_by != Whole.name:
        return []
    return [
        {
            "kind": it.name,
            "title": it.title,
            "says": it.says,
            "fields": [asdict(field) | {"choices": [*field.choices]} for field in it.fields],
            "derivation": True,
        }
        for it in TABLES.values()
    ]


def is_counted(body: Body) -> bool:
    """Whether a table is of counts, and not of the copy."""
    return body.get("source") == COUNTS


def table_sent(study: Study, kind: str, body: Body, name: str) -> bytes | Refusal:
    """Make a table and release it; what is returned may be sent.

    Where only what is drawn of the copy goes in, why it is refused tells of no record; it is said
    in fixed words all the same. Of counts that is so of what was asked for; why none may be shown
    is for the caller to keep.
    """
    given, derivation = parted(body)
    try:
        part = part_of(study, derivation)
        if is_counted(given):
            settled = settle_counted(part, given["value"], given["by"], given.get("weights"))
        else:
            table = TABLES[kind].make(part, given)
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    if is_counted(given):
        check_cells(*settled)  # first, so that it tells nothing of what would be counted
        table = count_means(*settled)
    table.ask_to_leave(FORM)
    plain = replace(table, gate=None)
    told = {
        "id": name,
        "kind": kind,
        "table": json.loads(plain.to_json()),
        "text": plain.to_text(),
        "scene": scene_to_plain(plain.scene()) if plain.has_plot else None,
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
