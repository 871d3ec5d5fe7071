"""What came of rounding one table in many ways: in words, plots and tables, to look at or save."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from discreet.measure.report import Listing, Plot, bullets, columns, headed
from discreet.measure.trials import EQUAL, FAMILIES, MODELS, RoundingGrid, Trial
from discreet.render.figure_file import path_to_save, write_whole
from discreet.render.scene import Axis, Columns, Lines, Panel, Scene
from discreet.render.to_html import Html, fragment, heading, items, page, paragraph, picture, table
from discreet.rounding import METHODS
from discreet.rounding.choice import FREEDMAN_DIACONIS

__all__ = ["SUFFIXES", "RoundingComparison", "as_text"]

SCHEMA = 1
SUFFIXES = (".html", ".csv", ".json", ".txt")


@dataclass(frozen=True, repr=False)
class RoundingComparison:
    """What came of rounding one table in many ways: loss, risk, and what models still learn.

    It is made of the raw data, for whoever holds them, and is no release.

    Parameters
    ----------
    grid : RoundingGrid
        The trials, and which method is best by what.

    Notes
    -----
    **What it does not tell.** Which risk is small enough; what an attack finds that was not tried;
    what holds for other tables. Columns are rounded one at a time, which is not k-anonymity of the
    rows: `alone` and `below` of each trial say how far from it.

    Senavirathne and Torra (2019), sections 4 and 5: Figures 2 to 4 and Tables 1 to 8.
    """

    grid: RoundingGrid

    def __repr__(self) -> str:
        return f"RoundingComparison({self.grid.name}: {len(self.grid.trials)} settings)"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return fragment(page_parts(self.grid), STYLE)

    def to_text(self) -> str:
        """Return what was found in words, and all settings as a table of text."""
        return text_of(self.grid)

    def to_html(self) -> str:
        """Return one page that needs no other file: words, plots, tables."""
        return page(title_of(self.grid), page_parts(self.grid), STYLE)

    def to_json(self) -> str:
        """Return all numbers as JSON; it says that it is no release."""
        grid = self.grid
        told = {
            "discreet": SCHEMA,
            "kind": "rounding comparison",
            "release": False,
            "table": grid.name,
            "columns": list(grid.columns),
            "rows": grid.rows,
            "left_out": grid.left_out,
            "target": grid.target,
            "model": grid.model,
            "representative": grid.representative,
            "folds": grid.folds,
            "notes": list(grid.notes),
            "unrounded": {k: v if math.isfinite(v) else None for k, v in grid.unrounded.items()},
            "trials": [trial.to_dict() for trial in grid.trials],
        }
        return json.dumps(told, allow_nan=False, ensure_ascii=False)

    def to_csv(self) -> str:
        """Return one row for each trial, and one for the table itself, method "none"."""
        head = ("method", "family", "rule", "k", "c", "points_least", "points_most", "fewest",
                "below", "alone", *self.grid.gauges, "refused")  # fmt: skip
        file = io.StringIO()
        writer = csv.DictWriter(file, head, restval="", lineterminator="\n")
        writer.writeheader()
        plain = {k: v for k, v in self.grid.unrounded.items() if math.isfinite(v)}
        writer.writerow({"method": "none", "rule": "not rounded", **plain})
        for trial in self.grid.trials:
            told = {k: v for k, v in trial.to_dict().items() if v is not None and k != "points"}
            if trial.points:
                ends = min(trial.points.values()), max(trial.points.values())
                told |= {"points_least": ends[0], "points_most": ends[1]}
            writer.writerow(told)
        return file.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the comparison to a file of your own.

        Parameters
        ----------
        path : str or Path
            Ends in .html for the page, .csv or .json for the numbers, .txt for text.

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        """
        written = {
            ".html": self.to_html,
            ".csv": self.to_csv,
            ".json": self.to_json,
            ".txt": self.to_text,
        }
        target = path_to_save(path, SUFFIXES, "a comparison")
        write_whole(written[target.suffix.lower()]().encode(), target)
        return target


OWN_WORK = "For the custodian: exact numbers of the original table, and no release."
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
#: Wide enough for two drawings side by side.
STYLE = (
    ".discreet{padding-left:max(1rem,calc(50% - 33rem));padding-right:max(1rem,calc(50% - 33rem))}"
)
CLAIMS = "What must not be claimed"
JOINT = (
    "A table that is to be released is rounded jointly (discreet anonymize), so that k rows share"
    " each of its rows: for that, discreet tune --methods rounding,microaggregation draws risk"
    " against loss."
)


def title_of(grid: RoundingGrid) -> str:
    """Return the title of a comparison."""
    return f"Rounding methods compared: {grid.name}"


def page_parts(grid: RoundingGrid) -> list[Html]:
    """Return the parts of the page."""
    parts = [heading(title_of(grid), 1), paragraph(OWN_WORK, "stamp"), paragraph(LEAD, "lead")]
    parts += [items(_made(grid)), heading("In short"), items(in_short(grid))]
    parts += [heading(CLAIMS), items(claims(grid)), paragraph(JOINT)]
    parts += list(_plots(grid))
    parts += list(_tables(grid))
    return [*parts, *_explained(grid)]


def text_of(grid: RoundingGrid) -> str:
    """Return the comparison as text to read in a terminal."""
    lines = [title_of(grid), OWN_WORK, "", *bullets(_made(grid))]
    for head, told in (("In short", in_short(grid)), (CLAIMS, claims(grid))):
        lines += ["", *headed(head), *bullets(told)]
    for listing in (whole_table(grid), refused_table(grid)):
        if listing.rows:
            lines += ["", *headed(listing.title), *columns(listing)]
    return "\n".join(lines)


def _made(grid: RoundingGrid) -> tuple[str, ...]:
    """Say what was rounded, and how."""
    base = "; of base, a multiple of one number" if "base" in grid.methods() else ""
    of = "its region" if grid.representative == "midpoint" else "the values in its region"
    columns = f"{len(grid.columns)} columns" if len(grid.columns) > 1 else "one column"
    told = [
        f"{grid.rows} rows; {columns}, rounded one at a time: {', '.join(grid.columns)}.",
        f"A rounding point is the {grid.representative} of {of}{base}.",
    ]
    if grid.left_out:
        told.append(f"{grid.left_out} rows were left out for a missing number or class.")
    if grid.model == "tree":
        told.append(
            f"Decision trees predict {grid.target}, which is not rounded; cross-validated in"
            f" {grid.folds} parts."
        )
    if grid.model == "regression":
        told.append(
            f"Linear regressions predict {grid.target}, which is rounded, too, as in the paper:"
            " with every column treated alike, correlations are kept better. Cross-validated in"
            f" {grid.folds} parts."
        )
    return (*told, *grid.notes)


def _plots(grid: RoundingGrid) -> Iterator[Html]:
    """Draw loss, risk and score, with the words a stranger needs above each."""
    level = LEVELS if grid.by_rule("classes") else ""
    drawn = (
        (family_plot(grid, "k"), f"{BY_K} {PER_MEASURE}"),
        (family_plot(grid, "c"), f"{BY_C}{level} {PER_MEASURE}"),
        (score_plot(grid), SCORES),
        (model_plot(grid), FOR_MODELS),
    )
    for shown, words in drawn:
        if shown is not None:
            yield heading(shown.scene.title)
            yield paragraph(words)
            yield picture(replace(shown.scene, title=""), shown.words)


def _tables(grid: RoundingGrid) -> Iterator[Html]:
    yield heading("Tables")
    for family in FAMILIES:
        yield _table(family_table(grid, family), f"; the star is the lowest score at this {family}")
    yield _table(models_table(grid))
    yield _table(refused_table(grid))


def _table(listing: Listing, more: str = "") -> Html:
    starred = any(cell.endswith(BEST) for row in listing.rows for cell in row)
    caption = f"{listing.title}{more if starred else ''}"
    return table(listing.head, listing.rows, caption=caption, words=listing.words)


def _explained(grid: RoundingGrid) -> Iterator[Html]:
    """Say what each measure and each method is."""
    yield heading("What was measured")
    yield items([f"{gauge.name}: {gauge.words}." for gauge in grid.gauges.values()])
    yield heading("The methods")
    rows = [
        (name, METHODS[name].promises, METHODS[name].leaves_open)
        for name in grid.methods()
        if name in METHODS
    ]
    caption = "What each method promises of one column, and what it does not protect"
    head = ("method", "promises", "does not protect")
    yield table(head, rows, caption=caption, words=(0, 1, 2))


SHOWN = ("sse", "il_metrics", "il1s", "ddr", "idr", "score")
AXES = {"k": "k, least rows at a point", "c": "c, number of points"}
FAR = 2.5  # times what the methods below it reach
ROOM = 1.3
BEYOND = "lines that leave a drawing at the top, or are not to be seen in it, lie above"
NOT_ROUNDED = "not rounded"


def family_plot(grid: RoundingGrid, family: str) -> Plot | None:
    """Draw each measure against k or c, one line a method (Fig. 2 and 3 of the paper)."""
    panels = tuple(_panel(grid, family, measure) for measure in SHOWN)
    if not any(panel.marks for panel in panels):
        return None
    methods = ", ".join(grid.methods(family))
    title = {
        "k": "Methods that put at least k rows at each rounding point",
        "c": "Methods that make c rounding points",
    }[family]
    said = " ".join(filter(None, (_best_of(grid, family, measure) for measure in SHOWN)))
    return Plot(
        Scene(panels, title, _notes(panels)),
        f"Lines of {methods} against {family}. {said}".strip(),
    )


def model_plot(grid: RoundingGrid) -> Plot | None:
    """Draw what models of rounded rows reach on original and on rounded ones."""
    keys = tuple(MODELS.get(grid.model, ()))
    panels = tuple(
        panel
        for family in ("k", "c")
        for key in keys
        for panel in (_panel(grid, family, key),)
        if panel.marks
    )
    if not panels:
        return None
    kind = {"tree": "decision trees", "regression": "linear regressions"}[grid.model]
    of = "class" if grid.model == "tree" else "value"
    return Plot(
        Scene(panels, f"How well {kind} of rounded rows tell the {of}", _notes(panels)),
        f"Lines of {', '.join(f'{grid.gauges[key].name}' for key in keys)} against k and c, beside"
        " the level of a model of unrounded rows.",
    )


def score_plot(grid: RoundingGrid) -> Plot | None:
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
    rungs = len(grid.common("score", names))
    over = f"mean over {rungs} settings" if rungs > 1 else "of one setting"
    return Plot(
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
        marks += _levels(grid, family, measure, [x for mark in marks for x in mark.x[0]])
    limits = _limits([max(mark.y[0]) for mark in marks])
    name = gauge.name[0].upper() + gauge.name[1:]
    return Panel(tuple(marks), Axis(AXES[family]), Axis("", limits), name)


def _levels(grid: RoundingGrid, family: str, measure: str, xs: Sequence[float]) -> list[Lines]:
    """Draw methods without a number beside those with c, and the unrounded table beside both."""
    ends = min(xs), max(xs)
    marks = []
    for trial in grid.by_rule("classes") if family == "c" else ():
        y = trial.value(measure)
        if math.isfinite(y):
            marks.append(Lines((ends,), ((y, y),), "series", trial.method))
    level = grid.unrounded.get(measure, math.nan)
    if math.isfinite(level):
        marks.append(Lines((ends,), ((level, level),), "trend", NOT_ROUNDED))
    return marks


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


def _notes(panels: Sequence[Panel]) -> tuple[str, ...]:
    return (BEYOND,) if any(panel.y.limits and panel.y.limits[0] == 0 for panel in panels) else ()


def _best_of(grid: RoundingGrid, family: str, measure: str) -> str:
    means = grid.means(measure, family)
    if len(means) < 2:
        return ""
    return f"{grid.gauges[measure].name}: least on average {next(iter(means))}."


#: Stands behind the best score of its rung.
BEST = " *"
LOSSES = ("sse", "il_metrics", "il1s", "ddr", "idr", "score")
TITLES = {
    "k": "Methods steered by k, the least number of rows at a rounding point",
    "c": "Methods steered by c, the number of rounding points",
    "classes": "Methods steered by the classes of the target",
}


def family_table(grid: RoundingGrid, family: str) -> Listing:
    """Return loss and risk of each setting of a family, and how many rows stand at its points."""
    keys = (*LOSSES, "score_by_sum")
    head = (
        *("method", "setting"),
        *(grid.gauges[key].name for key in keys),
        *("points a column", "rows at the least used", "rows in groups below k, %"),
        "rows alone, %",
    )
    rows = [
        (
            *(trial.method, trial.setting),
            *(_number(grid, trial, key, (family,)) for key in keys),
            *(_points(trial), _whole(trial.fewest)),
            *(_percent(trial.below), _percent(trial.alone)),
        )
        for trial in _ordered(grid, family)
    ]
    return Listing(TITLES[family], head, tuple(rows), (0, 1))


def models_table(grid: RoundingGrid) -> Listing:
    """Return what the models reach of each setting, beside the model of unrounded rows."""
    keys = tuple(MODELS.get(grid.model, ()))
    others = ("entropy", "correlation", "il_metrics", "score")
    title = {
        "": "",
        "tree": f"Decision trees for {grid.target}",
        "regression": f"Linear regressions of {grid.target}",
    }[grid.model]
    head = ("method", "setting", *(grid.gauges[key].name for key in (*keys, *others)))
    if not keys:
        return Listing(title, head, (), (0, 1))
    plain = ("none", "not rounded", *(as_text(_of(grid, key)) for key in (*keys, *others)))
    rows = [
        (trial.method, trial.setting, *(as_text(trial.value(key)) for key in (*keys, *others)))
        for family in ("k", "c", "classes")
        for trial in _ordered(grid, family)
    ]
    return Listing(title, head, (plain, *rows), (0, 1))


def whole_table(grid: RoundingGrid) -> Listing:
    """Return the numbers that a terminal has room for, of all families."""
    keys = (*LOSSES, *tuple(MODELS.get(grid.model, ()))[:1])
    short = {"acc_o": "acc, %", "acc_v": "acc V, %", "il_metrics": "IL"}
    names = (short.get(key, grid.gauges[key].name) for key in keys)
    head = ("method", "setting", *names, "alone, %")
    rows = [
        (
            *(trial.method, trial.setting),
            *(as_text(trial.value(key)) for key in keys),
            _percent(trial.alone),
        )
        for family in ("k", "c", "classes")
        for trial in _ordered(grid, family)
    ]
    return Listing("All settings", head, tuple(rows), (0, 1))


def refused_table(grid: RoundingGrid) -> Listing:
    """Return the settings that cannot be used on the table, and why."""
    rows = tuple((t.method, t.setting, t.refused) for t in grid.trials if t.refused is not None)
    title = "Settings that cannot be used on this table"
    return Listing(title, ("method", "setting", "why"), rows, (0, 1, 2))


def _ordered(grid: RoundingGrid, family: str) -> Iterator[Trial]:
    """Go through the usable trials of a family: by rung, and those without one at the end."""
    yield from sorted(
        (t for t in grid.usable if t.family == family),
        key=lambda trial: math.inf if trial.rung is None else trial.rung,
    )


def _number(grid: RoundingGrid, trial: Trial, key: str, families: tuple[str, ...]) -> str:
    """Write a number, and a star behind the best score of its rung."""
    text = as_text(trial.value(key))
    if key != "score" or trial.rung is None or len(grid.methods(*families)) < 2:
        return text
    return text + (BEST if trial.method in grid.best_at(key, trial.rung, *families) else "")


def _of(grid: RoundingGrid, key: str) -> float:
    return grid.unrounded.get(key, math.nan)


def _points(trial: Trial) -> str:
    """Write how many points are in use: one number, or from the fewest to the most of a column."""
    low, high = min(trial.points.values()), max(trial.points.values())
    return str(low) if low == high else f"{low} to {high}"


def _whole(count: int | None) -> str:
    return "-" if count is None else str(count)


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


def as_text(value: float) -> str:
    """Write a number with three digits that count, and a missing one as a dash.

    Examples
    --------
    >>> as_text(0.01234), as_text(98.76), as_text(123456.0), as_text(float("nan"))
    ('0.0123', '98.8', '123,000', '-')
    """
    if value != value:
        return "-"
    short = float(f"{value:.3g}")
    return f"{short:,.0f}" if abs(short) >= 1000 else f"{short:.3g}"


def stated(measure: str, value: float) -> str:
    """Write a value with its unit, as a sentence has it."""
    return f"{as_text(value)} %" if measure in PERCENT else as_text(value)


def in_short(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what was found, a sentence for each measure; means are over the settings."""
    told = [_ranking(grid, measure, head) for measure, head in HEADS.items()]
    told += [_against_unrounded(grid), _freedman_diaconis(grid), _by_classes(grid)]
    return tuple(filter(None, told))


def _ranking(grid: RoundingGrid, measure: str, head: str) -> str:
    """Say which methods are the first, the second and the last by their means."""
    means = grid.means(measure) if measure in grid.gauges else {}
    if len(means) < 2:
        return ""
    rungs = grid.common(measure, grid.methods("k", "c"))
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


def _key(grid: RoundingGrid) -> str:
    return {"tree": "acc_o", "regression": "mse"}.get(grid.model, "")


def _model(grid: RoundingGrid) -> str:
    return {"tree": "tree", "regression": "regression"}[grid.model]


def _against_unrounded(grid: RoundingGrid) -> str:
    key = _key(grid)
    if key not in grid.unrounded:
        return ""
    tried = [t for t in grid.usable if t.rung is not None]
    good = grid.as_good_as_unrounded(key, tried)
    of = {m: sum(t.method == m for t in good) for m in dict.fromkeys(t.method for t in tried)}
    each = ", ".join(f"{method} {times}" for method, times in of.items())
    row = f" One row is {100 / grid.rows:.2g} points of accuracy." if grid.model == "tree" else ""
    return (
        f"A {_model(grid)} that learned from unrounded rows has"
        f" {stated(key, grid.unrounded[key])} ({grid.gauges[key].name}); one that learned from"
        f" rounded rows does at least as well in {len(good)} of {len(tried)} settings ({each})."
        f"{row}"
    )


def _freedman_diaconis(grid: RoundingGrid) -> str:
    key = _key(grid)
    tried = grid.by_rule(FREEDMAN_DIACONIS)
    if not tried or not key:
        return ""
    return (
        f"With the parameter chosen by the Freedman-Diaconis rule, {_span(key, tried)}; not rounded"
        f" {stated(key, grid.unrounded[key])}."
    )


def _by_classes(grid: RoundingGrid) -> str:
    tried = grid.by_rule("classes")
    if not tried or not grid.unrounded:
        return ""
    each = "; ".join(
        f"{t.method} {stated('acc_v', t.value('acc_v'))} on rounded and"
        f" {stated('acc_o', t.value('acc_o'))} on original rows"
        for t in tried
    )
    level = stated("acc_o", grid.unrounded["acc_o"])
    return f"Trees after methods that look at the classes: {each}; not rounded {level}."


def _span(measure: str, trials: Sequence[Trial]) -> str:
    ordered = sorted(trials, key=lambda trial: trial.value(measure))
    low, high = ordered[0], ordered[-1]
    return (
        f"from {stated(measure, low.value(measure))} ({low.method}) to"
        f" {stated(measure, high.value(measure))} ({high.method})"
    )


def claims(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what must not be claimed of any of it, with the numbers of this table."""
    return tuple(filter(None, (_rows_alone(grid), _points_alone(grid), *ALWAYS)))


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


def _rows_alone(grid: RoundingGrid) -> str:
    """Say that columns rounded one at a time leave rows alone, at the least and the largest k."""
    known = [t for t in grid.usable if t.rung is not None and t.alone is not None]
    if not known:
        return ""
    joint = "in all columns together" if len(grid.columns) > 1 else "in the one column"
    words = (
        "That rows are k-anonymous: that each shares its rounded values with k - 1 others. Columns"
        " are rounded one at a time"
    )
    spans = []
    for rung in sorted({min(t.rung or 0 for t in known), max(t.rung or 0 for t in known)}):
        here = sorted((t for t in known if t.rung == rung), key=lambda t: t.alone or 0.0)
        low, high = (f"{100 * (t.alone or 0.0):.1f} %" for t in (here[0], here[-1]))
        span = f"from {low} ({here[0].method}) to {high} ({here[-1].method})"
        spans.append(f"at k = {here[0].k} {low if low == high else span}")
    return f"{words}; {', and '.join(spans)} of the rows share their values {joint} with nobody."


def _points_alone(grid: RoundingGrid) -> str:
    """Say which methods have rounding points of one row, which are that row's own value."""
    alone = [t for t in grid.usable if t.fewest == 1]
    if not alone:
        return ""
    names = ", ".join(dict.fromkeys(t.method for t in alone))
    settings = "settings" if len(alone) > 1 else "setting"
    return (
        "That every rounding point stands for many rows. Only methods steered by k promise that; in"
        f" {len(alone)} {settings}, of {names}, a point stands for one row alone and is as good as"
        " its original value."
    )
