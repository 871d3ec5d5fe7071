"""Whether a file was made here, and is as it was made: `Study.verify`, and `discreet verify`.

A file says where it comes from (`discreet.provenance`). That is believed where its seal is of the
secret, and the file where the rest of it is as it was sealed. What the ledger released is looked up
there; what was drawn from the protected copy is drawn from it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, InputError, one_of, path_in_words
from discreet.ledger.ledger import Ledger
from discreet.plots import PLOTS, MultiplesView, PanelsView, View
from discreet.plots.request import COPY, COUNTS
from discreet.policy import Policy, load_policy
from discreet.protect import Whole
from discreet.provenance import (
    Provenance,
    checksum_of,
    checksum_of_file,
    key_of,
    own_version,
)
from discreet.release import SUFFIXES as TABLES
from discreet.render.figure_file import printable
from discreet.render.metadata import CARRIERS, without_words
from discreet.secret import PLACES, Secret, existing_secret
from discreet.study.derived import DerivedCopy, derived_of
from discreet.study.provenance import plot_asked, policy_digest, version_of_counts
from discreet.study.session import Session, ledger_of

__all__ = [
    "ALTERED",
    "AS_MADE",
    "ELSEWHERE",
    "FAILED",
    "MOST_READ",
    "NOT_CHECKED",
    "PASSED",
    "SUFFIXES",
    "UNKNOWN",
    "FileCheck",
    "Verifier",
    "read",
    "verifier_of",
    "verifier_of_policy",
]

SUFFIXES = (*CARRIERS, ".json", *TABLES)
AS_MADE, ALTERED, ELSEWHERE, UNKNOWN = "as made", "altered", "elsewhere", "unknown"
PASSED, FAILED, NOT_CHECKED = "passed", "failed", "not checked"
RULES = ("regime", "k", "m", "rows", "round_to", "bins", "grid")
"""What is said of the settings of a version, where it is there."""
MOST_READ = 64 * 2**20
"""No figure is as large; what is larger is not read."""


@dataclass(frozen=True)
class FileCheck:
    """What was found of a file.

    Parameters
    ----------
    file : str
        Its name.
    verdict : {"as made", "altered", "elsewhere", "unknown"}
        Whether it is as it was made here; was changed since; is of another secret or study; or
        says nothing of where it comes from.
    says : str
        Why, in a sentence.
    checks : mapping of str to str
        Whether it "passed" or "failed" each check, or was "not checked": "seal" (what it says of
        itself is sealed with this secret), "file" (the rest of the file is as it was sealed),
        "numbers" (those in the file are those that were sealed), "ledger" (it was released),
        "drawn again" (the copy gives the same numbers), "study" (it is of this one), "policy" (it
        was made under the one in force).
    provenance : Provenance or None
        What it says of itself.
    released : mapping or None
        What the ledger says of its release: study, version, kind, columns, method, form and the
        `rules` of the version, such as k.
    """

    file: str
    verdict: str
    says: str
    checks: Mapping[str, str] = field(default_factory=dict)
    provenance: Provenance | None = None
    released: Mapping[str, Any] | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        told = self.provenance
        return {
            "file": self.file,
            "verdict": self.verdict,
            "says": self.says,
            "checks": dict(self.checks),
            "provenance": None if told is None else told.to_plain(),
            "released": None if self.released is None else dict(self.released),
        }

    def to_text(self) -> str:
        """Return it as some lines of text."""
        lines = [f"{printable(self.file)}: {self.verdict}", f"  {self.says}"]
        for result in (PASSED, FAILED, NOT_CHECKED):
            names = [name for name, it in self.checks.items() if it == result]
            lines += [f"  {result}: {', '.join(names)}"] if names else []
        if self.provenance is not None and self.checks.get("seal") == PASSED:
            lines.append(f"  policy {self.provenance.policy}, source: {self.provenance.source}")
        if self.released is not None:
            of, rules = self.released, self.released["rules"]
            told = ", ".join(f"{name} = {it}" for name, it in rules.items())
            lines.append(
                f"  {of['kind']} of study {of['study']!r}, version {of['version']}: {told}"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class Carried:
    """A file as it is read: what it says of itself, and what that is compared with.

    `digest` is that of all bytes, `words` what it says as text, `rest` the bytes beside that,
    `numbers` the values of JSON, and `checksum` theirs.
    """

    digest: str
    words: str | None = None
    rest: bytes | None = None
    numbers: dict[str, Any] | None = None
    checksum: str = ""


@dataclass(frozen=True, repr=False)
class Verifier:
    """What files are compared with.

    Parameters
    ----------
    secret : Secret
        The custodian's.
    ledger : Ledger
        What was released.
    policy : Policy
        The one in force.
    session : Session or None
        The study, where its data are at hand.
    """

    secret: Secret
    ledger: Ledger
    policy: Policy
    session: Session | None = None

    def check(self, path: str | Path) -> FileCheck:
        """Say whether a file was made here, and is as it was made.

        Raises
        ------
        InputError
            If there is no such file, or it is of a kind that is not released.
        """
        return self.check_read(Path(path).name, read(path))

    def check_read(self, name: str, held: Carried) -> FileCheck:
        """Say of a file that was read whether it was made here, and is as it was made."""
        if held.words is None:
            return self._unmarked(name, held)
        try:
            told = Provenance.from_text(held.words)
        except InputError:
            return FileCheck(name, ALTERED, "what it says of itself was changed")
        if not told.is_genuine(key_of(self.secret)):
            released = any(_alike(it, told) for _, it in self.ledger.released())
            known = released or self._of_this_copy(told)
            says = (
                "what it says of itself was changed"
                if known
                else ("what it says of itself was sealed with another secret, or changed")
            )
            verdict = ALTERED if known else ELSEWHERE
            return FileCheck(name, verdict, says, {"seal": FAILED}, told)
        same = [left for left, _ in self.ledger.released(id_=told.id)]
        return self._compared(name, held, told, same)

    def _compared(
        self, name: str, held: Carried, told: Provenance, same: list[dict[str, Any]]
    ) -> FileCheck:
        """Say what became of a file whose provenance is genuine."""
        checks = {"seal": PASSED}
        if held.rest is not None:
            fits = told.fits_file(key_of(self.secret), held.rest)
            checks["file"] = _result(fits) if told.file_seal else FAILED
        if held.numbers is not None:
            checks["numbers"] = _result(held.checksum == told.checksum)
        checks["ledger"] = PASSED if same else NOT_CHECKED
        checks["study"] = self._study(told, same)
        in_force = told.policy == policy_digest(self.policy, self.secret)
        again = self._drawn_again(told) if in_force and checks["study"] == PASSED else None
        checks["drawn again"] = NOT_CHECKED
        if again is not None:
            checks["drawn again"] = _result(told.checksum in again)
        checks["policy"] = _result(in_force) if self.session is not None else NOT_CHECKED
        verdict, says = _verdict(checks, told)
        if checks.get("numbers") == FAILED and again and held.numbers is not None:
            says += _where(held.numbers, again.get(told.checksum))
        return FileCheck(name, verdict, says, checks, told, self._rules(same))

    def _unmarked(self, name: str, held: Carried) -> FileCheck:
        """Say what is known of a file that says nothing of itself: a table, by its digest."""
        for left, told in self.ledger.released(checksum=held.digest):
            if told.is_genuine(key_of(self.secret)):
                checks = {"seal": PASSED, "file": PASSED, "ledger": PASSED}
                checks["study"] = self._study(told, [left])
                verdict, says = _verdict(checks, told)
                return FileCheck(name, verdict, says, checks, told, self._rules([left]))
        return FileCheck(
            name,
            UNKNOWN,
            "it says nothing of where it comes from, and the ledger knows no released table of"
            " these bytes: it was made elsewhere, or changed, or is a report, a table of figures or"
            " a board, which say nothing of themselves yet",
        )

    def _study(self, told: Provenance, same: Iterable[Mapping[str, Any]]) -> str:
        """Tell whether it is of the study that is at hand."""
        if self.session is None:
            return NOT_CHECKED
        name, released = self.session.name, {left["study"] for left in same}
        if (name or "") in released or self._of_this_copy(told):
            return PASSED
        whole = self.session.policy.rows_by == Whole.name
        if not released and told.source != COUNTS and not whole:
            return NOT_CHECKED  # each group of columns, or each plot, has a copy of its own
        latest = 1 if name is None else self.ledger.version(name)
        mine = {version_of_counts(self.secret, name, it) for it in range(1, latest + 1)}
        return _result(told.version in mine)

    def _of_this_copy(self, told: Provenance) -> bool:
        session = self.session
        if session is None or told.source != COPY or session.policy.rows_by != Whole.name:
            return False
        return told.version == session.kept.copy.version

    def _drawn_again(self, told: Provenance) -> dict[str, View] | None:
        """Return what the request gives now by its checksums; None where it cannot be drawn."""
        if self.session is None or told.source != COPY or told.discreet != own_version():
            return None
        if told.request.get("plot") not in PLOTS:
            return None
        try:
            return {it.checksum(): it for it in _views(_drawn(self.session, told.request))}
        except (DiscreetError, TypeError, ValueError):  # of another version, or an older request
            return None

    def _rules(self, same: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return what the ledger says of a release, and the rules of its version."""
        if not same:
            return None
        left = same[-1]
        settings = self.ledger.settings(left["study"], left["version"])
        rules = {name: settings[name] for name in RULES if settings.get(name) is not None}
        return {**left, "rules": rules}


def verifier_of(session: Session) -> Verifier:
    """Return what compares files with a study."""
    return Verifier(session.secret, session.ledger, session.policy, session)


def verifier_of_policy(policy: str | Path | Policy) -> Verifier:
    """Return what compares files with the secret and the ledger of a policy, without data."""
    chosen = load_policy(policy)
    secret = existing_secret(chosen.folder, allow_small=not chosen.from_copy)
    if secret is None:  # one that was made now would call every file another's
        raise InputError(f"there is no secret to check files with: it is {PLACES}")
    return Verifier(secret, ledger_of(chosen, secret), chosen)


def read(path: str | Path) -> Carried:
    """Read a file: what it says of itself, and the rest.

    Raises
    ------
    InputError
        If there is no such file, or it is of a kind that is not released, or broken.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"a file of this kind is not released: {path_in_words(path)}; verify takes"
            f" {one_of(SUFFIXES)}"
        )
    try:
        if not path.is_file():  # what is none may never end
            raise FileNotFoundError
        if suffix in TABLES:
            return Carried(checksum_of_file(path))
        if path.stat().st_size > MOST_READ:
            raise InputError(
                f"{path_in_words(path)} is larger than any figure that discreet makes"
                f" ({MOST_READ // 2**20} MB), and is not read"
            )
        data = path.read_bytes()
    except OSError:
        raise InputError(f"there is no file to read at {path_in_words(path)}") from None
    digest = hashlib.sha256(data).hexdigest()
    if suffix in CARRIERS:
        rest, words = without_words(data, suffix)
        return Carried(digest, words, rest)
    try:
        numbers = json.loads(data, object_pairs_hook=_once)
        given = numbers.pop("provenance", None)
        checksum = checksum_of(numbers)
        # As it would stand in a figure: JSON may be written in many ways.
        words = None if given is None else _words_of(given)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path_in_words(path)} is no JSON that discreet wrote") from None
    return Carried(digest, words, numbers=numbers, checksum=checksum)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a name twice: of which the one counts here, another reader shows."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _words_of(given: Any) -> str:
    try:
        return Provenance.from_plain(given).to_text()
    except InputError:
        return ""  # which is none that discreet wrote


def _alike(kept: Provenance, told: Provenance) -> bool:
    """Tell whether one of two was made of the other: same numbers, same seal or same id."""
    return kept.id == told.id or kept.checksum == told.checksum or kept.seal == told.seal


def _drawn(session: Session, request: Mapping[str, Any]) -> View:
    plot, columns, how, asks = plot_asked(request)
    if session.policy.rows_by != Whole.name:
        return session.view(PLOTS[plot], session.settle(plot, columns, **how))
    of: Session | DerivedCopy = session
    if asks:
        of = derived_of(session)
        for name, text in asks:
            of = of.assign({name: text}) if name else of.where(text)
    return of.view(PLOTS[plot], of.settle(plot, columns, source=COPY, **how))


def _views(view: View | None) -> Iterator[View]:
    """Yield a view and those within it, which may have been saved by themselves."""
    if view is None:
        return
    yield view
    for inner in view.views if isinstance(view, MultiplesView | PanelsView) else ():
        yield from _views(inner)


def _result(passed: bool) -> str:
    return PASSED if passed else FAILED


def _verdict(checks: Mapping[str, str], told: Provenance) -> tuple[str, str]:
    """Return the verdict, and why."""
    if checks.get("file") == FAILED:
        if not told.file_seal:
            return ALTERED, (
                "its numbers were made here, but the file was not: it was drawn elsewhere from a"
                " released view"
            )
        return ALTERED, "what is drawn in it was changed"
    if checks.get("numbers") == FAILED:
        return ALTERED, "its numbers were changed"
    if checks.get("study") == FAILED:
        return ELSEWHERE, "made with this secret, but of another study, or of other data"
    if checks.get("drawn again") == FAILED:
        return ALTERED, "drawn again from the protected copy it has other numbers"
    return AS_MADE, "made here, and as it was made"


def _where(numbers: Mapping[str, Any], again: View | None) -> str:
    """Name the fields of a JSON that are not as they are drawn again."""
    if again is None:
        return ""
    made = json.loads(replace(again, gate=None, provenance=None).to_json())
    wrong = [name for name, it in made.items() if numbers.get(name) != it]
    wrong += [name for name in numbers if name not in made]
    return f": {', '.join(wrong)}" if wrong else ""
