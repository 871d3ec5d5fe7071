"""The pages and their scripts: files that come with discreet, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from importlib import resources

from fastapi import APIRouter, Request, Response

from discreet.plots import PLOTS
from discreet.render.browser import parts

__all__ = ["files", "pages"]

TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
}
PAGES = {"/": "index.html", "/custodian": "custodian.html"}


def files() -> Mapping[str, bytes]:
    """Return all files that pages are made of, by name: the drawing scripts and the page's own."""
    folder = resources.files("discreet.serve").joinpath("static")
    own = {
        it.name: it.read_bytes()
        for it in folder.iterdir()
        if it.is_file() and it.name.rpartition(".")[2] in TYPES
    }
    icons = json.dumps({name: plot.icon for name, plot in PLOTS.items()})
    return {**parts(), **own, "page-plots.js": f"export const ICONS = {icons};\n".encode()}


def pages() -> APIRouter:
    """Return the routes of the pages; they hold nothing of the study and need no token."""
    router = APIRouter(include_in_schema=False)
    found = files()

    def add(path: str, name: str) -> None:
        """Answer a path with a file."""
        send = partial(_send, found[name], TYPES[name.rpartition(".")[2]])
        router.add_route(path, send, methods=["GET"])

    for path, name in PAGES.items():
        add(path, name)
    for name in found:
        add(f"/static/{name}", name)
    return router


async def _send(content: bytes, kind: str, request: Request) -> Response:
    """Send a file, or say that the one the browser has is the same."""
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)
