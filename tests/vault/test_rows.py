"""Rows made ready: keys, gaps, strata that are repaired, and who is too few."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.policy import Policy
from discreet.secret import Secret, row_keys
from discreet.table import Table, open_table
from discreet.vault import Copy, Vault, protect_view

Floats = NDArray[np.float64]

SECRET = Secret.from_bytes(bytes(range(32)))
STANDARD = Policy.preset("standard")


def columns(n: int = 120, seed: int = 1) -> dict[str, Any]:
    """Make three related columns and one of levels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, size=n)
    return {
        "x": x,
        "y": x + rng.normal(0, 5, size=n),
        "z": rng.lognormal(size=n),
        "sex": np.where(rng.random(n) < 0.5, "f", "m"),
    }


def table_of(given: Any, unit: str | None = None, key: str | None = None) -> Table:
    """Put columns or a frame behind a table."""
    frame = pa.table(given) if isinstance(given, Mapping) else given
    return open_table(frame, kinds={}, roles={}, unit=unit, key=key)


def copied(
    given: Any,
    group: tuple[str, ...] = ("x", "y"),
    policy: Policy = STANDARD,
    secret: Secret = SECRET,
) -> Copy:
    """Make the protected copy in memory."""
    table = table_of(given, policy.unit, policy.key)
    return Vault(secret, None).copy(table, policy, group)


def plain(copy: Copy) -> tuple[Any, ...]:
    """Return a copy as plain values that can be compared."""
    return (
        {name: values.tolist() for name, values in copy.columns.items()},
        dict(copy.strata),
        copy.version,
        copy.left_out,
    )


@settings(max_examples=20)
@given(st.data(), st.integers(5, 40))
def test_noise_belongs_to_the_record_in_every_order_and_filter(data: Any, n: int) -> None:
    """The rule that view, order and filter all follow: record, column and version decide."""
    values = np.random.default_rng(n).normal(size=(n, 2)).round(1)
    rows = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))]
    keys = row_keys(SECRET, [values[:, 0], values[:, 1]])
    everyone = SECRET.normals(b"version", keys, ["x", "y"])

    filtered = SECRET.normals(b"version", [keys[i] for i in rows], ["y", "x"])

    assert filtered[:, ::-1].tolist() == everyone[list(rows)].tolist()
    fresh = SECRET.normals(b"another", keys, ["x", "y"])
    assert (fresh != everyone).all()


# --- key, unit, strata ------------------------------------------------------------------------


@pytest.mark.parametrize("word", [False, True], ids=["a number", "a word"])
def test_a_declared_key_decides_on_the_noise_and_does_not_travel(word: bool) -> None:
    given = columns()
    number = np.arange(120) + 7000
    given["id"] = np.array([f"P{i}" for i in number]) if word else number
    policy = STANDARD.changed(key="id")

    copy = copied(given, policy=policy)

    assert sorted(copy.columns) == ["x", "y"]
    assert not copy.strata
    order = np.random.default_rng(4).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    assert plain(copied(shuffled, policy=policy)) == plain(copy)
    assert copy.version != copied(given).version


@pytest.mark.parametrize("twice", [[7001, 7001], ["P1", "P1"]])
def test_a_key_that_is_in_two_rows_is_refused_without_its_value(twice: list[Any]) -> None:
    given = columns()
    words = isinstance(twice[0], str)
    given["id"] = np.array([*twice, *[f"Q{i}" if words else i for i in range(118)]])

    with pytest.raises(InputError, match="key column 'id' holds a value twice") as refused:
        copied(given, policy=STANDARD.changed(key="id"))
    assert str(twice[0]) not in str(refused.value)


def test_a_person_with_several_rows_is_refused_with_advice() -> None:
    given = columns() | {"who": [i // 2 for i in range(120)]}
    research = Policy.preset("research")
    asked = research.settle("scatter", ["x", "y"])
    refusal = r"several rows.* use a histogram or heat map"

    with pytest.raises(RefusedError, match=refusal):
        copied(given, policy=STANDARD.changed(unit="who"))
    with pytest.raises(RefusedError, match=refusal):
        protect_view(table_of(given, unit="who"), research, asked, SECRET)


def test_a_person_with_one_row_is_a_row() -> None:
    given = columns() | {"who": list(range(120))}

    assert plain(copied(given, policy=STANDARD.changed(unit="who"))) == plain(copied(given))


def test_strata_travel_and_groups_stay_within_them() -> None:
    # two clouds far apart: a copy within strata cannot mix them
    rng = np.random.default_rng(6)
    given = {
        "x": np.concatenate([rng.normal(0, 1, 60), rng.normal(1000, 1, 60)]),
        "y": rng.normal(size=120),
        "arm": ["a"] * 60 + ["b"] * 60,
    }

    copy = copied(given, policy=STANDARD.changed(strata=["arm"]))

    assert sorted(copy.strata["arm"]) == given["arm"]
    for level, x in zip(copy.strata["arm"], copy.columns["x"], strict=True):
        assert (x > 500) == (level == "b")
    rows = list(zip(copy.strata["arm"], *copy.columns.values(), strict=True))
    assert rows == sorted(rows)


STRATA: dict[str, tuple[list[str], bool]] = {
    "2 k in each": (["a"] * 90 + ["b"] * 10, True),
    "fewer than 2 k": (["a"] * 91 + ["b"] * 9, False),
}


@pytest.mark.parametrize(("levels", "enough"), STRATA.values(), ids=STRATA)
def test_a_stratum_holds_at_least_two_k(levels: list[str], enough: bool) -> None:
    given = columns(100) | {"arm": levels}
    policy = STANDARD.changed(strata=["arm"])
    if enough:
        assert len(copied(given, policy=policy).columns["x"]) == 100
        return
    with pytest.raises(
        RefusedError, match="strata 'arm' has too few rows: at least 2 k"
    ) as refused:
        copied(given, policy=policy)
    assert "9" not in str(refused.value)


def test_combinations_of_strata_are_what_counts() -> None:
    given = columns(100) | {"a": ["p", "q"] * 50, "b": ["u"] * 50 + ["v"] * 41 + ["u"] * 9}

    with pytest.raises(RefusedError, match="a combination of the strata 'a', 'b'"):
        copied(given | {"b": ["u"] * 91 + ["v"] * 9}, policy=STANDARD.changed(strata=["a", "b"]))
    assert copied(given, policy=STANDARD.changed(strata=["a", "b"]))


@pytest.mark.parametrize(("n", "enough"), [(49, False), (50, True)])
def test_a_table_has_at_least_ten_k_complete_rows(n: int, enough: bool) -> None:
    given = columns(n + 30)
    given["x"][n:] = np.inf
    if enough:
        assert len(copied(given).columns["x"]) == 50
        return
    with pytest.raises(RefusedError, match="too few complete rows: at least 10 k") as refused:
        copied(given)
    assert "49" not in str(refused.value)
