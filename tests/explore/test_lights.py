"""How many rows lie in each mark and fulfil a condition: as plots count, and whatever is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InputError
from discreet.explore import Study
from discreet.explore.lights import Axis, Clause, Lights, bins_of

ROWS = 500


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    rng = np.random.default_rng(5)
    score = rng.normal(0, 1, ROWS).round(2)
    frame = pa.table(
        {
            "score": pa.array(score, mask=rng.random(ROWS) < 0.2),
            "visits": rng.integers(0, 5, ROWS),
            "age": rng.normal(50, 12, ROWS).round(),
            "arm": pa.array(rng.choice(["a", "b"], ROWS), mask=rng.random(ROWS) < 0.2),
        }
    )
    folder = tmp_path_factory.mktemp("lights")
    (folder / "discreet.toml").write_text('study = "lights"\n', encoding="utf-8")
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(bytes(range(32)).hex(), encoding="ascii")
    return dc.open(frame, folder / "discreet.toml")


@pytest.fixture(scope="module")
def lights(study: Study) -> Lights:
    return Lights(study._copy)


def counts(found: Lights, axis: Axis, *clauses: Clause) -> list[int]:
    ((array,), _) = found.counts([[axis]], clauses)
    counted: list[int] = array.tolist()
    return counted


def test_marks_of_every_plot_of_a_column_are_its_counts(study: Study, lights: Lights) -> None:
    for name in ("score", "age", "visits"):
        drawn = study.histogram(name)
        assert counts(lights, Axis(name, edges=drawn.edges)) == [*drawn.counts]
    for name in ("arm", "visits"):  # codes stand as levels, too
        bars = study.bars(name)
        assert counts(lights, Axis(name, levels=bars.levels)) == [*bars.counts]
    assert "(missing)" in study.bars("arm").levels


def test_pairs_are_those_of_a_cross_table(study: Study, lights: Lights) -> None:
    drawn = study.crosstab("arm", "visits")
    axes = [Axis("arm", levels=drawn.row_levels), Axis("visits", levels=drawn.column_levels)]
    ((found,), rows) = lights.counts([axes])
    assert found.tolist() == [[*row] for row in drawn.counts]
    assert rows == len(study.session.whole)


def test_parts_one_after_the_other_are_those_of_the_study(study: Study, lights: Lights) -> None:
    where = ["age >= 45", "age < 60 or missing(score)", "arm == 'a'"]
    part = study.where(where[0]).where(where[1]).where(where[2])
    drawn = part.histogram("age")
    ((found,), rows) = lights.counts([[Axis("age", edges=drawn.edges)]], where=where)
    assert found.tolist() == [*drawn.counts]
    assert rows == drawn.origin.total


def test_new_columns_are_counted_as_any(study: Study, lights: Lights) -> None:
    new = (("old", "age >= 50"), ("twice", "2 * age"))
    part = study.assign(**dict(new))
    bars, drawn = part.bars("old"), part.histogram("twice")
    cards = [[Axis("old", levels=bars.levels)], [Axis("twice", edges=drawn.edges)]]
    found, _ = lights.counts(cards, assign=new)
    assert [it.tolist() for it in found] == [[*bars.counts], [*drawn.counts]]
    # Under the same name something else: nothing of what was kept is taken for it.
    other = (("old", "age >= 60"),)
    again, _ = lights.counts(cards[:1], assign=other)
    assert again[0].tolist() == [*study.assign(**dict(other)).bars("old").counts]


@pytest.mark.parametrize("part", [7, ROWS - 1])
def test_rows_are_counted_by_parts(
    study: Study, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    cards = [[Axis("arm", levels=("a", "b")), Axis("score", edges=(-1.0, 0.0, 1.0))]]
    given = cards, [Clause("age", least=45.0)], ["age < 70"]
    found, rows = Lights(study._copy).counts(*given)
    monkeypatch.setattr("discreet.explore.lights.PART", part)
    again, as_many = Lights(study._copy).counts(*given)
    assert [it.tolist() for it in again] == [it.tolist() for it in found]
    assert as_many == rows


def test_what_is_let_go_is_made_again(study: Study) -> None:
    large, small = Lights(study._copy), Lights(study._copy, most=1)
    cards: Sequence[Sequence[Axis]] = [
        [Axis("age", edges=(20.0, 40.0, 60.0))],
        [Axis("arm", levels=("a", "b")), Axis("score", edges=(-1.0, 0.0, 1.0))],
    ]
    for light in ((), (Clause("age", least=40, upto=50),)):
        for where in ((), ("visits > 1",)):
            one, two = (it.counts(cards, light, where) for it in (large, small))
            assert [it.tolist() for it in one[0]] == [it.tolist() for it in two[0]]
            assert one[1] == two[1]


EVEN = st.tuples(st.integers(-50, 50), st.integers(1, 20), st.integers(1, 12)).map(
    lambda it: [it[0] / 10 + i * it[1] / 10 for i in range(it[2] + 1)]
)
RISING = st.lists(st.integers(-100, 100), min_size=2, max_size=9, unique=True).map(
    lambda it: sorted(value / 7 for value in it)
)


@given(edges=EVEN | RISING)
def test_each_value_is_in_the_bin_that_holds_it(lights: Lights, edges: list[float]) -> None:
    whole = lights.part([], [])[0]
    values = whole.copy.columns["score"]
    places = bins_of(whole, Axis("score", edges=tuple(edges)))
    for value, place in zip(values.tolist(), places.tolist(), strict=True):
        if np.isnan(value):
            assert place == 0
            continue
        low, high = edges[place - 1], edges[place]
        assert place == 1 or value >= low - 1e-6
        assert place == len(edges) - 1 or value < high


WRONG: dict[str, tuple[Axis, str]] = {
    "one edge": (Axis("age", edges=(1.0,)), "must be two or more increasing numbers"),
    "edges of levels": (Axis("arm", edges=(1.0, 2.0)), "no column of numbers 'arm' in the copy"),
    "levels of numbers": (Axis("age", levels=("a",)), "no column of levels 'age' in the copy"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_marks_are_of_is_refused(lights: Lights, name: str) -> None:
    axis, says = WRONG[name]
    with pytest.raises(InputError, match=says) as error:
        lights.counts([[axis]])
    assert error.value.parameter == "cards"
