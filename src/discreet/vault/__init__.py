"""The protected copy of a study version: made once, kept, and the source of every row view.

A version is (data, policy, secret). Its copy holds the columns of one group, protected jointly
within the strata, rounded to a nice step and sorted by value, so that neither order nor last
digits come from the raw rows. What is made of one table or view alone, under `research`, is made
here too.
"""

from discreet.vault.copies import Copy, Made, make_copy, make_table, protect_view, within_bounds
from discreet.vault.rows import (
    STRATUM_PER_K,
    Done,
    Noised,
    Prepared,
    Raw,
    noised,
    prepared,
    raw_rows,
    read_rows,
    strata_labels,
)
from discreet.vault.vault import Vault, copy_of, said

__all__ = [
    "STRATUM_PER_K",
    "Copy",
    "Done",
    "Made",
    "Noised",
    "Prepared",
    "Raw",
    "Vault",
    "copy_of",
    "make_copy",
    "make_table",
    "noised",
    "prepared",
    "protect_view",
    "raw_rows",
    "read_rows",
    "said",
    "strata_labels",
    "within_bounds",
]
