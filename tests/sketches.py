"""Sketches of a table in one pass, as tests look at them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from discreet.keys import Column
from discreet.secret import Secret
from discreet.sketch import Sketched, Sketching


def sketched(
    secret: Secret,
    batches: Iterable[Mapping[str, Column]],
    *,
    rows: Collection[str],
    persons: Collection[str] = (),
) -> Sketched:
    """Sketch every column of a table, and its whole rows, of parts of it in any order."""
    sketching = Sketching(secret, rows, persons)
    for batch in batches:
        sketching.add(batch)
    return sketching.found
