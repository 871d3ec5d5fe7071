"""All that is measured on a pair of tables, and how coarsely it is told."""

import json
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.measure.evaluate import (
    MOVED_STEP,
    ON_RELEASED,
    RISKS,
    U_STEP,
    Measured,
    Scores,
    boxes_of,
    coarse_box,
    coarse_estimate,
    coarse_model,
    coarse_preservation,
    measured,
    to_step,
)
from discreet.measure.linkage import record_linkage
from discreet.measure.models import Coefficients, coefficient_difference
from discreet.measure.pairs import Estimate, Pair, Side, as_pair
from discreet.measure.rmd import RmdGrid
from discreet.measure.utility import (
    Preservation,
    Propensity,
    displacement,
    preservation,
    propensity,
)
from discreet.methods import OrderMeans

ROWS = 240
PLACE = np.arange(ROWS)
AGE = 40 + 12 * np.sin(2.1 * PLACE) + PLACE / 50
PAY = 3000 + 40 * AGE + 500 * np.cos(5.3 * PLACE)
SEX = tuple("fm"[i % 2] for i in range(ROWS))
ILL = tuple("no" if (i // 2) % 3 else "yes" for i in range(ROWS))


def side(age: Any, pay: Any, rows: int = ROWS) -> Side:
    numbers = {"age": np.asarray(age)[:rows], "pay": np.asarray(pay)[:rows]}
    levels = {"sex": SEX[:rows], "ill": ILL[:rows]}
    return Side(MappingProxyType(numbers), MappingProxyType(levels))


def toy(same_rows: bool = True) -> Pair:
    moved = AGE + 2 * np.cos(7.7 * PLACE), PAY + 90 * np.sin(3.1 * PLACE)
    return Pair(side(AGE, PAY), side(*moved, ROWS if same_rows else ROWS - 40), same_rows)


FORMULA = "pay ~ age + sex"


OF_PAIRS = [it for it in RISKS if it != "records"]
"""Records that stand in a copy are counted of the whole table, not of pairs of rows."""


@pytest.fixture(scope="module")
def found() -> Measured:
    return measured(toy(), sensitive="ill", formula=FORMULA, w1s=(0.02,), w2s=(0.1,), shared_by=2)


class TestAll:
    def test_every_risk_has_its_key(self, found: Measured) -> None:
        assert set(found.risks) == set(OF_PAIRS)
        assert not found.not_measured

    def test_each_number_is_that_of_its_measure(self, found: Measured) -> None:
        pair = toy()
        assert found.displacement == displacement(pair)
        assert found.u == propensity(pair).u
        assert found.preservation == preservation(pair)
        assert found.model is not None
        assert found.model.terms == coefficient_difference(pair, formula=FORMULA).terms
        assert (found.columns, found.levels) == (("age", "pay"), ("sex", "ill"))

    def test_the_attacker_does_not_know_the_sensitive_column(self, found: Measured) -> None:
        assert found.risks["linkage"] == record_linkage(toy(), within=["sex"])

    def test_strata_are_the_levels_but_the_sensitive_one(self, found: Measured) -> None:
        assert found.strata == ("sex",)
        assert found.k == ROWS // 2
        assert found.l == 2
        assert found.t == pytest.approx(0.0)  # every third of either sex
        assert found.risks["attribute_disclosure"].count == 0
        assert found.risks["unique_strata"].count == 0
        assert found.risks["unique_rows"].count == ROWS

    def test_rows_with_gaps_are_counted_in_what_is_of_the_released_table(self) -> None:
        """Whoever receives it counts them, whether or not the original has a number there."""
        before, after = AGE.copy(), toy().released.numbers["age"]
        before[:30] = np.nan
        levels = {"sex": list(SEX), "ill": list(ILL)}
        original = pa.table({"age": pa.array(before, from_pandas=True), **levels})
        pair = as_pair(original, pa.table({"age": after, **levels}))
        found = measured(pair, sensitive="ill", shared_by=2)
        assert (found.k, found.left_out) == (ROWS // 2, 30)
        assert {found.risks[key].trials for key in ON_RELEASED} == {ROWS}
        assert found.risks["linkage"].trials == ROWS - 30

    def test_rows_that_few_share_are_counted_only_where_that_was_asked_for(self) -> None:
        assert "below_k" not in measured(toy(), sensitive="ill").risks
        assert set(measured(toy(), sensitive="ill").risks) == set(OF_PAIRS) - {"below_k"}

    @pytest.mark.parametrize(
        ("shared_by", "sensitive", "count"),
        [(1, None, 0), (2, None, 1), (3, None, 3), (4, None, 6), (3, "ill", 0), (4, "ill", 6)],
    )
    def test_rows_that_few_share_by_hand(
        self, shared_by: int, sensitive: str | None, count: int
    ) -> None:
        """Two ages, three rows of each; one of the older has another illness."""
        levels = {"sex": list("fffmmm"), "ill": list("nnnnny")}
        before = pa.table({"age": [1.0, 1.5, 2.0, 2.5, 3.0, 4.0], **levels})
        pair = as_pair(before, pa.table({"age": [1.5, 1.5, 1.5, 3.0, 3.0, 3.0], **levels}))
        found = measured(pair, sensitive=sensitive, shared_by=shared_by).risks["below_k"]
        assert (found.count, found.trials) == (count, 6)


class TestWhatCannotBeMeasured:
    def test_without_pairing_the_rest_is_measured_and_the_reason_told(self) -> None:
        found = measured(toy(same_rows=False), sensitive="ill", formula=FORMULA, shared_by=2)
        missing = {"linkage", "far_linkage", "interval", "rmd1", "rmd2", "displacement"}
        assert set(found.not_measured) == missing
        assert all("rows" in why for why in found.not_measured.values())
        assert set(found.risks) == set(OF_PAIRS) - missing
        assert found.u is not None
        assert found.preservation is not None
        assert found.model is not None
        assert found.displacement == {}

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"strata": ["town"]}, "strata are not among the released columns: 'town'"),
            ({"sensitive": "town"}, "'town' is not among the released columns"),
            ({"strata": ["sex", "ill"], "sensitive": "ill"}, "cannot be one of the strata"),
            ({"formula": "pay ~ town"}, "town"),
        ],
    )
    def test_what_was_asked_for_wrongly_is_an_error(
        self, given: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(InputError, match=words):
            measured(toy(), **given)


class TestScores:
    def test_plain_boxes_are_of_single_rows_and_guarded_ones_of_means(self) -> None:
        plain, guarded = measured(toy()).scores, measured(toy(), guard=7).scores
        scores = propensity(toy())
        assert plain is not None
        assert guarded is not None
        assert plain.original[2] == pytest.approx(float(np.median(scores.original)))
        assert plain.k is None
        assert guarded == Scores(OrderMeans(7)(scores.original), OrderMeans(7)(scores.released), 7)


class TestRounded:
    def test_counts_are_multiples_and_other_numbers_short(self, found: Measured) -> None:
        coarse = found.rounded(5)
        assert coarse.rounded_to == 5
        with pytest.raises(InputError, match="at least 1"):
            found.rounded(0)
        for key in set(coarse.risks) - set(ON_RELEASED):
            assert coarse.risks[key].count % 5 == 0
            assert coarse.risks[key].trials % 5 == 0
        assert all(to_step(v, MOVED_STEP) == v for v in coarse.displacement.values())
        assert coarse.u == to_step(found.u or 0.0, U_STEP)
        assert coarse.ratio is None
        assert coarse.grid is not None
        assert all(r.count % 5 == 0 for row in coarse.grid.risk2 for r in row)

    def test_what_is_counted_on_the_released_table_is_exact(self, found: Measured) -> None:
        coarse = found.rounded(7)
        for key in ON_RELEASED:
            assert coarse.risks[key] == found.risks[key]
        assert (coarse.k, coarse.l, coarse.t) == (found.k, found.l, found.t)

    def test_few_farthest_records_are_not_told_and_with_a_guard_there_are_more(
        self, found: Measured
    ) -> None:
        assert found.risks["far_linkage"].trials == 5
        coarse = found.rounded(5)
        assert "far_linkage" not in coarse.risks
        assert "too few records" in coarse.not_measured["far_linkage"]
        guarded = measured(toy(), sensitive="ill", guard=5)
        assert guarded.risks["far_linkage"].trials == 20
        assert "far_linkage" in guarded.rounded(5).risks

    def test_scores_of_single_rows_are_not_told(self, found: Measured) -> None:
        coarse = found.rounded(5)
        assert found.scores is not None
        assert coarse.scores is None
        assert "single rows" in coarse.not_measured["scores"]
        guarded = measured(toy(), guard=5).rounded(5)
        assert guarded.scores is not None
        assert "scores" not in guarded.not_measured

    def test_no_exact_number_of_raw_data_is_left_in_the_json(self, found: Measured) -> None:
        text = json.dumps(measured(toy(), formula=FORMULA, guard=5).rounded(5).to_dict())
        exact = [*found.displacement.values(), found.u, found.ratio]
        assert found.model is not None
        exact += [*found.model.original.tolist(), *found.model.original_se.tolist()]
        assert found.preservation is not None
        exact += [v for v in found.preservation.means.values() if v]
        for value in exact:
            assert f"{value:.6g}" not in text

    def test_p_values_are_dropped(self, found: Measured) -> None:
        assert "p" in found.to_dict()["model"]["original"]
        assert "p" not in found.rounded(5).to_dict()["model"]["original"]
        assert "p" not in found.rounded(5).to_dict()["model"]["released"]

    def test_a_table_with_one_row_less_is_told_nearly_alike(self) -> None:
        pair, keep = toy(), np.ones(ROWS, dtype=np.bool_)
        keep[0] = False
        less = measured(
            Pair(
                pair.original.taken(np.flatnonzero(keep)),
                pair.released.taken(np.flatnonzero(keep)),
                True,
            ),
            formula=FORMULA,
        ).rounded(10)
        told = measured(pair, formula=FORMULA).rounded(10)
        assert less.preservation == told.preservation
        assert less.model is not None
        assert told.model is not None
        steps = np.abs(less.model.original - told.model.original) / told.model.original_se
        assert steps.max() < 0.6  # a step or none

    @pytest.mark.parametrize("sds", [-0.01, 0.01])
    def test_u_tells_no_mean_of_the_original(self, sds: float) -> None:
        """Exact, or to two digits, it told the mean to whoever has the released table."""
        pair = toy()
        shifted = replace(pair, original=side(AGE + sds * AGE.std(), PAY))
        one, other = measured(pair), measured(shifted)
        assert one.u is not None
        assert one.u != other.u
        assert one.rounded(5).u == other.rounded(5).u
        assert (one.rounded(5).ratio, other.rounded(5).ratio) == (None, None)

    def test_a_grid_of_too_few_rows_is_left_out(self) -> None:
        few = Estimate("risky", 2, 9)
        grid = RmdGrid((0.01,), (0.05,), (few,), ((few,),), ())
        coarse = Measured(columns=("x",), risks={}, grid=grid).rounded(5)
        assert coarse.grid is None
        assert "too few records" in coarse.not_measured["grid"]


class TestPlain:
    def test_json_holds_everything_under_stable_keys(self, found: Measured) -> None:
        told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert list(told) == [
            "columns", "levels", "strata", "sensitive", "rounded_to", "left_out", "risks",
            "combinations", "k", "l", "t", "displacement", "u", "ratio", "scores",
            "preservation", "model", "grid", "not_measured",
        ]  # fmt: skip
        assert list(told["risks"]["linkage"]) == [
            "what", "count", "trials", "estimate", "interval", "baseline",
        ]  # fmt: skip
        assert told["grid"]["w2s"] == [0.05, 0.1]
        names = [one["columns"] for one in told["combinations"]]
        assert names == [list(some) for m in (1, 2) for some in combinations(found.strata, m)]
        assert told["combinations"][-1]["k"] == told["k"]


# --- Propensity scores are drawn as two boxes: plain ones, or of means of neighbours ------------


# sorted: 0 .4 .45 .5 .55 .58 .6 .62 .9; quartiles .45 and .6, so whiskers within .225 of them
FEW = np.array([0.0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.62, 0.9, 0.58])
SCORES = Propensity(FEW, np.full(9, 0.5), 0.01, 1.0, 1)


def test_quartiles_and_whiskers_by_hand() -> None:
    found = boxes_of(SCORES)
    assert found.original == pytest.approx((0.4, 0.45, 0.55, 0.6, 0.62))
    assert found.released == (0.5,) * 5
    assert found.k is None


# --- What is told of raw data is coarse; what is counted on the released table is not touched ---


@pytest.mark.parametrize(
    ("value", "step", "rounded"),
    [(0.976, 0.05, 1.0), (0.974, 0.05, 0.95), (-0.02, 0.05, 0.0), (13.0, 5.0, 15.0)],
)
def test_a_step_leaves_no_digit_beyond_it(value: float, step: float, rounded: float) -> None:
    assert to_step(value, step) == rounded


class TestEstimates:
    def test_count_trials_and_guessing_lose_what_single_rows_move(self) -> None:
        found = coarse_estimate(Estimate("linked", 123.4, 891, 1 / 891), 5)
        assert found == Estimate("linked", 125, 890, 0.0011)

    def test_too_few_trials_are_not_told(self) -> None:
        # 3 of 5 rounded to fives would be told as all, and 2 of 5 as none
        assert coarse_estimate(Estimate("far", 3, 5, 0.2), 5) is None
        assert coarse_estimate(Estimate("far", 3, 19, 0.2), 5) is None
        assert coarse_estimate(Estimate("far", 3, 20, 0.2), 5) == Estimate("far", 5, 20, 0.2)

    @given(st.integers(0, 500), st.integers(1, 500), st.integers(1, 20))
    def test_neighbouring_tables_are_mostly_told_alike(self, a: int, n: int, to: int) -> None:
        found = coarse_estimate(Estimate("x", min(a, n), n, 0.37123), to)
        if found is not None:
            assert found.count % to == 0
            assert found.trials % to == 0
            assert found.baseline == 0.37
            assert abs(found.trials - n) <= to / 2
            assert abs(found.count - min(a, n)) <= to / 2 or found.count == found.trials


class TestBoxes:
    def test_all_five_numbers_have_one_step(self) -> None:
        assert coarse_box((0.41234, 0.4812, 0.5003, 0.5232, 0.6119)) == (
            *(0.412, 0.482, 0.5, 0.524, 0.612),
        )

    @given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
    def test_the_order_stays(self, values: list[float]) -> None:
        low, q1, median, q3, high = sorted(values)
        box = coarse_box((low, q1, median, q3, high))
        assert list(box) == sorted(box)


def model(**changes: object) -> Coefficients:
    given: dict[str, object] = {
        "formula": "y ~ x",
        "model": "linear",
        "terms": ("Intercept", "x"),
        "original": np.array([12.3456, -0.0123456]),
        "original_se": np.array([1.2345, 0.0056789]),
        "original_df": 98.0,
        "released": np.array([12.9876, -0.0111111]),
        "released_se": np.array([1.1, 0.005]),
        "released_df": 98.0,
    }
    return Coefficients(**{**given, **changes})  # type: ignore[arg-type]


class TestModels:
    def test_the_originals_numbers_lose_what_is_far_below_their_error(self) -> None:
        coarse = coarse_model(model())
        assert coarse.original.tolist() == [12.5, -0.012]
        assert coarse.original_se.tolist() == [1.2, 0.006]
        assert coarse.released.tolist() == [12.9876, -0.0111111]  # the released table's own
        assert coarse.difference[0] == pytest.approx((12.9876 - 12.5) / 1.2)

    @given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
    def test_no_estimate_moves_by_more_than_a_quarter_of_its_error(
        self, estimate: float, error: float
    ) -> None:
        given = model(original=np.array([estimate, 0.0]), original_se=np.array([error, 1.0]))
        coarse = coarse_model(given)
        assert abs(coarse.original[0] - estimate) <= 0.2501 * error
        assert abs(coarse.original_se[0] - error) <= 0.1001 * error
        assert coarse.original_se[0] > 0


def test_summaries_are_told_in_twentieths() -> None:
    kept = Preservation(
        means=MappingProxyType({"a": 0.0123, "b": -0.13}),
        spreads=MappingProxyType({"a": 0.9731, "b": 1.0}),
        quantiles=MappingProxyType({"a": (0.024, 0.026, -0.3333)}),
        correlations=MappingProxyType({("a", "b"): -0.0812}),
        levels=MappingProxyType({"sex": 0.0}),
    )
    coarse = coarse_preservation(kept)
    assert coarse.means == {"a": 0.0, "b": -0.15}
    assert coarse.spreads == {"a": 0.95, "b": 1.0}
    assert coarse.quantiles == {"a": (0.0, 0.05, -0.35)}
    assert coarse.correlations == {("a", "b"): -0.1}
    assert coarse.levels == {"sex": 0.0}
