"""Tables of figures of the copy of the whole table over HTTP: what is asked for, what is sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from discreet.errors import InputError, RefusedError
from discreet.explore.derived import DerivedCopy
from discreet.explore.table_kinds import TABLES, TableAsked, TableField
from discreet.render.scene import scene_to_plain
from discreet.serve.refusals import Refusal
from discreet.serve.requests import (
    LONGEST_FORMULA,
    STRICT,
    Body,
    Name,
    derivation_fields,
    part_of,
    parted,
    refused_in_words,
)

LONGEST_WORD = 40


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
    if it.type == "levels":
        return Annotated[dict[Name, Name], Field(min_length=1, max_length=it.most)]
    if it.type == "formula":
        return Annotated[str, Field(min_length=1, max_length=LONGEST_FORMULA)]
    return Name if it.type == "column" else Annotated[str, Field(max_length=LONGEST_WORD)]


def table_sent(copy: DerivedCopy, kind: str, body: Body, name: str) -> bytes | Refusal:
    """Return what is sent of a table; why there is none is said in fixed words."""
    given, derivation = parted(body)
    try:
        table = TABLES[kind].make(part_of(copy, derivation), given).sealed()
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    plain = replace(table, gate=None)
    told = {
        "id": name,
        "kind": kind,
        "table": json.loads(plain.to_json()),
        "text": plain.to_text(),
        "scene": scene_to_plain(plain.scene()) if plain.has_plot else None,
    }
    return json.dumps(told, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
