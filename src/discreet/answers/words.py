"""Answers as tables and plots: figures, how far they may be off, and what is not given."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from discreet.answers.averages import Averaged, Divided, values_in
from discreet.answers.counting import Counted
from discreet.answers.models import Modelled
from discreet.answers.quantiles import Quantiles
from discreet.arguments import Floats
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import (
    ALL,
    OF_INTERVAL,
    OF_RATIO,
    OF_SHARE,
    Figure,
    Group,
    group_words,
)
from discreet.estimates.intervals import NORMAL
from discreet.estimates.model_table import Widened, model_body
from discreet.estimates.tables import ROWS
from discreet.estimates.words import decimals_of_error, number_words
from discreet.explore.conditions import Asked
from discreet.explore.from_file import FileSession
from discreet.explore.model import COX, RATIOS, TITLES
from discreet.explore.questions import MEANS, MODEL, Question, value_of
from discreet.methods import CellKey
from discreet.plots import How, Origin, View
from discreet.plots.box import BoxView
from discreet.plots.plot import AnsweredCells
from discreet.plots.survival import event_of
from discreet.policy import Policy
from discreet.render.scene import Box

FEW, COUNTS = "few", "counts"
OF_MEANS = ("n", *OF_INTERVAL, "std. error", "noise", "sum", "noise of the sum")
OF_RATIOS = ("n", *OF_RATIO, "std. error", "noise", "sum", "noise of the sum")
OF_SHARES = ("n", "count", *OF_SHARE, "std. error", "noise")
FROM_DATA = "from the data, with noise"
FEW_ARE = "few: fewer than {least} people by a count with noise, perhaps none"
INTERVALS = f"{FROM_DATA}; intervals hold noise and sampling error"


def noise_in_words(question: Question, sd: int) -> str:
    """Say how large the noise of an answer is, in its own units."""
    if question.kind == MODEL:
        return f"from the data, ± noise that hides {sd} people"
    if question.kind == MEANS:
        what = "mean" if question.per is None else "ratio"
        return f"from the data; each {what} has an interval that holds noise of {sd} people"
    return f"from the data, ± {round(NORMAL * sd)} people (95 % of the noise)"


# --- counts ---------------------------------------------------------------------------------------


def counts_table(question: Question, counted: Sequence[Counted], sd: int, least: int) -> CopyTable:
    """Return the counts of a question as a table; those below `least` are few."""
    cells: dict[Group, float | None] = {}
    figures: list[Figure] = []
    for it in counted:
        for group, value in _cells(it):
            cells[group] = value
            figures += _figures_of_count(group, value, sd)
    return _table(
        COUNTS,
        f"People: {question.says}",
        _grid(counted, {group: _count_words(it) for group, it in cells.items()}),
        (noise_in_words(question, sd), FEW_ARE.format(least=least)),
        figures,
    )


def _cells(counted: Counted) -> list[tuple[Group, float | None]]:
    out: list[tuple[Group, float | None]] = []
    for at, cell in enumerate(np.ndindex(*counted.part.shape)):
        pairs = zip(counted.part.dims, cell, strict=True)
        group = tuple((it.name, it.labels[place]) for it, place in pairs)
        out.append((group, float(counted.shown[at]) if counted.given[at] else None))
    return out


def _figures_of_count(group: Group, value: float | None, sd: int) -> list[Figure]:
    error = None if value is None else math.hypot(sd, math.sqrt(max(value, 0.0)))
    low = None if value is None else max(value - NORMAL * sd, 0.0)
    high = None if value is None else value + NORMAL * sd
    named = (("count", value), ("low end", low), ("high end", high), ("std. error", error))
    return [Figure("", None, group, name, number) for name, number in named]


def _count_words(value: float | None) -> str:
    return FEW if value is None else f"{int(value):,}"


def _grid(
    counted: Sequence[Counted], words: dict[Group, str]
) -> tuple[tuple[str, str], tuple[str, ...], tuple[Line, ...]]:
    """Lay cells out: of three columns the first in sections, the second in lines, the third across.

    Beside and below stand the sums, where they were asked for.
    """
    dims = max((it.part.dims for it in counted), key=len)
    *sections, last = (*dims,) if dims else (None,)
    if last is None:
        return (("", ""), (COUNTS,), (Line("", ALL, (words[()],)),))
    if len(dims) == 1:
        lines = [Line("", it, (words[((last.name, it),)],)) for it in last.labels]
        lines += [Line("", ALL, (words[()],))] if () in words else []
        return ((last.name, last.name), ("people",), tuple(lines))
    across = [*last.labels, *([ALL] if any(len(it) < len(dims) for it in words) else [])]
    first, *second = sections
    lines = []
    for outer in [*first.labels, ALL]:
        for inner in [*second[0].labels, ALL] if second else [""]:
            cells = []
            for end in across:
                chosen = [(first.name, outer), *([(second[0].name, inner)] if second else [])]
                group = tuple(it for it in (*chosen, (last.name, end)) if it[1] != ALL)
                cells.append(words.get(group))
            if all(it is not None for it in cells):
                kept = tuple(str(it) for it in cells)
                lines.append(Line(outer if second else "", inner or outer, kept))
    names = (first.name, second[0].name if second else first.name)
    return (names, tuple(across), tuple(lines))


def _table(
    kind: str,
    title: str,
    laid: tuple[tuple[str, str], tuple[str, ...], tuple[Line, ...]],
    notes: tuple[str, ...],
    figures: Sequence[Figure],
) -> CopyTable:
    names, head, lines = laid
    return CopyTable(kind, title[:1].upper() + title[1:], names, head, lines, notes, tuple(figures))


# --- means ----------------------------------------------------------------------------------------


def means_table(question: Question, averaged: Sequence[Averaged], file: FileSession) -> CopyTable:
    """Return means as a table: people, mean and interval of each group."""
    (value,) = question.columns
    spread = float(np.nanstd(file.kept.copy.columns[value], ddof=1))
    lines, figures = [], []
    for it in averaged:
        for at, (group, people) in enumerate(_cells(it.counted)):
            mean = float(it.means[at])
            if people is None or not math.isfinite(mean):
                people = None
            name = group_words(group)
            if people is None:
                lines.append(Line("", name, (FEW, "", "", "", "")))
                figures += [Figure(value, None, group, what, None) for what in OF_MEANS]
                continue
            error = math.hypot(it.noise[at], spread / math.sqrt(people))
            cells, numbers = _estimate(people, mean, error, float(it.noise[at]))
            total, off = mean * people, float(it.of_sums[at])
            lines.append(Line("", name, (*cells, _sum_words(total, off))))
            figures += _figures_of(value, None, group, OF_MEANS, (*numbers, total, off))
    head = ("people", "mean", "95 % interval", "± noise", "sum")
    each = "; sums are of one value a person" if file.kept.persons is not None else ""
    notes = (
        f"values beyond the ends of the file's grid of {value} count as these ends; few: too few "
        f"people{each}",
    )
    return _by_group(
        question, MEANS, question.says.removeprefix("the "), head, lines, notes, figures
    )


def _estimate(
    people: float, value: float, error: float, noise: float
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return an estimate as words and as numbers: people, it, its interval and its noise."""
    ends = (value - NORMAL * error, value, value + NORMAL * error)
    low, middle, high = (number_words(x, decimals_of_error(error)) for x in ends)
    words = number_words(NORMAL * noise, decimals_of_error(noise))
    return (f"{int(people):,}", middle, f"{low} to {high}", words), (people, *ends, error, noise)


def _figures_of(
    column: str,
    level: str | None,
    group: Group,
    names: Sequence[str],
    numbers: Sequence[float | None],
) -> list[Figure]:
    return [Figure(column, level, group, *it) for it in zip(names, numbers, strict=True)]


def _by_group(
    question: Question,
    kind: str,
    title: str,
    head: tuple[str, ...],
    lines: Sequence[Line],
    notes: Sequence[str],
    figures: Sequence[Figure],
) -> CopyTable:
    """Lay out a table that has a line for each group."""
    by = question.by or ("",)
    laid = ((by[0], by[-1]), head, tuple(lines))
    return _table(kind, title, laid, (INTERVALS, *notes), figures)


# --- ratios ---------------------------------------------------------------------------------------


def ratios_table(question: Question, divided: Sequence[Divided], asked: Asked) -> CopyTable:
    """Return ratios as a table: people, ratio and interval of each group, and both sums."""
    (value,), per = question.columns, str(question.per)
    level = value_of(asked, value)[1]
    of_copy = [values_in(asked, asked.whole, it) for it in (value, per)]
    lines, figures = [], []
    for it in divided:
        for at, (group, people) in enumerate(_cells(it.counted)):
            name, ratio = group_words(group), float(it.ratios[at])
            totals, offs = [float(of[at]) for of in it.totals], it.of_totals
            numbers: tuple[float | None, ...] = (None,) * len(OF_RATIOS)
            words: tuple[str, ...] = (FEW, "", "", "", "", "")
            of_per: tuple[float | None, ...] = (None, None)
            if people is not None and math.isfinite(ratio):
                noise = float(it.noise[at])
                spread = float(np.nanstd(of_copy[0] - ratio * of_copy[1], ddof=1))
                error = math.hypot(noise, spread * math.sqrt(people) / totals[1])
                found, of_ratio = _estimate(people, ratio, error, noise)
                words = (*found, *map(_sum_words, totals, offs))
                numbers, of_per = (*of_ratio, totals[0], offs[0]), (totals[1], offs[1])
            lines.append(Line("", name, words))
            figures += _figures_of(value, level, group, OF_RATIOS, numbers)
            figures += _figures_of(per, None, group, OF_RATIOS[-2:], of_per)
    head = ("people", OF_RATIO[1], "95 % interval", "± noise", f"sum of {value}", f"sum of {per}")
    each = "; sums are of one value a person" if asked.whole.persons is not None else ""
    notes = (
        "values beyond the ends of the file's grids count as these ends; few: too few people, or"
        f" too little of {per}{each}",
    )
    return _by_group(question, MEANS, question.says, head, lines, notes, figures)


def _sum_words(total: float, off: float) -> str:
    """Return a sum with how far noise may move it."""
    decimals = decimals_of_error(off)
    return f"{number_words(total, decimals)} ± {number_words(NORMAL * off, decimals)}"


# --- shares ---------------------------------------------------------------------------------------


def shares_table(question: Question, counted: Sequence[Counted], sd: int) -> CopyTable:
    """Return shares as a table: people with yes or no, those with yes, their share and interval.

    Yes and no are the last way to divide of each part.
    """
    (value,) = question.columns
    levels = counted[0].part.dims[-1].labels
    (event,) = event_of(levels, None, value)
    lines, figures = [], []
    for it in counted:
        cells = dict(_cells(it))
        for group in dict.fromkeys(group[:-1] for group in cells):
            yes, no = (
                cells[(*group, (value, level))]
                for level in (event, next(it for it in levels if it != event))
            )
            words, numbers = _share_of(yes, no, sd)
            lines.append(Line("", group_words(group), words))
            figures += _figures_of(value, event, group, OF_SHARES, numbers)
    head = ("people", "with it", "share", "95 % interval", "± noise")
    title = f"Share of {value} = {event}{question.says.partition(value)[2]}"
    notes = ("few: too few people with it, or without",)
    return _by_group(question, MEANS, title, head, lines, notes, figures)


def _share_of(
    yes: float | None, no: float | None, sd: int
) -> tuple[tuple[str, ...], list[float | None]]:
    if yes is None or no is None:
        return (FEW, "", "", "", ""), [None] * len(OF_SHARES)
    people = yes + no
    share = yes / people
    noise = sd * math.hypot(share, 1 - share) / people
    error = math.hypot(noise, math.sqrt(share * (1 - share) / people))
    low, high = max(share - NORMAL * error, 0.0), min(share + NORMAL * error, 1.0)
    words = (
        f"{round(people):,}",
        f"{round(yes):,}",
        f"{100 * share:.1f} %",
        f"{100 * low:.1f} to {100 * high:.1f} %",
        f"{100 * NORMAL * noise:.1f}",
    )
    return words, [people, yes, low, share, high, error, noise]


# --- quantiles ------------------------------------------------------------------------------------

OF_QUANTILES = ("5 %", "lower quartile", "median", "upper quartile", "95 %")


def quantiles_table(question: Question, found: Sequence[Quantiles]) -> CopyTable:
    """Return quantiles as a table: people, and each quantile with its interval."""
    (value,) = question.columns
    lines, figures = [], []
    for it in found:
        for at, (group, people) in enumerate(_cells(it.counted)):
            name = group_words(group)
            cells, numbers = [_count_words(people)], [("n", people)]
            for place, of in enumerate(OF_QUANTILES):
                ends = [float(x[at, place]) for x in (it.low, it.middle, it.high)]
                known = people is not None and all(map(math.isfinite, ends))
                cells.append(_quantile_words(ends) if known else "")
                names = (f"{of}, low end", of, f"{of}, high end")
                numbers += [(n, x if known else None) for n, x in zip(names, ends, strict=True)]
            lines.append(Line("", name, tuple(cells)))
            figures += [Figure(value, None, group, what, number) for what, number in numbers]
    notes = ("a quantile is a step of the column's grid, at a rank that noise moves",)
    head = ("people", *OF_QUANTILES)
    title = f"Quantiles of {question.says.partition(' of ')[2]}"
    return _by_group(question, COUNTS, title, head, lines, notes, figures)


def _quantile_words(ends: Sequence[float]) -> str:
    decimals = decimals_of_error(ends[-1] - ends[0])
    low, middle, high = (number_words(it, decimals) for it in ends)
    return f"{middle} ({low} to {high})"


def boxes_of(
    question: Question, found: Quantiles, policy: Policy, file: FileSession
) -> BoxView | None:
    """Return quantiles as boxes, whiskers from 5 to 95 %; None where two columns divide them.

    A group has a box where all its quantiles are given.
    """
    given = found.counted.given & np.isfinite(found.middle).all(axis=1)
    if len(question.by) > 1 or not given.any():
        return None
    labels = found.counted.part.dims[0].labels if question.by else question.columns
    boxes = [Box(label, *found.middle[at].tolist()) for at, label in enumerate(labels) if given[at]]
    total = int(found.counted.shown[given].sum())
    origin = _origin(question, policy, file, total)
    said = (*origin.remarks, "whiskers reach from 5 to 95 % of the people")
    return BoxView(
        columns=question.columns,
        method=CellKey.name,
        parameters=MappingProxyType({"sd": policy.noise_of_answers}),
        suppressed=int((~given).sum()),
        origin=dataclasses.replace(origin, remarks=said),
        groups=tuple(boxes),
        by=question.by[0] if question.by else None,
    )


# --- models ---------------------------------------------------------------------------------------


def model_table(question: Question, made: Modelled) -> tuple[CopyTable, str]:
    """Return a model as a table, and what share of the standard errors the noise is, in words."""
    inner = np.sqrt(made.estimates.variances)
    errors: Floats = np.hypot(inner, made.noise)
    family = question.request.get("family", "linear")
    body = model_body(Widened(made.estimates, errors, inner), RATIOS[family])
    name, _ = made.estimates.quality
    lines = tuple(_fit_line(made, it, name) if it.section else it for it in body.lines)
    figures = [it._replace(figure="people") if it.figure == "rows" else it for it in body.figures]
    figures += [
        Figure(term, None, (), "noise", float(noise))
        for term, noise in zip(made.estimates.terms, made.noise, strict=True)
    ]
    share = float(np.max(made.noise / inner))
    how_large = f"up to {100 * share:.0f} % of a standard error"
    event = " or ".join(question.request.get("event_is", ()))
    what = str(question.request["formula"]) + (f" ({event})" if event and family != COX else "")
    what += f", weighted by {question.weights}" if question.weights else ""
    notes = (
        INTERVALS,
        f"the noise is {how_large}, with what this may move: numbers beyond the least and the"
        " largest of the copy count as these, and what one person would move estimates by beyond a"
        " bound is taken off",
        "standard errors, for so many people, and the fit are those of the copy",
    )
    laid = (("part", "term"), body.head, lines)
    return _table(MODEL, f"{TITLES[family]}: {what}", laid, notes, figures), how_large


def _fit_line(made: Modelled, line: Line, quality: str) -> Line:
    """Return a line of the fit, with how far noise may move it."""
    words = f"± {round(NORMAL * made.of_counts)}"
    if line.name == quality:
        words = "of the copy"
    name = "people" if line.name == ROWS else line.name
    return Line(line.section, name, (line.cells[0], words, *line.cells[2:]))


# --- plots ----------------------------------------------------------------------------------------


def _origin(question: Question, policy: Policy, file: FileSession, total: int) -> Origin:
    labels = file.labels
    used = [*question.columns, *question.by]
    return Origin(
        policy=policy.name,
        regime=policy.regime,
        public=policy.public,
        study=file.name,
        version=file.kept.copy.version,
        left_out=None,
        counted="people",
        remarks=(FROM_DATA, *(f"where {text}" for name, text in question.asks if not name)),
        shown=total,
        total=total,
        labels=tuple((name, labels[name]) for name in used if name in labels),
    )


def view_of(question: Question, counted: Counted, policy: Policy, file: FileSession) -> View | None:
    """Return counts as their plot; None where it cannot be drawn of them."""
    dims, shape = counted.part.dims, counted.part.shape
    counts = np.where(counted.given, counted.shown, 0).reshape(shape)
    cells = AnsweredCells(
        tuple(it.labels for it in dims),
        tuple(it.edges for it in dims),
        counts,
        counted.given.reshape(shape),
    )
    how = How(CellKey.name, policy.k, of_copy=True)
    made: View | None
    made = question.plot.from_cells(cells, how, _origin(question, policy, file, int(counts.sum())))
    sd = MappingProxyType({"sd": policy.noise_of_answers})
    return None if made is None else dataclasses.replace(made, parameters=sd)
