"""The risk-utility map, and its page."""

import json
import math
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.measure.frontier import OWN_WORK, Point, RiskUtilityMap, Setting
from discreet.measure.pairs import Estimate


def point(k: int, count: float, loss: float, method: str = "deterministic") -> Point:
    return Point(Setting(method, k=k), Estimate("linked", count, 100, 0.01), loss)


def refused(k: int, why: str = "k is larger than a stratum") -> Point:
    return Point(Setting("deterministic", k=k), refused=why)


# k = 4 is beaten by 5 (as much risk, less loss), 7 by 5 (less of both), 10 by none.
FIVE = RiskUtilityMap(
    (point(3, 40, 0.01), point(4, 20, 0.03), point(5, 20, 0.02), point(7, 25, 0.025),
     point(10, 10, 0.06), refused(50)),
    note="toy",
)  # fmt: skip


def names(points: tuple[Point, ...]) -> list[str]:
    return [point.setting.name for point in points]


class TestPoints:
    def test_a_point_is_usable_or_refused(self) -> None:
        found = Estimate("linked", 1, 10)
        both = {"risk": found, "loss": 0.1, "refused": "no"}
        for fields in ({}, {"risk": found}, {"loss": 0.1}, both):
            with pytest.raises(InputError, match="or the reason why it was refused"):
                Point(Setting("deterministic", k=3), **fields)


class TestFrontier:
    def test_by_hand(self) -> None:
        assert names(FIVE.frontier) == [f"deterministic k={k}" for k in (10, 5, 3)]
        assert names(FIVE.usable) == [f"deterministic k={k}" for k in (10, 5, 4, 7, 3)]

    @given(
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
        st.randoms(use_true_random=False),
    )
    def test_as_by_comparing_each_with_each_in_any_order(
        self, places: list[tuple[int, int]], random: object
    ) -> None:
        points = [point(k, risk, loss) for k, (risk, loss) in enumerate(places, start=3)]

        def beats(a: Point, b: Point) -> bool:
            return all(x <= y for x, y in zip(a.place, b.place, strict=True)) and a.place != b.place

        efficient = {p.setting for p in points if not any(beats(other, p) for other in points)}
        random.shuffle(points)  # type: ignore[attr-defined]
        frontier = RiskUtilityMap(tuple(points)).frontier
        assert {p.setting for p in frontier} == efficient
        assert len(frontier) == len(efficient)
        assert [p.place[0] for p in frontier] == sorted(p.place[0] for p in frontier)
        assert [p.place[1] for p in frontier] == sorted(
            (p.place[1] for p in frontier), reverse=True
        )


class TestChoosing:
    def test_by_name(self) -> None:
        assert FIVE.choose("deterministic k=7") == Setting("deterministic", k=7)
        assert FIVE.choose("  deterministic   k=7 ") == Setting("deterministic", k=7)

    def test_an_unknown_name_is_told_what_there_is(self) -> None:
        with pytest.raises(InputError, match="there are 'deterministic k=3', 'deterministic k=4'"):
            FIVE.choose("deterministic")

    def test_a_refused_setting_is_told_why(self) -> None:
        with pytest.raises(RefusedError, match="k=50 was refused: k is larger than a stratum"):
            FIVE.choose("deterministic k=50")

    @pytest.mark.parametrize(
        ("risk_below", "k"), [(1.0, 3), (0.41, 3), (0.4, 5), (0.21, 5), (0.2, 10), (0.11, 10)]
    )
    def test_the_least_loss_below_a_risk(self, risk_below: float, k: int) -> None:
        assert FIVE.least_loss(risk_below) == Setting("deterministic", k=k)

    def test_of_equal_losses_the_one_of_less_risk(self) -> None:
        tied = RiskUtilityMap((point(3, 9, 0.1), point(4, 5, 0.1), point(5, 5, 0.1)))
        assert tied.least_loss(0.5) == Setting("deterministic", k=4)

    def test_a_risk_that_none_meets_is_refused_with_the_lowest_as_a_whole_per_cent(self) -> None:
        tried = RiskUtilityMap((point(3, 10.37, 0.1),))
        with pytest.raises(RefusedError, match=r"the lowest is below 11 %; try other") as error:
            tried.least_loss(0.1)
        assert "10" not in str(error.value)
        assert tried.least_loss(0.11) == Setting("deterministic", k=3)

    @pytest.mark.parametrize("share", [0.0, -0.1, 1.1, math.nan])
    def test_the_risk_is_a_share(self, share: float) -> None:
        with pytest.raises(InputError, match="a share above 0 and at most 1"):
            FIVE.least_loss(share)


class TestTelling:
    def test_it_says_on_its_face_that_it_is_no_release(self, tmp_path: Path) -> None:
        assert OWN_WORK in FIVE.to_text()
        assert OWN_WORK in repr(FIVE)
        assert OWN_WORK in FIVE.to_html()
        assert OWN_WORK in FIVE._repr_html_()
        assert OWN_WORK in FIVE.scene().notes
        assert json.loads(FIVE.to_json())["release"] is False


@pytest.mark.slow
def test_a_guarded_map_says_how_a_study_is_opened_with_a_setting() -> None:
    estimate = Estimate("linked", 1, 10)
    noise, whole = Setting("probabilistic", q=0.5), Setting("whole", k=5, m=12)
    lines = {
        noise: 'dc.research(TABLE).anonymize(method="probabilistic", q=0.5)',
        whole: "dc.open(TABLE, study.policy.changed(k=5, m=12)).anonymize()",
    }
    for setting, line in lines.items():
        assert setting.opened == line
        for guarded in (True, False):
            point = Point(setting, estimate, 0.1)
            page = unescape(RiskUtilityMap((point,), guarded=guarded).to_html())
            assert (line in page) == guarded
