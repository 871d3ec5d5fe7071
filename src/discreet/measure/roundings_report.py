"""What came of rounding one table in many ways: trials, which method is best by what, the page.

Means are compared over the settings at which every method that is compared could be used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from discreet.document import Block, Document, Documented, Listing, Picture, Words
from discreet.errors import InputError
from discreet.measure.report import CLAIMS
from discreet.render.csv_words import csv_text
from discreet.render.scene import Axis, Columns, Lines, Panel, Scene
from discreet.rounding import METHODS
from discreet.rounding.choice import FREEDMAN_DIACONIS

SCHEMA = 1
SUFFIXES = (".html", ".csv", ".json", ".txt")


class Gauge(NamedTuple):
    """What a number measures: its short name, what it is in plain words, and its good end."""

    name: str
    words: str
    low_is_good: bool | None


#: What is measured of every trial.
MEASURES: Mapping[str, Gauge] = MappingProxyType(
    {
        "sse": Gauge(
            "SSE, %",
            "squared distance of the rounded values from the original ones, as a share of their"
            " spread",
            True,
        ),
        "il_metrics": Gauge(
            "IL metrics",
            "information loss: how far values, means, variances, covariances and correlations"
            " moved, as a mean relative change in %",
            True,
        ),
        "il1s": Gauge(
            "IL1s",
            "information loss: mean distance of a value from its original, in % of its column's"
            " standard deviation times the root of 2",
            True,
        ),
        "ddr": Gauge(
            "DDR, %",
            "linkage by distance: rounded rows whose nearest original row is their own",
            True,
        ),
        "idr": Gauge(
            "IDR, %",
            "disclosure by interval: original rows that lie, in all columns, close to their rounded"
            " values",
            True,
        ),
        "score": Gauge("score", "the IL-DR score: the mean of IL metrics, IL1s, DDR and IDR", True),
        "score_by_sum": Gauge(
            "score by sum",
            "the same with IL1s as a sum over all values, as in the scores of Senavirathne and"
            " Torra (2019); it grows with the number of rows and columns",
            True,
        ),
        "entropy": Gauge("entropy, bits", "Shannon entropy, summed over the columns", None),
        "correlation": Gauge("mean |r|", "mean absolute correlation between the columns", None),
    }
)
#: What is measured where a target is given, by the kind of model.
MODELS: Mapping[str, Mapping[str, Gauge]] = MappingProxyType(
    {
        "tree": {
            "acc_o": Gauge(
                "accuracy on original rows",
                "original rows that a decision tree puts in the right class, having learned from"
                " rounded rows, never from the same ones",
                False,
            ),
            "acc_v": Gauge(
                "accuracy on rounded rows",
                "rounded rows that the tree puts in the right class, having learned from others",
                False,
            ),
        },
        "regression": {
            "mse": Gauge(
                "MSE",
                "mean squared error on original rows of a linear regression that was fitted to"
                " rounded rows, never to the same ones",
                True,
            ),
            "r2": Gauge(
                "R²", "share of the rounded target's variance that the regression explains", None
            ),
        },
    }
)
#: What a method is steered by: the least number of rows at a point, how many points, the classes.
FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "k": "steered by k, the least number of rows at a rounding point",
        "c": "steered by c, the number of rounding points",
        "classes": "steered by the classes of the target",
    }
)
RULES = ("number", FREEDMAN_DIACONIS, "classes")


@dataclass(frozen=True)
class Trial:
    """A rounding method with its setting, and what came of it or why it was refused.

    It is steered by its `family`: k, c or the classes; `rule` is how the number was chosen: given,
    for each column, or by the classes. `rung` is the place of its number among those tried, from 0;
    trials of one rung have groups of about one size (k is about n / c). `below` and `alone` are the
    shares of rows that have all their rounded values in common with fewer than k - 1 other rows,
    and with none.
    """

    method: str
    family: str
    rule: str = "number"
    k: int | None = None
    c: int | None = None
    rung: int | None = None
    points: Mapping[str, int] = field(default_factory=dict)  # in use, by column
    fewest: int | None = None  # rows of the least used point; one row alone is hardly rounded
    below: float | None = None
    alone: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)  # by keys of MEASURES and MODELS
    refused: str | None = None

    def __post_init__(self) -> None:
        if self.family not in FAMILIES or self.rule not in RULES:
            raise InputError(f"no trial is {self.family!r} by {self.rule!r}")
        if bool(self.values) == (self.refused is not None):
            raise InputError("a trial has values, or the reason why it was refused")

    @property
    def setting(self) -> str:
        """The parameter as a table shows it."""
        if self.rule != "number":
            return {FREEDMAN_DIACONIS: "Freedman-Diaconis", "classes": "by classes"}[self.rule]
        return f"k = {self.k}" if self.family == "k" else f"c = {self.c}"

    @property
    def name(self) -> str:
        """What the trial is called: its method and its setting."""
        return f"{self.method} ({self.setting})"

    def value(self, measure: str) -> float:
        """Return a number that was measured; NaN where it is not known."""
        return self.values.get(measure, math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, None where a number is not defined."""
        known = {key: value if math.isfinite(value) else None for key, value in self.values.items()}
        names = ("method", "family", "rule", "k", "c", "points", "fewest", "below", "alone")
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "points": dict(self.points), **known, "refused": self.refused}


EQUAL = 1e-9
"""Values this close, relative to them, are equally good."""


@dataclass(frozen=True, repr=False)
class RoundingGrid:
    """Trials of one table, each method and setting once, and what they are compared with."""

    name: str
    trials: tuple[Trial, ...]
    columns: tuple[str, ...]  # that were rounded
    rows: int
    left_out: int = 0  # rows, for a missing value
    target: str | None = None  # the column that was predicted, by a "tree" or a "regression"
    model: str = ""
    unrounded: Mapping[str, float] = field(default_factory=dict)  # measures of the table itself
    representative: str = "mean"  # what stands for a region
    folds: int = 10  # of the cross-validation
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [trial.name for trial in self.trials]
        if not names:
            raise InputError("a comparison needs at least one method and one setting")
        if len(set(names)) < len(names):
            raise InputError("a comparison has each method and setting once; name each k once")

    def __repr__(self) -> str:
        return f"RoundingGrid({self.name}: {len(self.trials)} settings)"

    @property
    def usable(self) -> tuple[Trial, ...]:
        """The trials that were not refused."""
        return tuple(trial for trial in self.trials if trial.refused is None)

    @property
    def gauges(self) -> Mapping[str, Gauge]:
        """What was measured, by key."""
        return {**MEASURES, **MODELS.get(self.model, {})}

    def methods(self, *families: str) -> tuple[str, ...]:
        """Return the methods that were tried, of some families or of all, in their order."""
        names = (t.method for t in self.trials if t.family in (families or (t.family,)))
        return tuple(dict.fromkeys(names))

    def line(self, method: str) -> tuple[Trial, ...]:
        """Return the usable trials of a method whose parameter is a number, by its rungs."""
        trials = [t for t in self.usable if t.method == method and t.rung is not None]
        return tuple(sorted(trials, key=lambda trial: trial.rung or 0))

    def by_rule(self, rule: str, *families: str) -> tuple[Trial, ...]:
        """Return the usable trials of a rule, of some families or of all."""
        wanted = [t for t in self.usable if t.rule == rule]
        return tuple(t for t in wanted if t.family in (families or (t.family,)))

    def by_rung(self, measure: str, *families: str) -> dict[str, dict[int, float]]:
        """Return what is known of a measure, of each method of some families, by rung."""
        return {
            name: {
                t.rung: t.value(measure)
                for t in self.line(name)
                if t.rung is not None and math.isfinite(t.value(measure))
            }
            for name in self.methods(*(families or ("k", "c")))
        }

    def common(self, measure: str, *families: str) -> list[int]:
        """Return the rungs at which a measure is known of every method of some families."""
        known = [set(of) for of in self.by_rung(measure, *families).values()]
        return sorted(set.intersection(*known)) if known else []

    def means(self, measure: str, *families: str) -> dict[str, float]:
        """Return each method's mean of a measure over the rungs that all have; the best first."""
        rungs = self.common(measure, *families)
        means = {
            name: math.fsum(of[rung] for rung in rungs) / len(rungs)
            for name, of in self.by_rung(measure, *families).items()
            if rungs
        }
        sign = self._sign(measure)
        return dict(sorted(means.items(), key=lambda pair: sign * pair[1]))

    def best_at(self, measure: str, rung: int, *families: str) -> tuple[str, ...]:
        """Return the methods, more than one where they tie, that are best at a rung."""
        every = self.by_rung(measure, *families).items()
        values = {name: of[rung] for name, of in every if rung in of}
        if not values:
            return ()
        best = min(values.values(), key=lambda value: self._sign(measure) * value)
        return tuple(n for n, v in values.items() if abs(v - best) <= EQUAL * abs(best))

    def _sign(self, measure: str) -> int:
        return -1 if self.gauges[measure].low_is_good is False else 1

    def in_order(self, *families: str) -> Iterator[Trial]:
        """Go through the usable trials of families: by rung, and those without one at the end."""
        for family in families or FAMILIES:
            yield from sorted(
                (t for t in self.usable if t.family == family),
                key=lambda trial: math.inf if trial.rung is None else trial.rung,
            )


@dataclass(frozen=True, repr=False)
class RoundingComparison(Documented):
    """What came of rounding one table in many ways: loss, risk, and what models still learn.

    `grid` are the trials, made of the raw data: they are for whoever holds these, and no release.

    **What it does not tell.** Which risk is small enough; what an attack finds that was not tried;
    what holds for other tables. Columns are rounded one at a time, which makes no row k-anonymous:
    `alone` and `below` of each trial say how far from it.
    """

    grid: RoundingGrid

    what: ClassVar[str] = "a comparison"

    def __repr__(self) -> str:
        return f"RoundingComparison({self.grid.name}: {len(self.grid.trials)} settings)"

    @property
    def title(self) -> str:
        """What the page and the text are headed with."""
        return f"Rounding methods compared: {self.grid.name}"

    def document(self) -> Document:
        """Return what was found in words, the plots, and tables of all settings."""
        grid = self.grid
        blocks: list[Block] = [
            Words("", (OWN_WORK,), "stamp"),
            Words("", (LEAD,), "lead"),
            Words("", _made(grid)),
            Words("In short", in_short(grid)),
            Words(CLAIMS, claims(grid)),
            Words("", (JOINT,), ""),
        ]
        levels = LEVELS if grid.by_rule("classes") else ""
        for shown, words in (
            (family_plot(grid, "k"), f"{BY_K} {PER_MEASURE}"),
            (family_plot(grid, "c"), f"{BY_C}{levels} {PER_MEASURE}"),
            (score_plot(grid), SCORES),
            (model_plot(grid), FOR_MODELS),
        ):
            if shown is not None:
                title, scene = shown.scene.title, replace(shown.scene, title="")
                blocks.append(shown._replace(scene=scene, title=title, about=words))
        measured = [f"{gauge.name}: {gauge.words}." for gauge in grid.gauges.values()]
        known = {name: METHODS[name] for name in grid.methods() if name in METHODS}
        methods = tuple((name, it.promises, it.leaves_open) for name, it in known.items())
        promised = "What each method promises of one column, and what it does not protect"
        blocks += [
            *(family_table(grid, family) for family in FAMILIES),
            models_table(grid),
            refused_table(grid),
            Words("What was measured", measured),
            Listing(promised, ("method", "promises", "does not protect"), methods, (0, 1, 2)),
        ]
        return Document(self.title, tuple(blocks))

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds; it says that it is no release."""
        grid = self.grid
        return {
            "discreet": SCHEMA,
            "kind": "rounding comparison",
            "release": False,
            "table": grid.name,
            "columns": list(grid.columns),
            **{name: getattr(grid, name) for name in ("rows", "left_out", "target", "model")},
            "representative": grid.representative,
            "folds": grid.folds,
            "notes": list(grid.notes),
            "unrounded": {k: v if math.isfinite(v) else None for k, v in grid.unrounded.items()},
            "trials": [trial.to_dict() for trial in grid.trials],
        }

    def to_csv(self) -> str:
        """Return one row for each trial, and one for the table itself, method "none"."""
        self.ask_to_leave("csv")
        head = ("method", "family", "rule", "k", "c", "points_least", "points_most", "fewest",
                "below", "alone", *self.grid.gauges, "refused")  # fmt: skip
        plain = {k: v for k, v in self.grid.unrounded.items() if math.isfinite(v)}
        rows: list[Mapping[str, Any]] = [{"method": "none", "rule": "not rounded", **plain}]
        for trial in self.grid.trials:
            row = {k: v for k, v in trial.to_dict().items() if v is not None}
            if trial.points:
                ends = min(trial.points.values()), max(trial.points.values())
                row |= {"points_least": ends[0], "points_most": ends[1]}
            rows.append(row)
        return csv_text([head, *([str(row.get(it, "")) for it in head] for row in rows)])

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings."""
        return super().forms() | {".csv": self.to_csv}


OWN_WORK = "For the custodian: exact numbers of the original table, not for release."
LEAD = (
    "Rounding replaces every number by one of a few rounding points, so that many rows have it in"
    " common. Each method here finds the points in its own way. What is lost is how far the numbers"
    " moved; what is at risk is how many rows somebody could find again who has the original ones."
    " Both are small for no method: moving less gives away more."
)
PER_MEASURE = "Lower is better in all of them, but low losses come with high risks."
FOR_MODELS = (
    "A model learns from rounded rows. How good it is on rows that nobody rounded says whether the"
    " rounded table is of use; how good it is on other rounded rows says less, because rounding"
    " has made these alike."
)
BY_K = "To the right each point stands for more rows: less risk, more loss."
BY_C = (
    "To the right there are more points, each of fewer rows: less loss, more risk. None of these"
    " methods promises how many rows stand at a point."
)
LEVELS = " Methods steered by the classes have no number c: level lines."
SCORES = (
    "The mean of loss and risk over all numbers k or c. Both kinds of methods were tried with"
    " groups of about one size (k is about the number of rows over c), so they stand side by side."
    " The lower, the better the trade by this one score."
)
JOINT = (
    "A table that is to be released is rounded jointly (discreet round), so that k rows share"
    " each of its rows: for that, discreet tune --methods rounding,microaggregation draws risk"
    " against loss."
)


def _made(grid: RoundingGrid) -> tuple[str, ...]:
    """Say what was rounded, and how."""
    base = "; of base, a multiple of one number" if "base" in grid.methods() else ""
    of = "its region" if grid.representative == "midpoint" else "the values in its region"
    columns = f"{len(grid.columns)} columns" if len(grid.columns) > 1 else "one column"
    sentences = [
        f"{grid.rows} rows; {columns}, rounded one at a time: {', '.join(grid.columns)}.",
        f"A rounding point is the {grid.representative} of {of}{base}.",
    ]
    if grid.left_out:
        sentences.append(f"{grid.left_out} rows were left out for a missing number or class.")
    if grid.model == "tree":
        sentences.append(
            f"Decision trees predict {grid.target}, which is not rounded; cross-validated in"
            f" {grid.folds} parts."
        )
    if grid.model == "regression":
        sentences.append(
            f"Linear regressions predict {grid.target}, which is rounded, too, as in the paper:"
            " with every column treated alike, correlations are kept better. Cross-validated in"
            f" {grid.folds} parts."
        )
    return (*sentences, *grid.notes)


SHOWN = ("sse", "il_metrics", "il1s", "ddr", "idr", "score")
AXES = {"k": "k, least rows at a point", "c": "c, number of points"}
FAR = 2.5  # times what the methods below it reach
ROOM = 1.3
BEYOND = "lines that leave a drawing at the top, or are not to be seen in it, lie above"
NOT_ROUNDED = "not rounded"


def family_plot(grid: RoundingGrid, family: str) -> Picture | None:
    """Draw each measure against k or c, one line a method (Fig. 2 and 3 of the paper)."""
    panels = [_panel(grid, family, measure) for measure in SHOWN]
    if not any(panel.marks for panel in panels):
        return None
    title = {
        "k": "Methods that put at least k rows at each rounding point",
        "c": "Methods that make c rounding points",
    }[family]
    words = f"Lines of {', '.join(grid.methods(family))} against {family}."
    for measure in SHOWN:
        means = grid.means(measure, family)
        if len(means) > 1:
            words += f" {grid.gauges[measure].name}: least on average {next(iter(means))}."
    return _plot(panels, title, words)


def model_plot(grid: RoundingGrid) -> Picture | None:
    """Draw what models of rounded rows reach on original and on rounded ones."""
    keys = tuple(MODELS.get(grid.model, ()))
    drawn = [_panel(grid, family, key) for family in ("k", "c") for key in keys]
    panels = [panel for panel in drawn if panel.marks]
    if not panels:
        return None
    kind = {"tree": "decision trees", "regression": "linear regressions"}[grid.model]
    of = "class" if grid.model == "tree" else "value"
    return _plot(
        panels,
        f"How well {kind} of rounded rows tell the {of}",
        f"Lines of {', '.join(grid.gauges[key].name for key in keys)} against k and c, beside"
        " the level of a model of unrounded rows.",
    )


def _plot(panels: Sequence[Panel], title: str, words: str) -> Picture:
    cut = any(panel.y.limits and panel.y.limits[0] == 0 for panel in panels)
    return Picture(Scene(tuple(panels), title, (BEYOND,) if cut else ()), words)


def score_plot(grid: RoundingGrid) -> Picture | None:
    """Draw the mean score of each method as a bar (Fig. 4)."""
    means = grid.means("score")
    if not means:
        return None
    names = tuple(name for name in grid.methods("k", "c") if name in means)
    panel = Panel(
        (Columns((tuple(means[name] for name in names),)),),
        Axis("", ticks=names),
        Axis("mean IL-DR score"),
    )
    best, *_, worst = (*means, *means)
    rungs = len(grid.common("score"))
    over = f"mean over {rungs} settings" if rungs > 1 else "of one setting"
    return Picture(
        Scene((panel,), "Mean score by method", (f"{over}; lower is better",)),
        f"Bars of the mean score of {len(names)} methods: lowest {best} with"
        f" {stated('score', means[best])}, highest {worst} with {stated('score', means[worst])}.",
    )


def _panel(grid: RoundingGrid, family: str, measure: str) -> Panel:
    """Draw one measure of one family; what has no number to be drawn against is a level line."""
    marks: list[Lines] = []
    for method in grid.methods(family):
        known = [t for t in grid.line(method) if math.isfinite(t.value(measure))]
        places = sorted((float(getattr(t, family) or 0), t.value(measure)) for t in known)
        if places:
            xs, ys = zip(*places, strict=True)
            marks.append(Lines((xs,), (ys,), "series", method))
    gauge = grid.gauges[measure]
    if marks:
        across = [x for mark in marks for x in mark.x[0]]
        ends = min(across), max(across)
        # Beside the methods with c those without a number, and beside both the unrounded table.
        for trial in grid.by_rule("classes") if family == "c" else ():
            y = trial.value(measure)
            if math.isfinite(y):
                marks.append(Lines((ends,), ((y, y),), "series", trial.method))
        level = grid.unrounded.get(measure, math.nan)
        if math.isfinite(level):
            marks.append(Lines((ends,), ((level, level),), "trend", NOT_ROUNDED))
    limits = _limits([max(mark.y[0]) for mark in marks])
    name = gauge.name[0].upper() + gauge.name[1:]
    return Panel(tuple(marks), Axis(AXES[family]), Axis("", limits), name)


def _limits(tops: Sequence[float]) -> tuple[float, float] | None:
    """Cut off the few methods that would press all others flat; None where there is none.

    `tops` are the highest values of each line.
    """
    ordered = sorted(tops)
    if not ordered or ordered[-1] == 0:
        return -0.03, 1.0
    for below, top in list(pairwise(ordered))[len(ordered) // 2 :]:
        if top > FAR * below > 0:
            return 0.0, ROOM * below
    return None


#: Stands behind the best score of its rung.
BEST = " *"


def family_table(grid: RoundingGrid, family: str) -> Listing:
    """Return loss and risk of each setting of a family, and how many rows stand at its points."""
    keys = (*SHOWN, "score_by_sum")
    rows = []
    for trial in grid.in_order(family):
        numbers = {key: short(trial.value(key)) for key in keys}
        if trial.rung is not None and len(grid.methods(family)) > 1:
            best = trial.method in grid.best_at("score", trial.rung, family)
            numbers["score"] += BEST if best else ""
        low, high = min(trial.points.values()), max(trial.points.values())
        points = str(low) if low == high else f"{low} to {high}"
        fewest = "-" if trial.fewest is None else str(trial.fewest)
        shares = _percent(trial.below), _percent(trial.alone)
        rows.append((trial.method, trial.setting, *numbers.values(), points, fewest, *shares))
    head = (
        *("method", "setting"),
        *(grid.gauges[key].name for key in keys),
        *("points a column", "rows at the least used", "rows in groups below k, %"),
        "rows alone, %",
    )
    starred = any(cell.endswith(BEST) for row in rows for cell in row)
    star = f"; the star is the lowest score at this {family}" if starred else ""
    return Listing(f"Methods {FAMILIES[family]}{star}", head, tuple(rows), (0, 1))


def models_table(grid: RoundingGrid) -> Listing:
    """Return what the models reach of each setting, beside the model of unrounded rows."""
    keys = (*MODELS.get(grid.model, ()), "entropy", "correlation", "il_metrics", "score")
    kind = "Decision trees for" if grid.model == "tree" else "Linear regressions of"
    head = ("method", "setting", *(grid.gauges[key].name for key in keys))
    rows = [(t.method, t.setting, *(short(t.value(key)) for key in keys)) for t in grid.in_order()]
    plain = (short(grid.unrounded.get(key, math.nan)) for key in keys)
    every = (("none", "not rounded", *plain), *rows) if grid.model else ()
    return Listing(f"{kind} {grid.target}", head, every, (0, 1))


def refused_table(grid: RoundingGrid) -> Listing:
    """Return the settings that cannot be used on the table, and why."""
    rows = tuple((t.method, t.setting, t.refused) for t in grid.trials if t.refused is not None)
    title = "Settings that cannot be used on this table"
    return Listing(title, ("method", "setting", "why"), rows, (0, 1, 2))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


HEADS = {
    "sse": "Least squared error",
    "il_metrics": "Least information loss by IL metrics",
    "il1s": "Least information loss by IL1s",
    "ddr": "Fewest rows linked by distance (DDR)",
    "idr": "Fewest rows disclosed by interval (IDR)",
    "score": "Lowest IL-DR score",
    "acc_o": "Trees that are right most often on original rows",
    "mse": "Regressions with the least error on original rows",
}
PERCENT = ("sse", "ddr", "idr", "acc_o", "acc_v")


def short(value: float) -> str:
    """Write a number with three digits that count, and a missing one as a dash.

    Examples
    --------
    >>> short(0.01234), short(98.76), short(123456.0), short(float("nan"))
    ('0.0123', '98.8', '123,000', '-')
    """
    if value != value:
        return "-"
    short = float(f"{value:.3g}")
    return f"{short:,.0f}" if abs(short) >= 1000 else f"{short:.3g}"


def stated(measure: str, value: float) -> str:
    """Write a value with its unit, as a sentence has it."""
    return f"{short(value)} %" if measure in PERCENT else short(value)


def in_short(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what was found, a sentence for each measure; means are over the settings."""
    ranked = (_ranking(grid, measure, head) for measure, head in HEADS.items())
    return (*filter(None, ranked), *_of_models(grid))


def _ranking(grid: RoundingGrid, measure: str, head: str) -> str:
    """Say which methods are the first, the second and the last by their means."""
    means = grid.means(measure) if measure in grid.gauges else {}
    if len(means) < 2:
        return ""
    rungs = grid.common(measure)
    names = list(means)
    first, *others = names
    best = means[first]
    alike = [name for name in others if abs(means[name] - best) <= EQUAL * abs(best)]
    if len(alike) == len(others):
        return f"{head}: all methods are alike, {stated(measure, best)}."
    over = f"on average over {len(rungs)} settings" if len(rungs) > 1 else "at the one setting"
    words = f"{head}: {', '.join([first, *alike])}, {stated(measure, best)} {over}"
    if len(rungs) > 1 and not alike:
        times = sum(first in grid.best_at(measure, rung) for rung in rungs)
        words += f" (the best at {times} of them)"
    rest = [name for name in others if name not in alike]
    words += f"; next {rest[0]}, {stated(measure, means[rest[0]])}"
    if len(rest) > 1:
        words += f"; last {rest[-1]}, {stated(measure, means[rest[-1]])}"
    return f"{words}."


def _of_models(grid: RoundingGrid) -> Iterator[str]:
    """Say how models of rounded rows fare beside one of unrounded rows."""
    key = {"tree": "acc_o", "regression": "mse"}.get(grid.model, "")
    if key not in grid.unrounded:
        return
    level = stated(key, grid.unrounded[key])
    tried = [t for t in grid.usable if t.rung is not None]
    sign = -1 if grid.model == "tree" else 1
    good = [t for t in tried if sign * t.value(key) <= sign * grid.unrounded[key]]
    of = {m: sum(t.method == m for t in good) for m in dict.fromkeys(t.method for t in tried)}
    each = ", ".join(f"{method} {times}" for method, times in of.items())
    row = f" One row is {100 / grid.rows:.2g} points of accuracy." if grid.model == "tree" else ""
    yield (
        f"A {grid.model} that learned from unrounded rows has"
        f" {level} ({grid.gauges[key].name}); one that learned from"
        f" rounded rows does at least as well in {len(good)} of {len(tried)} settings ({each})."
        f"{row}"
    )
    if tried := sorted(grid.by_rule(FREEDMAN_DIACONIS), key=lambda trial: trial.value(key)):
        low, high = (f"{stated(key, t.value(key))} ({t.method})" for t in (tried[0], tried[-1]))
        yield (
            f"With the parameter chosen by the Freedman-Diaconis rule, from {low} to {high}; not"
            f" rounded {level}."
        )
    if by_classes := grid.by_rule("classes"):
        each = "; ".join(
            f"{t.method} {stated('acc_v', t.value('acc_v'))} on rounded and"
            f" {stated('acc_o', t.value('acc_o'))} on original rows"
            for t in by_classes
        )
        yield f"Trees after methods that look at the classes: {each}; not rounded {level}."


ALWAYS = (
    "That a low score is a safe release. The score is the mean of two losses and two risks in units"
    " that cannot be compared; where a loss is far above 100, no risk can outweigh it, and a method"
    " that spoils the table may score well.",
    "That nobody can do more than these two attacks. DDR and IDR are of somebody who has the"
    " original rows and looks for the nearest; one who knows how the points were found may do"
    " better.",
    "That the choice costs nothing. The numbers are exact and of the raw data; two rounded versions"
    " of one table give away more than either, so choose one setting and keep it.",
)


def claims(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what must not be claimed of any of it, with the numbers of this table."""
    sentences = []
    # Columns rounded one at a time leave rows alone: at the least and the largest k.
    known = [t for t in grid.usable if t.rung is not None and t.alone is not None]
    if known:
        joint = "in all columns together" if len(grid.columns) > 1 else "in the one column"
        spans = []
        for rung in sorted({min(t.rung or 0 for t in known), max(t.rung or 0 for t in known)}):
            here = sorted((t for t in known if t.rung == rung), key=lambda t: t.alone or 0.0)
            low, high = (f"{100 * (t.alone or 0.0):.1f} %" for t in (here[0], here[-1]))
            span = f"from {low} ({here[0].method}) to {high} ({here[-1].method})"
            spans.append(f"at k = {here[0].k} {low if low == high else span}")
        sentences.append(
            "That rows are k-anonymous: that each shares its rounded values with k - 1 others."
            f" Columns are rounded one at a time; {', and '.join(spans)} of the rows share their"
            f" values {joint} with nobody."
        )
    # A rounding point of one row is that row's own value.
    alone = [t for t in grid.usable if t.fewest == 1]
    if alone:
        names = ", ".join(dict.fromkeys(t.method for t in alone))
        settings = "settings" if len(alone) > 1 else "setting"
        sentences.append(
            "That every rounding point stands for many rows. Only methods steered by k promise"
            f" that; in {len(alone)} {settings}, of {names}, a point stands for one row alone and"
            " is as good as its original value."
        )
    return (*sentences, *ALWAYS)
