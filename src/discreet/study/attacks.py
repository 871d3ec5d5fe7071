"""Attacks on the copy of a whole table, made again as the study makes it."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.arguments import Floats
from discreet.measure.attack_report import AttackReport, attacked
from discreet.measure.attacks import Copy
from discreet.measure.makers import whole_maker
from discreet.measure.pairs import Side
from discreet.protect import Whole
from discreet.protect.whole import Levels, WholeCopy
from discreet.vault.whole import RawWhole

__all__ = ["attack_whole"]


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
    settings = raw.settings
    make = whole_maker(settings.k, settings.m, sensitive=settings.sensitive, bounds=settings.bounds)
    table = _side(raw.numbers, raw.levels)
    copy = Copy(_side(made.numbers, made.levels), made.source)
    how = {"method": Whole.name, "m": settings.m, "sensitive": list(settings.sensitive)}
    return attacked(
        table,
        make,
        copy,
        persons=raw.persons,
        k=settings.k,
        pairs=pairs,
        title=title,
        made={name: value for name, value in how.items() if value},
    )


def _side(numbers: Mapping[str, Floats], levels: Mapping[str, Levels]) -> Side:
    texts = {name: column.texts() for name, column in levels.items()}
    return Side.of(numbers, texts)
