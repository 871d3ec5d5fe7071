"""The server of a study, as one ASGI application: who may ask what where, and the pages."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import resources
from typing import Any, Literal

import anyio
import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from discreet.errors import LeavingError
from discreet.explore.table_kinds import TABLES
from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS, file_name
from discreet.plots import PLOTS
from discreet.serve.access import CallerOf, Issuer, callers
from discreet.serve.answers import (
    TABLE,
    VIEW,
    answer_again,
    answer_table,
    answer_view,
    refused,
    study_json,
)
from discreet.serve.board import (
    LightBody,
    PartBody,
    answer_copy,
    answer_light,
    answer_part,
    answer_rows,
)
from discreet.serve.counter import JSON, Bearer, Counter, answered, read_body
from discreet.serve.custodian_routes import add_custodian_routes
from discreet.serve.files import Files
from discreet.serve.limits import Faults, RequestLimits, SecurityHeaders
from discreet.serve.log import Answer
from discreet.serve.output_routes import add_output_routes
from discreet.serve.ready import Ready
from discreet.serve.refusals import ErrorBody, Refusal, refusal
from discreet.serve.requests import BODIES
from discreet.serve.studies import Served, Studies
from discreet.serve.tables import table_body
from discreet.serve.tokens import Caller
from discreet.web import page_files

LOOK_SECONDS = 60.0
CODES = {404: "unknown", 405: "method"}


def create_app(
    studies: Studies, origins: Sequence[str] = (), issuer: Issuer | None = None
) -> FastAPI:
    """Return the server of some studies, as an ASGI application.

    Parameters
    ----------
    studies : Studies
        What is served: study files, and the server's record.
    origins : sequence of str, optional
        Other web addresses whose pages may ask.
    issuer : Issuer, optional
        Says whose a token is that the record does not know.

    Notes
    -----
    Every answer but those of the pages, of `/api/health`, `/api/ready` and `/api/openapi.json`
    needs a token (`discreet token add`). What is asked is recorded before it is answered.

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


# Requests that are worked on; the others wait. More than wait for pictures and for files together,
# so that some are left for what takes no time.
AT_ONCE, AT_DOOR = 40, 8
BYTES = "application/octet-stream"
ROWS_TOLD: dict[int | str, dict[str, Any]] = {200: {"content": {BYTES: {}}}, 304: {}}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody}
    for status in (400, 401, 403, 404, 405, 408, 409, 413, 414, 422, 429, 500, 503)
}


def routes(studies: Studies, caller_of: CallerOf, ready: Ready) -> APIRouter:
    """Return the routes of the API of some studies."""
    router = APIRouter(prefix="/api", responses=ERRORS)
    counter = Counter(
        studies,
        caller_of,
        ThreadPoolExecutor(AT_ONCE, "discreet-request"),
        ThreadPoolExecutor(AT_DOOR, "discreet-door"),
    )

    @router.get("/study", response_model=dict[str, Any])
    async def study(bearer: Bearer) -> Response:
        """Say what can be asked: columns, pictures, methods, numbers and their limits; no value."""
        return answered(await counter.work(bearer, study_json))

    _rows(router, counter)
    _copy(router, counter)
    files = Files()
    _views(router, counter)
    _files(router, counter, files, OF_PLOTS)
    _tables(router, counter)
    _files(router, counter, files, OF_TABLES)
    add_output_routes(router, counter, files)
    add_custodian_routes(router, counter, files)

    @router.get("/ready", responses={503: {"model": dict[str, Any]}})
    async def readiness(response: Response) -> dict[str, Any]:
        """Say whether the server answers at once: 503, and what it waits for or what is wrong."""
        found = await anyio.to_thread.run_sync(ready.facts)
        response.status_code = 200 if found["ready"] else 503
        return found

    @router.get("/health", responses={})
    async def health() -> dict[Literal["ok"], bool]:
        """Say that the server runs."""
        return {"ok": True}

    return router


def _rows(router: APIRouter, counter: Counter) -> None:
    @router.get("/rows", response_class=Response, responses=ROWS_TOLD)
    async def rows(bearer: Bearer, request: Request) -> Response:
        """Answer with the rows of the copy as columns of bytes, or 304 where they are the same."""
        asked, said = request.headers, {"Vary": "Accept-Encoding"}

        def work(served: Served, caller: Caller) -> Answer | Refusal:
            found = answer_rows(served, caller)
            if isinstance(found, Refusal):
                return found
            said["ETag"] = f'"{found.digest}"'
            if said["ETag"] in asked.get("if-none-match", ""):
                return Answer(304, b"")
            if "gzip" not in asked.get("accept-encoding", ""):
                return Answer(200, found.data)
            said["Content-Encoding"] = "gzip"
            return Answer(200, served.held.packed)

        found = await counter.work(bearer, work)
        if isinstance(found, Refusal):
            return answered(found)
        return Response(found.body, found.status, said, None if found.status == 304 else BYTES)


Reply = Callable[[Served, Caller, Mapping[str, Any]], Answer | Refusal | Mapping[str, Any]]


@dataclass(frozen=True)
class Asked:
    """What a body asks for: where, by which schema, what the record calls it, and who answers."""

    path: str
    name: str
    body: type[BaseModel]
    says: str
    what: str
    answer: Reply


def _add(router: APIRouter, counter: Counter, asked: Asked) -> None:
    """Add the route of what is asked for by a body, which is read when its sender is known."""

    async def ask(bearer: Bearer, request: Request) -> Response:
        data = await request.body()

        def work(served: Served, caller: Caller) -> Answer | Refusal | Mapping[str, Any]:
            given = read_body(asked.body, data)
            if isinstance(given, Refusal):
                return refused(served, caller, asked.what, given)
            return asked.answer(served, caller, given)

        return answered(await counter.work(bearer, work))

    ask.__doc__ = asked.says
    content = {JSON: {"schema": asked.body.model_json_schema()}}
    router.post(
        asked.path,
        response_model=dict[str, Any],
        name=asked.name,
        openapi_extra={"requestBody": {"required": True, "content": content}},
    )(ask)


def _of_copy(
    kind: str, served: Served, caller: Caller, body: Mapping[str, Any]
) -> Answer | Refusal:
    return answer_copy(served, caller, kind, body)


def _view(kind: str, served: Served, caller: Caller, body: Mapping[str, Any]) -> Answer | Refusal:
    return answer_view(served, caller, kind, body)


def _table(kind: str, served: Served, caller: Caller, body: Mapping[str, Any]) -> Answer | Refusal:
    return answer_table(served, caller, kind, body)


LIGHT = "Count the rows of the copy in each mark of some plots that fulfil a condition."
PART = "Say how many rows of the copy some conditions keep, and which columns there are."


def _copy(router: APIRouter, counter: Counter) -> None:
    asked: dict[str, tuple[type[BaseModel], str, Reply]] = {
        "light": (LightBody, LIGHT, answer_light),
        "part": (PartBody, PART, answer_part),
    }
    for kind, body in BODIES.items():
        says = f"{PLOTS[kind].title} of the copy of the whole table; it is not kept."
        asked[kind] = body, says, partial(_of_copy, kind)
    for name, (body, says, answer) in asked.items():
        path, what = f"/copy/{name}", f"copy {name}"
        _add(router, counter, Asked(path, f"copy_{name}", body, says, what, answer))


def _views(router: APIRouter, counter: Counter) -> None:
    for kind, body in BODIES.items():
        says = f"{PLOTS[kind].title}: {PLOTS[kind].says}"
        draw = partial(_view, kind)
        _add(router, counter, Asked(f"/views/{kind}", f"draw_{kind}", body, says, kind, draw))

    @router.get("/views/{view}", response_model=dict[str, Any])
    async def again(bearer: Bearer, view: str) -> Response:
        """Answer with a picture that was asked for before, byte for byte."""

        def work(served: Served, caller: Caller) -> Answer | Refusal:
            return answer_again(served, caller, view, "again")

        return answered(await counter.work(bearer, work))


@dataclass(frozen=True)
class Place:
    """Where files are taken from: of what ("view" or "table"), in which forms."""

    path: str
    what: str
    forms: Mapping[str, str]


NOUNS = {VIEW: "plot", TABLE: "table"}
OF_PLOTS = Place("/views", VIEW, PLOT_FORMS)
OF_TABLES = Place("/tables", TABLE, TABLE_FORMS)


def _files(router: APIRouter, counter: Counter, files: Files, place: Place) -> None:
    """Add the routes of all forms of plots or of tables."""
    for form in place.forms:
        _file(router, counter, files, place, form)


def _file(router: APIRouter, counter: Counter, files: Files, place: Place, form: str) -> None:
    """Add the route of a form of plots or tables."""

    async def download(bearer: Bearer, request: Request) -> Response:
        id_ = request.path_params[place.what]

        def work(served: Served, caller: Caller) -> Answer | Refusal:
            found = answer_again(served, caller, id_, form, place.what)
            if isinstance(found, Refusal):
                return found
            file = files.made(id_, found.body, form, served.file.key)
            return file if isinstance(file, Refusal) else Answer(200, file)

        found = await counter.work(bearer, work)
        if isinstance(found, Refusal):
            return answered(found)
        said = {"Content-Disposition": f'attachment; filename="{file_name(id_, form)}"'}
        return Response(found.body, media_type=place.forms[form], headers=said)

    download.__doc__ = f"Answer with {form} of a {NOUNS[place.what]} that was asked for before."
    bare = place.forms[form].partition(";")[0]
    told: dict[int | str, dict[str, Any]] = {200: {"content": {bare: {}}}}
    path = f"{place.path}/{{{place.what}}}/{form}"
    schema = {"type": "string", "title": place.what.capitalize()}
    named = {"name": place.what, "in": "path", "required": True, "schema": schema}
    router.get(
        path,
        name=form,
        response_class=Response,
        responses=told,
        openapi_extra={"parameters": [named]},
    )(download)


def _tables(router: APIRouter, counter: Counter) -> None:
    for kind, table in TABLES.items():
        path, name, make = f"/tables/{kind}", f"make_{kind}", partial(_table, kind)
        asked = Asked(path, name, table_body(table), table.says, kind, make)
        _add(router, counter, asked)


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
    found = files()
    packed = {name: gzip.compress(content, mtime=0) for name, content in found.items()}
    for path, name in [*PAGES.items(), *((f"/static/{name}", name) for name in found)]:
        send = partial(_send, found[name], packed[name], TYPES[name.rpartition(".")[2]])
        router.add_route(path, send, methods=["GET"])
    return router


async def _send(content: bytes, packed: bytes, kind: str, request: Request) -> Response:
    """Send a file, packed where the browser can unpack it; say that the one it has is the same."""
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content, media_type=kind, headers=headers)
    return Response(packed, media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
