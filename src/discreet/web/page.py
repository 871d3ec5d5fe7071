"""The board in one HTML file: its scripts and style, and the rows that it draws; nothing else."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from functools import cache
from typing import Any

from discreet.render.to_html import code_block, data_block, digest, marked_up
from discreet.web.parts import file_script, page_files

LEVEL = 6
"""Of compression: more takes thrice as long and saves hardly anything."""


def board_page(facts: Mapping[str, Any], rows: bytes, title: str) -> str:
    """Return the page of a board that needs nothing but itself.

    Parameters
    ----------
    facts : mapping of str to plain values
        What is said of the study: columns, policy, pictures, and what these are drawn with.
    rows : bytes
        As `discreet.web.bundle` writes them.
    title : str
        Of the page.

    Returns
    -------
    str
        The page; the same rows give the same text. Its content security policy lets its own script
        and style run, by their digests, and nothing be asked of anybody.
    """
    code, worker, style, policy = _code()
    packed = base64.b64encode(gzip.compress(rows, LEVEL, mtime=0)).decode()
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{marked_up(title)}</title><style>{style}</style></head>\n"
        '<body><div id="page"></div>'
        "<noscript><p>The board is drawn by a script of this file, which is not allowed to run"
        " here.</p></noscript>\n"
        f"{data_block('facts', facts)}\n"
        f'<script type="text/plain" id="worker">{worker}</script>\n'
        f'<script type="text/plain" id="rows">{packed}</script>\n'
        f'<script type="module">{code}</script></body></html>\n'
    )


@cache
def _code() -> tuple[str, str, str, str]:
    """Return the scripts of the page and of its worker, its style, and the policy of the page."""
    files = page_files()
    code, worker = code_block(f"\n{file_script()}\n"), code_block(files["worker.js"])
    style = files["board.css"]
    policy = (
        f"default-src 'none'; script-src {digest(code)}; style-src {digest(style)};"
        " worker-src blob:; img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return code, worker, style, policy
