"""From a study to a protected table: how it is made, its report, and settings to choose from."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from discreet.arguments import check_ratio, check_whole, check_word
from discreet.columns.column import Copy
from discreet.columns.native import integer_columns
from discreet.custodian.gate import add_provenance, comma_list, way_of
from discreet.custodian.papers import Papers
from discreet.custodian.session import Session
from discreet.document import Picture
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.explore.notes import MEASURED, REPORT
from discreet.measure.evaluate import WIDTHS, Measured, measured
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.linkage import far_linkage, nearness, record_linkage
from discreet.measure.models import model_of
from discreet.measure.pairs import Estimate, Pair, Side, sample_size
from discreet.measure.report import Report, histogram_plot
from discreet.measure.utility import displacement, propensity
from discreet.methods import ROW_METHODS, ROW_NAMES, TABLE_METHODS, ColumnRounding, Rounding, named
from discreet.methods.base import RowMethod
from discreet.methods.counts import about
from discreet.papers.protected import Made, make_table, said
from discreet.papers.rows import Noised, Prepared, Raw, noised, prepared, raw_rows, strata_labels
from discreet.plots.histogram import HistogramPlot
from discreet.policy import PlotRequest, Policy, TableRequest
from discreet.policy.resolve import TABLE
from discreet.progress import advance
from discreet.provenance import Provenance, own_version
from discreet.register.rules import STRATA_OF_TABLE
from discreet.release import (
    Pieces,
    Points,
    Release,
    arrow_table,
    check_counts_again,
    in_declared_order,
)
from discreet.rounding import joint_set, k_of_c

if TYPE_CHECKING:
    import pyarrow as pa


def rounding_facts(request: TableRequest, points: Points | None, made: Made) -> Mapping[str, Any]:
    """Say how rounding points were found, where they were."""
    by = request.policy.row_method(request.how) if request.by is None else request.by
    if isinstance(by, ColumnRounding) and isinstance(points, tuple):
        facts: dict[str, Any] = {"rounding": by.method, "k": by.k, "c": by.c, "per column": True}
        facts |= {"representative": by.representative, "encoding": by.encoding}
        sets = []
        for found in points:
            known = {name: found.parameters.get(name) for name in ("k", "c", "b", "law")}
            of = ", ".join(f"{name} = {it}" for name, it in known.items() if it is not None)
            sets.append(f"{found.column}: {len(found.points)} points{f' ({of})' if of else ''}")
        return facts | {"points": sets}
    if not isinstance(by, Rounding):
        return {}
    facts = {"rounding": by.method, "c": by.c}
    strata = strata_labels(made.levels, len(made.original))
    share = by.share_by_regions(made.original, strata)
    if share is not None:
        tenths = round(10 * share)  # it is counted on raw rows
        facts["rows grouped by their regions"] = f"about {10 * tenths} of 100"
        facts["rows grouped by MDAV"] = f"about {100 - 10 * tenths} of 100"
    return facts


T = TypeVar("T")

ROWS_PER_TERM = 40
TINY = 1e-12
MOST_CODES = 10
"""A column of more different whole numbers than this is hardly one of codes."""


def make(session: Session, request: TableRequest) -> Made:
    """Protect the rows of a table; for the custodian, beside the raw ones."""
    policy = request.policy.changed(k=request.how.k)
    # By the study's own k, as in a sweep: the setting is the method's part of the version.
    raw = _raw(session, request)
    method = request.by or policy.row_method(request.how)
    rows = prepared(raw, policy, session.secret)
    return make_table(
        noised(rows, session.secret, version_of(session, raw, method)), policy, method
    )


def _raw(session: Session, request: TableRequest) -> Raw:
    return raw_rows(
        session.table,
        request.policy,
        request.columns,
        session.secret,
        strata=request.strata,
        carried=request.carried,
    )


def version_of(session: Session, raw: Raw, method: RowMethod) -> bytes:
    """Return the version of a table by a method: no two methods or numbers share their noise."""
    return session.secret.digest("table", raw.version, repr(method).encode())


def release(
    papers: Papers, request: TableRequest, formula: str | None, risk_below: float | None = None
) -> Release:
    """Make a released table with its report, and the gates of both."""
    session = papers.of
    made = make(session, request)
    copy = _copy(request, made)
    pair = pair_of_made(made, request.columns)
    provenance = _measured(request, made, pair, formula)
    _check_reached(request, provenance, pair.released.levels, risk_below)
    table = _table(session, request, made, copy)
    points = _points(session, request, made, table)
    # Bars of persons before and of rows after would stand side by side.
    plots, drawn = _histograms(papers, request, copy) if made.done.persons is None else ((), [])
    rests_on = (*request.columns, *made.levels, *request.carried)

    def leave(form: str | None, report: str | None, provenance: Provenance | None = None) -> None:
        """Record that the table is released, its report with a provenance, or both."""
        gate, records = session.release_gate, []
        way = way_of(session.policy, request.how, request.by)
        way[STRATA_OF_TABLE] = ", ".join(made.levels) or "none"
        if form is not None:
            records.append(gate.record(TABLE, rests_on, request.how, form, way))
        if report is not None:
            records += [gate.record(it.plot.name, it.named, it.how, report) for it in drawn]
            record = gate.record(REPORT, rests_on, request.how, report, way)
            records.append(add_provenance(record, provenance))  # last: what is noted is noted of it
        gate.release(records)

    how = {"formula": formula, "sensitive": request.sensitive}
    of_table, of_report = session.sealers_of_release(table.column_names, copy.version, **how)
    of = session.name or "a frame without a name"
    by_column = isinstance(request.by, ColumnRounding)
    report = Report(
        title=f"Each column of {of} rounded by itself" if by_column else f"Protected table of {of}",
        made=MappingProxyType(_facts(session, request, made, copy, formula, points)),
        measured=provenance,
        plots=plots,
        notes=_notes(request, made),
        gate=partial(leave, None),
        sealer=of_report,
    )
    framework, note = session.table.framework, session.release_gate.note
    rows = Pieces.of(table)
    return Release(rows, report, framework, leave, points, note=note, sealer=of_table)


def _measured(request: TableRequest, made: Made, pair: Pair, formula: str | None) -> Measured:
    shared_by = None  # by how many a row should be shared, where nothing promises that it is
    if isinstance(request.by, ColumnRounding):
        k, c = request.by.k, request.by.c
        of_c = k_of_c(len(made.original), c) if isinstance(c, int) else request.how.k
        shared_by = k if isinstance(k, int) else of_c
    return measured(
        pair,
        strata=tuple(name for name in made.levels if name != request.sensitive),
        sensitive=request.sensitive if request.sensitive in pair.names else None,
        formula=formula,
        w1s=WIDTHS,
        w2s=WIDTHS,
        shared_by=shared_by,
    )


def _table(session: Session, request: TableRequest, made: Made, copy: Copy) -> pa.Table:
    """Return the finished table, on which promises were counted again."""
    numbers = {name: copy.columns[name] for name in request.columns}
    whole = integer_columns({n: it for n, it in numbers.items() if n not in session.dates})
    table = arrow_table(numbers, copy.strata, session.table.columns, whole=whole)
    if made.levels:
        check_counts_again(table.select([*made.levels]), request.how.k)
    if TABLE_METHODS[request.how.method].shared_by_k:
        shared = [name for name in table.column_names if name not in request.carried]
        check_counts_again(table.select(shared), request.how.k)
    return in_declared_order(table, session.table.columns)


def _points(session: Session, request: TableRequest, made: Made, table: pa.Table) -> Points | None:
    if isinstance(request.by, ColumnRounding):
        places = [made.names.index(name) for name in request.columns]
        original, strata = made.original[:, places], strata_labels(made.levels, len(made.original))
        sets = request.by.sets(original, strata, list(request.columns))
        for j, name in enumerate(request.columns):
            moved = name in session.policy.bounds
            if not moved and not np.isin(made.released[:, places[j]], sets[j].points).all():
                raise BrokenPromiseError(
                    "a rounded column holds values that are none of its points; please report this"
                )
        return sets
    if not TABLE_METHODS[request.how.method].shared_by_k:
        return None
    return joint_set(request.columns, np.column_stack([table[name] for name in request.columns]))


def pair_of_made(made: Made, columns: Sequence[str]) -> Pair:
    """Return raw and protected rows of some columns as two tables to compare."""
    levels = MappingProxyType({**made.levels, **made.carried})
    original, released = (
        Side.of({name: of[:, made.names.index(name)] for name in columns}, levels)
        for of in (made.original, made.released)
    )
    return Pair(original, released, same_rows=True)


def _copy(request: TableRequest, made: Made) -> Copy:
    columns = dict(zip(made.names, made.released.T, strict=True))
    levels = {**made.levels, **made.carried}
    left_out = about(made.done.left_out, request.how.k)
    return Copy(columns, levels, made.version, left_out, said(made.done, request.how.k))


def _check_reached(
    request: TableRequest,
    measures: Measured,
    levels: Mapping[str, Sequence[str]],
    risk_below: float | None,
) -> None:
    """Refuse a table that does not reach what was required of it."""
    least, different = request.policy.of_papers.diversity, measures.l
    values = levels.get(request.sensitive or "", ())
    if values and not measures.strata:  # the whole table is one stratum
        different = len(set(values))
    if least > 1 and (different is None or different < least):
        raise RefusedError(
            "a stratum has fewer different sensitive values than diversity= asks for; merge strata"
            " by a hierarchy, or declare fewer of them"
        )
    linkage = measures.risks.get("linkage")
    if risk_below is not None and (linkage is None or linkage.share >= risk_below):
        raise RefusedError(
            "the share of records that are linked to their own released row is not below"
            " risk_below=; tune() shows which method and k reach it"
        )


def check_formula(pair: Pair, formula: str) -> None:
    """Refuse a regression on raw data whose estimates single people would move.

    A term such as 1 / ((x - 34.7)**2 + 0.00001) is one person's: fourteen of them in a formula gave
    the outcomes of 70 people of 300, all within 5 % of a standard deviation.
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
    papers: Papers, request: TableRequest, copy: Copy
) -> tuple[tuple[Picture, ...], list[PlotRequest]]:
    """Draw each column before and after, on the bins that the policy allows for the raw one."""
    plots, drawn = [], []
    for name in request.columns:
        try:
            settled = papers.settle(HistogramPlot(name))
            if settled.how.from_rows:  # it would draw the copy and call it the original
                continue
            view = papers.counted(settled)
        except RefusedError:  # what cannot be drawn is left out; the numbers say how it went
            continue
        inner = np.array(view.edges[1:-1])
        after = np.bincount(
            np.searchsorted(inner, copy.columns[name], side="right"), minlength=len(inner) + 1
        )
        width = np.diff(view.edges)
        before = [None if c is None else c / w for c, w in zip(view.counts, width, strict=True)]
        plots.append(histogram_plot(name, view.edges, before, (after / width).tolist()))
        drawn.append(settled)
    return tuple(plots), drawn


def _notes(request: TableRequest, made: Made) -> tuple[str, ...]:
    notes = []
    if made.done.persons is not None:
        notes.append(
            "Figures count rows; the chance that one of a person's rows is found may be up to 1 "
            "in k."
        )
    if isinstance(request.by, ColumnRounding):
        notes.append(
            "Made under the policy 'research': only for public or simulated data. Rows stand in "
            "the order of the data."
        )
    places = [made.names.index(name) for name in request.columns]
    codes = []
    for name, values in ((made.names[j], made.original[:, j]) for j in places):
        if (values == np.floor(values)).all() and len(np.unique(values)) <= MOST_CODES:
            codes.append(name)
    if codes:
        notes.append(
            "Columns of a few different whole numbers were released as numbers: "
            f"{', '.join(codes)}. If they are codes, declare them: kinds={{'column': "
            "'categorical'}, --kinds column=categorical."
        )
    return tuple(notes)


def _facts(
    session: Session,
    request: TableRequest,
    made: Made,
    copy: Copy,
    formula: str | None,
    points: Points | None,
) -> Mapping[str, Any]:
    """Say what was done, in the order in which it was."""
    how, own, method = request.how, request.policy.of_papers, TABLE_METHODS[request.how.method]
    dropped = [name for name in request.strata if name not in made.levels]
    used = {*request.columns, *request.strata, *request.carried}
    left_out = [name for name in session.table.columns if name not in used]
    facts: dict[str, Any] = {
        "method": how.method,
        "promises": method.promises,
        "does not protect": method.leaves_open,
        "k": None if method.by_noise else how.k,
        "q": how.q or None,
        **rounding_facts(request, points, made),
        "metric": own.metric if how.method == "deterministic" else None,
        "ties": own.ties if how.method == "deterministic" else None,
        "columns": list(request.columns),
        "strata": list(made.levels),
        "strata left out": dropped or None,
        "columns left out": left_out or None,
        "sensitive": request.sensitive,
        "missing numbers": own.missing,
        "missing levels": own.missing_levels,
        "prepared": list(copy.remarks),
        "rows left out for missing values": copy.left_out or None,
        "formula": formula,
        **study_facts(session, made.version),
    }
    return {name: value for name, value in facts.items() if value is not None}


def study_facts(session: Session, copy: str) -> dict[str, Any]:
    """Say of which study a table is, under which policy, and by which version of discreet."""
    policy = session.policy
    return {
        "study": session.name,
        "discreet": own_version(),
        "policy": policy.name,
        "regime": policy.regime,
        "public": policy.public,
        "protected copy": copy,
    }


# --- settings to choose from ----------------------------------------------------------------------

TASK = "trying settings"
KS = (3, 5, 10, 20)
QS = (0.1, 0.25, 0.5, 1.0)
# `compare` is for roundings; multiplied noise is for those who ask for it.
SWEPT = tuple(name for name in ROW_METHODS if name not in ("rounding", "multiplicative"))
WORTH_PROCESSES = 1_000_000
"""Processes of their own start in about a second: worth it for so many values to protect."""
RISKS = {
    "linkage": "records whose nearest released row is their own",
    "far linkage": "the five farthest records found by their nearest released row",
    "within 5 %": "records released within 5 % of a standard deviation of their true values",
}
LOSSES = {
    "displacement": "mean displacement of the columns (δ)",
    "propensity": "how well a model tells the tables apart (U)",
}


@dataclass(frozen=True, repr=False)
class _Job:
    """One setting to be tried, with all that a process of its own needs: no secret, no table."""

    setting: Setting
    policy: Policy
    rows: Noised
    request: TableRequest
    risk: str
    loss: str


def settings_of(
    methods: Sequence[str] | None, k: Sequence[int] | None, q: Sequence[float] | None
) -> tuple[Setting, ...]:
    """Return every setting of some methods, values of k and values of q."""
    names = tuple(SWEPT) if methods is None else tuple(methods)
    for name in names:
        if named(name)[0] not in ROW_METHODS:
            raise InputError(f"there is no row method {name!r}; there are {one_of(ROW_NAMES)}")
    ks = KS if k is None else each_of("k", k)
    qs = QS if q is None else each_of("q", q)
    if not names or not ks or not qs:
        raise InputError("a sweep needs at least one method, one k and one q")
    out = []
    for name in names:
        if ROW_METHODS[named(name)[0]].by_noise:
            out += [Setting(name, q=float(value)) for value in dict.fromkeys(qs)]
        else:
            out += [Setting(name, k=value) for value in dict.fromkeys(ks)]
    return tuple(out)


def each_of(what: str, given: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of k, m, q or left_out to try, or refuse what is no list of them."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"{what} of a sweep must be a list of numbers to try")
    for value in given:
        if what in ("k", "m"):
            check_whole(what, value, least=1)
        else:
            check_ratio(what, value, zero=False)
    return tuple(given)


def setting_below(
    papers: Papers,
    request: TableRequest,
    risk: float,
    method: str | None,
    k: int | None,
    q: float | None,
) -> tuple[str, int | None, float | None]:
    """Find the setting of least loss whose risk is below one; what is given is not searched for."""
    tried = settings_of(_only(method), _only(k), _only(q))
    best = sweep(papers, request, tried).least_loss(risk)
    return best.method, best.k, best.q


def _only(value: T | None) -> list[T] | None:
    return None if value is None else [value]


def sweep(
    papers: Papers,
    request: TableRequest,
    settings: Sequence[Setting],
    *,
    risk: str = "linkage",
    loss: str = "displacement",
) -> RiskUtilityMap:
    """Try settings on the rows of a table, on all cores."""
    for what, given, known in (("risk", risk, RISKS), ("loss", loss, LOSSES)):
        check_word(what, given, known)
    session = papers.of
    raw = _raw(session, request)
    named = {"--columns": request.columns, "--strata": request.strata}
    named["--sensitive"] = (request.sensitive,) if request.sensitive else ()
    points: dict[Setting, Point] = {}
    ready: dict[int, Prepared] = {}
    jobs: list[_Job] = []
    for setting in settings:
        try:
            own = {"method": setting.method, "q": setting.q}
            policy = request.policy.changed(k=setting.k, papers=own)
            if policy.k not in ready:  # strata are repaired once for each k
                ready[policy.k] = prepared(raw, policy, session.secret)
        except (InputError, RefusedError) as error:
            points[setting] = Point(setting, refused=str(error))
            continue
        version = version_of(session, raw, policy.row_method())
        rows = noised(ready[policy.k], session.secret, version)
        jobs.append(_Job(setting, policy, rows, request, risk, loss))
    for done, point in enumerate(_tried(jobs), start=1):
        points[point.setting] = point
        advance(TASK, done, len(jobs))
    return RiskUtilityMap(
        tuple(points[setting] for setting in settings),
        risk_name=RISKS[risk],
        loss_name=LOSSES[loss],
        options=options_of(session, named),
        note=f"columns: {', '.join(request.columns)};"
        f" strata: {', '.join(request.strata) or 'none'}",
        sealer=session.sealer({REPORT: "sweep", "columns": [*request.columns]}, MEASURED),
    )


def options_of(session: Session, given: Mapping[str, Sequence[str]]) -> str:
    """Return what the command line needs, beside the setting, to make the same table."""
    policy = [] if session.policy.name == "standard" else ["--policy", session.policy.name]
    words = [word for name, of in given.items() if of for word in (name, comma_list(of))]
    return "".join(f" {shlex.quote(word)}" for word in [*words, *policy])


def _tried(jobs: Sequence[_Job]) -> Iterator[Point]:
    """Try settings in processes of their own, where that is worth their start."""
    size = sum(job.rows.normals.size for job in jobs)
    if size < WORTH_PROCESSES or (os.cpu_count() or 1) == 1:
        yield from map(_point, jobs)
        return
    from joblib import Parallel, delayed

    # Without a limit large arrays would be written to a shared folder.
    work = Parallel(n_jobs=-1, max_nbytes=None, return_as="generator_unordered")
    yield from work(delayed(_point)(job) for job in jobs)


def _point(job: _Job) -> Point:
    try:
        made = make_table(job.rows, job.policy, job.policy.row_method())
        pair = pair_of_made(made, job.request.columns)
        seen = pair.without(job.request.sensitive)
        return Point(job.setting, risk=_risk(seen, job.risk), loss=_loss(pair, job.loss))
    except (InputError, RefusedError) as error:
        return Point(job.setting, refused=str(error))


def _risk(pair: Pair, name: str) -> Estimate:
    if name == "linkage":
        return record_linkage(pair, sample=sample_size(pair))
    return far_linkage(pair) if name == "far linkage" else nearness(pair)[1]


def _loss(pair: Pair, name: str) -> float:
    if name == "propensity":
        return propensity(pair).u
    moved = displacement(pair)
    return sum(moved.values()) / len(moved)
