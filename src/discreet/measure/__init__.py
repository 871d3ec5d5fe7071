"""How much a protected table gives away, and how much of its use is left.

Frames, paths or arrays of the same rows in the same order go in; numbers with what they were
counted from come out. They are exact numbers of raw data: for whoever holds the original.

**Reports.** What a report tells of raw data beside an exact release is rounded; what is
counted on the released table alone is exact, for whoever has the table can count it. A report
is released with the histograms it shows, and its formula is pinned.

**Errors.** Where tables do not fit each other, their rows do not correspond, a column is unknown or
a parameter is out of its range, InputError is raised; where a column spans more than can be
computed with, RefusedError.

**Papers.** Avraam et al., BMC Med. Inform. Decis. Mak. 22:24 (2022). Domingo-Ferrer and Torra, in
Confidentiality, Disclosure and Data Access (2001). Mateo-Sanz, Domingo-Ferrer and Sebé, Data Mining
and Knowledge Discovery 11 (2005). Senavirathne and Torra, "Rounding based continuous data
discretization for statistical disclosure control" (2019). Snoke, Raab, Nowok, Dibben and Slavkovic,
JRSS A 181 (2018). Templ and Meindl, Privacy in Statistical Databases (2008). Woo, Reiter, Oganian
and Karr, J. Privacy and Confidentiality 1 (2009).
"""

from __future__ import annotations

from discreet.estimates.column_list import ColumnFacts, ColumnList
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.fidelity_report import Fidelity
from discreet.measure.anonymity import (
    anonymity,
    attribute_disclosure,
    closeness,
    combination_sizes,
    diversity,
    entropy_diversity,
    uniqueness,
    uniqueness_of_every,
)
from discreet.measure.attack_report import AttackReport, attacked
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.information_loss import (
    ILDR,
    Entropy,
    InformationLoss,
    SseShare,
    entropy,
    il1s,
    il_dr_score,
    il_metrics,
    mean_absolute_correlation,
    sse_share,
)
from discreet.measure.linkage import (
    ddr,
    far_linkage,
    idr,
    interval_risk,
    interval_risks,
    nearness,
    record_linkage,
)
from discreet.measure.models import (
    Coefficients,
    RegressionFit,
    TreeFit,
    coefficient_difference,
    regression_on,
    tree_on,
)
from discreet.measure.pairs import Estimate
from discreet.measure.report import Report, compare
from discreet.measure.rmd import RmdRisk, rmd_risk
from discreet.measure.roundings import compare_roundings
from discreet.measure.utility import (
    Preservation,
    Propensity,
    displacement,
    preservation,
    propensity,
    propensity_u,
)

__all__ = [
    "ILDR",
    "AttackReport",
    "Coefficients",
    "ColumnFacts",
    "ColumnList",
    "CopyTable",
    "Entropy",
    "Estimate",
    "Fidelity",
    "InformationLoss",
    "Mixed",
    "Point",
    "Preservation",
    "Propensity",
    "RegressionFit",
    "Report",
    "RiskUtilityMap",
    "RmdRisk",
    "Setting",
    "SseShare",
    "TreeFit",
    "anonymity",
    "attacked",
    "attribute_disclosure",
    "closeness",
    "coefficient_difference",
    "combination_sizes",
    "compare",
    "compare_roundings",
    "ddr",
    "displacement",
    "diversity",
    "entropy",
    "entropy_diversity",
    "far_linkage",
    "fidelity",
    "idr",
    "il1s",
    "il_dr_score",
    "il_metrics",
    "interval_risk",
    "interval_risks",
    "mean_absolute_correlation",
    "nearness",
    "preservation",
    "propensity",
    "propensity_u",
    "record_linkage",
    "regression_on",
    "rmd_risk",
    "sse_share",
    "tree_on",
    "uniqueness",
    "uniqueness_of_every",
]
