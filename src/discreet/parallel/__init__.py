"""Privacy-preserving parallel coordinates: pixels, clusters of them, what may light up together.

Arrays in, arrays out, for people who want the algorithms of Dasgupta and Kosara (2011) alone::

    bins = pair_bins(left, right, (400, 400))          # the pixel of each record on two axes
    clusters = cluster_pair(bins, k=5)                 # clusters of records, as the paper has them

`cluster_cells` is the guarded variant that `Study.parallel` draws by default. "The paper" is
Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel coordinates" (2011).

**Parallel coordinates.** Under a guarded policy an axis is cut into the bins of the column's
histogram, joined until each holds k people (one grid a column: a finer one would tell of parts
of bins), and clusters are made of whole cells from the counts of pairs of cells, which are all
that is read of the data. So whatever clusters are intersected, what is left of an axis holds k
people. Clusters and joins are counted again by code of its own. All pairs that leave side by
side must fit into one order of axes, or be listed by the policy; the method of each pair and
the l of each sensitive column are pinned.
"""

from discreet.parallel.cells import CellClusters, check_cells, check_shared, cluster_cells, shared
from discreet.parallel.clusters import (
    PairClusters,
    check_clusters,
    cluster_jointly,
    cluster_pair,
    members,
)
from discreet.parallel.diversity import Splits, diverse_joins, joined, splits
from discreet.parallel.ordering import AxisRole, broken_rules, nearest_allowed, propose
from discreet.parallel.pixels import (
    Information,
    PairBins,
    PairMetrics,
    Seeding,
    bin_of_records,
    bins_of_grid,
    choose_seeding,
    information,
    level_bands,
    level_pixels,
    pair_bins,
    pair_metrics,
    resolution,
)

__all__ = [
    "AxisRole",
    "CellClusters",
    "Information",
    "PairBins",
    "PairClusters",
    "PairMetrics",
    "Seeding",
    "Splits",
    "bin_of_records",
    "bins_of_grid",
    "broken_rules",
    "check_cells",
    "check_clusters",
    "check_shared",
    "choose_seeding",
    "cluster_cells",
    "cluster_jointly",
    "cluster_pair",
    "diverse_joins",
    "information",
    "joined",
    "level_bands",
    "level_pixels",
    "members",
    "nearest_allowed",
    "pair_bins",
    "pair_metrics",
    "propose",
    "resolution",
    "shared",
    "splits",
]
