"""HTML pages that need nothing but themselves: of words and tables, and of a scene that is drawn.

What is given is text and is escaped; only what this module (or a caller who says so with `Html`)
wrote is markup. A page of words (`page`) has no script. That of a scene (`scene_page`) has its own,
and its content security policy lets that and its style run, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from discreet.errors import needing
from discreet.render.figure_file import printable
from discreet.render.modules import joined, texts_below
from discreet.render.scene import Scene, scene_to_plain

if TYPE_CHECKING:
    from anywidget import AnyWidget
from dataclasses import replace

from discreet.render.to_matplotlib import figure_bytes

# All rules stand below one class, so that a fragment leaves the notebook around it alone.
STYLE = """
.discreet{--paper:#fff;--ink:#1d2733;--soft:#55616d;--line:#d8dee4;--shade:#f4f6f8;
--accent:#235c90;--second:#b35c00;--mark:#fdf0d5;color-scheme:light;
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
.discreet tr[id]{scroll-margin-top:1rem}
.discreet tr:target,.discreet tr:target + .under{background:var(--mark)}
.discreet .under{display:none}
.discreet tr:target + .under{display:table-row}
.discreet .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.discreet thead .n{white-space:normal;min-width:4rem;max-width:9rem}
.discreet code{font:.85rem/1.5 ui-monospace,SFMono-Regular,Consolas,monospace;
background:var(--shade);padding:.05rem .3rem;border-radius:3px}
.discreet figure{margin:1rem 0 1.5rem}
.discreet .plates{display:flex;flex-wrap:wrap;gap:.75rem}
.discreet .plates img{background:#fff;border:1px solid var(--line);border-radius:4px;
box-sizing:border-box;max-width:100%;height:auto;padding:.4rem;flex:0 1 auto}
@media (prefers-color-scheme:dark){.discreet{--paper:#12181f;--ink:#e4e9ee;--soft:#9fabb7;
--line:#303b46;--shade:#1d2630;--accent:#8fb3d5;--second:#f0b35c;--mark:#3d3119;color-scheme:dark}}
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
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str,
    words: Sequence[int] = (0,),
    marks: Sequence[str] = (),
    under: Sequence[str] = (),
) -> Html:
    """Return a table with named columns (`head`) and rows, each beginning with its name.

    The columns `words` are of texts; those of numbers stand to the right. `marks` are an id for
    each row, for links to point to; `under` is what stands below each row, to be seen once a link
    has pointed to it. Of no rows, nothing.
    """
    if not rows:
        return Html("")
    looks = ["" if j in words else ' class="n"' for j in range(len(head))]
    names = "".join(
        f'<th scope="col"{look}>{marked_up(name)}</th>'
        for name, look in zip(head, looks, strict=True)
    )
    lines = []
    for i, row in enumerate(rows):
        mark = f' id="{escape(marks[i], quote=True)}"' if marks else ""
        cells = [f'<th scope="row"{looks[0]}>{marked_up(row[0])}</th>']
        cells += [
            f"<td{look}>{marked_up(cell)}</td>"
            for cell, look in zip(row[1:], looks[1:], strict=True)
        ]
        lines.append(f"<tr{mark}>{''.join(cells)}</tr>")
        if under:
            below = f'<td colspan="{len(head)}">{marked_up(under[i])}</td>'
            lines.append(f'<tr class="under">{below}</tr>')
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


# --- a scene that a script draws ----------------------------------------------------------------

DRAWN_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#222;--soft:#5d646b;--line:#c9ced3}
@media (prefers-color-scheme:dark){
:root{--paper:#14181d;--ink:#e8eaed;--soft:#a9b1ba;--line:#454c54}}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:80rem;margin:0 auto;padding:1rem clamp(.75rem,3vw,2rem) 2rem;box-sizing:border-box}
h1{font-size:1.25rem;line-height:1.3;margin:.25rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:1.5rem 0 .25rem}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 0}
.bar[hidden]{display:none}
button.save{font:inherit;color:inherit;background:none;
border:1px solid var(--line);border-radius:5px;
padding:.3rem .8rem;cursor:pointer}
button.save:hover{border-color:currentColor}
.says{color:var(--soft);font-size:.875rem;max-width:50rem}
.says p{margin:.25rem 0;overflow-wrap:anywhere}
@media print{.bar{display:none}:root{--paper:#fff;--ink:#000;--soft:#444}}
"""

# Runs within the module of the scripts, so `draw` is at hand.
START = """
{
  const host = document.getElementById("picture");
  const drawing = draw(host, JSON.parse(document.getElementById("scene").textContent));
  const keep = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const name = document.documentElement.dataset.name;
  document.getElementById("svg").addEventListener("click", () =>
    keep(new Blob([drawing.svg()], { type: "image/svg+xml" }), `${name}.svg`),
  );
  document.getElementById("png").addEventListener("click", async () =>
    keep(await drawing.png(), `${name}.png`),
  );
  document.querySelector(".bar").hidden = false;
}
"""


def scene_page(scene: Scene, title: str, says: Sequence[str], name: str = "figure") -> str:
    """Return a page that draws a scene by itself, and says below how it was made.

    `name` is what a figure is called that is saved from the page. All that is given is text, and
    is escaped.
    """
    code, policy = _code()
    sentences = "".join(f"<p>{marked_up(sentence)}</p>" for sentence in says)
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-name="{marked_up(name)}"><head>'
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{marked_up(title)}</title><style>{DRAWN_STYLE}</style></head>\n"
        f'<body><main><h1>{marked_up(title)}</h1><div id="picture"></div>'
        "<noscript><p>The plot is drawn by a script of this file, which is not allowed to run"
        " here.</p></noscript>"
        '<p class="bar" hidden><button class="save" type="button" id="svg">Save as SVG</button>'
        '<button class="save" type="button" id="png">Save as PNG</button></p>'
        f'<h2>How it was made</h2><div class="says">{sentences}</div></main>\n'
        f"{data_block('scene', scene_to_plain(scene))}\n"
        f'<script type="module">{code}</script></body></html>\n'
    )


@cache
def _code() -> tuple[str, str]:
    """Return the script of a page, and the policy that lets it run and nothing else."""
    code = code_block(f"\n{script()}\n{START}")
    policy = (
        f"default-src 'none'; script-src {digest(code)}; style-src {digest(DRAWN_STYLE)};"
        " img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return code, policy


def data_block(name: str, values: object) -> Html:
    """Return plain values as a block of JSON, which a script of the page reads by its name."""
    plain = json.dumps(values, allow_nan=False, ensure_ascii=False)
    # In a block of data "<" could end the block, and the two separators end lines of old scripts.
    for letter in "<>&\u2028\u2029":
        plain = plain.replace(letter, f"\\u{ord(letter):04x}")
    return Html(f'<script type="application/json" id="{name}">{plain}</script>')


def code_block(text: str) -> str:
    """Return a script that may stand in a page; one that holds the words that end it may not."""
    if "</script" in text.lower() or "<!--" in text:
        raise RuntimeError("a script that stands in a page may not hold the words that end it")
    return text


def digest(text: str) -> str:
    """Name a text as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


ENTRY = "scene.js"


@cache
def parts() -> Mapping[str, bytes]:
    """Return the files of the scripts by their names: ES modules that import each other."""
    return {name: text.encode() for name, text in _texts().items()}


@cache
def script() -> str:
    """Return all scripts as one ES module, which exports what `scene.js` does."""
    return joined(_texts(), ENTRY)


@cache
def _texts() -> Mapping[str, str]:
    return texts_below(resources.files("discreet.render").joinpath("static"))


def scene_widget(scene: Scene) -> AnyWidget:
    """Return a widget that draws a scene in a notebook and holds its JSON, nothing else."""
    with needing("jupyter", "a widget"):
        import anywidget
        import traitlets

    class SceneWidget(anywidget.AnyWidget):
        """Draws the scene that its trait holds as JSON."""

        _esm = script()
        scene = traitlets.Unicode().tag(sync=True)

        def __repr__(self) -> str:
            return "<a plot of discreet>"

    plain = json.dumps(scene_to_plain(scene), allow_nan=False, ensure_ascii=False)
    return SceneWidget(scene=plain)
