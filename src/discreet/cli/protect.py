"""`discreet protect`: the protected copy of a table as a signed file, for others to explore."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from discreet.cli.common import (
    DerivedOptions,
    File,
    FormulaOption,
    JsonOption,
    StudyOption,
    WholeOptions,
    given,
    names_of,
    print_words,
    progress_shown,
    with_options,
)
from discreet.cli.tables import Files
from discreet.errors import InputError, path_in_words

if TYPE_CHECKING:
    from discreet.study_file import Manifest

TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class TableFileOptions:
    """What is said of the copy as a table, which is no study file."""

    report: Annotated[
        Path | None, Option(help="Of a table, where to save its report: .html, .json, .txt.")
    ] = None
    columns: Annotated[str | None, Option(help="Of a table: the columns to release, a,b.")] = None
    drop: Annotated[str | None, Option(help="Of a table: columns to leave out, a,b.")] = None
    formula: FormulaOption = None
    risk_below: Annotated[
        float | None,
        Option(help="Of a table: it is refused where more records may be linked, e.g. 0.2."),
    ] = None
    attacks: Annotated[
        bool, Option("--attacks", help="Of a table: try attacks on it, for its report.")
    ] = False

    def asked(self) -> dict[str, Any]:
        """Return it as a Study takes it."""
        wanted = {"columns": names_of(self.columns) or None, "drop": names_of(self.drop)}
        return {**wanted, "formula": self.formula, "risk_below": self.risk_below}


@with_options
def protect(
    file: File,
    copy: WholeOptions,
    table: TableFileOptions,
    derived: DerivedOptions,
    study: StudyOption = None,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="Where to write it: a study file .discreet; or a table .csv, .tsv or .parquet."
            " Without it and --json nothing leaves.",
        ),
    ] = None,
    public: Annotated[
        bool,
        Option("--public", help="The table is public: its rows go in as they are, marked PUBLIC."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the protected copy of a table to a signed file, which others explore without the data.

    It is a release of the whole copy, and recorded. All commands that draw and tabulate take the
    file in place of the table. By the name of a table (.csv, .tsv, .parquet) the copy is written as
    one, with a report on its risk and use. Without -o and --json nothing leaves, and the report is
    printed.

    discreet protect cohort.csv -o cohort.discreet
    discreet protect cohort.csv --policy clinic.toml -o cohort.discreet
    discreet protect cohort.csv -o copy.csv --report report.html
    discreet plot histogram cohort.discreet bmi -o bmi.svg
    """
    from discreet.study_file import SUFFIX

    if output is not None and output.suffix.lower() not in TABLES:
        own = given(table) | given(derived)
        if own:
            option = min(own).replace("_", "-")
            raise InputError(f"--{option} is of the copy as a table; name one: -o COPY.csv")
        _study_file(file, copy, study, output, public=public, as_json=as_json)
        return
    if public:
        raise InputError(f"--public is of study files; name one: -o COHORT{SUFFIX}")
    to = Files(output, table.report)
    to.check()  # before the work
    with progress_shown():
        opened = copy.open(file, study)
        if as_json or output is not None:
            opened.session.check_copy()
        release = derived.of(opened).anonymize(**table.asked())
        to.save(release.with_attacks() if table.attacks else release, as_json=as_json)


def _study_file(
    file: str, copy: WholeOptions, study: str | None, output: Path, *, public: bool, as_json: bool
) -> None:
    from discreet.custodian.protect import Protected
    from discreet.render.figure_file import path_to_save
    from discreet.study_file import SUFFIX, open_study_file

    path_to_save(output, (SUFFIX, *TABLES), "the copy")  # before the work
    if output.exists():
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    with progress_shown():
        made = copy.open_public(file, study) if public else Protected(copy.open(file, study))
        made.publish(output)
    with open_study_file(output) as written:
        manifest = written.manifest
    told = _told(output, manifest)
    if as_json:
        typer.echo(json.dumps(told))
    else:
        print_words(_in_words(told, manifest))


def _told(output: Path, manifest: Manifest) -> dict[str, Any]:
    from discreet.study_file import fingerprint

    return {
        "path": str(output),
        "study": manifest.study,
        "version": manifest.version,
        "rows": manifest.rows,
        "columns": len(manifest.columns),
        "persons": manifest.persons,
        "bytes": output.stat().st_size,
        "fingerprint": fingerprint(manifest.key),
        "content": manifest.content,
    }


def _in_words(told: dict[str, Any], manifest: Manifest) -> str:
    """Say what was written, who signed it, and what to send along."""
    path, of = told["path"], "a PUBLIC table" if manifest.is_public else "the copy"
    return "\n".join(
        (
            f"{path}: {manifest.rows:,} rows of {of}, {told['columns']} columns,"
            f" {told['bytes'] / 1e6:.1f} MB",
            *manifest.remarks,
            f"signed by {told['fingerprint']}",
            "Send the file, and tell the line above by another way. Whoever gets it runs"
            f" `discreet check {Path(path).name}` and compares. Nothing else leaves: keep the data,"
            " the policy, the secret and the signing key.",
        )
    )
