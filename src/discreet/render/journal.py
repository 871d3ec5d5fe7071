"""A plot as a file that a journal takes: a title, a width, pixels, and whether notes are drawn."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from discreet.arguments import check_ratio, check_whole
from discreet.errors import InputError, one_of
from discreet.render.figure_file import INCH, PNG_DPI, SMALLEST, check_width
from discreet.render.scene import Scene
from discreet.render.to_matplotlib import figure_bytes

FIGURES = (".png", ".svg", ".pdf")
DPI = (50, 1200)
VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}")
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
        shown = dataclasses.replace(
            scene, title=self.title or scene.title, notes=scene.notes if self.footnote else ()
        )
        across = None if self.width is None else self.width / INCH
        dpi = self.dpi or PNG_DPI
        return figure_bytes(shown, suffix, size=size, across=across, dpi=dpi, about=about)
