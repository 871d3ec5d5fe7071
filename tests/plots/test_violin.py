"""Violins: the curves of densities, mirrored, of one area, with quartiles that are the rows'."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import Curve, View, ViolinView
from discreet.plots.density import DensityPlot
from discreet.plots.violin import ViolinPlot
from discreet.policy import Policy
from discreet.render.scene import Violins
from discreet.render.to_matplotlib import draw
from tests.plots.cases import OF_ROWS, ROWS, rows_of


def drawn(values: Any, levels: Any = ()) -> ViolinView:
    """Draw rows as if they were protected."""
    plot = ViolinPlot("age", by="sex" if len(levels) else None)
    return plot.from_rows(rows_of(age=values), tuple(levels), ROWS, OF_ROWS)


AGES = [*range(40), *range(10, 20)]
SEXES = ["f"] * 40 + ["m"] * 10


def test_violins_are_the_curves_of_densities_with_the_quartiles_of_their_rows() -> None:
    view = drawn(AGES, SEXES)
    curves = DensityPlot("age", by="sex").from_rows(rows_of(age=AGES), SEXES, ROWS, OF_ROWS).curves
    assert view.curves == curves
    assert view.quarters == ((9.75, 19.5, 29.25), (12.25, 14.5, 16.75))
    assert view.rows == (40, 10)
    assert View.from_json(view.to_json()) == view
    assert view.describe().splitlines()[-2:] == [
        "f: 40 rows, median 19.5, quartiles 9.75 and 29.25",
        "m: 10 rows, median 14.5, quartiles 12.25 and 16.75",
    ]


def test_all_have_one_area_and_the_widest_fits_its_place() -> None:
    scene = drawn(AGES, SEXES).scene()
    (panel,) = scene.panels
    (mark,) = panel.marks
    assert isinstance(mark, Violins)
    assert (panel.x.label, panel.x.ticks, panel.y.label) == ("sex", ("f", "m"), "age")
    areas = [np.trapezoid(it.halves, it.values) for it in mark.violins]
    assert areas[0] == pytest.approx(areas[1], rel=0.01)
    assert max(half for it in mark.violins for half in it.halves) == 0.42
    assert "all violins have the same area" in scene.notes
    assert "rough, with fewer than 50 rows: f, m" in scene.notes
    # On paper each is as wide as it is to be, about its tick.
    shapes = draw(scene).axes[0].collections
    wide = [it.get_paths()[0].get_extents() for it in shapes[::2]]
    assert [(it.x0 + it.x1) / 2 for it in wide] == pytest.approx([0, 1])
    assert [it.width for it in wide] == pytest.approx(
        [2 * max(it.halves) for it in mark.violins], abs=0.001
    )


def test_a_violin_of_fifty_rows_is_not_rough() -> None:
    view = drawn([*range(50), *range(49)], ["f"] * 50 + ["m"] * 49)
    assert "rough, with fewer than 50 rows: m" in view.scene().notes


def test_levels_without_a_violin_are_named() -> None:
    view = drawn([*AGES, *[7.0] * 12, 1, 2], [*SEXES, *["alike"] * 12, "few", "few"])
    assert (view.few, view.constant) == (("few",), ("alike",))
    assert "not drawn, as all their rows have one value: alike" in view.scene().notes
    with pytest.raises(RefusedError, match="only one value"):
        drawn([3.0] * 20)


def test_what_is_no_view_of_violins() -> None:
    given: dict[str, Any] = {
        "columns": ("age",),
        "method": "condensation",
        "parameters": MappingProxyType({}),
        "suppressed": None,
        "origin": OF_ROWS,
        "curves": (Curve("", (0.0, 4.0), (0.5, 0.5)),),
    }
    with pytest.raises(InputError, match="three quartiles each"):
        ViolinView(**given, quarters=(), rows=(9,))
    with pytest.raises(InputError, match="in order, and within its ends"):
        ViolinView(**given, quarters=((1.0, 3.0, 5.0),), rows=(9,))


def test_violins_of_the_copy() -> None:
    study = dc.open(dc.datasets.diabetes(), Policy.preset("standard", public=True))
    rows, levels = study.session.whole.part(["glucose"], ["sex"])
    view = study.violin("glucose", by="sex")
    for curve, quarters in zip(view.curves, view.quarters, strict=True):
        own = rows["glucose"][np.array(levels["sex"]) == curve.label]
        assert quarters == pytest.approx(tuple(np.quantile(own, [0.25, 0.5, 0.75])))
        assert (curve.x[0], curve.x[-1]) == (own.min(), own.max())
    assert view.curves == study.density("glucose", by="sex").curves
