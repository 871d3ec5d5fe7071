"""Tables too wide for their rows: said before a copy is made, with fewer columns proposed.

Where few people have many columns, hardly two are alike, and who knows everybody else tells from
a copy who is in it. How wide a table is is measured in levels: those of its columns of levels, and
four, its quarters, for a column of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from discreet.arguments import Labels
from discreet.methods.base import persons_in
from discreet.methods.copies import Draws, Levels

QUARTERS = 4
"""A column of numbers counts as so many levels."""
PERSONS_PER_LEVEL = 10
"""A table of fewer people a level is wide."""
UNSURE = 0.1
"""By up to this share to both sides the secret says where a table begins to be wide."""
MOST_NAMED, LEAST_TOGETHER = 3, 2


def width_of(numbers: Collection[str], counts: Mapping[str, int]) -> dict[str, int]:
    """Return how wide each column is: of levels so many as were counted, of numbers four."""
    return {**dict.fromkeys(numbers, QUARTERS), **counts}


def levels_of(persons: Iterable[int], least: int) -> int:
    """Return how many levels a column counts for: those of fewer than `least` people are one."""
    some = [it for it in persons if it > 0]
    return sum(it >= least for it in some) + any(it < least for it in some)


def said_of_width(
    numbers: Collection[str],
    levels: Mapping[str, Levels],
    draws: Draws,
    k: int,
    persons: Labels | None,
) -> str:
    """Return how wide a table is, and of how many columns it would not be; "" where it is not.

    Which levels count, and where a table begins to be wide, the secret draws. No number of people
    is said.
    """
    least = draws.threshold("levels of a wide table", k)
    width = width_of(numbers, {n: _count_levels(it, least, persons) for n, it in levels.items()})
    everyone = len(draws.keys) if persons is None else len(np.unique(persons))
    between = 1 + UNSURE * (2 * float(draws.of_table("wide table", 1)[0]) - 1)
    wanted = PERSONS_PER_LEVEL * sum(width.values()) * between
    if wanted <= everyone or len(width) < 2 * LEAST_TOGETHER:
        return ""
    together = max(LEAST_TOGETHER, len(width) // math.ceil(wanted / everyone))
    widest = sorted(width, key=lambda name: (-width[name], name))[:MOST_NAMED]
    return (
        f"the table is wide: its {len(width)} columns have about "
        f"{about_two_digits(sum(width.values()))} levels (4 in a column of numbers), more than "
        f"one for each {PERSONS_PER_LEVEL} people. Somebody who knows everybody else may tell "
        "from such a copy who is in it; discreet attack measures it. Open a table of the "
        f"columns that are needed together, of about {together} or fewer; most levels have "
        f"{', '.join(map(repr, widest))}"
    )


def about_two_digits(number: float) -> str:
    """Return a number with two digits that count."""
    return f"{int(float(f'{number:.1e}')):,}"


def _count_levels(column: Levels, least: int, persons: Labels | None) -> int:
    known = column.codes >= 0
    counts = persons_in(column.codes[known], None if persons is None else persons[known])
    return levels_of(counts.tolist(), least)
