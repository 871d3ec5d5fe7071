"""Tables of figures of a study's copy: which there are, what each takes, and what makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from discreet.estimates.copy_table import CopyTable
from discreet.explore.derived import DerivedCopy
from discreet.explore.model import modelled
from discreet.explore.summary import average, summarise
from discreet.policy import Policy
from discreet.regression import FAMILIES

MOST_COLUMNS = 1000
MOST_WORDS = 100


@dataclass(frozen=True)
class TableField:
    """Something a table is asked for with, by its name in a body.

    `type` is "column", "columns", "formula", "levels" (columns with a level each), "word" or
    "words" (texts of any kind); `kind` says which columns may be named: "any", "continuous" or
    "categorical". Where `least` is 0 it may be left out; of `choices` the first is the usual one.
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
    """A table that can be asked for: what its body holds beside `where` and `assign`.

    `function` makes it of a study's copy, or of what is derived of that, and the fields by name.
    """

    name: str
    title: str
    says: str
    fields: tuple[TableField, ...]
    function: Callable[..., CopyTable]

    def make(self, of: DerivedCopy, body: Mapping[str, Any]) -> CopyTable:
        """Make the table that a body asks for."""
        given = {it.name: body[it.name] for it in self.fields if it.name in body}
        return self.function(of, **given)


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
        summarise,
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
                "per", "column", "By whose sum that of the column is divided.", "continuous"
            ),
        ),
        average,
    ),
    TableAsked(
        "model",
        "Model",
        "A regression, with intervals that have the copy's own error in them.",
        (
            TableField(
                "formula",
                "formula",
                "outcome ~ terms joined by +; of a Cox model survival(time, event) ~ terms; of"
                " others one term may be random: (1 | column).",
                least=1,
            ),
            TableField("family", "word", "The family of the model.", choices=FAMILIES),
            TableField(
                "event_is",
                "words",
                "Which values of the outcome are the event, where that is not clear.",
                most=MOST_WORDS,
            ),
            TableField(
                "reference",
                "levels",
                "Columns of the model, each with the level that others are compared with.",
                "categorical",
                most=MOST_WORDS,
            ),
            WEIGHTS,
        ),
        modelled,
    ),
)
TABLES: Mapping[str, TableAsked] = MappingProxyType({it.name: it for it in _EACH})
"""Every table by name. To add one: an entry above; routes, facts and the description follow."""


def table_facts(policy: Policy) -> list[dict[str, Any]]:
    """Return every table that can be asked for, and with what; none where there is no copy."""
    if not policy.fixed:
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
