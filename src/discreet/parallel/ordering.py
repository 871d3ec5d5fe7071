"""In what order axes may stand: rules about sensitive axes, and orders that keep them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import InputError, RefusedError, one_of
from discreet.parallel.pixels import KINDS, Information

# Two measurements that differ by fewer standard errors than these are not told from one another.
ERRORS_APART = 2


@dataclass(frozen=True)
class AxisRole:
    """What the rules ask of an axis: its column, its kind, and whether its values are a secret.

    An axis that is not `sensitive` is a quasi-identifier.
    """

    name: str
    kind: str
    sensitive: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"the kind of axis {self.name!r} is one of {one_of(KINDS)}")


def broken_rules(
    order: Sequence[AxisRole], information: Mapping[str, Information], *, anywhere: bool = False
) -> tuple[str, ...]:
    """Return a sentence for each rule about sensitive axes that an order breaks (section 6.3).

    Sensitive axes come last; no categorical quasi-identifier stands next to one; the
    quasi-identifier next to the first of them is the continuous one of least mutual information
    with it, or one that is above it by no more than two standard errors of the difference.
    Sentences name axes and no numbers.

    Parameters
    ----------
    order : sequence of AxisRole
        The axes from left to right, none twice.
    information : mapping of str to Information
        For each continuous quasi-identifier its mutual information with the first sensitive axis.
    anywhere : bool, default False
        Whether sensitive axes may stand anywhere. Then of the two axes beside the first of them one
        has to be of little information.

    Notes
    -----
    **What it does not protect.** Whoever may ask for one allowed order after the other sees all
    pairs of quasi-identifiers in the end. Which axis is refused as a neighbour tells which one says
    more about the sensitive one.

    Examples
    --------
    >>> axes = [AxisRole("income", "categorical", True), AxisRole("age", "continuous")]
    >>> broken_rules(axes, {"age": Information(0.1, 0.02)})
    ("sensitive axis 'income' must come last, after 'age'",)
    """
    _check(order, information)
    sensitive = [axis.name for axis in order if axis.sensitive]
    if not sensitive:
        return ()
    quasi = [axis for axis in order if not axis.sensitive]
    if not any(axis.kind == "continuous" for axis in quasi):
        return (
            f"sensitive axis {sensitive[0]!r} must stand next to a continuous axis that is not"
            " sensitive, and there is none",
        )
    not_last, categorical, telling = [], [], []
    allowed = _allowed_names(order, information)
    names = _names(order)
    first = names.index(sensitive[0])
    around = {*names[max(first - 1, 0) : first], *names[first + 1 : first + 2]}
    bearable = anywhere and around & {*allowed}
    for place, axis in enumerate(order):
        if not axis.sensitive:
            continue
        after = [other.name for other in order[place + 1 :] if not other.sensitive]
        if after and not anywhere:
            not_last.append(
                f"sensitive axis {axis.name!r} must come last, after {_quote_all(after)}"
            )
        for other in (*order[max(place - 1, 0) : place], *order[place + 1 : place + 2]):
            if other.kind == "categorical" and not other.sensitive:
                categorical.append(
                    f"categorical axis {other.name!r} must not stand next to sensitive axis"
                    f" {axis.name!r}"
                )
            elif axis.name == sensitive[0] and not (
                bearable or other.sensitive or other.name in allowed
            ):
                telling.append(
                    f"axis {other.name!r} reveals too much about sensitive axis {axis.name!r} to"
                    f" stand next to it; one that reveals less may: {_quote_all(allowed)}"
                )
    return (*not_last, *categorical, *telling)


def nearest_allowed(
    order: Sequence[AxisRole], information: Mapping[str, Information]
) -> tuple[str, ...]:
    """Return the allowed order that the fewest axes of `order` are moved for.

    Sensitive ones are moved to the end, in the order given; then, if the axis that would stand
    before them may not, the one among the allowed that stood last. Refused, beside what
    `broken_rules` refuses, if there is a sensitive axis and no continuous one that is not
    sensitive.

    Examples
    --------
    >>> axes = [
    ...     AxisRole("amount", "continuous"),
    ...     AxisRole("history", "categorical", sensitive=True),
    ...     AxisRole("status", "categorical"),
    ... ]
    >>> nearest_allowed(axes, {"amount": Information(0.05, 0.02)})
    ('status', 'amount', 'history')
    """
    _check(order, information)
    return _names(_move_axes(order, information))


def propose(axes: Sequence[AxisRole], information: Mapping[str, Information]) -> tuple[str, ...]:
    """Return an allowed order in which continuous and categorical axes alternate.

    The sensitive ones and the one before them are those of `nearest_allowed`; from there to the
    left the kinds alternate as far as there are axes of both. Axes of one kind keep their order.
    Without a sensitive axis the last is of the kind that there are more of.

    Examples
    --------
    >>> axes = [AxisRole("sex", "categorical"), AxisRole("bmi", "continuous")]
    >>> propose([*axes, AxisRole("age", "continuous")], {})
    ('bmi', 'sex', 'age')
    """
    _check(axes, information)
    moved = _move_axes(axes, information)
    quasi = [axis for axis in moved if not axis.sensitive]
    sensitive = [axis for axis in moved if axis.sensitive]
    of_kind = {kind: [axis for axis in quasi if axis.kind == kind] for kind in KINDS}
    numbers, levels = (of_kind[kind] for kind in KINDS)
    kind = quasi[-1].kind if quasi else KINDS[0]
    if not sensitive and len(numbers) != len(levels):
        kind = KINDS[len(levels) > len(numbers)]
    backwards: list[AxisRole] = []  # what there is more of one kind comes first
    while any(of_kind.values()):
        backwards.append((of_kind[kind] or of_kind[_other(kind)]).pop())
        kind = _other(backwards[-1].kind)
    return _names([*backwards[::-1], *sensitive])


def _names(order: Sequence[AxisRole]) -> tuple[str, ...]:
    return tuple(axis.name for axis in order)


def _check(order: Sequence[AxisRole], information: Mapping[str, Information]) -> None:
    for name, times in Counter(_names(order)).items():
        if times > 1:
            raise InputError(f"axis {name!r} is in the order twice; give each axis once")
    if not any(axis.sensitive for axis in order):
        return
    for name in _names(_candidates(order)):
        known = information.get(name)
        if known is None or not math.isfinite(known.bits) or not 0 <= known.error < math.inf:
            raise InputError(
                f"axis {name!r} needs its finite mutual information with the sensitive axis"
            )


def _candidates(order: Sequence[AxisRole]) -> list[AxisRole]:
    """Return the axes that may stand next to a sensitive one, but for what they tell about it."""
    return [axis for axis in order if axis.kind == "continuous" and not axis.sensitive]


def _allowed_names(order: Sequence[AxisRole], information: Mapping[str, Information]) -> list[str]:
    """Return the candidates that are not told from the one of least information."""
    names = _names(_candidates(order))
    # Of equal bits the one of least error, so that the order of axes does not matter.
    least = min((information[name] for name in names), key=lambda one: (one.bits, one.error))
    return [
        name
        for name in names
        if information[name].bits - least.bits
        <= ERRORS_APART * math.hypot(information[name].error, least.error)
    ]


def _move_axes(order: Sequence[AxisRole], information: Mapping[str, Information]) -> list[AxisRole]:
    """Return the axes in the nearest allowed order."""
    sensitive = [axis for axis in order if axis.sensitive]
    if not sensitive:
        return list(order)
    if not _candidates(order):
        raise RefusedError(
            f"sensitive axis {sensitive[0].name!r} must stand next to a continuous axis that is"
            " not sensitive, and there is none; add a continuous column, or leave the sensitive"
            " one out"
        )
    allowed = _allowed_names(order, information)
    quasi = [axis for axis in order if not axis.sensitive]
    beside = next(axis for axis in reversed(quasi) if axis.name in allowed)
    return [*(axis for axis in quasi if axis != beside), beside, *sensitive]


def _other(kind: str) -> str:
    return KINDS[1 - KINDS.index(kind)]


def _quote_all(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
