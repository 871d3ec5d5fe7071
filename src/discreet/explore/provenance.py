"""Where a plot of a study comes from, as its files say it: no word that the plot does not show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.errors import InputError
from discreet.plots import PLOTS, Plot, PlotRequest, View
from discreet.policy import Policy
from discreet.provenance import DIGITS, Provenance, own_version
from discreet.secret import Secret

COPY, COUNTS, ROWS = "copy", "counts", "rows"
"""The source of what was drawn from the protected copy, was counted in the data under a policy
without a copy of the whole table, or was protected for one picture alone."""
MEASURED = "measured"
"""The source of what was measured on the data beside what was made of them."""
FROM_FILE = "file"
"""The source of what was made from the protected rows of a study file."""
FIGURES, REPORT, BOARD = "figures", "report", "board"
"""How the request of a table of figures or a board, and of a report, begins."""
ANSWER = "answer"
"""What figures are that come from the data."""
Asks = Sequence[tuple[str, str]]
UNSAID = ("sensitive", "diversity", "cost", "noise_on")
"""Settings of clusters of people and of noise, which no file says."""


def begun(
    request: PlotRequest,
    view: View,
    policy: Policy,
    secret: Secret,
    of_counts: str,
    asks: Asks = (),
) -> Provenance:
    """Return the provenance of a plot, without a checksum.

    `of_counts` is the version where it is no protected copy; `asks` is what was derived of the
    copy: a new column's name and expression, or nothing and a condition.
    """
    of_copy = view.origin.version
    source = ROWS if request.how.from_rows else COUNTS
    source = source if of_copy is None or not policy.fixed else COPY
    asked = asked_for(request, policy, asks)
    return begun_of(asked, source, of_copy or of_counts, policy, secret)


def begun_of(
    request: Mapping[str, Any], source: str, version: str, policy: Policy, secret: Secret
) -> Provenance:
    """Return the provenance of what was asked for so, without a checksum; not of what is empty."""
    return _begun(request, source, version, policy_digest(policy, secret))


def begun_from_file(request: Mapping[str, Any], version: str, content: str) -> Provenance:
    """Return the provenance of what was made from a study file, without a checksum.

    In place of the policy stands the digest of all that the file says, its policy among it.
    """
    return _begun(request, FROM_FILE, version, content[:DIGITS])


def _begun(request: Mapping[str, Any], source: str, version: str, policy: str) -> Provenance:
    return Provenance(
        version=version,
        policy=policy,
        discreet=own_version(),
        request={name: it for name, it in request.items() if it not in (None, [], "")},
        source=source,
    )


def version_of_counts(secret: Secret, name: str | None, number: int) -> str:
    """Name a version of a study in the register so that its name cannot be read from it."""
    return secret.digest("version of counts", json.dumps([name, number]).encode()).hex()[:DIGITS]


def policy_digest(policy: Policy, secret: Secret) -> str:
    """Name the rules that answers hang on, so that what they say cannot be guessed."""
    told = json.dumps(policy.rules_of_answers(), sort_keys=True).encode()
    return secret.digest("policy", told).hex()[:DIGITS]


def plot_asked(request: Mapping[str, Any]) -> tuple[Plot[Any], dict[str, Any], Asks]:
    """Return the plot, its method and what was derived, of the request of a provenance."""
    fields = dict(request)
    plot, columns = PLOTS[fields.pop("plot")], fields.pop("columns", ())
    asks = [(str(name), str(text)) for name, text in fields.pop("derived", ())]
    way = {"method": fields.pop("method")} if "method" in fields else {}
    if not plot.listed() and len(columns) > plot.most():
        raise InputError(f"{plot.phrase()} does not take so many columns")
    for name in fields:
        if name not in plot.settings():
            raise InputError(f"{plot.phrase()} has no setting {name!r}")
    return plot.of_columns(columns, **fields), way, asks


def asked_for(request: PlotRequest, policy: Policy, asks: Asks) -> dict[str, Any]:
    """Say what was asked for: what the plot shows, and of the rest what is not as usual."""
    plot, method = request.plot, request.how.method
    asked: dict[str, Any] = {"plot": plot.name}
    if plot.of_formula():
        asked["formula"] = plot.get("formula")
    else:
        asked["columns"] = [*plot.names]
    if by := plot.by_names:
        asked["by"] = [*by] if len(by) > 1 else by[0]
    if not request.how.of_copy:
        asked["method"] = method
    usual = {**plot.usual(), "pixels": policy.of_papers.pixels, "event_is": ()}
    for name in plot.settings():
        value = plot.get(name)
        if name in plot.places() or name in ("by", "limits", "edges", *UNSAID):
            continue
        if name in ("bins", "grid"):  # which the policy may have said
            asked |= {name: value} if plot.uses(method, name) else {}
        elif value != usual[name]:
            asked[name] = [*value] if isinstance(value, tuple) else value
    own = policy.of_papers.edges
    asked |= _ends("limits", plot.get("limits") or {}, policy.limits, plot.names)
    asked |= _ends("edges", plot.get("edges") or {}, own, plot.names)
    return asked | ({"derived": [[*it] for it in asks]} if asks else {})


def _ends(
    what: str, asked: Mapping[str, Any], usual: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, Any]:
    """Return the ends of axes that the caller named, which the plot shows, and not the policy."""
    own = {
        name: [*ends]
        for name, ends in asked.items()
        if name in columns and [*ends] != [*usual.get(name, ())]
    }
    return {what: own} if own else {}
