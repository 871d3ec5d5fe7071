"""`discreet serve`: a study on the web."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.common import (
    File,
    JsonOption,
    PolicyOption,
    StudyOption,
    print_words,
    with_options,
)
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.ledger import Store

__all__ = ["serve"]

TOKEN_DAYS = 1.0
NEW_LEDGER = (
    "discreet: a new ledger begins: nothing is known to have left of this study. If something"
    " has, stop, and restore the ledger from a backup"
)


@dataclass(frozen=True)
class ServerOptions:
    """Where a server listens, and who may ask it."""

    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; others reach it with 0.0.0.0.")
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option("--port", help="The port; 0 takes a free one.")] = 8765
    workers: Annotated[int, typer.Option("--workers", help="How many processes serve.")] = 1
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="A certificate (PEM), for TLS.")
    ] = None
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's key (PEM).")] = None
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front of it speaks TLS.")
    ] = False
    origins: Annotated[
        list[str] | None,
        typer.Option("--origins", help="Another web address whose pages may ask. Repeatable."),
    ] = None
    issuer: Annotated[
        str, typer.Option("--issuer", help="An OpenID Connect issuer whose tokens are taken, too.")
    ] = ""
    audience: Annotated[
        str, typer.Option("--audience", help="The audience its tokens must be for.")
    ] = ""
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Make no token: for a service, whose output is kept."),
    ] = False


@with_options
def serve(
    file: File,
    options: ServerOptions,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Serve a study on the web: the data stay here, plots go out.

    discreet serve cohort.parquet --policy discreet.toml

    Prints an address with a token that an analyst opens; it is shown this once, and is good for a
    day. `discreet token add` makes others.
    """
    try:
        from discreet.serve.running import Address, Plan, opened, run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("discreet"):
            raise
        raise InputError(
            "serving needs packages that are not installed: pip install 'discreet[server]'"
        ) from None

    if bool(options.issuer) != bool(options.audience):
        raise InputError("OpenID Connect needs an issuer and an audience; give both")
    address = Address(
        options.host, options.port, options.certificate, options.key, options.behind_proxy
    )
    place = str(Path(policy).resolve()) if policy.endswith(".toml") else policy
    origins = tuple(options.origins or ())
    plan = Plan(str(file.resolve()), place, study, origins, options.issuer, options.audience)
    found = opened(plan)
    store, of = found.session.ledger.store, found.session.known_name()
    if not store.path.exists():
        typer.echo(NEW_LEDGER, err=True)
    with (
        _ending_at_sigterm(),
        store.kept_open(),  # from before the token is made until it is revoked
        _token_of_start(store, of, wanted=not options.no_token) as token,
    ):

        def said(url: str) -> None:
            """Say where it listens, once."""
            if as_json:
                typer.echo(json.dumps({"address": url, "token": token}))
                return
            print_words(_greeting(of, found.policy.name, policy, url, token))
            if options.behind_proxy:
                print_words(f"Others reach it as https:// and your proxy's name, not as {url}.")

        run(found, plan, address, options.workers, said)


@contextmanager
def _token_of_start(store: Store, study: str, *, wanted: bool) -> Iterator[str | None]:
    """Make a token for as long as the server runs, if one is wanted."""
    from discreet.ledger import add_token, revoke_token
    from discreet.secret import unguessable

    if not wanted:
        yield None
        return
    name = f"start-{unguessable()[:6]}"
    token = add_token(store, study, name, "analyst", days=TOKEN_DAYS)
    try:
        yield token
    finally:
        try:
            revoke_token(store, study, name)
        except DiscreetError as error:
            typer.echo(f"discreet: the start's token stays valid for a day: {error}", err=True)


def _greeting(study: str, name: str, policy: str, url: str, token: str | None) -> str:
    """Say what is served where, and how others get in."""
    lines = [f"discreet serves {study} under policy {name!r} at {url}", ""]
    if token is not None:
        lines += [
            f"  An analyst opens   {url}/#token={token}",
            "",
            "The link holds a token that is shown this once and is good for a day.",
        ]
    options = f"--study {shlex.quote(study)} --policy {shlex.quote(policy)}"
    lines += [
        f"Others: discreet token add NAME {options}; with --role custodian",
        f"for {url}/custodian. Stop with Ctrl-C.",
    ]
    return "\n".join(lines)


@contextmanager
def _ending_at_sigterm() -> Iterator[None]:
    """Let SIGTERM end the program as an exit does, and not at once with nothing undone."""

    def end(*_: object) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
