"""Regression diagnostics: right where nothing protects, and of protected numbers elsewhere."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

from discreet.errors import RefusedError
from discreet.papers.protected import protect_view
from discreet.plots import PLOTS, Diagnostic, LeverageView, Plot, QQView, ResidualView, diagnostics
from discreet.plots.diagnostics import KnownNoise, QQPlot
from discreet.policy import How, PlotRequest, Policy, settle
from discreet.regression import Folds, Model, fit, read_formula
from discreet.render.scene import Dots
from discreet.secret import Secret
from tests.plots.cases import OF_COPY, OF_RECORDS, table_of

Floats = NDArray[np.float64]
DIAGNOSTICS = [name for name, plot in PLOTS.items() if plot.kind() == "formula"]

SECRET = Secret.from_bytes(bytes(range(32)))
RESEARCH = Policy.preset("research")
KINDS = {"y": "continuous", "x": "continuous", "z": "continuous", "sex": "categorical"}


def columns(n: int = 120, seed: int = 1) -> dict[str, Any]:
    """Make an outcome and what it depends on."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(10, 2, n), rng.exponential(size=n)
    sex = np.where(rng.random(n) < 0.5, "f", "m")
    y = 3 + 0.5 * x - 2 * z + (sex == "m") + rng.normal(size=n)
    return {"y": y, "x": x, "z": z, "sex": sex}


def model_of(formula: str) -> Model:
    """Read a formula of the columns."""
    return read_formula(formula, KINDS)


def plot_of(picture: str, formula: str, **asked: Any) -> Plot[Any]:
    """Ask for a diagnostic."""
    made: Any = PLOTS[picture]
    plot: Plot[Any] = made(formula, **asked)
    return plot


def of_records(
    picture: str,
    formula: str,
    given: Mapping[str, Any],
    *,
    policy: Policy = RESEARCH,
    method: str = "none",
    q: float | None = None,
    **asked: Any,
) -> Diagnostic:
    """Draw a diagnostic of the real data, as under `research`."""
    model = model_of(formula)
    request = settle(policy, plot_of(picture, formula, **asked), method=method, q=q)

    def protect(numbers: Mapping[str, Floats]) -> Mapping[str, Floats]:
        return protect_view(table_of(numbers), policy, [*numbers], request.how, SECRET).columns

    request = dataclasses.replace(request, model=model)
    return diagnostics.of_records(
        model, table_of(given), request, OF_RECORDS, protect, residual_df=1
    )


def of_protected(
    picture: str,
    formula: str,
    rows: Mapping[str, Floats],
    texts: Mapping[str, Any],
    *,
    noise: KnownNoise | str | None = None,
    residual_df: int = 10,
) -> Diagnostic:
    """Draw a diagnostic of protected rows, as under `standard`."""
    model = model_of(formula)
    return diagnostics.of_protected(
        model,
        rows,
        texts,
        PlotRequest(plot_of(picture, formula), How("condensation", k=5, of_copy=True), model),
        OF_COPY,
        residual_df=residual_df,
        noise=noise,
    )


def design(given: Mapping[str, Any]) -> Floats:
    """Return the design matrix of y ~ x + z + sex, made by hand."""
    ones = np.ones(len(given["y"]))
    return np.column_stack([ones, np.array(given["sex"]) == "m", given["x"], given["z"]])


FORMULA = "y ~ C(sex) + x + z"
#: Points have ten digits of the largest, which is below a hundred here.
ROUNDED = 5.01e-9


def twin(picture: str, given: Mapping[str, Any]) -> tuple[Floats, Floats, Any]:
    """Return what is drawn of FORMULA, by a call of statsmodels of our own; and its result."""
    found = sm.OLS(np.array(given["y"]), design(given)).fit()
    standard = found.resid / np.std(found.resid, ddof=1)
    if picture == "residuals":
        return found.fittedvalues, found.resid, found
    if picture == "leverage":
        return found.get_influence().hat_matrix_diag, standard, found
    n = len(standard)
    return norm.ppf((np.arange(n) + 0.5) / n), np.sort(standard), found


def points(view: Diagnostic) -> Floats:
    """Return the points of a view, each as often as it counts, in order."""
    return np.repeat(np.column_stack([view.x, view.y]), view.size, axis=0)


def farthest(view: Diagnostic, x: Floats, y: Floats) -> float:
    """Compare points along three directions: of nearly equal ones either may come first."""
    drawn, expected = points(view), np.column_stack([x, y])
    return max(
        float(np.abs(np.sort(drawn @ way) - np.sort(expected @ way)).max())
        for way in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))
    )


VIEWS = {"residuals": ResidualView, "qq": QQView, "leverage": LeverageView}


# --- without protection, and of protected rows -------------------------------------------------


@pytest.mark.parametrize("picture", DIAGNOSTICS)
def test_without_protection_points_and_estimates_are_those_of_statsmodels(picture: str) -> None:
    given = columns()
    view = of_records(picture, FORMULA, given)
    x, y, found = twin(picture, given)
    assert type(view) is VIEWS[picture]
    assert farthest(view, x, y) < ROUNDED
    assert [*view.coefficients] == ["Intercept", "C(sex)[T.m]", "x", "z"]
    assert [*view.coefficients.values()] == pytest.approx(found.params, rel=1e-5)
    assert view.corrected == {}
    assert (view.formula, view.columns, view.method) == (FORMULA, ("y", "x", "z"), "none")
    assert view.parameters == {}


@pytest.mark.parametrize("picture", DIAGNOSTICS)
def test_a_guarded_fit_is_of_the_protected_rows_and_of_nothing_else(picture: str) -> None:
    # there is no table here at all: these rows are as good as any
    rows = columns(90, seed=7)
    texts = {"sex": rows.pop("sex")}
    view = of_protected(picture, FORMULA, rows, texts)
    x, y, found = twin(picture, rows | texts)
    assert type(view) is VIEWS[picture]
    assert farthest(view, x, y) < ROUNDED
    assert [*view.coefficients.values()] == pytest.approx(found.params, rel=1e-5)
    assert view.method == "condensation"
    assert view.parameters == {"k": 5}
    assert view.suppressed == 0
    assert view.origin.counted == "protected rows"


def test_estimates_have_six_digits() -> None:
    view = of_records("qq", FORMULA, columns())
    assert all(float(f"{value:.6g}") == value for value in view.coefficients.values())


def test_rows_that_are_not_complete_are_left_out_of_the_fit() -> None:
    given = columns()
    whole = {name: values[5:] for name, values in given.items()}
    given["z"][:5] = [np.nan, np.inf, -np.inf, np.nan, np.nan]
    assert points(of_records("residuals", FORMULA, given)) == pytest.approx(
        points(of_records("residuals", FORMULA, whole))
    )


# --- research: what is drawn is protected as any points are -----------------------------------


@pytest.mark.parametrize(
    ("picture", "method"),
    [*zip(DIAGNOSTICS, ["deterministic", "probabilistic", "condensation"], strict=True)],
)
def test_research_protects_the_points_of_the_real_fit(picture: str, method: str) -> None:
    given = columns()
    view = of_records(picture, FORMULA, given, method=method)
    x, y, found = twin(picture, given)
    drawn = points(view)
    assert len(drawn) == 120
    assert not set(map(tuple, drawn.tolist())) & set(zip(x.tolist(), y.tolist(), strict=True))
    # noise or means of neighbours: in the middle and about as wide as what it is of
    for ours, theirs in zip(drawn.T, (x, y), strict=True):
        assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.2 * float(np.std(theirs)))
        assert np.std(ours) == pytest.approx(np.std(theirs), rel=0.25)
    assert [*view.coefficients.values()] == pytest.approx(found.params, rel=1e-5)


@pytest.mark.parametrize(
    ("picture", "method"),
    [*zip(DIAGNOSTICS, ["suppression", "generalization", "suppression"], strict=True)],
)
def test_gridded_points_stand_for_k_records_each(picture: str, method: str) -> None:
    view = of_records(picture, FORMULA, columns(400), method=method, grid=8)
    x, y, _ = twin(picture, columns(400))
    assert min(view.size) >= 3
    assert view.suppressed is not None
    hidden = 400 - sum(view.size)
    assert 0 <= hidden < 200
    # at most two records in each cell that is hidden
    assert view.suppressed <= hidden <= 2 * view.suppressed
    assert len(set(view.x)) <= 8 // (2 if method == "generalization" else 1)
    assert x.min() < min(view.x) <= max(view.x) < x.max()
    assert y.min() < min(view.y) <= max(view.y) < y.max()


def test_noise_on_the_variable_leaves_a_line_and_noise_on_points_a_cloud() -> None:
    given = columns()
    cloud = of_records("qq", FORMULA, given, method="probabilistic")
    line = of_records("qq", FORMULA, given, method="probabilistic", noise_on="variable")
    quantiles, residuals, _ = twin("qq", given)
    assert list(line.x) == sorted(line.x)
    assert list(line.y) == sorted(line.y)
    assert line.x == pytest.approx(quantiles, abs=ROUNDED)
    assert not set(line.y) & set(residuals.tolist())
    assert line.parameters == {"q": 0.25, "noise_on": "variable"}
    # a quarter of the sd on either axis
    assert list(cloud.y) != sorted(cloud.y)
    assert not set(cloud.x) & set(quantiles.tolist())
    assert cloud.parameters == {"q": 0.25}


def test_other_columns_are_not_protected_for_the_variable() -> None:
    model, seen = model_of("y ~ x"), []

    def protect(columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        seen.append([*columns])
        return columns

    for noise_on in ("variable", "points"):
        plot, how = QQPlot("y ~ x", noise_on=noise_on), How("probabilistic", k=3, q=0.25)
        request = PlotRequest(plot, how, model)
        diagnostics.of_records(
            model, table_of(columns()), request, OF_RECORDS, protect, residual_df=1
        )

    assert seen == [["standardised residuals"], ["normal quantiles", "standardised residuals"]]


# --- Cook's distance --------------------------------------------------------------------------


def of_leverage(view: Diagnostic) -> LeverageView:
    """Return a view that has curves."""
    assert isinstance(view, LeverageView)
    return view


@pytest.mark.parametrize(("distance", "sign"), [(0.5, 1), (1.0, -1)])
def test_a_point_of_that_cooks_distance_lies_on_the_curve(distance: float, sign: int) -> None:
    given = columns(40, seed=2)
    given["x"][0] = 18.0  # far out, so that one outcome can move the line
    y, matrix = given["y"].copy(), design(given)
    y[0] = matrix[0] @ sm.OLS(y[1:], matrix[1:]).fit().params  # where the others expect it

    def cooks(shift: float) -> float:
        given["y"] = y + sign * shift * (np.arange(40) == 0)
        return float(twin("leverage", given)[2].get_influence().cooks_distance[0][0])

    shift = brentq(lambda shift: cooks(shift) - distance, 0.0, 60.0)
    assert cooks(shift) == pytest.approx(distance)
    view = of_leverage(of_records("leverage", FORMULA, given))
    curves = {
        curve.y[0] > 0: curve
        for curve in view.curves
        if curve.label == f"Cook's distance {distance:g}"
    }

    of_record = float(twin("leverage", given)[0][0])
    h, residual = min(zip(view.x, view.y, strict=True), key=lambda at: abs(at[0] - of_record))
    assert h == pytest.approx(of_record, abs=1e-10)
    assert np.sign(residual) == sign
    curve = curves[sign > 0]
    assert np.interp(h, curve.x, curve.y) == pytest.approx(residual, rel=2e-3)


def test_curves_are_of_two_distances_either_side_and_reach_beyond_the_points() -> None:
    view = of_leverage(of_records("leverage", FORMULA, columns()))
    labels = [curve.label for curve in view.curves]
    assert labels == ["Cook's distance 0.5"] * 2 + ["Cook's distance 1"] * 2
    n, p = 120, 4
    for curve, distance, sign in zip(
        view.curves, (0.5, 0.5, 1.0, 1.0), (1, -1, 1, -1), strict=True
    ):
        h, r = np.array(curve.x), np.array(curve.y)
        assert (np.sign(r) == sign).all()
        of = r**2 * (n - p) / (p * (n - 1)) * h / (1 - h) ** 2
        assert of == pytest.approx(distance, rel=1e-9)
        assert h.max() == pytest.approx(1.1 * max(view.x))


# --- estimates corrected for noise ------------------------------------------------------------


def test_estimates_are_corrected_where_the_noise_is_known() -> None:
    rng = np.random.default_rng(11)
    x = rng.normal(size=20000)
    rows = {"x": x, "y": 2 * x + rng.normal(size=20000)}
    noised = {
        name: values + 0.5 * np.std(values) * rng.normal(size=20000)
        for name, values in rows.items()
    }

    plain = of_protected("residuals", "y ~ x", noised, {})
    better = of_protected("residuals", "y ~ x", noised, {}, noise=KnownNoise(0.5))

    assert plain.corrected == {}
    assert plain.coefficients == better.coefficients
    # one covariate: (1 + q^2) times what the noise has left of 2
    assert better.coefficients["x"] == pytest.approx(1.6, abs=0.05)
    assert better.corrected["x"] == pytest.approx(1.25 * better.coefficients["x"], rel=1e-5)
    assert "corrected for the noise" in better.describe()


# formula, noise, and what is said
NOT_CORRECTED: dict[str, tuple[str, KnownNoise | str, str]] = {
    "a term that is no column": ("y ~ log(x)", KnownNoise(0.25), "a term is not a plain column"),
    "an outcome that is none": ("log(y) ~ x", KnownNoise(0.25), "a term is not a plain column"),
    "too much noise": (
        "y ~ x + z",
        KnownNoise(3.0),
        "it leaves too few degrees of freedom for a correction",
    ),
    "rounding": (
        "y ~ x",
        KnownNoise(0.25, {"x": Folds(-9, 9, 5), "y": Folds(-99, 99, 0.01)}),
        "it leaves too few degrees of freedom for a correction",
    ),
    "what the study knows": ("y ~ x", "far rows have more of it", "far rows have more of it"),
}


@pytest.mark.parametrize(("formula", "noise", "why"), NOT_CORRECTED.values(), ids=NOT_CORRECTED)
def test_where_estimates_cannot_be_corrected_that_is_said(
    formula: str, noise: KnownNoise | str, why: str
) -> None:
    rows = {name: np.abs(values) + 1 for name, values in columns(200).items() if name in "xyz"}
    rows["z"] = rows["x"] + 0.1 * rows["z"]
    view = of_protected("residuals", formula, rows, {}, noise=noise)
    assert view.corrected == {}
    assert view.origin.remarks[-1] == f"estimates are not corrected for the noise: {why}"


# --- refusals ---------------------------------------------------------------------------------


def test_too_few_residual_degrees_of_freedom_are_refused() -> None:
    rows = columns(13)
    texts = {"sex": rows.pop("sex")}
    with pytest.raises(RefusedError, match=r"too few residual degrees of freedom.*at least 10"):
        of_protected("residuals", FORMULA, rows, texts)
    assert len(of_protected("residuals", FORMULA, rows, texts, residual_df=9).x) == 13


def test_no_value_of_a_record_is_in_what_is_told() -> None:
    given = columns()
    given["y"][0] = 987654.321
    view = of_records("residuals", FORMULA, given, method="suppression", grid=30)
    assert "98765" not in view.to_json() + view.describe() + repr(view)


# --- very many points are joined ------------------------------------------------------------------


@pytest.fixture(scope="module")
def many() -> tuple[dict[str, Any], dict[str, Any]]:
    given = columns(diagnostics.MOST_POINTS + 1)
    return {name: given[name] for name in "yxz"}, {"sex": given["sex"].tolist()}


@pytest.mark.parametrize("picture", ["residuals", "leverage"])
def test_very_many_points_are_counted_in_cells(
    picture: str, many: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    rows, texts = many
    found = fit(model_of(FORMULA), {name: rows[name] for name in "yxz"}, texts)
    x, y = diagnostics.VIEWS[picture].outcomes(found)
    view = of_protected(picture, FORMULA, rows, texts)
    assert sum(view.size) == len(x) == len(rows["y"])
    assert len(view.x) <= diagnostics.SIDE**2
    wide, high = np.ptp(x) / diagnostics.SIDE, np.ptp(y) / diagnostics.SIDE
    for across, up, size in list(zip(view.x, view.y, view.size, strict=True))[::7]:
        away = np.maximum(abs(x - across) / wide, abs(y - up) / high)
        assert (away < 0.4999).sum() <= size <= (away < 0.5001).sum()
    dots = view.scene().panels[0].marks[0]
    assert isinstance(dots, Dots)
    assert dots.by_size


def test_of_very_many_quantiles_those_are_drawn_that_lie_apart(
    many: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    rows, texts = many
    found = fit(model_of(FORMULA), {name: rows[name] for name in "yxz"}, texts)
    there = {*zip(*(np.round(it, 9).tolist() for it in QQView.outcomes(found)), strict=True)}

    view = of_protected("qq", FORMULA, rows, texts)

    drawn = [*zip(view.x, view.y, strict=True)]
    assert sum(view.size) == len(rows["y"])
    assert len(drawn) <= diagnostics.QUANTILES + 1
    assert {*drawn} <= there
    assert drawn[0] == min(there)
    assert drawn[-1] == max(there)
    assert drawn == sorted(drawn)
    dots = view.scene().panels[0].marks[0]
    assert isinstance(dots, Dots)
    assert not dots.by_size
    assert "dark: a point that stands for several rows" in view.scene().notes


def test_as_many_points_as_can_be_told_apart_are_drawn_one_by_one() -> None:
    given = columns(diagnostics.MOST_POINTS)
    rows = {name: given[name] for name in "yx"}
    view = of_protected("residuals", "y ~ x", rows, {})
    assert view.size == (1,) * diagnostics.MOST_POINTS
