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
    RefusedError,
    RegisterError,
)

if TYPE_CHECKING:
    from discreet import datasets, measure, methods, parallel
    from discreet.custodian.answering import answer
    from discreet.custodian.protect import Protected, protect
    from discreet.custodian.research import Research, anonymize, research, round, tune
    from discreet.custodian.table_board import board
    from discreet.explore import Study
    from discreet.explore.pooled import harmonise
    from discreet.measure import Report
    from discreet.measure import compare as evaluate
    from discreet.opening import open
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
    "LeverageView",
    "MultiplesView",
    "ParallelView",
    "PointsView",
    "Policy",
    "Protected",
    "QQView",
    "RefusedError",
    "RegisterError",
    "Release",
    "Report",
    "Research",
    "ResidualView",
    "Study",
    "View",
    "anonymize",
    "answer",
    "board",
    "check",
    "datasets",
    "evaluate",
    "harmonise",
    "measure",
    "methods",
    "open",
    "parallel",
    "protect",
    "research",
    "round",
    "tune",
]

_MODULES = ("datasets", "measure", "methods", "parallel")
_WHERE = {  # all others are Views, which are in plots
    "Policy": "policy",
    "Protected": "custodian.protect",
    "Release": "release",
    "Report": "measure",
    "Research": "custodian.research",
    "Study": "explore",
    "anonymize": "custodian.research",
    "answer": "custodian.answering",
    "board": "custodian.table_board",
    "check": "study_file.checking",
    "compare": "measure",
    "harmonise": "explore.pooled",
    "open": "opening",
    "protect": "custodian.protect",
    "research": "custodian.research",
    "round": "custodian.research",
    "tune": "custodian.research",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `import discreet` is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(f"discreet.{name}")
    if name == "evaluate":
        name = "compare"  # as it is called among measures
    return getattr(import_module(f"discreet.{_WHERE.get(name, 'plots')}"), name)


def __dir__() -> list[str]:
    return __all__
