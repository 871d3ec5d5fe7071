"""Where a request is taken: whose it is, what it holds, and within what time it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
from fastapi import Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ValidationError

from discreet.ledger.log import Answer, Caller
from discreet.serve.access import CallerOf
from discreet.serve.answers import refused
from discreet.serve.facts import Served
from discreet.serve.refusals import Refusal, refusal

__all__ = ["JSON", "Bearer", "Counter", "Work", "answered", "not_as", "read_body"]

SECONDS = 60.0  # until a request is answered, or told to ask again
JSON = "application/json"

Work = Callable[[Caller], Answer | Refusal | Mapping[str, Any]]
Bearer = Annotated[
    HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False, scheme_name="token"))
]


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

    async def work(self, bearer: Bearer, work: Work, role: str = "analyst") -> Answer | Refusal:
        """Do some work for whoever has the token, within the time a request has."""
        token = "" if bearer is None else bearer.credentials

        def whole() -> Answer | Refusal | Mapping[str, Any]:
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
            return refusal("slow")
        if isinstance(found, Answer | Refusal):
            return found
        return Answer(200, json.dumps(found, allow_nan=False, ensure_ascii=False).encode())


def read_body(model: type[BaseModel], data: bytes) -> dict[str, Any] | Refusal:
    """Return what a body holds, or say which field its schema does not let pass."""
    try:
        return model.model_validate_json(data).model_dump()
    except ValidationError as error:
        return not_as(model, error)


def not_as(
    model: type[BaseModel], error: ValidationError, whole: str = "the body: JSON"
) -> Refusal:
    """Say which field of a body or query its schema does not let pass."""
    places = [it["loc"][0] for it in error.errors(include_input=False) if it["loc"]]
    # A name that the schema has; any other is the client's own.
    wrong = [name for name in model.model_fields if name in places]
    if wrong:
        return refusal("request", f"{wrong[0]}: not as /api/openapi.json describes it")
    return refusal("request", f"{whole} as /api/openapi.json describes it, no more keys")
