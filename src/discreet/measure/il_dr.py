"""The IL-DR score: information loss weighed against disclosure risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.measure.estimate import Estimate
from discreet.measure.information_loss import InformationLoss, il_metrics, moved_of
from discreet.measure.intervals import idr
from discreet.measure.linkage import ddr
from discreet.measure.pairs import as_pair

__all__ = ["ILDR", "il_dr_score"]


@dataclass(frozen=True)
class ILDR:
    """Two losses and two risks, and their mean; the lower the better.

    Attributes
    ----------
    loss : InformationLoss
        What `il_metrics` gives.
    distance : float
        The distances of all values from their originals, in √2 standard deviations.
    values : int
        How many values that are; what `il1s` gives is `distance / values`.
    linked : Estimate
        What `ddr` gives.
    inside : Estimate
        What `idr` gives.
    """

    loss: InformationLoss
    distance: float
    values: int
    linked: Estimate
    inside: Estimate

    @property
    def il_metrics(self) -> float:
        """The mean of the five parts of the loss, times 100; not capped."""
        return self.loss.total

    @property
    def il1s(self) -> float:
        """IL1s as printed, a mean over the values, times 100; not capped."""
        return 100 * (self.distance / self.values)

    @property
    def il1s_sum(self) -> float:
        """IL1s as a sum over records and columns; it grows with the table."""
        return self.distance

    @property
    def ddr(self) -> float:
        """The released rows whose nearest record is their own, in percent."""
        return 100 * self.linked.share

    @property
    def idr(self) -> float:
        """The records within intervals about their released values, in percent."""
        return 100 * self.inside.share

    @property
    def score(self) -> float:
        """The four at a weight of 0.25 each, IL1s as a mean."""
        return math.fsum([self.il_metrics, self.il1s, self.ddr, self.idr]) / 4

    @property
    def score_by_sum(self) -> float:
        """The four at a weight of 0.25 each, IL1s as a sum: the scale of the paper's scores."""
        return math.fsum([self.il_metrics, self.il1s_sum, self.ddr, self.idr]) / 4

    def to_dict(self) -> dict[str, Any]:
        """Return the score and what it is made of as plain values."""
        return {
            "score": self.score,
            "score_by_sum": self.score_by_sum,
            "il_metrics": self.il_metrics,
            "il1s": self.il1s,
            "il1s_sum": self.il1s_sum,
            "ddr": self.ddr,
            "idr": self.idr,
            "loss": self.loss.to_dict(),
            "linked": self.linked.to_dict(),
            "inside": self.inside.to_dict(),
        }

    def __str__(self) -> str:
        return (
            f"IL-DR score {self.score:.2f} (IL metrics {self.il_metrics:.2f}, IL1s {self.il1s:.2f},"
            f" DDR {self.ddr:.2f}, IDR {self.idr:.2f})"
        )


def il_dr_score(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> ILDR:
    """Weigh the information that was lost against the risk that is left.

    Parameters
    ----------
    original, released : array of shape (n, p), frame or path; or a Pair alone
        The same records in the same order; see `as_pair`. Levels count in the linkage alone: a
        row is compared with records of its levels. The paper's tables are continuous.
    categorical : sequence of str, default none
        Columns of codes that are levels.
    share : float, default 0.05
        Half the width of the intervals of `idr`, in standard deviations of the released column.

    Returns
    -------
    ILDR
        IL metrics, IL1s, DDR and IDR, each on a scale of 0 to 100, and `.score`, their mean: the
        lower the better. The losses have no upper limit and are not capped. `.score_by_sum` is
        the same with IL1s as a sum over all values (`.il1s_sum`) in place of 100 times their mean.

    Raises
    ------
    InputError
        As `il_metrics`, `il1s`, `ddr` and `idr`.
    RefusedError
        As those; also if every column of the original is constant.

    Notes
    -----
    Nothing lost and everything given away (the original released as it is) scores 50 if no two
    records are equal. The paper compares methods by this number, on the same data.

    **Two scales of IL1s.** The paper prints IL1s with 1 / (m n) before the sum. The scores it
    prints have none: at c = 3 it has 84 for normal columns by equal width, and 71 and 70 for
    exponential ones by equal frequency and by resampling. With its 500 rows and two columns
    these are 85, 72 and 73 by the sum (medians of 20 draws), and 17, 19 and 23 by 100 times the
    mean. By the sum, IL1s grows with the table and soon outweighs the other three, so that
    scores of tables of different sizes cannot be compared. docs/rounding.md says which of the
    paper's conclusions hold on which scale.

    **What it does not tell.** A mean of four things that have no common unit. A low score is no
    promise: it may hide a high risk behind a small loss, and the IL metrics explode where
    values, means or covariances lie near zero (see `il_metrics`), so that scores of different
    data, or of the same data with a constant added, cannot be compared. Look at the parts.

    References
    ----------
    Domingo-Ferrer and Torra, "A quantitative comparison of disclosure control methods for
    microdata", in Confidentiality, Disclosure and Data Access (2001).
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control" (2019), section 3.3.3.

    Examples
    --------
    >>> before = [[1.0], [2.0], [5.0], [8.0]]
    >>> print(il_dr_score(before, [[1.5], [1.5], [6.5], [6.5]]))
    IL-DR score 22.11 (IL metrics 16.07, IL1s 22.36, DDR 50.00, IDR 0.00)
    """
    pair = as_pair(original, released, categorical=categorical)
    return ILDR(il_metrics(pair), *moved_of(pair), ddr(pair), idr(pair, share=share))
