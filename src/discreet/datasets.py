"""Small public or simulated tables to try things on; nobody's privacy is at stake in them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    import pyarrow as pa

SIMULATED = ("D1", "D2", "D3")


def d1() -> pa.Table:
    """Return D1: two normal columns on a line, X ~ N(10, 0.5²) and Y = X + N(0, 1).

    500 hypothetical people, simulated by Avraam et al. (2021), "Privacy preserving data
    visualizations", EPJ Data Science 10:2, section 3.

    Examples
    --------
    >>> from discreet import datasets
    >>> datasets.d1().shape
    (500, 2)
    """
    return _read("D1")


def d2() -> pa.Table:
    """Return D2: a skewed column on a curve, X ~ Lognormal(0, 0.5²) and Y = log(X) + U(0, 1).

    500 hypothetical people, simulated as those of `d1`.

    Examples
    --------
    >>> from discreet import datasets
    >>> datasets.d2().column_names
    ['X', 'Y']
    """
    return _read("D2")


def d3() -> pa.Table:
    """Return D3: two bounded columns without relation, X ~ Beta(5, 2) and Y ~ Beta(0.5, 0.5).

    500 hypothetical people, simulated as those of `d1`.

    Examples
    --------
    >>> from discreet import datasets
    >>> all(0 < x < 1 for x in datasets.d3()["X"].to_pylist())
    True
    """
    return _read("D3")


def diabetes() -> pa.Table:
    """Return ten baseline measurements of 442 diabetes patients, and how they fared.

    Returns
    -------
    pyarrow.Table
        One row a patient: `age` (years), `sex` (text, "1" or "2": the source does not say which
        is which), `bmi`, `blood_pressure` (average), the blood serum measurements
        `total_cholesterol`, `ldl`, `hdl`, `tch` (total cholesterol over hdl), `ltg` (possibly the
        logarithm of the triglycerides) and `glucose`, and `progression` of the disease one year
        later. All but `sex` are numbers in their own units.

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), "Least angle regression", Annals of
    Statistics 32, 407-499; the copy is scikit-learn's, `load_diabetes(scaled=False)`.

    Examples
    --------
    >>> from discreet import datasets
    >>> table = datasets.diabetes()
    >>> table.num_rows
    442
    >>> table["sex"].unique().to_pylist()
    ['2', '1']
    """
    import pyarrow as pa

    table = _read("diabetes")
    numbers = [pa.field(name, pa.float64()) for name in table.column_names]
    sex = table.schema.get_field_index("sex")
    return table.cast(
        pa.schema([*numbers[:sex], pa.field("sex", pa.string()), *numbers[sex + 1 :]])
    )


def path(name: str) -> Path:
    """Return where the CSV file of "D1", "D2" or "D3" lies, for what reads files.

    Examples
    --------
    >>> from discreet import datasets
    >>> datasets.path("D1").name
    'D1.csv'
    """
    if name not in SIMULATED:
        raise InputError(f"there is no data set {name!r}; name must be one of {one_of(SIMULATED)}")
    return _file(name)


def _file(name: str) -> Path:
    return Path(str(files("discreet") / "data" / f"{name}.csv"))


def _read(name: str) -> pa.Table:
    from pyarrow import csv

    return csv.read_csv(_file(name))
