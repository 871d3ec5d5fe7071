"""The outputs of a study in a folder, under its policy: what the command line works with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet.errors import InputError, one_of, path_in_words
from discreet.ledger.entries import ON_THE_WEB
from discreet.ledger.ledger import Ledger
from discreet.ledger.outputs import Download, InForce, Output, downloads, list_outputs, shown
from discreet.outputs.check import FORMS, checker, command_of
from discreet.outputs.folder import Finding, Folder
from discreet.outputs.of_answers import (
    PLOT_FORMS,
    TABLE_FORMS,
    Answered,
    answered,
    file_name,
    file_of,
)
from discreet.outputs.rules import is_in_force, judged, rang
from discreet.outputs.standing import CHANGED
from discreet.plots import PLOTS
from discreet.policy import Policy
from discreet.progress import advance
from discreet.provenance import Sealer, key_of
from discreet.secret import Secret
from discreet.study.board import ROWS
from discreet.study.provenance import policy_digest
from discreet.study.table_kinds import TABLES
from discreet.study.verify import Verifier, verifier_of_policy

__all__ = ["StudyOutputs", "in_force", "outputs_in"]


@dataclass(frozen=True)
class StudyOutputs:
    """A folder of a study's outputs, and what its files are compared with."""

    folder: Folder
    verifier: Verifier

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
        return self.folder.collect(files, checker(self.verifier, self.folder.study))

    def collect_from_web(self, token: str | None = None) -> None:
        """Take up what was downloaded from a server or handed in there, by one token or by any.

        Each file is made again of the answer that the ledger keeps; one that is in the folder as it
        was handed in stays as it is.
        """
        there = self._there()
        wanted = [it for it in self._downloads(token) if not self._is_there(it, there)]
        found: dict[Path, Finding] = {}
        check = checker(self.verifier, self.folder.study)
        with TemporaryDirectory(prefix="discreet-") as folder:
            for done, it in enumerate(wanted, start=1):
                made = self._made(it)
                if made is not None:
                    path = Path(folder) / file_name(it.view, it.form)
                    path.write_bytes(made[0])
                    found[path] = made[1]
                advance("drawing what was downloaded", done, len(wanted))
            self.folder.collect(found, lambda path: found.get(path) or check(path))

    def not_handed_in(self) -> tuple[str, ...]:
        """Say what the study's version released, to a file or on the web, and is not there."""
        there = self._there()
        found = [*self._files_missing(there)]
        found += [
            f"{self._command(it)}, as {_form(it.form)}, taken by {_names(it.callers)}"
            for it in self._downloads()
            if not self._is_there(it, there)
        ]
        return (*dict.fromkeys(found), *self._only_shown())

    def _files_missing(self, there: Sequence[Output]) -> Iterator[str]:
        """Say which files were released that are not there, by what was asked for."""
        ledger = self.verifier.ledger
        asked = {(it.record["command"], _suffix(it)) for it in there}
        alike = {(it.record["kind"], *it.record["columns"], _suffix(it)) for it in there}
        marked = [(row, told) for row, told in ledger.released() if row["form"] != ON_THE_WEB]
        for row in self._history():
            what, form = (row["kind"], *row["columns"]), row["form"]
            if form == ON_THE_WEB:
                continue
            requests = [told.request for left, told in marked if left == row]
            if not requests and (*what, form) not in alike:  # it carries no provenance
                yield f"{row['kind']} of {', '.join(row['columns'])}, as {form}"
            for request in requests:
                call = command_of({"plot": row["kind"], "columns": row["columns"], **request})
                if (call, form) not in asked:
                    yield f"{call}, as {form}"

    def _history(self) -> list[dict[str, Any]]:
        """Return what the latest version released."""
        rows = self.verifier.ledger.history(self.folder.study)
        return [it for it in rows if it["version"] == self.folder.in_force.version]

    def _only_shown(self) -> Iterator[str]:
        """Say what a server gave to browsers and nobody downloaded."""
        store, study, version = self.folder.store, self.folder.study, self.folder.in_force.version
        seen = shown(store, study, version, (*PLOTS, *TABLES))
        only = len(seen - {it.view for it in self._downloads()})
        if only:
            yield f"plots and tables that were only shown on the web: {only} (see discreet log)"
        if any((it["kind"], it["form"]) == (ROWS, ON_THE_WEB) for it in self._history()):
            yield "the rows of the protected copy, sent to a browser"

    def _downloads(self, token: str | None = None) -> tuple[Download, ...]:
        """Return what was downloaded or handed in on the web, by anybody or by one token."""
        store, study = self.folder.store, self.folder.study
        version, forms = self.folder.in_force.version, (*PLOT_FORMS, *TABLE_FORMS)
        found = downloads(store, study, version, forms)
        handed = [it for it in list_outputs(store, study) if it.version == version]
        found = _by_file((*found, *(it for it in map(_handed_in, handed) if it.view)))
        if token is None:
            return found
        known = [*dict.fromkeys(name for it in found for name in it.callers)]
        named = [it for it in known if it in (token, f"token {token}")]
        if not named:
            raise InputError(f"nothing was downloaded with a token {token!r}; {_who(known)}")
        return tuple(it for it in found if named[0] in it.callers)

    def _there(self) -> list[Output]:
        """Return the outputs that are in the folder as they were handed in."""
        return [it.output for it in self.folder.standing() if it.state != CHANGED]

    def _is_there(self, wanted: Download, there: Sequence[Output]) -> bool:
        """Tell whether a download is there, under its name or as it was called on disk."""
        known = (wanted.view, _form(wanted.form))
        if any((it.record.get("view"), _suffix(it)) == known for it in there):
            return True
        asked = (self._command(wanted), _form(wanted.form))
        on_disk = [it for it in there if not it.record.get("view")]
        return any((it.record["command"], _suffix(it)) == asked for it in on_disk)

    def _command(self, wanted: Download) -> str:
        answer = self._answer(wanted)
        return "a plot or table" if answer is None else answer.command

    def _answer(self, wanted: Download) -> Answered | None:
        folder = self.folder
        return answered(folder.store, folder.study, folder.in_force.version, wanted.view)

    def _made(self, wanted: Download) -> tuple[bytes, Finding] | None:
        """Make a file that was downloaded again, and say what it is."""
        answer = self._answer(wanted)
        if answer is None or not answer.has(wanted.form):
            return None
        ledger, policy, folder = self.verifier.ledger, self.verifier.policy, self.folder
        same = is_in_force(ledger, folder.study, policy, folder.in_force.version)
        data = file_of(answer.body, wanted.form, Sealer(key_of(self.verifier.secret)))
        settings = ledger.settings(folder.study, folder.in_force.version)
        rings = rang(ledger, folder.study)
        judge = partial(judged, settings=settings, policy=policy, same=same, rings=rings)
        return data, answer.finding(data, judge, wanted.callers)

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


def outputs_in(path: Path, policy: str, study: str | None = None) -> StudyOutputs:
    """Return the outputs in a folder of a study: that of a name, the policy's, or the only one."""
    verifier = verifier_of_policy(policy)
    ledger = verifier.ledger
    name = study or verifier.policy.study or _only_study(ledger)
    now = in_force(verifier.policy, verifier.secret, name, ledger.version(name))
    return StudyOutputs(Folder(path, ledger.store, name, now), verifier)


def in_force(policy: Policy, secret: Secret, study: str, version: int) -> InForce:
    """Return the rules in force: a policy, of whatever study it says it is, and a version."""
    return InForce(policy_digest(policy.changed(study=study), secret), version)


def _only_study(ledger: Ledger) -> str:
    names = [*dict.fromkeys(it["study"] for it in ledger.history())]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InputError("nothing was released under this policy yet, so there are no outputs")
    raise InputError(f"the ledger knows several studies: {one_of(sorted(names))}; give --study")


def _suffix(output: Output) -> str:
    return Path(output.name).suffix.lower()[1:]


def _form(form: str) -> str:
    """Return how a file of a form ends."""
    return form.rpartition(".")[2]


def _handed_in(output: Output) -> Download:
    """Return an output as a download; one that was not handed in on the web is of no view."""
    record, suffix = output.record, _suffix(output)
    figure = "view.json" if suffix == "json" else f"figure.{suffix}"
    form = f"table.{suffix}" if record.get("type") == "table" else figure
    return Download(record.get("view", ""), form, tuple(record.get("callers", ())))


def _by_file(found: Iterable[Download]) -> tuple[Download, ...]:
    """Return each file once, with all who took it or handed it in."""
    callers: dict[tuple[str, str], dict[str, None]] = {}
    for it in found:
        callers.setdefault((it.view, it.form), {}).update(dict.fromkeys(it.callers))
    return tuple(Download(*of, tuple(names)) for of, names in callers.items())


def _who(callers: Sequence[str]) -> str:
    if not callers:
        return "nobody downloaded anything of this version"
    return f"downloads are of {one_of([it.removeprefix('token ') for it in callers])}"


def _names(callers: Sequence[str]) -> str:
    return ", ".join(it.removeprefix("token ") for it in callers)
