"""What random partitions cost a copy in nearness and gain in risk, beside partitions by value.

`python -m benchmarks.partitions` prints the table of docs/scale.md, means of three secrets.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from discreet.measure.fidelity import Mixed, fidelity
from discreet.methods.alike import persons_alike
from discreet.methods.copies import Draws
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import open_table
from discreet.vault.vault import raw_whole
from discreet.vault.whole_columns import RawWhole, copy_of_whole

ROWS, COLUMNS, TRIED = 200_000, 4, 4_000
SECRETS = tuple(Secret.from_bytes(bytes(range(start, start + 32))) for start in (0, 40, 80))
Rows = NDArray[np.intp]
Split = Callable[[NDArray[np.float64], int], list[Rows]]


def table() -> RawWhole:
    """Return lognormal columns that hang on three hidden numbers."""
    rng = np.random.default_rng(2)
    hidden = rng.normal(size=(ROWS, 3))
    columns = {
        f"x{j}": np.exp(hidden @ rng.normal(size=3) * 0.3 + rng.normal(size=ROWS) * 0.3) * 20
        for j in range(COLUMNS)
    }
    rounded = pa.table({name: np.round(values, 1) for name, values in columns.items()})
    opened = open_table(rounded, kinds={}, roles={}, unit=None, key=None)
    return raw_whole(opened, Policy.preset("standard"), SECRETS[0])


def at_random(values: NDArray[np.float64], count: int) -> list[Rows]:
    """Return the rows of random partitions."""
    place = np.random.default_rng(3).integers(0, count, len(values))
    return [np.flatnonzero(place == i) for i in range(count)]


def by_value(values: NDArray[np.float64], count: int) -> list[Rows]:
    """Return the rows of partitions that are cut at the median of the widest column of ranks."""
    ranks = np.argsort(np.argsort(values, axis=0, kind="stable"), axis=0, kind="stable")
    parts = [np.arange(len(values))]
    while len(parts) < count:
        halves = []
        for rows in parts:
            of = values[rows, int(np.argmax(ranks[rows].std(axis=0)))]
            halves += [rows[of < np.median(of)], rows[of >= np.median(of)]]
        parts = halves
    return parts


def measured(raw: RawWhole, parts: list[Rows], secret: Secret) -> tuple[float, ...]:
    """Protect each partition; return CPU seconds, how near all are, and how many are linked."""
    start, made, source = time.process_time(), [], []
    for place, rows in enumerate(parts):
        numbers = {name: column[rows] for name, column in raw.numbers.items()}
        draws = Draws(secret, secret.digest("partition", bytes([place])), raw.draws.keys[rows])
        alike = persons_alike(numbers, {}, draws)  # as of every partition that is read
        part = dataclasses.replace(raw, numbers=numbers, draws=draws, persons=alike)
        copy = copy_of_whole(part)
        made.append(copy.numbers)
        source.append(rows[copy.source])
    seconds = time.process_time() - start
    numbers = {name: np.concatenate([part[name] for part in made]) for name in raw.numbers}
    before, after = (np.column_stack([of[it] for it in numbers]) for of in (raw.numbers, numbers))
    sd, drawn_for = before.std(axis=0), np.concatenate(source)
    tried = np.random.default_rng(1).choice(len(drawn_for), TRIED, replace=False)
    nearest = cKDTree(after / sd).query(before[drawn_for[tried]] / sd)[1]
    linked = float(np.mean(drawn_for[nearest] == drawn_for[tried]))
    near = fidelity(Mixed(raw.numbers, {}), Mixed(numbers, {}))
    pairs = float(np.mean([pair.ratio for pair in near.pairs]))
    coefficients = near.coefficients.distance if near.coefficients else float("nan")
    return seconds, near.largest, pairs, coefficients, linked


def main() -> None:
    """Print a line for each way and number of partitions."""
    raw = table()
    values = np.column_stack([*raw.numbers.values()])
    ways: dict[str, Split] = {"random": at_random, "by value": by_value}
    print("| partitions | CPU s | largest | pairs | coefficients | linkage |")
    print("|---|---|---|---|---|---|")
    for way, split in {"": at_random, **ways}.items():
        for count in (4, 16, 64) if way else (1,):
            parts = split(values, count)
            found = np.mean([measured(raw, parts, secret) for secret in SECRETS], axis=0)
            figures = " | ".join(
                f"{it:.{digits}f}" for it, digits in zip(found, (1, 4, 2, 2, 4), strict=True)
            )
            print(f"| {count} {way} | {figures} |")


if __name__ == "__main__":
    main()
