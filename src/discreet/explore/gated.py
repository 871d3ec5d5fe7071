"""A view with the gate that is asked before it is saved, its seal, and labels of its columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from discreet.plots import MultiplesView, PanelsView, View
from discreet.provenance import Sealer

FIDELITY = "fidelity"
NO_COPY = (
    "this study has no copy of the whole table; the custodian can open one under a guarded policy,"
    " such as 'standard'"
)

V = TypeVar("V", bound=View)


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
    """Give a view a gate, and the labels of the columns that are drawn; views within it too.

    `framework` is the kind of frame that came in.
    """
    origin = dataclasses.replace(view.origin, labels=tuple(labels_of(labels, names).items()))
    gated = dataclasses.replace(view, gate=gate, sealer=sealer, origin=origin, framework=framework)
    given = (gate, sealer, labels, names, framework)
    if isinstance(gated, MultiplesView):
        views = tuple(with_gate(inner, *given) for inner in gated.views)
        gated = dataclasses.replace(gated, views=views)
    elif isinstance(gated, PanelsView):
        parts = tuple(None if it is None else with_gate(it, *given) for it in gated.views)
        gated = dataclasses.replace(gated, views=parts)
    return gated


def codes_said(names: Sequence[str]) -> list[str]:
    """Say that columns may hold codes for missing values."""
    return [
        f"{name} may hold codes for missing values, drawn here as numbers; whoever keeps the"
        " data can say so (missing_values of the policy)"
        for name in names
    ]
