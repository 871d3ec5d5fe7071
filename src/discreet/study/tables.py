"""From a study to a protected table: what it is made of, how it is made, and its report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Floats, check_ratio, check_whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.measure.evaluate import COUNT_STEPS, FAR_GUARDED, WIDTHS, Measured, measured
from discreet.measure.models import model_of
from discreet.measure.pairs import Pair, Side
from discreet.measure.report import Plot, Report, histogram_plot
from discreet.plots import histogram
from discreet.plots.scatter import SCATTER
from discreet.policy import PlotRequest, Policy
from discreet.protect import ROW_METHODS, ROW_NAMES, TABLE_METHODS, ColumnRounding, Rounding, named
from discreet.protect.base import RowMethod
from discreet.protect.counts import about
from discreet.release import Points, Release, arrow_table, check_counts_again, native_frame
from discreet.rounding import RoundingSet, joint_set, k_of_c, known_method
from discreet.secret import FORMAT
from discreet.study.gate import Exit
from discreet.study.session import Session
from discreet.vault import (
    STRATUM_PER_K,
    Copy,
    Made,
    Raw,
    copy_of,
    make_table,
    noised,
    prepared,
    raw_rows,
    said,
    strata_labels,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "RoundingRequest",
    "TableRequest",
    "check_share",
    "pair_of_made",
    "pair_used",
    "release",
    "rounded_request",
    "table_request",
    "version_of",
]

TABLE = "table"
PREPARE = (
    *("metric", "missing", "missing_levels", "hierarchies", "ordered", "most_suppressed"),
    *("diversity", "closeness"),
)
"""What of a policy decides how rows are prepared."""


@dataclasses.dataclass(frozen=True)
class TableRequest:
    """Which columns a table is to have, and what each is in it.

    `strata` are levels within whose combinations rows are protected; `sensitive` is a column that
    must stay unknown, and `carried` what travels along without being a stratum. `by` is the
    method where it is not one of the policy's.
    """

    asked: PlotRequest
    policy: Policy
    columns: tuple[str, ...]
    strata: tuple[str, ...]
    sensitive: str | None
    carried: tuple[str, ...]
    by: Rounding | ColumnRounding | None = None


def table_request(
    session: Session,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    method: str | None,
    numbers: Mapping[str, Any],
    prepare: Mapping[str, Any],
) -> TableRequest:
    """Say what a released table will be made of, or refuse it."""
    table, from_copy = session.table, session.policy.from_copy
    for what, names in (("columns", columns), ("drop", drop)):
        _check_names(what, names)
    if unknown := prepare.keys() - PREPARE:
        raise InputError(f"{one_of(sorted(unknown))} is unknown; there are {one_of(PREPARE)}")
    for name in drop:
        table.known(name)  # a column that identifies persons may be named to be dropped
    policy = session.policy.allowed(**prepare)
    sensitive = _sensitive(session, sensitive)
    if sensitive is None and (policy.diversity > 1 or policy.closeness < 1):
        raise InputError("diversity and closeness are of a sensitive column; name it: sensitive=")
    strata = _strata(session, drop, sensitive)
    if from_copy and sensitive is not None and sensitive not in strata:
        raise RefusedError(
            f"a guarded study releases rows of its protected copy, which holds a group and the"
            f" strata, and {sensitive!r} is none; the custodian can open a study with it:"
            f" discreet.open(..., strata=[{sensitive!r}])"
        )
    taken = {*drop, *strata, *([sensitive] if sensitive else [])}
    names = tuple(columns) if columns is not None else _continuous(session, taken)
    if not names:
        raise InputError("a released table needs at least one continuous column; name some")
    if both := taken & set(names):
        raise InputError(
            f"{one_of(sorted(both))} cannot be released as numbers: it is dropped, a stratum or"
            " sensitive"
        )
    used = _method(session, method, numbers)
    # The rows of a table are those that a scatter plot would draw.
    asked = session.settle(SCATTER.name, names, method=used, **numbers)
    return TableRequest(
        asked=dataclasses.replace(asked, plot=TABLE),
        policy=policy,
        columns=names,
        strata=strata,
        sensitive=sensitive,
        carried=() if from_copy or sensitive is None else (sensitive,),
    )


def _method(session: Session, method: str | None, numbers: Mapping[str, Any]) -> str:
    if method is not None and named(method)[0] not in ROW_METHODS:
        raise InputError(
            f"a table cannot be made by method {method!r}; there are {one_of(ROW_NAMES)}"
        )
    used = method or session.policy.rows
    unused = numbers.get("q") is not None and not ROW_METHODS[named(used)[0]].additive
    if unused and not session.policy.fixed:
        raise InputError(f"a table by {used!r} has no use for q=; leave it out")
    return used


def check_share(risk_below: object) -> None:
    """Refuse what is no share."""
    if risk_below is not None and check_ratio("risk_below", risk_below, zero=False) > 1:
        raise InputError("risk_below is a share above 0 and at most 1, such as 0.05")


def _check_names(what: str, names: object) -> None:
    """Refuse what is no list of names; a text would be read letter by letter."""
    if names is None and what == "columns":
        return
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"{what} must be a list of column names, such as ['age', 'bmi']")


def _continuous(session: Session, taken: set[str]) -> tuple[str, ...]:
    """Return the columns that are released when none is named."""
    if session.groups:
        if len(session.groups) > 1:
            raise InputError(
                "this study has several groups, and a table holds the rows of one; name the"
                f" columns of one: columns={list(session.groups[0])!r}"
            )
        names = [name for name in session.table.columns if name in session.groups[0]]
        return tuple(name for name in names if name not in taken)
    shown = session.table.shown(
        [name for name in session.table.columns if name not in taken], "continuous"
    )
    return tuple(name for name in shown if not session.table.numbers_rows(name))


def _strata(session: Session, drop: Sequence[str], sensitive: str | None) -> tuple[str, ...]:
    """Return the strata: those declared; under `research` else every column of levels."""
    if session.policy.strata or session.policy.from_copy:
        if set(drop) & set(session.policy.strata):
            raise InputError(
                "drop names a stratum; the custodian can open a study without it: strata="
            )
        return tuple(
            name for name in session.policy.strata if name != sensitive or session.policy.from_copy
        )
    names = [name for name in session.table.columns if name not in drop and name != sensitive]
    return session.table.shown(names, "categorical")


def _sensitive(session: Session, named: str | None) -> str | None:
    if named is not None:
        session.table.require([named])
        return named
    roles = [name for name, column in session.table.columns.items() if column.role == "sensitive"]
    if len(roles) > 1:
        raise InputError(f"several columns are sensitive; name one of {one_of(roles)}: sensitive=")
    return roles[0] if roles else None


@dataclass(frozen=True)
class RoundingRequest:
    """How somebody asked a table to be rounded; None leaves it to the policy."""

    method: str | None = None
    k: int | str | None = None
    c: int | str | None = None
    per_column: bool = False
    representative: str | None = None
    encoding: str | None = None


def rounded_request(
    session: Session,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    how: RoundingRequest,
    prepare: Mapping[str, Any],
) -> TableRequest:
    """Say what a rounded table will be made of, or refuse it."""
    name = None if how.method is None else known_method(how.method).name
    if not how.per_column and (how.representative, how.encoding) != (None, None):
        raise InputError(
            "representative and encoding are of columns rounded by themselves; rows rounded"
            " jointly become the mean of their group: leave them out, or ask per column"
        )
    if not how.per_column:
        check_numbers(how)
    if session.policy.from_copy:
        how = dataclasses.replace(how, method=name)
        return _of_copy(session, columns, drop, sensitive, how, prepare)
    k = None if how.k is None or isinstance(how.k, str) else check_whole("k", how.k, least=1)
    want = table_request(session, columns, drop, sensitive, "rounding", {"k": k}, prepare)
    name = name or session.policy.rounding
    c = how.c
    if c is None and name == session.policy.rounding and not (how.per_column and how.k is not None):
        c = session.policy.c  # of the policy's own way to round alone
    if not how.per_column:
        joint = Rounding(name, want.asked.k, None if isinstance(c, str) else c)
        return dataclasses.replace(want, by=joint)
    usual = want.asked.k if c is None and known_method(name).parameter else None
    by = ColumnRounding(
        method=name,
        k=usual if how.k is None else how.k,
        c=c,
        representative="mean" if how.representative is None else how.representative,
        encoding="region" if how.encoding is None else how.encoding,
    )
    asked = dataclasses.replace(want.asked, method=by.name)
    return dataclasses.replace(want, asked=asked, by=by)


def check_numbers(how: RoundingRequest) -> None:
    """Refuse a rule that chooses numbers column by column where rows are rounded jointly.

    Raises
    ------
    InputError
        If k or c is a word.
    """
    for name, given in (("k", how.k), ("c", how.c)):
        if isinstance(given, str):
            raise InputError(
                f"{name} must be a whole number where rows are rounded jointly; a rule chooses it"
                " for columns rounded by themselves: per_column (--per-column)"
            )


def _of_copy(
    session: Session,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    how: RoundingRequest,
    prepare: Mapping[str, Any],
) -> TableRequest:
    """Say what the rounded table of a guarded study is: its protected copy."""
    policy = session.policy
    if how.per_column:
        raise RefusedError(
            "columns rounded one at a time do not hide rows: it is for arrays, and for public or"
            " simulated data under the policy 'research' (--policy research); leave per_column"
            " out to round rows jointly"
        )
    if not ROW_METHODS[policy.rows].shared_by_k:
        raise RefusedError(
            f"the protected copy of this study is made by {policy.rows!r}; to round, the custodian"
            " can open a study with it: discreet.open(..., rows='rounding'), or rows ="
            ' "rounding" in its policy file'
        )
    if ROW_METHODS[policy.rows].declared:
        policy.allowed(rounding=how.method, c=how.c)
    elif how.method not in (None, "mdav") or how.c is not None:
        raise RefusedError(
            "the protected copy of this study is made by microaggregation ('mdav'); for another"
            " rounding the custodian can open a study with it: policy.changed(rows='rounding',"
            " rounding=...)"
        )
    return table_request(session, columns, drop, sensitive, policy.rows, {"k": how.k}, prepare)


def shared_by(want: TableRequest, n: int) -> int | None:
    """Return by how many a row should be shared, if nothing promises that it is."""
    if not isinstance(want.by, ColumnRounding):
        return None
    by = want.by
    if isinstance(by.k, int):
        return by.k
    return k_of_c(n, by.c) if isinstance(by.c, int) else want.asked.k


def rounding_told(want: TableRequest, points: Points | None, made: Made) -> Mapping[str, Any]:
    """Say how rounding points were found, where they were."""
    by = want.policy.row_method(want.asked) if want.by is None else want.by
    if isinstance(by, ColumnRounding) and isinstance(points, tuple):
        told: dict[str, Any] = {"rounding": by.method, "k": by.k, "c": by.c, "per column": True}
        told |= {"representative": by.representative, "encoding": by.encoding}
        return told | {"points": [_set_in_words(found) for found in points]}
    if not isinstance(by, Rounding):
        return {}
    told = {"rounding": by.method, "c": by.c}
    strata = strata_labels(made.levels, len(made.trimmed))
    share = by.share_by_regions(made.trimmed, strata)
    if share is not None:
        tenths = round(10 * share)  # it is counted on raw rows
        told["rows grouped by their regions"] = f"about {10 * tenths} of 100"
        told["rows grouped by MDAV"] = f"about {100 - 10 * tenths} of 100"
    return told


def _set_in_words(found: RoundingSet) -> str:
    """Say how many points a column has, and by which numbers they were found."""
    known = {name: found.parameters.get(name) for name in ("k", "c", "b", "law")}
    by = ", ".join(f"{name} = {value}" for name, value in known.items() if value is not None)
    return f"{found.column}: {len(found.points)} points{f' ({by})' if by else ''}"


REPORT = "report"
ROWS_PER_TERM = 40
TINY = 1e-12
MOST_CODES = 10
"""A column of more different whole numbers than this is hardly one of codes."""


def make(session: Session, want: TableRequest) -> Made:
    """Protect the rows of a table; for the custodian, beside the raw ones."""
    if session.policy.from_copy:
        return session.made(want.columns)
    policy = want.policy.changed(k=want.asked.k)
    # By the study's own k, as in a sweep: the setting is the method's part of the version.
    raw = raw_rows(
        session.table,
        want.policy,
        want.columns,
        session.secret,
        strata=want.strata,
        carried=want.carried,
        format=session.format or FORMAT,
    )
    method = want.by or policy.row_method(want.asked)
    rows = prepared(raw, policy, session.secret)
    return make_table(
        noised(rows, session.secret, version_of(session, raw, method)), policy, method
    )


def version_of(session: Session, raw: Raw, method: RowMethod) -> bytes:
    """Return the version of a table by a method: no two methods or numbers share their noise."""
    return session.secret.digest("table", raw.version, repr(method).encode())


def release(
    session: Session, want: TableRequest, formula: str | None, risk_below: float | None = None
) -> Release:
    """Make a released table with its report, and the gates that both leave by."""
    made = make(session, want)
    copy = _copy(session, want, made)
    pair = pair_of_made(made, want.columns)
    if formula is not None and want.policy.from_copy:
        _check_formula(pair, formula)
    told = _measured(want, made, pair, formula)
    _check_asked_for(want, told, pair.released.levels, risk_below)
    table = _table(session, want, made, copy)
    points = _points(session, want, made, table)
    # Bars of persons before and of rows after would stand side by side.
    plots, drawn = _histograms(session, want, copy) if made.done.persons is None else ((), [])
    rests_on = (*made.levels, *want.carried)
    group = tuple(sorted(made.names)) if want.policy.from_copy else ()
    told_of = dataclasses.replace(want.asked, plot=REPORT)
    exits = [Exit(told_of, group, rests_on, _pinned(want, made, formula), made.format), *drawn]

    def leave(form: str, report: str | None) -> None:
        """Let the table leave, and its report if that leaves too."""
        with_it = [(each, report) for each in exits if report is not None]
        own = Exit(want.asked, group, rests_on, format=made.format)
        session.release_gate.leave_together([(own, form), *with_it])

    report = Report(
        title=_title(session, want),
        made=MappingProxyType(_made_of(session, want, made, copy, formula, points)),
        measured=told,
        plots=plots,
        notes=_notes(want, made),
        gate=lambda form: session.release_gate.leave_together([(each, form) for each in exits]),
    )
    if want.policy.from_copy:
        session.groups = session.groups or (made.names,)
    frame = native_frame(table, session.table.framework)
    return Release(frame, report, table, leave, points)


def _measured(want: TableRequest, made: Made, pair: Pair, formula: str | None) -> Measured:
    """Measure risk and use, as far as a report may say them."""
    exact = want.asked.shows_exact
    told = measured(
        pair,
        strata=tuple(name for name in made.levels if name != want.sensitive),
        sensitive=want.sensitive if want.sensitive in pair.names else None,
        formula=formula,
        w1s=WIDTHS,
        w2s=WIDTHS,
        far=None if exact else max(FAR_GUARDED, COUNT_STEPS * want.asked.round_to),
        guard=None if exact else want.asked.k,
        used=pair_used(made, want.columns),
        shared_by=shared_by(want, len(made.original)),
    )
    # Rounded before it decides: a refusal tells, too.
    return told if exact else told.rounded(want.asked.round_to)


def _table(session: Session, want: TableRequest, made: Made, copy: Copy) -> pa.Table:
    """Return the finished table, on which promises were counted again."""
    numbers = {name: copy.columns[name] for name in want.columns}
    table = arrow_table(numbers, copy.strata, session.table.columns)
    if want.policy.from_copy:
        # Once more: the copy is sorted by all its columns, and this may hold a few.
        table = table.sort_by([(name, "ascending") for name in table.column_names])
    if made.levels:
        least = (STRATUM_PER_K if want.policy.from_copy else 1) * want.asked.k
        check_counts_again(table.select([*made.levels]), least)
    if TABLE_METHODS[want.asked.method].shared_by_k:
        shared = [name for name in table.column_names if name not in want.carried]
        check_counts_again(table.select(shared), want.asked.k)
    return table


def _points(session: Session, want: TableRequest, made: Made, table: pa.Table) -> Points | None:
    """Return the rounding points: of each column by itself, or the different released rows."""
    if isinstance(want.by, ColumnRounding):
        places = [made.names.index(name) for name in want.columns]
        original, strata = made.original[:, places], strata_labels(made.levels, len(made.original))
        sets = want.by.sets(original, strata, list(want.columns))
        for j, name in enumerate(want.columns):
            moved = name in session.policy.bounds
            if not moved and not np.isin(made.released[:, places[j]], sets[j].points).all():
                raise BrokenPromiseError(
                    "a rounded column holds values that are none of its points; please report this"
                )
        return sets
    if not TABLE_METHODS[want.asked.method].shared_by_k:
        return None
    return joint_set(want.columns, np.column_stack([table[name] for name in want.columns]))


def pair_of_made(made: Made, columns: Sequence[str]) -> Pair:
    """Return the raw and the protected rows of some columns as two tables to compare."""
    places = [made.names.index(name) for name in columns]
    levels = MappingProxyType({**made.levels, **made.carried})

    def side(values: Floats) -> Side:
        return Side(MappingProxyType({made.names[j]: values[:, j] for j in places}), levels)

    return Pair(side(made.original), side(made.released), same_rows=True)


def pair_used(made: Made, columns: Sequence[str]) -> Pair:
    """Return the two tables that utility is measured on: outliers drawn in, where they were."""
    return pair_of_made(dataclasses.replace(made, original=made.trimmed), columns)


def _title(session: Session, want: TableRequest) -> str:
    of = session.name or "a frame without a name"
    if isinstance(want.by, ColumnRounding):
        return f"Each column of {of} rounded by itself"
    return f"Protected table of {of}"


def _copy(session: Session, want: TableRequest, made: Made) -> Copy:
    """Return the rows as they are released: the protected copy itself, if the study has one."""
    if not want.policy.from_copy:
        columns = dict(zip(made.names, made.released.T, strict=True))
        levels = {**made.levels, **made.carried}
        left_out = about(made.done.left_out, want.asked.k)
        remarks = said(made, want.asked.k)
        return Copy(columns, levels, made.version, left_out, remarks, made.format)
    copy, again = session.copy(want.columns), copy_of(made, want.asked.k)
    same = all(np.array_equal(copy.columns[name], again.columns[name]) for name in made.names)
    if not same or (copy.strata, copy.version) != (again.strata, again.version):
        raise BrokenPromiseError(
            "the protected copy that was kept is not the one that is made of these data; please"
            " report this"
        )
    return copy


def _check_asked_for(
    want: TableRequest,
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
            "a stratum has fewer different sensitive values than diversity= asks for; merge strata"
            " by a hierarchy, or declare fewer of them"
        )
    # Of rows that carry the column, the repair has seen to it, beside those it left out.
    reached = far is not None and far <= policy.closeness + TINY
    if want.policy.from_copy and policy.closeness < 1 and not reached:
        raise RefusedError(
            "the sensitive values of a stratum are farther from those of all rows than closeness="
            " allows; merge strata by a hierarchy, or declare fewer of them"
        )
    linkage = told.risks.get("linkage")
    if risk_below is not None and (linkage is None or linkage.share >= risk_below):
        raise RefusedError(
            "the share of records that are linked to their own released row is not below"
            " risk_below=; study.sweep() shows which method and k reach it, and"
            " the custodian can open a study with them"
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
    session: Session, want: TableRequest, copy: Copy
) -> tuple[tuple[Plot, ...], list[Exit]]:
    """Draw each column before and after, on the bins that the policy allows for the raw one."""
    plots, exits = [], []
    for name in want.columns:
        try:
            asked = session.settle(histogram.HISTOGRAM.name, [name])
            if asked.from_rows:  # it would draw the copy and call it the original
                continue
            view = session.counted(asked, histogram.from_counts)
        except RefusedError:  # what cannot be drawn is left out; the numbers say how it went
            continue
        inner = np.array(view.edges[1:-1])
        after = np.bincount(
            np.searchsorted(inner, copy.columns[name], side="right"), minlength=len(inner) + 1
        )
        width = np.diff(view.edges)
        before = [None if c is None else c / w for c, w in zip(view.counts, width, strict=True)]
        plots.append(histogram_plot(name, view.edges, before, (after / width).tolist()))
        exits.append(Exit(asked))
    return tuple(plots), exits


def _notes(want: TableRequest, made: Made) -> tuple[str, ...]:
    """Say what the reader of a report may not expect."""
    notes = []
    if want.policy.from_copy:
        notes.append(
            "Utility is measured against the data with outliers drawn in and gaps filled; beside"
            " the file itself the spread of a column with outliers is smaller than shown here."
        )
    if made.done.persons is not None:
        notes.append("Numbers are of rows; some row of a person is found up to once in k.")
    if isinstance(want.by, ColumnRounding):
        notes.append(
            "Made under the policy 'research': for public or simulated data alone. Rows stand in"
            " the order of the data."
        )
    places = [made.names.index(name) for name in want.columns]
    codes = [made.names[j] for j in places if _few_whole(made.original[:, j])]
    if codes:
        notes.append(
            f"Columns of few different whole numbers were released as numbers: {', '.join(codes)}."
            " If they are codes, declare them: kinds={'column': 'categorical'},"
            " --kinds column=categorical."
        )
    return tuple(notes)


def _few_whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all()) and len(np.unique(values)) <= MOST_CODES


def _pinned(want: TableRequest, made: Made, formula: str | None) -> dict[str, str]:
    """Return what reports on one group have in common: two of them tell more than one."""
    if not want.policy.from_copy:
        return {}
    group = one_of(made.names)
    told = {f"columns of the report of {group}": json.dumps([*want.columns, want.sensitive])}
    return told | ({} if formula is None else {f"formula of the report of {group}": formula})


def _made_of(
    session: Session,
    want: TableRequest,
    made: Made,
    copy: Copy,
    formula: str | None,
    points: Points | None,
) -> Mapping[str, Any]:
    """Say what was done, in the order in which it was."""
    asked, policy, method = want.asked, want.policy, TABLE_METHODS[want.asked.method]
    dropped = [name for name in want.strata if name not in made.levels]
    held = {*want.columns, *want.strata, *want.carried}
    left_out = [name for name in session.table.columns if name not in held]
    told: dict[str, Any] = {
        "method": asked.method,
        "promises": method.promises,
        "does not protect": method.leaves_open,
        "k": None if method.additive else asked.k,
        "q": asked.q or None,
        **rounding_told(want, points, made),
        "metric": policy.metric if asked.method == "deterministic" else None,
        "columns": list(want.columns),
        "strata": list(made.levels),
        "strata left out": dropped or None,
        "columns left out": left_out or None,
        "sensitive": want.sensitive,
        "missing numbers": policy.missing,
        "missing levels": policy.missing_levels,
        "prepared": list(copy.remarks),
        "rows left out for missing values": copy.left_out or None,
        "formula": formula,
        "study": session.name,
        "discreet": version("discreet"),
        "policy": policy.name,
        "regime": policy.regime,
        "public": policy.public,
        "protected copy": made.version,
    }
    return {name: value for name, value in told.items() if value is not None}
