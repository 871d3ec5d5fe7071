"""How much memory the copy of a whole table takes: said before it is made, and refused if too much.

Measured on tables of 100,000 and 300,000 rows and ten columns: one of numbers takes 117 bytes a row
at the peak, one of eight levels 280 and one of forty 352. Wide tables have matrices of the products
of all columns of linear predictions as well.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from discreet.errors import RefusedError
from discreet.memory import about_bytes, there_is
from discreet.methods.column_trees import INDICATED
from discreet.methods.copies import Draws
from discreet.progress import advance
from discreet.secret import Secret

LOG = logging.getLogger("discreet.vault")

OF_NUMBER, OF_LEVELS, OF_INDICATOR = 120, 270, 4
"""Bytes a row of a column of numbers, of one of levels, and of each of its indicators."""
MATRICES, BYTES = 4, 8
"""So many square matrices of linear predictions are held at a time, and bytes of a number."""
SAID = 1e9
"""From so many bytes on it is said what making a copy takes."""
SHARE = 0.9
"""So much of what there is may be taken."""
UNSURE = 0.1
"""By up to this share more is said, by the secret, so that no row decides what is."""


class Needs(NamedTuple):
    """A table of which a copy is made: its rows, columns of numbers, and levels of each other one.

    Of a table in partitions these are the rows of as many as are protected at a time.
    """

    rows: float
    numbers: int
    levels: Sequence[int]

    @classmethod
    def of_partitions(cls, rows: float, numbers: int, levels: int) -> Needs:
        """Return what so many rows need whose levels are not known yet: as of many."""
        return cls(rows, numbers, [INDICATED + 1] * levels)

    @property
    def bytes(self) -> float:
        """About how many bytes making the copy takes at its peak."""
        indicators = [max(min(INDICATED, it - 1), 0) for it in self.levels]
        row = OF_NUMBER * self.numbers + OF_LEVELS * len(self.levels)
        design = 2 * self.numbers + sum(indicators) + 1
        matrices = MATRICES * BYTES * design**2
        return self.rows * (row + OF_INDICATOR * sum(indicators)) + matrices


def check_memory(needs: Needs, secret: Secret) -> None:
    """Say what making a copy takes where that is much, before it is made.

    Parameters
    ----------
    needs : Needs
        The table.
    secret : Secret
        What draws by how much more is said than is estimated.

    Raises
    ------
    RefusedError
        If it is more than there is.
    """
    more = 1 + UNSURE * float(Draws.before_version(secret).of_table("memory", 1)[0])
    wanted, most = needs.bytes * more, there_is()
    if most is not None and wanted > SHARE * most:
        raise RefusedError(
            f"the copy of this table takes about {about_bytes(wanted)} of memory to make, and"
            f" {about_bytes(most)} is what this machine, or the container, has; open a table of"
            " fewer columns (those of levels take most), or make the copy where there is more"
        )
    if wanted >= SAID:
        LOG.info("making the copy takes about %s of memory", about_bytes(wanted))
        advance(f"protecting the table, in about {about_bytes(wanted)} of memory", 0, 1)
