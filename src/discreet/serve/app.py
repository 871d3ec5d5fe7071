"""The server of a study, as one ASGI application: who may ask what where, and the pages."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from hashlib import sha256
from importlib import resources

import anyio
import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from discreet.errors import LeavingError
from discreet.serve.access import Issuer, callers
from discreet.serve.counter import answered
from discreet.serve.limits import Faults, RequestLimits, SecurityHeaders
from discreet.serve.ready import Ready
from discreet.serve.refusals import refusal
from discreet.serve.routes import routes
from discreet.serve.studies import Studies
from discreet.web import page_files

LOOK_SECONDS = 60.0
CODES = {404: "unknown", 405: "method"}


def create_app(
    studies: Studies, origins: Sequence[str] = (), issuer: Issuer | None = None
) -> FastAPI:
    """Return the server of some studies, as an ASGI application.

    Pages of other `origins` may ask, too; an issuer says whose a token is that the record does not
    know. Every answer but those of the pages, of `/api/health`, `/api/ready` and
    `/api/openapi.json` needs a token (`discreet token add`). What is asked is recorded before it is
    answered.

    **What it does not protect.** Whoever has a token may pass on what was answered. The server
    trusts the machine it runs on.
    """
    ready = Ready(studies)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with studies.store.kept_open():
            looking = asyncio.create_task(_look(ready))
            yield
            looking.cancel()

    app = FastAPI(
        lifespan=lifespan,
        title="discreet",
        summary="Draws sensitive data without giving anyone away.",
        version="1",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.include_router(pages())
    app.state.ready = ready
    app.include_router(routes(studies, callers(studies.store, studies.names, issuer), ready))
    for wrong in (RequestValidationError, HTTPException, LeavingError):
        app.add_exception_handler(wrong, _said)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[*origins],
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    for layer in (RequestLimits, Faults, SecurityHeaders):  # the last is the outermost
        app.add_middleware(layer)
    return app


async def _look(ready: Ready) -> None:
    """Look from time to time for new files, and whether the record can be read."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        await anyio.to_thread.run_sync(ready.wrong)


async def _said(_: Request, error: Exception) -> Response:
    """Answer what goes wrong with fixed words, of which none is of the request."""
    if isinstance(error, HTTPException):  # what the router could not place
        return answered(refusal(CODES.get(error.status_code, "request")), error.headers)
    # The record that cannot be written or read, or a path or query that is not as described.
    return answered(refusal("record" if isinstance(error, LeavingError) else "request"))


TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
}
PAGES = {"/": "board.html", "/custodian": "custodian.html"}


def files() -> Mapping[str, bytes]:
    """Return all files that pages are made of, by name: scripts, styles and the pages."""
    folder = resources.files("discreet.serve").joinpath("static")
    own = {
        it.name: it.read_bytes()
        for it in folder.iterdir()
        if it.is_file() and it.name.rpartition(".")[2] in TYPES
    }
    board = {name: text.encode() for name, text in page_files().items()}
    return {**board, **own}


def pages() -> APIRouter:
    """Return the routes of the pages; they hold nothing of the study and need no token."""
    router = APIRouter(include_in_schema=False)
    contents = files()
    for path, name in [*PAGES.items(), *((f"/static/{name}", name) for name in contents)]:
        send = partial(_send, contents[name], TYPES[name.rpartition(".")[2]])
        router.add_route(path, send, methods=["GET"])
    return router


@cache
def _packed(content: bytes) -> bytes:
    """Pack a file when it is first asked for."""
    return gzip.compress(content, mtime=0)


async def _send(content: bytes, kind: str, request: Request) -> Response:
    """Send a file, packed where the browser can unpack it; say that the one it has is the same."""
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content, media_type=kind, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(_packed(content), media_type=kind, headers=headers)
