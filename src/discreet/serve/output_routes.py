"""The routes by which analysts hand in what they downloaded, and see what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from discreet.serve import outputs
from discreet.serve.answers import refused
from discreet.serve.counter import JSON, Bearer, Counter, answered, read_body
from discreet.serve.files import Files
from discreet.serve.refusals import Refusal
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

Act = Callable[[Served, Caller, str, Mapping[str, Any]], Mapping[str, Any] | Refusal]
"""Does something of a study for a caller, of the name in the address, by the body."""
NAMED = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}


def add_act(
    router: APIRouter,
    counter: Counter,
    path: str,
    model: type[BaseModel],
    says: str,
    do: Act,
    role: str = "analyst",
) -> None:
    """Add the route of something that is done, whose body is read when the sender is known."""
    what = "custodian" if role == "custodian" else "outputs"

    async def act(bearer: Bearer, request: Request) -> Response:
        data, name = await request.body(), request.path_params.get("name", "")

        def work(served: Served, caller: Caller) -> Mapping[str, Any] | Refusal:
            body = read_body(model, data)
            if isinstance(body, Refusal):
                return refused(served, caller, what, body)
            return do(served, caller, name, body)

        return answered(await counter.work(bearer, work, role))

    act.__doc__ = says
    content = {JSON: {"schema": model.model_json_schema()}}
    extra: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    if "{name}" in path:
        extra["parameters"] = [NAMED]
    router.post(path, response_model=dict[str, Any], name=says, openapi_extra=extra)(act)


def add_output_routes(router: APIRouter, counter: Counter, files: Files) -> None:
    """Add the routes of outputs that an analyst's token opens."""

    @router.get("/outputs", response_model=dict[str, Any])
    async def own(bearer: Bearer) -> Response:
        """Say what became of one's own outputs, newest first; a custodian sees all."""
        return answered(await counter.work(bearer, outputs.seen))

    add_act(
        router,
        counter,
        "/outputs",
        outputs.HandedIn,
        "Hand in a plot or table that was asked for before, with what it is for.",
        lambda served, caller, _, body: outputs.hand_in(served, files, caller, body),
    )
    add_act(
        router,
        counter,
        "/outputs/{name}",
        outputs.Comment,
        "Comment on an output of one's own.",
        outputs.comment,
    )
