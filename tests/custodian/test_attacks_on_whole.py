"""A copy of the whole table under many requests, of which none is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc

K = 5


def cohort(n: int, seed: int) -> pl.DataFrame:
    """Make a table with outliers and a small level, that have something to hide."""
    random = np.random.default_rng(seed)
    x = np.round(random.normal(50, 12, n), 1)
    return pl.DataFrame(
        {
            "x": x,
            "y": np.round(60 - x / 4 + random.lognormal(1.5, 0.6, n), 1),
            "ward": random.choice(["a", "b", "c", "d"], n, p=[0.5, 0.3, 0.16, 0.04]),
            "died": np.where(random.uniform(size=n) < x / 120, "yes", "no"),
        }
    )


@pytest.mark.slow
def test_a_walk_of_two_analysts_is_never_refused() -> None:
    raw = cohort(500, 9)
    far = {"x": [-400.0, 700.0], "y": [-900.0, 2000.0], "ward": ["a", "b"], "died": ["no", "yes"]}
    raw = pl.concat([raw, pl.DataFrame(far)])
    analysts = [dc.open(raw, study="walk") for _ in range(2)]
    random = np.random.default_rng(1)
    levels = ["ward", "died"]

    def pick(of: Sequence[str]) -> str:
        return str(random.choice(np.array(of)))

    def pair() -> list[str]:
        return [str(it) for it in random.permutation(["x", "y"])]

    walks: list[Callable[[dc.Study], Any]] = [
        lambda s: s.histogram(pick(["x", "y"])),
        lambda s: s.histogram(pick(["x", "y"]), bins=int(random.integers(2, 60))),
        lambda s: s.histogram(pick(["x", "y"]), by=pick(levels)),
        lambda s: s.scatter(*pair(), by=pick(levels), trend=bool(random.integers(2))),
        lambda s: s.heatmap(*pair(), grid=int(random.integers(2, 60))),
        lambda s: s.heatmap(*pair(), by=pick(levels)),
        lambda s: s.contour(*pair()),
        lambda s: s.box(*pair()),
        lambda s: s.box(pick(["x", "y"]), by=pick(levels)),
        lambda s: s.bars(pick(levels)),
        lambda s: s.bars("ward", by="died"),
        lambda s: s.crosstab(*[str(it) for it in random.permutation(levels)]),
        lambda s: s.parallel([str(it) for it in random.permutation([*levels, "x", "y"])]),
        lambda s: s.residuals(f"{pair()[0]} ~ {pick(levels)}"),
        lambda s: s.leverage("y ~ x * died"),
    ]
    for _ in range(120):
        study = analysts[int(random.integers(2))]
        walks[int(random.integers(len(walks)))](study).to_json()
    read, made = analysts[0].session.made_whole()
    for name, found in made.levels.items():
        words = [read.levels[name].words[code] for code in read.levels[name].codes]
        for word in {found.words[code] for code in found.codes} - {"(other)"}:
            assert words.count(word) >= K
    for name, values in made.numbers.items():
        own = np.sort(read.numbers[name])
        middle = float(np.median(own))
        # An end is drawn up to 1.4 times as far out as K persons or more are: nowhere near the two.
        assert values.max() - middle <= 1.5 * (own[-K] - middle)
        assert middle - values.min() <= 1.5 * (middle - own[K - 1])
