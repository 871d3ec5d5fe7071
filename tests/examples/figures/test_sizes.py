"""What section 4.6 of the paper says of Figures 16 to 21, in numbers of our own simulation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import discreet as dc
from examples.figures.sizes import PERSONS_OF, size_figure
from examples.figures.told import NOTHING, told
from tests.examples.figures.measure import correlation, records

StudyOf = Callable[..., dc.Research]
SIZES = (50, 100, 300)


@pytest.mark.parametrize("number", PERSONS_OF)
def test_the_panels_are_those_of_the_captions(number: int) -> None:
    plate = size_figure(number)

    assert str(PERSONS_OF[number]) in plate.caption
    assert [row.block for row in plate.rows] == list("ABCDEF" if number % 2 == 0 else "ABC")
    for row in plate.rows:  # only what k-anonymization draws can be nothing
        assert NOTHING not in [told(view) for view in (row.views[0], *row.views[3:])]


def test_k_anonymization_hides_everything_of_fifty(study_of: StudyOf) -> None:
    few = study_of("D1", 50)

    for method in ("suppression", "generalization"):
        assert few.scatter("X", "Y", method=method).size == ()
        assert few.residuals("Y ~ X", method=method).size == ()
        with pytest.raises(dc.RefusedError, match="every cell of the grid is suppressed"):
            few.box("X", "Y", method=method)


def test_k_anonymization_hides_most_of_a_hundred(study_of: StudyOf) -> None:
    def left(persons: int, method: str) -> float:
        return sum(study_of("D1", persons).scatter("X", "Y", method=method).size) / persons

    assert left(100, "suppression") < 0.1
    assert left(100, "generalization") < 0.4
    assert (
        left(300, "suppression")
        < 0.3
        < left(300, "generalization")
        < left(500, "suppression") * 1.5
    )


@pytest.mark.parametrize("persons", SIZES)
def test_centroids_and_noise_keep_what_they_kept(study_of: StudyOf, persons: int) -> None:
    study = study_of("D1", persons)
    raw, centroids, noisy = (
        study.scatter("X", "Y", method=method)
        for method in ("none", "deterministic", "probabilistic")
    )

    for one, other, noise in zip(records(raw), records(centroids), records(noisy), strict=True):
        assert other.mean() == pytest.approx(one.mean(), abs=0.05 * one.std())
        assert other.std() == pytest.approx(one.std(), rel=1e-6)
        assert noise.mean() == pytest.approx(one.mean(), abs=0.15 * one.std())
    assert correlation(centroids) == pytest.approx(correlation(raw), abs=0.08)
    assert correlation(noisy) == pytest.approx(correlation(raw), abs=0.1)
