"""The paper of a matplotlib figure: its settings, the words around the marks, and its file.

A file carries no date, user, software version or settings of this machine, so one figure is the
same bytes wherever the same matplotlib draws it.
"""

from __future__ import annotations

import dataclasses
import io
import math
import re
import textwrap
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError
from discreet.render.scene import Axis, Beneath, Subtitle, cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as DrawnAxis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

INK, GREY, LINE, GRID = "#222222", "#666666", "#8c8c8c", "#e8e8e8"
PNG_DPI = 200
NOTE, SMALL_NOTE = 0.75, 0.62  # of the letters of a figure, of the two lines below it
PANELS_A_ROW = 3
BESIDE_LEGEND = 0.8  # of the room of axes that a legend may leave
NAME_LETTERS = 20  # of the name of a tick, or of one of its lines
WIDE_LETTERS = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
PARTS = re.compile(rf"\s*[{WIDE_LETTERS}]|\s*[^\s_{WIDE_LETTERS}]*_+|\s*[^\s_{WIDE_LETTERS}]+")
ONE_AT_A_TIME = threading.RLock()
SMALLEST, LARGEST = 1.5, 100  # inches, of a panel and of a figure
IN_GRID = (2.3, 2.0)  # inches of a panel in rows and columns
SMALLEST_IN_GRID = 1.0
LOWEST = 2.0  # inches, of a panel whose width alone is asked for
LEAST_LETTERS = 7.0  # points, where the width alone is asked for
INCH = 25.4  # millimetres
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}  # a name's $ and _ are no markup

# By the suffix of the file: where it has room for words about it.
ABOUT: dict[str, str] = {".png": "Description", ".svg": "Description", ".pdf": "Subject"}

# What matplotlib would tell of itself and of the day, by the suffix of the file.
UNSAID: dict[str, tuple[str, ...]] = {
    ".png": ("Software",),
    ".svg": ("Date", "Creator", "Format", "Type"),
    ".pdf": ("CreationDate", "Creator", "Producer"),
}

# matplotlib brings DejaVu Sans along and measures with it; Verdana and Geneva are as wide. So the
# text of an SVG stays text (to be searched, and read aloud) and fits without DejaVu, too.
SETTINGS: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Geneva", "sans-serif"],
    "text.hinting": "none",  # or a text would be of another width in each kind of file
    "svg.fonttype": "none",
    "svg.hashsalt": "discreet",
    "pdf.fonttype": 42,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 7),
}


@contextmanager
def plain_settings(letters: float = 10.0, drawn: object = None) -> Iterator[None]:
    """Draw with matplotlib's own defaults and `SETTINGS`, whatever the user has set; undo after.

    Letters of what is `drawn`, a scene, that the usual font has not come from others. The settings
    are the whole process's, so one thread at a time.
    """
    import matplotlib

    more, missing = families_for(letters_of(drawn))
    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **SETTINGS, "font.size": letters}
    settings["font.family"] = [*SETTINGS["font.family"], *more]
    del settings["backend"]  # setting it would load one
    boxes = no_boxes(missing) if missing else nullcontext()
    with ONE_AT_A_TIME, boxes, matplotlib.rc_context(settings):
        yield


@contextmanager
def new_figure(
    panels: int,
    size: tuple[float, float] | None,
    needed: tuple[float, float | None] = (0.0, None),
    across: float | None = None,
    grid: int | None = None,
    drawn: object = None,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Make a figure with axes for so many panels, and letters that suit its size.

    Without a size it is as wide and as high as the panels need: at least `needed[0]` inches and
    exactly `needed[1]`, if that is known, for each. So many inches `across` are kept, and it is
    then as much lower as it is narrower, with smaller letters, where the height is not known; a
    height that is given follows the letters. Panels of a `grid` stand in so many columns, and
    closer; others in as many as fit, or three. Fonts are those that have the letters of what is
    `drawn`.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    fitting = PANELS_A_ROW if across is None else max(1, int(across / SMALLEST + 1e-9))
    columns = grid or min(panels, PANELS_A_ROW, fitting)
    rows = math.ceil(panels / columns)
    usual = 4.0 + 2.0 * columns, (4.6 - 0.4 * columns if needed[1] is None else needed[1]) * rows
    if grid is not None:
        usual = max(6.0, 1.6 + IN_GRID[0] * columns), 1.0 + IN_GRID[1] * rows
    width, height = size or (
        min(max(usual[0], needed[0] * columns), LARGEST),
        min(usual[1], LARGEST),
    )
    smallest = SMALLEST if grid is None else SMALLEST_IN_GRID
    least = smallest * columns, smallest * rows
    letters = 10.0
    if across is not None:
        check_width(across * INCH, least[0] * INCH)
        share, width = across / width, across
        letters = max(LEAST_LETTERS, 10.0 * share)
        if size is not None:
            height = max(height * min(1.0, letters / 10.0), least[1])
        elif needed[1] is None:
            height = min(max(height * share, LOWEST / SMALLEST * smallest * rows), LARGEST)
    if not (least[0] <= width <= LARGEST and least[1] <= height <= LARGEST):
        raise InputError(
            f"size must be from {least[0]:g} by {least[1]:g} inches, for the number of panels, "
            f"to {LARGEST} by {LARGEST}; got {width:g} by {height:g}"
        )
    with plain_settings(min(10.0, letters, max(6.0, 3.0 * width / columns)), drawn):
        layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
        figure = Figure(figsize=(width, height), layout=layout)
        axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
        for spare in axes[panels:]:
            spare.remove()
        yield figure, axes[:panels]


def head(figure: Figure, title: str, below: Subtitle) -> None:
    """Stand the title above and two lines below, and make the figure higher by both."""
    import matplotlib

    size = matplotlib.rcParams["font.size"]
    width, height = figure.get_size_inches()
    left: dict[str, Any] = {"x": 0.08 / width, "ha": "left", **LITERAL}
    texts = []
    if title:
        texts.append(figure.suptitle(printable(title), fontsize=1.2 * size, color=INK, **left))
    room = (width - 0.2) * 72
    lines = [said] if (said := line_below(below, room, NOTE * size)) else []
    small = SMALL_NOTE * size
    # The empty line is where the smaller words on how it was made stand, as high as these.
    lines += [" "] if below.code else []
    if lines:
        words = "\n".join(lines)
        texts.append(figure.supxlabel(words, fontsize=NOTE * size, color=GREY, **left))
    for text in texts:
        if text.get_text() != "\n".join(lines):  # these fit
            fit(text, room)
        height += text.get_window_extent().height / figure.dpi + 0.05
    figure.set_size_inches(width, height)
    if below.code:
        code = cut_to_width(printable(below.code), room, small)
        at = {"y": 0.06 / height, "va": "bottom", "fontsize": small, "color": GREY}
        figure.text(s=code, **left, **at).set_in_layout(False)


LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,}(?!\d)")
NEGATIVE = re.compile(r"(?<![\w.\-])-(?=\d)")


def with_minus(text: str) -> str:
    """Return words in which negative numbers have a minus sign, for people to read.

    Examples
    --------
    >>> with_minus("-4.85 to 7.85 (-3–4), 2020-01-01, x-1")
    '−4.85 to 7.85 (−3–4), 2020-01-01, x-1'
    """
    return NEGATIVE.sub("\u2212", text)


def line_below(below: Subtitle, room: float, size: float) -> str:
    """Return as much of what a picture says as one line of so many points has room for."""
    said = Subtitle(tuple(printable(it) for it in below.says))
    return said.line(room, partial(width_of, letters=size))


def cut_to_width(words: str, room: float, size: float) -> str:
    """Return words cut to a line of so many points."""
    return cut(words, room, partial(width_of, letters=size))


def entitle(ax: Axes, titles: Sequence[str], lines: int | None = None, **look: Any) -> None:
    """Stand titles above axes, one below the other, each in so many lines at most."""
    words = [printable(title) for title in titles if title]
    if words:
        fit(ax.set_title("\n".join(words), loc="left", **look, **LITERAL), points(ax)[0], lines)


def head_axes(ax: Axes, titles: Sequence[str], below: Subtitle) -> None:
    """Stand the titles above axes, and what warns and how it was made below their x label."""
    import matplotlib

    room, _ = points(ax)
    entitle(ax, titles)
    size = matplotlib.rcParams["font.size"]
    said = line_below(below, room, NOTE * size)
    code = cut_to_width(printable(below.code), room, SMALL_NOTE * size)
    down = -4.0
    for words, letters in ((said, NOTE * size), (code, SMALL_NOTE * size)):
        if not words:
            continue
        ax.annotate(
            words,
            xy=(0, 0),
            xycoords=("axes fraction", ax.xaxis.label),
            xytext=(0, down),
            textcoords="offset points",
            va="top",
            fontsize=letters,
            color=GREY,
            annotation_clip=False,
            **LITERAL,
        )
        down -= 1.35 * letters


def frame(drawn: DrawnAxis, axis: Axis, room: float, letters: int | None = None) -> None:
    """Set the label and the ticks of one axis, which is `room` points long.

    The names of a table's rows may have so many `letters`; others are cut earlier.
    """
    import matplotlib
    from matplotlib.ticker import MaxNLocator

    drawn.set_label_text(printable(axis.label), color=INK, **LITERAL)
    fit(drawn.label, room, lines=min(3, 1 + int(min(points(drawn.axes)) / 100)))
    size = 0.9 * matplotlib.rcParams["font.size"]
    drawn.set_tick_params(color=LINE, labelcolor=INK, labelsize=size, length=3, width=0.8)
    if axis.ticks:
        _name_ticks(drawn, [printable(name) for name in axis.ticks], room, size, letters)
    elif axis.dates:
        _date_ticks(drawn, axis.dates, room, size)
    elif axis.beneath:
        _ticks_and_rows(drawn, axis, size)
    else:
        most = int(room / (size * (5 if drawn.get_label_position() in ("top", "bottom") else 3)))
        count = min(8, max(2, most))
        drawn.set_major_locator(MaxNLocator(count, steps=[1, 2, 5, 10], integer=axis.whole))
        numbers = drawn.get_major_formatter()
        plain = numbers.format_ticks
        numbers.format_ticks = partial(_grouped, plain)  # type: ignore[method-assign]


def _grouped(plain: Callable[[list[float]], list[str]], values: list[float]) -> list[str]:
    """Write the numbers of an axis as those of tables are: 12,000, and 2021 as a year is."""
    return [LONG_NUMBER.sub(lambda it: f"{int(it[0]):,}", text) for text in plain(values)]


def _date_ticks(
    drawn: DrawnAxis, dates: Sequence[tuple[float, str]], room: float, size: float
) -> None:
    """Write dates where they stand: all, or every second, third ... so that they do not touch."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    across = drawn.get_label_position() in ("top", "bottom")
    one = size * (0.62 * (max(len(words) for _, words in dates) + 2) if across else 2.0)
    kept = dates[:: max(1, math.ceil(len(dates) * one / room))]
    drawn.set_major_locator(FixedLocator([at for at, _ in kept]))
    drawn.set_major_formatter(FixedFormatter([words for _, words in kept]))


def _ticks_and_rows(drawn: DrawnAxis, axis: Axis, size: float) -> None:
    """Write rows of words beneath the x axis, below ticks that stand where they do.

    Where all would touch one another it is every second place, or every third ...
    """
    from matplotlib.ticker import FixedLocator
    from matplotlib.transforms import blended_transform_factory

    ax, rows = drawn.axes, _thinned(drawn.axes, axis, size)
    drawn.set_major_locator(FixedLocator(sorted({at for row in rows for at, _ in row.words})))
    look: dict[str, Any] = {"textcoords": "offset points", "va": "top", "fontsize": size}
    look |= {"annotation_clip": False, **LITERAL}
    here = blended_transform_factory(ax.transData, ax.transAxes)
    line = 1.45 * size
    first = max((width_of(row.words[0][1], size) for row in rows if row.words), default=0.0)
    for i, row in enumerate(rows, start=1):
        down = -(6 + i * line)
        name, grey = printable(row.name), not row.words
        name = name if len(name) <= NAME_LETTERS else f"{name[: NAME_LETTERS - 1]}…"
        beside: dict[str, Any] = {"xy": (0, 0), "xycoords": "axes fraction"}
        beside["xytext"] = (-8 - first / 2, down)
        ax.annotate(name, ha="right", color=GREY if grey else INK, **beside, **look)
        for at, words in row.words:
            place: dict[str, Any] = {"xy": (at, 0), "xycoords": here, "xytext": (0, down)}
            ax.annotate(printable(words), ha="center", color=INK, **place, **look)
    drawn.labelpad = 4 + len(rows) * line


def _thinned(ax: Axes, axis: Axis, size: float) -> list[Beneath]:
    """Return rows of words without those places that there is no room for."""
    places = sorted({at for row in axis.beneath for at, _ in row.words})
    if len(places) < 2:
        return [*axis.beneath]
    widest = max(width_of(words, size) for row in axis.beneath for _, words in row.words)
    names = max(width_of(printable(row.name)[:NAME_LETTERS], size) for row in axis.beneath)
    low, high = axis.limits or (places[0], places[-1])
    spec = ax.get_subplotspec()
    columns = 1 if spec is None else spec.get_gridspec().ncols
    # How wide the axes will be beside names and a legend is known once the figure is laid out.
    wide = ax.figure.figure.bbox.width * 72 / ax.figure.figure.dpi / columns
    room = max(1.0, BESIDE_LEGEND * (wide - names - widest - 3 * size))
    step = room * (places[1] - places[0]) / ((high - low) or 1.0)
    kept = {*places[:: max(1, math.ceil((widest + 0.4 * size) / step))]}
    return [
        Beneath(row.name, tuple(word for word in row.words if word[0] in kept))
        for row in axis.beneath
    ]


def _name_ticks(
    drawn: DrawnAxis, names: list[str], room: float, size: float, letters: int | None
) -> None:
    """Write names at 0, 1, 2 ...: level in a few lines, or slanted where a word is too long."""
    slot = room / len(names)
    how: dict[str, Any] = dict(LITERAL)
    side = drawn.get_label_position()
    upright, on_top = side in ("left", "right"), side == "top"
    beside = 0.92 * slot - 0.5 * size  # what a name has, with a gap to the next
    widest = max((width_of(word, size) for it in names for word in _parts(it)), default=0.0)
    enough = min(widest, 5 * size) if on_top else widest  # a table has words broken before slanted
    if not upright and beside >= enough:
        names = [wrapped(name, beside, size, 3) for name in names]
    else:
        wide, high = points(drawn.axes)
        most = min(
            letters or NAME_LETTERS, max(4, int((wide if letters else min(wide, high)) / size))
        )
        lines = int(slot / (1.3 * size if upright else 1.9 * size))
        names = [_cut(name, most, size, max(1, min(3, lines))) for name in names]
        if not upright:
            how |= {"rotation": 45, "ha": "left" if on_top else "right", "rotation_mode": "anchor"}
            how["multialignment"] = how["ha"]
    drawn.set_ticks(range(len(names)), labels=names, **how)


def _cut(name: str, most: int, size: float, lines: int) -> str:
    """Return a name of so many letters, or in so many lines of them; of a longer one the first."""
    if len(name) <= most and name.isascii():
        return name
    if lines == 1 and name.isascii():
        return f"{name[: most - 1]}…"
    return wrapped(name, 0.62 * most * size, size, lines)


def _parts(name: str) -> list[str]:
    """Return the parts that a name may be broken between.

    They are words, what an underscore ends, and each letter as wide as 名.
    """
    return [it.strip() for it in PARTS.findall(name)]


def wrapped(name: str, room: float, size: float, lines: int) -> str:
    """Break a name at the ends of words into lines of so many points, at most so many lines.

    A word that is wider is broken where it must be; what is too long ends with three dots.
    """
    found, line = [], ""
    for part in PARTS.findall(name):
        if line and width_of(line + part, size) > room:
            found.append(line)
            line = ""
        line = line + part if line else part.strip()
        while len(line) > 1 and width_of(line, size) > room:
            keep = _keep(line, room, size)
            found.append(line[:keep])
            line = line[keep:]
    found.append(line)
    if len(found) <= lines:
        return "\n".join(found)
    last = found[lines - 1]
    while last and width_of(f"{last}…", size) > room:
        last = last[:-1]
    return "\n".join([*found[: lines - 1], f"{last.rstrip()}…"])


def _keep(text: str, room: float, size: float) -> int:
    """Say how many letters of a text are not wider than the room; one at least."""
    keep = len(text) - 1
    while keep > 1 and width_of(text[:keep], size) > room:
        keep = max(1, min(keep - 1, int(keep * room / width_of(text[:keep], size))))
    return keep


def points(ax: Axes) -> tuple[float, float]:
    """Measure the width and the height of axes, in points."""
    scale = 72 / ax.figure.dpi
    return ax.bbox.width * scale, ax.bbox.height * scale


def printable(text: str) -> str:
    """Put a text on one line, without the letters that would break an SVG."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def width_of(text: str, letters: float) -> float:
    """Measure how many points wide a text is in letters of this size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=letters)
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def fit(text: Text, room: float, lines: int | None = None) -> None:
    """Wrap a text to `room` points, and shorten what needs more lines than allowed."""
    from matplotlib.textpath import text_to_path

    font = text.get_fontproperties()
    whole: list[str] = []
    for paragraph in text.get_text().split("\n"):
        written, columns = [paragraph], len(paragraph)
        while columns > 1:
            sizes = [text_to_path.get_text_width_height_descent(w, font, False) for w in written]
            widest = max(width for width, _, _ in sizes)
            if widest <= 0.93 * room:  # where pixels are few, letters are wider
                break
            columns = max(1, min(columns - 1, int(columns * room / widest)))
            written = textwrap.wrap(paragraph, columns)
            if lines and len(written) > lines:
                written = [*written[: lines - 1], f"{written[lines - 1][: columns - 1].rstrip()}…"]
        whole += written
    text.set_text("\n".join(whole))


def check_width(width: float, least: float) -> None:
    """Refuse a width in millimetres that so many panels do not fit in, or that is too large."""
    if not least <= width <= LARGEST * INCH:
        raise InputError(
            f"width must be from {math.ceil(least)} mm, for the panels that stand side by side, to"
            f" {LARGEST * INCH:.0f} mm"
        )


def content(figure: Figure, suffix: str, dpi: float = PNG_DPI, about: str = "") -> bytes:
    """Return what a file of a figure holds: nothing of the day, the user or the machine.

    Words `about` it stand in its metadata.
    """
    file = io.BytesIO()
    figure.savefig(
        file,
        format=suffix[1:],
        dpi=dpi if suffix == ".png" else "figure",
        metadata=dict.fromkeys(UNSAID[suffix]) | ({ABOUT[suffix]: about} if about else {}),
    )
    return file.getvalue()


# --- which fonts draw the words: matplotlib's own, and others for letters it has not -----------

OWN = "DejaVu Sans"
"""The font that matplotlib brings along, and measures with."""
NO_FONTS = ("Last Resort", "STIX", "cm", "DejaVu")
"""Families that begin so draw boxes, signs of mathematics, or what the own font draws."""
PREFERRED = ("Noto Sans CJK", "Noto Sans")
REGULAR = range(350, 451)
NUMBERS = (int, float)
MISSING = "Glyph .* missing from"


def letters_of(drawn: Any) -> frozenset[str]:
    """Return the letters beyond ASCII of all words within a scene, or a part of one.

    Examples
    --------
    >>> sorted(letters_of(("BMI (kg/m²)", (1.0, 2.0), "größe")))
    ['²', 'ß', 'ö']
    """
    if isinstance(drawn, str):
        return frozenset(it for it in drawn if it > "~")
    parts: Iterable[Any] = ()
    if dataclasses.is_dataclass(drawn):
        parts = (getattr(drawn, item.name) for item in dataclasses.fields(drawn))
    elif isinstance(drawn, tuple):
        # Many numbers are not looked at one by one; a place and its word are.
        many = len(drawn) > 2 and isinstance(drawn[0], NUMBERS) and isinstance(drawn[-1], NUMBERS)
        parts = () if many else drawn
    return frozenset().union(*map(letters_of, parts))


def families_for(letters: Iterable[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Choose installed fonts for letters that the own font has not; few, one after the other.

    Returned are further families, and the letters that no font has.
    """
    wanted = {it for it in letters if it.isprintable() and not it.isspace()}
    if not wanted:
        return (), frozenset()
    from matplotlib.font_manager import findfont

    wanted -= _letters_in(str(findfont(OWN)))
    found: list[str] = []
    for name, path in _installed() if wanted else ():
        has = wanted & _letters_in(path)
        if has:
            found.append(name)
            wanted -= has
        if not wanted:
            break
    return tuple(found), frozenset(wanted)


@contextmanager
def no_boxes(missing: frozenset[str]) -> Iterator[None]:
    """Say once, in plain words, which letters are drawn as boxes, in place of a warning for each.

    They are named by their script: which they are may be the name of a level.
    """
    scripts = scripts_of(missing)
    said = ", ".join(scripts[:3])
    more = " and others" if len(scripts) > 3 else ""
    _say_once(f"{said}{more}")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        yield


def scripts_of(letters: Iterable[str]) -> tuple[str, ...]:
    """Return the scripts of some letters, each once."""
    return tuple(sorted({_script_of(it) for it in letters}))


@lru_cache
def _say_once(scripts: str) -> None:
    warnings.warn(
        f"no installed font has letters of this plot ({scripts}), which appear as boxes; "
        "install one that has, such as Noto Sans, or save .svg or .html, which are shown with "
        "the reader's own fonts",
        stacklevel=2,
    )


def _script_of(letter: str) -> str:
    if unicodedata.category(letter)[0] not in "LM":
        return "signs"
    first = unicodedata.name(letter, "other").split()[0].split("-")[0]
    return first if first == "CJK" else first.capitalize()


@lru_cache(maxsize=256)
def _letters_in(path: str) -> frozenset[str]:
    """Return the letters that a font file has."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(map(chr, get_font(path).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # a font that cannot be read is none
        return frozenset()


def _installed() -> list[tuple[str, str]]:
    """Return the plain fonts that are installed, those first that are made for many scripts."""
    from matplotlib.font_manager import fontManager

    plain = {
        it.name: str(it.fname)
        for it in fontManager.ttflist
        if it.style == "normal"
        and (it.weight in ("normal", "regular", "book", "medium") or it.weight in REGULAR)
        and not it.name.startswith(NO_FONTS)
    }

    def place(name: str) -> tuple[int, int, str]:
        first = next((i for i, it in enumerate(PREFERRED) if name.startswith(it)), len(PREFERRED))
        return first, "Sans" not in name, name

    return [(name, plain[name]) for name in sorted(plain, key=place)]
