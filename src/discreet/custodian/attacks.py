"""Attacks on the copy of a whole table, made again as the study makes it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from discreet.arguments import Floats
from discreet.measure.attack_report import AttackReport, attacked
from discreet.measure.attacks import Copy, Records, comparable, in_keyed_order, maker_of, told_as
from discreet.measure.attacks_by_copies import versions as who_left
from discreet.measure.attacks_on_copy import found_records
from discreet.measure.pairs import Estimate, Side
from discreet.methods import Whole
from discreet.methods.copies import Levels, WholeCopy
from discreet.vault.whole_columns import RawWhole


def attack_whole(raw: RawWhole, made: WholeCopy, title: str, pairs: int) -> AttackReport:
    """Try all attacks on a copy of a whole table.

    Parameters
    ----------
    raw : RawWhole
        The columns as they were read.
    made : WholeCopy
        What was made of them.
    title : str
        What the report is called.
    pairs : int
        How many pairs of copies are made for each attack on membership.

    Returns
    -------
    AttackReport
        Exact figures. Copies for the attacks are made with secrets of their own.
    """
    table = side_of(raw.numbers, raw.levels)
    copy = Copy(side_of(made.numbers, made.levels), made.source)
    return attacked(
        table,
        maker_of(raw.settings, raw.unit is not None),
        copy,
        persons=raw.persons,
        k=raw.settings.k,
        pairs=pairs,
        title=title,
        made=_made_by(raw),
    )


def found_among(raw: RawWhole, made: WholeCopy) -> Estimate:
    """Count the records that stand in a copy, nearly as they are."""
    released = comparable(side_of(made.numbers, made.levels))
    return found_records(told_as(comparable(side_of(raw.numbers, raw.levels)), released), released)


def attack_versions(
    raw: RawWhole, title: str, versions: int, leave: float, repeats: int
) -> AttackReport:
    """See whether so many versions of a table would give away who left it between them."""
    make = maker_of(raw.settings, raw.unit is not None)
    table = side_of(raw.numbers, raw.levels)
    records, _ = in_keyed_order(Records.of(table, raw.persons))
    found = who_left(records, make, copies=versions, leave=leave, repeats=repeats)
    return AttackReport(title, MappingProxyType(_made_by(raw)), (found,))


def _made_by(raw: RawWhole) -> dict[str, Any]:
    """Say how the copies are made that are attacked."""
    it = raw.settings
    told: dict[str, Any] = {"method": Whole.name, "k": it.k, "m": it.m}
    told |= {"sensitive": [*it.sensitive], "tables": [" by ".join(pair) for pair in it.tables]}
    return {name: value for name, value in told.items() if value}


def side_of(numbers: Mapping[str, Floats], levels: Mapping[str, Levels]) -> Side:
    """Return columns as measures take them."""
    texts = {name: column.texts() for name, column in levels.items()}
    return Side.of(numbers, texts)
