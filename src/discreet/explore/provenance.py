"""Where a plot of a study comes from, as its files say it: no word that the plot does not show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.plots import PLOTS, View
from discreet.plots.periods import AUTO
from discreet.plots.request import SHOWN, PlotRequest
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
Asks = Sequence[tuple[str, str]]


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
    source = ROWS if request.from_rows else COUNTS
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


def plot_asked(request: Mapping[str, Any]) -> tuple[str, tuple[str, ...], dict[str, Any], Asks]:
    """Return plot, columns, settings and what was derived, of the request of a provenance."""
    how = dict(request)
    plot, columns = how.pop("plot"), tuple(how.pop("columns", ()))
    asks = [(str(name), str(text)) for name, text in how.pop("derived", ())]
    return plot, columns, how, asks


def asked_for(request: PlotRequest, policy: Policy, asks: Asks) -> dict[str, Any]:
    """Say what was asked for: what the plot shows, and of the rest what is not as usual."""
    plot, model = PLOTS[request.plot], request.model
    asked: dict[str, Any] = {"plot": request.plot}
    if model is None:
        asked["columns"] = [*request.columns]
    else:
        asked["formula"] = model.formula
    by = [it for it in (request.by, request.by_second) if it is not None]
    if by:
        asked["by"] = by if len(by) > 1 else by[0]
    if not request.of_copy:
        asked["method"] = request.method
    told = {"bins": request.bins, "grid": request.grid}
    asked |= {name: it for name, it in told.items() if plot.uses(request.method, name)}
    if plot.axes and request.axes.pixels != policy.of_papers.pixels:
        asked["pixels"] = request.axes.pixels
    if plot.axes and not request.axes.fuzzy:
        asked["gradient"] = False
    usual: dict[str, Any] = {"trend": False, "percent": False, "overlay": False}
    usual |= {"show": SHOWN[0], "every": AUTO, "weights": None, "event_is": ()}
    for name, it in usual.items():
        held = getattr(request, name)
        if held != it:
            asked[name] = [*held] if isinstance(held, tuple) else held
    asked |= _ends("limits", request.limits, policy.limits, request.columns)
    asked |= _ends("edges", request.edges, policy.of_papers.edges, request.columns)
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
