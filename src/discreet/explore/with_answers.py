"""Tables of figures of the copy with answers from the data in them, where a study file has some."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from discreet.errors import DiscreetError
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import (
    OF_INTERVAL,
    OF_MODEL,
    OF_RATIO,
    OF_SHARE,
    REFERENCE,
    Figure,
    Group,
    term_words,
)
from discreet.estimates.intervals import NORMAL
from discreet.estimates.tables import INTERVAL, MEAN_SD, MEDIAN, OF_QUARTILES
from discreet.estimates.words import (
    count_words,
    decimals_of_error,
    number_words,
    quartile_words,
    words_in_brackets,
)
from discreet.explore.answered import Answer, Answers
from discreet.explore.derived import DerivedCopy
from discreet.explore.notes import ANSWERS
from discreet.explore.questions import BY_QUANTILES, DERIVED, MEANS, MODEL, Question

OF_COPY = "of the copy"
MARK = "*"

Place = tuple[str, str | None, Group, str]
"""A column, its level, a group and the name of a figure."""

Cell = tuple[str, str | None, frozenset[tuple[str, str | None]]]
"""A column, its level where it is one of levels, and the group of people."""


def with_answers(session: DerivedCopy, table: CopyTable, answers: Answers) -> CopyTable:
    """Return a table of the copy with what the data answered in place of the copy's figures.

    A model, and means, are the answer's, with the copy's estimates in a last column. In a summary
    each figure that was answered has a mark.
    """
    sealer = table.sealer
    if not answers or sealer is None or sealer.begun is None:
        return table
    request = dict(sealer.begun().request)
    if table.kind in (MODEL, MEANS):
        made, used = _answered_whole(table, request, answers)
    else:
        made, used = _answered_in_part(session, table, request, answers)
    if not used:
        return table
    request.pop(DERIVED, None)
    return replace(made, sealer=session.sealer_of_copy({**request, ANSWERS: [*used]}))


# --- models and means -----------------------------------------------------------------------------


def _answered_whole(
    table: CopyTable, request: Mapping[str, object], answers: Answers
) -> tuple[CopyTable, tuple[str, ...]]:
    try:
        id_ = Question(request).id
    except DiscreetError:  # the data cannot be asked for it
        return table, ()
    if id_ not in answers:
        return table, ()
    return _beside_copy(answers[id_], table), (id_,)


def _beside_copy(answer: Answer, copy: CopyTable) -> CopyTable:
    """Return the table of an answer, with the estimates of the copy in a last column."""
    made = answer.table
    if made is None:
        return copy
    kinds = (OF_MODEL, OF_INTERVAL, OF_SHARE, OF_RATIO)
    (middle,) = [it[1] for it in kinds if it[1] in _names(copy)]
    place = copy.head.index(middle) if copy.kind == MEANS else 0
    cells = {key: line.cells[place] for key, line in _lines_of(copy)}
    keys = [key for key, _ in _lines_of(made)]
    lines = []
    for at, line in enumerate(made.lines):
        key = keys[at] if at < len(keys) else None
        name = term_words(line.name, copy.labels) if copy.kind == MODEL else line.name
        beside = "" if key is None else cells.get(key, "")
        lines.append(Line(line.section, name, (*line.cells, beside)))
    of_copy = [
        it._replace(figure=f"{middle} {OF_COPY}") for it in copy.figures if it.figure == middle
    ]
    references = [it for it in copy.figures if it.figure == REFERENCE]
    return replace(
        copy,
        names=made.names,
        head=(*made.head, OF_COPY),
        lines=tuple(lines),
        notes=(*made.notes, f"{OF_COPY}: the protected copy's own figure"),
        figures=(*made.figures, *of_copy, *references),
    )


def _names(table: CopyTable) -> set[str]:
    return {it.figure for it in table.figures}


def _lines_of(table: CopyTable) -> Iterator[tuple[str | Group, Line]]:
    """Yield the lines of terms, or of groups, each with its term or group."""
    if table.kind == MODEL:
        keys: list[str | Group] = [*dict.fromkeys(it.column for it in table.figures if it.column)]
    else:
        keys = [*dict.fromkeys(it.group for it in table.figures)]
    yield from zip(keys, table.lines, strict=False)  # below the terms stands the fit


# --- summaries ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """The figures of a cell that an answer has."""

    figures: Mapping[str, float]
    answer: Answer


def _answered_in_part(
    session: DerivedCopy, table: CopyTable, request: Mapping[str, object], answers: Answers
) -> tuple[CopyTable, tuple[str, ...]]:
    known = _cells_of(answers, session.asks)
    if "weights" in request or not known:
        return table, ()
    groups = [it.group for it in table.figures if not it.column and it.figure == "rows"]
    figures = {it[:4]: it for it in table.figures}
    names = _columns_of_sections(session, table)
    lines, used = [], dict[str, str]()
    for line in table.lines:
        cells = [*line.cells]
        for at, group in enumerate(groups):
            found = _in_place(line, cells[at], names.get(line.section, ""), group, known, figures)
            if found is None:
                continue
            cells[at], new, answer = found
            used[answer.question.id] = answer.noise
            figures |= {it[:4]: it for it in new}
        lines.append(line._replace(cells=tuple(cells)))
    said = f"{MARK} {'; '.join(dict.fromkeys(used.values()))}"
    notes, all_figures = (said, *table.notes), tuple(figures.values())
    return replace(table, lines=tuple(lines), notes=notes, figures=all_figures), tuple(used)


def _columns_of_sections(session: DerivedCopy, table: CopyTable) -> dict[str, str]:
    """Return the column of each section; none of sections that two columns share a label of."""
    columns = dict.fromkeys(it.column for it in table.figures if it.column)
    labels = [session.labels.get(it, it) for it in columns]
    return {it: name for it, name in zip(labels, columns, strict=True) if labels.count(it) == 1}


def _cells_of(answers: Answers, asks: Sequence[tuple[str, str]]) -> dict[Cell, _Known]:
    """Return what answers with the same conditions and new columns say, by cells."""
    found: dict[Cell, _Known] = {}
    for answer in answers.values():
        question, table = answer.question, answer.table
        other = question.kind == MODEL or question.per is not None
        if table is None or other or question.asks != tuple(asks):
            continue
        of_numbers = question.kind == MEANS or question.plot.answered == BY_QUANTILES
        for it in table.figures:
            if not isinstance(it.value, int | float):
                continue
            cells: list[Cell] = [(it.column, None, frozenset(it.group))]
            if not of_numbers:  # each level is one of the people who have the others
                cells = [(*one, frozenset({*it.group} - {one})) for one in it.group]
            for cell in cells:
                before = found[cell].figures if cell in found else {}
                found[cell] = _Known({**before, it.figure: float(it.value)}, answer)
    return found


def _in_place(
    line: Line,
    cell: str,
    name: str,
    group: Group,
    known: Mapping[Cell, _Known],
    figures: Mapping[Place, Figure],
) -> tuple[str, list[Figure], Answer] | None:
    """Return what stands in place of a cell of a summary, its figures and their answer."""
    of_numbers = (name, None, group, OF_INTERVAL[1]) in figures
    level = None if of_numbers else line.name
    found = known.get((name, level, frozenset(group)))
    if found is None:
        return None
    if level is not None:
        levels = [it.level for it in figures.values() if it.column == name and it.group == group]
        counts = [known.get((name, it, frozenset(group))) for it in dict.fromkeys(levels) if it]
        words, values = _count_of(found, counts)
    else:
        words, values = _number_of(line.name, cell, found.figures)
    if not words:
        return None
    return f"{words}{MARK}", [Figure(name, level, group, *it) for it in values], found.answer


Values = list[tuple[str, float]]


def _count_of(it: _Known, levels: Sequence[_Known | None]) -> tuple[str, Values]:
    """Return a count, and its share where the counts of all levels are known."""
    count = it.figures.get("count")
    if count is None:
        return "", []
    counts = [0.0 if of is None else of.figures.get("count", 0.0) for of in levels]
    if not all(counts):
        return f"{round(count):,}", [("count", count)]
    people = sum(counts)
    noise = (it.figures["high end"] - count) / NORMAL
    share = count / people
    reach = NORMAL * math.hypot(math.sqrt(share * (1 - share) / people), noise / people)
    ends = (max(share - reach, 0.0), share, min(share + reach, 1.0))
    values = [("count", count), *zip(OF_SHARE, ends, strict=True)]
    return count_words(round(count), count, people), values


def _number_of(what: str, cell: str, of: Mapping[str, float]) -> tuple[str, Values]:
    """Return a mean, its interval, or quartiles; no words where they are not known."""
    if what == MEDIAN and all(it in of for it in OF_QUARTILES):
        quartiles = [of[it] for it in OF_QUARTILES]
        return quartile_words(quartiles, None), [*zip(OF_QUARTILES, quartiles, strict=True)]
    if OF_INTERVAL[1] not in of:
        return "", []
    low, middle, high = (of[it] for it in OF_INTERVAL)
    decimals = decimals_of_error(of["std. error"])
    if what == INTERVAL:
        words = f"{number_words(low, decimals)} to {number_words(high, decimals)}"
        return words, [(OF_INTERVAL[0], low), (OF_INTERVAL[2], high)]
    if what == MEAN_SD:
        sd = cell.partition(" (")[2].removesuffix(")")
        return words_in_brackets(number_words(middle, decimals), sd), [(OF_INTERVAL[1], middle)]
    return "", []
