"""How large the clusters of a pair of axes are, in pixels a cluster; their least sum is the aim.

    python -m benchmarks.ranges_of_clusters

For both costs, beside clusters of all axes at once.
"""

from __future__ import annotations

import numpy as np

from benchmarks.speed.clusters import HEIGHT, HEIGHTS, KINDS, pair_of
from discreet.parallel.clusters import cluster_jointly, cluster_pair
from discreet.parallel.pixels import TRIED, pair_bins

ROWS = 10_000


def main() -> None:
    """Print a line for each kind of axes and k."""
    print(
        "cluster range, pixels a cluster, 10,000 rows      seed      span   over all axes at once"
    )
    for kind, kinds in KINDS.items():
        left, right = pair_of(kind, ROWS)
        bins = pair_bins(left, right, HEIGHTS)
        # A third column that says nothing of the other two.
        third = np.random.default_rng(3).integers(0, HEIGHT, ROWS)
        table = np.column_stack([left, right, third])
        for k in (3, 10):
            made = ROWS // k
            seed, span = (cluster_pair(bins, k, kinds, cost=cost).range for cost in TRIED[::-1])
            labels = cluster_jointly(table, k)
            of_each = [table[labels == label, :2] for label in range(labels.max() + 1)]
            joint = sum(int((np.ptp(found, axis=0) + 1).sum()) for found in of_each)
            name = f"{kind}, k = {k}"
            print(f"{name:<46}{seed / made:8.1f}{span / made:10.1f}{joint / made:24.1f}")


if __name__ == "__main__":
    main()
