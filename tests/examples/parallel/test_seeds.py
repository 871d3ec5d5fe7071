"""Figure 5: ranges by what the seeds are chosen by."""

import pytest

from discreet.parallel.pixels import METRICS, choose_seeding
from discreet.render.scene import Columns
from examples.parallel import seeds
from examples.parallel.clustered import bins_of, range_of
from examples.parallel.data import Credit, kinds_of


def test_pairs_are_sorted_by_kind() -> None:
    assert len(seeds.of_kinds("categorical")) == 6
    assert len(seeds.of_kinds("continuous", "categorical")) == 12
    assert len(seeds.of_kinds("continuous")) == 3


@pytest.mark.parametrize("pair", [("savings", "age"), ("age", "savings"), ("duration", "savings")])
def test_the_step_takes_what_the_package_does(made_up: Credit, pair: tuple[str, str]) -> None:
    chosen = choose_seeding(bins_of(made_up.places, pair), *kinds_of(pair))
    assert seeds.stepped(made_up, pair) == chosen.metric


def test_a_range_for_each_metric(made_up: Credit) -> None:
    pair = ("duration", "savings")
    found = seeds.seeded(made_up, pair, 3)
    assert set(found) == {*METRICS, seeds.EITHER}
    assert found[seeds.EITHER] == range_of(bins_of(made_up.places, pair), pair, 3)
    both = (seeds.seeded(made_up, pair, 3, cost) for cost in ("seed", "span"))
    assert found[seeds.OVER] == min(each[seeds.OVER] for each in both)


def test_bars_are_the_ranges(made_up: Credit) -> None:
    _, three, six = seeds.figure_5(made_up).panels
    for panel, k in ((three, 3), (six, 6)):
        (mark,) = panel.marks
        assert isinstance(mark, Columns)
        last = seeds.seeded(made_up, (seeds.ORDER[-2], seeds.ORDER[-1]), k)
        assert [heights[-1] for heights in mark.heights] == [last[seeds.OVER], last[seeds.EITHER]]


def test_claims_have_numbers(made_up: Credit) -> None:
    told = seeds.claims(made_up)
    assert len(told) == 5
    assert "Of 6 pairs, the smaller of both: " in told[0].numbers
    assert "Of 12 pairs, " in told[1].numbers
