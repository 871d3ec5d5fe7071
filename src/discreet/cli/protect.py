"""`discreet protect`: the protected copy of a table as a signed file, for others to explore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from discreet.cli.common import (
    File,
    JsonOption,
    StudyOption,
    WholeOptions,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import InputError, path_in_words

if TYPE_CHECKING:
    from discreet.study_file import Manifest

__all__ = ["protect"]


@with_options
def protect(
    file: File,
    copy: WholeOptions,
    study: StudyOption = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Where to write it: a file .discreet.")
    ] = None,
    public: Annotated[
        bool,
        Option("--public", help="The table is public: its rows go in as they are, marked PUBLIC."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the protected copy of a table to a signed file, which others explore without the data.

    It is a release of the whole copy, and recorded. All commands that draw and tabulate take the
    file in place of the table.

    discreet protect cohort.csv -o cohort.discreet
    discreet protect cohort.csv --policy clinic.toml -o cohort.discreet
    discreet plot histogram cohort.discreet bmi -o bmi.svg
    """
    from discreet.render.figure_file import path_to_save
    from discreet.study_file import SUFFIX, open_study_file

    if output is None:
        raise InputError("say where the study file goes: -o COHORT.discreet")
    path_to_save(output, (SUFFIX,), "a study file")  # before the work
    if output.exists():
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    with progress_shown():
        (copy.open_public if public else copy.open)(file, study).publish(output)
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
