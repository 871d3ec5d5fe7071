"""DuckDB as discreet opens it: in bounded memory, and nothing comes over the network by itself."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["MEMORY", "MEMORY_LIMIT", "Kept", "connect"]

MEMORY_LIMIT = "2GB"
"""So much memory DuckDB takes for one study; what does not fit goes to a private folder."""
MEMORY = "DISCREET_MEMORY"
"""The environment variable that sets another limit, such as "500MB" or "16GB"."""
SIZE = re.compile(r"\d+(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)


@dataclass(eq=False)
class Kept:
    """What a frame of DuckDB needs as long as it is used."""

    connection: DuckDBPyConnection
    #: The time zones of columns of moments, which DuckDB does not keep.
    zones: Mapping[str, str] = field(default_factory=dict)


def connect(path: Path | None = None) -> Kept:
    """Open DuckDB on nothing, or on a database file that is only read."""
    import duckdb

    limit = os.environ.get(MEMORY) or MEMORY_LIMIT
    if not SIZE.fullmatch(limit):
        raise InputError(f"{MEMORY} is an amount of memory, such as '500MB' or '16GB'")
    # Data that do not fit into memory must not be spilled into the user's folder.
    spill = tempfile.mkdtemp(prefix="discreet-")
    options: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": limit,
        "temp_directory": spill,
    }
    try:
        connection = duckdb.connect(path or ":memory:", read_only=path is not None, config=options)
    except BaseException:
        shutil.rmtree(spill, ignore_errors=True)
        raise
    kept = Kept(connection)
    weakref.finalize(kept, _close, connection, spill)
    connection.execute("SET enable_progress_bar = false")
    # Whatever the clock of the machine: moments are told as those of UTC.
    connection.execute("SET TimeZone = 'UTC'")
    return kept


def _close(connection: DuckDBPyConnection, spill: str) -> None:
    connection.close()
    shutil.rmtree(spill, ignore_errors=True)
