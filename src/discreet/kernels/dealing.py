"""Which records of a bin are in which cluster.

A part is how many records of a bin a cluster has: bin, cluster, number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["deal_out", "sort_parts"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]
Places = NDArray[np.intp]


@kernel
def sort_parts(parts: Short, strays: Whole, bins: int, out: Whole) -> int:
    """Write parts and strays in one, sorted by bin and cluster; return how many there are.

    Strays are parts too, of records that were left over at last; there is one of a bin at most.
    Parts are sorted by cluster, and may be written over, as strays may. `out` has room for all of
    both.
    """
    place = np.zeros(bins + 1, dtype=np.int64)
    for part in range(len(parts)):
        place[parts[part, 0] + 1] += 1
    for stray in range(len(strays)):
        b, cluster = strays[stray, 0], strays[stray, 1]
        place[b + 1] += 1
        # One in a cluster that its bin is a part of adds to that part.
        part = np.searchsorted(parts[:, 1], cluster)
        while part < len(parts) and parts[part, 1] == cluster:
            if parts[part, 0] == b:
                parts[part, 2] += strays[stray, 2]
                place[b + 1] -= 1
                strays[stray, 2] = 0
            part += 1
    for b in range(bins):
        place[b + 1] += place[b]
    total = place[bins]
    for part in range(len(parts)):
        b = parts[part, 0]
        out[place[b], 0], out[place[b], 1], out[place[b], 2] = b, parts[part, 1], parts[part, 2]
        place[b] += 1
    for stray in range(len(strays)):
        b, cluster = strays[stray, 0], strays[stray, 1]
        if strays[stray, 2] > 0:
            at = place[b]
            while at > 0 and out[at - 1, 0] == b and out[at - 1, 1] > cluster:
                out[at] = out[at - 1]
                at -= 1
            out[at, 0], out[at, 1], out[at, 2] = b, cluster, strays[stray, 2]
    return int(total)


@kernel
def deal_out(parts: Whole, bin_of: Places, order: Places, bins: int) -> Places:
    """Return the cluster of each record: those of a bin go to its parts, in `order`.

    `parts` are bin, cluster and number, sorted, of as many records of each bin as `bin_of` says;
    `order` has each record once.
    """
    # Narrow columns, for records come in any order and look anywhere.
    at = np.zeros(bins + 1, dtype=np.int32)
    names, left = np.empty(len(parts), dtype=np.int32), np.empty(len(parts), dtype=np.int32)
    for part in range(len(parts)):
        at[parts[part, 0] + 1] += 1
        names[part], left[part] = parts[part, 1], parts[part, 2]
    for b in range(bins):
        at[b + 1] += at[b]
    labels = np.empty(bin_of.size, dtype=np.intp)
    for record in order:
        part = at[bin_of[record]]
        labels[record] = names[part]
        left[part] -= 1
        if left[part] == 0:
            at[bin_of[record]] += 1
    return labels
