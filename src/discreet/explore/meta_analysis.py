"""A mean, a correlation or a term of a model in each of several studies and in all together."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from discreet.columns.words import counts_of
from discreet.errors import InputError, RefusedError, about, one_of
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import (
    CORRELATION,
    INTERCEPT,
    META,
    OF_INTERVAL,
    OF_MODEL,
    OF_SHARE,
    Figure,
    level_words,
)
from discreet.estimates.intervals import NORMAL
from discreet.estimates.meta_analysis import FIXED, Combined, Interval, combine
from discreet.estimates.model_table import MEASURED, ratio_words
from discreet.estimates.words import decimals_of_error, number_words
from discreet.explore.columns import columns_of_table
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.model import RATIOS, TITLES, Modelled, with_own_error
from discreet.explore.notes import FIGURES
from discreet.explore.own_errors import columns_of_copy, own_errors
from discreet.explore.pooled import STUDY
from discreet.explore.summary import average
from discreet.expressions.tree import in_quotes, quoted
from discreet.plots.correlations import correlation_of
from discreet.plots.facets import FEWEST
from discreet.regression import FAMILIES, has_random_term

TOGETHER, APART, HETEROGENEITY = "together", "without one study", "heterogeneity"
AS_ONE = "all rows as one study"
REVERSED = (
    "Simpson's paradox: all rows as one study show the opposite of what holds within the studies;"
    " use an estimate that compares people within studies"
)
OTHER_NAMES = (
    "where names differ, write a map of how they fit: discreet harmonise FILES -o all.toml"
)
TOO_FEW = f"fewer than {FEWEST} people have both columns, or one of them does not vary"
UNKNOWN_ERROR = "with so few rows the copy's own error is not known"
OF_FISHER = "correlations are combined as Fisher's z, which the intervals are of, too"
WIDER = (
    "standard errors include the own error of each copy; DL: DerSimonian and Laird; PM, HK: Paule"
    " and Mandel, with the interval of Hartung and Knapp"
)

TWO_COLUMNS = re.compile(r"cor\(\s*(`[^`]+`|[^`,]+?)\s*,\s*(`[^`]+`|[^`,]+?)\s*\)")
"""How a correlation is asked for."""
NO_RANDOM = (
    "a meta-analysis fits a model without a random term in each study; leave (1 | ...) out of the"
    " formula: the studies are combined by random effects already"
)

T = TypeVar("T")
Estimate = tuple[float, float]
"""An estimate and its standard error, which has the copy's own error in it."""


@dataclass(frozen=True, eq=False)
class Each:
    """What is combined: in words, its columns, and the estimates of each study and of all rows.

    `shown` is what stands in place of an estimate: a ratio, which is exp() of it, or a correlation,
    which is tanh() of it. `left_out` says which studies have none.
    """

    says: str
    columns: tuple[str, ...]
    of: Mapping[str, Estimate]
    as_one: Estimate | None
    shown: str = ""
    left_out: tuple[str, ...] = ()
    formula: tuple[str, ...] = ()


def meta_analysed(
    session: DerivedCopy, formula: str, term: str | None, by: str, **asked: Any
) -> CopyTable:
    """Estimate a mean, correlation or model in each level of a column; combine what they say."""
    request = {"formula": formula, **asked}
    if not isinstance(formula, str):
        raise InputError(
            "formula is a text: a model, 'bmi ~ age'; a column, 'bmi'; or two, 'cor(age, bmi)'",
            parameter="formula",
        )
    if "~" in formula and has_random_term(formula):
        raise InputError(NO_RANDOM, parameter="formula")
    if by == STUDY and by not in session.whole.drawable:
        raise InputError(
            "there is no column 'study' here: open two study files or more, or name in by= the"
            " column of levels that says which study a row is of",
            parameter="by",
        )
    with about("by"):
        columns_of_table(session, [by])
        coded = session.whole.with_levels([by])
        if by not in coded.copy.strata:
            raise InputError(f"column {by!r} has numbers; name a column of levels")
    levels, pair = coded.levels_of(by), TWO_COLUMNS.fullmatch(formula.strip())
    if "~" in formula:
        each = _of_models(session, by, levels, request, term)
    else:
        _check_no_model(term, asked, weights=pair is None)
        columns = pair and [it.strip("`") for it in pair.groups()]
        if columns is None and formula.strip().startswith("cor("):
            raise InputError(
                "a correlation is of two columns: 'cor(age, bmi)'", parameter="formula"
            )
        if columns:
            each = _of_correlations(session, by, levels, columns)
        else:
            each = _of_means(session, by, levels, request)
    if len(each.of) < 2:
        raise RefusedError(
            "; ".join(
                [
                    f"fewer than two levels of {by!r} have an estimate",
                    *each.left_out,
                    *([OTHER_NAMES] if by == STUDY else []),
                ]
            ),
            rule="few",
        )
    return _table(session, {**request, "term": term, "by": by}, each)


def _check_no_model(term: str | None, asked: Mapping[str, Any], *, weights: bool) -> None:
    """Refuse what only a model has, or of a correlation weights."""
    models = {"term": term, **asked, "family": asked["family"] != FAMILIES[0]}
    if weights:
        del models["weights"]
    if given := [name for name, value in models.items() if value]:
        what = "a mean" if weights else "a correlation"
        raise InputError(
            f"{what} of each study takes no {given[0]}=; leave it out, or write a"
            " model: 'bmi ~ age'",
            parameter=given[0],
        )


def _of_correlations(
    session: DerivedCopy, by: str, levels: Sequence[str], columns: Sequence[str]
) -> Each:
    """Correlate two columns in each study; the estimates are Fisher's z."""
    with about("formula"):
        columns_of_table(session, columns)
        for name in columns:
            if name not in session.whole.copy.columns:
                raise InputError(f"column {name!r} has levels, and no correlation; name numbers")
    of, left_out = _in_each(session, by, levels, lambda part: _fishers_z(part, columns))
    first, second = (session.labels.get(it, it) for it in columns)
    return Each(
        f"correlation of {first} and {second}",
        (by, *columns),
        of,
        _or_none(lambda: _fishers_z(_rows_of(session, by, of), columns)),
        CORRELATION,
        left_out,
        (OF_FISHER,),
    )


def _in_each(
    session: DerivedCopy, by: str, levels: Sequence[str], estimate: Callable[[DerivedCopy], T]
) -> tuple[dict[str, T], tuple[str, ...]]:
    """Return an estimate of each level; of those that have none, why they are left out."""
    found, left_out = dict[str, T](), []
    for level in levels:
        try:
            found[level] = estimate(session.where(condition_of(by, level)))
        except RefusedError as error:
            left_out.append(f"{level} is left out: {str(error).splitlines()[0]}")
    return found, tuple(left_out)


def _rows_of(session: DerivedCopy, by: str, levels: Collection[str]) -> DerivedCopy:
    """Return the rows of some levels: those without an estimate are in none of all rows, either."""
    there = counts_of(session.whole.with_levels([by]).copy.strata[by])
    if {*there} == {*levels} or not levels:
        return session
    listed = ", ".join(in_quotes(it) for it in levels)
    return session.where(f"{quoted(by)} in ({listed})")


def _or_none(estimate: Callable[[], T]) -> T | None:
    try:
        return estimate()
    except RefusedError:
        return None


def _fishers_z(session: DerivedCopy, columns: Sequence[str]) -> Estimate:
    """Return Fisher's z of a correlation, and its error; refuse one of few people, or of a line."""
    z, people = _z(session.whole, columns)
    if people < FEWEST:
        raise RefusedError(TOO_FEW, rule="few")
    own = own_errors(session, lambda table: {CORRELATION: _z(table, columns)[0]}).of(CORRELATION)
    if own is None:
        raise RefusedError(UNKNOWN_ERROR, rule="few")
    return z, math.hypot(1 / math.sqrt(people - 3), own)


def _z(table: WholeTable, columns: Sequence[str]) -> tuple[float, int]:
    """Return Fisher's z of the rows that have both columns, and of how many people they are."""
    part = columns_of_copy(table, columns, ())
    x, y = (part.copy.columns[it] for it in columns)
    both = np.isfinite(x) & np.isfinite(y)
    found, whose = correlation_of(x[both], y[both]), part.persons
    people = int(both.sum()) if whose is None else len(np.unique(whose[both]))
    if found is None or abs(found) == 1:
        raise RefusedError(TOO_FEW, rule="few")
    return math.atanh(found), people


def _of_means(
    session: DerivedCopy, by: str, levels: Sequence[str], request: Mapping[str, Any]
) -> Each:
    name, weights = request["formula"].strip().strip("`"), request.get("weights")
    table = average(session, name, by, weights)
    of = _means_in(table)
    some = _rows_of(session, by, {*of} - {AS_ONE})
    as_one = of.pop(AS_ONE, None)
    if some is not session:
        as_one = _means_in(average(some, name, by, weights)).get(AS_ONE)
    left_out = tuple(
        f"{level} is left out: of {name!r} it has too few values, or none"
        for level in levels
        if level not in of
    )
    says = table.title.partition(" in ")[0]
    return Each(says, (by, name), of, as_one, left_out=left_out)


def _means_in(table: CopyTable) -> dict[str, Estimate]:
    """Return the mean of each level, and of all rows, with its standard error."""
    found: dict[str, dict[str, Any]] = {}
    for it in table.figures:
        level = it.group[0][1] if it.group else AS_ONE
        if level is not None:  # rows of no study
            found.setdefault(level, {})[it.figure] = it.value
    of = {}
    for level, figures in found.items():
        three = OF_SHARE if OF_SHARE[1] in figures else OF_INTERVAL
        low, middle, high = (figures.get(it) for it in three)
        if low is not None and middle is not None and high is not None and low < high:
            of[level] = (middle, (high - low) / (2 * NORMAL))
    return of


def _of_models(
    session: DerivedCopy,
    by: str,
    levels: Sequence[str],
    request: Mapping[str, Any],
    term: str | None,
) -> Each:
    found, left_out = _in_each(session, by, levels, lambda part: with_own_error(part, request))
    if not found:
        return Each("", (), {}, None, "", left_out)
    term = _term(found, term)
    first = next(iter(found.values()))
    model, references = first.model, dict(first.wider.estimates.references)
    names = [by, *model.numbers, *model.levels, *([model.event] if model.event else [])]
    shown = level_words(term, session.labels, references)
    outcome = model.formula.partition("~")[0].strip()
    outcome = session.labels.get(outcome.strip("`"), outcome)
    return Each(
        f"{shown}, {TITLES[model.family].lower()} of {outcome}",
        tuple(dict.fromkeys(names)),
        {level: _estimate(it, term) for level, it in found.items()},
        _as_one(_rows_of(session, by, found), request, term),
        RATIOS[model.family] if term != INTERCEPT else "",
        left_out,
        (model.formula,),
    )


def condition_of(by: str, level: str) -> str:
    """Return the condition that a column has a level.

    Examples
    --------
    >>> condition_of("study of", "Queen's")
    "`study of` == 'Queen''s'"
    """
    return f"{quoted(by)} == {in_quotes(level)}"


def _term(found: Mapping[str, Modelled], term: str | None) -> str:
    """Return the term that is combined; refuse one that a study does not have."""
    terms = [it.wider.estimates.terms for it in found.values()]
    common = [it for it in terms[0] if all(it in others for others in terms)]
    if term is None:
        term = next((it for it in common if it != INTERCEPT), INTERCEPT)
    if term not in common:
        raise InputError(
            f"the model has no term {term!r} in every study; there are {one_of(common)}",
            parameter="term",
        )
    return term


def _estimate(found: Modelled, term: str) -> Estimate:
    """Return the estimate of a term; its error is without the factor that single intervals have.

    That factor makes an interval hold the data's estimate of one copy; between copies errors are
    as large as they are (docs/federated.md).
    """
    at = [*found.wider.estimates.terms].index(term)
    error = float(found.wider.errors[at]) / math.sqrt(MEASURED)
    return float(found.wider.estimates.values[at]), error


def _as_one(session: DerivedCopy, request: Mapping[str, Any], term: str) -> Estimate | None:
    """Return the estimate of all rows as if they were of one study; None where there is none."""
    found = _or_none(lambda: with_own_error(session, request))
    return _estimate(found, term) if found and term in found.wider.estimates.terms else None


# --- as a table -----------------------------------------------------------------------------------


def _table(session: DerivedCopy, request: Mapping[str, Any], each: Each) -> CopyTable:
    values, errors = zip(*each.of.values(), strict=True)
    combined = combine(values, errors)
    together = dict(combined.pooled)
    if each.as_one is not None:
        together[AS_ONE] = _around(*each.as_one)
    of_each = {name: _around(*it) for name, it in each.of.items()}
    policy, version = session.policy, session.whole.copy.version
    by = request["by"]
    studies = "studies" if by == STUDY else f"levels of {session.labels.get(by, by)}"
    return CopyTable(
        META,
        f"Meta-analysis of {len(of_each)} {studies}: {each.says}",
        ("part", by),
        (each.shown or "estimate", "95 % interval", "weight (fixed, random)"),
        tuple(_lines(each.shown, min(errors), of_each, together, combined)),
        (
            *([REVERSED] if _is_reversed(together) else []),
            *each.formula,
            f"of {len(session.whole):,} rows of the protected copy {version}, policy {policy.name}",
            *session.remarks_of_copy(each.columns),
            WIDER,
            *each.left_out,
        ),
        tuple(_figures(each.shown, {**of_each, **together}, combined)),
        gate=session.gate_of_copy(META, each.columns),
        labels={it: session.labels[it] for it in each.columns if it in session.labels},
        sealer=session.sealer_of_copy({FIGURES: META, **request}),
        framework=session.table.framework,
    )


def _is_reversed(together: Mapping[str, Interval]) -> bool:
    """Tell whether all rows as one study say surely the opposite of what the studies say."""
    within, as_one = together[FIXED], together.get(AS_ONE)
    return as_one is not None and (as_one[2] < 0 < within[0] or within[2] < 0 < as_one[0])


def _around(value: float, error: float) -> Interval:
    return value - NORMAL * error, value, value + NORMAL * error


def _lines(
    shown: str,
    error: float,
    each: Mapping[str, Interval],
    together: Mapping[str, Interval],
    combined: Combined,
) -> list[Line]:
    decimals = decimals_of_error(error)
    write: Callable[[float], str] = ratio_words
    if shown == CORRELATION:
        write = _correlation_words
    elif not shown:
        write = partial(number_words, decimals=decimals)

    def cells(it: Interval, beside: str = "") -> tuple[str, ...]:
        return (write(it[1]), f"{write(it[0])} to {write(it[2])}", beside)

    shares = [f"{100 * fixed:.0f} %, {100 * random:.0f} %" for fixed, random in combined.weights]
    chance = "< .001" if combined.p < 0.001 else f"= {combined.p:.3f}".replace("0.", ".", 1)
    scale = {"": "", CORRELATION: ", of z"}.get(shown, f", of log {shown}")
    apart = {
        "I²": f"{100 * combined.i2:.0f} %",
        f"standard deviation between studies{scale}": f"{combined.tau:.3g}",
        f"Q (df = {len(each) - 1})": f"{combined.q:.2f}, p {chance}",
    }
    without = zip(each, combined.without, strict=False)
    return [
        *(
            Line("", name, cells(it, share))
            for (name, it), share in zip(each.items(), shares, strict=True)
        ),
        *(Line(TOGETHER, name, cells(it)) for name, it in together.items()),
        *(Line(HETEROGENEITY, name, (it, "", "")) for name, it in apart.items()),
        *(Line(APART, name, cells(it)) for name, it in without),
    ]


def _correlation_words(z: float) -> str:
    return number_words(math.tanh(z), 2)


def _figures(shown: str, drawn: Mapping[str, Interval], combined: Combined) -> list[Figure]:
    figures = [
        Figure(name, None, (), figure, value)
        for name, interval in drawn.items()
        for figure, value in zip(OF_MODEL, interval, strict=True)
    ]
    if shown:
        of = math.tanh if shown == CORRELATION else math.exp
        figures += [Figure(name, None, (), shown, of(it[1])) for name, it in drawn.items()]
    of_all = {"Q": combined.q, "p": combined.p, "I²": combined.i2, "tau": combined.tau}
    return figures + [Figure("", None, (), name, value) for name, value in of_all.items()]
