"""What is on the web: `discreet serve`, and `discreet token`: who may ask which study."""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from discreet.cli.command import command, documented_by, given
from discreet.cli.common import (
    JsonOption,
    WholeOptions,
    moment,
    print_table,
    print_words,
    wrong_of_study_file,
)
from discreet.errors import DiscreetError, InputError, needing
from discreet.progress import listening

if TYPE_CHECKING:
    from discreet.records.store import Store
    from discreet.serve.start import Serving

# --- serve ----------------------------------------------------------------------------------------

LOG = logging.getLogger("discreet.serve")
TOKEN_DAYS = 1.0
NEW_RECORD = "discreet: a new record was begun: no token opens anything yet"


@documented_by("serve.start:Serving")
@dataclass(frozen=True)
class ServerOptions:
    """Where a server listens, and who may ask it.

    Parameters
    ----------
    no_token
        Make no token: for a service, whose output is kept.
    """

    state: Path | None = None
    a_minute: int = 120
    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 1
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    origins: list[str] | None = None
    issuer: str = ""
    audience: str = ""
    no_token: bool = False
    log_format: str = "text"
    metrics_port: int | None = None


@command()
def serve(
    files: list[str],
    options: ServerOptions,
    copy: WholeOptions,
    study: str | None = None,
    research: bool = False,
    as_json: JsonOption = False,
) -> None:
    """Serve studies on the web: each is a file, and no raw value is where the server runs.

    discreet serve cohort.discreet
    discreet serve north.discreet south.discreet --state /srv/discreet
    discreet serve north.discreet south.discreet both.toml
    discreet serve cohort.parquet --policy discreet.toml
    discreet serve --research iris.csv

    Prints an address with a token that an analyst opens; it is shown this once, and is good for a
    day. `discreet token add` makes others. A file that is replaced is served in its new version,
    without a restart.

    Parameters
    ----------
    files
        Study files (.discreet), and maps (.toml) of several as one; a table is protected first, by
        another process.
    research
        The table is public: its rows are served as they are, marked PUBLIC, and its parallel
        coordinates as clusters of people.
    """
    with needing("server", "serving"):
        from discreet.serve.logs import log_written
        from discreet.serve.start import Serving
    settings = {name: value for name, value in vars(options).items() if name != "no_token"}
    state = None if options.state is None else str(options.state.resolve())
    settings |= {"origins": options.origins or (), "state": state}
    with ExitStack() as stack:
        paths = stack.enter_context(_study_files(files, copy, study, research=research))
        serving = Serving(paths, **settings)
        stack.enter_context(log_written(serving.log_format))
        _run(serving, token=not options.no_token, as_json=as_json)


@contextmanager
def _study_files(
    files: Sequence[str], copy: WholeOptions, study: str | None, *, research: bool
) -> Iterator[list[str]]:
    """Return the paths of study files; what is a table is protected first."""
    from discreet.explore.from_file import is_study_file
    from discreet.explore.harmony import is_map

    tables = [it for it in files if not (is_study_file(it) or is_map(it))]
    named = given(copy) | ({"study"} if study else set()) | ({"research"} if research else set())
    if named and not tables:
        raise InputError(wrong_of_study_file(named))
    if study is not None and len(tables) > 1:
        raise InputError("--study names one study; protect each table by itself (discreet protect)")
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        made = {
            table: _protected(table, Path(folder, f"{number}.discreet"), copy, study, research)
            for number, table in enumerate(tables)
        }
        yield [str(made.get(it) or Path(it).resolve()) for it in files]


def _protected(
    table: str, target: Path, copy: WholeOptions, study: str | None, research: bool
) -> Path:
    """Protect a table by another process, so that no value of it is ever in this one."""
    if table == "-":
        raise InputError(
            "a table is protected each time the server starts, so standard input cannot be "
            "served; name a file"
        )
    words = [sys.executable, "-m", "discreet", "protect", table, "-o", str(target)]
    words += [f"--study={study}"] if study else []
    words += ["--public"] if research else []
    for name, value in asdict(copy).items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value not in (None, False):
            words.append(f"{option}={value}")
    done = subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise typer.Exit(done.returncode)  # it has said why
    return target


def _run(serving: Serving, *, token: bool, as_json: bool) -> None:
    """Open what is to be served, say where it listens, and serve it until somebody stops it."""
    from discreet.serve.start import at_sigterm, opened, run

    studies = opened(serving)
    store = studies.store
    if store.place is None:
        LOG.warning(NEW_RECORD)
    with (
        at_sigterm(sys.exit),  # as an exit does, and not at once with nothing undone
        store.kept_open(),  # from before the tokens are made until they are revoked
        ExitStack() as tokens,
    ):
        texts = {
            name: tokens.enter_context(_token_of_start(store, name))
            for name in studies.names
            if token
        }

        def said(url: str) -> None:
            """Say where it listens, once."""
            if as_json:
                typer.echo(json.dumps({"address": url, "tokens": texts}))
                return
            print_words(_greeting(studies.names, serving, url, texts))

        with listening(_how_far):
            run(studies, serving, said)


def _how_far(task: str, done: int, total: int) -> None:
    """Say on a terminal how far work is that a server begins with."""
    if sys.stderr.isatty():
        typer.echo(f"\r{task}: {done} of {total}".ljust(40), nl=done >= total, err=True)


@contextmanager
def _token_of_start(store: Store, study: str) -> Iterator[str]:
    """Make a token for as long as the server runs."""
    from discreet.secret import unguessable
    from discreet.serve.tokens import add_token, revoke_token

    name = f"start-{unguessable()[:6]}"
    token = add_token(store, study, name, "analyst", days=TOKEN_DAYS)
    try:
        yield token
    finally:
        try:
            revoke_token(store, study, name)
        except DiscreetError as error:
            LOG.error("discreet: the start's token stays valid for a day: %s", error)


def _greeting(studies: Sequence[str], serving: Serving, url: str, tokens: dict[str, str]) -> str:
    """Say what is served where, and how others get in."""
    lines = [f"discreet serves {', '.join(studies)} at {url}", ""]
    for study, token in tokens.items():
        lines.append(f"  An analyst of {study} opens   {url}/#token={token}")
    if tokens:
        lines += ["", "A link contains a token that is shown only once and is valid for a day."]
    state = "" if serving.state is None else f" --state {shlex.quote(serving.state)}"
    lines += [
        f"Others: discreet token add NAME --study {shlex.quote(studies[0])}{state}; with",
        f"--role custodian for {url}/custodian. Stop with Ctrl-C.",
    ]
    if serving.behind_proxy:
        lines.append(f"Others reach it as https:// and your proxy's name, not as {url}.")
    return "\n".join(lines)


# --- token ----------------------------------------------------------------------------------------


@command("serve.tokens:add_token")
def token_add(
    name: str, *, study: str, role: str = "analyst", days: float = 30.0, state: Path | None = None
) -> None:
    """Make a token and print it, this one time.

    Parameters
    ----------
    study
        The study that it opens, by its name.
    """
    from discreet.serve.record import open_record
    from discreet.serve.tokens import add_token

    text = add_token(open_record(state), study, name, role, days=days)
    # Alone on standard output, for a program to read.
    typer.echo(text)
    print_words(
        f"a token of study {study} for {name}, {role}, for {days:g} days; it is stored nowhere "
        "and shown only once: pass it on by a channel that others cannot read",
        err=True,
    )


@command("serve.tokens:add_token")
def token_revoke(name: str, *, study: str, state: Path | None = None) -> None:
    """Revoke a token.

    Parameters
    ----------
    study
        The study that it opens, by its name.
    """
    from discreet.serve.record import require_record
    from discreet.serve.tokens import revoke_token

    revoke_token(require_record(state), study, name)
    print_words(f"the token of {name} for study {study} is revoked")


@command()
def token_list(
    study: str | None = None, state: Path | None = None, as_json: JsonOption = False
) -> None:
    """List the tokens there are and were, of one study or of all; never the token itself."""
    from discreet.serve.record import require_record
    from discreet.serve.tokens import list_tokens

    tokens = list_tokens(require_record(state), study)
    if as_json:
        plain = [{**asdict(token), "state": token.state()} for token in tokens]
        typer.echo(json.dumps(plain))
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
