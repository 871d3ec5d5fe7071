"""Figure 5: ranges by what the seeds are chosen by."""

import pytest

from discreet.parallel.pixels import METRICS, choose_seeding
from examples.parallel import seeds
from examples.parallel.clustered import bins_of, range_of
from examples.parallel.data import Credit, kinds_of


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
