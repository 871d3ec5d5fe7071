"""The report of a release: what was done, what it gives away, what is left of its use.

The same content as text, JSON and one page. Like a view it may be looked at freely, and asks the
gate it was given before it is released.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.document import Document, Documented, Listing, Picture, Words
from discreet.errors import InputError
from discreet.measure.evaluate import RISKS, WIDTHS, Measured, Scores, measured
from discreet.measure.models import Coefficients
from discreet.measure.pairs import Pair, as_pair
from discreet.measure.rmd import RmdGrid
from discreet.measure.summary import NOT_PAIRED, claims_of, summary
from discreet.measure.utility import QUANTILES, Preservation
from discreet.render.scene import Axis, Bars, Box, Boxes, Intervals, Lines, Panel, Scene
from discreet.table import shown

if TYPE_CHECKING:
    from discreet.measure.attack_report import AttackReport

SCHEMA = 1
SUFFIXES = (".html", ".json", ".txt")
LEAD = (
    "What was done to this table before it was released, what somebody could still learn from it"
    " about a person, and what it can be used for."
)
CLAIMS = "What must not be claimed"
TRIED = "Attacks that were tried"
ATTACKS = "Each number is for one attack that was tried; its failure says nothing about others."


@dataclass(frozen=True, eq=False, repr=False)
class Report(Documented):
    """What was done to a table, what somebody could learn from the result, and its use.

    Parameters
    ----------
    title : str
        What the release is called.
    made : mapping of str to plain values
        What was done, in the order of the report: method, parameters, strata, repairs, missing
        values, policy, versions. Counts in it are as the caller rounded them.
    measured : Measured
        Risk and utility; rounded by the caller where a policy asks for it.
    plots : tuple of Picture
        Plots besides those of what was measured, such as histograms; the caller decides what
        may be shown.
    notes : tuple of str
        What else the reader must know.
    claims : tuple of str or None
        What must not be claimed; by default what fits the method.
    attacks : AttackReport or None
        A section of attacks that were tried on the table; rounded by the caller where a policy
        asks for it.

    Notes
    -----
    It tells of attacks that were tried. It is no proof that others fail, and it knows no other
    release of the same data.

    Examples
    --------
    >>> from discreet.measure.pairs import Estimate
    >>> measured = Measured(columns=("age",), risks={"linkage": Estimate("linked", 17, 100, 0.01)})
    >>> report = Report("cohort.csv", {"method": "microaggregation", "k": 5}, measured)
    >>> report
    Report(cohort.csv: microaggregation, k = 5)
    """

    title: str
    made: Mapping[str, Any]
    measured: Measured
    plots: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[str, ...] | None = None
    attacks: AttackReport | None = None

    what: ClassVar[str] = "a report"

    def __repr__(self) -> str:
        known = [str(self.made["method"])] if self.made.get("method") else []
        known += [f"{name} = {self.made[name]}" for name in ("k", "q") if self.made.get(name)]
        return f"Report({self.title}{': ' if known else ''}{', '.join(known)})"

    def saved_as(self, name: str, sha256: str) -> Report:
        """Return the report of a table that was written to a file of this name and checksum."""
        return replace(self, made=MappingProxyType({**self.made, "file": name, "sha256": sha256}))

    def summary(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return headings and sentences; the first is on the worst attack that was tried."""
        worst = None if self.attacks is None else self.attacks.worst()
        further = None if worst is None else (worst.title, worst.found)
        return summary(self.measured, self.made, further)

    def in_words(self) -> str:
        """Return the summary in plain words, to read in a terminal."""
        tried = [] if self.attacks is None else [Words(TRIED, self.attacks.in_short())]
        blocks = (*itertools.starmap(Words, self.summary()), *tried, *self._notes())
        return "\n\n".join("\n".join(it.text()) for it in blocks)

    def document(self) -> Document:
        """Return the report: sentences, plots, tables, attacks, and what must not be claimed."""
        tried = [] if self.attacks is None else [Words(TRIED), *self.attacks.blocks()]
        blocks = (
            Words("", (LEAD,), "lead"),
            *itertools.starmap(Words, self.summary()),
            *self._pictures(),
            Words("Tables", (ATTACKS,), "soft"),
            *listings(self.measured, self.made),
            *tried,
            Words(CLAIMS, self._claims()),
            *self._notes(),
        )
        return Document(self.title, blocks)

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds but the provenance."""
        plain: dict[str, Any] = {
            "discreet": SCHEMA,
            "kind": "report",
            "title": self.title,
            "made": self.made,
            "summary": [{"heading": head, "sentences": it} for head, it in self.summary()],
            "measured": self.measured.to_dict(),
            "pictures": [shown.words for shown in self._pictures()],
            "claims_not_to_make": self._claims(),
            "notes": self.notes,
        }
        if self.attacks is not None:
            plain["attacks"] = self.attacks.to_dict()
        values: dict[str, Any] = _plain(plain)
        return values

    def _claims(self) -> tuple[str, ...]:
        return claims_of(self.made.get("method")) if self.claims is None else self.claims

    def _notes(self) -> tuple[Words, ...]:
        return (Words("Notes", self.notes),) if self.notes else ()

    def _pictures(self) -> tuple[Picture, ...]:
        scores, model, grid = self.measured.scores, self.measured.model, self.measured.grid
        return (
            *self.plots,
            *([scores_plot(scores)] if scores else []),
            *([model_plot(model)] if model else []),
            *([grid_plot(grid)] if grid else []),
        )


def _plain(value: Any) -> Any:
    """Return what JSON holds: no number that is none, no tuple, no array."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | str | int):
        return value
    if hasattr(value, "item"):  # a number of numpy
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


# --- the tables of a report -------------------------------------------------------------------

NOTHING = 1e-12  # what is smaller is the rounding of a 0


def listings(measured: Measured, made: Mapping[str, Any]) -> list[Listing]:
    """Return the tables of a report; those without rows are left out."""
    done = tuple((name.replace("_", " "), plain_words(value)) for name, value in made.items())
    every = [
        Listing("What was done", ("setting", "value"), done, (0, 1)),
        *_risks(measured),
        *_uses(measured),
    ]
    return [listing for listing in every if listing.rows]


def plain_words(value: Any) -> str:
    """Write a plain value as a table shows it.

    Examples
    --------
    >>> [plain_words(it) for it in (0.0114321, None, True, ["a", "b"], {"Fare": 3}, 12345)]
    ['0.0114', '-', 'yes', 'a, b', 'Fare: 3', '12345']
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value + 0.0:.3g}" if abs(value) > NOTHING else "0"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain_words(part)}" for key, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(plain_words(part) for part in value) or "-"
    return str(value)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _values(title: str, values: Mapping[str, Any]) -> Listing:
    rows = tuple((name, plain_words(value)) for name, value in values.items() if value is not None)
    return Listing(title, ("measure", "value"), rows)


def _risks(measured: Measured) -> Iterator[Listing]:
    to = measured.rounded_to
    rows = []
    for risk in (measured.risks[key] for key in RISKS if key in measured.risks):
        ends = f"{100 * risk.low:.1f} to {100 * risk.high:.1f} %"
        count = f"{risk.count:.0f}" if risk.count == round(risk.count) else f"{risk.count:.1f}"
        share, guessing = _percent(risk.share), _percent(risk.baseline)
        rows.append((risk.what, share, ends, f"{count} of {risk.trials}", guessing))
    yield Listing(
        "Risks" if to in (None, 1) else f"Risks, of counts rounded to multiples of {to}",
        ("counted", "share", "interval", "count", "guessing"),
        tuple(rows),
    )
    yield _values(
        f"Strata of the released table ({', '.join(measured.strata)})",
        {
            "k: rows in the smallest stratum": measured.k,
            "l: fewest different sensitive values in a stratum": measured.l,
            "t: largest distance of a stratum's sensitive values from all": measured.t,
        },
    )
    yield Listing(
        "Every one to three of the strata, in the released table",
        ("known", "rows of the smallest", "alone"),
        tuple(
            (", ".join(one.columns), str(one.k), _percent(one.uniqueness.share))
            for one in measured.combinations
        ),
    )
    if (grid := measured.grid) is not None:
        widths = tuple(
            (f"{w1:g}", _percent(first.share), *(_percent(risk.share) for risk in row))
            for w1, first, row in zip(grid.w1s, grid.risk1, grid.risk2, strict=True)
        )
        title = "Robust distance risks by half width w1 and distance w2"
        distances = (f"risk2, w2 = {w2:g}" for w2 in grid.w2s)
        yield Listing(title, ("w1", "risk1", *distances), widths, ())


def _uses(measured: Measured) -> Iterator[Listing]:
    kept = measured.preservation or Preservation({}, {}, {}, {}, {})
    columns = []
    for name in measured.columns:
        values = measured.displacement.get(name), kept.means.get(name), kept.spreads.get(name)
        if values != (None, None, None):
            columns.append((name, *map(plain_words, values)))
    yield Listing(
        "Columns: 0, 0 and 1 if nothing changed",
        ("column", "displacement", "mean moved, in sd", "sd kept"),
        tuple(columns),
    )
    yield Listing(
        "Quantiles: how far each moved, in sd",
        ("column", *(f"{100 * share:g} %" for share in QUANTILES)),
        tuple((name, *map(plain_words, moved)) for name, moved in kept.quantiles.items()),
    )
    yield Listing(
        "Correlations: released less original",
        ("columns", "difference"),
        tuple((", ".join(names), plain_words(moved)) for names, moved in kept.correlations.items()),
    )
    yield Listing(
        "Shares of levels: 0 if none changed, at most 1",
        ("column", "difference"),
        tuple((name, plain_words(moved)) for name, moved in kept.levels.items()),
    )
    yield _values(
        "The whole table",
        {
            "U: how well a model tells the tables apart, 0 to 0.25": measured.u,
            "U relative to that of a fresh sample": measured.ratio,
            "rows left out for a missing number": measured.left_out or None,
        },
    )
    if (model := measured.model) is not None:
        tables = (model.original, model.original_se, model.released, model.released_se)
        digits = 2 if measured.rounded_to is None else 1
        yield Listing(
            f"Regression {model.formula}; difference in original standard errors",
            ("term", "original", "SE", "released", "SE", "difference", "overlap"),
            tuple(
                (str(term), *(f"{value:.4g}" for value in values), f"{d:.{digits}f}", f"{o:.2f}")
                for term, *values, d, o in zip(
                    model.terms, *tables, model.difference, model.overlap, strict=True
                )
            ),
        )


# --- the plots of a report --------------------------------------------------------------------

Counts = Sequence[float | None]

INTERVALS = "bars are 95 % intervals; all divided by the standard error in the original"
GAPS = "hatched below the axis: nobody, or too few people to show"


def scores_plot(scores: Scores) -> Picture:
    """Draw the propensity scores of both tables as boxes side by side (Fig. 3 of the paper)."""
    boxes = (Box("original", *scores.original), Box("released", *scores.released))
    each = "" if scores.k is None else f"; each number is the mean of {scores.k} rows' scores"
    middles = " and ".join(f"{box.label} {box.median:.3g}" for box in boxes)
    panel = Panel((Boxes(boxes),), Axis(""), Axis("propensity score"))
    note = f"the probability, by a model, that a row is a released one{each}"
    return Picture(
        Scene((panel,), "Can a model tell the two tables apart?", (note,)),
        f"Box plots of propensity scores; medians: {middles}."
        " The more alike the boxes, the less a model can tell the tables apart.",
    )


def model_plot(model: Coefficients) -> Picture:
    """Draw the coefficients of both tables with their 95 % intervals (Fig. 4 and 6).

    All are divided by their original standard error, so that the distance of two marks is the
    standardised difference. (The paper standardises the columns instead.)
    """
    rows = []
    for values, (low, high) in (
        (model.original, model.original_interval),
        (model.released, model.released_interval),
    ):
        ends = np.array([low, values, high]) / model.original_se
        known: list[bool] = np.isfinite(ends).all(axis=0).tolist()  # type: ignore[assignment]
        rows.append(
            tuple(
                (float(a), float(b), float(c)) if ok else None
                for a, b, c, ok in zip(*ends, known, strict=True)
            )
        )
    terms = tuple(map(str, model.terms))
    zero = Lines(((0.0, 0.0),), ((-1.0, float(len(terms))),), "reference")
    down = (len(terms) - 0.4, -0.6)  # the first term on top
    panel = Panel(
        (Intervals(tuple(rows), ("original", "released")), zero),
        Axis("coefficient, in its original standard errors"),
        Axis("", down, terms),
    )
    far = [t for t, d in zip(terms, model.difference, strict=True) if np.isfinite(d) and d > 1]
    verdict = "none of them is more than one standard error apart"
    if far:
        verdict = f"more than one standard error apart: {', '.join(far)}"
    return Picture(
        Scene((panel,), "Does a regression give the same answer?", (model.formula, INTERVALS)),
        f"Coefficients of {model.formula} from the original and the released table: {verdict}.",
    )


def grid_plot(grid: RmdGrid) -> Picture:
    """Draw the robust Mahalanobis risks against their widths (Fig. 5)."""
    first = tuple(100 * risk.share for risk in grid.risk1)
    left = Panel(
        (Lines((grid.w1s,), (first,), "trend"),),
        Axis("w1, half width of the interval"),
        _from_zero("risk1, %", first),
        "risk1",
    )
    rows = tuple(tuple(100 * risk.share for risk in row) for row in grid.risk2)
    right = Panel(
        (Lines((grid.w2s,) * len(rows), rows, "level", "w1", grid.w1s),),
        Axis("w2, distance to other rows"),
        _from_zero("risk2, %", [share for row in rows for share in row]),
        "risk2",
    )
    lowest, highest = min(first), max(first)
    return Picture(
        Scene((left, right), "Rows that the robust distance measure flags as risky", ()),
        f"risk1 from {lowest:.1f} % at the narrowest to {highest:.1f} % at the widest interval;"
        " risk2 falls as w2 grows.",
    )


def _from_zero(label: str, shares: Sequence[float]) -> Axis:
    top = max(shares) or 1.0
    return Axis(label, (-0.03 * top, 1.05 * top))  # a line at 0 would lie under the axis


def histogram_plot(
    name: str, edges: Sequence[float], original: Counts, released: Counts
) -> Picture:
    """Draw what may be shown of a column of both tables on the same bins, None where hidden."""
    if not len(original) == len(released) == len(edges) - 1:
        raise InputError("both histograms must have one bin fewer than there are edges")
    bars = Bars(tuple(edges), tuple(original))
    xs: list[tuple[float, ...]] = []
    ys: list[tuple[float, ...]] = []
    for low, high, height in zip(edges[:-1], edges[1:], released, strict=True):
        if height is None:
            continue
        if xs and xs[-1][-1] == low:  # one line over bins that touch
            xs[-1], ys[-1] = (*xs[-1], low, high), (*ys[-1], height, height)
        else:
            xs.append((low, high))
            ys.append((height, height))
    top = max((v for v in (*original, *released) if v is not None), default=1.0) or 1.0
    line = Lines(tuple(xs), tuple(ys), "trend", "released")
    panel = Panel(
        (bars, line),
        Axis(name, (edges[0], edges[-1])),
        Axis(f"rows per unit of {name}", (0.0, 1.05 * top)),
    )
    hidden = None in original or None in released
    notes = ("bars: original; line: released", *([GAPS] if hidden else []))
    return Picture(
        Scene((panel,), f"{name}, before and after", notes),
        f"Histogram of {name} in the original table, with that of the released one as a line.",
    )


MOST_CODES = 20
"""A column of more different whole numbers than this is never taken for one of codes."""
UNRELATED = 0.95
"""Rows this far apart, as a share of what rows at random are, do not correspond."""
CHANCE = 2.0
"""So many times 1 over the root of the rows may rows at random be nearer than that by chance."""


def compare(
    original: object,
    released: object,
    *,
    strata: Sequence[str] = (),
    sensitive: str | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    formula: str | None = None,
    same_rows: bool = True,
    dates: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """Measure what a released table gives away of the original, and what use is left.

    Parameters
    ----------
    original, released : frame, path or array
        The columns of the released table must be columns of the original.
    strata : sequence of str, optional
        Columns of levels that an attacker may know; all but the sensitive one by default.
    sensitive : str, optional
        A column of levels that is to stay unknown.
    categorical : sequence of str, optional
        Columns of codes that are levels. Columns of at most 20 different whole numbers that are the
        same in both tables are taken for levels anyway, unless the formula has them as numbers.
    drop : sequence of str, optional
        Columns of the released table that are not compared.
    formula : str, optional
        A regression to fit to both tables.
    same_rows : bool, default True
        Whether the i-th row of one is the i-th row of the other. Where it is not, only what needs
        no such order is measured.
    dates : mapping of str to str
        How dates in text are written in the original, where its rows do not say it: "%d/%m/%Y".

    Returns
    -------
    Report
        Exact numbers of raw data: for the custodian, and no release. Rows with a missing number in
        either table are left out, and the report says how many.

    Raises
    ------
    InputError
        If the tables do not fit, or `same_rows` is said of rows that do not correspond.

    Notes
    -----
    **What it does not tell.** What another attack, other knowledge or another release would give.

    Examples
    --------
    >>> before = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [9.0, 7.0], [4.0, 4.0], [6.0, 8.0]]
    >>> after = [[1.5, 1.5], [1.5, 1.5], [3.5, 4.5], [7.5, 7.5], [3.5, 4.5], [7.5, 7.5]]
    >>> compare(before, after).measured.risks["linkage"].share
    0.5
    """

    def read(levels: Sequence[str]) -> Pair:
        return as_pair(
            original, released, categorical=levels, drop=drop, same_rows=same_rows, dates=dates
        )

    pair = read(categorical)
    named = {*strata, *([sensitive] if sensitive else [])}
    plain = _plain_names(formula) - named
    codes = [name for name in _codes(pair, named) if name not in plain]
    if codes:
        pair = read([*categorical, *codes])
    if same_rows:
        check_correspond(pair)
    numbers = measured(
        pair, strata=strata, sensitive=sensitive, formula=formula, w1s=WIDTHS, w2s=WIDTHS
    )
    notes = ["For the custodian: exact numbers of the original table, not for release."]
    if codes:
        words = ", ".join(codes)
        notes.append(f"Treated as levels, being few whole numbers that did not change: {words}.")
    if not same_rows:
        notes.append("Rows were not compared one by one.")
    made = {
        "original": _name(original),
        "released": _name(released),
        "columns": list(pair.original.numbers),
        "levels": list(pair.original.levels),
    }
    if not same_rows:
        made["rows"] = NOT_PAIRED
    title = f"{_name(released)} compared with {_name(original)}: for the custodian, not for release"
    return Report(title, MappingProxyType(made), numbers, notes=tuple(notes))


def check_correspond(pair: Pair) -> None:
    """Refuse two tables whose rows are as far apart as rows at random: risks would be too small."""
    if not pair.original.numbers or len(pair.original) < 3:
        return
    before, after = pair.original.matrix, pair.released.matrix
    spread = before.var(axis=0)
    # One mean for all tells nothing of order; its variance may be a last digit instead of zero.
    known = (np.ptp(before, axis=0) > 0) & (np.ptp(after, axis=0) > 0)
    if not known.any():
        return
    apart = ((before - after)[:, known] ** 2).mean(axis=0) / spread[known]
    shift = (before.mean(axis=0) - after.mean(axis=0))[known] ** 2
    random = 1 + (after.var(axis=0)[known] + shift) / spread[known]
    limit = max(0.5, min(UNRELATED, 1 - CHANCE / np.sqrt(len(before))))
    if apart.sum() >= limit * random.sum():
        raise InputError(
            "the rows of the two tables do not seem to correspond: they are as far apart as "
            "random rows, as in a table that was sorted or shuffled, or a copy whose rows were "
            "drawn anew. Put them in the same order, or compare without pairing "
            "(--no-same-rows, same_rows=False)"
        )


def _codes(pair: Pair, named: set[str]) -> list[str]:
    """Name the columns of few whole numbers that did not change, or that are named as levels."""
    codes = []
    for name, before in pair.original.numbers.items():
        after = pair.released.numbers[name]
        whole = len(np.unique(before)) <= MOST_CODES and bool((before == np.floor(before)).all())
        if pair.same_rows:
            same = bool(np.array_equal(before, after))
        else:
            same = set(np.unique(after)) <= set(np.unique(before))
        if whole and (same or name in named):
            codes.append(name)
    return codes


def _plain_names(formula: str | None) -> set[str]:
    """Return what a formula names outside C(...): numbers, where they are columns."""
    words = re.findall(r"`([^`]+)`|(\w+)", re.sub(r"\bC\([^)]*\)", "", formula or ""))
    return {quoted or word for quoted, word in words}


def _name(source: object) -> str:
    return Path(shown(str(source))).name if isinstance(source, str | Path) else "a table"
