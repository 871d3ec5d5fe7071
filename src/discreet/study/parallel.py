"""Parallel coordinates: which axes may stand beside which, and what of them is sensitive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from types import MappingProxyType
from typing import Any

from discreet.arguments import check_whole
from discreet.errors import InputError, RefusedError, one_of
from discreet.parallel.clusters import COSTS
from discreet.parallel.ordering import one_order
from discreet.parallel.pixels import resolution
from discreet.plots import ParallelView
from discreet.plots.parallel import clusters_of_cells, from_counts
from discreet.plots.parallel_axes import axes_to_order, proposed_order, rules_of_order
from discreet.policy import AxesRequest, PlotRequest
from discreet.study.gate import (
    LEAST_DIVERSITY,
    Pairs,
    diversity_of,
    diversity_pins,
    method_pins,
    pair_pins,
)
from discreet.study.session import Session

__all__ = [
    "HowParallel",
    "Move",
    "Orders",
    "Sensitive",
    "axis_order",
    "orders",
    "pairs_of",
    "pairs_wrong",
    "parallel",
    "pinned",
]


MOST_PERMUTED = 6  # columns; of more, not all orders are looked at for one that may be
Sensitive = str | Sequence[str] | Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class HowParallel:
    """How somebody asked for parallel coordinates; None leaves it to the policy."""

    method: str | None = None
    k: int | None = None
    diversity: int | None = None
    sensitive: Sensitive | None = None
    pixels: int | None = None
    limits: Mapping[str, Sequence[float]] | None = None
    cost: str | None = None
    gradient: bool = True


def parallel(session: Session, columns: Sequence[str], how: HowParallel) -> ParallelView:
    """Draw columns as parallel coordinates, or refuse them."""
    asked = settled(session, columns, how)
    if not session.policy.guarded:
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
    asked = settled(session, columns, HowParallel(sensitive=sensitive))
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
    asked = settled(session, columns, HowParallel(sensitive=sensitive))
    broken, nearest = rules_of_order(session.table, asked, axes_to_order(session.table, asked))

    def why(order: tuple[str, ...]) -> str:
        """Say why an order may not be; nothing of one that may."""
        said = "; ".join(broken(order))
        if said or not session.policy.guarded:
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


def settled(session: Session, columns: Sequence[str], how: HowParallel) -> PlotRequest:
    """Say how parallel coordinates will be made."""
    listed = isinstance(columns, Iterable) and not isinstance(columns, str)
    columns = list(columns) if listed else []
    if len(columns) < 2:
        raise InputError("parallel coordinates need at least two columns, in a list")
    if not isinstance(how.gradient, bool):
        raise InputError("gradient must be True or False")
    if how.cost is not None and how.cost not in COSTS:
        raise InputError(f"cost must be {one_of(COSTS)}")
    for name in how.limits or ():
        if name not in columns:
            raise InputError(f"limits name {name!r}, which is none of the columns; leave it out")
    guarded = session.policy.guarded
    pixels = how.pixels if how.pixels is None or guarded else resolution(how.pixels)
    diversity = None if how.diversity is None else check_whole("diversity", how.diversity, least=1)
    if guarded and diversity == diversity_of(session.policy):
        diversity = None
    if guarded and diversity is not None and diversity < LEAST_DIVERSITY:
        raise InputError(f"diversity of a guarded study is at least {LEAST_DIVERSITY}")
    asked = session.settle(
        "parallel",
        columns,
        "any",
        method=how.method,
        k=how.k,
        diversity=diversity,
        pixels=pixels,
        limits=how.limits,
    )
    if how.cost is not None and asked.method != "k-member":
        raise InputError("cost says how clusters of 'k-member' grow; leave it out")
    sensitive = _sensitive(session, columns, how.sensitive)
    chosen = session.policy.allowed(pixels=pixels, diversity=diversity)
    if diversity is None:
        diversity = diversity_of(chosen)
    axes = AxesRequest(
        pixels=chosen.pixels,
        diversity=diversity if sensitive else 1,
        sensitive=MappingProxyType(sensitive),
        ordered=session.policy.ordered,
        cost=how.cost or "smaller",
        fuzzy=how.gradient,
    )
    return dataclasses.replace(asked, axes=axes)


def check_pairs(asked: PlotRequest, declared: Pairs, before: Pairs) -> None:
    """Refuse neighbours that the policy does not name, or that fit into no order with others."""
    wrong = pairs_wrong(asked, declared, before)
    if wrong:
        raise RefusedError(
            f"{wrong}. All orders together tell far more than one: keep to it, or the custodian can"
            " open a study whose policy lists the pairs that may be neighbours (pairs=, --pairs"
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


def _sensitive(
    session: Session, columns: Sequence[str], given: Sensitive | None
) -> dict[str, tuple[str, ...]]:
    """Return the sensitive columns of a picture, each with the values that are."""
    declared = [name for name in columns if session.table.columns[name].role == "sensitive"]
    named = _named(given)
    for name in named:
        if name not in columns:
            raise InputError(f"{name!r} is sensitive, but none of the columns; name it among them")
        if session.policy.guarded and name not in declared:
            raise RefusedError(
                f"what is sensitive is said when a study is opened; open one that says so:"
                f" discreet.open(..., roles={{{name!r}: 'sensitive'}})"
            )
    return {name: named.get(name, ()) for name in columns if name in {*declared, *named}}


def _named(given: Sensitive | None) -> dict[str, tuple[str, ...]]:
    if given is None:
        return {}
    if isinstance(given, str):
        return {given: ()}
    if isinstance(given, Mapping):
        for name, values in given.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InputError(f"the sensitive values of {name!r} are a list")
        return {name: tuple(dict.fromkeys(map(str, values))) for name, values in given.items()}
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise InputError("sensitive is a column, a list of columns, or columns and their values")
    return dict.fromkeys(given, ())
