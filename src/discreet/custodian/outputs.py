"""The outputs of a study in a folder, under its policy, and what a file is that may be handed in.

What a file is, its provenance, its seal and the register say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet.custodian.publishing import key_of_policy
from discreet.custodian.verify import Verifier, verifier_of_policy
from discreet.errors import InputError, one_of, path_in_words
from discreet.explore.file_checks import AS_MADE, SUFFIXES, read, rules_in_words
from discreet.explore.from_file import open_file
from discreet.explore.notes import BOARD, FIGURES, FROM_FILE, REPORT, policy_digest
from discreet.explore.verify_file import FileVerifier
from discreet.methods import CellKey, Whole
from discreet.outputs.folder import Check, Finding, Folder, command_of, judged
from discreet.outputs.page import CHANGED
from discreet.policy import Policy
from discreet.records.outputs import COMMENT, InForce, Output, file_of, list_outputs, review
from discreet.records.store import Store
from discreet.register.register import Register
from discreet.register.rules import ATTACK_RINGS, COPY_OF_TABLE
from discreet.render.to_matplotlib import FIGURES as DRAWN
from discreet.secret import Secret


@dataclass(frozen=True)
class StudyOutputs:
    """A folder of a study's outputs, and what its files are compared with."""

    folder: Folder
    verifier: Verifier
    file: FileVerifier | None = None

    def collect(self, places: Iterable[Path]) -> tuple[Path, ...]:
        """Take up what the study released of some files and folders; return what is left out."""
        files: list[Path] = []
        for place in places:
            if place.is_dir():
                files += (it for it in sorted(place.iterdir()) if it.suffix.lower() in FORMS)
            elif place.is_file():
                files.append(place)
            else:
                raise InputError(f"there is no file or folder {path_in_words(place)}")
        return self.folder.collect(files, self._check)

    def _check(self, path: Path) -> Finding | None:
        """Say what a file is that the study released, or that was drawn from its study file."""
        found = checker(self.verifier, self.folder.study)(path)
        if found is None and self.file is not None:
            return _finding_of_study_file(self.verifier, self.folder.study, self.file, path)
        return found

    def collect_from_server(self, record: Store, token: str | None = None) -> None:
        """Take up what was handed in on a server, by one token or by any; of a name the newest."""
        handed = [it for it in list_outputs(record, self.folder.study) if it.kept]
        handed = handed if token is None else _outputs_of_token(handed, token)
        # A server that was broken into shall name no path: neither of this folder, nor out of it.
        if any(it.name in ("", "..") or Path(it.name).name != it.name for it in handed):
            raise InputError("the server's record names an output that is not a valid file name")
        handed = [*{it.name: it for it in handed}.values()]
        found: dict[Path, Finding] = {}
        with TemporaryDirectory(prefix="discreet-") as folder:
            for it in handed:
                path = Path(folder) / it.name
                path.write_bytes(file_of(record, self.folder.study, it.id) or b"")
                found[path] = _finding_of(it)
            self.folder.collect(found, lambda path: found.get(path) or self._check(path))
        self._take_comments(handed)

    def _take_comments(self, handed: Sequence[Output]) -> None:
        store, study = self.folder.store, self.folder.study
        here = {it.digest: it for it in list_outputs(store, study)}
        for output in handed:
            mine = here[output.digest]
            for text in output.comments:
                if text not in mine.comments:
                    review(store, study, mine.id, COMMENT, text, self.folder.in_force)

    def not_handed_in(self) -> tuple[str, ...]:
        """Say what the study's version released to files, and is not there."""
        there = [it.output for it in self.folder.standing() if it.state != CHANGED]
        return tuple(dict.fromkeys(self._files_missing(there)))

    def _files_missing(self, there: Sequence[Output]) -> Iterator[str]:
        """Say which files were released that are not there, by what was asked for."""
        register = self.verifier.register
        commands = {(it.record["command"], _suffix(it)) for it in there}
        alike = {(it.record["kind"], *it.record["columns"], _suffix(it)) for it in there}
        marked = register.released()
        for row in register.history(self.folder.study):
            if str(row["version"]) != self.folder.in_force.version:
                continue
            what, form = (row["kind"], *row["columns"]), row["form"]
            requests = [told.request for left, told in marked if left == row]
            if not requests and (*what, form) not in alike:  # it carries no provenance
                yield f"{row['kind']} of {', '.join(row['columns'])}, as {form}"
            for request in requests:
                call = command_of({"plot": row["kind"], "columns": row["columns"], **request})
                if (call, form) not in commands:
                    yield f"{call}, as {form}"

    def write(self) -> None:
        """Write the folder's record, page and checksums."""
        policy = self.verifier.policy
        rules = {
            "safe_threshold": policy.k,
            "round_to": policy.round_to,
            "policy": policy.name,
            "regime": policy.regime,
        }
        self.folder.write(rules, self.not_handed_in())


def outputs_in(
    path: Path, policy: str, study: str | None = None, study_file: Path | None = None
) -> StudyOutputs:
    """Return the outputs in a folder of a study: that of a name, the policy's, or the only one.

    With its study file figures count, too, that were drawn from that file.
    """
    verifier = verifier_of_policy(policy)
    register = verifier.register
    name = study or verifier.policy.study or _only_study(register)
    now = in_force(verifier.policy, verifier.secret, name, register.version(name))
    file = None if study_file is None else _own_file(verifier, name, study_file)
    return StudyOutputs(Folder(path, register.store, name, now), verifier, file)


def _own_file(verifier: Verifier, study: str, path: Path) -> FileVerifier:
    """Return what compares figures with a study file; refuse one that was not published here."""
    found = FileVerifier(open_file(path))
    manifest = found.session.file.manifest
    if manifest.study != study or manifest.key != key_of_policy(verifier.policy).public:
        raise InputError(
            f"{path_in_words(path)} is not a file of study {study!r} that was published with this"
            " secret; name the one that was"
        )
    return found


def in_force(policy: Policy, secret: Secret, study: str, version: int) -> InForce:
    """Return the rules in force: a policy, of whatever study it says it is, and a version."""
    return InForce(policy_digest(policy.changed(study=study), secret), str(version))


def _only_study(register: Register) -> str:
    names = [*dict.fromkeys(it["study"] for it in register.history())]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InputError("nothing has been released under this policy yet, so there are no outputs")
    raise InputError(f"the register knows several studies: {one_of(sorted(names))}; give --study")


def _suffix(output: Output) -> str:
    return Path(output.name).suffix.lower()[1:]


def _finding_of(output: Output) -> Finding:
    """Return what was found of an output when it was handed in: somebody has to look at it here.

    The server says what the output is, and of which version of the study; here nobody has seen it.
    """
    record = {name: it for name, it in output.record.items() if name != "policy"}
    record |= {name: tuple(record[name]) for name in ("columns", "callers") if name in record}
    says = (*output.record["says"], f"handed in on a server, version {output.version}")
    return Finding(**{**record, "says": says, "status": "review"}, digest=output.digest)


def _outputs_of_token(handed: Sequence[Output], token: str) -> list[Output]:
    """Return the outputs that were handed in with a token; refuse one that has none."""
    found = [it for it in handed if {token, f"token {token}"} & {*_callers(it)}]
    if not found:
        known = sorted({name.removeprefix("token ") for it in handed for name in _callers(it)})
        who = f"outputs are of {one_of(known)}" if known else "nobody has handed anything in"
        raise InputError(f"nothing was handed in with a token {token!r}; {who}")
    return found


def _callers(output: Output) -> tuple[str, ...]:
    return tuple(output.record.get("callers", ()))


# --- what a file is that may be handed in: by its provenance, its seal, and the register ----------


FORMS = SUFFIXES
"""How files end that can be handed in."""


def checker(verifier: Verifier, study: str) -> Check:
    """Return what says of a file whether a study released it, and as what."""
    policy, register = verifier.policy, verifier.register

    def check(path: Path) -> Finding | None:
        try:
            carried = read(path)
        except InputError:  # of another kind, broken, or larger than any figure
            return None
        found = verifier.check_read(path.name, carried)
        provenance, row = found.provenance, found.released
        if found.verdict != AS_MADE or provenance is None or row is None or row["study"] != study:
            return None
        # The register lets a version be released under one policy alone.
        same = register.left_under(study) == policy.settings()
        same = same and register.version(study) == row["version"]
        # What its provenance says counts, for that is sealed.
        names = provenance.request.get("columns", provenance.request.get("table"))
        columns = tuple(names if isinstance(names, list) else row["columns"])
        rings = bool(register.choices(study, ATTACK_RINGS))
        status, says = judged(provenance.source, row["rules"], policy, same=same, rings=rings)
        return Finding(
            status=status,
            kind=row["kind"],
            type=_type_of(path.suffix.lower(), provenance.request),
            columns=columns,
            method=row["method"],
            command=command_of({"plot": row["kind"], "columns": columns, **provenance.request}),
            digest=carried.digest,
            says=("made here, and unchanged since", *says),
        )

    return check


def _finding_of_study_file(
    verifier: Verifier, study: str, file: FileVerifier, path: Path
) -> Finding | None:
    """Return what a file is that a study file gives, to the byte; None of any other."""
    try:
        carried, found = read(path), file.check(path)
    except InputError:
        return None
    if found.verdict != AS_MADE:
        return None
    register, policy = verifier.register, verifier.policy
    version = file.session.file.manifest.version
    same = register.choices(study, COPY_OF_TABLE).get(COPY_OF_TABLE) == version
    same = same and register.left_under(study) == policy.settings()
    rings = bool(register.choices(study, ATTACK_RINGS))
    settings = register.settings(study, register.version(study))
    status, says = judged(FROM_FILE, settings, policy, same=same, rings=rings)
    of_copy = len(rules_in_words(FROM_FILE, settings))
    request = {} if found.provenance is None else found.provenance.request
    answer = file.answer_of(path)
    if answer is None:
        kind, method = str(request["plot"]), str(request.get("method", Whole.name))
        columns, command = tuple(request.get("columns", ())), command_of(request)
        said = (found.says, *says)
    else:
        question = answer.question
        kind, method, command = question.kind, CellKey.name, question.says
        columns, request = (*question.columns, *question.by), {}
        said = (found.says, "answered by rule", *answer.rules, answer.noise, *says[of_copy:])
    return Finding(
        status=status,
        kind=kind,
        type=_type_of(path.suffix.lower(), request),
        columns=columns,
        method=method,
        command=command,
        digest=carried.digest,
        says=said,
    )


def _type_of(ending: str, request: Mapping[str, Any]) -> str:
    """Say which kind of output it is: a plot, too, of a table of figures or a report."""
    if ending in DRAWN or "plot" in request:
        return "plot"
    return "report" if REPORT in request or request.get(FIGURES) == BOARD else "table"
