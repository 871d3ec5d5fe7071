"""Attacks on the copy of a whole table, made again as the study makes it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
    table = Side(MappingProxyType(dict(raw.numbers)), _words(raw.levels))
    copy = Copy(Side(MappingProxyType(dict(made.numbers)), _words(made.levels)), made.source)
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


def _words(levels: Mapping[str, Levels]) -> Mapping[str, tuple[str, ...]]:
    """Return columns of levels as words: the empty text for a missing one."""
    return MappingProxyType(
        {
            name: tuple((*column.words, "")[code] for code in column.codes.tolist())
            for name, column in levels.items()
        }
    )
