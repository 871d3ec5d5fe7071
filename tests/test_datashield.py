"""Beside DataSHIELD: its formulas, written down anew, give the numbers of policy `research`.

The formulas are those of dsBase (scatterPlotDS, histogramDS2): standard deviations
with divisor n - 1, centroids stretched and not centred again, noise of standard deviation
sqrt(v) times that of the column. docs/datashield.md says what differs.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.plots.density import DensityView
from tests.ready import opened_once

Floats = NDArray[np.float64]
TABLES = {"D1": dc.datasets.d1, "D2": dc.datasets.d2, "D3": dc.datasets.d3}


def columns(name: str) -> tuple[Floats, Floats]:
    table = TABLES[name]()
    return table["X"].to_numpy(), table["Y"].to_numpy()


def centroids(x: Floats, y: Floats, k: int) -> tuple[Floats, Floats]:
    """Do as scatterPlotDS does with method.indicator 1."""
    standard = [(v - v.mean()) / v.std(ddof=1) for v in (x, y)]
    away = np.sqrt(sum((v[:, None] - v[None, :]) ** 2 for v in standard))
    nearest = np.argsort(away, axis=1, kind="stable")[:, :k]
    out = []
    for v, z in zip((x, y), standard, strict=True):
        middle = z[nearest].mean(axis=1)
        stretched = middle * (z.std(ddof=1) / middle.std(ddof=1))
        out.append(stretched * v.std(ddof=1) + v.mean())
    return out[0], out[1]


@pytest.mark.parametrize(("name", "k"), [("D1", 3), ("D2", 5), ("D3", 20)])
def test_the_points_of_a_scatter_plot_are_its_centroids(name: str, k: int) -> None:
    x, y = centroids(*columns(name), k)
    study = dc.research(TABLES[name]())
    view = study.scatter("X", "Y", method="deterministic", k=k)
    drawn_x, drawn_y = (np.repeat(values, view.size) for values in (view.x, view.y))
    # Points are sorted, and nearly equal ones in any order: along three directions they agree.
    for across, up in ((1.0, 0.0), (0.0, 1.0), (1.0, np.pi)):
        drawn = np.sort(across * drawn_x + up * drawn_y)
        np.testing.assert_allclose(drawn, np.sort(across * x + up * y), rtol=0, atol=1e-8)


def test_its_centroids_are_not_centred_again() -> None:
    x, _ = centroids(*columns("D2"), 3)
    raw, _ = columns("D2")
    assert abs(x.mean() - raw.mean()) > 1e-4
    view = dc.research(dc.datasets.d2()).scatter("X", "Y", method="deterministic")
    assert np.average(view.x, weights=view.size) == pytest.approx(x.mean(), abs=1e-9)


@pytest.mark.parametrize("share", [0.25, 0.04])
def test_its_share_of_the_variance_is_the_square_of_q(share: float) -> None:
    """With noise v it draws N(0, v var(x)); q is the ratio of standard deviations."""
    table = dc.datasets.d1()
    raw = table["X"].to_numpy()
    q = float(np.sqrt(share))
    noised = dc.methods.probabilistic(raw, q=q, secret=bytes(range(32))).ravel()
    ratio = float((noised - raw).std(ddof=1) / raw.std(ddof=1))
    # Of 500 normal numbers the standard deviation is known to about 3 % (one standard error).
    assert ratio == pytest.approx(np.sqrt(share), rel=0.1)
    twice = dc.methods.probabilistic(raw, q=2 * q, secret=bytes(range(32))).ravel()
    np.testing.assert_allclose(twice - raw, 2 * (noised - raw), rtol=1e-9, atol=1e-12)


def test_its_zeros_are_hidden_bins_here() -> None:
    """histogramDS2 sets counts of 1 to nfilter.tab - 1 to zero; here they are hidden."""
    table, edges = dc.datasets.d2(), np.linspace(0.0, 5.0, 26)
    counts = np.histogram(table["X"].to_numpy(), edges)[0]
    theirs = np.where(counts < 3, 0, counts)
    study = dc.research(table)
    view = study.histogram("X", method="suppression", edges={"X": edges.tolist()})
    assert [count or 0 for count in view.counts] == theirs.tolist()
    hidden = [count is None for count in view.counts]
    assert hidden == ((counts > 0) & (counts < 3)).tolist()
    assert any(hidden)


def test_a_box_plot_draws_no_quantile_of_the_records() -> None:
    """boxPlotGG_data_TreatmentDS returns the quantiles of the records themselves."""
    table = dc.datasets.d1()
    raw = table["Y"].to_numpy()
    (box,) = dc.open(table, policy="datashield").box("Y").groups
    quartiles = np.quantile(raw, [0.25, 0.5, 0.75])
    drawn = np.array([box.q1, box.median, box.q3])
    assert (np.abs(drawn - quartiles) > 0).all()
    assert np.abs(drawn - quartiles).max() < 0.1 * raw.std()


# --- several sites --------------------------------------------------------------------------------

SITES = {"small": (100, 20.0), "middle": (400, 30.0), "large": (1500, 40.0)}


def site(name: str) -> Floats:
    n, at = SITES[name]
    return np.random.default_rng(n).normal(at, 3, n).round(1)


def several() -> dc.Study:
    def make() -> dict[str, Path]:
        home = Path(os.environ["DISCREET_STATE"]).parent
        files = {name: home / f"{name}.discreet" for name in SITES}
        for name, path in files.items():
            frame = pd.DataFrame({"x": site(name), "y": site(name)[::-1]})
            dc.protect(frame, study=name, unit=False).publish(path)
        return files

    return dc.open(opened_once("sites beside DataSHIELD", make))


def test_quartiles_of_all_sites_are_not_means_of_quartiles() -> None:
    """The client's combined box plot has a weight that its layer ignores: sites count alike."""
    each = [np.quantile(site(name), 0.5) for name in SITES]
    true = np.quantile(np.concatenate([site(name) for name in SITES]), 0.5)
    view = several().box("x")
    assert isinstance(view, dc.BoxView)
    (box,) = view.groups
    assert abs(box.median - true) < 0.5
    assert abs(np.mean(each) - true) > 5


@pytest.mark.slow
def test_the_density_of_all_sites_has_an_area_of_one() -> None:
    """The client divides the sum of the sites' densities by 3; of five sites 5/3 are left."""
    view = several().density("x")
    assert isinstance(view, DensityView)
    assert np.trapezoid(view.curves[0].y, view.curves[0].x) == pytest.approx(1, abs=0.02)
