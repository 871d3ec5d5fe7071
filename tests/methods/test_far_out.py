"""Columns whose mean hangs on few persons far out."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats
from discreet.keys import row_keys, total
from discreet.methods.copies import ONE, Draws, Settings, threshold
from discreet.methods.relations import Relations
from discreet.methods.safe_values import (
    Ends,
    SafeColumn,
    far_out,
    far_out_together,
    safe_column,
    words_of_ends,
)
from discreet.methods.whole import whole_copy
from discreet.secret import Secret

K, M = 5, 20
NORMAL = np.random.default_rng(7).normal(50, 10, 500)


def safe_of(x: Floats, seed: int, rows: int = 1) -> SafeColumn:
    """Return safe values of persons who have so many rows each."""

    def draw(name: str, count: int) -> Floats:
        return np.random.default_rng([seed, *name.encode()]).uniform(size=count)

    weights = np.full(len(x), ONE // rows, dtype=np.int64)
    return safe_column(x, weights, draw, lambda name: draw(name, len(x)), K, M)


def found(x: Floats, few: int, seed: int = 1, rows: int = 1) -> Ends:
    """Say at which ends the mean of a column hangs on `few` persons or more."""
    weights = np.full(len(x), ONE // rows, dtype=np.int64)
    return far_out(x, weights, safe_of(x, seed, rows), K, few)


def with_far(persons: int, value: float, x: Floats = NORMAL) -> Floats:
    """Return a column in which the last persons lie so far out."""
    return np.append(x[: len(x) - persons], np.full(persons, value))


# --- what is said -------------------------------------------------------------------------------

TAILS: dict[str, tuple[Floats, Ends]] = {
    "bell": (NORMAL, (False, False)),
    "even": (np.random.default_rng(1).uniform(0, 9, 500), (False, False)),
    "exponential": (np.random.default_rng(2).exponential(4, 500), (False, False)),
    "nine far above": (with_far(9, 400.0), (False, True)),
    "nine far below": (with_far(9, -300.0), (True, False)),
    "at both ends": (with_far(9, -300.0, with_far(18, 400.0)), (True, True)),
    "a heavy tail": (np.random.default_rng(3).pareto(0.6, 500), (False, True)),
    "nine beside a value of many": (np.append(np.zeros(491), 30.0 + np.arange(9)), (False, True)),
    "a scale": (np.random.default_rng(4).integers(1, 6, 500).astype(float), (False, False)),
}


@pytest.mark.parametrize(("x", "wanted"), TAILS.values(), ids=TAILS)
def test_a_mean_hangs_on_an_end_where_persons_of_enough_lie_far_out(
    x: Floats, wanted: Ends
) -> None:
    assert {found(x, few, seed) for few in (5, 9) for seed in range(4)} == {wanted}


def test_where_it_is_said_the_mean_is_off() -> None:
    for x, (low, high) in TAILS.values():
        off = [safe_of(x, seed).centre.mean() - x.mean() for seed in range(12)]
        error = safe_of(x, 0).centre.std() / np.sqrt(len(x))
        if high != low:
            assert (np.mean(off) < -0.5 * error) == high
            assert (np.mean(off) > 0.5 * error) == low


def test_who_is_far_out_but_moves_no_mean_is_not_said() -> None:
    x = np.append(np.random.default_rng(0).normal(50, 10, 200_000), np.full(9, 140.0))

    assert found(x, 5) == (False, False)
    assert found(x[-1000:], 5) == (False, True)


# --- what it hangs on ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [400.0, 1e4, 1e9])
@pytest.mark.parametrize("persons", range(12))
def test_it_hangs_on_how_many_persons_and_not_on_how_far_out(persons: int, value: float) -> None:
    said = [found(with_far(persons, value), few)[1] for few in range(K, 2 * K)]

    assert said == [persons >= few for few in range(K, 2 * K)]


@pytest.mark.parametrize("kind", ["far", "harmonic", "pareto", "beside a value of many"])
def test_one_person_more_turns_it_for_one_draw_of_k_at_the_most(kind: str) -> None:
    """Whoever it is: of 1 / rank tails every rank times its value is the same."""
    random = np.random.default_rng(11)
    for _ in range(20):
        x = {
            "far": np.append(NORMAL[:-8], random.uniform(90, 300, 8)),
            "harmonic": 100 / (1 + random.permutation(500)),
            "pareto": random.pareto(1.3, 500),
            "beside a value of many": np.append(np.zeros(495), random.uniform(0, 9, 5)),
        }[kind]
        one = np.append(x, 10 * np.abs(x).max())
        # The same blocks: their cuts are other draws, in another copy.
        said = []
        for column, extra in ((x, 0), (one, 1)):
            at = np.full(len(column), ONE, dtype=np.int64)
            safe = safe_of(x, 5)
            if extra:
                top = np.argmax(safe.centre)
                centre, half, step = (
                    np.append(it, it[top]) for it in (safe.centre, safe.half, safe.step)
                )
                safe = SafeColumn(centre, half, step, np.append(safe.order, len(x)))
            said.append([far_out(column, at, safe, K, few)[1] for few in range(K, 2 * K)])
        assert sum(a != b for a, b in zip(*said, strict=True)) <= 1


def test_all_rows_of_a_person_are_those_of_one() -> None:
    x = np.repeat(with_far(3, 400.0, NORMAL[:200]), 4)

    assert found(x, 5, rows=1) == (False, True)
    assert found(x, 5, rows=4) == (False, False)


def test_a_person_sees_the_note_come_and_go_hardly_more_often_than_by_guessing() -> None:
    draw = np.random.default_rng(3)

    def said(persons: int) -> float:
        few = [threshold(chance, K) for chance in draw.uniform(size=400)]
        return float(np.mean([found(with_far(persons, 1e6), it, 2)[1] for it in few]))

    by_persons = [said(persons) for persons in (0, 1, 4, 5, 6, 9)]
    assert by_persons[:3] == [0, 0, 0]
    assert by_persons[3] == pytest.approx(0.2, abs=0.08)
    assert by_persons[4] == pytest.approx(0.4, abs=0.08)
    assert by_persons[5] == 1


def test_the_copies_of_a_secret_say_it_as_often_as_the_secret_draws() -> None:
    """Of those far out a tenth to a fifth take no part."""

    def said(persons: int, seed: int) -> bool:
        secret = Secret.from_bytes(np.random.default_rng([seed, persons]).bytes(32))
        x = with_far(persons, 1e6, NORMAL[:150])
        keys = row_keys(secret, [x])
        draws = Draws(secret, secret.digest("version", total(keys)), keys)
        return "x" in whole_copy({"x": x}, {}, draws, Settings(K, M)).far_out

    shown = {n: np.mean([said(n, seed) for seed in range(20)]) for n in (4, 8, 9, 14)}

    assert shown[4] == 0
    assert 0.1 < shown[8] < 0.9
    assert 0.2 < shown[9] < 1
    assert shown[14] == 1


# --- of columns together ------------------------------------------------------------------------


def test_what_is_made_of_a_column_hangs_on_those_it_hangs_on() -> None:
    none, low, high = (False, False), (True, False), (False, True)
    relations = Relations({"total": ("pay", "gift")}, (), {"end": "start", "last": "end"})
    told = {"start": high, "end": none, "last": low, "pay": none, "gift": high, "age": none}
    out = far_out_together(told, relations)

    assert out == {**told, "end": high, "last": (True, True), "total": high}
    assert words_of_ends(out) == {
        **dict.fromkeys(["end", "gift", "start", "total"], "too low"),
        "last": "off",
    }
