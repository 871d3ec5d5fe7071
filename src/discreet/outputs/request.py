"""A folder of outputs of a study, opened under its policy: what the command line works with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import InputError, one_of, path_in_words
from discreet.ledger.ledger import Ledger
from discreet.outputs.check import FORMS, checker
from discreet.outputs.folder import Folder
from discreet.policy import Policy, load_policy
from discreet.secret import Secret, load_secret
from discreet.study import ledger_of

__all__ = ["Request", "open_request"]

ON_THE_WEB = "web"
"""The form of what a server releases: its files are made elsewhere, each an entry of its own."""


@dataclass(frozen=True)
class Request:
    """A folder that is handed to a checker, and the policy that its outputs were made under."""

    folder: Folder
    policy: Policy
    ledger: Ledger
    secret: Secret

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
        check = checker(self.policy, self.ledger, self.secret, self.folder.study)
        return self.folder.collect([it for it in files if it.is_file()], check)

    def not_handed_in(self) -> tuple[str, ...]:
        """Say what the study's version released to a file that is not in the folder."""
        there = {
            (record["kind"], *record["columns"], Path(it.output.name).suffix.lower()[1:])
            for it in self.folder.standing()
            for record in (it.output.record,)
        }
        rows = [
            row
            for row in self.ledger.history(self.folder.study)
            if row["version"] == self.folder.version and row["form"] != ON_THE_WEB
        ]
        rest = [it for it in rows if (it["kind"], *it["columns"], it["form"]) not in there]
        said = (f"{it['kind']} of {', '.join(it['columns'])}, as {it['form']}" for it in rest)
        return tuple(dict.fromkeys(said))

    def write(self) -> None:
        """Write the folder's record, page and checksums."""
        policy = self.policy
        rules = {
            "safe_threshold": policy.k,
            "round_to": policy.round_to,
            "policy": policy.name,
            "regime": policy.regime,
        }
        self.folder.write(rules, self.not_handed_in())


def open_request(path: Path, policy: str, study: str | None = None) -> Request:
    """Open a folder of outputs of a study: the one that is named, the policy's, or the only one."""
    rules = load_policy(policy)
    secret = load_secret(rules.folder, allow_small=not rules.from_copy)
    ledger = ledger_of(rules, secret)
    name = study or rules.study or _only_study(ledger)
    return Request(Folder(path, ledger.store, name, ledger.version(name)), rules, ledger, secret)


def _only_study(ledger: Ledger) -> str:
    names = [*dict.fromkeys(it["study"] for it in ledger.history())]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InputError("nothing was released under this policy yet, so there are no outputs")
    raise InputError(f"the ledger knows several studies: {one_of(sorted(names))}; give --study")
