"""Many settings tried on one table, for the custodian to choose from: nothing of it leaves."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from discreet.arguments import check_ratio, check_whole, check_word
from discreet.errors import InputError, RefusedError, one_of
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.linkage import far_linkage, nearness, record_linkage
from discreet.measure.pairs import Estimate, Pair
from discreet.measure.utility import displacement, propensity
from discreet.policy import Policy
from discreet.progress import advance
from discreet.protect import ROW_METHODS, ROW_NAMES, named
from discreet.secret import FORMAT
from discreet.study.gate import listed
from discreet.study.session import Session
from discreet.study.tables import TableRequest, pair_of_made, pair_used, version_of
from discreet.vault import Noised, Prepared, make_copy, make_table, noised, prepared, raw_rows

__all__ = ["LOSSES", "RISKS", "setting_below", "settings_of", "sweep"]

T = TypeVar("T")
TASK = "trying settings"
KS = (3, 5, 10, 20)
QS = (0.1, 0.25, 0.5, 1.0)
SWEPT = tuple(name for name in ROW_METHODS if name != "rounding")  # `compare` is for roundings
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
    want: TableRequest
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
    ks = KS if k is None else _each("k", k)
    qs = QS if q is None else _each("q", q)
    if not names or not ks or not qs:
        raise InputError("a sweep needs at least one method, one k and one q")
    out = []
    for name in names:
        if ROW_METHODS[named(name)[0]].additive:
            out += [Setting(name, q=float(value)) for value in dict.fromkeys(qs)]
        else:
            out += [Setting(name, k=value) for value in dict.fromkeys(ks)]
    return tuple(out)


def _each(what: str, given: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"{what} of a sweep must be a list of numbers to try")
    for value in given:
        if what == "k":
            check_whole(what, value, least=1)
        else:
            check_ratio(what, value, zero=False)
    return tuple(given)


def setting_below(
    session: Session,
    want: TableRequest,
    risk: float,
    method: str | None,
    k: int | None,
    q: float | None,
) -> tuple[str, int | None, float | None]:
    """Find the setting of least loss whose risk is below one; what is given is not searched for."""
    tried = settings_of(_only(method), _only(k), _only(q))
    best = sweep(session, want, tried).least_loss(risk)
    return best.method, best.k, best.q


def _only(value: T | None) -> list[T] | None:
    """Return a chosen value as the one to try; None leaves the choice open."""
    return None if value is None else [value]


def sweep(
    session: Session,
    want: TableRequest,
    settings: Sequence[Setting],
    *,
    risk: str = "linkage",
    loss: str = "displacement",
) -> RiskUtilityMap:
    """Try settings on the rows of a table, on all cores."""
    for what, given, known in (("risk", risk, RISKS), ("loss", loss, LOSSES)):
        check_word(what, given, known)
    names = session.group_of(want.columns) if session.policy.from_copy else want.columns
    raw = raw_rows(
        session.table,
        want.policy,
        names,
        session.secret,
        strata=want.strata,
        carried=want.carried,
        format=session.format or FORMAT,
    )
    points: dict[Setting, Point] = {}
    ready: dict[int, Prepared] = {}
    jobs: list[_Job] = []
    for setting in settings:
        try:
            policy = want.policy.changed(rows=setting.method, k=setting.k, q=setting.q)
            if policy.k not in ready:  # strata are repaired once for each k
                ready[policy.k] = prepared(raw, policy, session.secret)
        except (InputError, RefusedError) as error:
            points[setting] = Point(setting, refused=str(error))
            continue
        version = version_of(session, raw, policy.row_method())
        rows = noised(ready[policy.k], session.secret, version)
        jobs.append(_Job(setting, policy, rows, want, risk, loss))
    for done, point in enumerate(_tried(jobs), start=1):
        points[point.setting] = point
        advance(TASK, done, len(jobs))
    return RiskUtilityMap(
        tuple(points[setting] for setting in settings),
        risk_name=RISKS[risk],
        loss_name=LOSSES[loss],
        guarded=session.policy.fixed,
        options=_options(session, want),
        note=f"columns: {', '.join(want.columns)}; strata: {', '.join(want.strata) or 'none'}",
    )


def _options(session: Session, want: TableRequest) -> str:
    """Return what the command line needs, beside the setting, to make the same table."""
    given = {
        "--groups" if session.policy.fixed else "--columns": want.columns,
        "--strata": want.strata,
        "--sensitive": [want.sensitive] if want.sensitive else [],
    }
    policy = [] if session.policy.name == "standard" else ["--policy", session.policy.name]
    words = [word for name, of in given.items() if of for word in (name, listed(of))]
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
        if job.policy.from_copy:
            made = make_copy(job.rows, job.policy)
        else:
            made = make_table(job.rows, job.policy, job.policy.row_method())
        seen = pair_of_made(made, job.want.columns).without(job.want.sensitive)
        used = pair_used(made, job.want.columns)
        return Point(job.setting, risk=_risk(seen, job.risk), loss=_loss(used, job.loss))
    except (InputError, RefusedError) as error:
        return Point(job.setting, refused=str(error))


def _risk(pair: Pair, name: str) -> Estimate:
    if name == "linkage":
        return record_linkage(pair)
    return far_linkage(pair) if name == "far linkage" else nearness(pair)[1]


def _loss(pair: Pair, name: str) -> float:
    if name == "propensity":
        return propensity(pair).u
    moved = displacement(pair)
    return sum(moved.values()) / len(moved)
