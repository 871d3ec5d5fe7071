"""What lights up together: splits, and clusters completed until they are diverse."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.parallel.diversity import Joins, diverse_joins, joined, splits

Whole = NDArray[np.int64]


# --- splits -------------------------------------------------------------------------------------


def test_splits_of_the_papers_figure_7() -> None:
    # r1 and r2 of cluster c run into c1, r3 into c2; three more records make cluster d.
    left, right = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 0])
    found = splits(left, right)
    assert found.left.tolist() == [0, 0, 1, 1]
    assert found.right.tolist() == [0, 1, 0, 1]
    assert found.shared.tolist() == [2, 1, 1, 2]
    assert joined(left, right) == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert joined(left, right, least=2) == ((0, 0), (1, 1))
    assert joined(left, right, least=3) == ()


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9))), st.integers(1, 3))
def test_splits_are_a_plain_count_in_any_order_and_either_way(
    pairs: list[tuple[int, int]], least: int
) -> None:
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    found = splits(left, right)
    counted = Counter(pairs)
    triples = zip(found.left.tolist(), found.right.tolist(), found.shared.tolist(), strict=True)
    assert list(triples) == [(*pair, counted[pair]) for pair in sorted(counted)]
    there = joined(left, right, least)
    assert there == tuple(sorted(pair for pair in counted if counted[pair] >= least))
    assert there == joined(left[::-1], right[::-1], least)
    assert {pair[::-1] for pair in there} == set(joined(right, left, least))


# --- diversity ----------------------------------------------------------------------------------


# Nine records in three clusters of three before the sensitive gap, and in three within it. The
# shared axis has 30 pixels, the sensitive one four values. Cluster 0 runs into D0 alone (values 0,
# 0, 0: not diverse), cluster 1 into D1 alone (1, 2, 2: two values), cluster 2 into D2 (3, 0, 1).
BEFORE = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
AFTER = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
VALUES = np.array([0, 0, 0, 1, 2, 2, 3, 0, 1])


def boxes(*sides: tuple[int, int], shared_axis: str) -> Whole:
    """Make boxes from their pixels on the shared axis; the other axis does not matter."""
    ends = [(*side, 0, 9) if shared_axis == "left" else (0, 9, *side) for side in sides]
    return np.array(ends)


BEFORE_BOXES = boxes((0, 8), (10, 18), (20, 30), shared_axis="right")
APART = boxes((0, 8), (10, 18), (20, 30), shared_axis="left")

CASES: dict[str, tuple[Whole, int, tuple[int, ...], Joins]] = {  # boxes after, l, named, joins
    "without overlap those that fall short show nothing": (APART, 3, (), ((2, 2),)),
    "completed by overlap": (
        # D1 starts at pixel 7, which cluster 0 reaches: 0, 1 and 2 together are three values
        boxes((0, 8), (7, 18), (20, 30), shared_axis="left"),
        3,
        (),
        ((0, 0), (0, 1), (2, 2)),
    ),
    "boxes that touch do not overlap": (
        # pixel 8 is not cluster 0's any more, nor is pixel 9, D0's last, one of cluster 1
        boxes((0, 10), (8, 18), (20, 30), shared_axis="left"),
        3,
        (),
        ((2, 2),),
    ),
    "overlap that does not bring enough shows nothing": (
        # D0 reaches cluster 1, and brings value 0: three. Cluster 0 gets none.
        boxes((0, 11), (10, 18), (20, 30), shared_axis="left"),
        3,
        (),
        ((1, 0), (1, 1), (2, 2)),
    ),
    "most shared pixels first": (
        # of cluster 0's pixels D1 has two, D2 three: D2 brings 3 and 1, so D1 is not needed
        boxes((0, 8), (6, 18), (5, 30), shared_axis="left"),
        3,
        (1, 0),
        ((0, 0), (0, 2), (1, 1), (1, 2), (2, 2)),
    ),
    "of as many shared pixels the lower number": (
        boxes((0, 8), (6, 18), (6, 30), shared_axis="left"),
        3,
        (0,),
        ((0, 0), (0, 1), (1, 1), (2, 2)),
    ),
    "only clusters with a named value are treated": (
        # value 2 is in cluster 1 alone: cluster 0 is lit though it has one value
        APART,
        3,
        (2,),
        ((0, 0), (2, 2)),
    ),
    "a named value that is diverse already": (APART, 3, (3,), ((0, 0), (1, 1), (2, 2))),
    "l of all values": (APART, 4, (), ()),
}


@pytest.mark.parametrize(("after_boxes", "least", "named", "joins"), CASES.values(), ids=CASES)
def test_by_hand(after_boxes: Whole, least: int, named: tuple[int, ...], joins: Joins) -> None:
    found = diverse_joins(
        BEFORE, AFTER, VALUES, BEFORE_BOXES, after_boxes, diversity=least, named=named
    )
    assert found == joins


def test_only_who_brings_a_new_value_is_added() -> None:
    # Of cluster 0 (value 0) D1 shares most pixels, but has value 0 as well; D2 and D3 bring 1 and
    # 2; D4 brings 3, which is not needed any more.
    before = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    after = np.array([0, 0, 1, 1, 2, 2, 3, 4])
    values = np.array([0, 0, 0, 0, 1, 1, 2, 3])
    after_boxes = boxes((0, 8), (1, 9), (3, 9), (4, 9), (5, 9), shared_axis="left")
    before_boxes = boxes((0, 8), (8, 9), shared_axis="right")
    found = diverse_joins(before, after, values, before_boxes, after_boxes, diversity=3)
    assert [after for cluster, after in found if cluster == 0] == [0, 2, 3]


def test_no_value_is_no_diversity() -> None:
    # Without its value 3, cluster 2 has two values; as a value, -1 would be the third.
    values = np.where(VALUES == 3, -1, VALUES)
    values[0] = 3  # so that four values occur still
    found = diverse_joins(BEFORE, AFTER, values, BEFORE_BOXES, APART, diversity=3)
    assert found == ()
    assert diverse_joins(BEFORE, AFTER, values, BEFORE_BOXES, APART, diversity=2) == (
        (0, 0),
        (1, 1),
        (2, 2),
    )


# --- laws ---------------------------------------------------------------------------------------


@st.composite
def gaps(draw: st.DrawFn) -> tuple[Any, ...]:
    n = draw(st.integers(4, 24))

    def numbers(most: int) -> Whole:
        return np.array(draw(st.lists(st.integers(0, most), min_size=n, max_size=n)))

    def sides(labels: Whole, axis: str) -> Whole:
        starts = draw(
            st.lists(
                st.tuples(st.integers(0, 12), st.integers(1, 5)),
                min_size=int(labels.max()) + 1,
                max_size=int(labels.max()) + 1,
            )
        )
        return boxes(*((low, low + width) for low, width in starts), shared_axis=axis)

    before, after = numbers(3), numbers(6)
    values = numbers(draw(st.sampled_from([3, 5, 11]))) - draw(st.integers(0, 1))
    occur = sorted(set(values.tolist()) - {-1})
    named = draw(st.lists(st.sampled_from(occur), unique=True)) if occur else []
    return before, after, values, sides(before, "right"), sides(after, "left"), named


def naive(
    before: Whole,
    after: Whole,
    values: Whole,
    before_boxes: Whole,
    after_boxes: Whole,
    least: int,
    named: list[int],
) -> Joins:
    """Say cluster by cluster what is lit, as the rule is written."""
    has = [set(values[after == d].tolist()) - {-1} for d in range(len(after_boxes))]
    if least in (2, len(set().union(*has))) and len(set().union(*has)) in (2, least):
        return ()
    found = []
    for c in sorted(set(before.tolist())):
        lit = set(after[before == c].tolist())
        if not named or set(values[before == c].tolist()) & set(named):
            shared = {
                d: min(before_boxes[c, 3], box[1]) - max(before_boxes[c, 2], box[0])
                for d, box in enumerate(after_boxes)
            }
            for d in sorted(shared, key=lambda d: (-shared[d], d)):
                reached = set().union(*(has[one] for one in lit))
                if len(reached) < least and shared[d] > 0 and has[d] - reached:
                    lit.add(d)
            if len(set().union(*(has[one] for one in lit))) < least:
                lit = set()
        found += [(c, d) for d in lit]
    return tuple(sorted(found))


@given(gaps(), st.integers(2, 5), st.randoms(use_true_random=False))
def test_it_lights_what_the_naive_twin_lights_in_any_order(
    gap: tuple[Any, ...], least: int, shuffle: Any
) -> None:
    before, after, values, before_boxes, after_boxes, named = gap
    order = list(range(len(before)))
    shuffle.shuffle(order)
    levels = len(set(values.tolist()) - {-1})

    if least > levels:
        with pytest.raises(InputError, match="diversity is more than"):
            diverse_joins(
                before, after, values, before_boxes, after_boxes, diversity=least, named=named
            )
        return
    found = diverse_joins(
        before, after, values, before_boxes, after_boxes, diversity=least, named=named
    )
    assert found == naive(before, after, values, before_boxes, after_boxes, least, named)
    assert found == diverse_joins(
        before[order],
        after[order],
        values[order],
        before_boxes,
        after_boxes,
        diversity=least,
        named=named[::-1],
    )
    if not named:
        for c in {c for c, _ in found}:
            lit = [d for one, d in found if one == c]
            assert len(set(values[np.isin(after, lit)].tolist()) - {-1}) >= least


# --- bad input ----------------------------------------------------------------------------------

FINE: dict[str, Any] = {
    "before": BEFORE,
    "after": AFTER,
    "values": VALUES,
    "boxes_before": BEFORE_BOXES,
    "boxes_after": APART,
    "diversity": 3,
}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"diversity": 1}, "diversity must be a whole number of at least 2"),
        ({"diversity": 2.5}, "diversity must be a whole number"),
        ({"diversity": True}, "diversity must be a whole number"),
        ({"diversity": 5}, "diversity is more than the number of values"),
        ({"named": [4]}, "a named sensitive value does not occur"),
        ({"named": [-1]}, "a named sensitive value does not occur"),
        ({"named": [3, 17]}, "a named sensitive value does not occur"),
        ({"before": BEFORE[:8]}, "as many of each"),
        ({"values": VALUES[:8]}, "as many of each"),
        ({"values": VALUES - 2}, "values must be whole numbers of at least -1"),
        ({"values": VALUES / 2}, "values must be whole numbers"),
        ({"before": BEFORE - 1}, "left_labels must be whole numbers of at least 0"),
        ({"boxes_before": BEFORE_BOXES[:2]}, "a cluster that has no box"),
        ({"boxes_after": APART[:, :2]}, "four for each cluster"),
        ({"boxes_after": APART / 2}, "boxes must be whole numbers"),
        (
            {"before": BEFORE[:0], "after": AFTER[:0], "values": VALUES[:0]},
            "diversity is more than",
        ),
    ],
)
def test_bad_input(wrong: dict[str, Any], words: str) -> None:
    diverse_joins(**FINE)
    with pytest.raises(InputError, match=words):
        diverse_joins(**{**FINE, **wrong})


def test_clusters_that_all_fall_short_are_completed_to_l_values() -> None:
    n, rng = 4_500, np.random.default_rng(4)
    before = np.arange(n) // 3
    low = rng.integers(0, 380, size=n // 3)
    values = np.repeat(rng.integers(0, 6, size=n // 3), 3)
    sides = np.stack([low, low + rng.integers(1, 20, size=n // 3)], axis=1)
    before_boxes, after_boxes = np.tile(sides, 2), np.tile(sides, 2)
    found = diverse_joins(before, before, values, before_boxes, after_boxes, diversity=4)
    lit = np.bincount([cluster for cluster, _ in found], minlength=n // 3)
    assert set(lit.tolist()) == {4}
