"""What is said beside views and tables of a copy and in their files, and what gates a view.

It is the same whether the data are there or a study file alone.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from discreet.errors import InputError, RefusedError
from discreet.explore.from_copy import WholeTable
from discreet.plots import PLOTS, MultiplesView, PanelsView, Plot, PlotRequest, View
from discreet.policy import Policy
from discreet.provenance import DIGITS, Provenance, Sealer, own_version
from discreet.secret import Secret

FIDELITY = "fidelity"
NO_COPY = (
    "this study has no copy of the whole table; the custodian can open one under a guarded policy,"
    " such as 'standard'"
)

V = TypeVar("V", bound=View)


def check_copied(policy: Policy) -> None:
    """Refuse what is made of the copy of a whole table, where the policy has none."""
    if not policy.fixed:
        raise RefusedError(NO_COPY)


def open_ends(request: PlotRequest) -> tuple[str, ...]:
    """Say of which columns the end bins of a plot are open."""
    plot = request.plot
    if not plot.binned:
        return ()
    ended = [
        name for name in plot.names if plot.declared("edges", name) or plot.declared("limits", name)
    ]
    return tuple(f"the end bins of {name} include what lies beyond them" for name in ended)


def derived_notes(policy: Policy, names: Sequence[str]) -> tuple[str, ...]:
    """Say what those columns are that the policy derives."""
    derive = policy.derive or {}
    return tuple(f"{name} is {derive[name]}" for name in names if name in derive)


def column_notes(whole: WholeTable, names: Sequence[str]) -> tuple[str, ...]:
    """Say what is to be known of single columns of the copy: whose means are off, and how."""
    of = whole.copy.of_columns
    return tuple(line for name in dict.fromkeys(names) for line in of.get(name, ()))


def codes_said(names: Sequence[str]) -> list[str]:
    """Say that columns may hold codes for missing values."""
    return [
        f"{name} may hold codes for missing values, drawn here as numbers; the custodian can "
        "declare them (missing_values of the policy)"
        for name in names
    ]


def with_gate(
    view: V,
    gate: Callable[..., None],
    sealer: Sealer,
    labels: Mapping[str, str],
    names: Sequence[str],
    framework: str,
) -> V:
    """Give a view, and those within it, a gate, a seal and the labels of the columns drawn.

    `framework` is the kind of frame that came in.
    """
    shown = {it: labels[it] for it in names if it in labels}
    origin = dataclasses.replace(view.origin, labels=tuple(shown.items()))
    gated = dataclasses.replace(view, gate=gate, sealer=sealer, origin=origin, framework=framework)
    if not isinstance(gated, MultiplesView | PanelsView):
        return gated
    given = (gate, sealer, labels, names, framework)
    inner: Any = tuple(None if it is None else with_gate(it, *given) for it in gated.views)
    return dataclasses.replace(gated, views=inner)


# --- where it comes from, as files say it: no word that the plot does not show ------------------

COPY, COUNTS, ROWS = "copy", "counts", "rows"
"""The source of what was drawn from the protected copy, was counted in the data under a policy
without a copy of the whole table, or was protected for one picture alone."""
MEASURED = "measured"
"""The source of what was measured on the data beside what was made of them."""
FROM_FILE = "file"
"""The source of what was made from the protected rows of a study file."""
FIGURES, REPORT, BOARD = "figures", "report", "board"
"""How the request of a table of figures or a board, and of a report, begins."""
ANSWER, ANSWERS = "answer", "answers"
"""What figures are that come from the data, and the ids of the answers in a table of the copy."""
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
    return begun_of(asked, source, of_copy or of_counts, policy_digest(policy, secret))


def begun_of(request: Mapping[str, Any], source: str, version: str, policy: str) -> Provenance:
    """Return the provenance of what was asked for so, without a checksum; not of what is empty.

    `policy` is its digest; of what was made from a study file, that of all that the file says.
    """
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
    if plot.kind() == "formula":
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
    for what, of_policy in (("limits", policy.limits), ("edges", policy.of_papers.edges)):
        ends = {name: [*it] for name, it in (plot.get(what) or {}).items() if name in plot.names}
        own = {name: it for name, it in ends.items() if it != [*of_policy.get(name, ())]}
        asked |= {what: own} if own else {}
    return asked | ({"derived": [[*it] for it in asks]} if asks else {})
