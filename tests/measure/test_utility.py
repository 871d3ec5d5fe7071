"""Displacement, preservation and propensity: by hand, identities, twins, what is refused."""

import importlib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.measure.pairs import as_pair
from discreet.measure.utility import (
    QUANTILES,
    Preservation,
    Propensity,
    displacement,
    preservation,
    propensity,
    propensity_u,
)
from discreet.methods import deterministic

Columns = dict[str, Any]


def moved(before: Sequence[float], after: Sequence[float]) -> float:
    return displacement(pd.DataFrame({"x": before}), pd.DataFrame({"x": after}))["x"]


def kept(before: Columns, after: Columns, same_rows: bool = True) -> Preservation:
    return preservation(pd.DataFrame(before), pd.DataFrame(after), same_rows=same_rows)


MOVED = {
    "one row": ([0, 0, 6, 6], [0, 0, 6, 0], (36 / 4) / 12),
    "all by one": ([0, 0, 6, 6], [1, 1, 5, 5], 1 / 12),
    "to the mean": ([0, 0, 6, 6], [3, 3, 3, 3], 3 / 4),
    "turned round": ([0, 0, 6, 6], [6, 6, 0, 0], 3),
    "shifted far": ([0, 0, 6, 6], [60, 60, 66, 66], 300),
}


@pytest.mark.parametrize("case", MOVED)
def test_displacement_by_hand_in_any_unit(case: str) -> None:
    before, after, expected = MOVED[case]
    for scale, offset in ((1.0, 0.0), (-2.0, 2.0**40), (2.0**-150, 0.0), (2.0**150, 0.0)):
        turned = [[scale * (x + offset) for x in values] for values in (before, after)]
        assert moved(*turned) == pytest.approx(expected, rel=1e-12)


def test_displacement_is_of_numbers_alone() -> None:
    before = pd.DataFrame(
        {"g": ["a", "b", "a"], "x": [1.0, 2, 3], "code": [1, 2, 1], "y": [4.0, 0, 2]}
    )
    after = pd.DataFrame(
        {"g": ["b", "b", "a"], "x": [1.0, 2, 4], "code": [1, 1, 1], "y": [4.0, 0, 2]}
    )
    assert displacement(before, after, categorical=["code"]) == {"x": pytest.approx(1 / 3), "y": 0}
    assert displacement(before[["g"]], after[["g"]]) == {}


VALUES = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)


@pytest.mark.slow
@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12), st.randoms())
def test_laws_of_displacement(rows: list[tuple[float, float]], random: Any) -> None:
    before, after = map(list, zip(*rows, strict=True))
    assume(np.ptp(before) > 1e-3)
    delta = moved(before, after)
    brute = sum((x - y) ** 2 for x, y in rows) / len(rows) / np.var(before, ddof=1)
    assert delta == pytest.approx(brute, rel=1e-9, abs=1e-300)
    assert moved(before, before) == 0
    random.shuffle(rows)
    shuffled = moved(*map(list, zip(*rows, strict=True)))
    assert shuffled == delta  # to the last bit


@pytest.mark.parametrize("before", [[3.0, 3.0, 3.0], [1e8, 1e8 + 1e-8, 1e8], [0.0, 1e-80, 0.0]])
def test_a_constant_original_is_refused_by_name(before: list[float]) -> None:
    frames = [pd.DataFrame({"size": values}) for values in (before, [1.0, 2.0, 3.0])]
    with pytest.raises(RefusedError, match="column 'size' is constant in the original table"):
        displacement(*frames)
    with pytest.raises(RefusedError, match="column 'size' is constant in the original table"):
        preservation(*frames)


@pytest.mark.parametrize("measure", [displacement, preservation])
@pytest.mark.parametrize("huge", [0, 1])
def test_numbers_too_large(measure: Callable[..., object], huge: int) -> None:
    tables = [[[1.0], [2.0], [3.0]], [[1.0], [2.0], [3.0]]]
    tables[huge][1][0] = -1e71
    with pytest.raises(RefusedError, match="column '0' has numbers too large"):
        measure(*tables)


def test_preservation_by_hand() -> None:
    # x: mean 3, sd sqrt(12) before; mean 4, sd sqrt(12) / 2 after. y is x before, -x after.
    found = kept(
        {"x": [0.0, 0, 6, 6], "y": [0.0, 0, 6, 6], "g": list("aabb")},
        {"x": [2.5, 2.5, 5.5, 5.5], "y": [6.0, 6, 0, 0], "g": list("abbb")},
    )
    sd = math.sqrt(12)
    assert dict(found.means) == {"x": pytest.approx(1 / sd), "y": 0}
    assert dict(found.spreads) == {"x": pytest.approx(1 / 2), "y": pytest.approx(1)}
    # The quantiles before are 0, 0, 3, 6, 6.
    assert found.quantiles["x"] == pytest.approx([2.5 / sd, 2.5 / sd, 1 / sd, -0.5 / sd, -0.5 / sd])
    assert found.quantiles["y"] == pytest.approx([0] * 5)
    assert dict(found.correlations) == {("x", "y"): pytest.approx(-2)}
    assert found.correlation == pytest.approx(2)
    assert dict(found.levels) == {"g": 0.25}


def test_equal_tables_in_other_units_and_orders() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 500))
    columns = {"x": x, "y": x + y, "z": y, "g": rng.choice(list("abc"), 500)}
    order = rng.permutation(500)
    shuffled = {name: values[order] for name, values in columns.items()}
    far = {**columns, "x": 1e8 + x, "y": 1e60 * (x + y), "z": 1e-60 * y}

    for other in (columns, shuffled):
        found = kept(columns, other)
        assert dict(found.means) == {"x": 0, "y": 0, "z": 0}
        assert dict(found.spreads) == {"x": 1, "y": 1, "z": 1}
        assert dict(found.quantiles) == dict.fromkeys("xyz", (0,) * len(QUANTILES))
        assert found.correlation < 1e-14
        assert dict(found.levels) == {"g": 0}
    drawn = {**columns, "x": x + 0.1, "z": -y}
    one, other_unit = kept(columns, drawn), kept(far, {**far, "x": 1e8 + x + 0.1, "z": -1e-60 * y})
    assert one.correlation > 0.5
    for pair in one.correlations:
        assert other_unit.correlations[pair] == pytest.approx(one.correlations[pair], abs=1e-7)
    assert other_unit.means["x"] == pytest.approx(one.means["x"], rel=1e-6)


def test_tables_of_other_lengths_against_pandas() -> None:
    rng = np.random.default_rng(4)
    before = pd.DataFrame(rng.gamma(2, 1, (300, 3)) + 5, columns=list("xyz"))
    after = pd.DataFrame(rng.gamma(3, 1, (200, 3)), columns=list("xyz"))
    found = preservation(before, after, same_rows=False)
    sd = before.std()
    assert dict(found.means) == pytest.approx(dict((after.mean() - before.mean()) / sd))
    assert dict(found.spreads) == pytest.approx(dict(after.std() / sd))
    quantiles = (after.quantile(list(QUANTILES)) - before.quantile(list(QUANTILES))) / sd
    correlations = after.corr() - before.corr()
    for name in "xyz":
        assert found.quantiles[name] == pytest.approx(quantiles[name].tolist())
    assert list(found.correlations) == [("x", "y"), ("x", "z"), ("y", "z")]
    for (one, other), value in found.correlations.items():
        assert value == pytest.approx(correlations.loc[one, other])


# --- propensity scores ----------------------------------------------------------------------

PropensityColumns = Mapping[str, Any]

MODULE = importlib.import_module("discreet.measure.utility")  # as names of it are re-exported


def found(
    before: PropensityColumns, after: PropensityColumns, same_rows: bool = False
) -> Propensity:
    return propensity(pd.DataFrame(before), pd.DataFrame(after), same_rows=same_rows)


def tables(n: int, m: int, shift: float, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make two tables of three numbers and a column of levels."""
    rng = np.random.default_rng(seed)
    made = []
    for rows, by in ((n, 0.0), (m, shift)):
        x = rng.normal(by, 1, rows)
        frame = {"x": x, "y": 0.7 * x + rng.gamma(2, 3, rows), "z": rng.standard_cauchy(rows)}
        made.append(pd.DataFrame({**frame, "g": rng.choice(list("abcd"), rows)}))
    return made[0], made[1]


def twin_u(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Compute U by statsmodels, from one wide matrix."""
    both = pd.get_dummies(pd.concat([before, after]), drop_first=True, dtype=float)
    y = np.repeat([0.0, 1.0], [len(before), len(after)])
    x = sm.add_constant(((both - both.mean()) / both.std()).to_numpy())
    scores = sm.Logit(y, x).fit(disp=0, method="newton", tol=1e-13, maxiter=100).predict()
    return float(np.mean((scores - y.mean()) ** 2))


HAND = {
    # Within a level the score is the share of released rows: 1/4 and 3/4, c = 1/2.
    "levels": ("aaab", "abbb", [0.25] * 3 + [0.75], [0.25] + [0.75] * 3, 1 / 16, 4.0),
    # Scores 1/4 and 1/2, c = 1/3: U = (4 / 144 + 2 / 36) / 6; expected (4/9)(1/3) / 6.
    "unequal": ("aaab", "ab", [0.25] * 3 + [0.5], [0.25, 0.5], 1 / 72, 9 / 16),
    # One level is never released: its score is 0; the others' are 1/2 and 2/3.
    "one never": (
        "aabbcc",
        "aabbbb",
        [0.5, 0.5, 2 / 3, 2 / 3, 0, 0],
        [0.5, 0.5, *[2 / 3] * 4],
        1 / 18,
        1 / 18 * 12 / (2 / 8),
    ),
}


@pytest.mark.parametrize("case", HAND)
def test_worked_by_hand(case: str) -> None:
    before, after, scores, scores_after, u, ratio = HAND[case]
    ours = found({"g": list(before)}, {"g": list(after)})
    np.testing.assert_allclose(ours.original, scores, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.released, scores_after, rtol=1e-9, atol=1e-9)
    assert ours.u == pytest.approx(u, rel=1e-9)
    assert ours.ratio == pytest.approx(ratio, rel=1e-9)
    assert ours.terms == len(set(before)) - 1


@pytest.mark.parametrize(("n", "m", "shift"), [(50, 50, 2.0), (200, 500, 1e-3), (900, 500, 0.1)])
def test_as_statsmodels(n: int, m: int, shift: float) -> None:
    before, after = tables(n, m, shift)
    ours = found(before, after)
    assert ours.u == pytest.approx(twin_u(before, after), rel=1e-9)
    assert ours.terms == 6
    c = m / (n + m)
    assert ours.ratio == pytest.approx(ours.u * (n + m) / (6 * (1 - c) ** 2 * c))


def test_nearly_equal_tables_keep_their_digits() -> None:
    before, _ = tables(300, 1, 0.0)
    after = before.assign(x=before.x + 1e-6)
    assert found(before, after).u == pytest.approx(twin_u(before, after), rel=1e-6)
    assert 0 < found(before, after).u < 1e-12


@pytest.mark.parametrize("part", [["x", "y", "z", "g"], ["g"]])
def test_equal_tables_have_none(part: list[str]) -> None:
    before, _ = tables(800, 1, 0.0)
    before = before[part]
    thrice = pd.concat([before] * 3)
    shuffled = before.sample(frac=1, random_state=1)
    assert (found(before, before).u, found(before, before).ratio) == (0.0, 0.0)
    assert found(before, before).original.tolist() == [0.5] * 800
    assert found(before, thrice).u < 1e-30
    assert found(before, shuffled).u < 1e-30


def test_means_alone_are_seen() -> None:
    assert found({"x": [1.0, 2.0, 3.0]}, {"x": [2.0, 2.0, 2.0]}).u < 1e-30
    assert found({"x": [1.0, 2.0, 6.0]}, {"x": [3.0, 3.0, 3.0]}).u < 1e-30


@pytest.mark.slow
def test_the_ratio_of_samples_of_the_table_and_of_the_population() -> None:
    ratios = []
    for seed in range(40):
        before, fresh = (each[["x", "y", "g"]] for each in tables(400, 300, 0.0, seed))
        drawn = before.sample(300, replace=True, random_state=seed)
        ratios.append([found(before, drawn).ratio, found(before, fresh).ratio])
    # Five degrees of freedom: a ratio has variance 2/5, its mean over 40 a fortieth of it.
    of_the_table, of_the_population = np.mean(ratios, axis=0)
    assert of_the_table == pytest.approx(1, abs=3 * math.sqrt(0.01))
    assert of_the_population * (1 - 3 / 7) == pytest.approx(1, abs=3 * math.sqrt(0.01))


@pytest.mark.parametrize(("gap", "m"), [(3.0, 100), (1e-6, 20)])
def test_separated_tables(gap: float, m: int) -> None:
    before = np.linspace(0, 1, 100)
    after = 1 + gap + np.linspace(0, 1, m)
    c = m / (100 + m)
    for frames in ({"x": before}, {"x": after}), ({"x": -before}, {"x": -after}):
        ours = found(*frames)
        assert ours.u == pytest.approx(c * (1 - c), abs=1e-6)
        assert ours.u <= c * (1 - c)


def test_extremes_do_not_throw_newton_off() -> None:
    rng = np.random.default_rng(5)
    before = pd.DataFrame(rng.standard_cauchy((300, 3)) ** 3, columns=list("xyz"))
    after = pd.DataFrame(rng.standard_cauchy((300, 3)) ** 3 + 5, columns=list("xyz"))
    ours = found(before, after)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours.u == pytest.approx(twin_u(before, after), rel=1e-8)


def test_newton_that_leaps_too_far() -> None:
    before = pd.DataFrame({"x": [0.0] * 30 + [50.0, 55.0]})
    after = pd.DataFrame({"x": [1.0, 2.0, 1000.0]})  # a full second step would raise the loss
    assert found(before, after).u == pytest.approx(twin_u(before, after), rel=1e-9)


@pytest.mark.parametrize("gap", [1e-4, 1e-6])
@pytest.mark.parametrize(("first", "u"), [(2, 1 / 4), (1, 42 / 44 / 4)], ids=["apart", "one tie"])
def test_chances_of_exactly_one(gap: float, first: int, u: float) -> None:
    # The slope that tells rows near 0 apart gives those at -1 and 1, of level b, no weight.
    ends, g = np.ones(2), ["a"] * 20 + ["b"] * 2
    before = {"x": np.append(np.linspace(0, gap, 20), -ends), "g": g}
    after = {"x": np.append(np.linspace(first * gap, 3 * gap, 20), ends), "g": g}
    assert found(before, after).u == pytest.approx(u, abs=1e-7)


LEFT_OUT: Mapping[str, Callable[[pd.DataFrame], Any]] = {
    "constant but for rounding": lambda frame: 1e8 + 1e-8 * (frame.x > 0),
    "constant level": lambda frame: "a",
    "scaled and shifted": lambda frame: 1e3 - 1e-6 * frame.x,
    "follows from two": lambda frame: frame.x + 2 * frame.y,
    "levels coarser": lambda frame: frame.g.replace({"a": "b"}),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_tells_nothing_new_is_left_out(case: str) -> None:
    before, after = tables(300, 300, 0.2)
    more, more_after = (frame.assign(h=LEFT_OUT[case](frame)) for frame in (before, after))
    ours = found(more, more_after)
    assert ours.terms == 6
    assert ours.u == pytest.approx(found(before, after).u, rel=1e-8)


@pytest.mark.parametrize(("scale", "offset"), [(-3.0, 1e8), (1e-60, 0.0), (1e60, 0.0)])
def test_units_do_not_matter(scale: float, offset: float) -> None:
    before, after = tables(400, 400, 0.3)
    turned = [frame.assign(x=scale * (offset + frame.x)) for frame in (before, after)]
    # 1e8 leaves 8 digits of the numbers themselves.
    assert found(*turned).u == pytest.approx(
        found(before, after).u, rel=1e-10 if not offset else 1e-7
    )


def test_order_of_rows_and_of_columns() -> None:
    before, after = tables(600, 400, 0.4)
    order = np.random.default_rng(1).permutation(600)
    one, other = found(before, after), found(before.iloc[order], after[::-1])
    assert other.u == pytest.approx(one.u, rel=1e-12)
    np.testing.assert_allclose(other.original, one.original[order], rtol=1e-12)
    turned = found(before[list("gzyx")], after[list("zxgy")])
    assert turned.u == pytest.approx(one.u, rel=1e-11)


def test_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = tables(3000, 2000, 0.4)
    whole = found(before, after)
    monkeypatch.setattr(MODULE, "CELLS", 700)
    assert found(before, after).u == pytest.approx(whole.u, rel=1e-12)
    assert found(before, before).u == 0.0


@pytest.mark.slow
@given(st.data())
def test_laws(data: st.DataObject) -> None:
    numbers = st.floats(-1e6, 1e6) | st.integers(-2, 2).map(float)
    row = st.tuples(numbers, numbers, st.sampled_from("abc"))
    rows = [data.draw(st.lists(row, min_size=1, max_size=12)) for _ in range(2)]
    before, after = (
        dict(zip("xyg", map(list, zip(*each, strict=True)), strict=True)) for each in rows
    )
    before = {name: [*values, *after[name]] for name, values in before.items()}
    ours = found(before, after)
    c = len(after["x"]) / (len(after["x"]) + len(before["x"]))
    scores = np.concatenate([ours.original, ours.released])
    assert 0 <= ours.u <= c * (1 - c)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.mean() == pytest.approx(c, abs=1e-6)  # the intercept's equation
    assert 0 <= ours.terms <= 4
    assert ours.ratio >= 0


def test_propensity_titanic(shared_data: Callable[[str], Path]) -> None:
    frame = pd.read_csv(shared_data("titanic.csv"))
    frame["Age"] = frame.Age.fillna(frame.Age.median())
    frame["Family"] = frame.SibSp + frame.Parch > 0
    frame = frame.drop(columns=["PassengerId", "SibSp", "Parch"])
    strata = frame.Pclass.astype(str) + frame.Sex + frame.Family.astype(str)
    drawn = deterministic(
        frame[["Age", "Fare"]].to_numpy(), 3, strata.tolist(), ties="tree"
    )  # as the paper has it
    after = frame.assign(Age=drawn[:, 0], Fare=drawn[:, 1])
    ours = propensity(frame, after, categorical=("Survived", "Pclass"))
    assert f"{ours.u:.6f}" == "0.000117"
    assert ours.terms == 7
    assert propensity_u(frame, after, categorical=("Survived", "Pclass")) == ours.u
    assert propensity(as_pair(frame, after, categorical=("Survived", "Pclass"))).u == ours.u


def test_too_many_levels() -> None:
    words = {"x": [1.0] * 1001, "g": [f"{i}" for i in range(1001)]}
    with pytest.raises(RefusedError, match="levels of column 'g' there are more than 1000 terms"):
        found(words, words)


def test_no_fit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "MOST_STEPS", 1)
    with pytest.raises(RefusedError, match="could not be fitted; leave out columns"):
        found(*tables(100, 100, 1.0))
