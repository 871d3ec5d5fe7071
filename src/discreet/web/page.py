"""Pages in one file, with their scripts and what these draw; the board among them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from discreet.render.to_html import Html, marked_up
from discreet.web.parts import file_script, page_files

LEVEL = 6
"""Of compression: more takes thrice as long and saves hardly anything."""


def board_page(facts: Mapping[str, Any], rows: bytes, title: str) -> str:
    """Return the page of a board that needs nothing but itself; the same rows give the same text.

    `facts` are what is said of the study, and `rows` are as `discreet.web.bundle` writes them.
    """
    files = page_files()
    packed = base64.b64encode(gzip.compress(rows, LEVEL, mtime=0)).decode()
    body = (
        '<div id="page"></div>'
        "<noscript><p>The board is drawn by a script of this file, which is not allowed to run"
        " here.</p></noscript>\n"
        f"{data_block('facts', facts)}\n"
        f'<script type="text/plain" id="worker">{code_block(files["worker.js"])}</script>\n'
        f'<script type="text/plain" id="rows">{packed}</script>\n'
    )
    return page_of(title, file_script(), files["board.css"], body, " worker-src blob:;")


def page_of(
    title: str, script: str, style: str, body: str, allowed: str = "", name: str = ""
) -> str:
    """Return a page in one file, whose script runs once its body, which is markup, is there.

    Its content security policy lets its own script and style run, by their digests, and nothing be
    asked of anybody; `allowed` is a further rule of it. Files saved from it have the `name`.
    """
    named = f' data-name="{marked_up(name)}"' if name else ""
    code = code_block(f"\n{script}\n")
    policy = (
        f"default-src 'none'; script-src {digest(code)}; style-src {digest(style)};{allowed}"
        " img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"{named}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{marked_up(title)}</title><style>{style}</style></head>\n"
        f"<body>{body}"
        f'<script type="module">{code}</script></body></html>\n'
    )


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


@cache
def digest(text: str) -> str:
    """Name a text as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
