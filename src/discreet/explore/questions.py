"""Questions to the data: what an analyst wants to know exactly, put on a list for the custodian.

A question is what was asked of the copy: a plot, a table of means or a model, with its columns,
conditions, new columns and settings. Nothing here looks at data. What a question counts follows
from the question and the study file alone (`parts_of`): conditions cut columns at the steps of the
file's grid, and so do bins.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError, about, one_of, path_in_words
from discreet.explore.columns import check_divisor
from discreet.explore.conditions import Asked, Condition, Factor, Grid
from discreet.explore.drawn_again import MOST_LETTERS, SHAPES
from discreet.explore.from_copy import WholeTable
from discreet.explore.from_file import FileSession
from discreet.explore.notes import FIGURES, plot_asked
from discreet.plots import PLOTS, Plot
from discreet.plots.survival import event_of
from discreet.regression import FAMILIES, has_random_term
from discreet.render.dates import date_words
from discreet.study_file.signing import canonical_json
from discreet.unfinished import write_whole

SCHEMA = 1
PLOT, DERIVED, BY, COLUMNS, HOLDS = "plot", "derived", "by", "columns", "holds"
MEANS, MODEL = "means", "model"
COUNTED = tuple(name for name, plot in PLOTS.items() if plot.answered)
"""Plots that are drawn of counts of people alone."""
KINDS = (*COUNTED, MEANS, MODEL)
BY_BINS, BY_STEPS, BY_QUANTILES = "bins", "steps", "quantiles"
MOST_CELLS = 5000
MOST_QUESTIONS = 1000
EVERY = (1, 2, 5, 10, 20, 50, 100)
FEWEST_EVENTS = 60
"""A step of a survival curve has so many events in the copy, or more."""
BINS, GRID, STEPS = 20, 10, 12
"""Bins of a histogram, cells along each side of a heat map and steps of a survival curve."""
STATEMENT = re.compile(r"\s*[^<>=]+?\s*(?:[<>]\s*[^<>=]+?\s*)+")
LONGEST_STATEMENT = 500
NO_RANDOM = (
    "the data are not asked for models with a random term; write the column as a fixed term, or use"
    " the copy's model"
)
NOT_ASKED = (
    "{what} shows rows or many figures at once, which the data cannot be asked for; ask for one of"
    " {known}"
)
FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **{name: it for name, it in SHAPES.items() if name not in ("method", "show", "pixels")},
    FIGURES: lambda it: isinstance(it, str),
    "family": lambda it: it in FAMILIES,
    "per": lambda it: isinstance(it, str),
    "reference": lambda it: (
        isinstance(it, dict) and all(isinstance(word, str) for pair in it.items() for word in pair)
    ),
    HOLDS: lambda it: isinstance(it, str) and len(it) <= LONGEST_STATEMENT,
}


@dataclass(frozen=True)
class Question:
    """What the data are asked for.

    `request` is what was asked of the copy, as the provenance of its figures has it. With a
    statement on its figures, `holds` ("age > 0" on a model, "F > M" on means by sex), the answer is
    whether it holds, without numbers.

    Examples
    --------
    >>> asked = Question({"figures": "means", "columns": ["bmi"], "by": ["sex"]}, holds="1 > 2")
    >>> asked.says
    'does "1 > 2" hold in the means of bmi by sex?'
    """

    request: Mapping[str, Any] = field(hash=False)
    holds: str = ""

    def __post_init__(self) -> None:
        request = dict(self.request)
        wrong = [name for name, it in request.items() if name not in FIELDS or not FIELDS[name](it)]
        if wrong or len(self._written()) > MOST_LETTERS:
            what = repr(str(wrong[0])[:40]) if wrong else "it is too long"
            raise InputError(f"this is no question that discreet wrote: {what}")
        if self.kind not in KINDS:
            what = f"a {self.kind or 'table of this kind'}"
            raise RefusedError(NOT_ASKED.format(what=what, known=one_of(KINDS)), rule="kind")
        if "weights" in request and self.kind != MODEL:
            raise RefusedError(
                "of answers from the data only models have weights; leave weights out, and ask for"
                " an unweighted figure",
                rule="weights",
            )
        if "per" in request and self.kind != MEANS:
            raise InputError("only a question for means has per, by which sums are divided")
        if PLOT in request:
            self._check_plot()
        elif self.kind == MODEL and not request.get("formula"):
            raise InputError("a question for a model has a formula: 'bmi ~ age + sex'")
        elif self.kind == MODEL and has_random_term(request["formula"]):
            raise RefusedError(NO_RANDOM, rule="random")
        elif self.kind == MEANS and len(self.columns) != 1:
            raise InputError("a question for means has one column that is averaged")
        if self.holds and not STATEMENT.fullmatch(self.holds):
            raise InputError(
                "a statement compares names of levels, or a term with 0: 'F > M', 'age > 0'"
            )

    def _check_plot(self) -> None:
        """Refuse a plot that is not asked for as it can be."""
        if FIGURES in self.request:
            raise InputError("a question is for a plot or a table, not both")
        try:
            plot = self.plot
            listed = plot.names, plot.by_names
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
            raise InputError(
                f"a question for {PLOTS[self.kind].phrase()} names {PLOTS[self.kind].takes()}"
            ) from None
        if not all(isinstance(it, str) for names in listed for it in names):
            raise InputError("columns of a question are named by text")

    @property
    def kind(self) -> str:
        """The plot, "means" or "model"."""
        return str(self.request.get(PLOT) or self.request.get(FIGURES) or "")

    @property
    def plot(self) -> Plot[Any]:
        """The plot that is asked for."""
        return plot_asked(self.request)[0]

    @property
    def id(self) -> str:
        """What it is called in lists: the same for the same question, and for no other."""
        return hashlib.sha256(self._written()).hexdigest()[:20]

    def _written(self) -> bytes:
        """Return it as a study file writes it; refuse what none can hold."""
        return canonical_json([dict(self.request), self.holds])

    @property
    def of_numbers(self) -> Question:
        """The question that a statement is decided by."""
        return replace(self, holds="")

    @property
    def asks(self) -> tuple[tuple[str, str], ...]:
        """New columns, each with its expression, and conditions, in order."""
        return tuple((name, text) for name, text in self.request.get(DERIVED, ()))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are counted or averaged."""
        return tuple(self.request.get(COLUMNS, ()))

    @property
    def by(self) -> tuple[str, ...]:
        """The columns of levels that divide it."""
        by = self.request.get(BY, ())
        return (by,) if isinstance(by, str) else tuple(by)

    @property
    def weights(self) -> str | None:
        """The column of weights of a model, if it has one."""
        return self.request.get("weights")

    @property
    def per(self) -> str | None:
        """The column by whose sum that of another is divided, if it asks for ratios."""
        return self.request.get("per")

    def is_of_shares(self, whole: WholeTable) -> bool:
        """Tell whether it asks for means of yes and no, which are shares, by the copy."""
        of_levels = self.kind == MEANS and self.columns[0] not in whole.copy.columns
        return of_levels and self.per is None

    @property
    def says(self) -> str:
        """What is asked, in words."""
        by = f" by {' and '.join(self.by)}" if self.by else ""
        if self.kind == MODEL:
            family = self.request.get("family", FAMILIES[0])
            what = f"the {family} model {self.request.get('formula', '')}"
            what += f", weighted by {self.weights}" if self.weights else ""
        elif self.kind == MEANS:
            what = f"the means of {' and '.join(self.columns)}{by}"
            what = what if self.per is None else f"{self.columns[0]} per {self.per}{by}"
        elif PLOTS[self.kind].answered == BY_STEPS:
            event = " or ".join(self.request.get("event_is", ()))
            what = f"the survival over {' until '.join(self.columns)}"
            what += (f" ({event})" if event else "") + by
        else:
            what = f"the {self.kind} of {' and '.join(self.columns)}{by}"
        steps = [f"where {text}" if not name else f"{name} is {text}" for name, text in self.asks]
        what = "; ".join((what, *steps))
        return f'does "{self.holds}" hold in {what}?' if self.holds else what

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        plain: dict[str, Any] = {"id": self.id, "says": self.says, "request": dict(self.request)}
        return plain | ({HOLDS: self.holds} if self.holds else {})

    @classmethod
    def from_plain(cls, plain: object) -> Question:
        """Read what `to_plain` wrote; refuse anything else."""
        names = {"id", "says", "request", HOLDS}
        if not isinstance(plain, dict) or not {"request"} <= {*plain} <= names:
            raise InputError("a question has id, says, request, and perhaps holds")
        request, holds = plain["request"], plain.get(HOLDS, "")
        if not isinstance(request, dict) or not isinstance(holds, str):
            raise InputError("the request of a question is a table, and a statement is text")
        return cls(request, holds)


class Questions:
    """Questions on a list, each once, in the order in which they were asked.

    They are of a study and a version of its file. Of several studies together `studies` has the
    name and version of each: the list is one for each of them.

    Examples
    --------
    >>> listed = Questions("clinic", "1")
    >>> listed.add(Question({"plot": "bars", "columns": ["sex"]}))
    >>> listed
    1 question on clinic:
      2f4ff9f9e0182b59732f  the bars of sex
    """

    def __init__(
        self,
        study: str,
        version: str,
        questions: Iterable[Question] = (),
        studies: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self.study, self.version, self.studies = study, version, studies or {}
        self._listed: dict[str, Question] = {it.id: it for it in questions}

    def __repr__(self) -> str:
        count = f"{len(self)} question{'' if len(self) == 1 else 's'} on {self.study}"
        lines = [f"  {it.id}  {it.says}" for it in self]
        return "\n".join([f"{count}:" if lines else f"no question on {self.study}", *lines])

    def __len__(self) -> int:
        return len(self._listed)

    def __iter__(self) -> Iterator[Question]:
        return iter(self._listed.values())

    def add(self, question: Question) -> None:
        """Put a question on the list, unless it stands there."""
        if len(self) >= MOST_QUESTIONS and question.id not in self._listed:
            raise RefusedError(f"a list has at most {MOST_QUESTIONS} questions; begin another one")
        self._listed[question.id] = question

    def remove(self, id_: str) -> None:
        """Take a question off the list, by its id."""
        if id_ not in self._listed:
            raise InputError(f"there is no question {id_!r} on the list")
        del self._listed[id_]

    def to_json(self) -> str:
        """Return the list as JSON."""
        plain = {
            "schema": SCHEMA,
            "study": self.study,
            "version": self.version,
            "questions": [it.to_plain() for it in self],
        }
        return json.dumps(plain, indent=2, ensure_ascii=False)

    def save(self, path: str | Path) -> Path:
        """Write the list to a file that the custodian answers: `discreet answer`.

        Of several studies it is a file for each, called by its name: questions-north.json.
        """
        path = Path(path)
        if path.suffix != ".json":
            raise InputError("a list of questions is saved as .json: 'questions.json'")
        if self.studies:
            words = {name: re.sub(r"[^\w-]+", "-", name) for name in self.studies}
            if len({*words.values()}) < len(words):
                raise InputError(
                    "two studies have names that are one as the name of a file; open the files with"
                    " other names: {'north': 'a.discreet', 'south': 'b.discreet'}"
                )
            for name, of in self.studies.items():
                Questions(*of, self).save(path.with_stem(f"{path.stem}-{words[name]}"))
            return path.parent
        write_whole(self.to_json().encode(), path)
        return path

    @classmethod
    def from_json(cls, text: str | bytes) -> Questions:
        """Read what `to_json` returned; refuse anything else."""
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError("this is not JSON; a list of questions is saved by discreet") from None
        names = {"schema", "study", "version", "questions"}
        if not isinstance(plain, dict) or {*plain} != names or plain["schema"] != SCHEMA:
            raise InputError("this is no list of questions that discreet wrote")
        words, listed = (plain["study"], plain["version"]), plain["questions"]
        if not all(isinstance(it, str) for it in words) or not isinstance(listed, list):
            raise InputError("this is no list of questions that discreet wrote")
        if len(listed) > MOST_QUESTIONS:
            raise InputError(f"a list has at most {MOST_QUESTIONS} questions")
        found = []
        for number, it in enumerate(listed):
            with about("questions", number):
                found.append(Question.from_plain(it))
        return cls(*words, found)

    @classmethod
    def load(cls, path: str | Path) -> Questions:
        """Read a list from a file."""
        try:
            text = Path(path).read_bytes()
        except OSError as error:
            raise InputError(
                f"the list of questions {path_in_words(Path(path))} cannot be read"
                f" ({type(error).__name__}); name a file that study.questions.save wrote"
            ) from None
        return cls.from_json(text)


# --- who is counted -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Dim:
    """A way to divide people: of some columns, in which of several parts each atom is.

    `table` has the part of each combination of atoms, -1 of none; `edges` are the ends of the parts
    of a column of numbers.
    """

    name: str
    columns: tuple[str, ...]
    table: Labels
    labels: tuple[str, ...]
    edges: tuple[float, ...] = ()

    def factor(self, part: int) -> Factor:
        """Return the condition of one part."""
        return Factor(self.columns, self.table == part)

    def parts(self, atoms: Mapping[str, Labels]) -> Labels:
        """Return the part of each row."""
        return self.table[tuple(atoms[name] for name in self.columns)]


@dataclass(frozen=True, eq=False)
class Part:
    """People of a condition, divided: each is in one cell at most; without `dims` in one."""

    where: Condition
    dims: tuple[Dim, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """How many parts each way to divide has."""
        return tuple(len(it.labels) for it in self.dims)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it rests on."""
        names = [*self.where.columns, *(name for it in self.dims for name in it.columns)]
        return tuple(dict.fromkeys(names))

    @cached_property
    def conditions(self) -> list[Condition]:
        """Return the condition of each cell, the last way to divide changing first."""
        factors = [[it.factor(part) for part in range(len(it.labels))] for it in self.dims]
        out = []
        for cell in np.ndindex(*self.shape):
            chosen = [of[part] for of, part in zip(factors, cell, strict=True)]
            out.append(self.where.both(chosen))
        return out

    def cells(self, atoms: Mapping[str, Labels], rows: int) -> Labels:
        """Return the cell of each row, -1 of none."""
        out = np.zeros(rows, dtype=np.intp)
        inside = self.where.holds(atoms, rows)
        for it in self.dims:
            parts = it.parts(atoms)
            out = out * len(it.labels) + np.maximum(parts, 0)
            inside &= parts >= 0
        return np.where(inside, out, -1)


def read_question(
    session: FileSession, derive: Mapping[str, str] | None, question: Question
) -> tuple[Asked, tuple[Part, ...]]:
    """Return the copy as a question asks for it, and what it counts; `derive` is the policy's."""
    session.whole.check_made([*question.columns, *question.by])
    asked = asked_of(session.kept, derive or {}, question)
    return asked, parts_of(question, asked)


def asked_of(kept: WholeTable, derive: Mapping[str, str], question: Question) -> Asked:
    """Return the copy with the new columns of the policy and of a question."""
    made = dict(derive)
    for name, text in question.asks:
        if name in made or name in kept.drawable:
            raise InputError(f"there is a column {name!r}; choose another name for the new one")
        if name:
            made[name] = text
    return Asked(kept, made)


def parts_of(question: Question, asked: Asked) -> tuple[Part, ...]:
    """Return the tables that a question counts, sums of others first.

    Refused is a condition or a bin that cuts a column between the steps of the file's grid.
    """
    asked.check([*question.columns, *([question.per] if question.per else []), *question.by])
    where = where_of(question, asked)
    if question.kind == MODEL:
        return ()
    dims = tuple(_levels(asked, name) for name in question.by)
    if question.is_of_shares(asked.whole):
        if asked.whole.persons is not None:
            raise RefusedError(
                "people have several rows here, so that some have both yes and no; ask for the"
                f" people of each level: study.bars({question.columns[0]!r})",
                rule="persons",
            )
        of = _yes_and_no(asked, question.columns[0])
        parts = [Part(where, (*some, of)) for some in _subsets(dims)]
    elif question.kind == MEANS or question.plot.answered == BY_QUANTILES:
        if len(question.columns) != 1:
            raise InputError("ask for the quantiles of one column at a time")
        known = [it.has_value() for it in _averaged_grids(asked, question)]
        parts = [Part(where.both(known), some) for some in _subsets(dims)]
    elif question.plot.answered == BY_BINS:
        parts = [Part(where, (*dims, *_all_bins(asked, question)))]
    elif question.plot.answered == BY_STEPS:
        parts = [Part(where, (*dims, *_steps(asked, question)))]
    else:
        both = (*(_levels(asked, name) for name in question.columns), *dims)
        parts = [Part(where, some) for some in _subsets(both)]
    if sum(int(np.prod(it.shape)) for it in parts) > MOST_CELLS:
        raise RefusedError(
            f"this question has more than {MOST_CELLS:,} cells; take wider bins, or fewer levels",
            rule="cells",
        )
    return tuple(parts)


def where_of(question: Question, asked: Asked) -> Condition:
    """Return the condition that all conditions of a question make together."""
    texts = [text for name, text in question.asks if not name]
    return Condition.of(it for text in texts for it in asked.condition(text))


def _subsets(dims: Sequence[Dim]) -> list[tuple[Dim, ...]]:
    """Return all choices of some ways to divide, from none to all."""
    return [some for size in range(len(dims) + 1) for some in combinations(dims, size)]


def _of_events(edges: Sequence[float], times: Floats, least: int) -> tuple[float, ...]:
    """Return steps of time with at least so many events each in the copy, and at most `STEPS`."""
    counts = np.histogram(np.clip(times[np.isfinite(times)], edges[0], edges[-1]), edges)[0]
    least = max(least, math.ceil(counts.sum() / STEPS))
    kept, so_far = [edges[0]], 0
    for count, end in zip(counts.tolist(), edges[1:], strict=True):
        so_far += count
        if so_far >= least:
            kept, so_far = [*kept, end], 0
    kept = kept[: len(kept) - (so_far > 0 and len(kept) > 1)]
    return tuple(dict.fromkeys((*kept, edges[-1])))


def number_grid(asked: Asked, name: str) -> Grid:
    """Return the grid of a column of numbers of the file; refuse any other column."""
    if name not in asked.whole.copy.columns:
        raise InputError(
            f"column {name!r} is not one of numbers in the study file, which alone can be averaged"
            " and counted in bins; name another one"
        )
    return asked.grid(name)


def _averaged_grids(asked: Asked, question: Question) -> list[Grid]:
    """Return the grids of the column that is averaged, and of the one that its sum is divided by.

    Of a ratio the first may be one of yes and no.
    """
    (value,), per = question.columns, question.per
    if per is None:
        return [number_grid(asked, value)]
    of, below = value_of(asked, value)[0], number_grid(asked, per)
    check_divisor(per, below.ends[0])
    if asked.whole.raw[per].dates is not None:
        raise InputError(f"column {per!r} holds dates; per= takes one of numbers that add up")
    return [of, below]


def value_of(asked: Asked, name: str) -> tuple[Grid, str | None]:
    """Return the grid of a column that sums are of, and of yes and no the level that is counted."""
    if name in asked.whole.copy.columns:
        return asked.grid(name), None
    of = _yes_and_no(asked, name)
    if name in asked.made:
        raise InputError(
            f"column {name!r} is new; of a ratio the sum is of a column of the file, and conditions"
            " may name new ones"
        )
    return asked.grid(name), event_of(of.labels, None, name)[0]


def _yes_and_no(asked: Asked, name: str) -> Dim:
    """Divide by a column of yes and no, or of 0 and 1; refuse any other."""
    of = _levels(asked, name)
    try:
        event_of(of.labels, None, name)
    except InputError:
        raise InputError(
            f"column {name!r} has other levels than yes and no, and cannot be averaged; ask for the"
            f" people of each level: study.bars({name!r})"
        ) from None
    return of


def _levels(asked: Asked, name: str) -> Dim:
    words, columns, table = asked.levels(name)
    return Dim(name, columns, table, words)


def _all_bins(asked: Asked, question: Question) -> list[Dim]:
    """Divide the columns of a histogram or a heat map into bins."""
    plot, columns = question.plot, question.columns
    most = (plot.get("bins") or BINS) if len(columns) == 1 else (plot.get("grid") or GRID)
    return [_bins(asked, it, int(most), plot.declared("edges", it)) for it in columns]


def _bins(asked: Asked, name: str, most: int, own: tuple[float, ...] = ()) -> Dim:
    """Divide a column of numbers at steps of its grid: at its own ends, or into so many bins."""
    grid = number_grid(asked, name)
    edges = own or _coarser(grid.edges, most)
    words = [f"{it:g}" if asked.whole.raw[name].dates is None else date_words(it) for it in edges]
    labels = tuple(f"{low} to {high}" for low, high in pairwise(words))
    return Dim(name, (name,), grid.bins(edges), labels, edges)


def _coarser(edges: tuple[float, ...], most: int) -> tuple[float, ...]:
    """Return every 1st, 2nd, 5th, ... of some steps, so that at most so many bins are left.

    Of equal steps they are multiples of their width; the first and the last stay.
    """
    step = edges[1] - edges[0]
    are_equal = bool(np.isclose(np.diff(edges), step).all())
    for every in EVERY:
        at = np.round(np.array(edges) / step) if are_equal else np.arange(len(edges))
        kept = [edge for edge, place in zip(edges, at.tolist(), strict=True) if place % every == 0]
        found = tuple(dict.fromkeys((edges[0], *kept, edges[-1])))
        if len(found) - 1 <= max(most, 2):
            return found
    return edges[0], edges[-1]


def _steps(asked: Asked, question: Question) -> tuple[Dim, Dim]:
    """Divide time at steps of its grid, and whether it ended with the event."""
    time, event = question.columns
    words, columns, table = asked.levels(event)
    happened = [word in question.request.get("event_is", ()) for word in words]
    if not any(happened) or all(happened):
        raise InputError(f"name which levels of {event!r} are the event: event_is=")
    whole = asked.with_made(asked.whole, [event])
    with_event = np.array([it in question.request["event_is"] for it in whole.copy.strata[event]])
    times = whole.copy.columns[time][with_event]
    edges = number_grid(asked, time).edges
    until = _bins(asked, time, STEPS, _of_events(edges, times, FEWEST_EVENTS))
    known = np.array([*map(int, happened), -1])
    return until, Dim(event, columns, known[table], ("no event", "event"))
