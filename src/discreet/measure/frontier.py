"""The risk-utility map: what each setting would give away, and what it would cost.

A map is made of the raw data by trying settings one after the other. It is the custodian's own
work and no release: its points lie closer to the records than what is released of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from discreet.errors import InputError, RefusedError, one_of
from discreet.methods import Whole
from discreet.provenance import Provenance, Sealer, checksum_of
from discreet.render.marks import SERIES
from discreet.render.report_text import save_asking
from discreet.render.scene import Axis, Dots, Lines, Panel, Scene
from discreet.render.sealing import json_of, released, sealed
from discreet.render.to_html import (
    Html,
    fragment,
    heading,
    items,
    marked_up,
    page,
    paragraph,
    table,
)
from discreet.render.to_matplotlib import figure_bytes

SCHEMA = 1
TITLE = "Risk and utility of the settings"
OWN_WORK = "For the custodian: not a release."
MOST_NAMES = 6  # of efficient settings below a plot
FIGURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Setting:
    """A row method and its parameters, as they are asked for.

    Parameters
    ----------
    method : str
        The name of a row method.
    k, q, m, left_out : int, float, int and float, optional
        The size of its groups, its noise as a share of the standard deviation, and of a copy of the
        whole table the least persons in a leaf and the largest share of persons left out.

    Examples
    --------
    >>> setting = Setting("deterministic", k=5)
    >>> setting.python
    'study.anonymize(method="deterministic", k=5)'
    >>> setting.shell
    'discreet anonymize TABLE --method deterministic -k 5 -o RELEASED.csv'
    """

    method: str
    k: int | None = None
    q: float | None = None
    m: int | None = None
    left_out: float | None = None

    @property
    def name(self) -> str:
        """What the setting is called in a map."""
        return " ".join([self.method, *(f"{name}={value}" for name, value in self._numbers())])

    @property
    def python(self) -> str:
        """The line that makes the release in Python."""
        more = "".join(f", {name}={value}" for name, value in self._numbers())
        return f'study.anonymize(method="{self.method}"{more})'

    @property
    def opened(self) -> str:
        """The line that makes the release of a study whose setting is fixed when it is opened."""
        if self.method != Whole.name:
            return self.python.replace("study", "dc.research(TABLE)")
        fields = ", ".join(f"{name}={value}" for name, value in self._numbers())
        return f"dc.open(TABLE, study.policy.changed({fields})).anonymize()"

    @property
    def shell(self) -> str:
        """The line that makes the release on the command line."""
        given = ((name.replace("_", "-"), value) for name, value in self._numbers())
        more = "".join(f" {'-' if len(it) == 1 else '--'}{it} {value}" for it, value in given)
        if self.method == Whole.name:
            return f"discreet protect TABLE{more} -o RELEASED.csv"
        return f"discreet anonymize TABLE --method {self.method}{more} -o RELEASED.csv"

    def _numbers(self) -> list[tuple[str, float]]:
        names = ("k", "q", "m", "left_out")
        given = ((name, getattr(self, name)) for name in names)
        return [(name, value) for name, value in given if value is not None]


class Risk(Protocol):
    """A share with its interval and what guessing would give: an Estimate, or an attack's."""

    @property
    def share(self) -> float:
        """How often it is so, from 0 to 1."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""

    @property
    def high(self) -> float:
        """The upper end of the interval."""

    @property
    def baseline(self) -> float | None:
        """What guessing would give; None where that makes no sense."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""


@dataclass(frozen=True)
class Point:
    """A setting and what came of it: a risk and a loss, or why it was refused.

    Parameters
    ----------
    setting : Setting
        What was tried.
    risk, loss : Risk (such as an Estimate), float
        The share that stands for the risk, and the loss of utility, at least 0.
    refused : str
        Why the setting cannot be used; then there is neither.

    Raises
    ------
    InputError
        If a point has neither a risk and a loss nor a reason, or both.
    """

    setting: Setting
    risk: Risk | None = None
    loss: float | None = None
    refused: str | None = None

    def __post_init__(self) -> None:
        known = self.risk is not None and self.loss is not None
        if known == (self.refused is not None) or (self.risk is None) != (self.loss is None):
            raise InputError("a point has a risk and a loss, or the reason why it was refused")
        if self.loss is not None and not (math.isfinite(self.loss) and self.loss >= 0):
            raise InputError("the loss of a point must be a finite number of at least 0")

    @property
    def place(self) -> tuple[float, float]:
        """The share at risk and the loss; infinite where the setting was refused."""
        if self.risk is None or self.loss is None:
            return math.inf, math.inf
        return self.risk.share, self.loss


@dataclass(frozen=True)
class RiskUtilityMap:
    """Settings tried on one table, each with its risk and its loss of utility.

    A map does not say which risk is small enough, nor what an attacker with other knowledge would
    find; and it is no release, because several settings of one table together give records away.

    Parameters
    ----------
    points : tuple of Point
        What was tried; each setting once.
    risk_name, loss_name : str
        What the two numbers are, in plain words.
    note : str, optional
        What else the reader must know, such as the table's name.
    guarded : bool, default False
        Whether a study is opened with a setting, rather than asked for a table by it.
    options : str, default ""
        What else the command line needs to make the same table: columns, strata.

    Raises
    ------
    InputError
        If there are no points, or two have the same setting.

    Notes
    -----
    Duncan, Keller-McNulty and Stokes (2001), "Disclosure risk vs. data utility: the R-U
    confidentiality map"; the measures of Avraam et al. (2022).

    Examples
    --------
    >>> from discreet.measure.pairs import Estimate
    >>> def point(k, found, loss):
    ...     return Point(Setting("microaggregation", k=k), Estimate("linked", found, 100), loss)
    >>> tried = RiskUtilityMap((point(3, 30, 0.01), point(5, 18, 0.02), point(4, 31, 0.015)))
    >>> [point.setting.name for point in tried.frontier]
    ['microaggregation k=5', 'microaggregation k=3']
    >>> tried.least_loss(risk_below=0.2).python
    'study.anonymize(method="microaggregation", k=5)'
    """

    points: tuple[Point, ...]
    risk_name: str = "records linked to their own released row"
    loss_name: str = "mean displacement of the columns"
    note: str = ""
    guarded: bool = False
    options: str = ""
    gate: ClassVar[None] = None
    sealer: Sealer | None = field(default=None, compare=False, repr=False)
    provenance: Provenance | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        names = [point.setting.name for point in self.points]
        if not names:
            raise InputError("a risk-utility map needs at least one setting; name methods to try")
        if len(set(names)) < len(names):
            raise InputError("a risk-utility map has each setting once; leave out the repeated")

    def __repr__(self) -> str:
        return f"RiskUtilityMap({len(self.points)} settings; {OWN_WORK})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return fragment(self._parts(), MAP_STYLE)

    @property
    def frontier(self) -> tuple[Point, ...]:
        """The efficient settings, by rising risk.

        No other setting has as little risk and as little loss, and less of one of them.
        """
        efficient: list[Point] = []
        for point in self.usable:
            last = efficient[-1].place if efficient else (math.inf, math.inf)
            if point.place[1] < last[1] or point.place == last:
                efficient.append(point)
        return tuple(efficient)

    @property
    def usable(self) -> tuple[Point, ...]:
        """The settings that were not refused, by rising risk, then loss, then name."""
        known = [point for point in self.points if point.refused is None]
        return tuple(sorted(known, key=lambda point: (*point.place, point.setting.name)))

    def choose(self, name: str) -> Setting:
        """Return the setting of a point that is named as in the map.

        Parameters
        ----------
        name : str
            Such as "deterministic k=5".

        Raises
        ------
        InputError
            If the map has no such point.
        RefusedError
            If the setting was refused.
        """
        wanted = " ".join(name.split())
        for point in self.points:
            if point.setting.name == wanted:
                if point.refused is not None:
                    raise RefusedError(f"{wanted} was refused: {point.refused}")
                return point.setting
        names = [point.setting.name for point in self.points]
        raise InputError(f"no point of this map is called {name!r}; there are {one_of(names)}")

    def least_loss(self, risk_below: float) -> Setting:
        """Return the setting of least loss whose risk is below a stated share.

        Parameters
        ----------
        risk_below : float
            A share above 0 and at most 1; the estimate must be below it, not its interval.

        Raises
        ------
        InputError
            If it is no such share.
        RefusedError
            If no setting has so little risk.
        """
        if not 0 < risk_below <= 1:
            raise InputError("risk_below is a share above 0 and at most 1, such as 0.05")
        usable = self.usable
        fitting = [point for point in usable if point.place[0] < risk_below]
        if fitting:
            return min(fitting, key=lambda p: (p.place[1], p.place[0], p.setting.name)).setting
        lowest = "all settings were refused; try other methods"
        if usable:  # as a whole per cent and no closer
            percent = 1 + math.floor(100 * usable[0].place[0])
            lowest = (
                f"the lowest is below {percent} %; try other methods or a larger k, or allow more"
            )
        raise RefusedError(f"no setting of the map meets this risk; {lowest}")

    def scene(self) -> Scene:
        """Return the map as marks: a series of dots for each method, and the frontier."""
        methods = sorted({point.setting.method for point in self.usable})
        marks: list[Dots | Lines] = []
        for method in methods:
            places = [point.place for point in self.usable if point.setting.method == method]
            xs, ys = tuple(100 * x for x, _ in places), tuple(y for _, y in places)
            marks.append(Dots(xs, ys, (1,) * len(places), label="settings", series=method))
        corners: list[tuple[float, float]] = []  # the least loss for at most so much risk
        for point in self.frontier:
            x, y = 100 * point.place[0], point.place[1]
            corners += [(x, corners[-1][1])] if corners else []
            corners.append((x, y))
        if corners:
            xs, ys = zip(*corners, strict=True)
            marks.append(Lines((xs,), (ys,), "trend", "efficient frontier"))
        names = [point.setting.name for point in self.frontier]
        best = ", ".join(names[:MOST_NAMES]) + (" and more" if names[MOST_NAMES:] else "")
        notes = (OWN_WORK, *([f"efficient: {best}"] if best else []), *filter(None, [self.note]))
        panel = Panel(tuple(marks), Axis(f"{self.risk_name}, %"), Axis(self.loss_name))
        return Scene((panel,), TITLE, notes)

    def to_text(self) -> str:
        """Return the map as a table of text: the efficient settings first."""
        spots = self._spots()
        wide = max([len(spot.name) for spot in spots] + [7])
        lines = [
            *(TITLE, OWN_WORK, *filter(None, [self.note]), ""),
            *(f"risk: {self.risk_name}", f"loss: {self.loss_name}"),
            "* efficient: no other setting has as little of both and less of one",
            "",
            f"  {'setting':{wide}}  {'risk':>7}  {'guessing':>8}  {'loss':>8}",
        ]
        for spot in spots:
            star = "*" if spot.rank else " "
            share = f"{100 * spot.risk:.1f} %"
            lines.append(
                f"{star} {spot.name:{wide}}  {share:>7}  {spot.guess_words:>8}  {spot.loss:>8.3g}"
            )
        refused = [f"  {name}: {why}" for name, why in self._refused()]
        return "\n".join([*lines, *(["", "refused:", *refused] if refused else [])])

    def to_json(self) -> str:
        """Return the map as JSON, in the order of `points`; it says that it is no release."""
        return json_of(self._values(), sealed(self).provenance)

    def _values(self) -> dict[str, Any]:
        efficient = {point.setting for point in self.frontier}
        points = [
            {
                "name": point.setting.name,
                **{n: v for n, v in vars(point.setting).items() if n != "m" or v is not None},
                "risk": None if point.risk is None else point.risk.to_dict(),
                "loss": point.loss,
                "efficient": point.setting in efficient,
                "refused": point.refused,
            }
            for point in self.points
        ]
        told = {"discreet": SCHEMA, "kind": "risk-utility map", "release": False}
        told |= {"risk": self.risk_name, "loss": self.loss_name, "note": self.note}
        return {**told, "points": points}

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds but the provenance."""
        return checksum_of(self._values())

    def to_html(self) -> str:
        """Return one page: the map, and a table its points link to. It has no script."""
        made = released(self, "html", lambda: page("Risk-utility map", self._parts(), MAP_STYLE))
        return made.decode()

    def save(self, path: str | Path) -> Path:
        """Write the map to a file of your own.

        Parameters
        ----------
        path : str or Path
            Ends in .html, .json or .txt, or in .png, .svg or .pdf for the plot.

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        """
        drawn = {suffix: partial(figure_bytes, self.scene(), suffix) for suffix in FIGURES}
        return save_asking(self, path, "a map", drawn)

    def _refused(self) -> list[tuple[str, str]]:
        return [(p.setting.name, p.refused) for p in self.points if p.refused is not None]

    def _spots(self) -> list[Spot]:
        """Return the usable points as a page shows them: the efficient first."""
        ranks = {point.setting: rank for rank, point in enumerate(self.frontier, start=1)}
        spots = []
        for point in (*self.frontier, *(p for p in self.usable if p.setting not in ranks)):
            setting, found, (risk, loss) = point.setting, point.risk, point.place
            shown, guess = f"{100 * risk:.1f} %", "-"
            if found is not None:
                shown += f" ({100 * found.low:.1f} to {100 * found.high:.1f} %)"
                if found.baseline is not None:
                    guess = f"{100 * found.baseline:.1f} %"
            line = setting.opened if self.guarded else setting.python
            apart = self.guarded and setting.method != Whole.name
            options = "" if apart else self.options  # which are those of a guarded study
            spots.append(
                Spot(
                    *(setting.name, setting.method, risk, loss, shown, guess),
                    rank=ranks.get(setting),
                    lines=(line, f"{setting.shell}{options}"),
                )
            )
        return spots

    def _parts(self) -> list[Html]:
        """Return the parts of the page: the map, the table its points link to, what was refused."""
        spots, refused = self._spots(), self._refused()
        parts = [heading(TITLE, 1), paragraph(OWN_WORK, "stamp")]
        parts += [paragraph(note) for note in filter(None, [self.note])]
        if spots:
            methods = sorted({spot.method for spot in spots})
            drawn = _drawing(spots, methods, (self.risk_name, self.loss_name))
            parts += [
                paragraph(
                    f"Left is less risk: {self.risk_name}. Low is less loss: {self.loss_name}. The"
                    " line joins the efficient settings, which are numbered: no other has as"
                    " little of both and less of one. A point on the upper edge may lie beyond it."
                    " Choose a point, or a name in the table, to see how it is made."
                ),
                _signs(methods),
                Html(f'<figure class="map" id="map">{drawn}</figure>'),
                heading("The settings"),
                _rows(spots),
            ]
        if refused:
            caption = "Settings that cannot be used on this table"
            reasons = table(["setting", "why"], refused, caption=caption, words=(0, 1))
            parts += [heading("Refused"), reasons]
        return [*parts, heading("What this does not show"), items(NOT_SAID)]


Place = Callable[[float, float], tuple[float, float]]

NOT_SAID = (
    "Which risk is small enough: that is yours to decide, before you look.",
    "What somebody finds who knows more than the true values of these columns.",
    "What two releases of one table give away together: choose one setting and keep"
    " it, because two settings of one method can give records away exactly.",
)
WIDE, HIGH = 560, 380
LEFT, RIGHT, TOP, BELOW = 78, 32, 16, 58
FAR = 4.0  # times the largest loss of an efficient setting
ROOM_OF_A_NUMBER = 17.0  # so that numbers of neighbours do not lie on each other
# Square, triangle and diamond around a middle.
SHAPES = (
    ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
    ((0.0, -5.8), (5.4, 4.2), (-5.4, 4.2)),
    ((0.0, -6.2), (6.2, 0.0), (0.0, 6.2), (-6.2, 0.0)),
)

MAP_STYLE = """
.discreet .map svg{width:100%;max-width:46rem;height:auto;display:block}
.discreet .map text{fill:var(--ink);font-size:13px;font-family:inherit}
.discreet .map .soft{fill:var(--soft)}
.discreet .map .grid{stroke:var(--line);stroke-width:1}
.discreet .map .steps{stroke:var(--ink);stroke-width:1.6;fill:none;opacity:.65}
.discreet .map .hit{fill:transparent}
.discreet .map a:hover .spot,.discreet .map a:focus .spot{stroke:var(--ink);stroke-width:3}
.discreet .map .plain .spot{fill-opacity:.18}
.discreet .map .rank{font-weight:600;font-size:12px}
.discreet .signs{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}
.discreet .signs svg{width:14px;height:14px;vertical-align:-2px;margin-right:.35rem}
.discreet tbody th{white-space:nowrap}
.discreet .under code{display:block;width:fit-content;margin:.25rem 0;padding:.2rem .5rem;
user-select:all;background:var(--paper)}
@media (max-width:30rem){.discreet .map text{font-size:17px}.discreet .map .rank{font-size:15px}}
""" + "".join(
    f".discreet .s{i} .spot{{fill:{color};stroke:{color};stroke-width:1.5}}\n"
    for i, color in enumerate(SERIES)
)


@dataclass(frozen=True)
class Spot:
    """One point of the map as the page shows it; `rank` numbers the efficient ones from 1."""

    name: str
    method: str
    risk: float
    loss: float
    risk_words: str
    guess_words: str
    rank: int | None
    lines: tuple[str, ...]


def nice_ticks(high: float, most: int = 6) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten from 0 up to just above `high`."""
    if not high > 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    step = next(s * power for s in (1, 2, 5, 10) if s * power * most >= high * (1 - 1e-9))
    count = math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.6g}") for i in range(count + 1)]


def _drawing(spots: Sequence[Spot], methods: Sequence[str], names: tuple[str, str]) -> str:
    efficient = sorted((s for s in spots if s.rank is not None), key=lambda s: (s.risk, s.loss))
    across = nice_ticks(max(spot.risk for spot in spots))
    # Far losses would press the frontier flat.
    most, least = (max(spot.loss for spot in some) for some in (spots, efficient))
    up = nice_ticks(most if most <= FAR * least else FAR / 2 * least)

    def place(risk: float, loss: float) -> tuple[float, float]:
        x = LEFT + (WIDE - LEFT - RIGHT) * risk / across[-1]
        y = HIGH - BELOW - (HIGH - TOP - BELOW) * min(1.0, loss / up[-1])
        return round(x, 1), round(y, 1)

    best = ", ".join(spot.name for spot in efficient)
    said = marked_up(f"Map of {names[0]} against {names[1]}; efficient settings: {best}")
    parts = [
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="group" aria-label="{said}">',
        _grid(across, up, place),
    ]
    # The frontier: the least loss that is to be had for at most so much risk.
    places = [place(spot.risk, spot.loss) for spot in efficient]
    end, top = place(across[-1], up[-1])
    steps = "".join(f"H{x}V{y}" for x, y in places)
    parts.append(f'<path class="steps" d="M{places[0][0]} {top}{steps}H{end}"/>')
    told: list[tuple[float, float]] = []
    numbers = []
    for i, spot in reversed(list(enumerate(spots))):  # the efficient come first, and lie on top
        x, y = place(spot.risk, spot.loss)
        order = methods.index(spot.method)
        look = f"s{order % len(SERIES)}" + ("" if spot.rank else " plain")
        words = marked_up(f"{spot.name}: risk {spot.risk_words}, loss {spot.loss:.3g}")
        parts.append(
            f'<a href="#p{i}" class="{look}" aria-label="{words}"><title>{words}</title>'
            f'<circle class="hit" cx="{x}" cy="{y}" r="12"/>{_sign(order, x, y)}</a>'
        )
    for spot in efficient:
        x, y = place(spot.risk, spot.loss)
        if all(math.hypot(x - a, y - b) >= ROOM_OF_A_NUMBER for a, b in told):
            told.append((x, y))
            numbers.append(f'<text class="rank" x="{x + 7}" y="{y - 7}">{spot.rank}</text>')
    return "".join([*parts, *numbers, "</svg>"])


def _grid(across: Sequence[float], up: Sequence[float], place: Place) -> str:
    """Draw the lines, the numbers and the names of both axes."""
    left, bottom = place(0.0, 0.0)
    right, top = place(across[-1], up[-1])
    parts = []
    for tick in across:
        x, _ = place(tick, 0.0)
        parts.append(f'<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{bottom}"/>')
        number = f"{100 * tick:g} %"
        parts.append(f'<text x="{x}" y="{bottom + 19}" text-anchor="middle">{number}</text>')
    for tick in up:
        _, y = place(0.0, tick)
        parts.append(f'<line class="grid" x1="{left}" y1="{y}" x2="{right}" y2="{y}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4.5}" text-anchor="end">{tick:g}</text>')
    middle = (left + right) / 2
    below = f'<text class="soft" x="{middle}" y="{HIGH - 10}" text-anchor="middle">'
    parts.append(f"{below}risk</text>")
    beside = f'<text class="soft" transform="translate(16 {(top + bottom) / 2}) rotate(-90)"'
    parts.append(f'{beside} text-anchor="middle">loss</text>')
    return "".join(parts)


def _sign(order: int, x: float, y: float) -> str:
    """Draw the sign of a method, of a shape of its own so that it is not told by colour alone."""
    if order % 4 == 0:
        return f'<circle class="spot" cx="{x}" cy="{y}" r="5"/>'
    shape = SHAPES[order % 4 - 1]
    corners = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shape)
    return f'<polygon class="spot" points="{corners}"/>'


def _signs(methods: Sequence[str]) -> Html:
    """Return the legend: a sign for each method."""
    rows = [
        f'<li class="s{order % len(SERIES)}"><svg viewBox="0 0 14 14" aria-hidden="true">'
        f"{_sign(order, 7.0, 7.0)}</svg>{marked_up(method)}</li>"
        for order, method in enumerate(methods)
    ]
    return Html(f'<ul class="signs">{"".join(rows)}</ul>')


def _rows(spots: Sequence[Spot]) -> Html:
    """Return the table that the points link to; the row that was chosen tells how it is made."""
    rows, under = [], []
    for i, spot in enumerate(spots):
        name = Html(f'<a href="#p{i}">{marked_up(spot.name)}</a>')
        number = str(spot.rank) if spot.rank else ""
        rows.append([name, number, spot.risk_words, spot.guess_words, f"{spot.loss:.3g}"])
        lines = "".join(f"<code>{marked_up(line)}</code>" for line in spot.lines)
        under.append(Html(f'{lines}<a href="#map">back to the map</a>'))
    return table(
        ["setting", "efficient", "risk", "guessing", "loss"],
        rows,
        caption="Each setting once: the efficient first, by rising risk",
        under=under,
        marks=[f"p{i}" for i in range(len(spots))],
    )
