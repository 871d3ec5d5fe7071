"""What random partitions cost a declared group in nearness, and gain in risk.

`python -m benchmarks.groups_in_partitions` prints the table of docs/scale.md, means of three
secrets.
"""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
from scipy.spatial import cKDTree

from benchmarks.partitions import COLUMNS, ROWS, SECRETS, TRIED, table
from discreet.measure.fidelity import Mixed, fidelity
from discreet.policy import Policy
from discreet.protect.whole import Levels
from discreet.secret import Secret
from discreet.table import Table, open_table
from discreet.vault import large_group
from discreet.vault.large_group import LargeGroup
from discreet.vault.rows import noised, prepared, raw_rows
from discreet.vault.vault import Made, make_copy

NAMES = tuple(f"x{j}" for j in range(COLUMNS))
POLICY = Policy.preset("standard", groups=(NAMES,))
NO_LEVELS: dict[str, Levels] = {}


def made(opened: Table, count: int, secret: Secret) -> list[Made]:
    """Protect a group in so many partitions."""
    large_group.MOST_CELLS = -(-ROWS * COLUMNS // count)
    large = LargeGroup.of(opened, POLICY, secret, NAMES)
    if large is None:
        raw = raw_rows(opened, POLICY, NAMES, secret, strata=())
        return [make_copy(noised(prepared(raw, POLICY, secret), secret, raw.version), POLICY)]
    with large.each(None) as partitions:
        return [make_copy(large.noised(it, place), POLICY) for place, it in enumerate(partitions)]


def measured(opened: Table, count: int, secret: Secret) -> tuple[float, ...]:
    """Return CPU seconds, how near all partitions are, and how many records are linked."""
    start = time.process_time()
    parts = made(opened, count, secret)
    seconds = time.process_time() - start
    if len(parts) != count:
        raise ValueError("the table has another number of partitions")
    before = np.concatenate([part.original for part in parts])
    after = np.concatenate([part.released for part in parts])
    sd = before.std(axis=0)
    tried = np.random.default_rng(1).choice(len(before), TRIED, replace=False)
    nearest = cKDTree(after / sd).query(before[tried] / sd)[1]
    columns = [dict(zip(NAMES, of.T, strict=True)) for of in (before, after)]
    near = fidelity(*(Mixed(numbers, NO_LEVELS) for numbers in columns))
    pairs = float(np.mean([pair.ratio for pair in near.pairs]))
    coefficients = near.coefficients.distance if near.coefficients else float("nan")
    return seconds, near.largest, pairs, coefficients, float(np.mean(nearest == tried))


def main() -> None:
    """Print a line for each number of partitions."""
    opened = open_table(pa.table(dict(table().numbers)), kinds={}, roles={}, unit=None, key=None)
    print("| partitions | CPU s | largest | pairs | coefficients | linkage |")
    print("|---|---|---|---|---|---|")
    for count in (1, 4, 16):
        found = np.mean([measured(opened, count, secret) for secret in SECRETS], axis=0)
        shown = zip(found, (1, 4, 2, 2, 3), strict=True)
        print(f"| {count} | {' | '.join(f'{it:.{digits}f}' for it, digits in shown)} |")


if __name__ == "__main__":
    main()
