"""The page and the picture that show all figures at once."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import imread
from numpy.typing import NDArray

from discreet.render.figure_file import content, plain_settings
from discreet.unfinished import write_whole

__all__ = ["STYLE", "Shown", "write_page", "write_sheet"]

ACROSS, BLOCK = 7, 4

STYLE = """
  :root { color-scheme: light dark; --ink: #222; --paper: #fff; --quiet: #5f5f5f; --line: #dedede;
          --link: #235c90; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6e6e6; --paper: #16191c; --quiet: #a5a5a5; --line: #3a3f44;
            --link: #8fb3d5; }
  }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
         max-width: 1400px; margin: 2rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.7rem; margin-bottom: .2rem; }
  a { color: var(--link); }
  .all { display: grid; gap: 1.2rem; align-items: start;
         grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); }
  figure { margin: 0; padding: .8rem; border: 1px solid var(--line); border-radius: 6px; }
  figure img { width: 100%; height: 300px; object-fit: contain; object-position: top;
               background: #fff; border-radius: 3px; }
  figcaption p { margin: .35rem 0 0; font-size: .86rem; color: var(--quiet); }
  summary { cursor: pointer; font-size: .86rem; margin-top: .4rem; color: var(--link); }
  .numbers { overflow-x: auto; }
  table { border-collapse: collapse; font-size: .74rem; }
  th, td { text-align: left; vertical-align: top; padding: .2rem .5rem .2rem 0;
           border-top: 1px solid var(--line); }
"""

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>discreet: the figures of Avraam et al. (2021)</title>
<style>{style}</style>
<h1>The figures of the 2021 paper</h1>
<p>Avraam et al. (2021), <i>Privacy preserving data visualizations</i>, EPJ Data Science 10:2, drawn
again by <b>discreet</b> under the policy <code>research</code>: the methods as printed there, on
the paper's own simulated data (Figures 16 to 21: on data simulated by its formula). Panels of a row
share their axes. All of them at a glance: <a href="contact_sheet.png">contact_sheet.png</a>.
{beside}</p>
<div class="all">
{figures}
</div>
</html>
"""

NEXT_PAPER = 'Those of the 2022 paper are on <a href="2022.html">a page of their own</a>.'


@dataclass(frozen=True)
class Shown:
    """One figure that was drawn, and what is said of it: a text for each of its panels."""

    number: int
    file: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]


def write_page(shown: Sequence[Shown], folder: Path) -> Path:
    """Write index.html; it needs nothing but the files beside it."""
    path = folder / "index.html"
    beside = NEXT_PAPER if (folder / "2022.html").is_file() else ""
    text = PAGE.format(style=STYLE, beside=beside, figures="\n".join(map(card, shown)))
    path.write_text(text, encoding="utf-8")
    return path


def card(figure: Shown) -> str:
    """Return one figure with its caption and its numbers."""
    name = f"Figure {figure.number}: {figure.title}"
    head = "".join(f"<th>{html.escape(text)}</th>" for text in ("", *figure.heads))
    lines = "".join(
        f"<tr><th>{html.escape(row)}</th>"
        + "".join(f"<td>{html.escape(text)}</td>" for text in texts)
        + "</tr>"
        for row, texts in zip(figure.rows, figure.numbers, strict=True)
    )
    return (
        f'<figure id="figure-{figure.number}"><a href="{figure.file}">'
        f'<img src="{figure.file}" alt="{html.escape(name)}" loading="lazy"></a>'
        f"<figcaption><b>{html.escape(name)}</b><p>{html.escape(figure.caption)}</p>"
        f'<details><summary>The numbers</summary><div class="numbers"><table><tr>{head}</tr>'
        f"{lines}</table></div></details></figcaption></figure>"
    )


def smaller(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Average blocks of pixels, so that 21 pictures fit into memory and thin lines stay."""
    high, wide = (length // BLOCK for length in image.shape[:2])
    cut = image[: high * BLOCK, : wide * BLOCK, :3]
    blocks = cut.reshape(high, BLOCK, wide, BLOCK, 3)
    small: NDArray[np.float32] = blocks.mean(axis=(1, 3), dtype=np.float32)
    return small


def write_sheet(shown: Sequence[Shown], folder: Path) -> Path:
    """Write one picture of all figures, small."""
    path = folder / "contact_sheet.png"
    down = math.ceil(len(shown) / ACROSS)
    with plain_settings(9.0):
        sheet = Figure(figsize=(2.8 * ACROSS, 3.0 * down))
        edge = {"left": 0.01, "right": 0.99, "bottom": 0.01, "top": 1 - 0.2 / (3 * down)}
        places = sheet.subplots(
            down, ACROSS, squeeze=False, gridspec_kw={**edge, "wspace": 0.06, "hspace": 0.1}
        ).ravel()
        for ax in places:
            ax.set_axis_off()
        for ax, figure in zip(places, shown, strict=False):
            ax.imshow(smaller(imread(folder / figure.file)))
            ax.set_anchor("N")
            ax.set_title(f"Figure {figure.number}", loc="left")
        write_whole(content(sheet, path.suffix), path)
    return path
