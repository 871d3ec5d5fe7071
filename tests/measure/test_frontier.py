"""The risk-utility map, and its page."""

import json
import math
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.measure.frontier import OWN_WORK, Point, RiskUtilityMap, Setting, nice_ticks
from discreet.measure.pairs import Estimate
from discreet.render.scene import Dots, Lines


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


class TestSettings:
    @pytest.mark.parametrize(
        ("setting", "name", "python", "shell"),
        [
            (
                Setting("deterministic", k=5),
                "deterministic k=5",
                'study.anonymize(method="deterministic", k=5)',
                "discreet anonymize TABLE --method deterministic -k 5 -o RELEASED.csv",
            ),
            (
                Setting("probabilistic", q=0.25),
                "probabilistic q=0.25",
                'study.anonymize(method="probabilistic", q=0.25)',
                "discreet anonymize TABLE --method probabilistic -q 0.25 -o RELEASED.csv",
            ),
            (
                Setting("both", 3, 0.1),
                "both k=3 q=0.1",
                'study.anonymize(method="both", k=3, q=0.1)',
                "discreet anonymize TABLE --method both -k 3 -q 0.1 -o RELEASED.csv",
            ),
            (
                Setting("none"),
                "none",
                'study.anonymize(method="none")',
                "discreet anonymize TABLE --method none -o RELEASED.csv",
            ),
        ],
    )
    def test_a_setting_says_what_it_is_called_and_how_it_is_made(
        self, setting: Setting, name: str, python: str, shell: str
    ) -> None:
        assert (setting.name, setting.python, setting.shell) == (name, python, shell)


class TestPoints:
    def test_a_point_is_usable_or_refused(self) -> None:
        found = Estimate("linked", 1, 10)
        both = {"risk": found, "loss": 0.1, "refused": "no"}
        for fields in ({}, {"risk": found}, {"loss": 0.1}, both):
            with pytest.raises(InputError, match="or the reason why it was refused"):
                Point(Setting("deterministic", k=3), **fields)

    @pytest.mark.parametrize("loss", [math.nan, math.inf, -0.1])
    def test_a_loss_is_a_finite_number(self, loss: float) -> None:
        with pytest.raises(InputError, match="finite number of at least 0"):
            point(3, 1, loss)

    def test_a_map_has_points_and_each_setting_once(self) -> None:
        with pytest.raises(InputError, match="at least one setting"):
            RiskUtilityMap(())
        with pytest.raises(InputError, match="each setting once"):
            RiskUtilityMap((point(3, 1, 0.1), point(3, 2, 0.1)))


class TestFrontier:
    def test_by_hand(self) -> None:
        assert names(FIVE.frontier) == [f"deterministic k={k}" for k in (10, 5, 3)]
        assert names(FIVE.usable) == [f"deterministic k={k}" for k in (10, 5, 4, 7, 3)]

    def test_equal_settings_are_both_efficient(self) -> None:
        twice = RiskUtilityMap((point(3, 5, 0.1), point(4, 5, 0.1), point(5, 5, 0.2)))
        assert names(twice.frontier) == ["deterministic k=3", "deterministic k=4"]

    def test_of_refused_settings_alone_none_is_efficient(self) -> None:
        assert RiskUtilityMap((refused(3),)).frontier == ()

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

    def test_where_all_were_refused_it_says_so(self) -> None:
        with pytest.raises(RefusedError, match="all settings were refused"):
            RiskUtilityMap((refused(3),)).least_loss(0.5)

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

    def test_the_text_lists_efficient_settings_first_then_the_refused(self) -> None:
        lines = FIVE.to_text().splitlines()
        rows = [line.split()[:3] for line in lines if line.startswith(("* det", "  det"))]
        assert rows[:3] == [["*", "deterministic", f"k={k}"] for k in (10, 5, 3)]
        assert [row[1] for row in rows[3:5]] == ["k=4", "k=7"]
        assert lines[-1] == "  deterministic k=50: k is larger than a stratum"
        assert max(map(len, lines)) <= 90

    def test_json_holds_every_point_in_the_order_given(self) -> None:
        told = json.loads(FIVE.to_json())
        assert [p["k"] for p in told["points"]] == [3, 4, 5, 7, 10, 50]
        assert [p["efficient"] for p in told["points"]] == [True, False, True, False, True, False]
        assert told["points"][0]["risk"]["estimate"] == 0.4
        assert told["points"][5]["risk"] is None
        assert told["points"][5]["refused"] == "k is larger than a stratum"

    def test_the_scene_has_a_series_for_each_method_and_the_frontier_in_steps(self) -> None:
        tried = RiskUtilityMap((*FIVE.points, point(3, 30, 0.05, "condensation")))
        (panel,) = tried.scene().panels
        dots = [mark for mark in panel.marks if isinstance(mark, Dots)]
        assert [(mark.series, len(mark.x)) for mark in dots] == [
            ("condensation", 1),
            ("deterministic", 5),
        ]
        (line,) = [mark for mark in panel.marks if isinstance(mark, Lines)]
        assert line.x == ((10.0, 20.0, 20.0, 40.0, 40.0),)
        assert line.y == ((0.06, 0.06, 0.02, 0.02, 0.01),)

    def test_a_map_of_refused_settings_can_be_told(self) -> None:
        tried = RiskUtilityMap((refused(3, "no"),))
        assert "no" in tried.to_html()
        assert "refused" in tried.to_text()
        assert json.loads(tried.to_json())["points"][0]["risk"] is None

    @pytest.mark.parametrize("suffix", [".html", ".json", ".txt", ".svg"])
    def test_it_is_saved_by_the_ending_of_the_file(self, tmp_path: Path, suffix: str) -> None:
        target = FIVE.save(tmp_path / f"map{suffix}")
        assert OWN_WORK in target.read_text(encoding="utf-8") or suffix == ".json"

    def test_other_endings_and_missing_folders_are_told(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"'.html', '.json', '.txt', '.png'"):
            FIVE.save(tmp_path / "map.csv")
        with pytest.raises(InputError, match="there is no folder"):
            FIVE.save(tmp_path / "no" / "map.html")


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


# --- A map is read as a browser reads it: its links lead somewhere, and it asks for nothing -----


class Page(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "a":
            self.links.append(given["href"] or "")
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tried(places: list[tuple[float, float]], method: str = "deterministic") -> RiskUtilityMap:
    points = [
        Point(Setting(method, k=k), Estimate("linked", risk, 100, 0.01), loss)
        for k, (risk, loss) in enumerate(places, start=3)
    ]
    return RiskUtilityMap(tuple(points), note="<b>toy</b> & more")


def test_every_point_is_a_link_to_a_row_that_says_how_it_is_made() -> None:
    page = Page(tried([(40, 0.01), (20, 0.02), (30, 0.05)]).to_html())
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} == set(page.ids) == {"map", "p0", "p1", "p2"}
    assert not page.open
    words = "".join(page.words)
    assert 'study.anonymize(method="deterministic", k=4)' in words
    assert "discreet anonymize TABLE --method deterministic -k 4" in words


def test_it_needs_no_script_and_asks_for_nothing() -> None:
    text = tried([(40, 0.01), (20, 0.02)]).to_html()
    assert "script" not in Page(text).tags
    assert "://" not in text
    assert not re.search(r"\son\w+=|src=|@import|url\(", text)


def test_a_note_is_text_and_no_markup() -> None:
    page = Page(tried([(40, 0.01)]).to_html())
    assert "b" not in page.tags
    assert "<b>toy</b> & more" in page.words


def test_the_row_that_is_chosen_is_marked_by_style_alone() -> None:
    text = tried([(40, 0.01)]).to_html()
    assert "tr:target" in text
    assert 'class="under"' in text


@given(
    st.lists(
        st.tuples(st.integers(0, 100), st.floats(0, 1e9, allow_subnormal=False)),
        min_size=1,
        max_size=8,
    )
)
def test_every_sign_lies_within_the_drawing(places: list[tuple[int, float]]) -> None:
    text = tried([(float(risk), loss) for risk, loss in places]).to_html()
    centres = re.findall(r'class="hit" cx="([-\d.e+]+)" cy="([-\d.e+]+)"', text)
    assert len(centres) == len(places)
    for x, y in centres:
        assert 78 <= float(x) <= 528
        assert 16 <= float(y) <= 322


def test_far_losses_stand_on_the_upper_edge_and_leave_the_frontier_readable() -> None:
    text = tried([(40, 0.01), (20, 0.02), (50, 9.0)]).to_html()
    heights = re.findall(r'class="hit" cx="[\d.]+" cy="([\d.]+)"', text)
    assert min(map(float, heights)) == 16
    assert len(set(heights)) == 3
    assert "loss 9" in text  # for who hears it
    assert ">9<" in text  # in the table


def test_methods_have_signs_of_other_shapes() -> None:
    points = [Point(Setting(m, k=3), Estimate("linked", i, 10), 0.1) for i, m in enumerate("abcd")]
    text = RiskUtilityMap(tuple(points)).to_html()
    shapes = re.findall(r'<li class="s\d"><svg[^>]*><(\w+)', text)
    assert shapes == ["circle", "polygon", "polygon", "polygon"]
    assert len(set(re.findall(r'<li class="s\d"><svg[^>]*>(.*?)</svg>', text))) == 4


@pytest.mark.parametrize(
    ("high", "ticks"),
    [
        (0.037, [0.0, 0.01, 0.02, 0.03, 0.04]),
        (1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, [0.0, 1.0]),
        (6.0, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ],
)
def test_ticks_are_round_and_reach_the_highest(high: float, ticks: list[float]) -> None:
    assert nice_ticks(high) == ticks


@given(st.floats(1e-12, 1e12))
def test_ticks_are_few_and_reach_the_highest(high: float) -> None:
    ticks = nice_ticks(high)
    assert ticks[-1] >= high * (1 - 1e-6)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 7
