"""How far figures of a copy are from those of the data, as copies of the copy are from the copy.

Nothing raw plays a part: a copy of rows that are protected already stands to them about as they
stand to the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

FEWEST = 3
"""So many copies of the copy must have a figure, that it can be said how far it is off."""
NORMAL = 1.959963984540054


def own_variance(off: Sequence[float], share: float) -> float:
    """Return the variance of a figure that is the copy's own, chance and bias together.

    Parameters
    ----------
    off : sequence of float
        How far copies of some rows of the copy are from these rows; three or more.
    share : float
        Which share of the copy the rows are: chance in all of them is less by it.

    References
    ----------
    That a sample of the sample says how far this is from all is the bootstrap's reasoning (Efron,
    "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979).

    Examples
    --------
    >>> own_variance([1.0, 1.0, 1.0], 1.0), own_variance([-1.0, 0.0, 1.0], 0.5)
    (1.0, 0.5)
    """
    chance = float(np.var(off, ddof=1))
    bias = max(float(np.mean(off)) ** 2 - chance / len(off), 0.0)
    return bias + chance * share


class OwnErrors(NamedTuple):
    """Figures of some rows of a copy by their names, and the same of copies of these rows.

    `share` is which share of the copy the rows are.
    """

    rows: Mapping[Any, float]
    copies: Sequence[Mapping[Any, float]]
    share: float

    def of(self, figure: object) -> float | None:
        """Return the standard error of a figure that is the copy's own; None if it is not known.

        Examples
        --------
        >>> again = [{"mean": 4.0}, {"mean": 5.0}, {"mean": 6.0}]
        >>> OwnErrors({"mean": 5.0}, again, 1.0).of("mean")
        1.0
        """
        if figure not in self.rows:
            return None
        off = [it[figure] - self.rows[figure] for it in self.copies if figure in it]
        return math.sqrt(own_variance(off, self.share)) if len(off) >= FEWEST else None
