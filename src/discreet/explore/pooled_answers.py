"""Answers from the data of several studies to the same question, as one answer.

Counts and sums add, and so does the variance of their noise; means, ratios and shares are those of
all people together; estimates of models are weighed by inverse variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from discreet.errors import InputError
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import (
    INTERCEPT,
    MODEL,
    OF_INTERVAL,
    OF_MODEL,
    OF_RATIO,
    OF_SHARE,
    Figure,
    Group,
    group_words,
)
from discreet.estimates.intervals import NORMAL
from discreet.estimates.meta_analysis import FIXED, combine
from discreet.estimates.model_table import ratio_words
from discreet.estimates.words import UNKNOWN, decimals_of_error, number_words
from discreet.explore.answered import UNREADABLE, Answer
from discreet.explore.model import RATIOS

FEW = "few"
COUNT, ERROR, NOISE, PEOPLE = "count", "std. error", "noise", "n"
OF_STUDIES = "from the data of {} studies, with noise; intervals hold noise and sampling error"
BY_VARIANCE = "estimates are weighed by inverse variance (fixed effect); I² says how they differ"

Numbers = Mapping[str, float]
"""The figures of a group of people, or of a term, by their names."""


def combined(answers: Sequence[Answer]) -> Answer | None:
    """Return what several studies answered to one question together; None where nothing adds up.

    That is so of statements, which come without numbers, and of quantiles.
    """
    known = [it.table for it in answers if it.table is not None]
    if len(known) < len(answers) or len({it.kind for it in known}) > 1:
        return None
    try:  # what a file says comes from others
        made = _of_terms(answers[0], known) if known[0].kind == MODEL else _of_groups(known)
    except (LookupError, TypeError, ValueError, ArithmeticError, StopIteration):
        raise InputError(UNREADABLE) from None
    if made is None:
        return None
    noise = OF_STUDIES.format(len(answers))
    rules = tuple(dict.fromkeys(rule for it in answers for rule in it.rules))
    return replace(answers[0], noise=noise, rules=rules, table=made, view=None)


# --- people, means, ratios and shares -------------------------------------------------------------


def _of_groups(tables: Sequence[CopyTable]) -> CopyTable | None:
    """Add up the groups of people that all studies have; one that is few in a study is few."""
    first, kinds = tables[0], {it.figure for it in tables[0].figures}
    add = next((add for name, add in ADDED.items() if name in kinds), None)
    if add is None:
        return None
    found = [_numbers(it) for it in tables]
    groups = [it for it in found[0] if all(it in others for others in found)]
    if not groups:  # such as steps of time, which are those of each file
        return None
    shown = next((it[1] for it in (OF_SHARE, OF_RATIO, OF_INTERVAL) if it[1] in kinds), "")
    lines, figures = [], []
    value = next(it.column for it in first.figures)
    level = next(it.level for it in first.figures)
    for group in groups:
        of_studies = [it[group] for it in found]
        whole = all(it for it in of_studies)
        numbers = add(of_studies) if whole else None
        cells = (FEW, *[""] * 3) if numbers is None else _cells(numbers)
        lines.append(Line("", group_words(group), cells[: 4 if shown else 2]))
        names = numbers or dict.fromkeys(kinds)
        figures += [Figure(value, level, group, name, it) for name, it in names.items()]
    head = ("people", shown, "95 % interval", "± noise") if shown else ("people", "95 % interval")
    notes = (OF_STUDIES.format(len(tables)), "few: too few people in one of the studies")
    return replace(first, head=head, lines=tuple(lines), notes=notes, figures=tuple(figures))


def _numbers(table: CopyTable) -> dict[Group, dict[str, float]]:
    """Return the figures of each group; none where a group is few."""
    found: dict[Group, dict[str, float]] = {}
    for it in table.figures:
        numbers = found.setdefault(it.group, {})
        if it.column == table.figures[0].column and isinstance(it.value, float | int):
            numbers[it.figure] = float(it.value)
    return found


def _counts(of: Sequence[Numbers]) -> dict[str, float]:
    count = sum(it[COUNT] for it in of)
    noise = math.hypot(*((it["high end"] - it[COUNT]) / NORMAL for it in of))
    error = math.hypot(noise, math.sqrt(max(count, 0.0)))
    low = max(count - NORMAL * noise, 0.0)
    return {COUNT: count, "low end": low, "high end": count + NORMAL * noise, ERROR: error}


def _shares(of: Sequence[Numbers]) -> dict[str, float]:
    people, with_it = sum(it[PEOPLE] for it in of), sum(it[COUNT] for it in of)
    share = with_it / people
    noise = math.hypot(*(it[NOISE] * it[PEOPLE] for it in of)) / people
    error = math.hypot(noise, math.sqrt(max(share * (1 - share), 0.0) / people))
    ends = (max(share - NORMAL * error, 0.0), share, min(share + NORMAL * error, 1.0))
    of_all = dict(zip(OF_SHARE, ends, strict=True))
    return {PEOPLE: people, COUNT: with_it, **of_all, ERROR: error, NOISE: noise}


def _means(of: Sequence[Numbers]) -> dict[str, float]:
    return _averages(of, OF_INTERVAL, [it[PEOPLE] for it in of])


def _ratios(of: Sequence[Numbers]) -> dict[str, float]:
    """Divide the sum of the sums; what each is divided by is the weight of its ratio."""
    return _averages(of, OF_RATIO, [it["sum"] / it[OF_RATIO[1]] for it in of])


def _averages(
    of: Sequence[Numbers], named: Sequence[str], weights: Sequence[float]
) -> dict[str, float]:
    shares = [it / sum(weights) for it in weights]
    middle = sum(share * it[named[1]] for share, it in zip(shares, of, strict=True))
    error, noise = (
        math.hypot(*(share * it[name] for share, it in zip(shares, of, strict=True)))
        for name in (ERROR, NOISE)
    )
    ends = (middle - NORMAL * error, middle, middle + NORMAL * error)
    return {
        PEOPLE: sum(it[PEOPLE] for it in of),
        **dict(zip(named, ends, strict=True)),
        ERROR: error,
        NOISE: noise,
        "sum": sum(it["sum"] for it in of),
        "noise of the sum": math.hypot(*(it["noise of the sum"] for it in of)),
    }


ADDED: Mapping[str, Callable[[Sequence[Numbers]], dict[str, float]]] = {
    OF_SHARE[1]: _shares,
    OF_RATIO[1]: _ratios,
    OF_INTERVAL[1]: _means,
    "low end": _counts,
}
"""What adds the figures of studies up, by a figure that such answers have."""


def _cells(numbers: Numbers) -> tuple[str, ...]:
    if PEOPLE not in numbers:
        low, high = (f"{round(numbers[it]):,}" for it in ("low end", "high end"))
        return (f"{round(numbers[COUNT]):,}", f"{low} to {high}")
    of = next(it for it in (OF_SHARE, OF_RATIO, OF_INTERVAL) if it[1] in numbers)
    decimals = decimals_of_error(numbers[ERROR])
    low, middle, high = (number_words(numbers[it], decimals) for it in of)
    noise = number_words(NORMAL * numbers[NOISE], decimals_of_error(numbers[NOISE]))
    return (f"{round(numbers[PEOPLE]):,}", middle, f"{low} to {high}", noise)


# --- models ---------------------------------------------------------------------------------------


def _of_terms(answer: Answer, tables: Sequence[CopyTable]) -> CopyTable:
    ratio = RATIOS[answer.question.request.get("family", "linear")]
    found = [_by_term(it) for it in tables]
    lines, figures = [], []
    for term in [it for it in found[0] if all(it in others for others in found)]:
        numbers = [it[term] for it in found]
        errors = [it[ERROR] for it in numbers]
        made = combine([it[OF_MODEL[1]] for it in numbers], errors)
        weights = [fixed for fixed, _ in made.weights]
        low, middle, high = made.pooled[FIXED]
        error = (high - low) / (2 * NORMAL)
        noise = math.hypot(*(w * it[NOISE] for w, it in zip(weights, numbers, strict=True)))
        of_all = {**dict(zip(OF_MODEL, (low, middle, high), strict=True)), ERROR: error}
        of_all |= {NOISE: noise, "I²": made.i2}
        figures += [Figure(term, None, (), name, it) for name, it in of_all.items()]
        decimals = decimals_of_error(error)
        words = [number_words(it, decimals) for it in (low, middle, high)]
        if ratio and term == INTERCEPT:
            words = [UNKNOWN] * 3
        elif ratio:
            words = [ratio_words(it) for it in (low, middle, high)]
            named = (f"{ratio}, low end", ratio, f"{ratio}, high end")
            figures += [
                Figure(term, None, (), name, math.exp(it))
                for name, it in zip(named, (low, middle, high), strict=True)
            ]
        interval = UNKNOWN if words[0] == UNKNOWN else f"{words[0]} to {words[2]}"
        cells = (words[1], interval, f"{100 * made.i2:.0f} %")
        lines.append(Line("", term, cells))
    return replace(
        tables[0],
        head=(ratio or "estimate", "95 % interval", "I²"),
        lines=tuple(lines),
        notes=(OF_STUDIES.format(len(tables)), BY_VARIANCE),
        figures=tuple(figures),
    )


def _by_term(table: CopyTable) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for it in table.figures:
        if it.column and isinstance(it.value, float | int):
            found.setdefault(it.column, {})[it.figure] = float(it.value)
    return {term: it for term, it in found.items() if {OF_MODEL[1], ERROR, NOISE} <= {*it}}
