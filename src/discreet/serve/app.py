"""The server of a study, as one ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from discreet.errors import LeavingError
from discreet.serve.access import TrustedIssuer, callers
from discreet.serve.limits import BodyTimeout, Faults, SecurityHeaders, SizeLimits
from discreet.serve.pages import pages
from discreet.serve.refusals import refusal
from discreet.serve.routes import Stopped, answered, routes
from discreet.serve.served import serve_study
from discreet.study import Study

__all__ = ["Entrance", "create_app"]

CODES = {404: "unknown", 405: "method"}


@dataclass(frozen=True)
class Entrance:
    """How a server is reached beside its tokens.

    Parameters
    ----------
    origins : tuple of str
        Other web addresses whose pages may ask; none by default.
    issuer : TrustedIssuer, optional
        Who else issues tokens.
    """

    origins: tuple[str, ...] = ()
    issuer: TrustedIssuer | None = None


def create_app(study: Study, entrance: Entrance | None = None) -> FastAPI:
    """Return the server of a study, as an ASGI application.

    Parameters
    ----------
    study : Study
        What is served; it needs a name.
    entrance : Entrance, optional
        Other origins and issuers; by default neither.

    Returns
    -------
    FastAPI

    Raises
    ------
    InputError
        If the study has no name, or its policy is `research` and the data are not public.

    Notes
    -----
    Every answer but those of the pages, of `/api/health` and of `/api/openapi.json` needs a token
    (`discreet token add`). What is answered is what a View holds; it was recorded in the study's
    ledger before.

    **What it does not protect.** Whoever has a token may pass on what was answered. Two persons
    with a token each have two allowances; what leaves fits together all the same. The server
    trusts the machine it runs on.
    """
    entrance = entrance or Entrance()
    served = serve_study(study)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        """Keep the ledger open as long as the server runs."""
        with served.ledger.store.kept_open():
            yield

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
    app.include_router(routes(served, callers(served.ledger.store, served.name, entrance.issuer)))
    _say_errors(app)
    if entrance.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[*entrance.origins],
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    for layer in (SizeLimits, BodyTimeout, Faults, SecurityHeaders):  # the last is the outermost
        app.add_middleware(layer)
    return app


def _say_errors(app: FastAPI) -> None:
    """Answer what goes wrong with fixed words, of which none is of the request."""

    @app.exception_handler(Stopped)
    def stopped(_: Request, error: Stopped) -> Response:
        """Answer a request that ended with a refusal."""
        return answered(error.found)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, __: RequestValidationError) -> Response:
        """Answer a request whose path or query is not as described."""
        return answered(refusal("request"))

    @app.exception_handler(HTTPException)
    def failed(_: Request, error: HTTPException) -> Response:
        """Answer what the router could not place."""
        code = CODES.get(error.status_code, "request")
        return answered(refusal(code), error.headers)

    @app.exception_handler(LeavingError)
    def unrecorded(_: Request, __: LeavingError) -> Response:
        """Answer when the ledger cannot be written or read."""
        return answered(refusal("ledger"))
