"""The custodian's routes: what each of them takes, and who does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ValidationError

from discreet.serve import custodian, outputs
from discreet.serve.answers import refused
from discreet.serve.counter import Bearer, Counter, Work, answered, not_as
from discreet.serve.files import Files
from discreet.serve.log import Answer
from discreet.serve.output_routes import Act, add_act
from discreet.serve.refusals import Refusal
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller


def add_custodian_routes(router: APIRouter, counter: Counter, files: Files) -> None:
    """Add all routes that a custodian's token alone opens."""

    @router.get("/custodian", response_model=dict[str, Any])
    async def told(bearer: Bearer) -> Response:
        """Say what the policy says, who has tokens, and where the record ends."""
        return answered(await counter.work(bearer, custodian.overview, "custodian"))

    @router.post("/custodian/verify", response_model=dict[str, Any])
    async def verify(bearer: Bearer) -> Response:
        """Count the chain of the record again."""
        work: Work = lambda served, _: custodian.verified(served)  # noqa: E731
        return answered(await counter.work(bearer, work, "custodian"))

    @router.delete("/custodian/tokens/{name}", response_model=dict[str, Any])
    async def revoke(bearer: Bearer, name: str) -> Response:
        """Let a token open nothing from now on."""
        work: Work = lambda served, it: custodian.revoke(served, it, name)  # noqa: E731
        return answered(await counter.work(bearer, work, "custodian"))

    for path, model, says, do in ACTS:
        add_act(router, counter, path, model, says, do, "custodian")
    _outputs(router, counter, files)
    _log(router, counter)


ACTS: Sequence[tuple[str, type[BaseModel], str, Act]] = (
    (
        "/custodian/tokens",
        custodian.NewToken,
        "Make a token; it is told this once.",
        lambda served, caller, _, body: custodian.add(served, caller, body),
    ),
    (
        "/custodian/tokens/{name}",
        custodian.Terms,
        "Let a token hold for longer or shorter.",
        custodian.change,
    ),
    (
        "/custodian/outputs/{name}",
        outputs.Said,
        "Comment on an output that was handed in, approve or reject it.",
        outputs.review_output,
    ),
)


def _outputs(router: APIRouter, counter: Counter, files: Files) -> None:
    add_act(
        router,
        counter,
        "/custodian/outputs",
        outputs.Collect,
        "Hand in what was downloaded from the server and was not handed in yet.",
        lambda served, caller, _, body: outputs.collect(served, files, caller, body),
        "custodian",
    )

    @router.get("/custodian/outputs", response_model=dict[str, Any])
    async def listed(bearer: Bearer) -> Response:
        """Say what was handed in to be checked, newest first."""
        work: Work = lambda served, _: outputs.outputs(served)  # noqa: E731
        return answered(await counter.work(bearer, work, "custodian"))

    bytes_: dict[int | str, dict[str, Any]] = {200: {"content": {BYTES: {}}}}

    @router.get("/custodian/outputs/{name}/file", response_class=Response, responses=bytes_)
    async def file(bearer: Bearer, name: str) -> Response:
        """Answer with the file of an output that was handed in."""
        work: Work = lambda served, _: outputs.file(served, name)  # noqa: E731
        found = await counter.work(bearer, work, "custodian")
        if isinstance(found, Refusal):
            return answered(found)
        said = {"Content-Disposition": "attachment"}  # never a page of this origin
        return Response(found.body, media_type=BYTES, headers=said)


BYTES = "application/octet-stream"
QUERY = [
    {"name": name, "in": "query", "required": False, "schema": schema}
    for name, schema in custodian.LogQuery.model_json_schema()["properties"].items()
]


def _log(router: APIRouter, counter: Counter) -> None:
    def queried(served: Served, caller: Caller, request: Request) -> custodian.LogQuery | Refusal:
        try:
            return custodian.LogQuery.model_validate(dict(request.query_params))
        except ValidationError as error:
            return refused(
                served, caller, "custodian", not_as(custodian.LogQuery, error, "the query:")
            )

    @router.get(
        "/custodian/log", response_model=dict[str, Any], openapi_extra={"parameters": QUERY}
    )
    async def log(bearer: Bearer, request: Request) -> Response:
        """Say what was asked and what became of it, newest first, page by page."""

        def work(served: Served, caller: Caller) -> Mapping[str, Any] | Refusal:
            query = queried(served, caller, request)
            return query if isinstance(query, Refusal) else custodian.log_page(served, query)

        return answered(await counter.work(bearer, work, "custodian"))

    def add(form: str) -> None:

        async def download(bearer: Bearer, request: Request) -> Response:
            def work(served: Served, caller: Caller) -> Answer | Refusal:
                query = queried(served, caller, request)
                if isinstance(query, Refusal):
                    return query
                return custodian.log_file(served, caller, query, form)

            found = await counter.work(bearer, work, "custodian")
            if isinstance(found, Refusal):
                return answered(found)
            said = {"Content-Disposition": f'attachment; filename="discreet-{form}"'}
            return Response(found.body, media_type=custodian.LOG_FORMS[form], headers=said)

        download.__doc__ = f"Answer with all entries of the record that are wanted, as {form}."
        bare = custodian.LOG_FORMS[form].partition(";")[0]
        told: dict[int | str, dict[str, Any]] = {200: {"content": {bare: {}}}}
        router.get(
            f"/custodian/{form}",
            name=form,
            response_class=Response,
            responses=told,
            openapi_extra={"parameters": QUERY},
        )(download)

    for form in custodian.LOG_FORMS:
        add(form)
