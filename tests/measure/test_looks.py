"""What is looked at in a copy for a person: soft counts worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.measure.attacks_by_copies import figures_of, look_of
from discreet.measure.pairs import Side

ROOT = float(np.exp(-0.5))
"""What a row counts that is .4 sd off."""


def side(x: list[float], ward: list[str]) -> Side:
    return Side.of({"x": np.array(x)}, {"ward": tuple(ward)})


TABLE = side([-1.0, 1.0, -1.0, 1.0, 0.0], ["A", "B", "A", "B", "A"])  # the sd of x is 1
PERSON = side([0.0], ["A"])
COPY = side([0.0, 0.4, 50.0, -0.4], ["A", "A", "B", "B"])


def test_soft_counts_by_hand() -> None:
    figures = figures_of(look_of(TABLE, COPY, PERSON), COPY).tolist()

    in_x = (1 + 2 * ROOT) / 4
    in_both = (1 + ROOT) / 4
    after_moments = figures[13:]  # 3 distances, 5 of x, 5 along the way; no pair of numbers
    assert after_moments[:2] == pytest.approx([in_x, 0.5])
    assert after_moments[2:5] == pytest.approx([0.0, 0.25, 0.5], abs=1e-9)  # gaps, very near, above
    assert after_moments[5] == 1.0  # the copy names the person's ward
    assert after_moments[6] == pytest.approx(in_both)
    assert figures[-1] == 4.0


def test_the_first_figure_is_the_nearest_distance() -> None:
    assert figures_of(look_of(TABLE, COPY, PERSON), COPY)[0] == pytest.approx(0.0)
    far = side([0.4, 2.0], ["A", "A"])
    assert figures_of(look_of(TABLE, far, PERSON), far)[0] == pytest.approx(0.4)


COPIES = {
    "a gap": side([np.nan, 0.4, 2.0, 1.0], ["A", "A", "B", "B"]),
    "a level less": side([0.0, 0.4, 2.0, 1.0], ["B", "B", "B", "B"]),
    "joined levels": side([0.0, 0.4, 2.0, 1.0], ["(other)", "B", "B", "B"]),
    "fewer rows": side([0.0], ["A"]),
}


@pytest.mark.parametrize("other", COPIES.values(), ids=COPIES)
def test_every_copy_has_as_many_figures(other: Side) -> None:
    look = look_of(TABLE, COPY, PERSON)

    found = figures_of(look, other)

    assert found.shape == figures_of(look, COPY).shape
    assert np.isfinite(found).all()


def test_a_level_that_the_copy_joins_is_looked_for_among_the_others() -> None:
    look = look_of(TABLE, COPIES["joined levels"], PERSON)
    figures = figures_of(look, COPIES["joined levels"])

    assert figures[14] == 0.25  # the share of "(other)"
    assert figures[18] == 0.0  # and it is not named


def test_a_person_without_a_number_is_like_the_gaps() -> None:
    person = side([np.nan], ["A"])
    copy = COPIES["a gap"]
    figures = figures_of(look_of(TABLE, copy, person), copy)

    assert figures[13] == 0.25


def test_numbers_alone_and_levels_alone_are_looked_at() -> None:
    for table in (Side.of(TABLE.numbers), Side.of({}, TABLE.levels)):
        person = table.taken(np.array([4]))
        assert np.isfinite(figures_of(look_of(table, table, person), table)).all()


def test_of_many_columns_some_pairs_are_looked_at() -> None:
    random = np.random.default_rng(0)
    table = Side.of({f"x{j:02d}": random.normal(size=20) for j in range(30)})

    look = look_of(table, table, table.taken(np.array([0])))

    assert [len(each) for each in look.pairs] == [80, 80]
    assert len({*zip(*(each.tolist() for each in look.pairs), strict=True)}) == 80
