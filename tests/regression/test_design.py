"""The design matrix: written out by hand, what is refused."""

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.regression.formula import Design, design_of, parse, standardised

Floats = NDArray[np.float64]

KINDS: Mapping[str, str] = {
    "y": "continuous",
    "x": "continuous",
    "z": "continuous",
    "f1": "continuous",
    "body mass": "continuous",
    "sex": "categorical",
    "birth place": "categorical",
}
NUMBERS: Mapping[str, Floats] = {
    "y": np.array([1.0, 2, 4, 3, 7, 5]),
    "x": np.array([1.0, 2, 3, 4, 5, 9]),
    "z": np.array([2.0, 1, 5, 2, 1, 3]),
    "f1": np.array([5.0, 5, 1, 2, 3, 3]),
    "body mass": np.array([50.0, 61, 72, 83, 54, 65]),
}
TEXTS: Mapping[str, list[str]] = {
    "sex": ["m", "f", "f", "m", "m", "f"],
    "birth place": ["b:c", "a [T.1]", "f1", "b:c", "f1", "a [T.1]"],
}
X, Z = NUMBERS["x"], NUMBERS["z"]
MALE = np.array([1.0, 0, 0, 1, 1, 0])
FEMALE = 1 - MALE
ONE = np.ones(6)
LEVELS = {"sex": "fm", "place": "abc", "smokes": ("no", "yes")}
PLACE_A, PLACE_B, PLACE_F1 = (
    np.array([float(place == each) for place in TEXTS["birth place"]])
    for each in ("a [T.1]", "b:c", "f1")
)


def design(formula: str, **changed: Any) -> Design:
    numbers = {**NUMBERS, **{name: changed[name] for name in changed if name in NUMBERS}}
    texts = {**TEXTS, **{name: changed[name] for name in changed if name in TEXTS}}
    return design_of(parse(formula, KINDS), numbers, texts)


BY_HAND: Mapping[str, Mapping[str, Floats]] = {
    "y ~ x": {"Intercept": ONE, "x": X},
    "y ~ 0 + sex": {"C(sex)[f]": FEMALE, "C(sex)[m]": MALE},
    "y ~ x * sex": {"Intercept": ONE, "x": X, "C(sex)[T.m]": MALE, "x:C(sex)[T.m]": X * MALE},
    "y ~ sex:x": {"Intercept": ONE, "C(sex)[f]:x": FEMALE * X, "C(sex)[m]:x": MALE * X},
    "y ~ `birth place`": {
        "Intercept": ONE,
        "C(`birth place`)[T.b:c]": PLACE_B,
        "C(`birth place`)[T.f1]": PLACE_F1,
    },
    "y ~ 0 + `birth place`:f1": {
        "C(`birth place`)[a [T.1]]:f1": PLACE_A * NUMBERS["f1"],
        "C(`birth place`)[b:c]:f1": PLACE_B * NUMBERS["f1"],
        "C(`birth place`)[f1]:f1": PLACE_F1 * NUMBERS["f1"],
    },
    "y ~ log(x) + I(x ** 2 - z / -2) + x:z": {
        "Intercept": ONE,
        "log(x)": np.log(X),
        "I(x ** 2 - z / -2)": X**2 + Z / 2,
        "x:z": X * Z,
    },
    "y ~ sqrt(x) + exp(-z) + log10(`body mass` + x)": {
        "Intercept": ONE,
        "sqrt(x)": np.sqrt(X),
        "exp(-z)": np.exp(-Z),
        "log10(`body mass` + x)": np.log10(NUMBERS["body mass"] + X),
    },
}


@pytest.mark.parametrize(("formula", "columns"), BY_HAND.items())
def test_by_hand(formula: str, columns: Mapping[str, Floats]) -> None:
    found = design(formula)
    assert found.terms == tuple(columns)
    np.testing.assert_array_equal(found.matrix, np.column_stack(list(columns.values())))
    np.testing.assert_array_equal(found.outcome, NUMBERS["y"])


def test_many_factors_keep_the_order_they_are_written_in() -> None:
    names = [f"x{i}" for i in range(12)]
    kinds = {"y": "continuous", **dict.fromkeys(names, "continuous")}
    numbers = {"y": NUMBERS["y"], **{name: X + i for i, name in enumerate(names)}}
    found = design_of(parse(f"y ~ {' + '.join(names)} + x11:x2", kinds), numbers, {})
    assert found.terms[1:-1] == tuple(names)
    assert found.terms[-1] == "x2:x11"
    np.testing.assert_array_equal(found.matrix[:, -1], numbers["x2"] * numbers["x11"])


def test_which_columns_add_up_to_one_and_which_are_noisy() -> None:
    with_intercept = design("y ~ x + sex")
    by_level = design("y ~ 0 + x + sex")
    neither = design("y ~ 0 + x + x:sex")
    assert with_intercept.ones.tolist() == [True, False, False]
    assert with_intercept.noisy.tolist() == [False, True, False]
    assert by_level.terms == ("x", "C(sex)[f]", "C(sex)[m]")
    assert by_level.ones.tolist() == [False, True, True]
    assert by_level.noisy.tolist() == [True, False, False]
    assert neither.ones.tolist() == [False, False]


CODED = {
    "y ~ sex + x + sex:x": "Intercept C(sex)[T.m] x C(sex)[T.m]:x",
    "y ~ sex * place": (
        "Intercept C(sex)[T.m] C(place)[T.b] C(place)[T.c] C(sex)[T.m]:C(place)[T.b]"
        " C(sex)[T.m]:C(place)[T.c]"
    ),
    "y ~ 0 + sex * place": (
        "C(sex)[f] C(sex)[m] C(place)[T.b] C(place)[T.c] C(sex)[T.m]:C(place)[T.b]"
        " C(sex)[T.m]:C(place)[T.c]"
    ),
    "y ~ sex:place": (
        "Intercept C(place)[T.b] C(place)[T.c] C(sex)[T.m]:C(place)[a]"
        " C(sex)[T.m]:C(place)[b] C(sex)[T.m]:C(place)[c]"
    ),
    "y ~ 0 + sex:place": (
        "C(sex)[f]:C(place)[a] C(sex)[m]:C(place)[a] C(sex)[f]:C(place)[b]"
        " C(sex)[m]:C(place)[b] C(sex)[f]:C(place)[c] C(sex)[m]:C(place)[c]"
    ),
    "y ~ sex + sex:place": (
        "Intercept C(sex)[T.m] C(sex)[f]:C(place)[T.b] C(sex)[m]:C(place)[T.b]"
        " C(sex)[f]:C(place)[T.c] C(sex)[m]:C(place)[T.c]"
    ),
    "y ~ place:sex + x": (
        "Intercept x C(sex)[T.m] C(place)[T.b]:C(sex)[f] C(place)[T.c]:C(sex)[f]"
        " C(place)[T.b]:C(sex)[m] C(place)[T.c]:C(sex)[m]"
    ),
    "y ~ x:sex:place": (
        "Intercept x:C(sex)[f]:C(place)[a] x:C(sex)[m]:C(place)[a]"
        " x:C(sex)[f]:C(place)[b] x:C(sex)[m]:C(place)[b] x:C(sex)[f]:C(place)[c]"
        " x:C(sex)[m]:C(place)[c]"
    ),
    "y ~ 0 + x + x:sex + place": "x C(place)[a] C(place)[b] C(place)[c] x:C(sex)[T.m]",
    "y ~ sex * place * smokes": (
        "Intercept C(sex)[T.m] C(place)[T.b] C(place)[T.c] C(smokes)[T.yes]"
        " C(sex)[T.m]:C(place)[T.b] C(sex)[T.m]:C(place)[T.c]"
        " C(sex)[T.m]:C(smokes)[T.yes] C(place)[T.b]:C(smokes)[T.yes]"
        " C(place)[T.c]:C(smokes)[T.yes] C(sex)[T.m]:C(place)[T.b]:C(smokes)[T.yes]"
        " C(sex)[T.m]:C(place)[T.c]:C(smokes)[T.yes]"
    ),
    "y ~ sex:place:smokes": (
        "Intercept C(sex)[T.m]:C(place)[a] C(sex)[T.m]:C(place)[b]"
        " C(sex)[T.m]:C(place)[c] C(sex)[f]:C(smokes)[T.yes] C(sex)[m]:C(smokes)[T.yes]"
        " C(place)[T.b]:C(smokes)[no] C(place)[T.c]:C(smokes)[no]"
        " C(place)[T.b]:C(smokes)[yes] C(place)[T.c]:C(smokes)[yes]"
        " C(sex)[T.m]:C(place)[T.b]:C(smokes)[T.yes]"
        " C(sex)[T.m]:C(place)[T.c]:C(smokes)[T.yes]"
    ),
    "y ~ sex:smokes + place:smokes": (
        "Intercept C(smokes)[T.yes] C(sex)[T.m]:C(smokes)[no] C(sex)[T.m]:C(smokes)[yes]"
        " C(smokes)[no]:C(place)[T.b] C(smokes)[no]:C(place)[T.c]"
        " C(smokes)[yes]:C(place)[T.b] C(smokes)[yes]:C(place)[T.c]"
    ),
    "y ~ 0 + sex:x + place:x": "C(sex)[f]:x C(sex)[m]:x x:C(place)[T.b] x:C(place)[T.c]",
    "y ~ place:x:sex + sex:place + z": (
        "Intercept z C(place)[T.b] C(place)[T.c] C(sex)[T.m]:C(place)[a]"
        " C(sex)[T.m]:C(place)[b] C(sex)[T.m]:C(place)[c] C(sex)[f]:C(place)[a]:x"
        " C(sex)[f]:C(place)[b]:x C(sex)[f]:C(place)[c]:x C(sex)[m]:C(place)[a]:x"
        " C(sex)[m]:C(place)[b]:x C(sex)[m]:C(place)[c]:x"
    ),
    "y ~ x + place:smokes + sex:x:z": (
        "Intercept x C(smokes)[T.yes] C(place)[T.b]:C(smokes)[no]"
        " C(place)[T.c]:C(smokes)[no] C(place)[T.b]:C(smokes)[yes]"
        " C(place)[T.c]:C(smokes)[yes] x:C(sex)[f]:z x:C(sex)[m]:z"
    ),
}
"""The columns that formulaic 1.2 made of each formula, in its order."""


@pytest.mark.parametrize(("formula", "columns"), CODED.items())
def test_levels_are_coded_as_formulaic_does(formula: str, columns: str) -> None:
    kinds = {**dict.fromkeys("xyz", "continuous"), **dict.fromkeys(LEVELS, "categorical")}
    rows = [dict(zip(LEVELS, each, strict=True)) for each in product(*LEVELS.values())] * 2
    numbers = {name: np.random.default_rng(i).normal(size=24) for i, name in enumerate("xyz")}
    texts = {name: [row[name] for row in rows] for name in LEVELS}
    found = design_of(parse(formula, kinds), numbers, texts)
    assert found.terms == tuple(columns.split())
    for name, column in zip(found.terms, found.matrix.T, strict=True):
        expected = np.ones(24)
        for part in name.split(":") if name != "Intercept" else []:
            match = re.fullmatch(r"C\((\w+)\)\[(?:T\.)?(\w+)\]", part)
            expected *= np.equal(texts[match[1]], match[2]) if match else numbers[part]
        np.testing.assert_allclose(column, expected, rtol=1e-15)


MALFORMED: dict[str, tuple[str, dict[str, Any], str]] = {
    "text among numbers": ("y ~ x", {"x": list("secret")}, "column 'x' must contain only numbers$"),
    "missing": ("y ~ x", {"x": [1, 2, 3, 4, 5, np.nan]}, "column 'x' must be one row of finite"),
    "infinite": ("y ~ x", {"y": [1, 2, 3, 4, 5, np.inf]}, "column 'y' must be one row of finite"),
    "lengths": ("y ~ x", {"x": [1.0, 2]}, "of one length"),
    "no rows": ("y ~ x", {"x": [], "y": []}, "have rows"),
    "numbers among texts": (
        "y ~ sex",
        {"sex": [1, 2, 1, 2, 1, 2]},
        "column 'sex' must contain only text",
    ),
}


@pytest.mark.parametrize(("formula", "changed", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_columns(formula: str, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        design(formula, **changed)


def test_columns_that_are_not_there() -> None:
    parsed = parse("y ~ x + sex", KINDS)
    with pytest.raises(InputError, match="column 'x' of the formula is missing among the numbers"):
        design_of(parsed, {"y": X}, TEXTS)
    with pytest.raises(InputError, match="column 'sex' of the formula is missing among the texts"):
        design_of(parsed, NUMBERS, {})


NOT_FINITE = {
    "y ~ log(x - 1)": r"the term 'log\(x - 1\)' has no finite value for some row",
    "y ~ I(1 / (x - 2))": "no finite value for some row",
    "y ~ exp(30 * x)": "too large to be computed with",
    "y ~ exp(15 * x):exp(14 * x)": "a product of terms has no finite value",
    "log(y - 1) ~ x": "no finite value for some row",
}


@pytest.mark.parametrize(("formula", "message"), NOT_FINITE.items())
def test_values_that_are_not_finite(formula: str, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        design(formula)


def test_a_column_of_one_level() -> None:
    with pytest.raises(RefusedError, match="column 'sex' has only one level"):
        design("y ~ x + sex", sex=["m"] * 6)


@pytest.mark.slow
def test_a_design_too_large() -> None:
    ids = [str(i) for i in range(9000)]
    numbers = {"y": np.arange(9000.0)}
    with pytest.raises(RefusedError, match="too many terms and levels"):
        design_of(parse("y ~ id", {"y": "continuous", "id": "categorical"}), numbers, {"id": ids})


DEPENDENT: dict[str, tuple[str, dict[str, Any]]] = {
    "twice": ("y ~ x + I(2 * x)", {}),
    "constant": ("y ~ x", {"x": [0.1] * 6}),
    "twice, far from zero": ("y ~ x + z", {"x": X + 1e8, "z": 3 * (X + 1e8)}),
    "level that follows": ("y ~ sex + x", {"x": 2 * MALE}),
    "hardly varies": ("y ~ x", {"x": 1e8 + np.array([0, 0, 0, 0, 0, 2e-8])}),
    "tiny": ("y ~ x", {"x": X * 1e-200}),
}


@pytest.mark.parametrize(("formula", "changed"), DEPENDENT.values(), ids=DEPENDENT)
def test_terms_that_follow_from_others(formula: str, changed: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="is constant or follows from the others"):
        standardised(design(formula, **changed))


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_outcome(value: float) -> None:
    with pytest.raises(RefusedError, match="leaves no residual variance"):
        standardised(design("y ~ x", y=[value] * 6))


@pytest.mark.parametrize("formula", ["y ~ x + sex", "y ~ 0 + x + sex"])
def test_standardised_columns_span_the_same(formula: str) -> None:
    given = design(formula)
    standard = standardised(given)
    np.testing.assert_allclose(given.matrix @ standard.back, standard.matrix, atol=1e-12)
    np.testing.assert_allclose((standard.matrix[:, ~given.ones] ** 2).mean(axis=0), 1)
    np.testing.assert_allclose(standard.outcome * standard.scale + standard.centre, NUMBERS["y"])
