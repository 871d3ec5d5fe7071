"""What a number of persons decides in a copy: no single person is sure to turn it.

Somebody knows all persons of a table but one, makes copies with and without that one under secrets
of their own, and looks for a sign that the threshold was reached.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.keys import row_keys, total
from discreet.methods import relations
from discreet.methods import whole as whole_of
from discreet.methods.copies import MISSING, Draws, Levels, Settings, WholeCopy, participants
from discreet.methods.whole import whole_copy
from discreet.secret import Secret

N, K, M = 120, 5, 6
RANDOM = np.random.default_rng(2)
X, Y = RANDOM.normal(50, 10, N), RANDOM.normal(20, 4, N)
START, TOOK = np.round(RANDOM.gamma(4, 10, N)), 1 + np.round(RANDOM.gamma(2, 15, N))
GAPS = (RANDOM.uniform(size=N) < 0.3) & (np.arange(N) < N - 2 * K - 1)

Columns = dict[str, Floats]
Made = tuple[Columns, dict[str, list[str]]]


class Oracle(NamedTuple):
    """Makes a table in which the last so many persons are exceptions, and the sign of a copy.

    `never` and `ever` are how many exceptions never show, and always do; `middle` how many others
    there are, of whom one more turns the sign at the most often.
    """

    made: Callable[[int], Made]
    sign: Callable[[WholeCopy], bool]
    never: int = K - 1
    ever: int = 4 * K
    middle: int = K + 2


def last(exceptions: int) -> NDArray[np.bool_]:
    """Say which persons are exceptions: the last ones."""
    return np.arange(N) >= N - exceptions


def equal(exceptions: int) -> Made:
    """Exceptions lie above and below in turn: else b would be an end, never before its start a.

    An end is drawn as the time since its start, and of fewer than m persons no time is drawn.
    """
    off = np.where(np.arange(N) % 2 == 0, 7, -7)
    return {"a": START, "b": START + off * last(exceptions)}, {}


def order(exceptions: int) -> Made:
    end = np.where(last(exceptions), START - 9, START + TOOK)
    return {"start": START, "end": end}, {}


def sums(exceptions: int) -> Made:
    return {"a": START, "b": TOOK, "c": START + TOOK + 3 * last(exceptions)}, {}


def patterns(exceptions: int) -> Made:
    first, second = np.where(GAPS, np.nan, X), np.where(GAPS | last(exceptions), np.nan, Y)
    return {"x": first, "y": second}, {}


def gap(exceptions: int) -> Made:
    return {"x": np.where(last(exceptions), np.nan, X)}, {}


def sparse(known: int) -> Made:
    return {"x": np.where(last(known), X, np.nan)}, {}


def whole(exceptions: int) -> Made:
    x = np.round(X * 3)
    x[np.argsort(X)[:: N // 40][:exceptions]] += 0.5
    return {"x": x}, {}


def level(exceptions: int) -> Made:
    words = np.where(np.arange(N) < N // 2, "a", "b").astype(object)
    words[last(exceptions)] = "rare"
    words[last(exceptions + 6) & ~last(exceptions)] = "other"
    return {}, {"l": [*words]}


def missing_level(exceptions: int) -> Made:
    words = np.where(np.arange(N) < N // 2, "a", "b").astype(object)
    words[last(exceptions)] = ""
    return {}, {"l": [*words]}


def constant(exceptions: int) -> Made:
    return {"x": np.where(last(exceptions), 9.0, 3.0)}, {}


def differ(first: str, second: str) -> Callable[[WholeCopy], bool]:
    return lambda copy: bool((copy.numbers[first] != copy.numbers[second]).any())


ORACLES: dict[str, Oracle] = {
    "equal columns": Oracle(equal, differ("a", "b")),
    "an end before its start": Oracle(
        order, lambda copy: bool((copy.numbers["end"] < copy.numbers["start"]).any()), ever=30
    ),
    "a total that is no sum": Oracle(
        sums,
        lambda c: bool((np.abs(c.numbers["a"] + c.numbers["b"] - c.numbers["c"]) > 1e-6).any()),
    ),
    "patterns of gaps": Oracle(
        patterns,
        lambda copy: bool((np.isnan(copy.numbers["x"]) != np.isnan(copy.numbers["y"])).any()),
        ever=4 * K,
    ),
    "gaps": Oracle(gap, lambda copy: bool(np.isnan(copy.numbers["x"]).any())),
    "a column of few numbers": Oracle(
        sparse, lambda copy: "x" in copy.numbers, 4 * K - 1, 9 * K, 6 * K
    ),
    "whole numbers": Oracle(
        whole, lambda c: bool((c.numbers["x"] != np.round(c.numbers["x"])).any()), ever=30
    ),
    "a level": Oracle(level, lambda copy: "rare" in copy.levels["l"].words),
    "a level that is missing": Oracle(
        missing_level, lambda copy: MISSING in copy.levels["l"].words
    ),
    "a column that is nearly constant": Oracle(
        constant, lambda copy: len(np.unique(copy.numbers["x"])) > 1
    ),
}


def copy_of(made: Made, seed: int, rows: int = N) -> WholeCopy:
    """Make a copy of the first so many persons, beside a column that is theirs alone."""
    numbers = {name: column[N - rows :] for name, column in ({"z": Y[::-1]} | made[0]).items()}
    words = {name: texts[N - rows :] for name, texts in made[1].items()}
    secret = Secret.from_bytes(np.random.default_rng([seed, rows]).bytes(32))
    keys = row_keys(secret, [*numbers.values(), *words.values()])
    draws = Draws(secret, secret.digest("version", total(keys)), keys)
    levels = {name: Levels.of(texts) for name, texts in words.items()}
    return whole_copy(numbers, levels, draws, Settings(K, M))


def signs(of: Oracle, exceptions: int, copies: int) -> list[bool]:
    """Return whether each of several copies shows the sign."""
    return [of.sign(copy_of(of.made(exceptions), seed)) for seed in range(copies)]


@pytest.mark.parametrize("of", ORACLES.values(), ids=ORACLES)
def test_many_persons_are_seen_and_few_are_not(of: Oracle) -> None:
    """Else no sign would be one."""
    assert not any(signs(of, of.never, 4))
    assert not any(signs(of, 0, 1))
    assert all(signs(of, of.ever, 4))


@pytest.mark.parametrize("of", ORACLES.values(), ids=ORACLES)
def test_the_secret_decides_with_a_person_and_without(of: Oracle) -> None:
    for exceptions in (of.middle, of.middle + 1):
        found = signs(of, exceptions, 16)
        assert 0 < sum(found) < len(found)


def auc(beside: Floats, without: Floats) -> float:
    """Return how often a sign with the person is larger than one without, ties by half."""
    more = np.sign(beside[:, None] - without[None]) / 2 + 0.5
    return float(max(more.mean(), 1 - more.mean()))


UNTURNED = (
    "equal columns",
    "an end before its start",
    "a total that is no sum",
    "patterns of gaps",
    "gaps",
)


@pytest.mark.parametrize("name", UNTURNED)
def test_without_a_draw_the_last_person_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Draws, "threshold", lambda _, name, least: least)
    monkeypatch.setattr(relations, "threshold", lambda chance, least: least)
    everyone = partial(participants, left_out=0.0)  # exceptions are of those who take part
    monkeypatch.setattr(whole_of, "participants", lambda *given: everyone(*given[:3]))
    of = ORACLES[name]
    found = [np.array(signs(of, n, 8), dtype=np.float64) for n in (of.never + 1, of.never)]
    assert auc(*found) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("of", ORACLES.values(), ids=ORACLES)
@pytest.mark.parametrize("at", ["never", "middle"])
def test_one_person_is_hardly_seen(of: Oracle, at: str) -> None:
    """Where a draw of five decides, the AUC is .6, of 100 copies with an sd of .02."""
    others = of.never if at == "never" else of.middle
    found = [np.array(signs(of, n, 100), dtype=np.float64) for n in (others + 1, others)]
    assert auc(*found) <= 0.65


# --- how many rows ------------------------------------------------------------------------------


def rows_of(persons: int, copies: int) -> Floats:
    """Return how many rows copies of a table of so many persons have."""
    table = gap(0)
    return np.array([len(copy_of(table, seed, persons).source) for seed in range(copies)], float)


@pytest.mark.parametrize("persons", [120])
def test_how_many_rows_a_copy_has_hardly_hangs_on_one_person(
    persons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [rows_of(n, 40) for n in (persons, persons - 1)]
    assert found[0].mean() == pytest.approx(persons, abs=6)
    assert min(it.std() for it in found) > 1.5 * K
    assert auc(*found) < 0.65
    monkeypatch.setattr(whole_of, "ROWS_NOISE", 0.0)
    assert auc(*(rows_of(n, 4) for n in (persons, persons - 1))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("persons", [100])
def test_many_copies_hardly_show_one_person_by_their_rows(persons: int) -> None:
    assert auc(*(rows_of(n, 200) for n in (persons, persons - 1))) <= 0.65


def test_a_copy_of_few_persons_has_no_row_twice() -> None:
    """However many more rows than persons the secret draws."""
    copies = [copy_of(gap(0), seed, 5 * K) for seed in range(30)]
    longest = max(copies, key=lambda copy: len(copy.source))
    assert len(longest.source) > 5 * K
    rows = np.column_stack([longest.numbers["x"], longest.numbers["z"]])
    assert len(np.unique(rows, axis=0)) > 0.8 * len(rows)


def test_the_secret_decides_how_few_persons_are_refused() -> None:
    def refused(persons: int, seed: int) -> bool:
        try:
            copy_of(gap(0), seed, persons)
        except RefusedError as error:
            return "too few persons" in str(error)
        return False

    found = [[refused(n, seed) for seed in range(12)] for n in (19, 20, 22, 25)]
    assert all(found[0])
    assert any(found[1])
    assert 0 < sum(found[2]) < 12
    assert not any(found[3])


# --- totals ---------------------------------------------------------------------------------------


def test_each_count_of_a_copy_has_noise_that_grows_with_its_columns() -> None:
    random = np.random.default_rng(5)
    numbers = {f"x{j}": random.normal(size=300) for j in range(5)}
    codes = {f"l{j}": random.integers(0, 3, 300) for j in range(4)}
    words = {name: [*np.array(["a", "b", "c"])[it]] for name, it in codes.items()}
    found = []
    for seed in range(40):
        secret = Secret.from_bytes(np.random.default_rng(seed).bytes(32))
        keys = row_keys(secret, [*numbers.values(), *words.values()])
        draws = Draws(secret, secret.digest("version", total(keys)), keys)
        levels = {name: Levels.of(texts) for name, texts in words.items()}
        made = whole_copy(numbers, levels, draws, Settings(K, 2 * K))
        share = 300 / len(made.source)
        below = [share * (made.numbers[n] < 0).sum() for n in numbers]
        near = [share * (np.abs(made.numbers[n] - 1) < 0.25).sum() for n in numbers]
        of_level = [share * (made.levels[n].codes == 0).sum() for n in words]
        found.append([below, near, [*of_level, 0]])
    spread = np.array(found).std(axis=0)
    counts = np.array(found).mean(axis=0)
    raw = [[(numbers[n] < 0).sum() for n in numbers], [(codes[n] == 0).sum() for n in words]]

    least = 2 * np.sqrt(9)
    assert spread[0].mean() > 0.8 * least
    assert spread[1].mean() > 0.8 * least
    assert spread[2, :4].mean() > 0.7 * least  # of three that add up to the rows
    np.testing.assert_allclose(counts[0], raw[0], rtol=0.1)
    np.testing.assert_allclose(counts[2, :4], raw[1], rtol=0.1)


def test_a_lone_rare_level_takes_no_other_name_away() -> None:
    words = [*np.where(np.arange(N) < N // 2, "a", "b").astype(object)]
    words[-2:] = ["rare", "rare"]
    found = [copy_of(({}, {"l": words}), seed).levels["l"].words for seed in range(4)]
    assert {*found} == {("a", "b")}


def test_several_rare_levels_are_joined() -> None:
    words = [*np.where(np.arange(N) < N // 2, "a", "b").astype(object)]
    words[-20:] = [f"rare {i // 2}" for i in range(20)]
    assert copy_of(({}, {"l": words}), 1).levels["l"].words == ("(other)", "a", "b")


def test_two_columns_of_the_same_numbers_are_drawn_apart() -> None:
    """Else equal margins would say that the numbers of one are those of the other."""
    turned = START[np.random.default_rng(1).permutation(N)]
    found = copy_of(({"a": START, "b": turned}, {}), 1).numbers
    assert not np.array_equal(np.sort(found["a"]), np.sort(found["b"]))
