"""What the custodian does: serves, reads the log, opens versions, and says who may ask."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.common import (
    CopyOptions,
    DatesOption,
    File,
    JsonOption,
    NumberOptions,
    PolicyOption,
    StudyOption,
    StudyOptions,
    check_file_stands,
    dates_of,
    moment,
    print_table,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import (
    BrokenPromiseError,
    DiscreetError,
    InputError,
    RefusedError,
    needing,
    path_in_words,
)
from discreet.progress import listening

if TYPE_CHECKING:
    from discreet.ledger.ledger import Ledger
    from discreet.ledger.store import Store
    from discreet.serve.start import Serving

__all__ = [
    "forget",
    "policy_init",
    "serve",
    "show_log",
    "token_add",
    "token_list",
    "token_revoke",
    "version_new",
]

# --- serve ----------------------------------------------------------------------------------------

LOG = logging.getLogger("discreet.serve")
TOKEN_DAYS = 1.0
NEW_LEDGER = (
    "discreet: a new ledger begins: no release of this study is known. If there was one, stop,"
    " and restore the ledger from a backup"
)


@dataclass(frozen=True)
class ServerOptions:
    """Where a server listens, and who may ask it."""

    host: Annotated[str, Option(help="The address to listen on; others reach it with 0.0.0.0.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Option(help="The port; 0 takes a free one.")] = 8765
    workers: Annotated[int, Option(help="How many processes serve.")] = 1
    certificate: Annotated[Path | None, Option(help="A certificate (PEM), for TLS.")] = None
    key: Annotated[Path | None, Option(help="The certificate's key (PEM).")] = None
    behind_proxy: Annotated[
        bool, Option("--behind-proxy", help="A proxy in front of it speaks TLS.")
    ] = False
    origins: Annotated[
        list[str] | None, Option(help="Another web address whose pages may ask. Repeatable.")
    ] = None
    issuer: Annotated[str, Option(help="An OpenID Connect issuer whose tokens are taken, too.")] = (
        ""
    )
    audience: Annotated[str, Option(help="The audience its tokens must be for.")] = ""
    no_token: Annotated[
        bool, Option("--no-token", help="Make no token: for a service, whose output is kept.")
    ] = False
    log_format: Annotated[str, Option(help="How its log is written: text, or json.")] = "text"
    metrics_port: Annotated[
        int | None, Option(help="A port, on this machine alone, where Prometheus finds metrics.")
    ] = None


@with_options
def serve(
    file: File,
    options: ServerOptions,
    made: CopyOptions,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Serve a study on the web: the data stay here, plots go out.

    discreet serve cohort.parquet --policy discreet.toml
    discreet serve cohort.parquet

    Prints an address with a token that an analyst opens; it is shown this once, and is good for a
    day. `discreet token add` makes others.
    """
    with needing("server", "serving"):
        from discreet.serve.logs import log_kept
        from discreet.serve.start import Serving
    from discreet.study.from_file import is_study_file

    if is_study_file(file):
        raise RefusedError(
            "a study file is not served: whoever has it opens it, or has a board of it (discreet"
            " board FILE -o board.html); name the table"
        )
    place = str(Path(policy).resolve()) if policy.endswith(".toml") else policy
    told = {name: value for name, value in vars(options).items() if name != "no_token"}
    told["origins"] = options.origins or ()
    serving = Serving(_absolute(file), place, study, **told, **_made(made, policy))
    with log_kept(serving.log_format):
        _run(serving, policy, token=not options.no_token, as_json=as_json)


def _run(serving: Serving, policy: str, *, token: bool, as_json: bool) -> None:
    """Open what is to be served, say where it listens, and serve it until somebody stops it."""
    from discreet.serve.start import at_sigterm, opened, run

    found = opened(serving)
    store, of = found.session.ledger.store, found.session.known_name()
    if store.place is None:
        LOG.warning(NEW_LEDGER)
    with (
        at_sigterm(sys.exit),  # as an exit does, and not at once with nothing undone
        store.kept_open(),  # from before the token is made until it is revoked
        _token_of_start(store, of, wanted=token) as text,
    ):

        def said(url: str) -> None:
            """Say where it listens, once."""
            if as_json:
                typer.echo(json.dumps({"address": url, "token": text}))
                return
            print_words(_greeting(of, found.policy.name, policy, url, text))
            if serving.behind_proxy:
                print_words(f"Others reach it as https:// and your proxy's name, not as {url}.")

        with listening(_how_far):
            run(found, serving, said)


def _how_far(task: str, done: int, total: int) -> None:
    """Say on a terminal how far work is that a server begins with."""
    if sys.stderr.isatty():
        typer.echo(f"\r{task}: {done} of {total}".ljust(40), nl=done >= total, err=True)


def _absolute(source: str) -> str:
    """Return a file's whole path; a URL as it is."""
    if source == "-":
        raise InputError("a server reads its data whenever it starts; name a file in place of -")
    from discreet.table import is_url

    return source if is_url(source) else str(Path(source).resolve())


def _made(made: CopyOptions, policy: str) -> dict[str, Any]:
    """Return how the protected copy is made, if a policy file does not say it otherwise."""
    from discreet.policy import PRESETS, load_policy

    rules = load_policy(policy)
    fields = made.fields(rules)
    if policy not in PRESETS:
        named = {name: value for name, value in fields.items() if value is not None}
        check_file_stands(rules, named, {})
    return fields


@contextmanager
def _token_of_start(store: Store, study: str, *, wanted: bool) -> Iterator[str | None]:
    """Make a token for as long as the server runs, if one is wanted."""
    from discreet.ledger.log import add_token, revoke_token
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
            LOG.error("discreet: the start's token stays valid for a day: %s", error)


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


# --- log ----------------------------------------------------------------------------------------

SHOWN_BROKEN = 20
SHOWN_OF_VIEW = 8  # letters of its id, as in the names of its files
CHANGED = (
    "the ledger was changed behind discreet's back, or its rows were sealed with another"
    " secret; restore it and its secret from a backup"
)
UNCHANGED = (
    "no row that is here was changed; whether the last ones were cut off is seen with"
    " --head alone: keep the head elsewhere"
)
WHOLE = "nothing was changed, and what the head stands for is all there"
ASKED = ("when (UTC)", "who", "what", "became of it")
RELEASED = ("when (UTC)", "what", "columns", "method", "as")


def show_log(
    policy: PolicyOption = "standard",
    as_json: JsonOption = False,
    released: Annotated[
        bool, Option("--released", help="What has been released alone, never a value.")
    ] = False,
    last: Annotated[int | None, Option(min=1, help="The newest so many alone.")] = None,
    verify: Annotated[
        bool, Option("--verify", help="Check that nothing of the record was changed.")
    ] = False,
    head: Annotated[
        str | None, Option(help="The head that an earlier --verify printed: is it there yet?")
    ] = None,
) -> None:
    """List what was asked and what was released, oldest first, or check that no row was changed."""
    from discreet.study import ledger_of

    ledger = ledger_of(policy)
    if verify or head is not None:
        if released or last is not None:
            raise InputError("--verify checks the whole record; leave --released and --last out")
        _check(ledger, head, as_json=as_json)
        return
    entries = ledger.history() if released else _entries(ledger)
    entries = entries if last is None else entries[-last:]
    if as_json:
        typer.echo(json.dumps(entries))
        return
    if not entries:
        typer.echo(f"{'' if released else 'nothing was asked, and '}nothing was released yet")
    title = lambda it: f"{it['study'] or '(unnamed)'}, version {it['version']}"  # noqa: E731
    for version, found in groupby(entries, title):
        rows = [_row(entry, released=released) for entry in found]
        print_table(version, RELEASED if released else ASKED, rows)


def _check(ledger: Ledger, head: str | None, *, as_json: bool) -> None:
    from discreet.ledger.store import verify

    with progress_shown():
        found = verify(ledger.store, head)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(found)))
    else:
        typer.echo(f"rows: {found.rows}\nhead: {found.head}")
        for what in found.broken[:SHOWN_BROKEN]:
            typer.echo(f"broken: {what}")
        if len(found.broken) > SHOWN_BROKEN:
            typer.echo("broken: and more (--json lists all)")
        said = UNCHANGED if head is None else WHOLE
        typer.echo(CHANGED if found.broken else said)
    if found.broken:
        raise typer.Exit(BrokenPromiseError.exit_code)


def _entries(ledger: Ledger) -> list[dict[str, Any]]:
    """Return what was asked, and what was released otherwise than on the web, by time."""
    from discreet.ledger.entries import ON_THE_WEB
    from discreet.ledger.log import log

    left = [
        {
            "id": None,
            "at": entry["at"],
            "caller": "",
            "study": entry["study"],
            "version": entry["version"],
            "what": entry["kind"],
            "request": json.dumps({"columns": entry["columns"], "method": entry["method"]}),
            "outcome": f"released as {entry['form']}",
        }
        for entry in ledger.history()
        if entry["form"] != ON_THE_WEB
    ]
    return sorted([*log(ledger.store), *left], key=lambda entry: str(entry["at"]))


def _row(entry: Mapping[str, Any], *, released: bool) -> tuple[str, ...]:
    """Say of an entry what was asked for as a person would: histogram of age; by sex."""
    at = moment(entry["at"])
    if released:
        return at, entry["kind"], ", ".join(entry["columns"]), entry["method"], entry["form"]
    request = json.loads(entry["request"] or "{}")
    columns, view = request.pop("columns", None), request.pop("view", None)
    said = entry["what"] + (f" of {', '.join(columns)}" if columns else "")
    if view:
        said += f" of view {view[:SHOWN_OF_VIEW]}"
    for name, value in request.items():
        said += f"; {name} {value if isinstance(value, str) else json.dumps(value)}"
    return at, entry["caller"], said, entry["outcome"]


# --- private files ------------------------------------------------------------------------------


def forget(policy: PolicyOption = "standard") -> None:
    """Delete the private files beside a policy, into which files of text were read.

    Protected copies and the record stay. Text is read into a private file again when it is opened,
    unless the policy says private_files = false.
    """
    from discreet.study import forget_private_files

    count = forget_private_files(policy)
    typer.echo(f"deleted: {count} private file{'s' * (count != 1)}")


# --- version, policy ----------------------------------------------------------------------------


@with_options
def version_new(
    file: File,
    study: StudyOptions,
    numbers: NumberOptions,
    made: CopyOptions,
    measure: Annotated[
        bool,
        Option(
            "--measure", help="Open nothing: measure how well it would be seen who left. Exact."
        ),
    ] = False,
) -> None:
    """Open the next version of a study, for changed data or a changed policy.

    Versions of a copy of the whole table together give away who left; --measure says how well.
    """
    with progress_shown():
        fields = {**made.fields(study.rules()), **vars(numbers)}
        opened = study.open(file, **fields)
        found = opened.attack_versions() if measure else None
        number = opened.new_version() if found is None else 0
    if found is not None:
        print_words(found.to_text())
        return
    typer.echo(f"version {number} is open; what is released from now on belongs to it")


def policy_init(
    file: File,
    output: Annotated[
        Path, Option("--output", "-o", help="Where to write the policy: a .toml file.")
    ] = Path("discreet.toml"),
    dates: DatesOption = None,
) -> None:
    """Write a policy with a role, a kind and a safe range guessed for each column, to be edited.

    discreet policy init cohort.parquet -o discreet.toml
    """
    from discreet.study.guesses import proposed_policy
    from discreet.table import shown

    if output.suffix != ".toml":
        raise InputError("a policy is a .toml file; name it so: -o discreet.toml")
    if os.path.lexists(output):
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    if not os.path.isdir(output.parent):
        raise InputError(
            f"there is no folder {path_in_words(output.parent)}; make it, or name another one"
        )
    with progress_shown():
        text = proposed_policy(file, dates_of(dates))
        try:
            with output.open("x", encoding="utf-8", newline="\n") as written:
                written.write(text)
        except OSError as error:
            raise InputError(
                f"the policy could not be written to {path_in_words(output)}"
                f": {type(error).__name__}"
            ) from None
    typer.echo(output)
    typer.echo(
        "Read every line of it, and correct what is guessed wrongly, roles first. Then try it\n"
        f"    discreet plot histogram {shown(file)} COLUMN --policy {output} -o try.png\n"
        f"and let others ask, each with a token (discreet token add NAME --policy {output}):\n"
        f"    discreet serve {shown(file)} --policy {output}",
        err=True,
    )


# --- token --------------------------------------------------------------------------------------

Name = Annotated[str, Argument(help="Whose the token is; a name is used once for ever.")]


def token_add(
    name: Name,
    role: Annotated[str, Option(help="analyst or custodian.")] = "analyst",
    days: Annotated[float, Option(help="How long it is valid.")] = 30.0,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
) -> None:
    """Make a token and print it, this one time."""
    from discreet.ledger.log import add_token
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
    from discreet.ledger.log import revoke_token
    from discreet.study import ledger_of

    of = _named(study, policy)
    revoke_token(ledger_of(policy).store, of, name)
    print_words(f"the token of {name} for study {of} is revoked")


def token_list(
    policy: PolicyOption = "standard", study: StudyOption = None, as_json: JsonOption = False
) -> None:
    """List the tokens there are and were, of one study or of all; never the token itself."""
    from discreet.ledger.log import list_tokens
    from discreet.study import ledger_of

    tokens = list_tokens(ledger_of(policy).store, study)
    if as_json:
        told = [{**dataclasses.asdict(token), "state": token.state()} for token in tokens]
        typer.echo(json.dumps(told))
        return
    if not tokens:
        typer.echo("there are no tokens; discreet token add makes one")
        return
    headings = ("study", "name", "role", "made (UTC)", "expires (UTC)", "state")
    rows = [
        (it.study, it.name, it.role, moment(it.made), moment(it.expires), it.state())
        for it in tokens
    ]
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
