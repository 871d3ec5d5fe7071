"""How a Study is opened: a table behind a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from discreet.policy import Policy, check_group, load_policy
from discreet.study.persons import refuse_unsaid_persons
from discreet.study.study import Study
from discreet.table import open_table, with_levels_of_two

__all__ = ["open"]


def open(
    source: object,
    policy: str | Path | Policy = "standard",
    *,
    study: str | None = None,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | bool | None = None,
    key: str | None = None,
    groups: Sequence[Sequence[str]] | None = None,
    strata: Sequence[str] | None = None,
    pairs: Sequence[Sequence[str]] | None = None,
    k: int | None = None,
    rows: str | None = None,
) -> Study:
    """Put a table behind a policy.

    Parameters
    ----------
    source : path or frame
        A `.csv`, `.tsv` or `.parquet` file, or a pandas, polars or pyarrow frame, a polars
        LazyFrame or a DuckDB relation.
    policy : str, Path or Policy, default "standard"
        The name of a preset ("standard", "datashield", "sacro", "opensafely", "research"), the
        path of a TOML file, or a Policy.
    study : str, optional
        The study's name, by which the ledger knows it; by default the file's name, so that of two
        files of one name one needs a name of its own. A frame has none unless one is given, and is
        recognised by its columns.
    kinds : mapping of str to {"continuous", "categorical"}, optional
        What to override of the inferred kinds: numbers are continuous, but for columns of two
        different values, which are categorical as all else is.
    roles : mapping of str to str, optional
        "identifier", "quasi-identifier", "sensitive" or "other" for each column; identifiers,
        and text columns with a different value in every row, are never shown.
    unit : str or False, optional
        The column that says which person a row belongs to; k then counts persons. False: a row is
        a person. It must be said where a column looks as if it held persons with several rows.
    key : str, optional
        A column that tells rows apart and stays the same when the data are updated. Without one
        a record is known by its values.
    groups : sequence of sequences of str, optional
        The columns whose rows may be seen together, protected jointly. By default the columns
        of the first row-level request, fixed from then on.
    strata : sequence of str, optional
        Categorical columns within whose combinations the protected copy is made; numbers that
        are named here become levels.
    pairs : sequence of pairs of str, optional
        The columns that may stand side by side in parallel coordinates. By default any, as far
        as all that are drawn fit into one order of axes.
    k : int, optional
        The least number of persons anything drawn stands on; the preset's where None.
    rows : {"condensation", "microaggregation", "deterministic", "probabilistic"}, optional
        The row method of the protected copy; the preset's where None.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If the source, the policy or a column named here is wrong.
    RefusedError
        If a column of a guarded study looks as if persons had several rows, and no `unit` is given.

    Notes
    -----
    Whoever can call this holds the raw data: looking is free. What leaves (a saved figure, a
    view as JSON) is recorded beside the policy file, or in the user's state folder, and must fit
    what has left before, under whatever name: a table that differs from one that left in few rows
    stays, and so does one in other units. Of tables of few levels it sees one row less, and more
    rows as far as chance would not do the same; README says what it does not see.

    Examples
    --------
    >>> import discreet as dc
    >>> study = dc.open(dc.datasets.diabetes(), groups=[["age", "bmi", "glucose"]])
    >>> study.histogram("glucose")
    HistogramView(histogram of glucose: merge (k = 5, round_to = 5, bins = 20), policy standard)
    """
    chosen = load_policy(policy).changed(
        study=study,
        kinds=kinds,
        roles=roles,
        unit=unit,
        key=key,
        groups=groups,
        strata=strata,
        pairs=pairs,
        k=k,
        rows=rows,
    )
    kinds = {name: "categorical" for name in chosen.strata} | dict(chosen.kinds)
    table = open_table(
        source,
        kinds=kinds,
        roles=chosen.roles,
        unit=chosen.unit,
        key=chosen.key,
        missing_values=chosen.missing_values,
    )
    if chosen.guarded and not chosen.public and chosen.unit is None:
        refuse_unsaid_persons(table, chosen.roles)
    table = with_levels_of_two(table, kinds)
    for group in chosen.groups:
        check_group(chosen, group)
        table.require(group, "continuous")
    table.require(chosen.strata, "categorical")
    for pair in chosen.pairs:
        table.require(pair)
    table.require([*{**chosen.limits, **chosen.edges, **chosen.bounds}], "continuous")
    return Study(table, chosen)
