"""How near a copy is to its raw table."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.estimates.fidelity_report import (
    LIMITS,
    Beside,
    ColumnFit,
    Fidelity,
    PairFit,
    SubsetFit,
)
from discreet.estimates.words import nice_above
from discreet.measure.fidelity import Mixed, fidelity, mean_deviation
from discreet.methods.copies import MISSING, OTHER, Draws, Levels, Settings
from discreet.methods.whole import whole_copy
from discreet.secret import Secret


def levels(*words: str) -> Levels:
    """Return a column of levels; an empty word is missing."""
    names = tuple(sorted({*words} - {""}))
    return Levels(names, np.array([names.index(it) if it else -1 for it in words]))


def table(n: int, seed: int = 0) -> Mixed:
    """Make columns that hang together: numbers, gaps, levels."""
    random = np.random.default_rng(seed)
    age = np.round(random.normal(50, 12, n))
    bmi = np.where(random.uniform(size=n) < 0.2, np.nan, 20 + age / 10 + random.normal(0, 3, n))
    cost = np.exp(random.normal(0, 1, n)) * age
    sex = (random.uniform(size=n) < 1 / (1 + np.exp((50 - age) / 8))).astype(np.intp)
    site = random.integers(-1, 4, n)
    words = {"sex": Levels(("f", "m"), sex), "site": Levels(("a", "b", "c", "d"), site)}
    return Mixed({"age": age, "bmi": bmi, "cost": cost}, words)


def taken(of: Mixed, rows: Labels) -> Mixed:
    numbers = {name: values[rows] for name, values in of.numbers.items()}
    words = {name: Levels(it.words, it.codes[rows]) for name, it in of.levels.items()}
    return Mixed(numbers, words)


def draws(of: Mixed, secret: int = 0) -> Draws:
    """Return draws of a secret; here each row is another record."""
    rows = len(of.numbers["age"]) if of.numbers else 0
    keys = np.column_stack([np.arange(rows), np.full(rows, 7)]).astype(np.uint64)
    key = Secret.from_bytes(np.random.default_rng(secret).bytes(32))
    return Draws(key, b"version", keys)


def copied(of: Mixed, secret: int = 0, m: int = 10) -> Mixed:
    made = whole_copy(of.numbers, of.levels, draws(of, secret), Settings(5, m))
    return Mixed(made.numbers, made.levels)


def resamples(of: Mixed, count: int) -> list[Fidelity]:
    """Measure tables drawn from the raw one with replacement."""
    random = np.random.default_rng(1)
    rows = len(of.numbers["age"])
    return [fidelity(of, taken(of, random.integers(0, rows, rows))) for _ in range(count)]


@pytest.fixture(scope="module")
def drawn() -> list[Fidelity]:
    """Return how near 60 resamples of a table are."""
    return resamples(table(300), 60)


class TestColumns:
    @pytest.mark.parametrize(
        ("raw", "released", "distance"),
        [
            ([1, 2, 3, 4], [2, 3, 4, 5], 0.25),
            ([1, 2, 3, 4], [1, 1, 2, 2, 3, 3, 4, 4], 0.0),
            ([1, 2], [5, 6, 7], 1.0),
            ([0, 0, 0, 1], [0, 1], 0.25),
            ([1, 2, 3, 4], [1, 2, np.nan, np.nan, 3, 4], 1 / 3),  # of known ones as many
            ([np.nan, 1], [np.nan, np.nan], 0.5),
            ([np.inf, 1], [np.nan, 1], 0.0),
        ],
    )
    def test_numbers_by_the_largest_gap_between_shares_below(
        self, raw: list[float], released: list[float], distance: float
    ) -> None:
        found = fidelity(
            Mixed({"x": np.array(raw)}, {}), Mixed({"x": np.array(released, dtype=float)}, {})
        )
        (column,) = found.columns
        assert (column.name, column.kind) == ("x", "number")
        assert column.distance == found.largest == pytest.approx(distance)

    @pytest.mark.parametrize(
        ("raw", "released", "distance"),
        [
            (levels("a", "a", "a", "b"), levels("a", "b"), 0.25),
            (levels("a", "b"), levels("b", "a", "a", "b"), 0.0),
            (levels("a", "b"), levels("c"), 1.0),
            # c and d were joined, and so is a missing level that the copy has no word for.
            (levels("a", "a", "c", "d"), levels("a", OTHER), 0.0),
            (levels("a", "a", "c", ""), levels("a", OTHER), 0.0),
            (levels("a", "a", "c", ""), Levels(("a", MISSING, OTHER), np.array([0, 0, 1, 2])), 0),
            (levels("a", ""), levels("a", MISSING), 0.0),
        ],
    )
    def test_levels_by_total_variation(
        self, raw: Levels, released: Levels, distance: float
    ) -> None:
        found = fidelity(Mixed({}, {"x": raw}), Mixed({}, {"x": released}))
        (column,) = found.columns
        assert (column.name, column.kind) == ("x", "levels")
        assert column.distance == pytest.approx(distance)

    def test_columns_that_the_copy_does_not_have_are_not_compared(self) -> None:
        found = fidelity(table(60), Mixed({"age": table(60).numbers["age"]}, {}))
        assert [it.name for it in found.columns] == ["age"]
        assert (found.pairs, found.joint, found.correlations, found.coefficients) == (
            *((), None, None, None),
        )


class TestPairs:
    def test_two_columns_of_two_levels_by_hand(self) -> None:
        raw = Mixed({}, {"x": levels("a", "a", "b", "b"), "y": levels("u", "u", "v", "v")})
        released = Mixed({}, {"x": levels("a", "a", "b", "b"), "y": levels("u", "v", "u", "v")})
        # Two cells of a half: a count of four is off by .75 on average, its share by .1875.
        (pair,) = fidelity(raw, released).pairs
        assert (pair.first, pair.second, pair.distance) == ("x", "y", 0.5)
        assert pair.resample == pytest.approx(0.1875)

    def test_numbers_are_in_fifths_of_the_released_and_gaps_are_a_class(self) -> None:
        x = np.arange(10.0)
        raw = Mixed({"x": x, "y": np.where(x < 5, np.nan, 1.0)}, {})
        released = Mixed({"x": x, "y": np.where(x < 7, np.nan, 1.0)}, {})
        # Two of ten rows are in another class: 5 and 6 of x, which lie in two of its fifths.
        (pair,) = fidelity(raw, released).pairs
        assert pair.distance == pytest.approx(0.2)

    @pytest.mark.parametrize(("n", "share"), [(1, 0.3), (40, 0.5), (30, 0.01), (7, 1.0)])
    def test_how_far_a_share_is_by_brute_force(self, n: int, share: float) -> None:
        from scipy.stats import binom

        counts = np.arange(n + 1)
        expected = np.sum(np.abs(counts / n - share) * binom.pmf(counts, n, share))
        assert mean_deviation(np.array([share]), n)[0] == pytest.approx(expected, abs=1e-12)

    @pytest.mark.slow
    def test_a_resample_is_as_far_as_resamples_are(self, drawn: list[Fidelity]) -> None:
        far = np.array([[pair.distance for pair in it.pairs] for it in drawn]).mean(axis=0)
        near = np.array([[pair.resample for pair in it.pairs] for it in drawn]).mean(axis=0)
        np.testing.assert_allclose(near, far, rtol=0.1)
        words = [it.word for it in drawn]
        assert words.count(LIMITS[0].word) > 50
        assert LIMITS[2].word not in words

    def test_rare_levels_of_many_are_one_class(self) -> None:
        codes = np.arange(400) % 100
        many = Levels(tuple(f"w{i:02}" for i in range(100)), codes)
        raw = Mixed({}, {"x": many, "y": levels(*"ab" * 200)})
        assert fidelity(raw, raw).pairs[0].distance == 0.0


class TestModels:
    def test_of_resamples_they_are_as_far_off_as_expected(self, drawn: list[Fidelity]) -> None:
        for name, near in (("correlations", 0.2), ("coefficients", 0.15)):
            found = [getattr(it, name) for it in drawn]
            assert np.mean([it.distance for it in found]) == pytest.approx(
                found[0].resample, rel=near
            )

    def test_coefficients_by_brute_force(self) -> None:
        random = np.random.default_rng(5)
        raw = random.normal(size=(80, 4)) @ random.normal(size=(4, 4))
        released = random.normal(size=(60, 4)) @ random.normal(size=(4, 4))
        tables = [
            Mixed({f"x{j}": column for j, column in enumerate(it.T)}, {}) for it in (raw, released)
        ]
        ends = np.quantile(released, [0.01, 0.99], axis=0)
        a, b = (np.clip(it, *ends) for it in (raw, released))
        sd = a.std(axis=0)

        off = []
        for y in range(4):
            others = [j for j in range(4) if j != y]
            (slope, error), (copied, _) = (
                _ridge((it - it.mean(axis=0)) / sd, y, others) for it in (a, b)
            )
            off += (np.abs(slope - copied) / error).tolist()
        found = fidelity(*tables).coefficients
        assert found is not None
        assert found.distance == pytest.approx(np.mean(off))

    @pytest.mark.parametrize("near", [0.0, 1e-9, 1e-3])
    def test_columns_that_are_nearly_equal_do_not_decide(self, near: float) -> None:
        raw = table(400)
        random = np.random.default_rng(2)

        def doubled(of: Mixed) -> Mixed:
            cost = of.numbers["cost"]
            twice = cost + near * cost.std() * random.normal(size=len(cost))
            return Mixed({**of.numbers, "twice": twice}, of.levels)

        rows = random.integers(0, 400, 400)
        found = fidelity(doubled(raw), doubled(taken(raw, rows))).coefficients
        assert found is not None
        assert found.distance < 1.2


def _ridge(x: Floats, y: int, others: Sequence[int]) -> tuple[Floats, Floats]:
    """Regress a column by a loop-free ridge, with errors that hold for unequal spread."""
    z, n = x[:, others], len(x)
    inverse = np.linalg.inv(z.T @ z + 0.01 * n * np.eye(len(others)))
    slope = inverse @ z.T @ x[:, y]
    residual = x[:, y] - z @ slope
    sandwich = inverse @ (z.T * residual**2) @ z @ inverse
    return slope, np.sqrt(np.maximum(np.diag(sandwich), 0.01 * np.diag(inverse)))


class TestSubsets:
    def test_of_a_resample_they_are_as_far_off_as_expected(self) -> None:
        found = resamples(table(1500), 6)
        assert [it.persons for it in found[0].subsets] == [30, 50, 100, 300]
        for sizes in zip(*(it.subsets for it in found), strict=True):
            off = np.mean([it.size for it in sizes])
            assert off == pytest.approx(sizes[0].size_of_resample, rel=0.3)
            assert np.median([it.far_means for it in sizes]) < 0.1

    def test_means_that_moved_are_seen(self) -> None:
        raw = table(500)
        moved = Mixed({**raw.numbers, "cost": raw.numbers["cost"] + 60}, raw.levels)
        assert min(it.far_means for it in fidelity(raw, moved).subsets) > 0.2


class TestLaws:
    @given(st.integers(1, 120), st.integers(0, 10**6))
    def test_the_same_table_in_any_order_is_at_no_distance(self, n: int, seed: int) -> None:
        raw = table(n, seed)
        turned = taken(raw, np.random.default_rng(seed).permutation(n))
        found = fidelity(raw, turned)
        assert found.largest == 0
        assert all(it.distance == 0 for it in found.pairs)
        for it in (found.correlations, found.coefficients):
            assert it is None or it.distance < 1e-9
        assert all(it.size == it.far_means == 0 for it in found.subsets)
        assert found.word == LIMITS[0].word

    @given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6))
    def test_shares_are_shares(self, n: int, m: int, seed: int) -> None:
        found = fidelity(table(n, seed), table(m, seed + 1))
        far = [it.distance for it in found.columns] + [it.distance for it in found.pairs]
        assert all(it is not None and 0 <= it <= 1 for it in far)
        assert Fidelity.from_json(found.to_json()) == found

    @pytest.mark.parametrize(
        ("raw", "released", "why"),
        [
            (Mixed({}, {}), Mixed({}, {}), "has no columns"),
            (table(5), Mixed({"height": np.ones(5)}, {}), "no column 'height' of this kind"),
            (table(5), Mixed({}, {"age": levels("a")}), "no column 'age' of this kind"),
            (table(5), Mixed({"age": np.zeros(0)}, {}), "without rows"),
            (table(5), Mixed({"age": np.ones(5), "bmi": np.ones(4)}, {}), "one length"),
        ],
    )
    def test_what_cannot_be_compared(self, raw: Mixed, released: Mixed, why: str) -> None:
        with pytest.raises(InputError, match=why):
            fidelity(raw, released)


def given_figures(**changes: object) -> Fidelity:
    """Return figures of two columns and 1000 rows, as near as a resample."""
    columns = tuple(ColumnFit(name, "number", 0.02, 0.05, 0.05) for name in ("age", "bmi"))
    base = Fidelity(
        1000,
        0.02,
        columns,
        (PairFit("age", "bmi", 0.05, 0.05),),
        Beside(0.03, 0.02),
        Beside(0.9, 0.8),
        (SubsetFit(30, 50, 0.12, 0.3, 0.14, 0.06, 0.05),),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def columns_at(joint: float, resample: float) -> tuple[ColumnFit, ...]:
    return tuple(ColumnFit(name, "number", 0.02, joint, resample) for name in ("age", "bmi"))


class TestWords:
    @pytest.mark.parametrize(
        ("changes", "word"),
        [
            ({}, 0),
            ({"columns": columns_at(0.064, 0.05)}, 0),
            ({"columns": columns_at(0.066, 0.05)}, 1),
            ({"columns": columns_at(0.099, 0.05)}, 1),
            ({"columns": columns_at(0.101, 0.05)}, 2),
            # Of very many rows a resample is at no distance to speak of.
            ({"columns": columns_at(0.029, 0.005)}, 1),
            ({"largest": 0.07}, 1),
            ({"largest": 0.13}, 2),
            ({"largest": 0.10, "rows": 200}, 0),
            ({"correlations": Beside(0.051, 0.02)}, 1),
            ({"correlations": Beside(0.101, 0.02)}, 2),
            ({"coefficients": Beside(1.6, 0.8)}, 1),
            ({"coefficients": Beside(50.0, 0.8)}, 1),
            ({"coefficients": None, "correlations": None}, 0),
        ],
    )
    def test_the_word_is_the_first_whose_limits_are_kept(
        self, changes: dict[str, object], word: int
    ) -> None:
        assert given_figures(**changes).word == LIMITS[word].word

    def test_a_copy_is_nearer_than_a_table_of_shuffled_columns(self) -> None:
        raw = table(400)
        random = np.random.default_rng(3)
        numbers = {name: random.permutation(values) for name, values in raw.numbers.items()}
        words = {
            name: Levels(it.words, random.permutation(it.codes)) for name, it in raw.levels.items()
        }
        assert fidelity(raw, Mixed(numbers, words)).word != LIMITS[0].word
        assert fidelity(raw, copied(raw)).word != LIMITS[2].word

    @pytest.mark.slow
    def test_it_is_told_as_text_and_json_and_its_figure_asks_first(self) -> None:
        found = fidelity(table(200), table(150, 1))

        def closed(form: str) -> NoReturn:
            raise RefusedError(f"not as {form}")

        assert "Pairs of columns, the coarsest first" in found.to_text()
        assert Fidelity.from_json(found.to_json()) == found
        assert "not for release" in repr(found)
        with pytest.raises(RefusedError, match="not as figure"):
            replace(found, gate=closed).plot().savefig("near.png")

    def test_its_first_lines_name_what_is_farthest_in_the_units_of_the_columns(self) -> None:
        n = 40
        raw = Mixed(
            {"age": np.repeat([40.0, 60.0], n), "bmi": np.tile([20.0, 30.0], n)},
            {"sex": levels(*["f"] * n, *["m"] * n)},
        )
        released = Mixed(
            {"age": np.repeat([40.0, 62.0], n), "bmi": raw.numbers["bmi"]},
            {"sex": levels(*["f"] * (n - 8), *["m"] * (n + 8))},
        )

        found = fidelity(raw, released)

        # sd of 40 and 60: 10 * sqrt(80 / 79); of 40 and 62: 11 * sqrt(80 / 79)
        assert found.notes()[:3] == (
            "farthest numbers: age mean 50.0, in the copy 51.0, sd 10.1, in the copy 11.1",
            "farthest levels: sex = f 50.0 % of the rows, in the copy 40.0 %",
            "farthest means of groups: age where sex = m 60.0, in the copy 58.3",
        )
        assert found.notes()[3].startswith("farthest pairs, in points: ")
        dated = replace(found, dates=("age",)).notes()[0]
        assert dated.startswith(
            "farthest numbers: age mean 1970-02-20, in the copy 1970-02-21, sd 10.1, in the"
        )
        assert Fidelity.from_json(found.to_json()) == found

    def test_rounded_figures_name_it_in_points_and_hold_no_means(self) -> None:
        found = given_figures(exact=False)
        few = tuple(it._replace(distance=None) for it in columns_at(0.06, 0.05))
        assert found.notes()[:2] == (
            "farthest columns, in points: age 2.0, bmi 2.0",
            "farthest pairs, in points: age and bmi 5.0 (a resample 5.0)",
        )
        assert given_figures(columns=few, pairs=()).notes()[0] == (
            "farthest columns, with each other one, in points: age 6.0 (a resample 5.0), bmi 6.0"
            " (a resample 5.0)"
        )
        exact = fidelity(table(200), table(150, 1))
        rounded = exact.rounded(draws(table(200)))
        assert exact.moments
        assert exact.shares
        assert (rounded.moments, rounded.shares, rounded.groups) == ((), (), ())
        assert not {"moments", "beside"} & json.loads(rounded.to_json()).keys()

    @pytest.mark.slow
    def test_exact_figures_have_raw_beside_copy(self, tmp_path: Path) -> None:
        exact = fidelity(table(200), table(150, 1))
        rounded = exact.rounded(draws(table(200)))
        order = sorted(exact.columns, key=lambda it: (-(it.distance or 0.0), it.name))
        assert [it.name for it in exact.beside] == [it.name for it in order]
        assert exact.scene().title.startswith("Raw beside copy, for the custodian's eyes: bars are")
        assert [it.title.split(":")[0] for it in exact.scene().panels] == [it.name for it in order]
        page = exact.save(tmp_path / "near.html").read_text()
        assert page.index("Raw beside copy") < page.index("How far columns and pairs are off")
        assert exact.beside_text().startswith("Raw beside copy\n===")
        fewer = replace(exact, beside=exact.beside[:3])
        assert fewer.scene().notes[0] == "not drawn: 2 columns that are nearer"
        assert fewer.beside_text().endswith("- not drawn: 2 columns that are nearer")
        assert (rounded.beside, rounded.beside_text()) == ((), "")
        assert not rounded.scene().title.startswith("Raw")
        assert "Raw beside copy" not in rounded.to_html()

    @pytest.mark.parametrize(
        "text",
        [
            *("", "{}", "[1]", "null", '{"discreet": 2, "kind": "fidelity"}'),
            given_figures().to_json().replace('"rows": 1000', '"rows": NaN'),
            given_figures().to_json().replace('"distance"', '"far"'),
        ],
    )
    def test_what_is_no_json_of_it_is_refused(self, text: str) -> None:
        with pytest.raises(InputError, match="not the JSON of how near"):
            Fidelity.from_json(text)


class TestRounded:
    def test_each_figure_goes_up_or_down_and_stays_on_average(self) -> None:
        exact = fidelity(table(300), table(280, 1))
        found = [exact.rounded(draws(table(1), secret)) for secret in range(300)]
        step = nice_above(7 / 280)
        places = {round(it.largest / step, 6) for it in found}
        assert places <= {exact.largest // step, exact.largest // step + 1}
        assert np.mean([it.largest for it in found]) == pytest.approx(exact.largest, rel=0.15)
        joint = [it.joint.distance for it in found if it.joint]
        assert exact.joint is not None
        assert np.mean(joint) == pytest.approx(exact.joint.distance, rel=0.05)
        assert not any(it.exact for it in found)

    def test_figures_of_persons_with_several_rows_are_rounded_as_for_so_many_persons(self) -> None:
        exact = fidelity(table(2000), table(2000, 1))
        persons = np.arange(2000) // 10
        found = [exact.rounded(draws(table(1), secret), persons).largest for secret in range(30)]
        step = nice_above(7 / 200)
        assert {round(it / step, 6) for it in found} <= {0, 1, 2}
        assert step > 9 * nice_above(7 / 2000)

    def test_the_same_secret_rounds_alike(self) -> None:
        exact = fidelity(table(300), table(280, 1))
        assert exact.rounded(draws(table(3))) == exact.rounded(draws(table(3)))
        assert exact.rounded(draws(table(3))) != exact.rounded(draws(table(3), 1))

    @pytest.mark.parametrize(
        ("rows", "titles"),
        [(150, ["Each column with each other one"]), (5000, ["Each two columns", "Each column"])],
    )
    def test_what_would_be_noise_is_left_out(self, rows: int, titles: list[str]) -> None:
        found = given_figures(rows=rows).rounded(draws(table(1)))
        assert [panel.title for panel in found.scene().panels] == titles
        assert bool(found.pairs) == (found.columns[0].distance is not None) == (rows == 5000)
        assert (" distance " in found.to_text()) == (rows == 5000)


# --- an insider who knows everybody else and has the copy -----------------------------------------


def figures(of: Fidelity) -> Floats:
    """Return the figures that are released of it, in one order."""
    models = [it for it in (of.correlations, of.coefficients) if it]
    return np.array(
        [
            of.largest,
            *itertools.chain(*((it.distance or 0, it.joint, it.resample) for it in of.columns)),
            *itertools.chain(*((it.distance, it.resample) for it in of.pairs)),
            *itertools.chain(*models),
            *itertools.chain(*((it.size, it.size_p90, it.far_means) for it in of.subsets)),
        ]
    )


def told(released: Fidelity, cases: Sequence[Fidelity]) -> float:
    """Return how much likelier the figures are with a person than without.

    How often each comes out is tried with other secrets, as an insider would who knows the code.
    """
    logs = []
    for case in cases:
        tried = np.array([figures(case.rounded(draws(table(1), 5000 + i))) for i in range(20)])
        alike = (np.abs(tried - figures(released)) < 1e-9).sum(axis=0)
        logs.append(np.log((alike + 0.5) / 21).sum())
    return float(logs[1] - logs[0])


def auc(without: Sequence[float], with_it: Sequence[float]) -> float:
    gap = np.subtract.outer(np.array(with_it), np.array(without))
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


@pytest.mark.slow
def test_rounded_figures_do_not_say_whether_somebody_is_in_the_data() -> None:
    raw, rounded, nearest = table(200), ([], []), ([], [])  # type: ignore[var-annotated]
    for trial in range(20):
        worlds = taken(raw, np.delete(np.arange(200), trial)), raw
        for inside, world in enumerate(worlds):
            copy = copied(world, 100 * trial + inside)
            cases = [fidelity(it, copy) for it in worlds]
            released = cases[inside].rounded(draws(table(1), 7 * trial + inside))
            rounded[inside].append(told(released, cases))
            seen = np.round(figures(cases[inside]), 3)  # of a rounding that is no protection
            off = [np.abs(seen - np.round(figures(it), 3)).sum() for it in cases]
            nearest[inside].append(off[0] - off[1])
    assert auc(*nearest) > 0.95
    assert auc(*rounded) < 0.75
