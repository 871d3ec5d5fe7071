"""What is said of a file that was compared: a verdict, a sentence on why, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.explore.rules import rules_in_words
from discreet.lines import Likeness
from discreet.provenance import Provenance
from discreet.render.figure_file import printable

AS_MADE, ALTERED, ELSEWHERE, UNKNOWN = "as made", "altered", "elsewhere", "unknown"
UNREADABLE, NOT_COMPARABLE = "unreadable", "not comparable"
PASSED, FAILED, NOT_CHECKED = "passed", "failed", "not checked"


@dataclass(frozen=True)
class FileCheck:
    """What was found of a file.

    Parameters
    ----------
    file : str
        Its name.
    verdict : {"as made", "altered", "elsewhere", "unknown", "unreadable", "not comparable"}
        Whether it is as it was made here; was changed since; is of another secret or study; says
        nothing of where it comes from; could not be read; or cannot be compared with what is drawn
        again.
    says : str
        Why, in a sentence.
    checks : mapping of str to str
        Whether it "passed" or "failed" each check, or was "not checked": "seal" (what it says of
        itself is sealed with this secret), "file" (the rest of the file, and its ending, are as
        they were sealed), "numbers" (those in the file are those that were sealed), "register" (it
        was released), "drawn again" (the copy gives the same numbers), "study" (it is of this
        one), "policy" (it was made under the one in force).
    provenance : Provenance or None
        What it says of itself; of a table of text, what the register says.
    released : mapping or None
        What the register says of its release: study, version, kind, columns, method, form and the
        `rules` of the version, such as k.
    beside : str or None
        Where it was drawn again, to be looked at beside it.
    """

    file: str
    verdict: str
    says: str
    checks: Mapping[str, str] = field(default_factory=dict)
    provenance: Provenance | None = None
    released: Mapping[str, Any] | None = None
    beside: str | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        held = self.provenance
        return {
            "file": self.file,
            "verdict": self.verdict,
            "says": self.says,
            "checks": dict(self.checks),
            "provenance": None if held is None else held.to_plain(),
            "released": None if self.released is None else dict(self.released),
            "beside": self.beside,
        }

    def to_text(self) -> str:
        """Return it as some lines of text."""
        lines = [f"{printable(self.file)}: {self.verdict}", f"  {self.says}"]
        for found in (PASSED, FAILED, NOT_CHECKED):
            names = [name for name, it in self.checks.items() if it == found]
            lines += [f"  {found}: {', '.join(names)}"] if names else []
        if self.provenance is not None and self.checks.get("seal") == PASSED:
            lines.append(f"  policy {self.provenance.policy}, source: {self.provenance.source}")
        if self.released is not None and self.provenance is not None:
            of = self.released
            rules = "; ".join(rules_in_words(self.provenance.source, of["rules"]))
            lines.append(
                f"  {of['kind']} of study {of['study']!r}, version {of['version']}: {rules}"
            )
        if self.beside is not None:
            lines.append(f"  drawn again: {printable(self.beside)}")
        return "\n".join(lines)


def check_each(check: Callable[[Path], FileCheck], paths: Iterable[str | Path]) -> list[FileCheck]:
    """Say what `check` finds of each of several files; of one that cannot be read, why."""
    found = []
    for path in map(Path, paths):
        try:
            found.append(check(path))
        except InputError as error:
            found.append(FileCheck(path.name, UNREADABLE, str(error)))
    return found


def result(passed: bool) -> str:
    """Return the word for a check that passed, or did not."""
    return PASSED if passed else FAILED


def verdict_of(
    checks: Mapping[str, str], provenance: Provenance, renamed: str = ""
) -> tuple[str, str]:
    """Return the verdict on a file whose provenance is genuine, and why.

    `renamed` is the ending that it was made with, where it has another one now.
    """
    drawn = "plot" in provenance.request
    if renamed:
        return ALTERED, f"it was made here as a {renamed} file, and its name now ends otherwise"
    if checks.get("numbers") == FAILED:
        return ALTERED, "its numbers were changed"
    if checks.get("file") == FAILED:
        if "numbers" in checks:
            return ALTERED, (
                "its numbers are as they were made, but the file was written anew, and may hold"
                " more than they say"
            )
        if not provenance.file_seal:
            return ALTERED, (
                "its numbers were made here, but the file was not: it was drawn elsewhere from a"
                " released view"
            )
        return ALTERED, f"what {'is drawn in it' if drawn else 'it holds'} was changed"
    if checks.get("study") == FAILED:
        return ELSEWHERE, "made with this secret, but of another study, or of other data"
    if checks.get("drawn again") == FAILED:
        return ALTERED, "drawn again from the protected copy it has other numbers"
    if checks.get("policy") == FAILED:
        return AS_MADE, (
            "made here, and as it was made, but under another policy than the one in force"
        )
    return AS_MADE, "made here, and as it was made"


def lines_in_words(found: Likeness) -> str:
    """Say how a table of text differs from the release that most of its lines are of."""
    said = [] if found.header else ["its header is another one"]
    if found.more:
        said.append(f"it has {'more' if found.more > 0 else 'fewer'} rows")
    if found.found < found.of:
        said.append("some rows are not as they were")
    if not said:
        said.append("its rows stand in another order, or a few were changed")
    return f"most of its lines are those of a table that was released here; {', '.join(said)}"
