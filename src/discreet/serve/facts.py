"""What is served, and what is told of it: what a form is made of, and what the custodian sees."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import InputError
from discreet.ledger.chain import FIRST
from discreet.ledger.ledger import Ledger
from discreet.ledger.log import Allowance, callers, list_tokens, log, used_by
from discreet.ledger.store import verify
from discreet.plots import PARAMETERS, PLOTS, Plot, View
from discreet.plots.request import BASE, COPY, COUNTS
from discreet.policy import Policy
from discreet.policy.resolve import usual_method
from discreet.protect import COPY_METHODS, METHODS, Whole
from discreet.serve.requests import NUMBERS, has_use, is_fixed, usual_number
from discreet.serve.tables import tables_told
from discreet.study import Study
from discreet.study.base_counts import BASE_PLOTS, BASE_TABLE
from discreet.study.session import DrawableColumn

__all__ = ["Served", "custodian_told", "serve_study", "study_told", "verified"]


PAGE = 200  # rows of the log
FURTHER = "further counts"
MOST_AT_ONCE = 16  # requests whose pictures are made or wait for their turn


@dataclass(frozen=True)
class Served:
    """A study that is served: one plot of it is made at a time, the others wait.

    `name` and `version` are those of the ledger at the start, and of another version nothing
    leaves. `edition` stands for the data and the policy: answers are found again by it. `columns`
    are those that may be drawn.
    """

    study: Study
    name: str
    version: int
    edition: str
    columns: Mapping[str, DrawableColumn]
    turn: threading.Lock = field(default_factory=threading.Lock)
    places: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(MOST_AT_ONCE)
    )

    @property
    def ledger(self) -> Ledger:
        """Where all is recorded."""
        return self.study.session.ledger

    @property
    def allowance(self) -> Allowance:
        """How much one caller may ask for."""
        policy = self.study.policy
        return Allowance(policy.budget, policy.requests_a_minute)

    @property
    def counted(self) -> dict[str, str]:
        """What counts to a budget, where it is not every plot: the copy's own are free."""
        whole = any(it.sources for it in self.columns.values())
        return {"counts": FURTHER} if whole else {}


def serve_study(study: Study) -> Served:
    """Make a study ready to be served; refuse `research` of data that are not public."""
    policy = study.policy
    if policy.shows_exact and not policy.public:
        raise InputError(
            "a server gives plots to others, and 'research' protects each plot by itself:"
            " it serves public or simulated data alone. Say so in the policy (public = true), or"
            " serve under a guarded policy"
        )
    return Served(
        study=study,
        name=study.session.known_name(),
        version=study.session.hold_version(),
        edition=study.session.edition(),
        columns={it.name: it for it in study.session.drawable()},
    )


def study_told(study: Study, columns: Mapping[str, DrawableColumn]) -> dict[str, Any]:
    """Return what of the study, its columns and its policy a form is made of: no value."""
    policy = study.policy
    return {
        "policy": {
            "name": policy.name,
            "regime": policy.regime,
            "k": policy.k,
            "public": policy.public,
        },
        "columns": [
            {
                "name": it.name,
                "kind": it.kind,
                "role": it.role,
                "stratum": it.stratum,
                "sources": [*it.sources],
            }
            for it in columns.values()
        ],
        "groups": [[*group] for group in study.session.groups_settled()],
        "pairs": {
            "declared": [[*pair] for pair in policy.pairs],
            "drawn": [[*pair] for pair in study.session.release_gate.pairs_that_left()],
        },
        "pictures": pictures_told(policy, [*columns.values()]),
        "tables": tables_told(policy),
    }


def pictures_told(policy: Policy, columns: Sequence[DrawableColumn]) -> list[dict[str, Any]]:
    """Return every plot that can be drawn of some columns, and what it may be asked for with.

    Where there is a copy of the whole table, the first of a plot's sources is the one that holds
    where nobody names any; a parameter that is fixed for one of them alone stands there twice.
    `limits` says whether a plot of the copy takes ends of its axes, `derivation` whether it takes
    `where` and `assign`, `weights` whether it takes a column of weights, and `tables` of which
    columns alone a cross-table is one of the base counts.
    """
    enough = [it for it in PLOTS.values() if _enough(it, columns)]
    # Those of columns are offered before those of a formula.
    enough.sort(key=lambda plot: plot.of_formula)
    whole = policy.rows_by == Whole.name
    sources = {plot.name: _sources(policy, plot, columns) if whole else [] for plot in enough}
    levels = [it for it in columns if it.kind == "categorical"]
    return [
        _told(policy, plot, levels, sources[plot.name])
        for plot in enough
        if (sources[plot.name] if whole else policy.methods[plot.name])
    ]


def _enough(plot: Plot[View], columns: Sequence[DrawableColumn]) -> bool:
    kind = "continuous" if plot.of_formula else plot.columns
    there = [it.kind for it in columns]
    placed = all(place.kind in (*there, "any") for place in plot.places)
    return placed and len([it for it in there if kind in (it, "any")]) >= max(plot.least, 1)


def _sources(policy: Policy, plot: Plot[View], columns: Sequence[DrawableColumn]) -> list[str]:
    """Return what a plot can come from in a study with a copy of the whole table."""
    base = plot.name in BASE_PLOTS or (plot.name == BASE_TABLE and bool(policy.tables))
    base &= usual_method(policy, plot.name) is not None
    copied = _enough(plot, [it for it in columns if COPY in it.sources])
    counted = bool(policy.methods[plot.name])
    there = {BASE: base, COPY: copied, COUNTS: counted}
    return [source for source, yes in there.items() if yes]


def _told(
    policy: Policy, plot: Plot[View], levels: Sequence[DrawableColumn], sources: Sequence[str]
) -> dict[str, Any]:
    rows_by = [it.name for it in levels if it.stratum or COPY in it.sources or not policy.from_copy]
    counted = [it.name for it in levels if not it.sources or COUNTS in it.sources]
    counts_by = counted if "counts" in plot.by else []
    by = {"columns": counts_by, "rows": rows_by} if plot.by else None
    takes: dict[str, Any] = {"least": plot.least, "most": plot.most, "kind": plot.columns}
    if plot.places:
        takes["places"] = [{"name": it.name, "kind": it.kind} for it in plot.places]
    methods = [it for source in sources or [""] for it in _methods(policy, plot, source)]
    listed = plot.name == BASE_TABLE and BASE in sources
    return {
        "kind": plot.name,
        "title": plot.title,
        "says": plot.says,
        "takes": "formula" if plot.of_formula else "columns",
        "columns": None if plot.of_formula else takes,
        "sources": [*sources],
        **({"tables": [[*it] for it in policy.tables or ()]} if listed else {}),
        "limits": COPY in sources and plot.uses(Whole.name, "limits"),
        "derivation": COPY in sources,
        "weights": COPY in sources and plot.weigh is not None,
        "by": by,
        "methods": methods,
        "parameters": _parameters_told(
            policy, plot, [*dict.fromkeys(it["name"] for it in methods)]
        ),
    }


def _methods(policy: Policy, plot: Plot[View], source: str) -> list[dict[str, Any]]:
    """Return the methods of a plot of one source, one of which is usual there."""
    usual = usual_method(policy, plot.name)
    names = policy.methods[plot.name]
    if source == COPY:
        usual, names = Whole.name, (Whole.name,)
    elif source and plot.name in BASE_PLOTS and usual is not None:
        # Counts of one column by another method are refused beside the base counts.
        names = (usual,)
    return [
        {
            "name": name,
            "source": source or None,
            "usual": name == usual,
            "rows": name in COPY_METHODS,
            "promises": METHODS[name].promises,
            "leaves_open": METHODS[name].leaves_open,
        }
        for name in names
    ]


def _parameters_told(
    policy: Policy, plot: Plot[View], methods: Sequence[str]
) -> list[dict[str, Any]]:
    told = []
    for it in (PARAMETERS[name] for name in plot.parameters):
        number = it.name in NUMBERS
        able = [name for name in methods if has_use(policy, plot.name, name, it.name)]
        for fixed in (False, True):
            uses = [m for m in able if (number and is_fixed(policy, m, it.name)) == fixed]
            if not uses:
                continue
            told.append(
                {
                    "name": it.name,
                    "type": it.type,
                    "says": it.says,
                    "least": it.least_of(uses),
                    "most": it.most,
                    "step": it.step,
                    "usual": usual_number(policy, uses[0], it.name) if number else it.usual,
                    "fixed": fixed,
                    "choices": [*it.choices],
                    "methods": None if len(uses) == len(methods) else uses,
                }
            )
    return told


def _in_force(policy: Policy) -> Policy:
    """Return a policy with what holds where its file does not say what the copy is made by."""
    whole = policy.rows_by == Whole.name
    return policy.changed(rows=policy.rows_by, m=policy.members if whole else None)


def custodian_told(served: Served, before: int | None = None) -> dict[str, Any]:
    """Return the policy in force, tokens with what they used, and a page of the log.

    All of it of this study alone: another of the same ledger has a custodian of its own. The log
    is what was asked before one of its rows, where that is given; the last seal is as it is
    written: only `verified` checks it.
    """
    store = served.ledger.store
    tokens = {f"token {it.name}": it for it in list_tokens(store, served.name)}
    others = [name for name in callers(store, served.name) if name not in tokens]
    used = used_by(store, [*tokens, *others], served.name, served.version)
    with store.reading() as connection:
        last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    return {
        "study": served.name,
        "version": served.version,
        "policy": _in_force(served.study.policy).to_toml(),
        "tokens": [
            {
                "name": it.name,
                "role": it.role,
                "made": it.made,
                "expires": it.expires,
                "state": it.state(),
                "used": used[name],
            }
            for name, it in tokens.items()
        ],
        "others": [{"name": name, "used": used[name]} for name in others],
        "allowance": {
            "views": served.allowance.views,
            "a_minute": served.allowance.a_minute,
            **served.counted,
        },
        "log": log(store, study=served.name, most=PAGE, before=before),
        "left": served.ledger.history(served.name)[-PAGE:],
        "head": FIRST if last is None else last[1],
        "rows": 0 if last is None else last[0],
    }


def verified(served: Served) -> dict[str, Any]:
    """Count the chain of the ledger again, and say what of it is broken."""
    found = verify(served.ledger.store)
    return {"rows": found.rows, "head": found.head, "broken": [*found.broken]}
