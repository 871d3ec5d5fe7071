"""Dates on a server: drawn from the copy of the whole table, and from nothing else."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.plots import Plot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.parallel import ParallelPlot
from discreet.serve.answers import study_json
from discreet.serve.studies import Served
from tests.serve.cohort import WHOLE, cohort, served_of
from tests.serve.test_whole import ALICE, Body, answered, passed


def serving(folder: Path, policy: str) -> Served:
    """Serve the cohort with the day on which somebody was seen."""
    table, random = cohort(), np.random.default_rng(2)
    days = [date(2019, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 900, len(table))]
    return served_of(folder, policy, table.append_column("seen", pa.array(days)))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return serving(tmp_path_factory.mktemp("dates"), WHOLE)


def test_a_column_of_dates_says_what_holds_it(served: Served) -> None:
    columns = {it.name: it for it in served.columns.values()}

    assert columns["seen"].kind == "continuous"
    assert "'seen'" in str(study_json(served, ALICE))


@pytest.mark.parametrize(
    "plot",
    [HistogramPlot("seen"), HeatMap("seen", "bmi", by="sex"), ParallelPlot(("age", "seen", "sex"))],
    ids=lambda it: it.name,
)
def test_plots_of_dates_come_from_the_copy(served: Served, plot: Plot[Any]) -> None:
    body: Body = {"columns": [*plot.names]} | ({"by": plot.by_name} if plot.by_name else {})

    asked = passed(served, plot.name, body)

    assert asked.plot.how.of_copy
    assert asked.plot == served.copy.settle(plot)
    answer = answered(served, ALICE, plot.name, body)
    assert "2020" in str(answer)
    assert "'dates'" in str(answer) or '"dates"' in str(answer)
