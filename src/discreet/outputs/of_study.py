"""The outputs of a study in a folder, under its policy: what the command line works with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import InputError, one_of, path_in_words
from discreet.ledger.ledger import Ledger
from discreet.outputs.check import FORMS, checker
from discreet.outputs.folder import Folder
from discreet.study.verify import Verifier, verifier_of_policy

__all__ = ["StudyOutputs", "outputs_in"]

ON_THE_WEB = "web"
"""The form of what a server releases: its files are made elsewhere, each an entry of its own."""


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

    def not_handed_in(self) -> tuple[str, ...]:
        """Say what the study's version released to a file that is not in the folder."""
        there = {
            (record["kind"], *record["columns"], Path(it.output.name).suffix.lower()[1:])
            for it in self.folder.standing()
            for record in (it.output.record,)
        }
        rows = [
            row
            for row in self.verifier.ledger.history(self.folder.study)
            if row["version"] == self.folder.version and row["form"] != ON_THE_WEB
        ]
        rest = [it for it in rows if (it["kind"], *it["columns"], it["form"]) not in there]
        said = (f"{it['kind']} of {', '.join(it['columns'])}, as {it['form']}" for it in rest)
        return tuple(dict.fromkeys(said))

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
    return StudyOutputs(Folder(path, ledger.store, name, ledger.version(name)), verifier)


def _only_study(ledger: Ledger) -> str:
    names = [*dict.fromkeys(it["study"] for it in ledger.history())]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InputError("nothing was released under this policy yet, so there are no outputs")
    raise InputError(f"the ledger knows several studies: {one_of(sorted(names))}; give --study")
