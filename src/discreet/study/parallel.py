"""Parallel coordinates: which axes may stand beside which, and what of them is sensitive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Any

from discreet.errors import RefusedError, one_of
from discreet.parallel.ordering import one_order
from discreet.plots import ParallelView
from discreet.plots.parallel import clusters_of_cells, from_counts
from discreet.plots.parallel_axes import axes_to_order, proposed_order, rules_of_order
from discreet.policy import PlotRequest, Sensitive
from discreet.study.gate import (
    Pairs,
    diversity_pins,
    method_pins,
    pair_pins,
)
from discreet.study.session import Session

__all__ = [
    "Move",
    "Orders",
    "axis_order",
    "orders",
    "pairs_of",
    "pairs_wrong",
    "parallel",
    "pinned",
]


MOST_PERMUTED = 6  # columns; of more, not all orders are looked at for one that may be


def parallel(session: Session, columns: Sequence[str], **how: Any) -> ParallelView:
    """Draw columns as parallel coordinates, or refuse them."""
    asked = session.settle("parallel", columns, **how)
    if not session.policy.fixed:
        return session.counted(asked, from_counts)
    check_pairs(asked, session.policy.pairs, session.pairs)
    view = session.counted(asked, clusters_of_cells, pinned=pinned(asked, session.policy.pairs))
    # A request that was refused on its way here has settled nothing.
    session.pairs = tuple(sorted({*session.pairs, *pairs_of(asked.columns)}))
    return view


def axis_order(
    session: Session, columns: Sequence[str], sensitive: Sensitive | None
) -> tuple[str, ...]:
    """Propose an order of columns as axes."""
    asked = session.settle("parallel", columns, sensitive=sensitive)
    return proposed_order(session.table, asked, axes_to_order(session.table, asked))


@dataclass(frozen=True)
class Move:
    """One axis, taken from a place to another: the order after it, and why it may not be."""

    source: int
    target: int
    order: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Orders:
    """What may become of an order of axes: why it may not stand, the nearest that may, moves.

    `nearest_why` says why even `nearest` may not be, where no order was found that may.
    """

    why: str
    nearest: tuple[str, ...]
    nearest_why: str
    moves: tuple[Move, ...]


def orders(session: Session, columns: Sequence[str], sensitive: Sensitive | None = None) -> Orders:
    """Say whether an order of axes may be drawn, and every order that is one axis away from it."""
    asked = session.settle("parallel", columns, sensitive=sensitive)
    broken, nearest = rules_of_order(session.table, asked, axes_to_order(session.table, asked))

    def why(order: tuple[str, ...]) -> str:
        """Say why an order may not be; nothing of one that may."""
        said = "; ".join(broken(order))
        if said or not session.policy.fixed:
            return said
        moved = dataclasses.replace(asked, columns=order)
        return pairs_wrong(moved, session.policy.pairs, session.pairs)

    moves = []
    for source in range(len(asked.columns)):
        rest = [name for place, name in enumerate(asked.columns) if place != source]
        for target in range(len(asked.columns)):
            if target != source:
                order = (*rest[:target], asked.columns[source], *rest[target:])
                moves.append(Move(source, target, order, why(order)))
    nearest = _nearest(nearest, [move.order for move in moves], why)
    return Orders(why(asked.columns), nearest, why(nearest), tuple(moves))


def _nearest(
    nearest: tuple[str, ...],
    moved: Sequence[tuple[str, ...]],
    why: Callable[[tuple[str, ...]], str],
) -> tuple[str, ...]:
    """Return an order that may be: the nearest by the rules, one move away, or any there is."""
    few = len(nearest) <= MOST_PERMUTED
    found = (nearest, *moved, *(permutations(nearest) if few else ()))
    return next((order for order in found if not why(order)), nearest)


def check_pairs(asked: PlotRequest, declared: Pairs, before: Pairs) -> None:
    """Refuse neighbours that the policy does not name, or that fit into no order with others."""
    wrong = pairs_wrong(asked, declared, before)
    if wrong:
        raise RefusedError(
            f"{wrong}. All orders together reveal far more than one: keep to it, or the custodian"
            " can open a study whose policy lists the pairs that may be neighbours (pairs=, --pairs"
            " a,b)"
        )


def pairs_wrong(asked: PlotRequest, declared: Pairs, before: Pairs) -> str:
    """Say which neighbours may not be, and which may; nothing where all of them may."""
    wanted = pairs_of(asked.columns)
    allowed = {tuple(sorted(pair)) for pair in declared}
    others = [pair for pair in wanted if declared and pair not in allowed]
    sensitive = asked.axes.sensitive
    if not one_order(wanted, sensitive):
        return ""  # which the rules about sensitive axes refuse, and say how it may stand
    if not others and (declared or one_order([*before, *wanted], sensitive)):
        return ""
    listed = "; ".join(one_of(pair) for pair in declared or before)
    if declared:
        first = one_of(others[0])
        return f"{first} may not stand side by side; the pairs of this study are {listed}"
    return (
        "these axes do not fit into one order with those drawn before, of which stood"
        f" {listed} side by side"
    )


def pairs_of(columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the neighbours of an order, the names of each pair sorted."""
    return tuple(tuple(sorted(pair)) for pair in pairwise(columns))


def pinned(asked: PlotRequest, declared: Pairs) -> dict[str, str]:
    """Return what must be the same whenever these columns leave again."""
    sensitive = {name: name in asked.axes.sensitive for name in asked.columns}
    return (
        method_pins(pairs_of(asked.columns), asked.method)
        | pair_pins(pairs_of(asked.columns), declared)
        | diversity_pins(sensitive, asked.axes.diversity)
    )
