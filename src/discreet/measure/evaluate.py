"""Everything that is measured on one pair of tables, and how much of it may be told.

An exact mean, coefficient or displacement of the raw data is an exact answer to an exact question:
two of them, of tables that differ by one person, give that person's values (n times the mean less
n - 1 times the other mean). So what is told of raw data beside an exact release is rounded to a
step that one person of many hardly moves. What is counted on the released table alone is exact:
whoever has the table can count it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError, one_of
from discreet.measure.anonymity import (
    Known,
    anonymity,
    attribute_disclosure,
    closeness,
    diversity,
    shared_by_fewer,
    uniqueness,
    uniqueness_of_every,
)
from discreet.measure.linkage import interval_risk, linkages, nearness
from discreet.measure.models import Coefficients, coefficient_difference
from discreet.measure.pairs import Estimate, Pair, sample_size
from discreet.measure.rmd import RmdGrid, rmd_grid
from discreet.measure.utility import (
    Preservation,
    Propensity,
    displacement,
    preservation,
    propensity,
)
from discreet.methods import OrderMeans
from discreet.methods.values import nice_step, stepped
from discreet.progress import advance

WIDTHS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Where a report tells the robust distance risks, as Fig. 5 of the 2022 paper does."""

ON_RELEASED = ("unique_rows", "below_k", "unique_strata", "attribute_disclosure")
"""The risks that are counted on the released table alone: whoever has it can count them again."""
RISKS = (
    *("linkage", "far_linkage", "records", "near_1", "near_5", "interval", "rmd1", "rmd2"),
    *ON_RELEASED,
)
"""The keys of the risks, in the order they are told in."""
TOLD = (
    *("columns", "levels", "strata", "sensitive", "rounded_to", "left_out", "risks"),
    *("combinations", "k", "l", "t", "displacement", "u", "ratio", "scores", "preservation"),
    *("model", "grid", "not_measured"),
)
"""What `Measured` says of itself as plain values, in this order."""
TASK = "measures"
TOO_FEW = "it rests on too few records to be shown rounded"

UNIQUE_ROWS = "released rows that differ from every other released row"
UNIQUE_STRATA = "released rows that are alone in their stratum"
FAR, FAR_GUARDED = 5, 20
W1, W2 = 0.01, 0.05  # of the paper and of sdcMicro
STEPS = 12

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, repr=False)
class Measured:
    """What was measured on a pair of tables; of what could not be measured, None or nothing."""

    columns: tuple[str, ...]
    levels: tuple[str, ...] = ()
    risks: Mapping[str, Estimate]  # by the keys of RISKS
    strata: tuple[str, ...] = ()  # the columns whose combinations are counted
    sensitive: str | None = None  # the column that is to stay unknown
    k: int | None = None  # rows in the smallest stratum of the released table
    l: int | None = None  # noqa: E741 - it is called so: the fewest sensitive values in a stratum
    t: float | None = None  # the farthest that those of a stratum are from those of the table
    displacement: Mapping[str, float] = field(default_factory=dict)
    u: float | None = None  # how well a model tells the tables apart, from 0 to 1/4
    ratio: float | None = None  # of u to what a fresh sample would give
    scores: Scores | None = None
    preservation: Preservation | None = None
    model: Coefficients | None = None
    grid: RmdGrid | None = None
    combinations: tuple[Known, ...] = ()  # every one to three of the strata
    not_measured: Mapping[str, str] = field(default_factory=dict)  # and why
    left_out: int = 0  # rows, for a missing number
    rounded_to: int | None = None  # counts are multiples of it; exact where None

    def __repr__(self) -> str:
        return f"Measured({', '.join([*self.columns, *self.levels])})"

    def __reduce__(self) -> tuple[Callable[[], Measured], tuple[()]]:
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, value in given.items():  # a read-only mapping cannot be pickled
            if isinstance(value, Preservation):
                parts = {item.name: dict(getattr(value, item.name)) for item in fields(value)}
                given[name] = Preservation(**parts)
            elif isinstance(value, Mapping):
                given[name] = dict(value)
        return partial(Measured, **given), ()

    def rounded(self, to: int) -> Measured:
        """Return what may be told of raw data beside an exact release.

        Counts become multiples of `to`, at least 1, and other numbers lose the digits that single
        people move. What rests on too few records for that is left out and named in `not_measured`;
        so are scores that are single rows'.
        """
        if to < 1:
            raise InputError("counts are rounded to multiples of a whole number of at least 1")
        missing = dict(self.not_measured)
        grid = None
        if self.grid is not None:
            known, *rows = (
                tuple(coarse for one in row if (coarse := coarse_estimate(one, to)) is not None)
                for row in (self.grid.risk1, *self.grid.risk2)
            )
            if known:  # all are of as many trials
                grid = replace(self.grid, risk1=known, risk2=tuple(rows))
            else:
                missing["grid"] = TOO_FEW
        risks = {}
        for key, risk in self.risks.items():
            coarse = risk if key in ON_RELEASED else coarse_estimate(risk, to)
            if coarse is None:
                missing[key] = TOO_FEW
            else:
                risks[key] = coarse
        scores = None
        if self.scores is not None and self.scores.k is not None:
            original, released, k = self.scores
            scores = Scores(coarse_box(original), coarse_box(released), k)
        elif self.scores is not None:
            missing["scores"] = "its numbers are those of single rows"
        return replace(
            self,
            risks=MappingProxyType(risks),
            displacement=to_step(self.displacement, MOVED_STEP),
            u=None if self.u is None else to_step(self.u, U_STEP),
            ratio=None,  # of U, and as telling
            scores=scores,
            preservation=self.preservation and coarse_preservation(self.preservation),
            model=self.model and coarse_model(self.model),
            grid=grid,
            not_measured=MappingProxyType(missing),
            left_out=to * round(self.left_out / to),
            rounded_to=to,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; of what was not measured, None."""
        out = {name: _plain(getattr(self, name)) for name in TOLD}
        out["combinations"] = [
            {"columns": list(one.columns), "k": one.k, "unique": one.uniqueness.to_dict()}
            for one in self.combinations
        ]
        if self.model is not None and self.rounded_to is not None:
            for table in ("original", "released"):
                del out["model"][table]["p"]  # of rounded estimates they would mean little
        return out


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Scores):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return list(value) if isinstance(value, tuple) else value


def measured(
    pair: Pair,
    *,
    strata: Sequence[str] = (),
    sensitive: str | None = None,
    formula: str | None = None,
    w1s: Sequence[float] = (),
    w2s: Sequence[float] = (),
    far: int | None = None,
    guard: int | None = None,
    shared_by: int | None = None,
) -> Measured:
    """Measure all that can be measured on a pair of tables; exact numbers, see `Measured.rounded`.

    What needs rows that correspond is named in `not_measured` where they do not.

    Parameters
    ----------
    pair : Pair
        The original and the released table.
    strata, sensitive
        What an attacker may know, by default all columns of levels but the sensitive one; and what
        is to stay unknown, which the attacker of the linkage does not know either.
    formula : str, optional
        A regression to fit to both tables; InputError if it does not fit them.
    w1s, w2s : sequence of float, optional
        Widths and distances to measure the robust Mahalanobis risks at, besides 0.01 and 0.05.
    far : int, optional
        How many of the farthest records to look for by themselves; by default 5, and 20 with a
        `guard`, because of a count of 5 that is rounded nothing is left.
    guard : int, optional
        How many propensity scores each number of a box is the mean of; without it they are
        those of single rows, which a guarded policy does not tell.
    shared_by : int, optional
        Count the released rows that fewer than so many share in all columns, too.
    """
    levels = list(pair.released.levels)
    known = tuple(strata) or tuple(name for name in levels if name != sensitive)
    trial = _Trial()
    side = pair.table
    far = far or (FAR if guard is None else FAR_GUARDED)
    risks = _risks(trial, pair, known, sensitive, far, shared_by)
    about: tuple[int | None, float | None] = (None, None)
    if known and sensitive is not None:
        of = side, known, sensitive
        about = trial("sensitive", lambda: (diversity(*of), closeness(*of))) or about
    scores = trial("propensity", lambda: propensity(pair))
    grid, robust = _robust(trial, pair.without(sensitive), w1s, w2s)
    out = Measured(
        columns=tuple(side.numbers),
        levels=tuple(levels),
        risks=MappingProxyType(risks | robust),
        strata=known,
        sensitive=sensitive,
        k=anonymity(side, known) if known else None,
        combinations=uniqueness_of_every(side, known) if known else (),
        l=about[0],
        t=about[1],
        displacement=MappingProxyType(trial("displacement", lambda: displacement(pair)) or {}),
        u=None if scores is None else scores.u,
        ratio=None if scores is None else scores.ratio,
        scores=None if scores is None else trial("scores", lambda: boxes_of(scores, guard)),
        preservation=trial("preservation", lambda: preservation(pair, k=guard or 1)),
        model=None if formula is None else _model(trial, pair, formula),
        grid=grid if w1s and w2s else None,
        not_measured=MappingProxyType(trial.failed),
        left_out=pair.left_out,
    )
    advance(TASK, STEPS, STEPS)
    return out


@dataclass
class _Trial:
    """Measures one thing after the other, and keeps why one could not be measured."""

    failed: dict[str, str] = field(default_factory=dict)
    done: int = 0

    def __call__(self, key: str, measure: Callable[[], Value]) -> Value | None:
        self.done += 1
        advance(TASK, self.done, STEPS)
        try:
            return measure()
        except (InputError, RefusedError) as error:  # their texts name columns, never cells
            self.failed[key] = str(error)
            return None


def _risks(
    trial: _Trial,
    pair: Pair,
    known: Sequence[str],
    sensitive: str | None,
    far: int,
    shared_by: int | None,
) -> dict[str, Estimate]:
    unknown = [name for name in known if name not in pair.names]
    if unknown:
        raise InputError(f"strata are not among the released columns: {one_of(unknown)}")
    if sensitive is not None and sensitive not in pair.names:
        raise InputError(f"the sensitive column {sensitive!r} is not among the released columns")
    if sensitive in known:
        raise InputError(f"the sensitive column {sensitive!r} cannot be one of the strata, too")
    side, seen = pair.table, pair.without(sensitive)
    columns = [name for name in pair.names if name != sensitive]
    every: dict[str, Callable[[], tuple[Estimate, ...]]] = {
        "linkage far_linkage": lambda: linkages(seen, far=far, sample=sample_size(seen)),
        "near_1 near_5": lambda: nearness(seen, shares=(0.01, 0.05)),
        "interval": lambda: (interval_risk(seen, share=0.1),),
        "unique_rows": lambda: (replace(uniqueness(side, columns), what=UNIQUE_ROWS),),
    }
    if shared_by is not None:
        every["below_k"] = lambda: (shared_by_fewer(side, columns, shared_by),)
    if known:
        every["unique_strata"] = lambda: (replace(uniqueness(side, known), what=UNIQUE_STRATA),)
    if known and sensitive is not None:
        every["attribute_disclosure"] = lambda: (attribute_disclosure(side, known, sensitive),)
    risks: dict[str, Estimate] = {}
    for keys, measure in every.items():
        names = keys.split()
        values = trial(names[0], measure)
        if values is not None:
            risks |= dict(zip(names, values, strict=True))
        else:
            trial.failed |= dict.fromkeys(names[1:], trial.failed[names[0]])
    return risks


def _robust(
    trial: _Trial, seen: Pair, w1s: Sequence[float], w2s: Sequence[float]
) -> tuple[RmdGrid | None, dict[str, Estimate]]:
    """Measure the robust distance risks at the usual widths and at those given, from one fit."""
    widths, distances = sorted({W1, *w1s}), sorted({W2, *w2s})
    sample = sample_size(seen)
    grid = trial("rmd1", lambda: rmd_grid(seen, w1s=widths, w2s=distances, sample=sample))
    if grid is None:
        trial.failed["rmd2"] = trial.failed["rmd1"]
        return None, {}
    if grid.excluded:
        trial.failed["rmd_columns"] = f"{one_of(grid.excluded)} cannot be used for it"
    near, alone = widths.index(W1), distances.index(W2)
    return grid, {"rmd1": grid.risk1[near], "rmd2": grid.risk2[near][alone]}


def _model(trial: _Trial, pair: Pair, formula: str) -> Coefficients | None:
    """Fit a regression to both tables; a formula that is wrong is not just left out."""
    try:
        return coefficient_difference(pair, formula=formula)
    except RefusedError as error:
        trial.failed["model"] = str(error)
        return None


COUNT_STEPS = 4
"""An estimate of fewer trials than so many steps would say nothing once it is rounded."""
U_STEP = 0.0005
"""U grows with the square of a difference of means: to two digits it told one to 1e-5 sd."""
MOVED_STEP = 0.01
SUMMARY_STEP = 0.05
ESTIMATE_SHARE, ERROR_SHARE = 0.5, 0.2

Five = tuple[float, float, float, float, float]


def to_step(value: Any, step: float) -> Any:
    """Round a number, a tuple or a mapping of numbers to the nearest multiples of a nice step.

    What is not finite stays as it is.
    """
    if isinstance(value, Mapping):
        return MappingProxyType({name: to_step(part, step) for name, part in value.items()})
    if isinstance(value, tuple):
        return tuple(to_step(part, step) for part in value)
    return float(stepped(np.array([value]), step)[0]) if math.isfinite(value) else value


def coarse_estimate(found: Estimate, to: int) -> Estimate | None:
    """Round count and trials to multiples of `to`, and guessing to two digits.

    Returns None where there are too few trials for that to say anything.
    """
    if found.trials < COUNT_STEPS * to:
        return None
    baseline = None if found.baseline is None else min(1.0, float(f"{found.baseline:.2g}"))
    return replace(found.rounded(to), baseline=baseline)


def coarse_box(numbers: Five) -> Five:
    """Round the five numbers of a box to a tenth of the box, all to one step."""
    spread = numbers[3] - numbers[1] or numbers[4] - numbers[0]
    if spread <= 0:  # as of tables that nothing tells apart
        return (float(f"{numbers[2]:.2g}"),) * 5
    low, q1, median, q3, high = stepped(np.array(numbers), nice_step(spread, 0.1)).tolist()
    return low, q1, median, q3, high


def coarse_model(model: Coefficients) -> Coefficients:
    """Round the original's estimates to about half their error, and the errors to a fifth.

    Rounded to a tenth, ten coefficients gave the outcome of one of 400 people, all others known,
    within 5 % of a standard deviation in 71 % of cases; rounded to a half, in 8 % (guessing: 6 %).

    What follows from them (differences, intervals, their overlap) is then rounded as well. The
    coefficients of the released table are what anybody would compute from it, and stay.
    """
    errors = [float(error) for error in model.original_se]
    steps = [nice_step(error, ESTIMATE_SHARE) for error in errors]
    finer = [nice_step(error, ERROR_SHARE) for error in errors]
    pairs = zip(model.original, steps, strict=True)
    return replace(
        model,
        original=np.array([to_step(float(value), step) for value, step in pairs]),
        original_se=np.array([to_step(e, s) for e, s in zip(errors, finer, strict=True)]),
    )


def coarse_preservation(kept: Preservation) -> Preservation:
    """Round differences of summaries, all told in standard deviations or shares, to 0.05."""
    values = {item.name: getattr(kept, item.name) for item in fields(kept)}
    return Preservation(**to_step(values, SUMMARY_STEP))


WHISKER = 1.5  # times the height of the box


class Scores(NamedTuple):
    """Propensity scores as the five numbers of a box for each table.

    `k` is how many scores each number is a mean of; None where they are those of single rows.
    """

    original: Five
    released: Five
    k: int | None


def boxes_of(scores: Propensity, guard: int | None = None) -> Scores:
    """Return the boxes of two tables' propensity scores.

    With a `guard` each number is the mean of so many neighbouring scores (RefusedError if there are
    fewer); without it they are plain quartiles, and whiskers at the last scores within 1.5 heights
    of the box.
    """
    if guard is not None:
        box = OrderMeans(guard)
        return Scores(box(scores.original), box(scores.released), guard)
    return Scores(_box(scores.original), _box(scores.released), None)


def _box(values: Floats) -> Five:
    q1, median, q3 = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    reach = WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return min(float(inside.min()), q1), q1, median, q3, max(float(inside.max()), q3)
