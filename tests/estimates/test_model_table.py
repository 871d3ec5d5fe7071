"""Standard errors that are widen, worked by hand; and the table and the plot of a model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.errors import RefusedError
from discreet.estimates.copy_table import Line
from discreet.estimates.figures import dots_of
from discreet.estimates.model_table import model_body, widen
from discreet.measure import CopyTable
from discreet.regression import Estimates
from discreet.render.scene import Intervals


def estimates(**values: float) -> Estimates:
    """Return estimates of a logistic model of 90 rows, each with a variance of 0.04."""
    found = np.array([*values.values()])
    quality = ("area under the ROC curve", 0.75)
    return Estimates(tuple(values), found, np.full(len(found), 0.04), 90, quality, 30)


def test_the_variance_is_twice_the_sum_of_the_models_and_the_copys() -> None:
    again = [estimates(x=1.0), *(estimates(x=1.0 + off) for off in (0.3, 0.5, 0.7))]
    whole = widen(estimates(x=2.0), again, 1.0)
    sampled = widen(estimates(x=2.0), again, 0.25)
    # off by 0.5 on average, with a variance of 0.04 around it, of which a third is the average's
    assert whole.errors[0] ** 2 == pytest.approx(2 * (0.04 + 0.25 - 0.04 / 3 + 0.04))
    assert sampled.errors[0] ** 2 == pytest.approx(2 * (0.04 + 0.25 - 0.04 / 3 + 0.04 / 4))
    assert whole.inner[0] == pytest.approx(0.2)


def test_a_term_that_copies_have_lost_is_as_far_off_as_the_worst() -> None:
    again = [
        estimates(x=1.0, z=1.0, w=1.0),
        *(estimates(x=1.0, z=1.0 + off) for off in (-0.2, 0.0, 0.2)),
        estimates(x=1.0, z=1.0, w=5.0),
    ]
    found = widen(estimates(x=2.0, z=2.0, w=2.0), again, 1.0)
    assert found.errors[0] ** 2 == pytest.approx(2 * 0.04)
    assert found.errors[2] == found.errors[1] > found.errors[0]
    for few in ([], again[:1], again[:3]):
        with pytest.raises(RefusedError, match="the model does not fit copies of them"):
            widen(estimates(x=2.0), few, 1.0)


def test_a_random_term_has_lines_of_its_levels() -> None:
    found = replace(
        estimates(x=1.0),
        quality=("standard deviation between levels", 0.0412),
        random=("site", 5),
        correlation=0.25,
    )
    _, lines, figures, _ = model_body(widen(found, [estimates(x=0)] * 5, 1.0), "")
    fit = {line.name: line.cells[0] for line in lines if line.section}
    assert fit == {
        "rows of the copy": "90",
        "rows with the event": "30",
        "levels of site": "5",
        "standard deviation between levels": "0.041",
        "intraclass correlation": "0.250",
    }
    numbers = {it.figure: it.value for it in figures if not it.column}
    assert numbers["levels"] == 5
    assert numbers["standard deviation between levels"] == 0.0412
    assert numbers["intraclass correlation"] == 0.25


def test_ratios_are_written_and_drawn_but_for_the_intercept() -> None:
    found = widen(
        estimates(Intercept=-1.0, x=np.log(2), far=800.0),
        [estimates(Intercept=0, x=0, far=0)] * 5,
        1.0,
    )
    head, lines, figures, _ = model_body(found, "odds ratio")
    table = CopyTable("model", "A", ("part", "term"), head, lines, (), figures)

    assert lines[0] == Line("", "Intercept", ("–", "–", "-1.000", "0.283"))
    assert lines[1] == Line("", "x", ("2.00", "1.15 to 3.48", "0.693", "0.283"))
    assert lines[2].cells[0] == "over 10,000"
    assert [line.cells[0] for line in lines if line.section] == ["90", "30", "0.750"]
    assert CopyTable.from_json(table.to_json()) == table
    panel = dots_of(table.figures[: 2 * 8 - 3])
    assert panel is not None
    assert panel.y.ticks == ("x",)
    assert [word for _, word in panel.x.dates] == ["1", "1.5", "2", "2.5", "3", "3.5"]
    wide = dots_of(table.figures)
    assert wide is not None
    assert [word for _, word in wide.x.dates] == ["1", "1e+63", "1e+126", "1e+189", "1e+252"]
    (marks,) = [it for it in panel.marks if isinstance(it, Intervals)]
    assert marks.ends[0][0] == pytest.approx(
        (np.log(2) - 0.5544, np.log(2), np.log(2) + 0.5544), abs=1e-4
    )


def test_linear_estimates_have_two_digits_of_their_standard_error() -> None:
    head, lines, *_ = model_body(widen(estimates(x=12.3456), [estimates(x=0)] * 4, 1.0), "")
    assert head == ("estimate", "95 % interval", "std. error")
    assert lines[0].cells == ("12.35", "11.79 to 12.90", "0.28")
