"""The log of a study as it is read: what was asked, and what became of it.

Its entries are numbered as the chain of the record seals them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from discreet.records.store import Store, stamp
from discreet.serve.log import ANSWERED

KINDS = ("shown", "left", "refused", "unanswered", "other")
"""What an entry can be: shown on the page, left the server, refused, not answered, or neither."""
GIVEN = (ANSWERED, "done")
UNANSWERED = ("busy", "slow", "broken")

# The text of a request is JSON, whose letters beyond ASCII are escaped.
ENTRIES = """
WITH entry AS (
    SELECT chain.id AS id, at, caller, version, what, request, view, outcome,
        CASE WHEN outcome IN (SELECT value FROM json_each(:unanswered)) THEN 'unanswered'
            WHEN outcome NOT IN (SELECT value FROM json_each(:given)) THEN 'refused'
            WHEN what IN (SELECT value FROM json_each(:leaving)) THEN 'left'
            WHEN what IN (SELECT value FROM json_each(:other)) THEN 'other'
            ELSE 'shown' END AS kind
    FROM chain
    JOIN asked ON asked.id = chain.row
    WHERE chain.source = 'asked' AND asked.study = :study
)
"""
FIELDS = ("id", "at", "caller", "version", "what", "request", "view", "outcome", "kind")
SEARCHED = "lower(caller || ' ' || what || ' ' || request || ' ' || kind || ' ' || outcome)"


@dataclass(frozen=True)
class Wanted:
    """Which entries are wanted: all that fit whatever is not None.

    `kind` is one of `KINDS`, `outcome` the code of a refusal; each word of `find` is somewhere in
    the entry, in any case; `since` is the first moment and `until` the first that is too late.
    """

    kind: str | None = None
    caller: str | None = None
    outcome: str | None = None
    find: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Record:
    """The entries of a study: `leaving` and `other` say what of what is asked is of which kind.

    `leaving` are files and rows that are handed over, `other` what shows nothing of the data.
    """

    store: Store
    study: str
    leaving: Collection[str]
    other: Collection[str]

    def entries(
        self, wanted: Wanted, *, before: int | None = None, most: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the newest `most` entries that are wanted, newest first, or all.

        Those with a smaller number than `before` alone. Of each: id, at, caller, version, what,
        request, view, outcome, kind, and what was asked when the view was made that it is a file
        of (`of`).
        """
        fits = _where(wanted, ("id < :before" if before is not None else "1"))
        query = (
            f"{ENTRIES} SELECT {', '.join(FIELDS)} FROM entry WHERE {fits}"
            " ORDER BY id DESC LIMIT :most"
        )
        ends = {"before": before, "most": -1 if most is None else most}
        with self._rows(query, wanted, ends) as rows:
            found = [dict(zip(FIELDS, row, strict=True)) for row in rows]
        named = {it["id"]: _view_of(it) for it in found}
        made = self._made([*{view for view in named.values() if view is not None}])
        return [{**it, "of": made.get(named[it["id"]] or "")} for it in found]

    def _made(self, views: list[str]) -> dict[str, dict[str, str]]:
        """Return what was asked when some views were made."""
        query = (
            "SELECT view, what, request FROM asked WHERE study = :study"
            " AND view IN (SELECT value FROM json_each(:views)) GROUP BY view"
        )
        given = {"study": self.study, "views": json.dumps(views)}
        with self.store.reading() as connection:
            rows = connection.execute(query, given).fetchall() if views else []
        return {view: {"what": what, "request": request} for view, what, request in rows}

    def counts(self, wanted: Wanted) -> dict[str, int]:
        """Return how many entries of each kind are wanted."""
        query = f"{ENTRIES} SELECT kind, count(*) FROM entry WHERE {_where(wanted)} GROUP BY kind"
        with self._rows(query, wanted) as rows:
            return {**dict.fromkeys(KINDS, 0), **dict(rows)}

    def hours(self, wanted: Wanted) -> list[dict[str, Any]]:
        """Return the counts of each kind of each hour (UTC) that has any, oldest first."""
        query = (
            f"{ENTRIES} SELECT substr(at, 1, 13), kind, count(*) FROM entry"
            f" WHERE {_where(wanted)} GROUP BY 1, 2 ORDER BY 1"
        )
        found: dict[str, dict[str, int]] = {}
        with self._rows(query, wanted) as rows:
            for hour, kind, count in rows:
                found.setdefault(hour, {})[kind] = count
        return [{"at": f"{hour}:00:00+00:00", **counts} for hour, counts in found.items()]

    def causes(self, wanted: Wanted) -> list[dict[str, Any]]:
        """Return by what code how many were refused, the most first, and the newest of each."""
        query = (
            f"{ENTRIES} SELECT outcome, count(*), max(id) FROM entry"
            f" WHERE kind = 'refused' AND {_where(wanted)} GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        with self._rows(query, wanted) as rows:
            return [{"outcome": code, "count": n, "newest": id_} for code, n, id_ in rows]

    def last_seen(self) -> dict[str, str]:
        """Return when each caller asked for anything last."""
        query = "SELECT caller, max(at) FROM asked WHERE study = :study GROUP BY caller"
        with self.store.reading() as connection:
            return dict(connection.execute(query, {"study": self.study}).fetchall())

    @contextmanager
    def _rows(
        self, query: str, wanted: Wanted, ends: dict[str, int | None] | None = None
    ) -> Iterator[Iterator[tuple[Any, ...]]]:
        given = {
            "study": self.study,
            "given": json.dumps(GIVEN),
            "unanswered": json.dumps(UNANSWERED),
            "leaving": json.dumps([*self.leaving]),
            "other": json.dumps([*self.other]),
            "kind": wanted.kind,
            "caller": wanted.caller,
            "outcome": wanted.outcome,
            "since": None if wanted.since is None else stamp(wanted.since),
            "until": None if wanted.until is None else stamp(wanted.until),
            **{f"word{i}": word for i, word in enumerate(_words(wanted))},
            **{f"escaped{i}": json.dumps(word)[1:-1] for i, word in enumerate(_words(wanted))},
            **(ends or {}),
        }
        with self.store.reading() as connection:
            yield iter(connection.execute(query, given))


def _view_of(entry: dict[str, Any]) -> str | None:
    """Return the view that an entry is about by its request, where it did not ask for one."""
    request = json.loads(entry["request"] or "{}")
    return None if entry["view"] is not None else request.get("view")


def _where(wanted: Wanted, also: str = "1") -> str:
    """Return the condition of what is wanted; its values are parameters."""
    fits = [also]
    fits += [f"{name} = :{name}" for name in ("kind", "caller", "outcome") if _has(wanted, name)]
    fits += ["at >= :since"] if wanted.since is not None else []
    fits += ["at < :until"] if wanted.until is not None else []
    for i, _ in enumerate(_words(wanted)):
        # As it is, and as JSON writes it.
        fits.append(f"(instr({SEARCHED}, :word{i}) OR instr({SEARCHED}, :escaped{i}))")
    return " AND ".join(fits)


def _has(wanted: Wanted, name: str) -> bool:
    return getattr(wanted, name) is not None


def _words(wanted: Wanted) -> list[str]:
    return wanted.find.lower().split()
