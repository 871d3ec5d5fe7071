"""A PDF of a picture as a page drew it: the same marks and words, each where it stands.

matplotlib writes it, which is here anyway, writes the same bytes for the same picture, and embeds
the fonts of its words, so that they can be searched. A library that turns any SVG into a PDF would
be one more to install, and would look for fonts by rules of its own.
"""

from __future__ import annotations

import io
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from discreet.render.figure_file import (
    LITERAL,
    content,
    families_for,
    letters_of,
    plain_settings,
    scripts_of,
)
from discreet.render.page_drawing import Mark, PageDrawing, png_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from matplotlib.transforms import Transform

POINTS = 0.75
"""Of a pixel of a page, which is 1/96 of an inch."""
LEFT_TO_RIGHT = "\u200e"
BOLD = 500
"""From this weight on, letters are bold: matplotlib's own font has two weights."""
STEPS = re.compile(r"([MmLlHhVvCcQqZz])|(-?(?:\d+\.?\d*|\.\d+)(?:[eE]-?\d+)?)")
NEEDS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Q": 4, "Z": 0}
ROUND = 0.5523
"""Of a quarter of a circle as a curve: how far its points are from its corner."""


def pdf_of(drawing: PageDrawing, about: str) -> bytes:
    """Return a drawing as a PDF, with words about it.

    Examples
    --------
    >>> from discreet.render.page_drawing import read_drawing
    >>> svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">'
    >>> svg += '<text x="5" y="20" fill="#000000">Age</text></svg>'
    >>> pdf_of(read_drawing(svg.encode()), "ages")[:5]
    b'%PDF-'
    """
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2D

    words = tuple(map(_plain, drawing.words))
    with plain_settings(drawn=words):
        wide, high = drawing.width * POINTS, drawing.height * POINTS
        figure = Figure(figsize=(wide / 72, high / 72), dpi=72)
        pixels = Affine2D().scale(POINTS, -POINTS).translate(0, high)
        for mark in drawing.marks:
            _draw(figure, mark, Affine2D().translate(*mark.at) + pixels)
        return content(figure, ".pdf", about=about)


def missing_in(drawing: PageDrawing) -> tuple[str, ...]:
    """Return the scripts of a drawing's words that no font here has."""
    return scripts_of(families_for(letters_of(tuple(map(_plain, drawing.words))))[1])


def _plain(words: str) -> str:
    """Return words without signs of direction, which fonts may draw as boxes.

    A line of a page runs from left to right, whatever its first word is.
    """
    plain = "".join(it for it in words if unicodedata.category(it) != "Cf")
    turns = any(unicodedata.bidirectional(it) in ("R", "AL") for it in plain)
    return f"{LEFT_TO_RIGHT}{plain}" if turns else plain


def _draw(figure: Figure, mark: Mark, place: Transform) -> None:
    if mark.tag == "text":
        _write(figure, mark, place)
    elif mark.tag == "image":
        _paint(figure, mark, place)
    else:
        from matplotlib.patches import PathPatch

        path = PathPatch(_path_of(mark), transform=place, clip_on=False, **_look(mark))
        figure.add_artist(path)


def _look(mark: Mark) -> dict[str, Any]:
    look = mark.look
    width = float(look.get("stroke-width", "1")) * POINTS
    dashes = [
        float(it) * POINTS for it in re.split("[ ,]+", look.get("stroke-dasharray", "")) if it
    ]
    dashes *= 2 if len(dashes) % 2 else 1
    return {
        "facecolor": _ink(mark, "fill", "#000000"),
        "edgecolor": _ink(mark, "stroke", "none"),
        "linewidth": width if look.get("stroke", "none") != "none" else 0.0,
        "linestyle": (0, tuple(dashes)) if dashes else "solid",
        "capstyle": {"square": "projecting"}.get(look.get("stroke-linecap", ""))
        or look.get("stroke-linecap", "butt"),
        "joinstyle": look.get("stroke-linejoin", "miter"),
    }


def _ink(mark: Mark, name: str, usual: str) -> tuple[str, float] | str:
    colour = mark.look.get(name, usual)
    share = mark.seen * float(mark.look.get(f"{name}-opacity", "1"))
    return "none" if colour == "none" else (colour, min(1.0, max(0.0, share)))


def _write(figure: Figure, mark: Mark, place: Transform) -> None:
    from matplotlib.patheffects import Stroke

    look = mark.look
    x, y = place.transform((float(mark.place["x"]), float(mark.place["y"])))
    how: dict[str, Any] = {
        "fontsize": float(look.get("font-size", "11")) * POINTS,
        "weight": "bold" if int(look.get("font-weight", "400")) >= BOLD else "normal",
        "ha": {"middle": "center", "end": "right"}.get(look.get("text-anchor", ""), "left"),
        "va": "baseline",
        "transform": None,
        **LITERAL,
    }
    words = _plain(mark.words)
    if look.get("stroke", "none") != "none" and look.get("paint-order") == "stroke":
        colour = _ink(mark, "stroke", "none")
        halo = Stroke(
            linewidth=float(look.get("stroke-width", "1")) * POINTS,
            joinstyle="round",
            foreground=colour,
        )
        figure.text(x, y, words, color=colour, path_effects=[halo], **how)
    figure.text(x, y, words, color=_ink(mark, "fill", "#000000"), **how)


def _paint(figure: Figure, mark: Mark, place: Transform) -> None:
    from matplotlib.image import BboxImage, imread
    from matplotlib.transforms import Bbox

    x, y, width, height = (float(mark.place[it]) for it in ("x", "y", "width", "height"))
    (left, top), (right, bottom) = place.transform([(x, y), (x + width, y + height)])
    image = BboxImage(Bbox([[left, bottom], [right, top]]), interpolation="none", alpha=mark.seen)
    image.set_data(imread(io.BytesIO(png_in(mark.place["href"]))))
    figure.add_artist(image)


# --- paths ----------------------------------------------------------------------------------------


def _path_of(mark: Mark) -> Path:
    """Return a mark as a path in its own pixels."""
    from matplotlib.path import Path

    number = {name: float(it) for name, it in mark.place.items() if name != "d"}
    if mark.tag == "circle":
        return Path.circle((number["cx"], number["cy"]), number["r"])
    if mark.tag == "line":
        return Path([(number["x1"], number["y1"]), (number["x2"], number["y2"])])
    if mark.tag == "rect":
        return _rect(**number)
    return _curve(mark.place["d"])


def _rect(x: float, y: float, width: float, height: float, rx: float) -> Path:
    """Return a rectangle with round corners."""
    from matplotlib.path import Path

    r = min(rx, width / 2, height / 2)
    s = r * (1 - ROUND)
    right, below = x + width, y + height
    corners = [
        [(right - r, y), (right - s, y), (right, y + s), (right, y + r)],
        [(right, below - r), (right, below - s), (right - s, below), (right - r, below)],
        [(x + r, below), (x + s, below), (x, below - s), (x, below - r)],
        [(x, y + r), (x, y + s), (x + s, y), (x + r, y)],
    ]
    points = [(x + r, y), *(it for corner in corners for it in corner), (x + r, y)]
    corner = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path(points, [Path.MOVETO, *corner * 4, Path.CLOSEPOLY])


def _curve(d: str) -> Path:
    """Return the path that an attribute `d` says."""
    from matplotlib.path import Path

    codes = {
        "L": Path.LINETO,
        "H": Path.LINETO,
        "V": Path.LINETO,
        "Q": Path.CURVE3,
        "C": Path.CURVE4,
    }
    points: list[tuple[float, float]] = []
    steps: list[Any] = []
    x = y = 0.0
    start = (0.0, 0.0)
    for step, numbers in _steps(d):
        base = (x, y) if step.islower() else (0.0, 0.0)
        name = step.upper()
        if name == "Z":
            new = [start]
        elif name == "H":
            new = [(base[0] + numbers[0], y)]
        elif name == "V":
            new = [(x, base[1] + numbers[0])]
        else:
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            new = [(base[0] + across, base[1] + down) for across, down in pairs]
        x, y = new[-1]
        start = (x, y) if name == "M" else start
        code = {"M": Path.MOVETO, "Z": Path.CLOSEPOLY}.get(name)
        steps += [codes[name] if code is None else code] * len(new)
        points += new
    return Path(points, steps) if points else Path([(0.0, 0.0)])


def _steps(d: str) -> list[tuple[str, list[float]]]:
    """Return the steps of a path with their numbers; one that is repeated is written out."""
    found: list[tuple[str, list[float]]] = []
    step = ""
    for letter, number in STEPS.findall(d):
        if letter:
            step = letter
            found.append((step, []))
            continue
        if not found:
            break
        if len(found[-1][1]) == NEEDS[step.upper()]:
            step = {"M": "L", "m": "l"}.get(step, step)
            found.append((step, []))
        found[-1][1].append(float(number))
    return [(name, numbers) for name, numbers in found if len(numbers) == NEEDS[name.upper()]]
