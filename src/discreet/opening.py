"""The door: a study file is opened above the wall, data below it, which then is imported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from discreet.errors import InputError
from discreet.explore.from_file import is_study_file
from discreet.explore.harmony import is_map
from discreet.explore.pooled import Files
from discreet.explore.study import Study, study_of_files
from discreet.policy import Policy

OF_FILE = (
    "a study file already says what its study is and how it was protected; open it without a "
    "policy or other settings"
)


def open(
    source: object,
    policy: str | Path | Policy = "standard",
    *,
    study: str | None = None,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | bool | None = None,
    key: str | None = None,
    k: int | None = None,
    labels: Mapping[str, str] | None = None,
    dates: Mapping[str, str] | None = None,
) -> Study:
    """Put a table behind a policy, or open a study file.

    Parameters
    ----------
    source : path, frame, or several paths
        A study file (.discreet), which says all else itself; a list of them, or a mapping of names
        to them, or a map (.toml) that `harmonise` wrote, which are opened as one study with a
        column `study` (docs/federated.md); or a table: a file (CSV, Parquet,
        Feather, JSON lines, Excel, Stata, SPSS or SAS), a folder or pattern of Parquet files, or
        "-" for standard input; a database file, or the URL of a database's table; or a frame of
        pandas, polars, pyarrow, DuckDB, ibis, PySpark or Dask. docs/sources.md says how each is
        read.
    policy : str, Path or Policy, default "standard"
        The name of a preset ("standard", "datashield", "sacro", "opensafely"), the path of a TOML
        file, or a Policy. What the papers do is in `discreet.research`.
    study : str, optional
        The study's name, by which the register knows it; by default the file's name, so that of two
        files of one name one needs a name of its own. A frame has none unless one is given, and is
        recognised by its columns.
    kinds : mapping of str to {"continuous", "categorical"}, optional
        What to override of the inferred kinds: numbers are continuous, but for columns of two
        different values, which are categorical as all else is.
    roles : mapping of str to str, optional
        "identifier", "quasi-identifier", "sensitive" or "other" for each column; identifiers,
        and text columns with a different value in every row, are never shown.
    unit : str or False, optional
        The column that says which person a row belongs to; k then counts people. False: a row is
        a person; rows that are alike by no chance are one person's in the protected copy all the
        same. It must be said where a table looks as if people had several rows.
    key : str, optional
        A column that tells rows apart and stays the same when the data are updated. Without one
        a record is known by its values.
    k : int, optional
        The least number of people behind a level, a gap and a value of the copy; the preset's
        where None.
    labels : mapping of str to str, optional
        What is drawn in place of the names of columns, the unit in brackets:
        `{"bmi": "Body mass index (kg/m²)"}`. Asking goes by the names.
    dates : mapping of str to str, optional
        How the dates of columns of text are written, as `strptime` has it:
        `{"visit": "%d/%m/%Y"}`. Needed where the rows do not say which number is the day, or where
        years have two digits.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If the source, the policy or a column named here is wrong.
    RefusedError
        If a guarded study looks as if people had several rows, by a column or by rows that are
        alike, and no `unit` is given.

    Notes
    -----
    Whoever can call this holds the raw data: looking is free. What is released (a saved figure, a
    view as JSON) is recorded beside the policy file, or in the user's state folder, and must fit
    what was released before, under whatever name: a table that differs from one that was released
    in few rows stays, and so does one in other units. Of tables of few levels it sees one row less,
    and more rows as far as chance would not do the same; docs/promises.md says what it does not
    see.

    Examples
    --------
    >>> import discreet as dc
    >>> study = dc.open(dc.datasets.diabetes())
    >>> study.histogram("glucose")
    HistogramView(histogram of glucose: whole (k = 5, m = 20, bins = 20), policy standard)
    """
    files = files_of(source)
    if files is not None:
        said = (study, kinds, roles, unit, key, k, labels, dates)
        if policy != "standard" or any(it is not None for it in said):
            raise InputError(OF_FILE)
        return study_of_files(files)
    from discreet.custodian.protect import study_of_data

    return study_of_data(
        source,
        policy,
        study=study,
        kinds=kinds,
        roles=roles,
        unit=unit,
        key=key,
        k=k,
        labels=labels,
        dates=dates,
    )


def files_of(source: object) -> Files | None:
    """Return study files as they are named; None where the source is data."""
    if is_study_file(source) or is_map(source):
        return source
    several = [*source.values()] if isinstance(source, Mapping) else source
    if isinstance(several, list | tuple) and several and all(map(is_study_file, several)):
        return cast("Files", source)
    return None
