"""`discreet token`: who may ask a study on the web."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from discreet.cli.common import PolicyOption, moment, print_table, print_words
from discreet.errors import InputError

__all__ = ["token_add", "token_list", "token_revoke"]

Name = Annotated[str, typer.Argument(help="Whose the token is; a name is used once for ever.")]
StudyOption = Annotated[
    str | None, typer.Option("--study", help="The study; by default the `study` of the policy.")
]


def token_add(
    name: Name,
    role: Annotated[str, typer.Option("--role", help="analyst or custodian.")] = "analyst",
    days: Annotated[float, typer.Option("--days", help="How long it is valid.")] = 30.0,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
) -> None:
    """Make a token and print it, this one time."""
    from discreet.ledger import add_token
    from discreet.study import ledger_of

    of = _named(study, policy)
    text = add_token(ledger_of(policy).store, of, name, role, days=days)
    # Alone on standard output, for a program to read.
    typer.echo(text)
    print_words(
        f"a token of study {of} for {name}, {role}, for {days:g} days; it is kept nowhere and shown"
        " this once: hand it over by a way that others do not read",
        err=True,
    )


def token_revoke(name: Name, policy: PolicyOption = "standard", study: StudyOption = None) -> None:
    """Let a token open nothing from now on."""
    from discreet.ledger import revoke_token
    from discreet.study import ledger_of

    of = _named(study, policy)
    revoke_token(ledger_of(policy).store, of, name)
    print_words(f"the token of {name} for study {of} is revoked")


def token_list(
    policy: PolicyOption = "standard",
    study: Annotated[
        str | None, typer.Option("--study", help="Those of one study; by default of all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the tokens there are and were: study, name, role, times and state; never the token."""
    from discreet.ledger import list_tokens
    from discreet.study import ledger_of

    tokens = list_tokens(ledger_of(policy).store, study)
    if as_json:
        told = [{**dataclasses.asdict(token), "state": token.state()} for token in tokens]
        typer.echo(json.dumps(told))
        return
    if not tokens:
        typer.echo("there are no tokens; discreet token add makes one")
        return
    rows = [
        (
            token.study,
            token.name,
            token.role,
            moment(token.made),
            moment(token.expires),
            token.state(),
        )
        for token in tokens
    ]
    headings = ("study", "name", "role", "made (UTC)", "expires (UTC)", "state")
    print_table("", headings, rows)


def _named(study: str | None, policy: str) -> str:
    """Return the name of the study: the one that is given, or the policy's."""
    from discreet.policy import load_policy

    found = study or load_policy(policy).study
    if not found:
        raise InputError(
            "a token opens one study, so name it (--study cohort.csv, as it is served), or write"
            ' study = "cohort.csv" into the policy'
        )
    return found
