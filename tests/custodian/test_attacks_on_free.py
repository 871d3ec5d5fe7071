"""Attacks on all that an analyst has for nothing: the copy, and the tables that the policy lists.

Somebody knows all other persons, and asks whether one is in the data, or who left them between two
versions. The same is asked of the copy alone, and of exact counts, where the attacks succeed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.keys import row_keys, total
from discreet.measure.attacks import attack_secret
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import whole_copy, with_tables

NUMBERS, LEVELS = ("x", "y"), ("ward", "died", "sex")
TABLES = (("died", "ward"), ("sex", "ward"), ("died", "sex"))
BINS = 6

Rows = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float64]


def cohort(n: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(seed)
    ward = random.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    sex = random.choice(["f", "m"], n)
    died = np.where(random.uniform(size=n) < 0.2 + 0.4 * (ward == "a"), "yes", "no")
    x = np.round(random.normal(50, 12, n), 1)
    return {
        "x": x,
        "y": np.round(60 - x / 4 + random.normal(0, 5, n), 1),
        "ward": ward,
        "died": died,
        "sex": sex,
    }


def part_of(rows: Rows, kept: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return {name: values[kept] for name, values in rows.items()}


class Places(NamedTuple):
    """Where counts are taken: edges of bins, and which levels there are."""

    edges: Mapping[str, Floats]

    @classmethod
    def of(cls, rows: Rows) -> Places:
        shares = np.linspace(0, 1, BINS + 1)[1:-1]
        return cls({name: np.quantile(rows[name], shares) for name in NUMBERS})

    def cells(self, rows: Rows, tables: bool) -> Floats:
        """Return for each row in which bins, levels and cells of listed tables it is."""
        out = []
        for name, edges in self.edges.items():
            at = np.searchsorted(edges, rows[name], side="right")
            out += [at == i for i in range(BINS)]
        words = {"ward": "abc", "died": ("no", "yes"), "sex": "fm"}
        of = {name: [rows[name] == word for word in words[name]] for name in LEVELS}
        out += [it for name in LEVELS for it in of[name]]
        if tables:
            out += [i & j for a, b in TABLES for i in of[a] for j in of[b]]
        return np.column_stack(out).astype(np.float64)


def copies(rows: Rows, *words: str | int) -> tuple[dict[str, NDArray[Any]], ...]:
    """Return a copy, and the same one with the counts of listed tables."""
    texts = {name: rows[name].tolist() for name in LEVELS}
    secret = attack_secret(*words)
    keys = row_keys(secret, [*(rows[name] for name in NUMBERS), *texts.values()])
    draws = Draws(secret, secret.digest("attack", total(keys)), keys)
    levels = {name: Levels.of(it) for name, it in texts.items()}
    settings = Settings(5, 10, tables=TABLES)
    alone = whole_copy({name: rows[name] for name in NUMBERS}, levels, draws, settings)
    return tuple(plain(it) for it in (alone, with_tables(alone, levels, draws, settings)))


def plain(made: WholeCopy) -> dict[str, NDArray[Any]]:
    words = {name: np.array(it.texts()) for name, it in made.levels.items()}
    return {**made.numbers, **words}


def auc(within: Sequence[float], without: Sequence[float]) -> float:
    a, b = np.array(within)[:, None], np.array(without)[None, :]
    return float(((a > b) + 0.5 * (a == b)).mean())


# --- is a person among them? ----------------------------------------------------------------------

KNOWN, PAIRS, PERSONS = 120, 40, 2


def membership() -> dict[str, float]:
    """Return how often a pair of copies with and without a person is told apart (AUC).

    The attacker adds how many rows are where the person is, each in units of how it varies.
    """
    found: dict[str, list[float]] = {}
    for person in range(PERSONS):
        rows = cohort(KNOWN, 100 + person)
        places, others = Places.of(rows), part_of(rows, np.arange(KNOWN) > 0)
        mine = places.cells(part_of(rows, np.arange(KNOWN) == 0), tables=True)[0]
        columns = len(places.cells(part_of(rows, np.arange(KNOWN) == 0), tables=False)[0])
        sums: dict[str, list[list[Floats]]] = {}
        for there, held in enumerate((rows, others)):
            exact = places.cells(held, tables=True).sum(axis=0)
            for pair in range(PAIRS):
                alone, listed = (
                    places.cells(it, tables=True).sum(axis=0)
                    for it in copies(held, "membership", person, pair, there)
                )
                of = {
                    "the copy": alone[:columns],
                    "all that is free": listed,
                    "listed tables": listed[columns:],
                    "exact counts": exact[:columns],
                }
                for name, counts in of.items():
                    sums.setdefault(name, [[], []])[there].append(counts)
        for name, (within, without) in sums.items():
            at = {"the copy": mine[:columns], "exact counts": mine[:columns]}
            at |= {"all that is free": mine, "listed tables": mine[columns:]}
            varies = np.maximum(np.std([*within, *without], axis=0), 1e-9)
            scores = [[float((it / varies) @ at[name]) for it in of] for of in (within, without)]
            found.setdefault(name, []).append(auc(*scores))
    return {name: float(np.mean(of)) for name, of in found.items()}


@pytest.mark.slow
def test_membership_is_seen_no_better_than_in_the_copy_alone() -> None:
    """The same attack is certain where it is given exact counts."""
    found = membership()
    assert found["all that is free"] <= found["the copy"] + 0.03
    assert found["listed tables"] <= found["the copy"] + 0.03
    assert found["exact counts"] == 1


def told(preset: str, persons: int) -> list[bool]:
    """Say of persons whether the release is what the attacker computes, with them and not without.

    It is of a study of another secret: the attacker knows all records, and no secret.
    """
    rows = pl.DataFrame(cohort(KNOWN))

    def views(held: pl.DataFrame, secret: str) -> list[str]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("DISCREET_SECRET", secret)
            if preset == "research":
                papers: Any = dc.research(held, k=3)
                return [str(papers.histogram(name).counts) for name in NUMBERS]
            study = dc.open(held, dc.Policy.preset(preset, k=3, tables=TABLES))
            drawn: list[Any] = [study.histogram(name) for name in NUMBERS]
            bars = [study.bars(name) for name in LEVELS]
            tables = [study.crosstab(*pair) for pair in TABLES]
            return [str(it.counts) for it in (*drawn, *bars, *tables)]

    released = views(rows, "0123456789abcdef" * 2)
    found = []
    for person in range(persons):
        others = rows.filter(np.arange(KNOWN) != person)
        inside, outside = (views(it, "fedcba9876543210" * 2) for it in (rows, others))
        found.append(any(i == it != o for i, it, o in zip(inside, released, outside, strict=True)))
    return found


@pytest.mark.slow
def test_nobody_computes_what_is_free_from_the_others_alone() -> None:
    assert not any(told("standard", 4))


def test_exact_counts_are_computed_and_tell_with_certainty() -> None:
    """Which is why they are of public data alone."""
    assert any(told("research", 12))


# --- who left? ------------------------------------------------------------------------------------

FIRST, LEFT, REPEATS = 400, 50, 4


def who_left() -> dict[str, float]:
    """Return how often one who left is told from one who stayed (AUC).

    Of the second version counts are released. Suspicion is the ridge solution of how many are
    missing from each place, for all persons of the first version, who are known.
    """
    scores: dict[str, tuple[list[float], list[float]]] = {}
    random = np.random.default_rng(0)
    for repeat in range(REPEATS):
        rows = cohort(FIRST, repeat)
        places = Places.of(rows)
        stay = np.ones(FIRST, dtype=np.bool_)
        stay[random.permutation(FIRST)[:LEFT]] = False
        second = part_of(rows, stay)
        alone, listed = copies(second, "who left", repeat)
        exact = places.cells(second, tables=False).sum(axis=0)
        released: dict[str, tuple[Floats, bool, float]] = {
            "the copy": (places.cells(alone, tables=False).sum(axis=0), False, 20.0),
            "all that is free": (places.cells(listed, tables=True).sum(axis=0), True, 20.0),
            "exact counts": (exact, False, 0.3),
        }
        for name, (counts, tables, noise) in released.items():
            if name != "exact counts":  # how many rows a copy has is nobody's
                counts = counts * stay.sum() / len(alone["x"])
            known = places.cells(rows, tables=tables)
            found = suspicion(known, known.sum(axis=0) - counts, LEFT / FIRST, noise)
            gone, there = scores.setdefault(name, ([], []))
            gone += found[~stay].tolist()
            there += found[stay].tolist()
    return {name: auc(*of) for name, of in scores.items()}


def suspicion(known: Floats, missing: Floats, share: float, noise: float) -> Floats:
    gram = known.T @ known + noise * np.eye(known.shape[1])
    return share + known @ np.linalg.solve(gram, missing - known.sum(axis=0) * share)


def test_who_left_is_seen_no_better_than_in_the_copy_alone() -> None:
    found = who_left()
    assert found["all that is free"] <= found["the copy"] + 0.03
    assert found["exact counts"] >= found["the copy"] + 0.05  # where the same attack succeeds
