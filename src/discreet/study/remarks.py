"""What a picture says of how its numbers came to be, beside how many it shows."""

from __future__ import annotations

import math

from discreet.policy import PlotRequest, Policy
from discreet.table import Table
from discreet.vault import Copy

__all__ = ["remarks_of"]

HOLDS_NO_K = ("probabilistic", "deterministic")
"""Row methods that a guarded policy may name, and that are weaker than its k promises."""
BINNED = ("histogram", "heatmap", "contour")


def remarks_of(
    table: Table, policy: Policy, copy: Copy | None, asked: PlotRequest | None
) -> tuple[str, ...]:
    """Say what became of values outside declared limits or bounds, and what may be no value.

    Parameters
    ----------
    table : Table
        What is drawn.
    policy : Policy
        The custodian's rules.
    copy : Copy or None
        The protected rows of the picture; None where it is drawn from counts.
    asked : PlotRequest or None
        The question; None where only what was done to the copy is to be said.

    Returns
    -------
    tuple of str
        Sentences, which name columns and no value.
    """
    said = [] if copy is None else [*copy.remarks]
    if asked is None:
        return tuple(said)
    said += [
        f"{name} may hold codes for missing values, drawn here as numbers; whoever keeps the"
        " data can say so (missing_values of the policy)"
        for name in dict.fromkeys(asked.named)
        if table.codes(name, policy.k)
    ]
    if asked.picture in BINNED:
        ended = [name for name in asked.columns if name in {**asked.limits, **asked.edges}]
        said += [f"the end bins of {name} hold what lies beyond them, too" for name in ended]
    if copy is None:
        return tuple(said)
    if policy.guarded and policy.rows in HOLDS_NO_K:
        said.append(
            f"rows by {policy.rows!r} do not hold k: a record is recognised by its row"
            " more often than one time in k"
        )
    for name in asked.columns:
        low, high = policy.bounds.get(name, (-math.inf, math.inf))
        values = copy.columns[name]
        if policy.outside != "keep" and name in policy.bounds:
            done = {"reflect": "reflected at them", "clip": "put on them"}
            said.append(f"values outside the bounds of {name} are {done[policy.outside]}")
        elif ((values < low) | (values > high)).any():
            said.append(f"some values lie outside the bounds of {name}, and are kept")
    return tuple(said)
