"""What a server keeps of a study's copy in memory: its rows as a browser gets them, and plots."""

from __future__ import annotations

import gzip
import threading
from functools import cached_property
from typing import Any

from discreet.explore.board import BoardRows, board_rows, stays_on_server
from discreet.explore.derived import DerivedCopy
from discreet.explore.lights import Lights
from discreet.serve.files import MOST_BYTES, Kept

LEVEL = 5
"""Of compression: more takes longer and saves hardly anything."""


class HeldCopy:
    """The rows of a study's copy as bytes, made once, when they are asked for.

    `known` are callers of whom it is written down that they explore the copy, and what of it;
    `answers` are plots and tables that were made, and `lights` counts rows by the marks of plots.
    """

    def __init__(self, copy: DerivedCopy) -> None:
        self._copy, self._lock = copy, threading.RLock()
        self.known = set[tuple[str, str]]()
        self.answers, self.lights = Kept(MOST_BYTES), Lights(copy)

    @cached_property
    def rows(self) -> BoardRows | None:
        """The rows of the copy as a browser gets them; None where none may have them."""
        policy = self._copy.policy
        with self._lock:
            if stays_on_server(policy, len(self._copy.whole)):
                return None
            found = board_rows(self._copy)
            return None if stays_on_server(policy, found.rows, len(found.data)) else found

    @cached_property
    def packed(self) -> bytes:
        """The rows, compressed; nothing where there are none."""
        with self._lock:
            return b"" if self.rows is None else gzip.compress(self.rows.data, LEVEL, mtime=0)

    def facts(self) -> dict[str, Any]:
        """Say where the copy is explored, and how large it is."""
        if self._copy.policy.shows_exact:  # clusters of persons are made, and nothing is of rows
            return {"way": "none", "rows": len(self._copy.whole)}
        rows = self.rows
        if rows is None:
            return {"way": "server", "rows": len(self._copy.whole)}
        return {"way": "browser", "rows": rows.rows, "bytes": len(rows.data), "digest": rows.digest}
