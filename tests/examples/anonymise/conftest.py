"""The passengers and the stand-in cohort, anonymised once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from examples.anonymise import cohort, cohort_figures, titanic, titanic_figures
from examples.anonymise.compare import Compared


@pytest.fixture(scope="session")
def passengers(shared_data: Callable[[str], Path]) -> Compared:
    """The 891 passengers at k = 3; skipped where the file is absent."""
    return titanic_figures.of_titanic(titanic.passengers(shared_data("titanic.csv")))


@pytest.fixture(scope="session")
def stand_in() -> Compared:
    """The 1211 persons of the stand-in cohort at k = 3."""
    return cohort_figures.of_cohort(cohort.cohort())
