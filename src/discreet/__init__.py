"""discreet draws sensitive data without giving anyone away.

Open a table behind a policy and ask for pictures; only what the policy allows comes out::

    import discreet as dc

    study = dc.open("cohort.csv", groups=[["age", "bmi", "glucose"]])
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
    from discreet import datasets, measure, parallel, protect
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
    "ResidualView",
    "Study",
    "View",
    "datasets",
    "measure",
    "open",
    "parallel",
    "protect",
]

_VIEWS = "discreet.plots"
_WHERE = {
    "Policy": "discreet.policy",
    "Release": "discreet.release",
    "Report": "discreet.measure",
    "Study": "discreet.study",
    "open": "discreet.study",
    "BarView": _VIEWS,
    "BoxView": _VIEWS,
    "ContourView": _VIEWS,
    "CrossTableView": _VIEWS,
    "GridView": _VIEWS,
    "HistogramView": _VIEWS,
    "LeverageView": _VIEWS,
    "MultiplesView": _VIEWS,
    "ParallelView": _VIEWS,
    "PointsView": _VIEWS,
    "QQView": _VIEWS,
    "ResidualView": _VIEWS,
    "View": _VIEWS,
    "datasets": "discreet.datasets",
    "measure": "discreet.measure",
    "parallel": "discreet.parallel",
    "protect": "discreet.protect",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `import discreet` is quick."""
    if name not in _WHERE:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(_WHERE[name])
    return (
        module if name in ("datasets", "measure", "parallel", "protect") else getattr(module, name)
    )


def __dir__() -> list[str]:
    return __all__
