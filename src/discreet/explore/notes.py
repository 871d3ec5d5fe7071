"""What is said beside views and tables of a copy, and what gives a view its gate, seal and labels.

It is the same whether the data are there or a study file alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.explore.from_copy import WholeTable
from discreet.plots import MultiplesView, Origin, PanelsView, PlotRequest, View
from discreet.policy import Policy
from discreet.provenance import Sealer

if TYPE_CHECKING:
    from discreet.explore.from_file import FileSession

FIDELITY = "fidelity"
NO_COPY = (
    "this study has no copy of the whole table; the custodian can open one under a guarded policy,"
    " such as 'standard'"
)

V = TypeVar("V", bound=View)


def origin_of_copy(study: FileSession, remarks: Sequence[str], dates: Sequence[str]) -> Origin:
    """Say what a view of the copy is of, with its remarks and the columns of dates in it."""
    policy = study.policy
    return Origin(
        policy=policy.name,
        regime=policy.regime,
        public=policy.public,
        study=study.name,
        version=study.whole.copy.version,
        left_out=None,
        counted=study.rows_are,
        remarks=tuple(remarks),
        dates=tuple(dates),
    )


def notes_of_copy(study: FileSession, names: Sequence[str]) -> tuple[str, ...]:
    """Say what columns of the copy are, which may hold codes, and how near the copy is."""
    whole = study.whole
    sources = whole.sources(names)
    there = {*sources} & {*whole.copy.strata}
    pairs = (
        [] if study.persons_repeat else [it for it in study.policy.tables or () if {*it} <= there]
    )
    listed = "; ".join(" by ".join(pair) for pair in pairs)
    return (
        *derived_notes(study.policy, whole.beneath(names)),
        *([f"counted in the data, with noise: {listed}"] if listed else []),
        *study.remarks_of_table(sources),
    )


def open_ends(request: PlotRequest) -> tuple[str, ...]:
    """Say of which columns the end bins of a plot are open."""
    plot = request.plot
    if not plot.binned:
        return ()
    ended = [name for name in plot.names if plot.edges_of(name) or plot.limits_of(name)]
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


def labels_of(labels: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return the labels of some columns, of those that have one."""
    return {name: labels[name] for name in names if name in labels}


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
    origin = dataclasses.replace(view.origin, labels=tuple(labels_of(labels, names).items()))
    gated = dataclasses.replace(view, gate=gate, sealer=sealer, origin=origin, framework=framework)
    if not isinstance(gated, MultiplesView | PanelsView):
        return gated
    given = (gate, sealer, labels, names, framework)
    inner: Any = tuple(None if it is None else with_gate(it, *given) for it in gated.views)
    return dataclasses.replace(gated, views=inner)
