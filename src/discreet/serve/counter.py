"""Where a request is taken: whose it is, of which study, and within what time it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Any

import anyio
from fastapi import Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ValidationError

from discreet.serve.access import CallerOf
from discreet.serve.answers import Reply, Sent, refused
from discreet.serve.record import Answer, LogEntry, write_entry
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import Caller

SECONDS = 60.0  # until a request is answered, or told to ask again
JSON = "application/json"
OF_ONE = 6
"""So many requests of one caller are worked on at a time; the others wait, and hold no thread."""

Work = Callable[[Served, Caller, bytes], Reply]
"""What a request's study, caller and body are answered with."""
Bearer = Annotated[
    HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False, scheme_name="token"))
]


def answered(reply: Sent, headers: Mapping[str, str] | None = None) -> Response:
    """Return what is sent for an answer or a refusal."""
    if isinstance(reply, Answer):
        return Response(reply.body, reply.status, dict(reply.headers), reply.media)
    more = dict(headers or {})
    if reply.status == 401:
        more["WWW-Authenticate"] = "Bearer"
    if reply.code in ("rate", "busy", "slow"):
        more["Retry-After"] = "5"
    return Response(reply.body, reply.status, more, JSON)


@dataclass
class _Place:
    """What one caller's requests wait for, and how many they are."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(OF_ONE))
    waiting: int = 0


class Counter:
    """Where a request is taken: it says whose it is, and works on it in a thread.

    Who waits no longer leaves the thread to its work, and it stays taken until that has ended.
    Whose requests are is found out at the `door`: a caller whose requests fill all threads keeps
    nobody from being known.
    """

    def __init__(
        self,
        studies: Studies,
        caller_of: CallerOf,
        threads: ThreadPoolExecutor,
        door: ThreadPoolExecutor,
    ) -> None:
        self._studies, self._caller_of = studies, caller_of
        self._threads, self._door = threads, door
        self._places: dict[tuple[str, str], _Place] = {}

    async def work(
        self,
        bearer: Bearer,
        work: Work,
        role: str = "analyst",
        body: Callable[[], Awaitable[bytes]] | None = None,
    ) -> Sent:
        """Do some work for whoever has the token, within the time a request has.

        A `body` is read once the token is known.
        """
        token = "" if bearer is None else bearer.credentials
        try:
            with anyio.fail_after(SECONDS):
                known = await asyncio.wrap_future(self._door.submit(self._known, token))
                if isinstance(known, Refusal):
                    return known
                data = b"" if body is None else await body()
                reply = await self._worked(*known, lambda it, who: work(it, who, data), role)
        except TimeoutError:
            return refusal("slow")
        if isinstance(reply, Answer | Refusal):
            return reply
        return Answer(200, json.dumps(reply, allow_nan=False, ensure_ascii=False).encode())

    def _known(self, token: str) -> tuple[Served, Caller] | Refusal:
        """Return what a token opens, and whose it is."""
        opened = self._caller_of(token)
        if opened is None:
            return refusal("token")
        caller, study = opened
        served = self._studies.get(study)
        return self._closed(caller, study) if served is None else (served, caller)

    def _closed(self, caller: Caller, study: str) -> Refusal:
        """Say, and write down, that a study is not served now."""
        if not self._studies.desk.rate.lets(f"{study}\0{caller.name}"):
            return refusal("rate")
        entry = LogEntry(study, "", "study", "", None)
        write_entry(self._studies.store, caller, entry, "closed")
        why = self._studies.why_not(study)
        return refusal("closed", f"The study {study} is not served now: {why}.")

    async def _worked(
        self, served: Served, caller: Caller, work: Callable[[Served, Caller], Reply], role: str
    ) -> Reply:
        def whole() -> Reply:
            if role == "custodian" and caller.role != role:
                return refused(served, caller, "custodian", refusal("role"))
            return work(served, caller)

        name, loop = (served.name, caller.name), asyncio.get_running_loop()
        place = self._places.setdefault(name, _Place())
        place.waiting += 1

        def leave() -> None:
            place.free.release()
            self._leave(name, place)

        try:
            await place.free.acquire()
        except BaseException:
            self._leave(name, place)
            raise

        def done(_: Future[Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(leave)

        future = self._threads.submit(whole)
        future.add_done_callback(done)
        return await asyncio.wrap_future(future)

    def _leave(self, name: tuple[str, str], place: _Place) -> None:
        """Forget the place of a caller of whom nobody waits any more."""
        place.waiting -= 1
        if place.waiting == 0 and self._places.get(name) is place:
            del self._places[name]


def read_body(model: type[BaseModel], data: bytes) -> dict[str, Any] | Refusal:
    """Return what a body holds, or say which field its schema does not let pass."""
    try:
        return model.model_validate_json(data).model_dump()
    except ValidationError as error:
        return schema_refusal(model, error)


def schema_refusal(
    model: type[BaseModel], error: ValidationError, whole: str = "the body: JSON"
) -> Refusal:
    """Say which field of a body or query its schema does not let pass."""
    places = [it["loc"][0] for it in error.errors(include_input=False) if it["loc"]]
    # A name that the schema has; any other is the client's own.
    wrong = [name for name in model.model_fields if name in places]
    if wrong:
        return refusal("request", f"{wrong[0]}: not as /api/openapi.json describes it")
    return refusal("request", f"{whole} as /api/openapi.json describes it, no more keys")
