"""Regressions of rows of the copy: post-processing, with intervals that have its own error."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns import KINDS, text_of
from discreet.columns.column import merge_columns
from discreet.errors import InputError, RefusedError, about, near, one_of
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.figures import REFERENCE, Figure, term_words
from discreet.estimates.model_table import Widened, model_body, widen
from discreet.explore.columns import columns_of_table
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable, said_of_gaps
from discreet.explore.notes import FIGURES, check_copied
from discreet.explore.weights import weighed
from discreet.levels import in_order
from discreet.plots.facets import FEWEST
from discreet.plots.survival import event_of, too_many_values
from discreet.plots.view import PUBLIC
from discreet.regression import FAMILIES, Asked, Estimates, categories_named, estimated, read_model

MODEL = "model"
POISSON, COX = "poisson", "cox"
RATIOS = {"linear": "", "logistic": "odds ratio", POISSON: "rate ratio", COX: "hazard ratio"}
TITLES = {family: f"{family.capitalize()} model" for family in RATIOS}
WIDER = (
    "intervals are rough, and include the copy's own error; estimates are from these rows; "
    "docs/models.md says how often intervals cover"
)
LINEARISED = (
    "standard errors are robust (linearised); as for rows drawn independently with these weights"
)
ROBUST = "standard errors are robust; for counts that vary more than Poisson's, too"
BY_PERSONS = "standard errors are clustered by person; people have several rows"
ABOUT_ZERO = (
    "without an intercept R² is computed about 0, so do not compare it with that of a model "
    "with an intercept"
)
OF_RANDOM = (
    "{name} is a random term: the standard deviation between its levels has no interval; standard "
    "errors are as in lme4, and too small if levels are few, as these say little of it: "
    "study.meta_analysis, by Hartung and Knapp, is more careful there"
)
NO_SPREAD = (
    "levels of {name} differ by no more than chance: estimates are those without the random term"
)
EVENTS_A_TERM = 10
"""Of fewer rows, or events, for each term estimates are known to be unsteady."""


def modelled(
    session: DerivedCopy,
    formula: str,
    family: str = FAMILIES[0],
    event_is: str | float | Sequence[str | float] | None = None,
    weights: str | None = None,
    reference: Mapping[str, str | float] | None = None,
) -> CopyTable:
    """Estimate a model from rows of the copy, and from copies of the copy how far off it is."""
    asked: dict[str, object] = {"formula": formula, "family": family}
    found = with_own_error(
        session, {**asked, "event_is": event_is, "reference": reference, "weights": weights}
    )
    model, events, wider = found.model, found.events, found.wider
    estimates = wider.estimates
    said = [*found.of_weights, *_how_errors_are(session, estimates, family, weights)]
    ratio = RATIOS[model.family]
    body = model_body(wider, ratio)
    others = [it for it in (model.event, weights) if it]
    names = tuple(dict.fromkeys([*model.numbers, *model.levels, *others]))
    references = (
        Figure(name, level, (), REFERENCE, None) for name, level in _references(estimates).items()
    )
    return CopyTable(
        MODEL,
        _title(session, model, events, weights),
        ("part", "term"),
        body.head,
        tuple(it._replace(name=term_words(it.name, session.labels)) for it in body.lines),
        (*_notes(session, names, model, estimates), *said, *found.left_out, WIDER),
        (*body.figures, *references),
        gate=session.gate_of_copy(MODEL, names),
        labels={it: session.labels[it] for it in names if it in session.labels},
        sealer=session.sealer_of_copy(
            {
                FIGURES: MODEL,
                "formula": formula,
                "family": family,
                "weights": weights,
                "event_is": list(events) if model.event else None,
                "reference": _named(reference) or None,
            }
        ),
        framework=session.table.framework,
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Modelled:
    """A model of rows of the copy, with the copy's own error.

    `left_out` says which rows are not in it, and `of_weights` what the weights are.
    """

    model: Asked
    events: tuple[str, ...]
    wider: Widened
    left_out: tuple[str, ...]
    of_weights: tuple[str, ...]


def with_own_error(session: DerivedCopy, request: Mapping[str, Any]) -> Modelled:
    """Estimate a model of rows of the copy, as it is asked for, and how far off the copy is."""
    check_copied(session.policy)
    model, events, whole = asked_model(session, request)
    weights = request.get("weights")
    said = () if weights is None else (check_weights(session, model, weights),)
    with about("formula"):
        estimates, left_out = _fitted(whole, model, events, weights, FEWEST)
        again = _again(session, request["formula"], model, events, weights)
        return Modelled(model, events, widen(estimates, *again), left_out, said)


def _how_errors_are(
    session: DerivedCopy, estimates: Estimates, family: str, weights: str | None
) -> list[str]:
    """Say what standard errors are, where they are not those that the model assumes."""
    if estimates.random is not None:
        name, between = estimates.random[0], estimates.quality[1]
        said = [OF_RANDOM] if between else [OF_RANDOM, NO_SPREAD]
        return [it.format(name=session.labels.get(name, name)) for it in said]
    if estimates.persons is not None:
        return [BY_PERSONS]
    if weights is not None:
        return [LINEARISED]
    return [ROBUST] if family == POISSON else []


def asked_model(
    session: DerivedCopy, request: Mapping[str, Any]
) -> tuple[Asked, tuple[str, ...], WholeTable]:
    """Return a model, the levels that are its event, and the rows with its levels as such."""
    formula, family = request["formula"], request.get("family", FAMILIES[0])
    whole = session.whole.with_levels(categories_named(formula))
    model = _in_orders(whole, _asked(session, whole, formula, family), request.get("reference"))
    return model, _events(whole, model, request.get("event_is")), whole


def _asked(session: DerivedCopy, whole: WholeTable, formula: str, family: str) -> Asked:
    kinds = {name: it.kind if it.kind in KINDS else KINDS[1] for name, it in whole.raw.items()}
    kinds |= dict.fromkeys(whole.copy.columns, KINDS[0])
    kinds |= dict.fromkeys(whole.copy.strata, KINDS[1])
    with about("formula"):
        model = read_model(formula, family, kinds)
        event = [model.event] if model.event else []
        columns_of_table(session, [*model.numbers, *model.levels, *event])
        if model.family == COX and model.numbers[0] in session.dates:
            raise InputError(
                f"column {model.numbers[0]!r} holds dates; a Cox model needs the time that each "
                "person was observed, as a number: study.assign(days='...') computes it from "
                "two dates"
            )
    return model


def _in_orders(
    whole: WholeTable, model: Asked, reference: Mapping[str, str | float] | None
) -> Asked:
    """Return the model with the order of each column's levels: those named as references first.

    One that no row of these has is refused, for others would be compared with another one.
    """
    fixed = model.parsed.model.levels
    orders, named = {name: whole.levels_of(name) for name in fixed}, _named(reference)
    for name, level in named.items():
        if name not in orders:
            some = f"it has {one_of([*orders])}" if orders else "it has none"
            raise InputError(
                f"reference names column {name!r}, which is not one of the model's columns of "
                f"levels; {some}",
                parameter="reference",
            )
        there = {*whole.copy.strata[name]}
        if level not in there:
            known = [it for it in orders[name] if it in there]
            raise InputError(
                f"reference: {level!r} is not a level of {name!r} in these rows; "
                f"{near(level, known)}",
                parameter="reference",
            )
        orders[name] = (level, *(it for it in orders[name] if it != level))
    return dataclasses.replace(model, orders=orders, named=tuple(named))


def _named(reference: Mapping[str, str | float] | None) -> dict[str, str]:
    """Return the levels that are named as references, as texts."""
    named = {} if reference is None else reference
    if not isinstance(named, Mapping) or not all(
        isinstance(name, str) and isinstance(level, str | int | float)
        for name, level in named.items()
    ):
        raise InputError(
            "reference names columns, each with the level that others are compared with:"
            " reference={'sex': 'F'}",
            parameter="reference",
        )
    return {name: text_of(level) for name, level in named.items()}


def _events(
    whole: WholeTable, model: Asked, event_is: str | float | Sequence[str | float] | None
) -> tuple[str, ...]:
    """Return which levels of the event's column are the event, as a survival curve has it."""
    if model.event is None:
        if event_is is not None:
            raise InputError(
                "event_is is for logistic and Cox models; leave it out", parameter="event_is"
            )
        return ()
    words = whole.with_levels([model.event]).copy.strata.get(model.event)
    if words is None:
        raise too_many_values(model.event)
    names = in_order({*words} - {""}, whole.raw[model.event].order)
    return event_of(names, event_is, model.event)


def check_weights(session: DerivedCopy, model: Asked, weights: str) -> str:
    """Refuse what are no weights of a model; else say what they are."""
    with about("weights"):
        columns_of_table(session, [weights])
        if weights in (*model.levels, model.event):
            raise InputError(
                f"column {weights!r} is one of the model's levels, or its event, and cannot be"
                " weights=; take another one"
            )
    return weighed(session.whole.copy, session.whole.raw, weights).said


@dataclasses.dataclass(frozen=True, eq=False)
class ModelRows:
    """The rows that a model is estimated from, and their columns; `at` are their places."""

    at: NDArray[np.intp]
    numbers: Mapping[str, Floats]
    words: Mapping[str, Sequence[str]]
    happened: NDArray[np.bool_] | None
    negative: bool


def rows_of_model(
    whole: WholeTable, model: Asked, events: Sequence[str], weights: str | None = None
) -> ModelRows:
    """Return the rows that have all columns of a model; of a Cox model no negative times."""
    levels = [*model.levels, *([model.event] if model.event else [])]
    wanted = [*model.numbers, *([] if weights is None else [weights])]
    coded = whole.with_levels(levels)
    places, (numbers, words) = coded.complete(wanted, levels), coded.part(wanted, levels)
    kept = np.ones(len(places), dtype=np.bool_)
    if model.family == COX:
        kept = numbers[model.numbers[0]] >= 0
    negative = not kept.all()
    if weights is not None:
        kept &= numbers[weights] > 0
    at = np.flatnonzero(kept)
    happened: NDArray[np.bool_] | None = None
    if model.event is not None:
        happened = np.isin(np.array(words[model.event]), events)[at]
    return ModelRows(
        places[at],
        {name: values[at] for name, values in numbers.items()},
        {name: [words[name][i] for i in at.tolist()] for name in model.levels},
        happened,
        negative,
    )


def fit_rows(
    model: Asked, rows: ModelRows, weights: str | None = None, persons: Labels | None = None
) -> Estimates:
    """Estimate a model from its rows; `persons` says whose each of them is."""
    estimates = estimated(
        model,
        rows.numbers,
        rows.words,
        rows.happened,
        None if weights is None else rows.numbers[weights],
        persons,
    )
    _check_references(model, estimates)
    return estimates


def _fitted(
    whole: WholeTable, model: Asked, events: tuple[str, ...], weights: str | None, least: int = 1
) -> tuple[Estimates, tuple[str, ...]]:
    """Estimate a model from the rows that have all its columns; say which are left out.

    Fewer than `least` such rows are refused.
    """
    rows = rows_of_model(whole, model, events, weights)
    if len(rows.at) < least:
        raise RefusedError(
            f"fewer than {least} rows of the copy have a value in each column of the model: too "
            "few to say anything about people; leave a column out, or ask for a larger part",
            rule="few",
        )
    persons = whole.persons
    estimates = fit_rows(model, rows, weights, None if persons is None else persons[rows.at])
    left_out = (f"rows of a negative {model.numbers[0]} are left out",) if rows.negative else ()
    return estimates, left_out


def _check_references(model: Asked, estimates: Estimates) -> None:
    """Refuse a reference that was named, and that no row with all columns has."""
    for name, level in estimates.references:
        wanted = model.orders[name][0]
        if level != wanted and name in model.named:
            raise RefusedError(
                f"no row with a value in each column of the model has {name} = {wanted!r}, which"
                " reference names; name another level, or leave a column out",
                parameter="reference",
            )


def _again(
    session: DerivedCopy, formula: str, model: Asked, events: tuple[str, ...], weights: str | None
) -> tuple[list[Estimates], float]:
    """Return estimates of the rows that copies were made of, and of each of those copies.

    Beside them stands which share those rows are of all that the copy has.
    """
    tables, share = session.copies_again()
    estimates: list[Estimates] = []
    known: dict[str, set[str]] = {}
    for table in tables:
        try:
            rows = table.with_levels(categories_named(formula))
            known = known or {name: {*rows.copy.strata[name]} - {""} for name in model.levels}
            rows = _of_levels(rows, known, model.orders)
            estimates.append(_fitted(rows, model, events, weights)[0])
        except (InputError, RefusedError):  # it has lost a level, or tells all events apart
            if not estimates:
                break
    return estimates, share


def _of_levels(
    whole: WholeTable, known: dict[str, set[str]], orders: Mapping[str, Sequence[str]]
) -> WholeTable:
    """Return a copy of the copy with those levels alone that the copy has."""
    copy, some = whole.copy, {}
    for name, levels in known.items():
        words = copy.strata[name]
        if name in orders and in_order(levels, orders[name])[0] not in words:
            raise RefusedError("the level that others are compared with is not there")
        some[name] = tuple(word if word in levels else "" for word in words)
    return whole.holding(copy.columns, merge_columns(copy.strata, some))


def _references(estimates: Estimates) -> dict[str, str]:
    """Return which level of each column the others are compared with, where terms are such."""
    return dict(estimates.references) if any("[T." in term for term in estimates.terms) else {}


def _title(session: DerivedCopy, model: Asked, events: tuple[str, ...], weights: str | None) -> str:
    of = "" if session.name is None else f" in {session.name}"
    outcome = model.parsed.outcome.text
    outcome = session.labels.get(outcome, outcome)
    if model.event is not None:
        event = f"{session.labels.get(model.event, model.event)} = {' or '.join(events)}"
        outcome = event if model.family != COX else f"{outcome} until {event}"
    by = "" if weights is None else f", weighted by {weights}"
    return f"{TITLES[model.family]} of {outcome}{of}{by}"


def _notes(
    session: DerivedCopy, names: Sequence[str], model: Asked, estimates: Estimates
) -> tuple[str, ...]:
    """Say what a model is of, and how near it is."""
    policy, copy = session.policy, session.whole.copy
    compared = [f"{session.labels.get(it, it)} {of}" for it, of in _references(estimates).items()]
    said = [
        model.formula,
        f"of {estimates.rows:,} rows of the protected copy {copy.version} (k = {policy.k}, m ="
        f" {policy.members}), policy {policy.name}",
        *([f"levels are compared with {', '.join(compared)}"] if compared else []),
        *session.remarks_of_copy(names),
        *said_of_gaps(session.whole, names),
    ]
    fewer = (
        estimates.rows
        if estimates.events is None
        else min(estimates.events, estimates.rows - estimates.events)
    )
    if estimates.persons is not None and estimates.persons < EVENTS_A_TERM * len(estimates.terms):
        said.append(f"rough: rows of fewer than {EVENTS_A_TERM} people for each term")
    elif fewer < EVENTS_A_TERM * len(estimates.terms):
        what = "rows" if estimates.events is None else "rows with the event, or without it,"
        said.append(f"rough: fewer than {EVENTS_A_TERM} {what} for each term")
    if estimates.about_zero:
        said.append(ABOUT_ZERO)
    if policy.public:
        said.append(PUBLIC)
    return tuple(said)
