"""The routes of the API: what each takes, who may ask it, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ValidationError

from discreet.explore.table_kinds import TABLES
from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS, file_name
from discreet.plots import PLOTS
from discreet.serve import boards, custodian, drawings, outputs, questions
from discreet.serve.access import CallerOf
from discreet.serve.answers import (
    TABLE,
    VIEW,
    Reply,
    Sent,
    answer,
    answer_again,
    refused,
    study_json,
    table_body,
)
from discreet.serve.board import (
    LightBody,
    PartBody,
    answer_copy,
    answer_light,
    answer_part,
    answer_rows,
)
from discreet.serve.counter import JSON, Bearer, Counter, answered, read_body, schema_refusal
from discreet.serve.ready import Ready
from discreet.serve.record import Answer
from discreet.serve.refusals import ErrorBody, Refusal
from discreet.serve.requests import BODIES, Body
from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import Caller

# Requests that are worked on; the others wait. More than wait for pictures and for files together,
# so that some are left for what takes no time.
AT_ONCE, AT_DOOR = 40, 8
BYTES = "application/octet-stream"
ERROR_BODY = {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}
# By its name: of a model FastAPI makes a field for each of them on each route, half of a start.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"content": {JSON: {"schema": ERROR_BODY}}}
    for status in (400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 422, 429, 500, 503)
}
Ask = Callable[[Served, Caller, Request], Reply]
"""Answers a request, of which the path, the query and the headers are looked at."""
Act = Callable[[Served, Caller, str, Body], Reply]
"""Answers by a body, of what the address names: a plot, a token, an output."""


@dataclass(frozen=True)
class Route:
    """A request without a body: `media` is what it is answered with where that is no JSON."""

    path: str
    name: str
    says: str
    ask: Ask
    role: str = "analyst"
    method: str = "GET"
    media: Mapping[int | str, dict[str, Any]] | None = None
    query: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Post:
    """A request with a body: by which schema, and what the record calls one that is refused.

    `of` is what it is about where the address does not name that.
    """

    path: str
    name: str
    says: str
    body: type[BaseModel]
    what: str
    act: Act
    role: str = "analyst"
    of: str = ""


def routes(studies: Studies, caller_of: CallerOf, ready: Ready) -> APIRouter:
    """Return the routes of the API of some studies."""
    router = APIRouter(prefix="/api", responses=ERRORS)
    counter = Counter(
        studies,
        caller_of,
        ThreadPoolExecutor(AT_ONCE, "discreet-request"),
        ThreadPoolExecutor(AT_DOOR, "discreet-door"),
    )
    for route in (
        *_copy_routes(),
        *_answer_routes(),
        *_output_routes(),
        *_question_routes(),
        *_board_routes(),
        *_token_routes(),
        *_record_routes(),
    ):
        if isinstance(route, Post):
            _add_post(router, counter, route)
        else:
            _add(router, counter, route)

    # The one route that brings the model into the schema.
    @router.get("/ready", responses={400: {"model": ErrorBody}, 503: {"model": dict[str, Any]}})
    async def readiness(response: Response) -> dict[str, Any]:
        """Say whether the server answers at once: 503, and what it waits for or what is wrong."""
        facts = await anyio.to_thread.run_sync(ready.facts)
        response.status_code = 200 if facts["ready"] else 503
        return facts

    @router.get("/health", responses={})
    async def health() -> dict[Literal["ok"], bool]:
        """Say that the server runs."""
        return {"ok": True}

    return router


def _add(router: APIRouter, counter: Counter, route: Route) -> None:
    async def ask(bearer: Bearer, request: Request) -> Response:
        def work(served: Served, caller: Caller, _: bytes) -> Reply:
            return route.ask(served, caller, request)

        return answered(await counter.work(bearer, work, route.role))

    ask.__doc__ = route.says
    schema: dict[str, Any] = {"response_model": dict[str, Any]}
    if route.media is not None:
        schema = {"response_class": Response, "responses": dict(route.media)}
    parameters = [*_path_parameters(route.path, titled=True), *route.query]
    if parameters:
        schema["openapi_extra"] = {"parameters": parameters}
    router.api_route(route.path, methods=[route.method], name=route.name, **schema)(ask)


def _add_post(router: APIRouter, counter: Counter, route: Post) -> None:
    """Add a route whose body is read when its sender is known."""

    async def ask(bearer: Bearer, request: Request) -> Response:
        name = request.path_params.get("name", route.of)

        def work(served: Served, caller: Caller, data: bytes) -> Reply:
            body = read_body(route.body, data)
            if isinstance(body, Refusal):
                return refused(served, caller, route.what, body)
            return route.act(served, caller, name, body)

        return answered(await counter.work(bearer, work, route.role, request.body))

    ask.__doc__ = route.says
    content = {JSON: {"schema": route.body.model_json_schema()}}
    extra: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    parameters = _path_parameters(route.path)
    if parameters:
        extra["parameters"] = parameters
    added = router.post(
        route.path, response_model=dict[str, Any], name=route.name, openapi_extra=extra
    )
    added(ask)


def _path_parameters(path: str, *, titled: bool = False) -> list[dict[str, Any]]:
    """Describe what an address names, which is the last part of it in braces."""
    name = path.partition("{")[2].partition("}")[0]
    if not name:
        return []
    schema = {"type": "string"} | ({"title": name.capitalize()} if titled else {})
    return [{"name": name, "in": "path", "required": True, "schema": schema}]


def _content(media: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media.partition(";")[0]: {}}}}


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


# --- what analysts ask ----------------------------------------------------------------------------


def _copy_routes() -> Iterator[Route | Post]:
    """Yield the routes by which a study is looked at, and its copy explored."""
    yield Route(
        "/study",
        "study",
        "Say what can be asked: columns, pictures, methods, numbers and their limits; no value.",
        lambda served, caller, _: study_json(served, caller),
    )
    yield Route(
        "/rows",
        "rows",
        "Answer with the rows of the copy as columns of bytes, or 304 where they are the same.",
        _rows,
        media={200: {"content": {BYTES: {}}}, 304: {}},
    )
    yield Post(
        "/copy/light",
        "copy_light",
        "Count the rows of the copy in each mark of some plots that fulfil a condition.",
        LightBody,
        "copy light",
        answer_light,
    )
    yield Post(
        "/copy/part",
        "copy_part",
        "Say how many rows of the copy some conditions keep, and which columns there are.",
        PartBody,
        "copy part",
        answer_part,
    )
    for kind, model in BODIES.items():
        yield Post(
            f"/copy/{kind}",
            f"copy_{kind}",
            f"{PLOTS[kind].title} of the copy of the whole table; it is not kept.",
            model,
            f"copy {kind}",
            answer_copy,
            of=kind,
        )


def _rows(served: Served, caller: Caller, request: Request) -> Sent:
    rows = answer_rows(served, caller)
    if isinstance(rows, Refusal):
        return rows
    headers = {"Vary": "Accept-Encoding", "ETag": f'"{rows.digest}"'}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Answer(304, b"", None, headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Answer(200, rows.data, BYTES, headers)
    return Answer(200, served.kept.packed, BYTES, {**headers, "Content-Encoding": "gzip"})


def _answer_routes() -> Iterator[Route | Post]:
    """Yield the routes of plots, tables, and the files that they can be had as."""
    for kind, model in BODIES.items():
        yield Post(
            f"/views/{kind}",
            f"draw_{kind}",
            f"{PLOTS[kind].title}: {PLOTS[kind].says}",
            model,
            kind,
            answer,
            of=kind,
        )
    yield Route(
        "/views/{view}",
        "again",
        "Answer with a picture that was asked for before, byte for byte.",
        lambda served, caller, request: answer_again(
            served, caller, request.path_params["view"], "again"
        ),
    )
    yield from (_file(VIEW, "plot", form, media) for form, media in PLOT_FORMS.items())
    for kind, table in TABLES.items():
        yield Post(
            f"/tables/{kind}", f"make_{kind}", table.says, table_body(table), kind, answer, of=kind
        )
    yield from (_file(TABLE, "table", form, media) for form, media in TABLE_FORMS.items())
    seal = "Answer with a page's own drawing of a plot or table that was asked for, sealed."
    yield Post("/drawn/{name}", "drawn", seal, drawings.Drawn, drawings.DRAWN, drawings.seal)


def _file(what: str, noun: str, form: str, media: str) -> Route:
    """Return the route of a form of plots ("view") or tables ("table")."""

    def ask(served: Served, caller: Caller, request: Request) -> Sent:
        id_ = request.path_params[what]
        answer = answer_again(served, caller, id_, form, what)
        if isinstance(answer, Refusal):
            return answer
        file = served.desk.files.made(id_, answer.body, form, served.file.key)
        if isinstance(file, Refusal):
            return file
        return Answer(200, file, media, _attached(file_name(id_, form)))

    says = f"Answer with {form} of a {noun} that was asked for before."
    return Route(f"/{what}s/{{{what}}}/{form}", form, says, ask, media=_content(media))


def _output_routes() -> Iterator[Route | Post]:
    """Yield the routes by which analysts hand in what they downloaded."""
    yield Route(
        "/outputs",
        "own",
        "Say what became of one's own outputs, newest first; a custodian sees all.",
        lambda served, caller, _: outputs.seen(served, caller),
    )
    hand_in = "Hand in a plot or table that was asked for before, with what it is for."
    yield Post("/outputs", hand_in, hand_in, outputs.HandedIn, "outputs", outputs.hand_in)
    comment = "Comment on an output of one's own."
    yield Post("/outputs/{name}", comment, comment, outputs.Comment, "outputs", outputs.comment)


# --- what custodians ask --------------------------------------------------------------------------

CUSTODIAN = "custodian"
QUERY = [
    {"name": name, "in": "query", "required": False, "schema": schema}
    for name, schema in custodian.LogQuery.model_json_schema()["properties"].items()
]


def _get(path: str, name: str, says: str, ask: Ask, **more: Any) -> Route:
    return Route(f"/custodian{path}", name, says, ask, CUSTODIAN, **more)


def _post(path: str, says: str, body: type[BaseModel], act: Act) -> Post:
    return Post(f"/custodian{path}", says, says, body, CUSTODIAN, act, CUSTODIAN)


def _token_routes() -> Iterator[Route | Post]:
    """Yield the routes by which a custodian looks at the study, and at who may ask it."""
    yield _get(
        "",
        "told",
        "Say what the policy says, who has tokens, and where the record ends.",
        lambda served, caller, _: custodian.overview(served, caller),
    )
    yield _get(
        "/verify",
        "verify",
        "Count the chain of the record again.",
        lambda served, *_: custodian.verified(served),
        method="POST",
    )
    yield _get(
        "/tokens/{name}",
        "revoke",
        "Revoke a token.",
        lambda served, caller, request: custodian.revoke(
            served, caller, request.path_params["name"]
        ),
        method="DELETE",
    )
    yield _post(
        "/tokens", "Make a token; it is shown only once.", custodian.NewToken, custodian.add
    )
    yield _post("/tokens/{name}", "Change when a token expires.", custodian.Terms, custodian.change)


def _question_routes() -> Iterator[Route | Post]:
    """Yield the routes by which the data are asked, and a custodian takes the list."""
    yield Route(
        "/questions",
        "own_questions",
        "List one's own questions to the data, newest first, with the answers there are.",
        lambda served, caller, _: questions.own_questions(served, caller),
    )
    yield Route(
        "/answers",
        "answers",
        "List the answers from the data that the study file has.",
        lambda served, caller, _: questions.answers(served, caller),
    )
    put = "Put a question to the data on the list: what a plot or table shows that was asked for."
    yield Post("/questions", put, put, questions.Asked, "questions", questions.ask)
    yield _get(
        "/questions",
        "all_questions",
        "List the questions to the data that are not answered, and what was decided of each.",
        lambda served, *_: questions.all_questions(served),
    )
    yield _get(
        "/question-list",
        "question_file",
        "Answer with the questions that were agreed to, as the list that `discreet answer` takes.",
        lambda served, *_: questions.question_file(served),
        media=_content("application/json"),
    )
    yield _post(
        "/questions/{name}",
        "Agree to answer a question to the data, or decline it with a reason.",
        questions.Decided,
        questions.decide,
    )


def _board_routes() -> Iterator[Route | Post]:
    """Yield the routes by which analysts keep boards."""
    yield Route(
        "/boards",
        "own_boards",
        "List one's own boards that were kept under a name.",
        lambda served, caller, _: boards.own_boards(served, caller),
    )
    keep = "Keep a board of one's own under a name; an empty state deletes it."
    yield Post("/boards", keep, keep, boards.KeptBoard, "boards", boards.keep_board)


def _record_routes() -> Iterator[Route | Post]:
    """Yield the routes by which a custodian reviews outputs, and reads the record."""
    yield _post(
        "/outputs/{name}",
        "Comment on an output that was handed in, approve or reject it.",
        outputs.Said,
        outputs.review_output,
    )
    yield _post(
        "/outputs",
        "Hand in what was downloaded from the server but not yet handed in.",
        outputs.Collect,
        outputs.collect,
    )
    yield _get(
        "/outputs",
        "listed",
        "List what was handed in for checking, newest first.",
        lambda served, *_: outputs.outputs(served),
    )
    yield _get(
        "/outputs/{name}/file",
        "file",
        "Answer with the file of an output that was handed in.",
        lambda served, _, request: outputs.file(served, request.path_params["name"]),
        media=_content(BYTES),
    )
    yield _get(
        "/log",
        "log",
        "Say what was asked and what became of it, newest first, page by page.",
        _record_page,
        query=QUERY,
    )
    for form, media in custodian.LOG_FORMS.items():
        yield _get(
            f"/{form}",
            form,
            f"Answer with all entries of the record that are wanted, as {form}.",
            partial(_record_page, form=form),
            media=_content(media),
            query=QUERY,
        )


def _record_page(served: Served, caller: Caller, request: Request, form: str = "") -> Reply:
    """Answer with the record that a query asks for: a page of it, or a file of a form."""
    try:
        query = custodian.LogQuery.model_validate(dict(request.query_params))
    except ValidationError as error:
        wrong = schema_refusal(custodian.LogQuery, error, "the query:")
        return refused(served, caller, CUSTODIAN, wrong)
    if not form:
        return custodian.log_page(served, query)
    return custodian.log_file(served, caller, query, form)
