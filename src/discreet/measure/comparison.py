"""Any two tables, one released of the other, compared: for whoever holds the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from discreet.errors import InputError
from discreet.measure.evaluate import WIDTHS, measured
from discreet.measure.pairs import Pair, as_pair
from discreet.measure.report import Report

__all__ = ["check_correspond", "compare"]

MOST_CODES = 20
"""A column of more different whole numbers than this is never taken for one of codes."""
UNRELATED = 0.95
"""Rows this far apart, as a share of what rows at random are, do not correspond."""
CHANCE = 2.0
"""So many times 1 over the root of the rows may rows at random be nearer than that by chance."""


def compare(
    original: object,
    released: object,
    *,
    strata: Sequence[str] = (),
    sensitive: str | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    formula: str | None = None,
    same_rows: bool = True,
) -> Report:
    """Measure what a released table gives away of the original, and what use is left.

    Parameters
    ----------
    original, released : frame, path or array
        The columns of the released table must be columns of the original.
    strata : sequence of str, optional
        Columns of levels that an attacker may know; all but the sensitive one by default.
    sensitive : str, optional
        A column of levels that is to stay unknown.
    categorical : sequence of str, optional
        Columns of codes that are levels. Columns of at most 20 different whole numbers that are
        the same in both tables, row for row (or where rows do not correspond, the same values), are
        taken for levels anyway, unless the formula has
        them as numbers.
    drop : sequence of str, optional
        Columns of the released table that are not compared.
    formula : str, optional
        A regression to fit to both tables.
    same_rows : bool, default True
        Whether the i-th row of one is the i-th row of the other. Where it is not, only what needs
        no such order is measured.

    Returns
    -------
    Report
        Exact numbers of raw data: for the custodian, and no release.

    Raises
    ------
    InputError
        If the tables do not fit, or `same_rows` is said of rows that do not correspond.

    Notes
    -----
    Rows with a missing number in either table are left out, and the report says how many.

    **What it does not tell.** What another attack, other knowledge or another release would give.

    Examples
    --------
    >>> before = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [9.0, 7.0], [4.0, 4.0], [6.0, 8.0]]
    >>> after = [[1.5, 1.5], [1.5, 1.5], [3.5, 4.5], [7.5, 7.5], [3.5, 4.5], [7.5, 7.5]]
    >>> compare(before, after).measured.risks["linkage"].share
    0.5
    """

    def read(levels: Sequence[str]) -> Pair:
        return as_pair(original, released, categorical=levels, drop=drop, same_rows=same_rows)

    pair = read(categorical)
    named = {*strata, *([sensitive] if sensitive else [])}
    plain = _plain_names(formula) - named
    codes = [name for name in _codes(pair, named) if name not in plain]
    if codes:
        pair = read([*categorical, *codes])
    if same_rows:
        check_correspond(pair)
    found = measured(
        pair, strata=strata, sensitive=sensitive, formula=formula, w1s=WIDTHS, w2s=WIDTHS
    )
    notes = ["For the custodian: exact numbers of the original table, and no release."]
    if codes:
        notes.append(
            f"Taken for levels, being few whole numbers that did not change: {', '.join(codes)}."
        )
    if not same_rows:
        notes.append("Rows were not compared one by one.")
    made = {
        "original": _name(original),
        "released": _name(released),
        "columns": list(pair.original.numbers),
        "levels": list(pair.original.levels),
    }
    title = f"{_name(released)} compared with {_name(original)}: for the custodian, not a release"
    return Report(title, MappingProxyType(made), found, notes=tuple(notes))


def check_correspond(pair: Pair) -> None:
    """Refuse two tables whose rows are as far from each other as rows at random.

    Raises
    ------
    InputError
        If the rows do not seem to correspond: risks would come out far too small.
    """
    if not pair.original.numbers or len(pair.original) < 3:
        return
    before, after = pair.original.matrix, pair.released.matrix
    spread = before.var(axis=0)
    # One mean for all tells nothing of order; its variance may be a last digit instead of zero.
    known = (np.ptp(before, axis=0) > 0) & (np.ptp(after, axis=0) > 0)
    if not known.any():
        return
    apart = ((before - after)[:, known] ** 2).mean(axis=0) / spread[known]
    shift = (before.mean(axis=0) - after.mean(axis=0))[known] ** 2
    random = 1 + (after.var(axis=0)[known] + shift) / spread[known]
    limit = max(0.5, min(UNRELATED, 1 - CHANCE / np.sqrt(len(before))))
    if apart.sum() >= limit * random.sum():
        raise InputError(
            "the rows of the two tables do not seem to correspond: they are as far from each other"
            " as rows at random, as in a table that was sorted or shuffled. Put them in the same"
            " order, or compare without pairing (--unpaired, same_rows=False)"
        )


def _codes(pair: Pair, named: set[str]) -> list[str]:
    """Name the columns of few whole numbers that did not change, or that are named as levels."""
    found = []
    for name, before in pair.original.numbers.items():
        after = pair.released.numbers[name]
        whole = len(np.unique(before)) <= MOST_CODES and bool((before == np.floor(before)).all())
        if pair.same_rows:
            same = bool(np.array_equal(before, after))
        else:
            same = set(np.unique(after)) <= set(np.unique(before))
        if whole and (same or name in named):
            found.append(name)
    return found


def _plain_names(formula: str | None) -> set[str]:
    """Return what a formula names outside C(...): numbers, where they are columns."""
    words = re.findall(r"`([^`]+)`|(\w+)", re.sub(r"\bC\([^)]*\)", "", formula or ""))
    return {quoted or word for quoted, word in words}


def _name(source: object) -> str:
    return Path(source).name if isinstance(source, str | Path) else "a table"
