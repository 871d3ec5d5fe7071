"""discreet draws sensitive data without giving anyone away.

Open a table behind a policy and ask for pictures; only what the policy allows comes out::

    import discreet as dc

    study = dc.open("cohort.csv", study="cohort")
    study.scatter("age", "glucose").save("age-glucose.svg")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet.errors import (
    BrokenPromiseError,
    DiscreetError,
    InputError,
    LeavingError,
    LedgerError,
    RefusedError,
)

if TYPE_CHECKING:
    from discreet import datasets, measure, methods, parallel
    from discreet.measure import Report
    from discreet.plots import (
        BarView,
        BoxView,
        ContourView,
        CrossTableView,
        GridView,
        HistogramView,
        LeverageView,
        MultiplesView,
        ParallelView,
        PointsView,
        QQView,
        ResidualView,
        View,
    )
    from discreet.policy import Policy
    from discreet.release import Release
    from discreet.study import Study, open
    from discreet.study.research import Research, research
    from discreet.study.table_board import board
    from discreet.study_file.checking import check

__version__ = "0.1.0"

__all__ = [
    "BarView",
    "BoxView",
    "BrokenPromiseError",
    "ContourView",
    "CrossTableView",
    "DiscreetError",
    "GridView",
    "HistogramView",
    "InputError",
    "LeavingError",
    "LedgerError",
    "LeverageView",
    "MultiplesView",
    "ParallelView",
    "PointsView",
    "Policy",
    "QQView",
    "RefusedError",
    "Release",
    "Report",
    "Research",
    "ResidualView",
    "Study",
    "View",
    "board",
    "check",
    "datasets",
    "measure",
    "methods",
    "open",
    "parallel",
    "research",
]

_MODULES = ("datasets", "measure", "methods", "parallel")
_WHERE = {  # all others are Views, which are in plots
    "Policy": "policy",
    "Release": "release",
    "Report": "measure",
    "Research": "study.research",
    "Study": "study",
    "board": "study.table_board",
    "check": "study_file.checking",
    "open": "study",
    "research": "study.research",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `import discreet` is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(f"discreet.{name}")
    return getattr(import_module(f"discreet.{_WHERE.get(name, 'plots')}"), name)


def __dir__() -> list[str]:
    return __all__
