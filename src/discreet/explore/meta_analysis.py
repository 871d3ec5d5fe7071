"""A mean, or a term of a model, in each of several studies and in all of them together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from discreet.errors import InputError, RefusedError, about, one_of
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import (
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
from discreet.explore.model import RATIOS, TITLES, Modelled, with_own_error
from discreet.explore.notes import FIGURES
from discreet.explore.summary import average
from discreet.expressions.tree import quoted

TOGETHER, APART, HETEROGENEITY = "together", "without one study", "heterogeneity"
AS_ONE = "all rows as one study"
REVERSED = (
    "Simpson's paradox: all rows as one study show the opposite of what holds within the studies;"
    " use an estimate that compares people within studies"
)
WIDER = (
    "standard errors include the own error of each copy; DL: DerSimonian and Laird; PM, HK: Paule"
    " and Mandel, with the interval of Hartung and Knapp"
)

Estimate = tuple[float, float]
"""An estimate and its standard error, which has the copy's own error in it."""


@dataclass(frozen=True, eq=False)
class Each:
    """What is combined: in words, its columns, and the estimates of each study and of all rows.

    `ratio` is what exp() of an estimate is called; `left_out` says which studies have none.
    """

    says: str
    columns: tuple[str, ...]
    of: Mapping[str, Estimate]
    as_one: Estimate | None
    ratio: str = ""
    left_out: tuple[str, ...] = ()
    formula: tuple[str, ...] = ()


def meta_analysed(
    session: DerivedCopy, formula: str, term: str | None, by: str, **asked: Any
) -> CopyTable:
    """Estimate a mean or a model in each level of a column, and combine what they say."""
    request = {"formula": formula, **asked}
    with about("by"):
        columns_of_table(session, [by])
        coded = session.whole.with_levels([by])
        if by not in coded.copy.strata:
            raise InputError(f"column {by!r} has numbers; name a column of levels")
    if "~" in formula:
        each = _of_models(session, by, coded.levels_of(by), request, term)
    else:
        each = _of_means(session, by, request)
    if len(each.of) < 2:
        raise RefusedError(
            "; ".join([f"fewer than two levels of {by!r} have an estimate", *each.left_out]),
            rule="few",
        )
    return _table(session, {**request, "term": term, "by": by}, each)


def _of_means(session: DerivedCopy, by: str, request: Mapping[str, Any]) -> Each:
    name = request["formula"].strip().strip("`")
    table = average(session, name, by, request.get("weights"))
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
    as_one = of.pop(AS_ONE, None)
    return Each(table.title.partition(" in ")[0], (by, name), of, as_one)


def _of_models(
    session: DerivedCopy,
    by: str,
    levels: Sequence[str],
    request: Mapping[str, Any],
    term: str | None,
) -> Each:
    found: dict[str, Modelled] = {}
    left_out = []
    for level in levels:
        try:
            found[level] = with_own_error(session.where(condition_of(by, level)), request)
        except RefusedError as error:
            left_out.append(f"{level} is left out: {str(error).splitlines()[0]}")
    if not found:
        return Each("", (), {}, None, "", tuple(left_out))
    term = _term(found, term)
    first = next(iter(found.values()))
    model, references = first.model, dict(first.wider.estimates.references)
    names = [by, *model.numbers, *model.levels, *([model.event] if model.event else [])]
    shown = level_words(term, session.labels, references)
    return Each(
        f"{shown}, {TITLES[model.family].lower()}",
        tuple(dict.fromkeys(names)),
        {level: _estimate(it, term) for level, it in found.items()},
        _as_one(session, request, term),
        RATIOS[model.family] if term != INTERCEPT else "",
        tuple(left_out),
        (model.formula,),
    )


def condition_of(by: str, level: str) -> str:
    """Return the condition that a column has a level.

    Examples
    --------
    >>> condition_of("study of", "Queen's")
    "`study of` == 'Queen''s'"
    """
    doubled = level.replace("'", "''")
    return f"{quoted(by)} == '{doubled}'"


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
    try:
        found = with_own_error(session, request)
    except RefusedError:
        return None
    return _estimate(found, term) if term in found.wider.estimates.terms else None


# --- as a table -----------------------------------------------------------------------------------


def _table(session: DerivedCopy, request: Mapping[str, Any], each: Each) -> CopyTable:
    values, errors = zip(*each.of.values(), strict=True)
    combined = combine(values, errors)
    together = dict(combined.pooled)
    if each.as_one is not None:
        together[AS_ONE] = _around(*each.as_one)
    of_each = {name: _around(*it) for name, it in each.of.items()}
    policy, version = session.policy, session.whole.copy.version
    return CopyTable(
        META,
        f"Meta-analysis of {len(of_each)} studies: {each.says}",
        ("part", request["by"]),
        (each.ratio or "estimate", "95 % interval", "weight (fixed, random)"),
        tuple(_lines(each.ratio, min(errors), of_each, together, combined)),
        (
            *([REVERSED] if _is_reversed(together) else []),
            *each.formula,
            f"of {len(session.whole):,} rows of the protected copy {version}, policy {policy.name}",
            *session.remarks_of_copy(each.columns),
            WIDER,
            *each.left_out,
        ),
        tuple(_figures(each.ratio, {**of_each, **together}, combined)),
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
    ratio: str,
    error: float,
    each: Mapping[str, Interval],
    together: Mapping[str, Interval],
    combined: Combined,
) -> list[Line]:
    decimals = decimals_of_error(error)
    write: Callable[[float], str] = (
        ratio_words if ratio else partial(number_words, decimals=decimals)
    )

    def cells(it: Interval, beside: str = "") -> tuple[str, ...]:
        return (write(it[1]), f"{write(it[0])} to {write(it[2])}", beside)

    shares = [f"{100 * fixed:.0f} %, {100 * random:.0f} %" for fixed, random in combined.weights]
    chance = "< .001" if combined.p < 0.001 else f"= {combined.p:.3f}".replace("0.", ".", 1)
    apart = {
        "I²": f"{100 * combined.i2:.0f} %",
        "standard deviation between studies": f"{combined.tau:.3g}",
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


def _figures(ratio: str, drawn: Mapping[str, Interval], combined: Combined) -> list[Figure]:
    figures = [
        Figure(name, None, (), figure, value)
        for name, interval in drawn.items()
        for figure, value in zip(OF_MODEL, interval, strict=True)
    ]
    if ratio:
        figures += [Figure(name, None, (), ratio, math.exp(it[1])) for name, it in drawn.items()]
    of_all = {"Q": combined.q, "p": combined.p, "I²": combined.i2, "tau": combined.tau}
    return figures + [Figure("", None, (), name, value) for name, value in of_all.items()]
