"""The risk-utility map: what each setting would give away, and what it would cost.

A map is made of the raw data by trying settings one after the other. It is the custodian's own
work and no release: its points lie closer to the records than what is released of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.document import Document, Documented, Listing, Picture, Words
from discreet.errors import InputError, RefusedError, one_of
from discreet.measure.attacks import Success
from discreet.measure.pairs import Estimate
from discreet.methods import Whole
from discreet.render.scene import Axis, Dots, Lines, Panel, Scene

SCHEMA = 1
TITLE = "Risk and utility of the settings"
OWN_WORK = "For the custodian: not for release."
MOST_NAMES = 6  # of efficient settings below a plot


@dataclass(frozen=True)
class Setting:
    """A row method and its parameters, as they are asked for.

    Parameters
    ----------
    method : str
        The name of a row method.
    k, q, m, left_out : int, float, int and float, optional
        The size of its groups, its noise as a share of the standard deviation, and of a copy of the
        whole table the least people in a leaf and the largest share of people left out.

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


Risk = Estimate | Success
"""A share with its interval and what guessing would give."""


@dataclass(frozen=True)
class Point:
    """A setting and what came of it: a risk and a loss, or why it was refused.

    Parameters
    ----------
    setting : Setting
        What was tried.
    risk, loss : Estimate or Success, float
        The share that stands for the risk, and the loss of utility, at least 0.
    refused : str
        Why the setting cannot be used; then there is neither.
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
class RiskUtilityMap(Documented):
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

    Examples
    --------
    >>> from discreet.measure.pairs import Estimate
    >>> def point(k, linked, loss):
    ...     return Point(Setting("microaggregation", k=k), Estimate("linked", linked, 100), loss)
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

    what: ClassVar[str] = "a map"

    def __post_init__(self) -> None:
        names = [point.setting.name for point in self.points]
        if not names:
            raise InputError("a risk-utility map needs at least one setting; name methods to try")
        if len(set(names)) < len(names):
            raise InputError("a risk-utility map has each setting once; leave out the repeated")

    def __repr__(self) -> str:
        return f"RiskUtilityMap({len(self.points)} settings; {OWN_WORK})"

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
        """Return the setting of a point that is named as in the map, such as "deterministic k=5".

        InputError is raised if there is none, and RefusedError if the setting was refused.
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
        """Return the setting of least loss whose risk is below a share, above 0 and at most 1.

        The estimate must be below it, not its interval. RefusedError is raised if no setting has so
        little risk.
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

    def document(self) -> Document:
        """Return the map: the plot, the settings with the efficient first, what was refused."""
        ranks = {point.setting: str(rank) for rank, point in enumerate(self.frontier, start=1)}
        points = (*self.frontier, *(it for it in self.usable if it.setting not in ranks))
        refused = tuple((p.setting.name, p.refused) for p in self.points if p.refused is not None)
        settings = tuple(_row(it, ranks.get(it.setting, "")) for it in points)
        calls = tuple((it.setting.name, *self._calls(it.setting)) for it in points)
        return Document(
            TITLE,
            (
                Words("", (OWN_WORK,), "stamp"),
                *([Words("", (self.note,), "")] if self.note else []),
                *([Picture(self.scene(), self._in_words())] if points else []),
                Words("", (READ.format(self.risk_name, self.loss_name),), ""),
                Listing("The settings, the efficient first by rising risk", HEAD, settings),
                Listing("How each is made", CALLS, calls, (0, 1, 2)),
                Listing("Refused", ("setting", "why"), refused, (0, 1)),
                Words("What this does not show", NOT_SAID),
            ),
        )

    def _calls(self, setting: Setting) -> tuple[str, str]:
        """Return how a setting is asked for in Python and on the command line."""
        apart = self.guarded and setting.method != Whole.name
        options = "" if apart else self.options  # which are those of a guarded study
        return setting.opened if self.guarded else setting.python, f"{setting.shell}{options}"

    def _in_words(self) -> str:
        best = ", ".join(it.setting.name for it in self.frontier)
        return f"Map of {self.risk_name} against {self.loss_name}; efficient settings: {best}"

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds, in the order of `points`; it says it is no release."""
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
        plain = {"discreet": SCHEMA, "kind": "risk-utility map", "release": False}
        plain |= {"risk": self.risk_name, "loss": self.loss_name, "note": self.note}
        return {**plain, "points": points}

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings."""
        return super().forms() | self.drawn_forms(self.scene())


HEAD = ("setting", "efficient", "risk", "interval", "guessing", "loss")
CALLS = ("setting", "in Python", "on the command line")
READ = (
    "Further left is less risk: {}. Lower is less loss: {}. The line joins the efficient "
    "settings, which are numbered in the table: no other setting is as good in both and better "
    "in one."
)
NOT_SAID = (
    "Which risk is small enough: decide that before you look.",
    "What an attacker finds who knows more than the true values of these columns.",
    "What two releases of one table give away together: choose one setting and keep"
    " it, because two settings of one method can give records away exactly.",
)


def _row(point: Point, rank: str) -> tuple[str, ...]:
    risk, guess, interval = point.risk, "-", "-"
    if risk is not None:
        interval = f"{100 * risk.low:.1f} to {100 * risk.high:.1f} %"
        guess = "-" if risk.baseline is None else f"{100 * risk.baseline:.1f} %"
    share, loss = point.place
    return point.setting.name, rank, f"{100 * share:.1f} %", interval, guess, f"{loss:.3g}"
