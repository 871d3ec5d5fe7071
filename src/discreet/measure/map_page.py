"""The page of a risk-utility map: points that are links to the rows of a table, and no script."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discreet.render.marks import SERIES
from discreet.render.to_html import Html, heading, items, marked_up, paragraph, table

__all__ = ["MAP_STYLE", "Spot", "map_parts", "nice_ticks"]

Names = tuple[str, str]
Place = Callable[[float, float], tuple[float, float]]

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


def map_parts(
    spots: Sequence[Spot],
    refused: Sequence[tuple[str, str]],
    names: Names,
    title: str,
    notes: Sequence[str],
) -> list[Html]:
    """Return the parts of the page: the map, the table its points link to, what was refused.

    `names` are those of the risk and of the loss; `refused` are settings and reasons; of `notes`
    the first is a stamp on the face of the page.
    """
    risk, loss = names
    parts = [heading(title, 1), *(paragraph(note, "stamp") for note in notes[:1])]
    parts += [paragraph(note) for note in notes[1:]]
    if spots:
        methods = list(dict.fromkeys(sorted(spot.method for spot in spots)))
        parts += [
            paragraph(
                f"Left is less risk: {risk}. Low is less loss: {loss}. The line joins the"
                " efficient settings, which are numbered: no other has as little of both and less"
                " of one. A point on the upper edge may lie beyond it. Choose a point, or a name in"
                " the table, to see how it is made."
            ),
            _signs(methods),
            Html(f'<figure class="map" id="map">{_drawing(spots, methods, names)}</figure>'),
            heading("The settings"),
            _rows(spots),
        ]
    if refused:
        rows = [list(pair) for pair in refused]
        caption = "Settings that cannot be used on this table"
        parts += [
            heading("Refused"),
            table(["setting", "why"], rows, caption=caption, words=(0, 1)),
        ]
    parts.append(heading("What this does not tell"))
    parts.append(
        items(
            [
                "Which risk is small enough: that is yours to decide, before you look.",
                "What somebody finds who knows more than the true values of these columns.",
                "What two releases of one table give away together: choose one setting and keep"
                " it, because two settings of one method can give records away exactly.",
            ]
        )
    )
    return parts


def nice_ticks(high: float, most: int = 6) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten from 0 up to just above `high`.

    Examples
    --------
    >>> nice_ticks(0.037)
    [0.0, 0.01, 0.02, 0.03, 0.04]
    """
    if not high > 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    step = next(s * power for s in (1, 2, 5, 10) if s * power * most >= high * (1 - 1e-9))
    count = math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.6g}") for i in range(count + 1)]


def _drawing(spots: Sequence[Spot], methods: Sequence[str], names: Names) -> str:
    across = nice_ticks(max(spot.risk for spot in spots))
    up = nice_ticks(_most_loss(spots))

    def place(risk: float, loss: float) -> tuple[float, float]:
        x = LEFT + (WIDE - LEFT - RIGHT) * risk / across[-1]
        y = HIGH - BELOW - (HIGH - TOP - BELOW) * min(1.0, loss / up[-1])
        return round(x, 1), round(y, 1)

    efficient = sorted((s for s in spots if s.rank is not None), key=lambda s: (s.risk, s.loss))
    best = ", ".join(spot.name for spot in efficient)
    said = marked_up(f"Map of {names[0]} against {names[1]}; efficient settings: {best}")
    parts = [
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="group" aria-label="{said}">',
        _grid(across, up, place),
        _steps([place(s.risk, s.loss) for s in efficient], place(across[-1], up[-1])),
    ]
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


def _most_loss(spots: Sequence[Spot]) -> float:
    """Return the loss that the map reaches up to: far losses would press the frontier flat."""
    most = max(spot.loss for spot in spots)
    efficient = max(spot.loss for spot in spots if spot.rank is not None)
    return most if most <= FAR * efficient else FAR / 2 * efficient


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


def _steps(efficient: Sequence[tuple[float, float]], corner: tuple[float, float]) -> str:
    """Draw the frontier: the least loss that is to be had for at most so much risk."""
    if not efficient:
        return ""
    path = f"M{efficient[0][0]} {corner[1]}"
    for x, y in efficient:
        path += f"H{x}V{y}"
    return f'<path class="steps" d="{path}H{corner[0]}"/>'


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
