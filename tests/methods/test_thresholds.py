"""What a number of persons decides in a copy: no single person is sure to turn it.

Somebody knows all persons of a table but one, makes copies with and without that one under secrets
of their own, and looks for a sign that the threshold was reached.
"""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.keys import row_keys, total
from discreet.methods import whole as whole_of
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import whole_copy
from discreet.secret import Secret

N, K, M = 120, 5, 6
RANDOM = np.random.default_rng(2)
X, Y = RANDOM.normal(50, 10, N), RANDOM.normal(20, 4, N)
START, TOOK = np.round(RANDOM.gamma(4, 10, N)), 1 + np.round(RANDOM.gamma(2, 15, N))

Columns = dict[str, Floats]
Made = tuple[Columns, dict[str, list[str]]]


GAP: Made = ({"x": X}, {})


def copy_of(made: Made, seed: int, rows: int = N) -> WholeCopy:
    """Make a copy of the first so many persons, beside a column that is theirs alone."""
    numbers = {name: column[N - rows :] for name, column in ({"z": Y[::-1]} | made[0]).items()}
    words = {name: texts[N - rows :] for name, texts in made[1].items()}
    secret = Secret.from_bytes(np.random.default_rng([seed, rows]).bytes(32))
    keys = row_keys(secret, [*numbers.values(), *words.values()])
    draws = Draws(secret, secret.digest("version", total(keys)), keys)
    levels = {name: Levels.of(texts) for name, texts in words.items()}
    return whole_copy(numbers, levels, draws, Settings(K, M))


def auc(beside: Floats, without: Floats) -> float:
    """Return how often a sign with the person is larger than one without, ties by half."""
    more = np.sign(beside[:, None] - without[None]) / 2 + 0.5
    return float(max(more.mean(), 1 - more.mean()))


# --- how many rows ------------------------------------------------------------------------------


def rows_of(persons: int, copies: int) -> Floats:
    """Return how many rows copies of a table of so many persons have."""
    table = GAP
    return np.array([len(copy_of(table, seed, persons).source) for seed in range(copies)], float)


@pytest.mark.slow
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


def test_a_copy_of_few_persons_has_no_row_twice() -> None:
    """However many more rows than persons the secret draws."""
    copies = [copy_of(GAP, seed, 5 * K) for seed in range(30)]
    longest = max(copies, key=lambda copy: len(copy.source))
    assert len(longest.source) > 5 * K
    rows = np.column_stack([longest.numbers["x"], longest.numbers["z"]])
    assert len(np.unique(rows, axis=0)) > 0.8 * len(rows)


@pytest.mark.slow
def test_the_secret_decides_how_few_persons_are_refused() -> None:
    def refused(persons: int, seed: int) -> bool:
        try:
            copy_of(GAP, seed, persons)
        except RefusedError as error:
            return "too few people" in str(error)
        return False

    found = [[refused(n, seed) for seed in range(12)] for n in (19, 20, 22, 25)]
    assert all(found[0])
    assert any(found[1])
    assert 0 < sum(found[2]) < 12
    assert not any(found[3])


@pytest.mark.slow
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
