"""`discreet version`: versions of a study, and what has left."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from discreet.cli.common import (
    BinsOption,
    CategoricalOption,
    File,
    GridOption,
    GroupOption,
    HierarchyOption,
    ImputeOption,
    KOption,
    LevelsOption,
    NoUnitOption,
    PolicyOption,
    QOption,
    StrataOption,
    StudyOption,
    UnitOption,
    fields_given,
    moment,
    names_of,
    opened,
    preparation,
    print_by_version,
    progress_shown,
    unit_given,
)

__all__ = ["version_list", "version_new"]


def version_new(
    file: File,
    policy: PolicyOption = "standard",
    k: KOption = None,
    rows: Annotated[
        str | None, typer.Option("--method", help="The row method from now on.")
    ] = None,
    q: QOption = None,
    bins: BinsOption = None,
    grid: GridOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    strata: StrataOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    categorical: CategoricalOption = None,
    impute: ImputeOption = None,
    impute_levels: LevelsOption = None,
    hierarchy: HierarchyOption = None,
) -> None:
    """Open the next version of a study, for changed data or a changed policy."""
    with progress_shown():
        fields = fields_given(
            k=k, rows=rows, q=q, bins=bins, grid=grid, study=study, unit=unit_given(unit, no_unit)
        )
        fields |= preparation(impute, impute_levels, hierarchy)
        levels = [] if categorical is None else names_of(categorical)
        number = opened(file, policy, fields, group, strata, levels).new_version()
    typer.echo(f"version {number} is open; what leaves from now on belongs to it")


def version_list(
    policy: PolicyOption = "standard",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List what has left: study, version, time and picture, never a value."""
    from discreet.study import ledger_of

    history = ledger_of(policy).history()
    if as_json:
        typer.echo(json.dumps(history))
        return
    if not history:
        typer.echo("nothing has left yet")
    print_by_version(
        history,
        ("when (UTC)", "picture", "columns", "method", "as"),
        lambda entry: (
            moment(entry["at"]),
            entry["kind"],
            ", ".join(entry["columns"]),
            entry["method"],
            entry["form"],
        ),
    )
