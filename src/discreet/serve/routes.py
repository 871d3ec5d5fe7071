"""The addresses of the API: who may ask what where, and what the answers look like."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ValidationError

from discreet.ledger.log import Answer
from discreet.ledger.tokens import Caller
from discreet.plots import PLOTS
from discreet.serve.access import CallerOf
from discreet.serve.asking import answer_again, answer_orders, answer_view, refused, study_json
from discreet.serve.describing import custodian_told, verified
from discreet.serve.drawing import FORMS, Files, figure
from discreet.serve.refusals import ErrorBody, Refusal, refusal
from discreet.serve.schemas import BODIES
from discreet.serve.served import Served

__all__ = ["Stopped", "answered", "routes"]

SECONDS = 60.0  # until a request is answered, or told to ask again
# Requests that are worked on; the others wait. More than wait for pictures and for files together,
# so that some are left for what takes no time.
AT_ONCE = 40
JSON = "application/json"
#: Only what was asked before this row of the log; read when its sender is known.
BEFORE = {
    "name": "before",
    "in": "query",
    "required": False,
    "schema": {"type": "integer", "minimum": 1, "maximum": 10**15 - 1},
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody}
    for status in (400, 401, 403, 404, 405, 408, 409, 413, 414, 422, 429, 500, 503)
}

Work = Callable[[Caller], Answer | Refusal | Mapping[str, Any]]
Bearer = Annotated[
    HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False, scheme_name="token"))
]


class Stopped(Exception):
    """A request ends here, with a refusal."""

    def __init__(self, found: Refusal) -> None:
        super().__init__(found.code)
        self.found = found


def answered(found: Answer | Refusal, headers: Mapping[str, str] | None = None) -> Response:
    """Return what is sent for an answer or a refusal."""
    said = dict(headers or {})
    if isinstance(found, Refusal) and found.status == 401:
        said["WWW-Authenticate"] = "Bearer"
    if isinstance(found, Refusal) and found.code in ("rate", "busy", "slow"):
        said["Retry-After"] = "5"
    return Response(found.body, status_code=found.status, media_type=JSON, headers=said)


@dataclass(frozen=True)
class Counter:
    """Where a request is taken: it says whose it is, and works on it in a thread.

    Who waits no longer leaves the thread to its work, and it stays taken until that has ended.
    """

    served: Served
    caller_of: CallerOf
    threads: ThreadPoolExecutor

    async def work(self, bearer: Bearer, work: Work, role: str = "analyst") -> Answer:
        """Do some work for whoever has the token, within the time a request has."""
        token = "" if bearer is None else bearer.credentials

        def whole() -> Answer | Refusal | Mapping[str, Any]:
            """Find out who asks, and answer."""
            caller = self.caller_of(token)
            if caller is None:
                return refusal("token")
            if role == "custodian" and caller.role != role:
                return refused(self.served, caller, "custodian", refusal("role"))
            return work(caller)

        try:
            with anyio.fail_after(SECONDS):
                found = await asyncio.wrap_future(self.threads.submit(whole))
        except TimeoutError:
            raise Stopped(refusal("slow")) from None
        if isinstance(found, Refusal):
            raise Stopped(found)
        if isinstance(found, Answer):
            return found
        return Answer(200, json.dumps(found, allow_nan=False, ensure_ascii=False).encode())


def routes(served: Served, caller_of: CallerOf) -> APIRouter:
    """Return the routes of the API of a study."""
    router = APIRouter(prefix="/api", responses=ERRORS)
    counter = Counter(served, caller_of, ThreadPoolExecutor(AT_ONCE, "discreet-request"))
    _study(router, counter)
    _views(router, counter)
    _files(router, counter)
    _custodian(router, counter)

    @router.get("/health", responses={})
    async def health() -> dict[Literal["ok"], bool]:
        """Say that the server runs."""
        return {"ok": True}

    return router


def _study(router: APIRouter, counter: Counter) -> None:
    @router.get("/study", response_model=dict[str, Any])
    async def study(bearer: Bearer) -> Response:
        """Say what can be asked: columns, pictures, methods, numbers and their limits; no value."""
        work: Work = lambda caller: study_json(counter.served, caller)  # noqa: E731
        return answered(await counter.work(bearer, work))


def _views(router: APIRouter, counter: Counter) -> None:
    def add(kind: str) -> None:
        """Add the address of one kind of picture."""

        async def draw(bearer: Bearer, request: Request) -> Response:
            data = await request.body()

            def work(caller: Caller) -> Answer | Refusal:
                """Read the body, and answer."""
                given = _read(BODIES[kind], data)
                if isinstance(given, Refusal):
                    return refused(counter.served, caller, kind, given)
                return answer_view(counter.served, caller, kind, given)

            return answered(await counter.work(bearer, work))

        draw.__doc__ = f"{PLOTS[kind].title}: {PLOTS[kind].says}"
        router.post(
            f"/views/{kind}",
            response_model=dict[str, Any],
            name=f"draw_{kind}",
            openapi_extra=_body(BODIES[kind]),
        )(draw)

    for kind in PLOTS:
        add(kind)

    @router.get("/views/{view}", response_model=dict[str, Any])
    async def again(bearer: Bearer, view: str) -> Response:
        """Answer with a picture that was asked for before, byte for byte."""
        work: Work = lambda caller: answer_again(counter.served, caller, view, "again")  # noqa: E731
        return answered(await counter.work(bearer, work))

    @router.get("/views/{view}/orders", response_model=dict[str, Any])
    async def orders(bearer: Bearer, view: str) -> Response:
        """Say which orders of its axes are allowed that are one move away from a picture's own."""
        work: Work = lambda caller: answer_orders(counter.served, caller, view)  # noqa: E731
        return answered(await counter.work(bearer, work))


def _files(router: APIRouter, counter: Counter) -> None:
    files = Files(figure)

    def add(form: str) -> None:
        """Add the address of one kind of file."""

        async def download(bearer: Bearer, view: str) -> Response:
            def work(caller: Caller) -> Answer | Refusal:
                """Find the picture, and make a file of it."""
                found = answer_again(counter.served, caller, view, form)
                if isinstance(found, Refusal) or found.status != 200:
                    return found
                file = files.made(view, found.body, form)
                return file if isinstance(file, Refusal) else Answer(200, file)

            found = await counter.work(bearer, work)
            if found.status != 200:
                return answered(found)
            name = f"discreet-{view[:8]}.{form.rpartition('.')[2]}"
            said = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(found.body, media_type=FORMS[form], headers=said)

        download.__doc__ = f"Answer with {form} of a picture that was asked for before."
        bare = FORMS[form].partition(";")[0]
        told: dict[int | str, dict[str, Any]] = {200: {"content": {bare: {}}}}
        path = f"/views/{{view}}/{form}"
        router.get(path, name=form, response_class=Response, responses=told)(download)

    for form in FORMS:
        add(form)


def _custodian(router: APIRouter, counter: Counter) -> None:
    @router.get("/custodian", response_model=dict[str, Any], openapi_extra={"parameters": [BEFORE]})
    async def told(bearer: Bearer, request: Request) -> Response:
        """Say what the policy is, who has tokens, and what was asked."""
        before = request.query_params.get("before")

        def work(caller: Caller) -> Refusal | Mapping[str, Any]:
            """Read the query once it is known who asks, and answer."""
            if before is None:
                return custodian_told(counter.served)
            if not re.fullmatch("[1-9][0-9]{0,14}", before):
                return refusal("request", "before: not as /api/openapi.json describes it")
            return custodian_told(counter.served, int(before))

        return answered(await counter.work(bearer, work, "custodian"))

    @router.post("/custodian/verify", response_model=dict[str, Any])
    async def verify(bearer: Bearer) -> Response:
        """Count the chain of the ledger again."""
        work: Work = lambda caller: verified(counter.served)  # noqa: E731
        return answered(await counter.work(bearer, work, "custodian"))


def _read(model: type[BaseModel], data: bytes) -> dict[str, Any] | Refusal:
    """Return what a body holds, or say which field its schema does not let pass."""
    try:
        return model.model_validate_json(data).model_dump()
    except ValidationError as error:
        places = [it["loc"][0] for it in error.errors(include_input=False) if it["loc"]]
        # A name that the schema has; any other is the client's own.
        wrong = [name for name in model.model_fields if name in places]
        if wrong:
            return refusal("request", f"{wrong[0]}: not as /api/openapi.json describes it")
        return refusal("request", "the body: JSON as /api/openapi.json describes it, no more keys")


def _body(model: type[BaseModel]) -> dict[str, Any]:
    """Describe the body of a request, which is read only when its sender is known."""
    schema = model.model_json_schema()
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}
