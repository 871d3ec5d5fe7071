"""`discreet token`: who may ask a study on the web."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from discreet.cli.common import PolicyOption

__all__ = ["token_add", "token_list", "token_revoke"]

Name = Annotated[str, typer.Argument(help="Whose the token is; a name is used once for ever.")]


def token_add(
    name: Name,
    role: Annotated[str, typer.Option("--role", help="analyst or custodian.")] = "analyst",
    days: Annotated[float, typer.Option("--days", help="How long it is valid.")] = 30.0,
    policy: PolicyOption = "standard",
) -> None:
    """Make a token and print it, this one time."""
    from discreet.ledger import add_token
    from discreet.study import ledger_of

    text = add_token(ledger_of(policy).store, name, role, days=days)
    # Alone on standard output, for a program to read.
    typer.echo(text)
    typer.echo(
        f"a token for {name}, {role}, for {days:g} days; it is kept nowhere and shown this once:"
        " hand it over by a way that others do not read",
        err=True,
    )


def token_revoke(name: Name, policy: PolicyOption = "standard") -> None:
    """Let a token open nothing from now on."""
    from discreet.ledger import revoke_token
    from discreet.study import ledger_of

    revoke_token(ledger_of(policy).store, name)
    typer.echo(f"the token of {name} is revoked")


def token_list(
    policy: PolicyOption = "standard",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the tokens there are and were: name, role, times and state; never the token."""
    from rich.console import Console
    from rich.table import Table as Listing

    from discreet.ledger import list_tokens
    from discreet.study import ledger_of

    tokens = list_tokens(ledger_of(policy).store)
    if as_json:
        told = [{**dataclasses.asdict(token), "state": token.state()} for token in tokens]
        typer.echo(json.dumps(told))
        return
    listing = Listing()
    for heading in ("name", "role", "made", "expires", "state"):
        listing.add_column(heading, overflow="fold")
    for token in tokens:
        listing.add_row(token.name, token.role, token.made, token.expires, token.state())
    console = Console(markup=False, highlight=False)
    console.print(listing if tokens else "there are no tokens; discreet token add makes one")
