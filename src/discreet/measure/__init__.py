"""How much a protected table gives away, and how much of its use is left.

Frames, paths or arrays of the same rows in the same order go in; numbers with what they were
counted from come out. They are exact numbers of raw data: for whoever holds the original.
"""

from __future__ import annotations

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
from discreet.measure.coefficients import Coefficients, coefficient_difference
from discreet.measure.comparison import compare
from discreet.measure.estimate import Estimate
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.intervals import interval_risk, interval_risks
from discreet.measure.linkage import far_linkage, nearness, record_linkage
from discreet.measure.propensity import Propensity, propensity, propensity_u
from discreet.measure.report import Report
from discreet.measure.rmd import RmdRisk, rmd_risk
from discreet.measure.utility import Preservation, displacement, preservation

__all__ = [
    "Coefficients",
    "Estimate",
    "Point",
    "Preservation",
    "Propensity",
    "Report",
    "RiskUtilityMap",
    "RmdRisk",
    "Setting",
    "anonymity",
    "attribute_disclosure",
    "closeness",
    "coefficient_difference",
    "combination_sizes",
    "compare",
    "displacement",
    "diversity",
    "entropy_diversity",
    "far_linkage",
    "interval_risk",
    "interval_risks",
    "nearness",
    "preservation",
    "propensity",
    "propensity_u",
    "record_linkage",
    "rmd_risk",
    "uniqueness",
    "uniqueness_of_every",
]
