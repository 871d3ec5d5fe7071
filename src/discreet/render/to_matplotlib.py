"""Draw a Scene with matplotlib: on a new figure, on someone's axes, or into a file.

It knows Scenes alone; each kind of mark is drawn by a function of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from discreet.arguments import check_ratio, check_whole
from discreet.errors import InputError, one_of
from discreet.render.figure_file import (
    GREY,
    GRID,
    INCH,
    INK,
    LINE,
    LITERAL,
    PNG_DPI,
    SMALLEST,
    check_width,
    content,
    cut_to_width,
    entitle,
    fit,
    frame,
    head,
    head_axes,
    new_figure,
    plain_settings,
    points,
    printable,
    width_of,
    with_minus,
)
from discreet.render.legends import legends
from discreet.render.marks import (
    REFERENCES,
    bands,
    bars,
    boxes,
    cells,
    colour_bar,
    columns,
    dots,
    hidden_signs,
    intervals,
    lines,
    violins,
)
from discreet.render.scene import (
    Bands,
    Bars,
    Boxes,
    Cells,
    Columns,
    Dots,
    Grid,
    Intervals,
    Lines,
    Panel,
    Scene,
    Strands,
    Trapezoids,
    Uprights,
    Violins,
    Words,
    subtitle_of,
)
from discreet.render.trapezoids import strands, trapezoids, upright_axes, upright_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL = (0.5, 0.4)  # inches of a cell that holds a text
ROW, COLUMN = 0.32, 0.95  # inches of a new figure
GAP_INCHES, HEIGHT_INCHES = 1.75, 5.0
FEW_BENEATH, HIGH, BENEATH_INCHES = 3, 4.2, 0.18  # of more rows beneath an axis it is higher
ROW_POINTS = 26.0  # rows of a small table do not stand further apart than this
SMALLEST_LETTERS = 5.5
BOLD = 1.15  # how much wider bold letters are
ROW_LETTERS = 36  # of the name of a row
NAMES = 0.075  # inches a letter of a row's name


def shape(mark: Words, panel: Panel) -> tuple[int, int]:
    """Count the rows and the columns of a table, by its texts and its names."""
    rows = max(len(mark.texts), len(panel.y.ticks), 1)
    return rows, max(*map(len, mark.texts), len(panel.x.ticks), 1, 1)


def table_axes(ax: Axes, mark: Words, panel: Panel) -> None:
    """Make axes those of a table: names on top and to the left, and no frame."""
    ax.set_xlim(-0.5, shape(mark, panel)[1] - 0.5)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.xaxis.labelpad = 8.0  # or it would stand among the names
    ax.spines[:].set_visible(False)


def words(ax: Axes, mark: Words, panel: Panel, *, settled: bool) -> None:
    """Write a table: the first row on top, thin rules between rows, sums set apart.

    How large the axes are must be known. If they are not `settled`, long names of rows will take
    their place from the columns when the figure is laid out.
    """
    import matplotlib

    rows, across = shape(mark, panel)
    wide, high = points(ax)
    lines = max(rows, high / ROW_POINTS)
    ax.set_ylim(lines - 0.5, -0.5)
    ax.yaxis.label.set_y(1 - 0.5 * rows / lines)
    base = 0.9 * matplotlib.rcParams["font.size"]
    if not settled:
        names = [width_of(printable(name)[:ROW_LETTERS], base) for name in panel.y.ticks]
        wide = max(0.4 * wide, wide - max(0.0, max(names, default=0.0) - 40))
    room = 0.92 * wide / across
    widest = max((width_of(printable(t), base) for row in mark.texts for t in row), default=0.0)
    widest *= BOLD if mark.totals else 1.0
    letters = min(base, 0.72 * high / lines, base * room / max(widest, 1.0))
    letters = max(letters, min(SMALLEST_LETTERS, 0.8 * high / lines))
    for i, row in enumerate(mark.texts):
        for j, text in enumerate(row):
            total = mark.totals and (i == len(mark.texts) - 1 or j == len(row) - 1)
            how: dict[str, Any] = {"weight": "bold"} if total else {}
            wide = letters * (BOLD if total else 1.0)
            shown = cut_to_width(with_minus(printable(text)), room, wide)
            how |= {"ha": "center", "va": "center_baseline", "fontsize": letters, "color": INK}
            ax.text(j, i, shown, clip_on=True, **how, **LITERAL)
    for i in range(rows + 1):
        strong = i == 0 or (mark.totals and i == rows - 1)
        look: dict[str, Any] = {"color": LINE if strong else GRID, "lw": 0.9 if strong else 0.7}
        ax.plot((-0.5, across - 0.5), (i - 0.5, i - 0.5), solid_capstyle="butt", **look)
    if mark.totals and across > 1:
        beside = across - 1.5
        ax.plot((beside, beside), (-0.5, rows - 0.5), color=LINE, lw=0.9, solid_capstyle="butt")


SCREEN_DPI = 100
FEW_LETTERS = 30
"""Names of so many letters together have room beneath any axis."""
BARE = {Uprights, Words}  # they have no frame, no ticks and limits of their own


def draw(
    scene: Scene,
    ax: Axes | Sequence[Axes] | None = None,
    *,
    size: tuple[float, float] | None = None,
    across: float | None = None,
) -> Figure:
    """Draw a scene on a new figure (outside pyplot), or on axes that are given, one for each panel.

    Given axes keep their fonts, and have what warns and how it was made below them. `size` is that
    of a new figure in inches, `across` the width that is kept; the title and the notes add to its
    height.
    """
    if not scene.panels:
        raise InputError("The scene has no panels, so there is nothing to draw")
    bare = any(type(mark) in BARE for panel in scene.panels for mark in panel.marks)
    if ax is not None:
        import numpy as np
        from matplotlib.axes import Axes

        given, needed = np.ravel(np.asarray(ax, dtype=object)).tolist(), len(scene.panels)
        axes = [place for place in given if isinstance(place, Axes)]
        if not len(axes) == len(given) == needed:
            raise InputError(
                f"ax must be {needed} matplotlib Axes, one for each panel; got {len(axes)}. "
                f"Make them with plt.subplots(1, {needed}), or leave ax out for a new figure"
            )
        _draw_panels(axes, scene.panels, new=False)
        if bare:
            _write_words(axes, scene.panels, new=False)
        head_axes(axes[0], (scene.title, scene.panels[0].title), subtitle_of(scene.notes))
        return axes[0].figure.figure  # of a subfigure, the whole
    grid = None if scene.grid is None else len(scene.grid.columns)
    inches = _needed(scene.panels)
    paper = new_figure(len(scene.panels), size, inches, across, grid, scene)
    with paper as (figure, axes):
        _draw_panels(axes, scene.panels, new=True, grid=scene.grid)
        head(figure, scene.title, subtitle_of(scene.notes))
        _name_again(figure, axes, scene)
        if bare:
            _write_words(axes, scene.panels, new=True)
    return figure


def _name_again(figure: Figure, axes: Sequence[Axes], scene: Scene) -> None:
    """Write the names of ticks once more, when axes are as large as they will be.

    Names and legends beside an axis take their place from it when a figure is laid out.
    """
    named = [
        (place, panel)
        for place, panel in zip(axes, scene.panels, strict=True)
        if sum(map(len, panel.x.ticks)) > FEW_LETTERS
        and not any(type(mark) in BARE for mark in panel.marks)
    ]
    if named:
        figure.draw_without_rendering()
        for place, panel in named:
            _frame(place, panel)
        if scene.grid is not None:
            _clear_within(axes, scene.grid)


def asking_first(figure: Figure, ask: Callable[[str], None] | None) -> Figure:
    """Return a figure that asks whether it may be released before `savefig` writes it."""
    if ask is None:
        return figure
    write = figure.savefig

    def savefig(*args: Any, **kwargs: Any) -> None:
        """Ask whether it may be released, then write as matplotlib does."""
        ask("figure")
        write(*args, **kwargs)

    figure.savefig = savefig  # type: ignore[method-assign]
    return figure


def _needed(panels: Sequence[Panel]) -> tuple[float, float | None]:
    """Say how many inches a panel should have: tables, uprights, cells with texts, rows beneath."""
    sizes = [
        (0.0, HIGH + BENEATH_INCHES * (len(panel.x.beneath) - FEW_BENEATH))
        for panel in panels
        if len(panel.x.beneath) > FEW_BENEATH
    ]
    for panel, mark in ((each, mark) for each in panels for mark in each.marks):
        if isinstance(mark, Uprights):
            sizes.append((1.2 + GAP_INCHES * (len(mark.axes) - 1), HEIGHT_INCHES))
        elif isinstance(mark, Cells) and mark.texts:
            names = 0.09 * min(ROW_LETTERS, max(map(len, panel.y.ticks), default=0))
            sizes.append(
                (2.0 + names + CELL[0] * len(mark.texts), 1.6 + CELL[1] * len(mark.texts[0]))
            )
        elif isinstance(mark, Words):
            rows, across = shape(mark, panel)
            names = min(ROW_LETTERS, max(map(len, panel.y.ticks), default=0))
            longest = max((len(text) for line in mark.texts for text in line), default=0)
            column = max(COLUMN, 0.1 * min(longest, 24))
            sizes.append((0.6 + NAMES * names + column * across, 1.3 + ROW * rows))
    width = max((wide for wide, _ in sizes), default=0.0)
    height = max((high for _, high in sizes), default=None)
    if height is not None and len(sizes) < len(panels):
        height = max(height, 3.6)  # other panels stand beside
    return width, height


def _draw_panels(
    axes: Sequence[Axes], panels: Sequence[Panel], *, new: bool, grid: Grid | None = None
) -> None:
    """Draw panels, then what tells their colours."""
    for place, panel in zip(axes, panels, strict=True):
        _draw_panel(place, panel if grid is None else replace(panel, title=""))
    if grid is not None:
        _name_grid(axes, grid)
    grids = [
        (place, mark)
        for place, panel in zip(axes, panels, strict=True)
        for mark in panel.marks
        if isinstance(mark, Cells)
    ]
    alike = len({(mark.label, mark.span) for _, mark in grids}) == 1 and grids[0][1].span
    if new and alike and len(grids) == sum(bool(panel.marks) for panel in panels):
        colour_bar(axes, [mark for _, mark in grids])
    else:
        for place, mark in grids:
            colour_bar([place], [mark])
    spec = axes[0].get_subplotspec() if new else None
    legends(axes, panels, None if spec is None else spec.get_gridspec().ncols)


def _clear_within(axes: Sequence[Axes], grid: Grid) -> None:
    """Leave numbers, names and labels to the outer panels of a grid."""
    for place, ax in enumerate(axes):
        row, column = divmod(place, len(grid.columns))
        if row < len(grid.rows) - 1:
            ax.tick_params(axis="x", labelbottom=False)
            ax.set_xlabel("")
        if column:
            ax.tick_params(axis="y", labelleft=False)
            ax.set_ylabel("")


def _name_grid(axes: Sequence[Axes], grid: Grid) -> None:
    """Name rows and columns of panels once, and write numbers and labels at the outer ones."""
    columns = len(grid.columns)
    _clear_within(axes, grid)
    for place, ax in enumerate(axes):
        row, column = divmod(place, columns)
        if row == 0:
            entitle(ax, [grid.columns[column]], lines=2, fontsize="medium", color=INK)
        if column:
            continue
        words = ax.annotate(
            printable(grid.rows[row]),
            xy=(0, 0.5),
            xycoords=(ax.yaxis.label, "axes fraction"),
            xytext=(-4, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="center",
            color=INK,
            annotation_clip=False,
            **LITERAL,
        )
        fit(words, points(ax)[1], lines=2)


def _write_words(axes: Sequence[Axes], panels: Sequence[Panel], *, new: bool) -> None:
    """Write tables, and the words of uprights, last: when axes are as large as they will be."""
    found = [
        (place, mark, panel)
        for place, panel in zip(axes, panels, strict=True)
        for mark in panel.marks
        if isinstance(mark, Words | Uprights)
    ]
    if new:
        axes[0].figure.figure.draw_without_rendering()
    for place, mark, panel in found:
        if isinstance(mark, Uprights):
            upright_words(place, mark)
            continue
        settled = new or place.figure.figure.get_layout_engine() is None
        words(place, mark, panel, settled=settled)


def _draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw the marks of one panel, then what frames them, then what must not move the frame."""
    references = [m for m in panel.marks if isinstance(m, Lines) and m.look in REFERENCES]
    for mark in panel.marks:
        if mark not in references:
            _DRAW[type(mark)](ax, mark, panel)
    kinds = {type(mark) for mark in panel.marks}
    if not kinds & BARE:
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set(color=LINE, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    if not kinds & {Cells, *BARE}:
        both = Dots in kinds or kinds <= {Lines, Bands}
        way: Literal["x", "y", "both"] = "x" if Intervals in kinds else "both" if both else "y"
        ax.grid(visible=True, axis=way, color=GRID, linewidth=0.7)
    if panel.title:
        entitle(ax, [panel.title], lines=2, fontsize="medium", color=INK)
    _frame(ax, panel)
    if panel.says:
        how: dict[str, Any] = {"ha": "center", "va": "center", "color": GREY, **LITERAL}
        fit(
            ax.text(
                0.5, 0.5, printable(panel.says), transform=ax.transAxes, fontsize="small", **how
            ),
            points(ax)[0],
        )
    for mark in references:
        lines(ax, mark, panel)
    for mark in panel.marks:
        if isinstance(mark, Bars | Columns):
            hidden_signs(ax, mark)


def _frame(ax: Axes, panel: Panel) -> None:
    """Name both axes and set their limits: a little beside the outer of named ticks."""
    beside = 0.5 if any(isinstance(mark, Cells) for mark in panel.marks) else 0.6
    table = any(isinstance(mark, Words) for mark in panel.marks)
    bare = table or any(isinstance(mark, Uprights) for mark in panel.marks)
    rows = table or any(
        (isinstance(mark, Cells) and mark.texts) or isinstance(mark, Intervals)
        for mark in panel.marks
    )
    names = tuple(
        box.label for mark in panel.marks if isinstance(mark, Boxes) for box in mark.boxes
    )
    x, y = replace(panel.x, ticks=panel.x.ticks or names), panel.y
    across, up = points(ax)
    for drawn, axis, room in ((ax.xaxis, x, across), (ax.yaxis, y, up)):
        frame(drawn, axis, room, ROW_LETTERS if rows and axis is y else None)
        if bare:  # names alone stand beside it
            drawn.set_tick_params(length=0)
            if not axis.ticks:
                drawn.set_ticks([])
    for axis, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        if not bare and (axis.limits is not None or axis.ticks):
            low, high = axis.limits or (-beside, len(axis.ticks) - 1 + beside)
            set_limits(low, high if high != low else low + (abs(low) or 1.0))


_DRAW: dict[type, Callable[[Axes, Any, Panel], None]] = {
    Bands: bands,
    Bars: bars,
    Boxes: boxes,
    Cells: cells,
    Columns: columns,
    Dots: dots,
    Intervals: intervals,
    Lines: lines,
    Strands: strands,
    Trapezoids: trapezoids,
    Uprights: upright_axes,
    Violins: violins,
    Words: table_axes,
}


# --- as a file that a journal takes ---------------------------------------------------------------

FIGURES = (".png", ".svg", ".pdf")
DPI = (50, 1200)
VERSION = re.compile(
    r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}((a|b|rc|\.dev|\.post)[0-9]{1,4})?(\+g?[0-9a-f]{1,12})?"
)
"""A version as packages have it: with no room for words that somebody could hide there."""
LONGEST_TITLE = 300
"""Letters; a longer one would leave no room for the plot."""


@cache
def drawn_by() -> str:
    """Return the version of matplotlib, of which another may draw the same in another way."""
    return version("matplotlib")


@dataclass(frozen=True)
class Drawing:
    """How a plot is drawn into a file; `View.save` says what each is."""

    title: str | None = None
    width: float | None = None
    dpi: int | None = None
    footnote: bool = True

    def check(self, suffix: str) -> None:
        """Refuse what a file of this kind has not, and numbers that are none."""
        if suffix not in FIGURES and self != Drawing():
            raise InputError(
                f"title, width, dpi and footnote are for a picture: one of {one_of(FIGURES)}; a "
                f"{suffix} file is saved without them"
            )
        if self.title is not None and len(self.title) > LONGEST_TITLE:
            raise InputError(
                f"a title has at most {LONGEST_TITLE} letters, and this one has"
                f" {len(self.title):,}; say the rest in the caption"
            )
        if self.width is not None:
            check_ratio("width", self.width, zero=False)
            check_width(self.width, SMALLEST * INCH)  # then panels stand one below the other
        if self.dpi is None:
            return
        if suffix != ".png":
            raise InputError(
                f"dpi is for a .png; a {suffix} is drawn in lines, which have no pixels"
            )
        if not DPI[0] <= check_whole("dpi", self.dpi) <= DPI[1]:
            raise InputError(f"dpi must be from {DPI[0]} to {DPI[1]}")

    def to_plain(self, suffix: str) -> dict[str, Any]:
        """Return what a file of this kind says of it: what is not as usual, and what drew it."""
        usual = vars(Drawing())
        unusual = {name: it for name, it in vars(self).items() if it != usual[name]}
        drew = {"matplotlib": drawn_by()} if suffix in FIGURES else {}
        plain = unusual | drew
        return {name: it.item() if hasattr(it, "item") else it for name, it in plain.items()}

    @staticmethod
    def from_plain(plain: Mapping[str, Any], suffix: str) -> Drawing:
        """Read what `to_plain` returns; refuse what no picture of this kind is drawn with."""
        given = dict(plain)
        drew = given.pop("matplotlib", "0") if suffix in FIGURES else "0"
        kinds = {"title": str, "width": float | int, "dpi": int, "footnote": bool}
        known = all(name in kinds and isinstance(it, kinds[name]) for name, it in given.items())
        if not (known and isinstance(drew, str) and VERSION.fullmatch(drew)):
            raise InputError("its account of how it was drawn was not written by discreet")
        drawing = Drawing(**given)
        drawing.check(suffix)
        return drawing

    def bytes_of(
        self,
        scene: Scene,
        suffix: str,
        described: Sequence[str] = (),
        size: tuple[float, float] | None = None,
    ) -> bytes:
        """Draw a scene; all its notes, and what is `described`, are in the metadata.

        `size` is how large it is in inches where no width is asked for.
        """
        about = "\n".join(dict.fromkeys([*scene.notes, *described]))
        shown = replace(
            scene, title=self.title or scene.title, notes=scene.notes if self.footnote else ()
        )
        across = None if self.width is None else self.width / INCH
        dpi = self.dpi or PNG_DPI
        with plain_settings(drawn=shown):
            return content(draw(shown, size=size, across=across), suffix, dpi, about)


def figure_bytes(
    scene: Scene, suffix: str, *, size: tuple[float, float] | None = None, dpi: int | None = None
) -> bytes:
    """Draw a scene as the bytes of a ``.png``, ``.svg`` or ``.pdf`` that tells nothing else.

    The same scene is the same bytes, whatever the user's settings.
    """
    return Drawing(dpi=dpi).bytes_of(scene, suffix, size=size)
