"""What the tests of this room are given: columns, their table, and the copy that is made of it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from discreet.columns.column import Copy
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table, open_table
from discreet.vault.vault import Vault

SECRET = Secret.from_bytes(bytes(range(32)))
STANDARD = Policy.preset("standard")


def columns(n: int = 120, seed: int = 1) -> dict[str, Any]:
    """Make three related columns and one of levels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, size=n)
    return {
        "x": x,
        "y": x + rng.normal(0, 5, size=n),
        "z": rng.lognormal(size=n),
        "sex": np.where(rng.random(n) < 0.5, "f", "m"),
    }


def table_of(given: Any, unit: str | bool | None = None, key: str | None = None) -> Table:
    """Put columns or a frame behind a table."""
    frame = pa.table(given) if isinstance(given, Mapping) else given
    return open_table(frame, kinds={}, roles={}, unit=unit, key=key)


def copied(given: Any, policy: Policy = STANDARD, secret: Secret = SECRET) -> Copy:
    """Make the protected copy in memory."""
    return Vault(secret, None).whole(table_of(given, policy.unit, policy.key), policy)


def plain(copy: Copy) -> tuple[Any, ...]:
    """Return a copy as plain values that can be compared."""
    return (
        {name: values.tolist() for name, values in copy.columns.items()},
        dict(copy.strata),
        copy.version,
        copy.remarks,
    )


def engines(frame: pl.DataFrame, folder: Path) -> Iterator[tuple[str, object]]:
    """Yield sources that hold the rows of a frame, with what each is."""
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    frame.write_parquet(folder / "cohort.parquet", row_group_size=77)
    shuffled.write_csv(folder / "cohort.csv")
    yield "rows in another order", shuffled
    yield "polars, lazily", frame.lazy()
    yield "pandas", frame.to_pandas()
    yield "columns in another order", frame.select(sorted(frame.columns)).to_arrow()
    yield "Parquet", str(folder / "cohort.parquet")
    yield "CSV", str(folder / "cohort.csv")
