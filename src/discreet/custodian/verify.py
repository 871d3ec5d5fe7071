"""Whether a file was made here, and is as it was made: `Study.verify`, and `discreet verify`.

A file says where it comes from (`discreet.provenance`). That is believed where its seal is of the
secret, and the file where the rest of it is as it was sealed. What the register released is looked
up there; what was drawn from the protected copy is drawn from it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.custodian.publishing import private_copy
from discreet.custodian.session import Session, register_of
from discreet.errors import InputError
from discreet.explore.drawn_again import drawn_again
from discreet.explore.file_checks import (
    ALTERED,
    ELSEWHERE,
    FAILED,
    NOT_CHECKED,
    PASSED,
    UNKNOWN,
    Carried,
    FileCheck,
    check_each,
    lines_in_words,
    read,
    result,
    verdict_of,
)
from discreet.explore.notes import (
    COPY,
    COUNTS,
    FROM_FILE,
    MEASURED,
    policy_digest,
    version_of_counts,
)
from discreet.lines import TABLES, likeness
from discreet.plots import View
from discreet.policy import Policy, load_policy
from discreet.provenance import Provenance, key_of, own_version
from discreet.register.register import Register
from discreet.render.parquet_words import PARQUET
from discreet.secret import PLACES, DerivedKey, Secret, existing_secret

OF_A_FILE = (
    "it says that it was made from a study file, which anybody who has one can do; compare it "
    "with the file: discreet verify FIGURE --study FILE.discreet"
)
RULES = ("regime", "k", "m", "round_to")
"""What is said of the settings of a version, where it is there."""


@dataclass(frozen=True, repr=False)
class Verifier:
    """What files are compared with: the secret, what was released, and the policy in force.

    `session` is the study, where its data are at hand.
    """

    secret: Secret
    register: Register
    policy: Policy
    session: Session | None = None

    def check(self, path: str | Path) -> FileCheck:
        """Say whether a file was made here, and is as it was made; refuse other kinds of files."""
        return self.check_read(Path(path).name, read(path))

    def check_all(self, paths: Iterable[str | Path]) -> list[FileCheck]:
        """Say the same of several files; of one that cannot be read, why."""
        return check_each(self.check, paths)

    @property
    def key(self) -> DerivedKey:
        """What seals all that is released under the secret."""
        return key_of(self.secret)

    def check_read(self, name: str, carried: Carried) -> FileCheck:
        """Say of a file that was read whether it was made here, and is as it was made."""
        if carried.words is None:
            return self._unmarked(name, carried)
        try:
            provenance = Provenance.from_text(carried.words)
        except InputError:
            return FileCheck(name, ALTERED, "its provenance was changed")
        if not provenance.is_genuine(self.key):
            if provenance.source == FROM_FILE:
                return FileCheck(name, ELSEWHERE, OF_A_FILE, {"seal": FAILED}, provenance)
            # One of two was made of the other: same numbers, same seal or same id.
            released = any(
                it.id == provenance.id
                or it.checksum == provenance.checksum
                or it.seal == provenance.seal
                for _, it in self.register.released()
            )
            known = released or self._of_this_copy(provenance)
            says = (
                "its provenance was changed"
                if known
                else ("its provenance was sealed with another secret, or changed")
            )
            verdict = ALTERED if known else ELSEWHERE
            return FileCheck(name, verdict, says, {"seal": FAILED}, provenance)
        same = [left for left, _ in self.register.released(id_=provenance.id)]
        return self._compared(name, carried, provenance, same)

    def _compared(
        self, name: str, carried: Carried, provenance: Provenance, same: list[dict[str, Any]]
    ) -> FileCheck:
        checks, renamed = {"seal": PASSED}, carried.form != carried.ending
        fits = (
            carried.own
            if carried.rest is None
            else provenance.fits_file(self.key, carried.rest, carried.form)
        )
        checks["file"] = result(fits and not renamed)
        if carried.numbers is not None:
            checks["numbers"] = result(provenance.holds(self.key, carried.checksum))
        checks["register"] = PASSED if same else NOT_CHECKED
        checks["study"] = self._study(provenance, same)
        in_force = provenance.policy == policy_digest(self.policy, self.secret)
        again = self._drawn_again(provenance) if in_force and checks["study"] == PASSED else None
        checks["drawn again"] = NOT_CHECKED
        same_again = [it for it in again or () if provenance.holds(self.key, it.checksum())]
        if again is not None:
            checks["drawn again"] = result(bool(same_again))
        checks["policy"] = result(in_force) if self.session is not None else NOT_CHECKED
        other_numbers = checks.get("numbers") == FAILED
        made_as = carried.form if renamed and fits and not other_numbers else ""
        verdict, says = verdict_of(checks, provenance, made_as)
        if other_numbers and carried.numbers is not None and same_again:
            says += _where(carried.numbers, same_again[0])
        return FileCheck(name, verdict, says, checks, provenance, self._rules(same))

    def _unmarked(self, name: str, carried: Carried) -> FileCheck:
        """Say what is known of a file that says nothing of itself: a table, by its digest."""
        released = self.register.released(checksum=carried.digest)
        genuine = [
            (left, provenance) for left, provenance in released if provenance.is_genuine(self.key)
        ]
        if genuine:
            left, provenance = max(genuine, key=lambda it: f".{it[0]['form']}" == carried.ending)
            form = f".{left['form']}"
            checks = {"seal": PASSED, "file": result(form == carried.ending), "register": PASSED}
            checks["study"] = self._study(provenance, [left])
            verdict, says = verdict_of(checks, provenance, "" if form == carried.ending else form)
            return FileCheck(name, verdict, says, checks, provenance, self._rules([left]))
        if carried.form in TABLES and carried.form != PARQUET:
            found = self._of_lines(name, carried)
            if found is not None:
                return found
        return FileCheck(
            name,
            UNKNOWN,
            "it has no provenance, and the register knows no released table that it could be: "
            "it was made elsewhere, or its provenance was removed",
        )

    def _of_lines(self, name: str, carried: Carried) -> FileCheck | None:
        """Say of a table of text which released one it was made of, by its lines."""
        known = [it for it in self.register.lines() if it[1].is_genuine(self.key)]
        if not known:
            return None
        with carried.path.open("rb") as file:
            alike = likeness(self.key, file, [lines for _, _, lines in known])
        at = max(range(len(alike)), key=lambda i: (alike[i].is_alike, alike[i].nearness))
        if not alike[at].is_alike:
            return None
        left, provenance, _ = known[at]
        checks = {"file": FAILED, "register": PASSED, "study": self._study(provenance, [left])}
        says = lines_in_words(alike[at])
        return FileCheck(name, ALTERED, says, checks, provenance, self._rules([left]))

    def _study(self, provenance: Provenance, same: Iterable[Mapping[str, Any]]) -> str:
        if self.session is None:
            return NOT_CHECKED
        name, released = self.session.name, {left["study"] for left in same}
        if (name or "") in released or self._of_this_copy(provenance):
            return PASSED
        whole = self.session.policy.fixed
        if not released and provenance.source != COUNTS and not whole:
            return NOT_CHECKED  # each group of columns, or each plot, has a copy of its own
        latest = 1 if name is None else self.register.version(name)
        mine = {version_of_counts(self.secret, name, it) for it in range(1, latest + 1)}
        return result(provenance.version in mine)

    def _of_this_copy(self, provenance: Provenance) -> bool:
        session = self.session
        if session is None or not session.policy.fixed:
            return False
        if provenance.source not in (COPY, MEASURED):
            return False
        return provenance.version == private_copy(session).file.manifest.version

    def _drawn_again(self, provenance: Provenance) -> Sequence[View] | None:
        """Return what the request gives now, and all within it; None where it cannot be drawn."""
        if (
            self.session is None
            or provenance.source != COPY
            or provenance.discreet != own_version()
        ):
            return None
        try:
            return drawn_again(private_copy(self.session), provenance.request)
        except InputError:  # of another version, or no plot
            return None

    def _rules(self, same: list[dict[str, Any]]) -> dict[str, Any] | None:
        if not same:
            return None
        left = same[-1]
        settings = self.register.settings(left["study"], left["version"])
        rules = {name: settings[name] for name in RULES if settings.get(name) is not None}
        return {**left, "rules": rules}


def verifier_of(session: Session) -> Verifier:
    """Return what compares files with a study."""
    return Verifier(session.secret, session.register, session.policy, session)


def verifier_of_policy(policy: str | Path | Policy) -> Verifier:
    """Return what compares files with the secret and the register of a policy, without data."""
    chosen = load_policy(policy)
    secret = existing_secret(chosen.folder, allow_small=not chosen.fixed)
    if secret is None:  # one that was made now would call every file another's
        raise InputError(f"there is no secret to check files with: it is {PLACES}")
    return Verifier(secret, register_of(chosen, secret), chosen)


def _where(numbers: Mapping[str, Any], again: View) -> str:
    """Name the fields of a JSON that are not as they are drawn again."""
    made = json.loads(replace(again, gate=None, provenance=None).to_json())
    wrong = [name for name, it in made.items() if numbers.get(name) != it]
    wrong += [name for name in numbers if name not in made]
    return f": {', '.join(wrong)}" if wrong else ""
