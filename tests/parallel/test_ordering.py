"""Orders of axes: each rule by hand, every small order by brute force, and the credit data."""

import csv
from collections.abc import Callable, Mapping
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.parallel.ordering import AxisRole, broken_rules, nearest_allowed, propose
from discreet.parallel.pixels import Information, information, pair_bins

CONTINUOUS, CATEGORICAL = "continuous", "categorical"

AXES = {
    "age": AxisRole("age", CONTINUOUS),
    "amount": AxisRole("amount", CONTINUOUS),
    "months": AxisRole("months", CONTINUOUS),
    "savings": AxisRole("savings", CATEGORICAL),
    "status": AxisRole("status", CATEGORICAL),
    "history": AxisRole("history", CATEGORICAL, sensitive=True),
    "income": AxisRole("income", CONTINUOUS, sensitive=True),
}
# months is the least, age is not told from it (0.10 at most 2 x 0.05 above), amount is.
TELLS = {
    "age": Information(0.13, 0.04),
    "amount": Information(0.50, 0.04),
    "months": Information(0.03, 0.03),
}

# An order; what the rules say of it; the nearest allowed; the proposed.
CASES: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "allowed": ("savings months history", (), "savings months history", "savings months history"),
    "allowed, not the least but not told from it": (
        "months age history",
        (),
        "months age history",
        "months age history",
    ),
    "allowed, kinds side by side": (
        "savings status amount months history",
        (),
        "savings status amount months history",
        "savings amount status months history",
    ),
    "not last": (
        "savings months history age amount",
        ("sensitive axis 'history' must come last, after 'age', 'amount'",),
        "savings months amount age history",
        "months amount savings age history",
    ),
    "first": (
        "history age",
        ("sensitive axis 'history' must come last, after 'age'",),
        "age history",
        "age history",
    ),
    "categorical beside": (
        "age months savings history",
        ("categorical axis 'savings' must not stand next to sensitive axis 'history'",),
        "age savings months history",
        "age savings months history",
    ),
    "categorical on the far side": (
        "age history status",
        (
            "sensitive axis 'history' must come last, after 'status'",
            "categorical axis 'status' must not stand next to sensitive axis 'history'",
        ),
        "status age history",
        "status age history",
    ),
    "tells too much": (
        "age savings amount history",
        (
            "axis 'amount' reveals too much about sensitive axis 'history' to stand next to it;"
            " one that reveals less may: 'age'",
        ),
        "savings amount age history",
        "amount savings age history",
    ),
    "tells too much, several tell less": (
        "age months amount history",
        (
            "axis 'amount' reveals too much about sensitive axis 'history' to stand next to it;"
            " one that reveals less may: 'age', 'months'",
        ),
        "age amount months history",
        "age amount months history",
    ),
    "alone it tells least": ("amount history", (), "amount history", "amount history"),
    "two sensitive": (
        "savings months history income",
        (),
        "savings months history income",
        "savings months history income",
    ),
    "two sensitive, apart": (
        "history savings months income",
        (
            "sensitive axis 'history' must come last, after 'savings', 'months'",
            "categorical axis 'savings' must not stand next to sensitive axis 'history'",
        ),
        "savings months history income",
        "savings months history income",
    ),
    "two sensitive, the rule of information is about the first": (
        "months history amount income",
        (
            "sensitive axis 'history' must come last, after 'amount'",
            "axis 'amount' reveals too much about sensitive axis 'history' to stand next to it;"
            " one that reveals less may: 'months'",
        ),
        "amount months history income",
        "amount months history income",
    ),
    "two sensitive, one after the other": (
        "income savings history status age",
        (
            "sensitive axis 'income' must come last, after 'savings', 'status', 'age'",
            "sensitive axis 'history' must come last, after 'status', 'age'",
            "categorical axis 'savings' must not stand next to sensitive axis 'income'",
            "categorical axis 'savings' must not stand next to sensitive axis 'history'",
            "categorical axis 'status' must not stand next to sensitive axis 'history'",
        ),
        "savings status age income history",
        "savings status age income history",
    ),
    "none sensitive": ("savings status age", (), "savings status age", "savings age status"),
    "none sensitive, one more number": (
        "age savings status months amount",
        (),
        "age savings status months amount",
        "age savings months status amount",
    ),
    "none sensitive, many levels": (
        "age savings status",
        (),
        "age savings status",
        "savings age status",
    ),
    "one axis": ("savings", (), "savings", "savings"),
    "no axis": ("", (), "", ""),
}


def roles(names: str) -> list[AxisRole]:
    return [AXES[name] for name in names.split()]


@pytest.mark.parametrize(("order", "broken", "nearest", "proposed"), CASES.values(), ids=CASES)
def test_by_hand(order: str, broken: tuple[str, ...], nearest: str, proposed: str) -> None:
    assert broken_rules(roles(order), TELLS) == broken
    assert nearest_allowed(roles(order), TELLS) == tuple(nearest.split())
    assert propose(roles(order), TELLS) == tuple(proposed.split())


# Bits and errors of `least` and `other`: is `other` allowed beside a sensitive axis?
TOLD_APART = {
    "equal": ((0.1, 0.0), (0.1, 0.0), True),
    "equal, errors differ": ((0.1, 0.0), (0.1, 0.5), True),
    "a hair above, no error": ((0.1, 0.0), (0.1000001, 0.0), False),
    "two errors above": ((0.0, 0.03), (0.1, 0.04), True),
    "just more than two": ((0.0, 0.03), (0.10001, 0.04), False),
    "one error is enough": ((0.0, 0.0), (0.1, 0.05), True),
    "below 0": ((-0.2, 0.04), (-0.1, 0.03), True),
    "far below 0": ((-0.2, 0.01), (-0.1, 0.03), False),
}


@pytest.mark.parametrize(("least", "other", "allowed"), TOLD_APART.values(), ids=TOLD_APART)
def test_two_standard_errors(
    least: tuple[float, float], other: tuple[float, float], allowed: bool
) -> None:
    tells = {"age": Information(*least), "amount": Information(*other)}
    assert (broken_rules(roles("age amount history"), tells) == ()) is allowed
    assert broken_rules(roles("amount age history"), tells) == ()


@pytest.mark.parametrize("order", ["history", "savings history", "history income", "income"])
def test_nothing_to_stand_beside(order: str) -> None:
    first = order.split()[-1] if order != "history income" else "history"
    words = (
        f"{first}' must stand next to a continuous axis that is not sensitive, and there is none"
    )
    assert [words in sentence for sentence in broken_rules(roles(order), TELLS)] == [True]
    for way in (nearest_allowed, propose):
        with pytest.raises(RefusedError, match=f"{words}; add a continuous column, or leave"):
            way(roles(order), TELLS)


NAN, INF = float("nan"), float("inf")
BAD: dict[str, tuple[str, Mapping[str, Information], str]] = {
    "twice": ("age savings age", {}, "axis 'age' is in the order twice"),
    "no information": ("age months history", {"age": TELLS["age"]}, "axis 'months' needs its"),
    "no bits": ("age history", {"age": Information(NAN, 0.1)}, "axis 'age' needs its finite"),
    "error below 0": ("age history", {"age": Information(0.1, -1)}, "axis 'age' needs its finite"),
}


@pytest.mark.parametrize(("order", "tells", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("way", [nearest_allowed, propose])
def test_bad_input(
    way: Callable[..., Any], order: str, tells: Mapping[str, Information], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        way(roles(order), tells)


def test_information_is_asked_for_where_it_is_needed() -> None:
    assert broken_rules(roles("age savings"), {}) == ()
    assert propose(roles("income savings age history"), {"age": Information(0.1, 0.1)}) == (
        "savings",
        "age",
        "income",
        "history",
    )


ORDERS = st.permutations(list(AXES)).flatmap(
    lambda names: st.integers(0, len(names)).map(lambda some: [AXES[name] for name in names[:some]])
)
ONE = st.builds(Information, st.floats(-0.1, 1), st.floats(0, 0.5))
ANY = st.fixed_dictionaries({"age": ONE, "amount": ONE, "months": ONE})


@given(ORDERS, ANY)
def test_laws(order: list[AxisRole], tells: Mapping[str, Information]) -> None:
    broken = broken_rules(order, tells)
    sensitive = [axis for axis in order if axis.sensitive]
    quasi = [axis for axis in order if not axis.sensitive]
    if sensitive and not any(axis.kind == CONTINUOUS for axis in quasi):
        assert len(broken) == 1
        return
    assert not any(letter.isdigit() for sentence in broken for letter in sentence)

    for way in (nearest_allowed, propose):
        found = [AXES[name] for name in way(order, tells)]
        assert sorted(axis.name for axis in found) == sorted(axis.name for axis in order)
        assert broken_rules(found, tells) == ()
        assert way(found, tells) == tuple(axis.name for axis in found)
        assert found[len(quasi) :] == sensitive
    if not broken:
        assert nearest_allowed(order, tells) == tuple(axis.name for axis in order)


@given(ORDERS, ANY)
def test_alternates_as_far_as_it_can(
    order: list[AxisRole], tells: Mapping[str, Information]
) -> None:
    quasi = [axis for axis in order if not axis.sensitive]
    numbers = sum(axis.kind == CONTINUOUS for axis in quasi)
    levels = len(quasi) - numbers
    if len(quasi) < len(order) and not numbers:
        return
    found = [AXES[name].kind for name in propose(order, tells)[: len(quasi)]]
    alike = sum(one == other for one, other in pairwise(found))
    if len(quasi) < len(order):  # ends on a number
        assert alike == max(numbers - levels - 1, levels - numbers, 0)
    else:
        assert alike == max(abs(numbers - levels) - 1, 0)


def least_moved(one: list[AxisRole], other: list[AxisRole]) -> int:
    """Count the axes outside the longest run of axes that both orders have in common."""
    places = [one.index(axis) for axis in other]
    longest = [1] * len(places)
    for i, place in enumerate(places):
        longest[i] += max((longest[j] for j in range(i) if places[j] < place), default=0)
    return len(places) - max(longest)


def is_allowed(order: list[AxisRole], least: set[str]) -> bool:
    """Read the rules as they are written down, with the neighbours of least information named."""
    sensitive = [axis.sensitive for axis in order]
    return sensitive == sorted(sensitive) and order[sensitive.index(True) - 1].name in least


def test_no_allowed_order_is_nearer() -> None:
    """Every order of four quasi-identifiers and one or two sensitive axes."""
    kinds = {"a": CONTINUOUS, "b": CONTINUOUS, "c": CATEGORICAL, "d": CONTINUOUS}
    for least, secrets in product([{"a"}, {"a", "b"}, {"a", "b", "d"}], ["s", "st"]):
        tells = {name: Information(0.0 if name in least else 1.0, 0.1) for name in kinds}
        axes = [AxisRole(name, kinds[name]) for name in kinds]
        axes += [AxisRole(name, CATEGORICAL, sensitive=True) for name in secrets]
        by_name = {axis.name: axis for axis in axes}
        # Sensitive axes keep their order: information is about the first of them.
        orders = [
            list(order)
            for order in permutations(axes)
            if [axis.name for axis in order if axis.sensitive] == list(secrets)
        ]
        allowed = [order for order in orders if is_allowed(order, least)]
        for order in orders:
            assert (broken_rules(order, tells) == ()) is is_allowed(order, least)
            found = [by_name[name] for name in nearest_allowed(order, tells)]
            moved = least_moved(order, found)
            assert moved == min(least_moved(order, other) for other in allowed)


def test_the_credit_data(shared_data: Callable[[str], Path]) -> None:
    """The paper's own order: what three columns tell of credit history is not told apart."""
    with shared_data("german_credit.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    levels = np.array([int(row["credit_history"]) for row in rows])
    names = ("duration", "credit_amount", "age")
    tells = {}
    for name in names:
        values = np.array([float(row[name]) for row in rows])
        cells = np.floor((values - values.min()) / np.ptp(values) * 40).clip(0, 39).astype(int)
        tells[name] = information(pair_bins(cells, levels, (40, int(levels.max()) + 1)))
    axes = [AxisRole(name, CONTINUOUS) for name in names]
    axes.append(AxisRole("credit_history", CATEGORICAL, sensitive=True))

    assert {name: round(one.bits, 4) for name, one in tells.items()} == {
        "duration": 0.0549,
        "credit_amount": 0.0539,
        "age": 0.0591,
    }
    assert broken_rules(axes, tells) == ()
    assert propose(axes, tells) == (*names, "credit_history")
    axes.insert(3, AxisRole("personal_status", CATEGORICAL))
    assert propose(axes, tells) == (
        "duration",
        "credit_amount",
        "personal_status",
        "age",
        "credit_history",
    )
