"""`discreet protect`, `check`, `verify` and `outputs`: files that are given to others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument

from discreet.cli.command import command, documented_by, given
from discreet.cli.common import (
    DerivedOptions,
    File,
    JsonOption,
    StudyOptions,
    WholeOptions,
    check_new,
    names_of,
    print_table,
    print_words,
    progress_shown,
    show,
)
from discreet.cli.tables import Files
from discreet.errors import InputError, LeavingError

if TYPE_CHECKING:
    from discreet.custodian.outputs import StudyOutputs
    from discreet.custodian.verify import Verifier
    from discreet.explore.verify_file import FileVerifier
    from discreet.outputs.page import Standing
    from discreet.study_file import Manifest

# --- protect --------------------------------------------------------------------------------------

TABLES = (".csv", ".tsv", ".parquet")


@documented_by("explore.study:Study.anonymize")
@dataclass(frozen=True)
class TableFileOptions:
    """What is said of the copy as a table, which is no study file.

    Parameters
    ----------
    report
        Of a table, where to save its report: .html, .json, .txt.
    columns
        Of a table: the columns to release, a,b.
    drop
        Of a table: columns to leave out, a,b.
    risk_below
        Of a table: it is refused where more records may be linked, e.g. 0.2.
    attacks
        Of a table: try attacks on it, for its report.
    """

    report: Path | None = None
    columns: str | None = None
    drop: str | None = None
    formula: str | None = None
    risk_below: float | None = None
    attacks: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return them as a Study takes them."""
        wanted = {"columns": names_of(self.columns) or None, "drop": names_of(self.drop)}
        return {**wanted, "formula": self.formula, "risk_below": self.risk_below}


@command()
def protect(
    file: File,
    copy: WholeOptions,
    table: TableFileOptions,
    derived: DerivedOptions,
    study: str | None = None,
    output: Path | None = None,
    public: bool = False,
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

    Parameters
    ----------
    output
        Where to write it: a study file .discreet; or a table .csv, .tsv or .parquet. Without it and
        --json nothing leaves.
    public
        The table is public: its rows go in as they are, marked PUBLIC.
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
        release = derived.of(opened).anonymize(**table.arguments())
        to.save(release.with_attacks() if table.attacks else release, as_json=as_json)


def _study_file(
    file: str, copy: WholeOptions, study: str | None, output: Path, *, public: bool, as_json: bool
) -> None:
    from discreet.custodian.protect import Protected
    from discreet.study_file import SUFFIX, fingerprint, open_study_file
    from discreet.unfinished import path_to_save

    path_to_save(output, (SUFFIX, *TABLES), "the copy")  # before the work
    check_new(output)
    with progress_shown():
        made = copy.open_public(file, study) if public else Protected(copy.open(file, study))
        made.publish(output)
    with open_study_file(output) as written:
        manifest = written.manifest
    facts = {
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
    show(json.dumps(facts) if as_json else _study_in_words(facts, manifest), as_json=as_json)


def _study_in_words(facts: dict[str, Any], manifest: Manifest) -> str:
    """Say what was written, who signed it, and what to send along."""
    path, of = facts["path"], "a PUBLIC table" if manifest.is_public else "the copy"
    return "\n".join(
        (
            f"{path}: {manifest.rows:,} rows of {of}, {facts['columns']} columns,"
            f" {facts['bytes'] / 1e6:.1f} MB",
            *manifest.remarks,
            f"signed by {facts['fingerprint']}",
            "Send the file, and pass on the line above by another channel. The recipient runs "
            f"`discreet check {Path(path).name}` and compares. Send nothing else: keep the "
            "data, the policy, the secret and the signing key.",
        )
    )


# --- check ----------------------------------------------------------------------------------------

ANOTHER_KEY = 10
"""What the command ends with where another key signed the study before."""


@command()
def check(file: Path, trust: str | None = None, as_json: JsonOption = False) -> None:
    """Say what a study file is and who signed it, once all of it was read.

    discreet check cohort.discreet
    discreet check cohort.discreet --json

    Ends with 0 if all of it is as it was signed, with 10 if another key signed the study before,
    and with 2 if it is not a study file, or was changed.

    Parameters
    ----------
    file
        A study file.
    trust
        The fingerprint of a key to take, though another signed the study before.
    """
    from discreet.study_file.checking import check as check_file

    result = check_file(file, trust=trust)
    show(json.dumps(result.to_plain()) if as_json else result.to_text(), as_json=as_json)
    if not result.is_trusted:
        raise typer.Exit(ANOTHER_KEY)


# --- verify ---------------------------------------------------------------------------------------

VERDICT_CODES = {
    "as made": 0,
    "altered": 10,
    "elsewhere": 11,
    "unknown": 12,
    "unreadable": 13,
    "not comparable": 14,
}
"""What the command ends with by the verdict; of several files by the first of these from 10 on."""


@dataclass(frozen=True)
class VerifyOptions(StudyOptions):
    """What files are compared with: a study as it is opened, or a study file.

    Parameters
    ----------
    study
        A study file (.discreet), from which figures are drawn again and compared; or the study's
        name, by default the policy's, or the file's name.
    """

    study: str | None = None


@command()
def verify(
    files: list[Path],
    study: VerifyOptions,
    data: str | None = None,
    beside: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether files were made here, and are as they were made.

    discreet verify age.png
    discreet verify *.svg report.html --data cohort.csv --json
    discreet verify *.svg --study cohort.discreet

    With a study file as --study, figures are drawn again from it and compared: no secret is needed.

    Ends with 0 if all are as they were made, else with 10 (one was changed), 11 (one is of another
    secret or study), 12 (one says nothing of where it comes from), 13 (one cannot be read) or 14
    (one is a .png or .pdf, or of a kind that is not drawn again, and there is a study file alone).

    Parameters
    ----------
    files
        Figures, JSON, pages, tables and reports that were saved.
    data
        The study's table: what was drawn from its copy is then drawn again.
    beside
        With a study file: a folder into which what is not as made is drawn again, to be looked at.
    """
    with progress_shown():
        verifier = _verifier(study, data, beside)
        verdicts = verifier.check_all(files)
    plain = json.dumps([it.to_plain() for it in verdicts])
    show(plain if as_json else "\n".join(it.to_text() for it in verdicts), as_json=as_json)
    codes = {VERDICT_CODES[it.verdict] for it in verdicts} - {0}
    if codes:
        raise typer.Exit(min(codes))


def _verifier(
    options: VerifyOptions, data: str | None, beside: Path | None
) -> Verifier | FileVerifier:
    """Return what files are compared with: a study file, the data, or secret and register alone."""
    from discreet.custodian.verify import verifier_of, verifier_of_policy
    from discreet.explore.from_file import is_study_file, open_file
    from discreet.explore.verify_file import FileVerifier

    if is_study_file(options.study):
        if data is not None or given(options) != {"study"}:
            raise InputError(
                "a study file already says how it was protected; give figures and --study FILE, "
                "and leave --data, --policy and options of the table out"
            )
        return FileVerifier(open_file(options.study), beside)
    if is_study_file(data):
        raise InputError(f"a study file holds no data; give it as --study {data}")
    if beside is not None:
        raise InputError("--beside is of figures of a study file; add --study FILE.discreet")
    if data is None:
        return verifier_of_policy(options.policy)
    return verifier_of(options.open(data).session)


# --- outputs --------------------------------------------------------------------------------------

NO_APPROVAL = {
    "changed": "something in the folder has changed since it was handed in: no approval covers it",
    "outdated": (
        "something in the folder was approved under an earlier policy or version: it needs a "
        "new decision"
    ),
}
"""By the state of an output that was decided, and of which no decision holds any more."""


@command()
def outputs(
    folder: Path,
    files: Annotated[
        list[Path] | None,
        Argument(help="Files, and folders of files, to collect from; this folder by default."),
    ] = None,
    from_server: bool = False,
    state: Path | None = None,
    token: str | None = None,
    comment: str | None = None,
    approve: bool = False,
    reject: bool = False,
    reason: str = "",
    of: list[str] | None = None,
    policy: str = "standard",
    study: str | None = None,
    study_file: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Collect what a study released into one folder, for an output checker to approve.

    discreet outputs request figures table.csv
    discreet outputs request figures --study-file cohort.discreet
    discreet outputs request --from-server
    discreet outputs request --comment "table 2 of the paper" --of table.csv
    discreet outputs request --approve
    discreet outputs request --reject --reason "bins too fine" --of bmi.svg

    The folder gets each file that was made here and not changed since, a record in ACRO's layout,
    and a page to read. What analysts handed in on a server is in the server's record, in the folder
    --state. What is said and decided is in the register. Ends with 4 where no decision holds for
    a file in the folder any more: it was changed since it was handed in, or approved under another
    policy or version than the one in force.

    Parameters
    ----------
    folder
        The folder for the checker; made if there is none.
    from_server
        Collect what was handed in on the server, too.
    token
        Of what was handed in, only that of the token of this name.
    study_file
        The study file that was published: collect what was drawn from it, and answers from the
        data, by the rules that they passed.
    comment
        Say something of the outputs.
    approve
        Approve the outputs.
    reject
        Reject the outputs; say why.
    reason
        Why they are approved or rejected.
    of
        The name of an output that is meant; all without.
    """
    from discreet.custodian.outputs import outputs_in
    from discreet.serve.record import require_record

    act = _act(comment, approve=approve, reject=reject, reason=reason, of=of)
    if act is not None and (files or from_server):
        raise InputError("files are collected first; decide on them in a second call")
    if token and not from_server:
        raise InputError("--token says whose outputs are collected; give --from-server with it")
    with progress_shown():
        collected = outputs_in(folder, policy, study, study_file)
        wanted = files or ([] if from_server else [Path()])
        left_out = collected.collect(wanted) if act is None else ()
        if from_server:
            collected.collect_from_server(require_record(state), token)
        if act is not None:
            collected.folder.review(*act, of or ())
        collected.write()
        standing, rest = collected.folder.standing(), collected.not_handed_in()
    named = [str(it) for it in left_out if it in (files or ())]
    if as_json:
        typer.echo(
            json.dumps(_outputs_as_plain(collected, standing, named, rest), ensure_ascii=False)
        )
    else:
        _print_outputs(collected, standing, named, rest)
    _end(standing)


def _end(standing: Sequence[Standing]) -> None:
    """End otherwise where no decision holds for something in the folder any more."""
    gone = [why for state, why in NO_APPROVAL.items() if any(it.state == state for it in standing)]
    for why in gone:
        typer.echo(f"discreet: {why}", err=True)
    if gone:
        raise typer.Exit(LeavingError.exit_code)


def _act(
    comment: str | None, *, approve: bool, reject: bool, reason: str, of: Sequence[str] | None
) -> tuple[str, str] | None:
    """Return what is to be said of outputs, and its words; None where they are collected."""
    acts = [(comment is not None, "comment"), (approve, "approved"), (reject, "rejected")]
    wanted = [what for there, what in acts if there]
    if len(wanted) > 1:
        raise InputError("--comment, --approve and --reject exclude each other; give one of them")
    if not wanted:
        if reason or of:
            raise InputError("--reason and --of go with --approve, --reject or --comment")
        return None
    if comment is not None and reason:
        raise InputError("a comment needs no --reason; write it into the comment")
    return wanted[0], reason if comment is None else comment


def _outputs_as_plain(
    study: StudyOutputs, standing: Sequence[Standing], left_out: Sequence[str], rest: Sequence[str]
) -> dict[str, Any]:
    now = study.folder.in_force
    return {
        "folder": str(study.folder.path),
        "study": study.folder.study,
        "outputs": [
            {
                "name": it.output.name,
                "state": it.state,
                "status": it.output.status(now),
                "digest": it.output.digest,
                "command": it.output.record["command"],
                "comments": [*it.output.comments],
                "reason": "" if it.output.decision is None else it.output.decision.text,
            }
            for it in standing
        ],
        "left_out": [*left_out],
        "not_handed_in": [*rest],
    }


def _print_outputs(
    study: StudyOutputs, standing: Sequence[Standing], left_out: Sequence[str], rest: Sequence[str]
) -> None:
    now = study.folder.in_force
    if standing:
        rows = [
            (it.output.name, it.output.record["command"], it.output.status(now), it.state)
            for it in standing
        ]
        print_table("", ("file", "what", "checks", "state"), rows)
    else:
        typer.echo("nothing was collected: this study released none of the files")
    if left_out:
        names = ", ".join(left_out)
        print_words(f"left out, because this study did not release them in this form: {names}")
    if rest:
        print_words("released, but not in the folder (name the place of the files):")
        print_words("\n".join(f"  {it}" for it in rest))
