"""Settings of the copy of a whole table, tried: risk by attack beside how near the copy is.

Copies are made for it as attacks make them, with secrets of their own: none of them is the study's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from discreet.arguments import check_word
from discreet.custodian.session import Session
from discreet.custodian.tables import KS, each_of, options_of, settings_of
from discreet.custodian.whole_table import side_of
from discreet.errors import InputError, RefusedError, one_of
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.notes import MEASURED, REPORT
from discreet.measure.attack_report import COPIES, HELD_OUT_OF
from discreet.measure.attacks import (
    Copy,
    Make,
    Records,
    Success,
    attack_secret,
    first_of,
    in_keyed_order,
    maker_of,
    rows_maker,
)
from discreet.measure.attacks_by_copies import membership
from discreet.measure.attacks_held_out import held_out, inference
from discreet.measure.attacks_on_copy import FAR, linkage
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.pairs import Side
from discreet.methods import Whole
from discreet.methods.copies import Levels
from discreet.methods.copies import Settings as CopySettings
from discreet.policy import PaperSettings
from discreet.policy.resolve import check_columns
from discreet.progress import advance
from discreet.vault.vault import raw_whole
from discreet.vault.whole_columns import RawWhole

TASK = "trying copies"
PER_K = (2, 4, 6)
"""So many times k people are tried in a leaf."""
RISKS = {
    "linkage": "records linked to the row drawn for them",
    "far linkage": "the five farthest records linked to the row drawn for them",
    "numbers": "numbers inferred correctly from the nearest row, beyond people held out",
    "levels": "levels inferred correctly from the nearest row, beyond people held out",
    "membership": "membership of a typical person (AUC)",
}
PAIRS = 50
"""So many pairs of copies are made of each of the people whose membership is looked for."""


def settings_of_whole(
    methods: Sequence[str] | None,
    k: Sequence[int] | None,
    m: Sequence[int] | None,
    q: Sequence[float] | None,
    left_out: Sequence[float] | None = None,
) -> tuple[Setting, ...]:
    """Return every setting of copies of the whole table, and of row methods that are named too."""
    names = (Whole.name,) if methods is None else tuple(methods)
    ks, ms = (None if it is None else each_of(what, it) for what, it in (("k", k), ("m", m)))
    shares = (None,) if left_out is None else each_of("left_out", left_out)
    out: list[Setting] = []
    for name in dict.fromkeys(names):
        if name != Whole.name:
            out += settings_of([name], k, q)
            continue
        for each in dict.fromkeys(KS if ks is None else ks):
            groups = [times * each for times in PER_K] if ms is None else dict.fromkeys(ms)
            sizes = [size for size in groups if size >= each]
            out += [
                Setting(name, k=each, m=size, left_out=share)
                for size in sizes
                for share in dict.fromkeys(shares)
            ]
    if q is not None and {*names} <= {Whole.name}:
        raise InputError(
            "q is of row methods with noise; name some: methods=['whole', 'probabilistic']"
        )
    if not out:
        raise InputError("a sweep needs at least one k, and one m that is at least k")
    return tuple(out)


@dataclass(frozen=True, eq=False, repr=False)
class _Tried:
    """What settings are tried on: the records, how copies are made, and what is measured."""

    session: Session
    records: Records
    settings: CopySettings
    risk: str
    loss: str

    def point(self, setting: Setting) -> Point:
        """Try one setting."""
        try:
            make = self._make(setting)
            few = COPIES if len(self.records) <= HELD_OUT_OF else 1
            copies = [make(self.records, attack_secret("copy", turn)) for turn in range(few)]
            loss = float(np.mean([self._loss(copy) for copy in copies]))
            if not math.isfinite(loss):
                raise RefusedError("a resample is exact here, so nothing is as near")
            return Point(setting, risk=self._risk(make, copies, setting), loss=loss)
        except (InputError, RefusedError) as error:  # their texts name columns, never cells
            return Point(setting, refused=str(error))

    def _make(self, setting: Setting) -> Make:
        if setting.method == Whole.name:
            if self.session.policy.fixed:  # it refuses what it may not have
                self.session.policy.changed(k=setting.k, m=setting.m, left_out=setting.left_out)
            k = self.settings.k if setting.k is None else setting.k
            left_out = self.settings.left_out if setting.left_out is None else setting.left_out
            members = Whole(k, setting.m).members
            settings = replace(self.settings, k=k, m=members, left_out=left_out)
            return maker_of(settings, self.session.table.unit is not None)
        own = PaperSettings(method=setting.method, q=setting.q)
        return rows_maker(own.row_method(setting.k or self.settings.k))

    def _loss(self, copy: Copy) -> float:
        found = fidelity(_mixed(self.records.table), _mixed(copy.table))
        return LOSSES[self.loss].of(found)

    def _risk(self, make: Make, copies: Sequence[Copy], setting: Setting) -> Success:
        if self.risk in ("numbers", "levels"):
            apart = held_out(first_of(self.records, HELD_OUT_OF), make)
            found = {it.name: it.found for it in inference(apart)}
            if (name := f"{self.risk} by rows") not in found:
                raise RefusedError(f"no column of {self.risk} is copied; choose another risk")
            return _gain(found[name])
        if self.risk == "membership":
            return membership(self.records, make, pairs=PAIRS, k=setting.k or COPIES).found
        far = FAR if self.risk == "far linkage" else None
        return linkage(self.records, copies, k=setting.k, far=far).found


def _gain(found: Success) -> Success:
    """Return by how much an attack beats its baseline, at least 0, as a share of its own."""
    low, share, high = (
        max(0.0, end - found.baseline) for end in (found.low, found.share, found.high)
    )
    return replace(found, low=low, share=share, high=high, baseline=0.0)


def _mixed(side: Side) -> Mixed:
    return Mixed(side.numbers, {name: Levels.of(texts) for name, texts in side.levels.items()})


def _pairs(found: Fidelity) -> float:
    if found.joint is None:
        raise RefusedError("one column has no pairs; choose another loss: 'columns'")
    return found.joint.ratio


def _coefficients(found: Fidelity) -> float:
    if found.coefficients is None:
        raise RefusedError("there are no two columns to regress on each other; choose another loss")
    return found.coefficients.distance


class _Loss(NamedTuple):
    words: str
    of: Callable[[Fidelity], float]


LOSSES: Mapping[str, _Loss] = {
    "pairs": _Loss("error of pairs of columns, relative to a resample", _pairs),
    "columns": _Loss("largest error of a column", lambda found: found.largest),
    "coefficients": _Loss("mean error of linear coefficients, in standard errors", _coefficients),
}


def sweep_whole(
    session: Session,
    settings: Sequence[Setting],
    columns: Sequence[str] | None,
    *,
    drop: Sequence[str],
    risk: str,
    loss: str,
) -> RiskUtilityMap:
    """Try settings on copies of a whole table, or of some of its columns."""
    for what, given, known in (("risk", risk, RISKS), ("loss", loss, LOSSES)):
        check_word(what, given, known)
    raw = _columns(session, columns, drop)
    names = [*raw.numbers, *raw.levels]
    records, _ = in_keyed_order(Records.of(side_of(raw.numbers, raw.levels), raw.persons))
    tried = _Tried(session, records, raw.settings, risk, loss)
    points = []
    for done, setting in enumerate(settings, start=1):
        points.append(tried.point(setting))
        advance(TASK, done, len(settings))
    named = () if columns is None and not drop else names
    return RiskUtilityMap(
        tuple(points),
        risk_name=RISKS[risk],
        loss_name=LOSSES[loss].words,
        guarded=session.policy.fixed,
        options=options_of(session, {"--columns": named}),
        note=f"copies of: {', '.join(names)}",
        sealer=session.sealer({REPORT: "sweep", "columns": names}, MEASURED),
    )


def _columns(session: Session, columns: Sequence[str] | None, drop: Sequence[str]) -> RawWhole:
    raw = raw_whole(session.table, session.policy, session.secret)
    check_columns(session.table, columns, drop)
    for name in columns or ():
        session.table.known(name)
    copied = [name for name in session.table.columns if name in {*raw.numbers, *raw.levels}]
    if lacking := [name for name in columns or () if name not in copied]:
        raise RefusedError(f"a copy has no column {one_of(lacking)}; leave it out")
    names = [name for name in (columns or copied) if name not in drop]
    if not names:
        raise InputError("a copy needs at least one column; drop fewer")
    settings = replace(
        raw.settings, sensitive=tuple(name for name in raw.settings.sensitive if name in names)
    )
    return replace(
        raw,
        numbers={name: values for name, values in raw.numbers.items() if name in names},
        levels={name: column for name, column in raw.levels.items() if name in names},
        settings=settings,
    )
