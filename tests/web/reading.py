"""Reads the bytes of a bundle as the browser does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

__all__ = ["read_bundle"]


def read_bundle(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header, and each column: floats, or a list of levels with None where missing."""
    assert data[:4] == b"dscr"
    length = int.from_bytes(data[4:8], "little")
    assert (8 + length) % 8 == 0
    header = json.loads(data[8 : 8 + length].decode("utf-8"))
    found: dict[str, Any] = {}
    for column in header["columns"]:
        assert column["at"] % 8 == 0
        start = 8 + length + column["at"]
        raw = np.frombuffer(data, f"<{column['type']}", header["rows"], start)
        found[column["name"]] = (
            _numbers(column, raw) if column["kind"] == "number" else _words(column, raw)
        )
    return header, found


def _numbers(column: dict[str, Any], raw: Any) -> Any:
    if column["type"] == "f8":
        return raw
    missing = raw == np.iinfo(raw.dtype).min
    return np.where(missing, np.nan, raw.astype(np.float64) / column["per"])


def _words(column: dict[str, Any], raw: Any) -> list[str | None]:
    missing = np.iinfo(raw.dtype).max
    return [None if at == missing else column["levels"][at] for at in raw.tolist()]
