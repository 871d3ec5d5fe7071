"""From a study to a protected table: what is released, measured, and told of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.answers import from_counts, from_rows
from discreet.errors import BrokenPromiseError, RefusedError, one_of
from discreet.measure.coefficients import model_of
from discreet.measure.evaluate import Measured, measured
from discreet.measure.pairs import Pair, Side
from discreet.measure.pictures import Picture, histogram_picture
from discreet.measure.report import Report
from discreet.protect import METHODS
from discreet.protect.base import Floats
from discreet.protect.counts import about
from discreet.release import Release, arrow_table, check_counts_again, native_frame
from discreet.study.desk import Desk
from discreet.study.wanted import Wanted
from discreet.vault import STRATUM_PER_K, Copy, Made, copy_of, make_table, prepared, raw_rows, said
from discreet.views import HistogramView

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make", "pair_of_made", "release"]

# Widths at which the robust distance risks are drawn, as in Fig. 5 of the 2022 paper.
W1S = (0.01, 0.02, 0.05, 0.1, 0.2)
W2S = (0.01, 0.02, 0.05, 0.1, 0.2)
REPORT = "report"
ROWS_PER_TERM = 40


def make(desk: Desk, want: Wanted) -> Made:
    """Protect the rows of a table; for the custodian, beside the raw ones."""
    if desk.policy.guarded:
        return desk.made(want.columns)
    policy = want.policy.changed(k=want.asked.k)
    raw = raw_rows(
        desk.table, policy, want.columns, desk.secret, strata=want.strata, carried=want.carried
    )
    return make_table(prepared(raw, policy, desk.secret), policy, policy.row_method(want.asked))


def release(
    desk: Desk, want: Wanted, formula: str | None, risk_below: float | None = None
) -> Release:
    """Make a released table with its report, and the gates that both leave by."""
    made = make(desk, want)
    copy = _copy(desk, want, made)
    pair = pair_of_made(made, want.columns)
    if formula is not None and want.asked.guarded:
        _check_formula(pair, formula)
    strata = tuple(name for name in made.levels if name != want.sensitive)
    told = measured(
        pair,
        strata=strata,
        sensitive=want.sensitive if want.sensitive in pair.names else None,
        formula=formula,
        w1s=W1S,
        w2s=W2S,
        far=max(20, 4 * want.asked.round_to) if want.asked.guarded else None,
        guard=want.asked.k if want.asked.guarded else None,
        used=pair_of_made(dataclasses.replace(made, original=made.trimmed), want.columns),
    )
    if want.asked.guarded:
        told = told.rounded(want.asked.round_to)  # before it decides: a refusal tells, too
    _check_asked_for(want, told, pair.released.levels, risk_below)
    table = _table(desk, want, made, copy)
    pictures, gates = _histograms(desk, want, copy)
    rests_on = (*made.levels, *want.carried)
    group = tuple(sorted(made.names)) if want.asked.guarded else ()
    leave = partial(desk.gatekeeper.leave, want.asked, group, also=rests_on)
    pinned = {} if formula is None else {f"formula of the report of {one_of(made.names)}": formula}
    report = Report(
        title=f"Protected table of {desk.name or 'a frame without a name'}",
        made=MappingProxyType(_made_of(desk, want, made, copy, formula)),
        measured=told,
        pictures=pictures,
        gate=_all_of(
            partial(
                desk.gatekeeper.leave,
                dataclasses.replace(want.asked, picture=REPORT),
                group,
                also=rests_on,
                pinned=pinned,
            ),
            gates,
        ),
    )
    if want.asked.guarded:
        desk.groups = desk.groups or (made.names,)
    return Release(native_frame(table, desk.table.framework), report, table, leave)


def _table(desk: Desk, want: Wanted, made: Made, copy: Copy) -> pa.Table:
    """Return the finished table, on which promises were counted again."""
    numbers = {name: copy.columns[name] for name in want.columns}
    table = arrow_table(numbers, copy.strata, desk.table.columns)
    if want.asked.guarded:
        # Once more: the copy is sorted by all its columns, and this may hold a few.
        table = table.sort_by([(name, "ascending") for name in table.column_names])
    if made.levels:
        least = (STRATUM_PER_K if want.asked.guarded else 1) * want.asked.k
        check_counts_again(table.select([*made.levels]), least)
    if want.asked.method == "microaggregation":
        shared = [name for name in table.column_names if name not in want.carried]
        check_counts_again(table.select(shared), want.asked.k)
    return table


def pair_of_made(made: Made, columns: Sequence[str]) -> Pair:
    """Return the raw and the protected rows of some columns as two tables to compare."""
    places = [made.names.index(name) for name in columns]
    levels = MappingProxyType({**made.levels, **made.carried})

    def side(values: Floats) -> Side:
        return Side(MappingProxyType({made.names[j]: values[:, j] for j in places}), levels)

    return Pair(side(made.original), side(made.released), same_rows=True)


def _copy(desk: Desk, want: Wanted, made: Made) -> Copy:
    """Return the rows as they are released: the protected copy itself, if the study has one."""
    if not want.asked.guarded:
        columns = dict(zip(made.names, made.released.T, strict=True))
        levels = {**made.levels, **made.carried}
        left_out = about(made.done.left_out, want.asked.k)
        return Copy(columns, levels, made.version, left_out, said(made, want.asked.k))
    copy, again = desk.copy(want.columns), copy_of(made, want.asked.k)
    same = all(np.array_equal(copy.columns[name], again.columns[name]) for name in made.names)
    if not same or (copy.strata, copy.version) != (again.strata, again.version):
        raise BrokenPromiseError(
            "the protected copy that was kept is not the one that is made of these data; please"
            " report this"
        )
    return copy


def _check_asked_for(
    want: Wanted,
    told: Measured,
    held: Mapping[str, Sequence[str]],
    risk_below: float | None,
) -> None:
    """Refuse a table that does not reach what was required of it."""
    policy = want.policy
    different, far = told.l, told.t
    values = held.get(want.sensitive or "", ())
    if values and not told.strata:  # the whole table is one stratum
        different, far = len(set(values)), 0.0
    if policy.diversity > 1 and (different is None or different < policy.diversity):
        raise RefusedError(
            "a stratum has fewer different sensitive values than diversity= asks for; name the"
            " sensitive column, merge strata by a hierarchy, or declare fewer of them"
        )
    if policy.closeness < 1 and (far is None or far > policy.closeness):
        raise RefusedError(
            "the sensitive values of a stratum are farther from those of all rows than closeness="
            " allows; name the sensitive column, merge strata by a hierarchy, or declare fewer"
        )
    if risk_below is not None and told.risks["linkage"].share >= risk_below:
        raise RefusedError(
            "the share of records that are linked to their own released row is not below"
            " risk_below=; study.sweep() shows which method and k reach it: open a study with them"
        )


def _check_formula(pair: Pair, formula: str) -> None:
    """Refuse a regression on raw data whose estimates single persons would move.

    A term such as 1 / ((x - 34.7)**2 + 0.00001) is one person's: fourteen of them in a formula gave
    the outcomes of 70 persons of 300, all within 5 % of a standard deviation.
    """
    model = model_of(pair, formula)
    if not model.additive:
        raise RefusedError(
            "the regression in a guarded report has columns as they are: 'y ~ x1 + x2 + C(group)';"
            " leave functions and products out"
        )
    levels = [len(set(pair.original.levels[name])) - 1 for name in model.levels]
    terms = len(model.numbers) + sum(levels)
    if len(pair.original) < ROWS_PER_TERM * terms:
        raise RefusedError(
            f"the regression in a guarded report needs at least {ROWS_PER_TERM} rows for each term;"
            " leave terms out"
        )


def _histograms(
    desk: Desk, want: Wanted, copy: Copy
) -> tuple[tuple[Picture, ...], list[Callable[[str], None]]]:
    """Draw each column before and after, on the bins that the policy allows for the raw one."""
    pictures, gates = [], []
    for name in want.columns:
        try:
            asked = desk.settle("histogram", [name])
            view: HistogramView = desk.answer(asked, from_rows.histogram, from_counts.histogram)
        except RefusedError:  # what cannot be drawn is left out; the numbers say how it went
            continue
        inner = np.array(view.edges[1:-1])
        after = np.bincount(
            np.searchsorted(inner, copy.columns[name], side="right"), minlength=len(inner) + 1
        )
        width = np.diff(view.edges)
        before = [None if c is None else c / w for c, w in zip(view.counts, width, strict=True)]
        pictures.append(histogram_picture(name, view.edges, before, (after / width).tolist()))
        if view.gate is not None:
            gates.append(view.gate)
    return tuple(pictures), gates


def _all_of(
    own: Callable[[str], None], gates: Sequence[Callable[[str], None]]
) -> Callable[[str], None]:
    def gate(form: str) -> None:
        for each in (own, *gates):
            each(form)

    return gate


def _made_of(
    desk: Desk, want: Wanted, made: Made, copy: Copy, formula: str | None
) -> Mapping[str, Any]:
    """Say what was done, in the order in which it was."""
    asked, policy = want.asked, want.policy
    dropped = [name for name in want.strata if name not in made.levels]
    told: dict[str, Any] = {
        "method": asked.method,
        "promises": METHODS[asked.method].promises,
        "leaves open": METHODS[asked.method].leaves_open,
        "k": None if asked.method == "probabilistic" else asked.k,
        "q": asked.q or None,
        "metric": policy.metric if asked.method == "deterministic" else None,
        "columns": list(want.columns),
        "strata": list(made.levels),
        "strata left out": dropped or None,
        "sensitive": want.sensitive,
        "missing numbers": policy.missing,
        "missing levels": policy.missing_levels,
        "prepared": list(copy.remarks),
        "rows left out for missing values": copy.left_out or None,
        "formula": formula,
        "study": desk.name,
        "discreet": version("discreet"),
        "policy": policy.name,
        "regime": policy.regime,
        "public": policy.public,
        "protected copy": made.version,
    }
    return {name: value for name, value in told.items() if value is not None}
