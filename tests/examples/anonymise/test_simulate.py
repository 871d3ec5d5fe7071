"""Vale and Maurelli: the moments that were asked for come out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import InputError
from examples.anonymise.simulate import (
    Moments,
    ValeMaurelli,
    equations,
    fleishman,
    intermediate_correlation,
    moments_of,
    nearest_correlation,
)

NORMAL = (1.0, 0.0, 0.0)


def moments(**changed: Any) -> Moments:
    """Three columns of different shapes."""
    given: dict[str, Any] = {
        "mean": (5.3, -2.0, 170.0),
        "sd": (0.7, 3.0, 9.0),
        "skewness": (1.75, -0.8, 0.0),
        "kurtosis": (3.75, 1.0, -0.5),
        "correlation": ((1.0, -0.4, 0.3), (-0.4, 1.0, 0.2), (0.3, 0.2, 1.0)),
    }
    return Moments(**(given | changed))


# --- one column ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("skewness", "kurtosis", "cubic"),
    [
        pytest.param(0.0, 0.0, NORMAL, id="a normal"),
        pytest.param(1.75, 3.75, (0.9296605, 0.3994967, -0.0364670), id="Fleishman 1978, table"),
        pytest.param(-1.75, 3.75, (0.9296605, -0.3994967, -0.0364670), id="mirrored"),
        pytest.param(0.0, 25.0, (0.2552828, 0.0, 0.2037548), id="long tails, not folded over"),
    ],
)
def test_coefficients_of_known_cases(
    skewness: float, kurtosis: float, cubic: tuple[float, float, float]
) -> None:
    assert fleishman(skewness, kurtosis) == pytest.approx(cubic, abs=5e-8)


@pytest.mark.parametrize("skewness", [-3.0, -0.7, 0.0, 0.4, 1.1, 2.2, 4.0])
@pytest.mark.parametrize("above", [0.0, 0.5, 3.0, 10.0])
def test_what_the_message_advises_is_within_reach(skewness: float, above: float) -> None:
    kurtosis = 1.65 * skewness**2 - 1 + above
    assert np.abs(equations(fleishman(skewness, kurtosis), skewness, kurtosis)).max() < 1e-9


@pytest.mark.parametrize(("skewness", "kurtosis"), [(2.0, 4.0), (1.0, 0.0), (0.0, -1.3)])
def test_a_shape_out_of_reach_is_refused(skewness: float, kurtosis: float) -> None:
    with pytest.raises(InputError, match=r"No cubic of a normal .* Choose a kurtosis above"):
        fleishman(skewness, kurtosis)


def test_a_shape_must_be_finite() -> None:
    with pytest.raises(InputError, match="must be finite"):
        fleishman(float("nan"), 1.0)


# --- two columns --------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [-1.0, -0.3, 0.0, 0.6, 1.0])
def test_correlations_of_normals_are_their_own(wanted: float) -> None:
    assert intermediate_correlation(NORMAL, NORMAL, wanted) == pytest.approx(wanted, abs=1e-12)


def test_equal_shapes_are_wholly_correlated_if_their_normals_are() -> None:
    cubic = fleishman(1.75, 3.75)
    assert intermediate_correlation(cubic, cubic, 1.0) == pytest.approx(1.0, abs=1e-9)


def test_a_correlation_out_of_reach_is_refused() -> None:
    right, left = fleishman(1.75, 3.75), fleishman(-1.75, 3.75)
    with pytest.raises(InputError, match=r"cannot have the correlation 0\.99"):
        intermediate_correlation(right, left, 0.99)


# --- whole tables -------------------------------------------------------------------------------


def measures(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """All moments in one row; the spread as its logarithm."""
    found = moments_of(x)
    above = np.asarray(found.correlation)[np.triu_indices(x.shape[1], 1)]
    return np.concatenate(
        [found.mean, np.log(found.sd), found.skewness, found.kurtosis, above.tolist()]
    )


def test_a_large_draw_has_the_moments_to_five_standard_errors() -> None:
    asked = moments()
    model = ValeMaurelli.of(asked)
    parts = model.draw(400_000, np.random.default_rng(7)).reshape(200, 2000, 3)
    each = np.array([measures(part) for part in parts])
    error = each.std(axis=0, ddof=1) / np.sqrt(len(parts))

    found = measures(parts.reshape(-1, 3))

    wanted = np.concatenate(
        [asked.mean, np.log(asked.sd), asked.skewness, asked.kurtosis, [-0.4, 0.3, 0.2]]
    )
    assert not model.repaired
    assert (np.abs(found - wanted) < 5 * error).all()


def test_the_same_generator_draws_the_same() -> None:
    model = ValeMaurelli.of(moments())
    first = model.draw(5, np.random.default_rng(3))
    assert np.array_equal(first, model.draw(5, np.random.default_rng(3)))
    assert not np.array_equal(first, model.draw(5, np.random.default_rng(4)))


def test_normals_that_no_data_have_are_repaired_and_that_is_said() -> None:
    skewed = moments(
        skewness=(2.0, 2.0, 2.0),
        kurtosis=(7.0, 7.0, 7.0),
        correlation=((1.0, -0.48, -0.48), (-0.48, 1.0, -0.48), (-0.48, -0.48, 1.0)),
    )
    model = ValeMaurelli.of(skewed)
    assert model.repaired
    assert np.diag(model.factor @ model.factor.T) == pytest.approx([1, 1, 1])


def test_the_nearest_correlations_are_some() -> None:
    near = nearest_correlation(np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]))
    assert np.diag(near) == pytest.approx([1, 1, 1])
    assert np.linalg.eigvalsh(near)[0] > 0
    assert near[0, 1] > 0.3 > -0.3 > near[0, 2]


def test_moments_worked_out_by_hand() -> None:
    # 0, 0, 0, 4: mean 1, z-scores -1, -1, -1, 3 over the square root of 3.
    found = moments_of([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [4.0, 1.0]])
    assert found.mean == (1.0, 0.5)
    assert found.sd == pytest.approx((2.0, (1 / 3) ** 0.5))
    assert found.skewness == pytest.approx((24 / 4 / 3**1.5, 0.0))
    assert found.kurtosis == pytest.approx((84 / 4 / 9 - 3, -2.0))
    assert found.correlation[0][1] == pytest.approx(1 / 3**0.5)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sd": (0.7, 3.0)}, "one number for each column"),
        ({"sd": (0.7, 0.0, 9.0)}, "above 0"),
        ({"correlation": ((1.0, 0.1), (0.1, 1.0))}, "as many rows and columns"),
        ({"correlation": ((1, 0.1, 0), (0.2, 1, 0), (0, 0, 1))}, "symmetric"),
        ({"correlation": ((1, 0.9, -0.9), (0.9, 1, 0.9), (-0.9, 0.9, 1))}, "positive definite"),
    ],
)
def test_moments_that_no_data_have_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        moments(**changed)


@pytest.mark.parametrize(
    ("data", "message"),
    [([[1.0]], "two rows"), ([[1.0], [np.nan]], "finite"), ([[1.0], [1.0]], "vary")],
)
def test_data_without_moments_are_refused(data: list[list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        moments_of(data)
