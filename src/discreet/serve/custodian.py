"""What a custodian does over HTTP: reads the record, makes and changes tokens.

Each act is recorded with the name of who did it.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from discreet.explore.board import ROWS
from discreet.explore.table_kinds import TABLES
from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS
from discreet.plots import PLOTS
from discreet.policy.words import words
from discreet.records.store import FIRST, stamp, verify
from discreet.serve.answers import Reply, Sent, acted
from discreet.serve.drawings import DRAWN_FORMS
from discreet.serve.outputs import OUTPUTS
from discreet.serve.record import BOARD, DECIDED, KIND, QUESTION, Answer, Held, Record, Wanted
from discreet.serve.refusals import CODES, Refusal, refusal
from discreet.serve.requests import STRICT, Body
from discreet.serve.studies import Served
from discreet.serve.titles import title_of
from discreet.serve.tokens import (
    MOST_DAYS,
    Caller,
    Token,
    add_token,
    change_token,
    list_tokens,
    revoke_token,
)
from discreet.spreadsheet import of_row

ADD, CHANGE, REVOKE = "token added", "token changed", "token revoked"
#: The files that the record can be had as, and what they are.
LOG_FORMS = {"log.csv": "text/csv; charset=utf-8", "log.json": "application/json"}
#: What is asked for that hands something over, and what shows nothing of the data.
FILES_OF_TABLES = (*TABLE_FORMS, *DRAWN_FORMS["table"])
LEAVING = (*PLOT_FORMS, *FILES_OF_TABLES, ROWS)
OTHER = ("study", "custodian", ADD, CHANGE, REVOKE, *OUTPUTS, QUESTION, DECIDED, BOARD, *LOG_FORMS)
DAYS_BACK = 30
OWN = "token "
KINDS = {"continuous": "numbers", "categorical": "levels"}
#: Of each code of a refusal what an analyst can do instead.
INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "policy": "what the policy allows",
        "data": "another plot, or fewer filters",
        "version": "the same for the current version",
        "request": "what the page offers",
        "rate": "the same a little later",
        "unknown": "asking for the plot themselves",
        "role": "asking the custodian",
        "closed": "asking the custodian for another file",
    }
)


Days = Annotated[float, Field(gt=0, le=MOST_DAYS)]


class NewToken(BaseModel):
    """A token that is wanted: whose it is, what it may do, and for how long."""

    model_config = STRICT

    name: str = Field(max_length=64)
    role: Literal["analyst", "custodian"] = "analyst"
    days: Days = 30.0


class Terms(BaseModel):
    """How many days a token is to hold from now on."""

    model_config = STRICT

    days: Days


class LogQuery(BaseModel):
    """Which entries of the record are wanted; times are seconds since 1970 (UTC)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["shown", "left", "refused", "unanswered", "other"] | None = None
    caller: str | None = Field(default=None, max_length=300)
    outcome: str | None = Field(default=None, max_length=40)
    find: str = Field(default="", max_length=200)
    since: int | None = Field(default=None, ge=0, le=2**33)
    until: int | None = Field(default=None, ge=0, le=2**33)
    before: int | None = Field(default=None, ge=1, le=10**15 - 1)
    most: int = Field(default=50, ge=1, le=200)

    def wanted(self) -> Wanted:
        """Return what is wanted, for the record."""
        since, until = (
            None if at is None else datetime.fromtimestamp(at, UTC)
            for at in (self.since, self.until)
        )
        return Wanted(self.kind, self.caller, self.outcome, self.find, since, until)


# --- what there is to see -------------------------------------------------------------------------


def overview(served: Served, caller: Caller) -> dict[str, Any]:
    """Return what the policy says, who may look, and where the record ends.

    All of it of this study alone: another on the same server has a custodian of its own. The last
    seal is as it is written: only `verified` checks it.
    """
    store = served.store
    tokens = {f"{OWN}{it.name}": it for it in list_tokens(store, served.name)}
    held = _record(served).held()
    seen: dict[str, str] = {}
    for it in held:
        seen[it.caller] = max(it.last, seen.get(it.caller, ""))
    with store.reading() as connection:
        last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    return {
        "study": served.name,
        "version": served.version,
        "caller": {"name": caller.name, "role": caller.role},
        "words": [dataclasses.asdict(it) for it in words(served.file.policy)],
        "columns": _column_facts(served),
        "remarks": [*served.file.file.manifest.remarks],
        "tokens": [
            {**_token_facts(it), "seen": seen.get(name), "own": name == caller.name}
            for name, it in tokens.items()
        ],
        "others": [{"name": it, "seen": seen[it]} for it in sorted({*seen} - {*tokens})],
        "held": [_held_facts(it) for it in held],
        "a_minute": served.desk.rate.most,
        "plots": [*PLOTS],
        "causes": {
            code: {"says": CODES[code][1], "instead": instead} for code, instead in INSTEAD.items()
        },
        "head": FIRST if last is None else last[1],
        "rows": 0 if last is None else last[0],
    }


def _column_facts(served: Served) -> list[dict[str, Any]]:
    """Say which columns the copy has: what they are called, and of which kind they are."""
    labels, dates = served.copy.labels, served.copy.dates
    return [
        {
            "name": it.name,
            "label": labels.get(it.name) or "",
            "kind": "dates" if it.name in dates else KINDS[it.kind],
        }
        for it in served.columns.values()
    ]


def _held_facts(it: Held) -> dict[str, Any]:
    """Say what somebody has of a version: what was looked at, and what was taken."""

    def count(*names: str) -> int:
        return sum(it.given.get(name, 0) for name in names)

    return {
        "caller": it.caller,
        "version": it.version,
        "first": it.first,
        "last": it.last,
        "rows": count(ROWS) > 0,
        "figures": count(*PLOT_FORMS),
        "tables": count(*FILES_OF_TABLES),
        "looked": count(*PLOTS, *TABLES),
    }


def _token_facts(token: Token) -> dict[str, Any]:
    names = ("name", "role", "made", "expires", "revoked")
    return {**{it: getattr(token, it) for it in names}, "state": token.state()}


def verified(served: Served) -> dict[str, Any]:
    """Count the chain of the record again, and say what of it is broken."""
    chain = verify(served.store)
    return {"rows": chain.rows, "head": chain.head, "broken": [*chain.broken]}


def _record(served: Served) -> Record:
    return Record(served.store, served.name, LEAVING, OTHER)


def log_page(served: Served, query: LogQuery) -> dict[str, Any]:
    """Return a page of the record; with the first also counts, by hour and by cause."""
    record, wanted = _record(served), query.wanted()
    entries = record.entries(wanted, before=query.before, most=query.most + 1)
    found = [{**it, "title": _title(it)} for it in entries[: query.most]]
    page: dict[str, Any] = {"log": found, "more": len(entries) > query.most}
    if query.before is not None:
        return page
    lately = datetime.now(UTC) - timedelta(days=DAYS_BACK)
    of_any_kind = dataclasses.replace(wanted, kind=None, outcome=None)
    return page | {
        "counts": record.counts(of_any_kind),
        "fit": sum(record.counts(wanted).values()),
        "all": sum(record.counts(Wanted()).values()),
        "hours": record.hours(dataclasses.replace(of_any_kind, since=lately, until=None)),
    }


def _title(entry: Mapping[str, Any]) -> str:
    """Return what the plot or table is called that an entry is about; "" where there is none."""
    of = entry["of"] or entry
    request = json.loads(of["request"] or "{}")
    return title_of(request.get(KIND, of["what"]), request)


COLUMNS = ("id", "at", "caller", "version", "what", "request", "view", "kind", "outcome")


def log_file(served: Served, caller: Caller, query: LogQuery, form: str) -> Sent:
    """Return all entries that are wanted as a file, and record that it was taken."""
    entries = _record(served).entries(query.wanted(), before=query.before)  # without this one

    headers = {"Content-Disposition": f'attachment; filename="discreet-{form}"'}

    def make() -> Answer:
        if form == "log.json":
            plain = {"study": served.name, "version": served.version, "log": entries}
            text = json.dumps(plain, ensure_ascii=False, indent=1)
        else:
            file = io.StringIO()
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(map(of_row, entries))
            text = file.getvalue()
        return Answer(200, text.encode(), LOG_FORMS[form], headers)

    return acted(served, caller, form, {}, make)


# --- what is done ---------------------------------------------------------------------------------

NOT_OWN = (
    "Your own token can only be changed by another custodian, or on the server (discreet "
    "token): so nobody can lock themselves out or extend their own token."
)
NO_LONGER = (
    "A custodian's token made or changed here cannot be valid longer than your own; on the "
    "server (discreet token add) it can."
)
NO_CUSTODIANS = (
    "Your token is not from this server, so custodians' tokens can only be made on the server "
    "(discreet token add)."
)


def add(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Make a token; its text is told this once.

    A custodian's holds no longer than that of who makes it: whoever gets hold of one for a day
    makes no other custodian's that lasts.
    """

    def make() -> dict[str, Any] | Refusal:
        wrong = _too_long(served, caller, body["role"], body["days"])
        if wrong is not None:
            return wrong
        store = served.store
        text = add_token(store, served.name, body["name"], body["role"], days=body["days"])
        return {"text": text, "token": _token_named(served, body["name"])}

    return acted(served, caller, ADD, body, make)


def change(served: Served, caller: Caller, name: str, body: Body) -> Reply:
    """Change when a token expires."""

    def make() -> dict[str, Any] | Refusal:
        if caller.name == OWN + name:
            return refusal("own", NOT_OWN)
        tokens = [it for it in list_tokens(served.store, served.name) if it.name == name]
        wrong = _too_long(served, caller, tokens[0].role if tokens else "", body["days"])
        if wrong is not None:
            return wrong
        change_token(served.store, served.name, name, days=body["days"])
        return {"token": _token_named(served, name)}

    return acted(served, caller, CHANGE, {"name": _short(name), **body}, make)


def revoke(served: Served, caller: Caller, name: str) -> Reply:
    """Revoke a token."""

    def make() -> dict[str, Any] | Refusal:
        if caller.name == OWN + name:
            return refusal("own", NOT_OWN)
        revoke_token(served.store, served.name, name)
        return {"token": _token_named(served, name)}

    return acted(served, caller, REVOKE, {"name": _short(name)}, make)


def _too_long(served: Served, caller: Caller, role: str, days: float) -> Refusal | None:
    """Refuse a custodian's token that would hold longer than that of who makes it."""
    if role != "custodian":
        return None
    own = [it for it in list_tokens(served.store, served.name) if OWN + it.name == caller.name]
    if not own:
        return refusal("own", NO_CUSTODIANS)
    until = stamp(datetime.now(UTC) + timedelta(days=days))
    return refusal("own", NO_LONGER) if until > own[0].expires else None


def _token_named(served: Served, name: str) -> dict[str, Any]:
    (token,) = [it for it in list_tokens(served.store, served.name) if it.name == name]
    return _token_facts(token)


def _short(name: str) -> str:
    """Return a name that came in an address, no longer than any token's."""
    return name[:64]
