"""Linear models: a formula that is read, never run, and the fit with its diagnostics.

**Diagnostics.** Under a guarded policy a model is fitted to the protected copy. A formula is
taken apart by a grammar and computed here; no library evaluates what an analyst wrote.
"""

from __future__ import annotations

from discreet.regression.diagnostics import Fit, Folds, cook_line, corrected, fit, quantiles
from discreet.regression.families import FAMILIES, Asked, Estimates, estimated, read_model
from discreet.regression.formula import Model, categories_named, has_random_term, read_formula

__all__ = [
    "FAMILIES",
    "Asked",
    "Estimates",
    "Fit",
    "Folds",
    "Model",
    "categories_named",
    "cook_line",
    "corrected",
    "estimated",
    "fit",
    "has_random_term",
    "quantiles",
    "read_formula",
    "read_model",
]
