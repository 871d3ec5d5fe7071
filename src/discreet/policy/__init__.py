"""The custodian's rules: what may be asked, and what protects the answer.

A Policy is a frozen value that reads from and writes to TOML. `Policy.settle` answers one
question for the whole package: with which method and numbers is this plot made, and may the
caller choose them?
"""

from discreet.plots.request import (
    ROWS_PER_K,
    AxesRequest,
    PlotRequest,
)
from discreet.policy.choosing import check_group
from discreet.policy.policy import PRESETS, Policy, load_policy
from discreet.policy.resolve import Sensitive, resolve

__all__ = [
    "PRESETS",
    "ROWS_PER_K",
    "AxesRequest",
    "PlotRequest",
    "Policy",
    "Sensitive",
    "check_group",
    "load_policy",
    "resolve",
]
