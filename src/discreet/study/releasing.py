"""From a study to a protected table: what is released, measured, and told of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.answers import from_counts, from_rows
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.measure.evaluate import Measured, measured
from discreet.measure.pairs import Pair, Side
from discreet.measure.pictures import Picture, histogram_picture
from discreet.measure.report import Report
from discreet.policy import Asked, Policy
from discreet.protect import METHODS, ROW_METHODS
from discreet.protect.base import Floats
from discreet.protect.counts import about
from discreet.release import Release, arrow_table, check_counts_again, native_frame
from discreet.study.desk import Desk
from discreet.vault import STRATUM_PER_K, Copy, Made, copy_of, make_table, prepared, raw_rows, said
from discreet.views import HistogramView

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Wanted", "make", "pair_of_made", "release", "wanted"]

# Widths at which the robust distance risks are drawn, as in Fig. 5 of the 2022 paper.
W1S = (0.01, 0.02, 0.05, 0.1, 0.2)
W2S = (0.01, 0.02, 0.05, 0.1, 0.2)
TABLE, REPORT = "table", "report"


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Which columns a table is to have, and what each is in it.

    `strata` are levels within whose combinations rows are protected; `sensitive` is a column that
    must stay unknown, and `carried` what travels along without being a stratum.
    """

    asked: Asked
    policy: Policy
    columns: tuple[str, ...]
    strata: tuple[str, ...]
    sensitive: str | None
    carried: tuple[str, ...]


def wanted(
    desk: Desk,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    method: str | None,
    numbers: Mapping[str, Any],
    prepare: Mapping[str, Any],
) -> Wanted:
    """Say what a released table will be made of, or refuse it."""
    table, guarded = desk.table, desk.policy.guarded
    table.require([*drop])
    policy = desk.policy.allowed(**prepare)
    sensitive = _sensitive(desk, sensitive)
    strata = _strata(desk, drop, sensitive)
    if guarded and sensitive is not None and sensitive not in strata:
        raise RefusedError(
            f"a guarded study releases rows of its protected copy, which holds a group and the"
            f" strata, and {sensitive!r} is none; open a study with it:"
            f" discreet.open(..., strata=[{sensitive!r}])"
        )
    taken = {*drop, *strata, *([sensitive] if sensitive else [])}
    names = tuple(columns) if columns is not None else _continuous(desk, taken)
    if not names:
        raise InputError("a released table needs at least one continuous column; name some")
    if both := taken & set(names):
        raise InputError(
            f"{one_of(sorted(both))} cannot be released as numbers: it is dropped, a stratum or"
            " sensitive"
        )
    if method is not None and method not in ROW_METHODS:
        raise InputError(
            f"a table cannot be made by method {method!r}; there are {one_of(ROW_METHODS)}"
        )
    # The rows of a table are those that a scatter plot would draw.
    asked = desk.settle("scatter", names, method=method or desk.policy.rows, **numbers)
    return Wanted(
        asked=dataclasses.replace(asked, picture=TABLE),
        policy=policy,
        columns=names,
        strata=strata,
        sensitive=sensitive,
        carried=() if guarded or sensitive is None else (sensitive,),
    )


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
    if risk_below is not None and not 0 < risk_below <= 1:
        raise InputError("risk_below is a share above 0 and at most 1, such as 0.05")
    made = make(desk, want)
    copy = _copy(desk, want, made)
    pair = pair_of_made(made, want.columns)
    strata = tuple(name for name in made.levels if name != want.sensitive)
    told = measured(
        pair,
        strata=strata,
        sensitive=want.sensitive if want.sensitive in pair.names else None,
        formula=formula,
        w1s=W1S,
        w2s=W2S,
        guard=want.asked.k if want.asked.guarded else None,
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


def _continuous(desk: Desk, taken: set[str]) -> tuple[str, ...]:
    """Return the columns that are released when none is named."""
    if desk.groups:
        if len(desk.groups) > 1:
            raise InputError(
                "this study has several groups, and a table holds the rows of one; name the"
                f" columns of one: columns={list(desk.groups[0])!r}"
            )
        names = [name for name in desk.table.columns if name in desk.groups[0]]
        return tuple(name for name in names if name not in taken)
    shown = desk.table.shown(
        [name for name in desk.table.columns if name not in taken], "continuous"
    )
    return tuple(name for name in shown if not desk.table.numbers_rows(name))


def _strata(desk: Desk, drop: Sequence[str], sensitive: str | None) -> tuple[str, ...]:
    """Return the strata: those declared; under `research` else every column of levels."""
    if desk.policy.strata or desk.policy.guarded:
        if set(drop) & set(desk.policy.strata):
            raise InputError("drop names a stratum; open a study without it: strata=")
        return tuple(
            name for name in desk.policy.strata if name != sensitive or desk.policy.guarded
        )
    names = [name for name in desk.table.columns if name not in drop and name != sensitive]
    return desk.table.shown(names, "categorical")


def _sensitive(desk: Desk, named: str | None) -> str | None:
    if named is not None:
        desk.table.require([named])
        return named
    roles = [name for name, column in desk.table.columns.items() if column.role == "sensitive"]
    if len(roles) > 1:
        raise InputError(f"several columns are sensitive; name one of {one_of(roles)}: sensitive=")
    return roles[0] if roles else None


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
        "policy": policy.name,
        "regime": policy.regime,
        "public": policy.public,
        "protected copy": made.version,
    }
    return {name: value for name, value in told.items() if value is not None}
