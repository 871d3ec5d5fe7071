"""Tables and views protected by themselves: bounds, the methods' word, rows beside the raw ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.errors import BrokenPromiseError, RefusedError
from discreet.methods import (
    ColumnRounding,
    Condensation,
    Deterministic,
    Microaggregation,
    Probabilistic,
    Rounding,
    deterministic,
)
from discreet.methods.base import RowMethod
from discreet.papers.protected import make_table, protect_view, said
from discreet.papers.rows import Done, Noised, noised, prepared, raw_rows
from discreet.plots.scatter import ScatterPlot
from discreet.policy import How, Policy, settle
from tests.vault.given import SECRET, columns, table_of

STANDARD, RESEARCH = Policy.preset("standard"), Policy.preset("research")
MEANS = How("deterministic", k=3, q=0.0)


def shares(n: int = 300) -> dict[str, Any]:
    """Make a share from 0 to 1 and a time from 0 on, many of them near the ends."""
    rng = np.random.default_rng(12)
    return {"x": rng.beta(0.7, 0.7, size=n), "y": rng.exponential(3, size=n)}


@pytest.mark.parametrize("method", ["probabilistic", "deterministic", "condensation"])
@pytest.mark.parametrize("rule", ["keep", "reflect", "clip"])
def test_views_have_the_bounds(rule: str, method: str) -> None:
    research = Policy.preset("research", bounds={"x": [0.45, 0.55]}, papers={"outside": rule})
    how, table = settle(research, ScatterPlot("x", "y"), method=method).how, table_of(shares())

    copy, without = (
        protect_view(table, policy, ["x", "y"], how, SECRET) for policy in (research, RESEARCH)
    )

    inside = (without.columns["x"] >= 0.45) & (without.columns["x"] <= 0.55)
    assert 0 < inside.sum() < 300
    assert copy.columns["x"][inside].tolist() == without.columns["x"][inside].tolist()
    assert copy.columns["y"].tolist() == without.columns["y"].tolist()
    if rule == "keep":
        assert copy.columns["x"].tolist() == without.columns["x"].tolist()
    else:
        assert 0.45 <= copy.columns["x"].min() < copy.columns["x"].max() <= 0.55
    ends = np.isin(copy.columns["x"], [0.45, 0.55]).mean()
    assert bool(ends > 0.5) is (rule == "clip")


# --- one view -------------------------------------------------------------------------------


def test_research_protects_the_columns_of_one_view_as_printed() -> None:
    given = columns()

    copy = protect_view(table_of(given), RESEARCH, ["x", "y"], How("deterministic", k=4), SECRET)

    expected = deterministic(np.column_stack([given["x"], given["y"]]), k=4)
    assert copy.columns["x"].tolist() == expected[:, 0].tolist()
    assert copy.columns["y"].tolist() == expected[:, 1].tolist()


def test_research_noise_is_keyed_as_well() -> None:
    given, how = columns(), How("probabilistic", k=3, q=0.25)
    order = np.random.default_rng(2).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}

    one, other = (
        protect_view(table_of(of), RESEARCH, ["x", "y"], how, SECRET) for of in (given, shuffled)
    )

    assert other.columns["x"].tolist() == pytest.approx(one.columns["x"][order].tolist())
    gap = (one.columns["x"] - given["x"]) / np.std(given["x"], ddof=1)
    assert np.std(gap) == pytest.approx(0.25, rel=0.25)


def test_research_names_a_constant_column() -> None:
    table = table_of(columns() | {"y": np.full(120, 4.5)})

    with pytest.raises(RefusedError, match="column 'y' is constant"):
        protect_view(table, RESEARCH, ["x", "y"], MEANS, SECRET)


def test_research_protects_within_levels_as_they_are_named() -> None:
    # two clouds far apart: what is protected within levels cannot mix them
    rng = np.random.default_rng(6)
    given: dict[str, Any] = {
        "x": np.concatenate([rng.normal(0, 1, 60), rng.normal(1000, 1, 60)]),
        "y": rng.normal(size=120),
        "arm": ["a"] * 60 + ["b"] * 30 + ["c"] * 30,
    }

    copy = protect_view(
        table_of(given),
        RESEARCH,
        ["x", "y"],
        MEANS,
        SECRET,
        "arm",
        lambda levels: tuple("a" if level == "a" else "other" for level in levels),
    )

    assert copy.strata == {"arm": ("a",) * 60 + ("other",) * 60}
    assert ((copy.columns["x"] > 500) == (np.array(copy.strata["arm"]) == "other")).all()
    values, strata = np.column_stack([given["x"], given["y"]]), np.repeat([0, 1], 60)
    expected = deterministic(values, k=3, strata=strata)
    assert copy.columns["x"].tolist() == expected[:, 0].tolist()


def test_research_without_a_name_for_levels_has_none() -> None:
    copy = protect_view(table_of(columns()), RESEARCH, ["x", "y"], MEANS, SECRET, by="sex")

    assert copy.strata == {}


def test_a_guarded_study_draws_from_its_copy_alone() -> None:
    with pytest.raises(BrokenPromiseError, match="only draws rows from its protected copy"):
        protect_view(table_of(columns()), STANDARD, ["x", "y"], MEANS, SECRET)


# --- one table alone, and the rows beside the raw ones -------------------------------------------


def ready(given: Any, policy: Policy, carried: tuple[str, ...] = ()) -> Noised:
    """Make the rows of x and y ready, with their noise."""
    raw = raw_rows(
        table_of(given), policy, ["x", "y"], SECRET, strata=policy.of_papers.strata, carried=carried
    )
    return noised(prepared(raw, policy, SECRET), SECRET, raw.version)


METHODS: dict[str, RowMethod] = {
    "deterministic": Deterministic(k=4),
    "mahalanobis": Deterministic(k=4, metric="mahalanobis"),
    "probabilistic": Probabilistic(q=0.25),
    "condensation": Condensation(k=4),
    "microaggregation": Microaggregation(k=4),
    "rounding": Rounding(k=4),
    "rounding of columns, jointly": Rounding("kmeans", k=4),
    "rounding to so many regions": Rounding("equal_width", k=4, c=3),
    "rounding each column": ColumnRounding("optimal", k=4),
    "rounding each column to the median": ColumnRounding("kmeans", c=6, representative="median"),
    "rounding each column by a draw": ColumnRounding("kmeans", c=6, encoding="stochastic"),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_table_is_made_within_strata_and_row_by_row(method: RowMethod) -> None:
    given, research = columns(), Policy.preset("research", papers={"strata": ["sex"]})
    ready_rows = ready(given, research)
    rows = ready_rows.rows

    made = make_table(ready_rows, research, method)

    assert made.original.tolist() == np.column_stack([given["x"], given["y"]]).tolist()
    assert made.levels["sex"] == tuple(given["sex"])
    if not isinstance(method, Condensation):  # whose draws follow the order of the keys
        alone = method(rows.values, ready_rows.normals, rows.strata)
        assert made.released.tolist() == pytest.approx(alone, rel=1e-9)
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    moved = make_table(ready(shuffled, research), research, method)
    assert moved.released.tolist() == made.released[order].tolist()
    assert moved.version == made.version


def test_the_same_rows_have_other_noise_in_another_version() -> None:
    research = Policy.preset("research")
    rows = ready(columns(), research)
    other = noised(rows.rows, SECRET, b"another")

    made = [make_table(each, research, Probabilistic(q=0.25)) for each in (rows, other)]

    assert made[0].version != made[1].version
    assert (made[0].released != made[1].released).all()
    assert made[0].original.tolist() == made[1].original.tolist()


def test_what_is_carried_is_no_stratum() -> None:
    given, research = columns() | {"ill": ["p"] * 119 + ["q"]}, Policy.preset("research")

    made = make_table(ready(given, research, ("ill",)), research, Deterministic(k=3))

    assert made.carried == {"ill": tuple(given["ill"])}
    assert made.levels == {}
    without = make_table(ready(columns(), research), research, Deterministic(k=3))
    assert made.released.tolist() == without.released.tolist()


def test_tables_of_their_own_are_for_research() -> None:
    rows = ready(columns(), Policy.preset("research"))

    with pytest.raises(BrokenPromiseError, match="only releases rows of its protected copy"):
        make_table(rows, STANDARD, Deterministic(k=5))


def test_a_method_that_breaks_its_word_is_a_bug() -> None:
    rows, research = ready(columns(), Policy.preset("research")), Policy.preset("research")
    broken: dict[str, Callable[..., Any]] = {
        "drops a row": lambda values, *_: values[1:],
        "not finite": lambda values, *_: values * np.nan,
    }
    for method in broken.values():
        with pytest.raises(BrokenPromiseError, match="another shape, or values not finite"):
            make_table(rows, research, method)  # type: ignore[arg-type]


def test_a_table_names_its_constant_column() -> None:
    research = Policy.preset("research")
    rows = ready(columns() | {"y": np.full(120, 4.5)}, research)

    with pytest.raises(RefusedError, match="column 'y' is constant"):
        make_table(rows, research, Deterministic(k=3))


@pytest.mark.parametrize("method", [Microaggregation, Rounding])
def test_rows_that_few_share_are_a_bug(
    monkeypatch: pytest.MonkeyPatch, method: type[Microaggregation] | type[Rounding]
) -> None:
    monkeypatch.setattr(method, "__call__", lambda self, values, *_: values)
    research = Policy.preset("research")

    with pytest.raises(BrokenPromiseError, match="shared by fewer than k"):
        make_table(ready(columns(), research), research, method(k=4))


def test_columns_rounded_alone_may_be_shared_by_few() -> None:
    """It promises nothing of rows, so that is no bug; the report tells how many there are."""
    research = Policy.preset("research")

    made = make_table(ready(columns(), research), research, ColumnRounding("optimal", k=10))

    for column in made.released.T:
        assert min(Counter(column.tolist()).values()) >= 10
    assert min(Counter(map(tuple, made.released.tolist())).values()) == 1


# --- what is said ------------------------------------------------------------------------------

LEFT_OUT = (
    "of strata that stayed small are left out, so what all rows of a stratum share may not be true"
    " of all people"
)


NOTHING: dict[str, Any] = {}
SAID: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": (NOTHING, []),
    "gaps": (
        {"filled": (("x", 12), ("sex", 4))},
        [
            "about 10 missing values of x are filled",
            "fewer than 5 missing values of sex are filled",
        ],
    ),
    "levels of their own": (
        {"named": (("sex", 12), ("ill", 4)), "filled": (("x", 5),)},
        [
            "about 5 missing values of x are filled",
            "about 10 missing levels of sex are a level of their own",
            "fewer than 5 missing levels of ill are a level of their own",
        ],
    ),
    "merged": (
        {"repaired": (("arm", "left out"), ("sex", "step 1 of its hierarchy"))},
        ["small strata are merged: left out (arm); step 1 of its hierarchy (sex)"],
    ),
    "not the best perhaps": (
        {"exhaustive": False},
        ["a merging with less loss may exist: not all were tried"],
    ),
    "rows of people": (
        {"persons": "who"},
        ["groups are of at least 5 people (who): all rows of a person in a stratum are in one"],
    ),
    "few left out": ({"suppressed": 1}, [f"fewer than 5 rows {LEFT_OUT}"]),
    "many left out": ({"suppressed": 123}, [f"about 125 rows {LEFT_OUT}"]),
}


@pytest.mark.parametrize(("done", "expected"), SAID.values(), ids=SAID)
def test_what_was_done_is_said_in_rough_numbers(done: dict[str, Any], expected: list[str]) -> None:
    assert list(said(Done(**done), 5)) == expected
