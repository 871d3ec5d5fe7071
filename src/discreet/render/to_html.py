"""HTML pages of words and tables that need nothing but themselves, and no script.

What is given is text and is escaped; only what this module (or a caller who says so with `Html`)
wrote is markup.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from discreet.render.figure_file import printable
from discreet.render.scene import Scene
from discreet.render.to_matplotlib import figure_bytes

# All rules stand below one class, so that a fragment leaves the notebook around it alone.
STYLE = """
.discreet{--paper:#fff;--ink:#1d2733;--soft:#55616d;--line:#d8dee4;--shade:#f4f6f8;
--accent:#235c90;--second:#b35c00;color-scheme:light;
background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
padding:1.5rem max(1rem,calc(50% - 25rem)) 3rem;overflow-wrap:break-word}
.discreet h1{font-size:1.7rem;line-height:1.25;margin:.5rem 0 .75rem}
.discreet h2{font-size:1.2rem;margin:2.25rem 0 .5rem;padding-top:.75rem;
border-top:1px solid var(--line)}
.discreet h3{font-size:1rem;margin:1.5rem 0 .25rem}
.discreet p,.discreet ul{margin:.5rem 0;max-width:44rem}
.discreet ul{padding-left:1.25rem}
.discreet li{margin:.3rem 0}
.discreet a{color:var(--accent)}
.discreet .lead{font-size:1.05rem}
.discreet .soft,.discreet figcaption,.discreet caption{color:var(--soft);font-size:.875rem}
.discreet .unreliable{font-size:1.25rem;font-weight:600;line-height:1.35;padding-left:.75rem;
border-left:5px solid currentColor;text-wrap:balance}
.discreet .greyed{opacity:.45;filter:grayscale(1)}
.discreet .stamp{border:2px solid var(--second);color:var(--second);border-radius:4px;
display:inline-block;padding:.15rem .6rem;font-weight:600}
.discreet .wide{overflow-x:auto;margin:.75rem 0 1.25rem}
.discreet table{border-collapse:collapse;min-width:min(100%,24rem);
font-size:.9rem;background:none;color:inherit}
.discreet caption{text-align:left;padding:0 0 .35rem}
.discreet th,.discreet td{padding:.3rem .9rem .3rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line);font-weight:400;background:none}
.discreet thead th{font-weight:600;border-bottom:2px solid var(--line);vertical-align:bottom}
.discreet .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.discreet thead .n{white-space:normal;min-width:4rem;max-width:9rem}
.discreet code{font:.85rem/1.5 ui-monospace,SFMono-Regular,Consolas,monospace;
background:var(--shade);padding:.05rem .3rem;border-radius:3px}
.discreet figure{margin:1rem 0 1.5rem}
.discreet .plates{display:flex;flex-wrap:wrap;gap:.75rem}
.discreet .plates img{background:#fff;border:1px solid var(--line);border-radius:4px;
box-sizing:border-box;max-width:100%;height:auto;padding:.4rem;flex:0 1 auto}
@media (prefers-color-scheme:dark){.discreet{--paper:#12181f;--ink:#e4e9ee;--soft:#9fabb7;
--line:#303b46;--shade:#1d2630;--accent:#8fb3d5;--second:#f0b35c;color-scheme:dark}}
@media print{.discreet{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--shade:#fff;
--accent:#000;--second:#000;padding:0;font-size:11pt;color-scheme:light}
.discreet figure,.discreet tr,.discreet li{break-inside:avoid}
.discreet h2,.discreet h3{break-after:avoid}.discreet .wide{overflow:visible}}
@media (max-width:30rem){.discreet{font-size:15px}.discreet h1{font-size:1.4rem}
.discreet th,.discreet td{padding-right:.7rem}.discreet tbody .n{white-space:normal}
.discreet tbody th{min-width:7rem}.discreet td:not(.n){overflow-wrap:anywhere}}
"""

PICTURE = (5.2, 3.6)  # inches of one panel; more would be too small to read on a phone
ROW = 0.42  # inches a named row of a panel takes at least


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


def marked_up(text: str) -> Html:
    """Return a text as markup, without letters that cannot be shown; `Html` is left as it is."""
    return text if isinstance(text, Html) else Html(escape(printable(text), quote=True))


def heading(text: str, level: int = 2) -> Html:
    """Return a heading."""
    return Html(f"<h{level}>{marked_up(text)}</h{level}>")


def paragraph(text: str, look: str = "") -> Html:
    """Return a paragraph; `look` is "", "lead", "soft", "stamp" or "unreliable"."""
    said = marked_up(text)
    if look == "stamp":
        return Html(f'<p><span class="stamp">{said}</span></p>')
    return Html(f'<p class="{look}">{said}</p>' if look else f"<p>{said}</p>")


def greyed(parts: Sequence[Html]) -> Html:
    """Return parts that are shown grey: what they compare is not reliable."""
    return Html(f'<div class="greyed">{"".join(parts)}</div>' if parts else "")


def items(texts: Sequence[str]) -> Html:
    """Return a list of sentences; of none, nothing."""
    rows = "".join(f"<li>{marked_up(text)}</li>" for text in texts)
    return Html(f"<ul>{rows}</ul>" if rows else "")


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, words: Sequence[int] = (0,)
) -> Html:
    """Return a table with named columns (`head`) and rows, each beginning with its name.

    The columns `words` are of texts; those of numbers stand to the right. Of no rows, nothing.
    """
    if not rows:
        return Html("")
    looks = ["" if j in words else ' class="n"' for j in range(len(head))]
    names = "".join(
        f'<th scope="col"{look}>{marked_up(name)}</th>'
        for name, look in zip(head, looks, strict=True)
    )
    lines = []
    for row in rows:
        cells = [f'<th scope="row"{looks[0]}>{marked_up(row[0])}</th>']
        cells += [
            f"<td{look}>{marked_up(cell)}</td>"
            for cell, look in zip(row[1:], looks[1:], strict=True)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    said = marked_up(caption)
    return Html(  # a wide table is moved with the keys, too, so its frame takes the focus
        f'<div class="wide" role="region" tabindex="0" aria-label="{said}"><table>'
        f"<caption>{said}</caption><thead><tr>{names}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def picture(scene: Scene, alt: str, inches: tuple[float, float] = PICTURE) -> Html:
    """Return a scene as a figure: an SVG for each panel, its title and notes as the caption."""
    notes = " · ".join(scene.notes)
    title = f"<strong>{marked_up(scene.title)}</strong> " if scene.title else ""
    said = f"<figcaption>{title}{marked_up(notes)}</figcaption>" if title or notes else ""
    images = []
    for panel in scene.panels:
        rows = len(panel.y.ticks)
        size = inches[0], max(inches[1], 1.0 + ROW * rows)
        data = figure_bytes(replace(scene, panels=(panel,), title="", notes=()), ".svg", size=size)
        words = f"{panel.title}: {alt}" if panel.title else alt
        source = f"data:image/svg+xml;base64,{base64.b64encode(data).decode()}"
        images.append(f'<img alt="{marked_up(words)}" src="{source}">')
    return Html(f'<figure><div class="plates">{"".join(images)}</div>{said}</figure>')


def fragment(parts: Sequence[Html], style: str = "") -> Html:
    """Return parts with the style they need, to stand within a page such as a notebook."""
    return Html(
        f'<style>{STYLE}{style}</style><article class="discreet">{"".join(parts)}</article>'
    )


def page(title: str, parts: Sequence[Html], style: str = "") -> str:
    """Return a whole page of parts."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{marked_up(title)}</title>"
        # The article is of the page's colour in light and dark; nothing may show around it.
        "<style>body{margin:0}@media (prefers-color-scheme:dark){body{background:#12181f}}"
        "@media print{body{background:#fff}}</style>"
        f"</head><body>{fragment(parts, style)}</body></html>\n"
    )
