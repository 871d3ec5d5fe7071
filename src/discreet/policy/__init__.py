"""The custodian's rules: what may be asked, and what protects the answer.

A Policy is a frozen value that reads from and writes to TOML. `resolve` settles a plot, and
`resolve_table` a table: with which method and numbers is it made, and may the caller choose them?
"""

from discreet.plots import How, PlotRequest
from discreet.policy.paper_settings import PAPER_FIELDS, PaperSettings
from discreet.policy.policy import FIELDS, PRESETS, Policy, load_policy
from discreet.policy.resolve import (
    Sensitive,
    TableRequest,
    resolve,
    resolve_rounding,
    resolve_table,
    settle,
)

__all__ = [
    "FIELDS",
    "PAPER_FIELDS",
    "PRESETS",
    "How",
    "PaperSettings",
    "PlotRequest",
    "Policy",
    "Sensitive",
    "TableRequest",
    "load_policy",
    "resolve",
    "resolve_rounding",
    "resolve_table",
    "settle",
]
