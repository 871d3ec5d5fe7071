"""A change of the policy that somebody proposes: what differs, and what it would do.

Nothing is changed by it. The custodian writes it into the file, and says so by a command.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import tomli_w

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.policy import RULES, frozen, plain
from discreet.policy.words import ALWAYS, Sentence, words
from discreet.study.provenance import OF_SERVER
from discreet.study.session import Session
from discreet.table import is_url

__all__ = ["Change", "Mistake", "Proposal", "in_force", "policy_text", "propose"]

WIDE = 64
"""A list that fits into a line of so many letters stands in one."""
POLICY_FILE = "discreet.toml"
#: Fields by which the table is read, which is recognised by what it is read as.
OF_TABLE = ("kinds", "roles", "unit", "key")
NO_FILES = (
    "hierarchies of a proposal hold their lines: this page reads no files; name the file in the"
    " policy on the server"
)

Does = Literal["copy", "version", "start"]
"""What a field changes: the protected copy, what a version is released under, or nothing but what
is allowed from the next start on."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a proposal: the field, where it is one's, and the policy's own words."""

    field: str
    says: str


@dataclass(frozen=True)
class Change:
    """A field that differs: its lines before and after, what they say, and what it changes."""

    field: str
    before: str
    after: str
    said: str
    says: str
    does: Does


@dataclass(frozen=True)
class Proposal:
    """What a proposed policy changes.

    `version` is the number of the version that has to be opened for it, None where none has to be;
    `says` is what it does, in sentences, and `commands` what is typed on the server once the file
    holds `text`. `refused` says why it cannot be had, where it cannot.
    """

    changes: tuple[Change, ...]
    version: int | None
    refused: str
    says: tuple[str, ...]
    text: str
    commands: tuple[str, ...]


def policy_text(policy: Policy) -> str:
    """Return a policy as its file may have it: what protects, and what is not usual."""
    usual = Policy.of_keys({}).to_dict()
    given = {
        name: value
        for name, value in policy.to_dict().items()
        if name in ALWAYS or value != usual.get(name)
    }
    return _short_lists_in_line(tomli_w.dumps(given))


def in_force(policy: Policy) -> Policy:
    """Return a policy with what holds where its file does not say what the copy is made by."""
    return policy.changed(rows=policy.rows_by, m=policy.members if policy.fixed else None)


def propose(session: Session, text: str) -> Proposal | list[Mistake]:
    """Say what a policy would change that is proposed as the text of a file, or what is wrong."""
    before = session.policy
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of TOML; of a long number; of deep brackets
        return [Mistake("", f"The text is not TOML: {_place_of(error)}.")]
    wrong = list(_wrong(given))
    if wrong:
        return wrong
    try:
        after = Policy.of_keys({"name": before.name, "study": before.study, **given})
    except InputError as error:
        return [Mistake(_field_of(str(error)), str(error))]
    return _proposal(session, before, after)


def _place_of(error: Exception) -> str:
    found = re.search(r"line \d+, column \d+", str(error))
    return found[0] if found else "at its end"


def _wrong(given: Mapping[str, Any]) -> Iterator[Mistake]:
    """Give each field that holds what no policy may."""
    trees = given.get("hierarchies")
    if isinstance(trees, Mapping) and any(isinstance(it, str) for it in trees.values()):
        yield Mistake("hierarchies", NO_FILES)
        return
    for name, value in given.items():
        if name == "preset" or (name == "rows" and isinstance(value, str)):
            continue  # of which the policy itself says what is wrong
        if name not in RULES:
            yield from _unknown(name)
            continue
        holds, allowed = RULES[name]
        try:
            fits = holds(frozen(name, value))
        except InputError as error:
            yield Mistake(name, str(error))
            continue
        if not fits:
            yield Mistake(name, f"{name} of the policy must be {allowed}")


def _unknown(name: str) -> Iterator[Mistake]:
    try:
        Policy.of_keys({name: None})
    except InputError as error:
        yield Mistake(name, str(error))


def _field_of(text: str) -> str:
    """Return the field that an error of the policy is about, as far as it names one."""
    named = [name for name in re.findall(r"[a-z_]+", text) if name in RULES and name != "name"]
    return named[0] if named else ""


def _proposal(session: Session, before: Policy, after: Policy) -> Proposal:
    gate = session.release_gate
    changes = _changes(session, after)
    number = session.ledger.version(session.known_name())
    released = gate.left_under() is not None
    same = after.study == before.study
    does = {it.does for it in changes}
    opens = released and same and bool(does & {"copy", "version"})
    refused = ""
    if opens and number >= replace(gate, policy=after).most_versions:
        refused = (
            f"Version {number} is the last that this policy allows: versions together give away"
            " who came and went. A study under another name needs other persons."
        )
    opened = number + 1 if opens else None
    said = [*_said(changes, opened, number)] if released and same else [*_first(same)]
    return Proposal(
        changes=changes,
        version=opened,
        refused=refused,
        says=tuple(said) if changes else ("Nothing differs from the policy in force.",),
        text=policy_text(after),
        commands=tuple(_commands(session, opens)) if changes and not refused else (),
    )


def _changes(session: Session, after: Policy) -> tuple[Change, ...]:
    before = session.policy
    said = {it.field: it for it in words(before)}
    says = {it.field: it for it in words(after)}
    held, holds = in_force(before).to_dict(), in_force(after).to_dict()
    names = [name for name in RULES if held.get(name) != holds.get(name)]
    settings = _differing(before.settings(), after.settings()) | {*OF_TABLE}
    copy = _differing(before.copy_settings(), after.copy_settings()) & settings
    if before.fixed or after.fixed:
        copy |= {*OF_TABLE}

    def does(name: str) -> Does:
        if name in copy:
            return "copy"
        return "version" if name in settings else "start"

    return tuple(
        Change(
            name,
            _line(name, held),
            _line(name, holds),
            _words_of(said.get(name)),
            _words_of(says.get(name)),
            does(name),
        )
        for name in names
    )


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    return {name for name in {**one, **other} if one.get(name) != other.get(name)}


def _line(name: str, given: Mapping[str, Any]) -> str:
    if name not in given:
        return ""
    return _short_lists_in_line(tomli_w.dumps({name: plain(given[name])})).strip()


def _words_of(sentence: Sentence | None) -> str:
    return "" if sentence is None else sentence.words


def _first(same: bool) -> Iterator[str]:
    """Say what a change does of a study of which nothing was released."""
    if not same:
        yield (
            "Another name is another study: tokens of this one do not open it, and its record"
            " begins anew."
        )
        return
    yield "Nothing was released yet: the policy holds from the server's next start."


def _said(changes: Sequence[Change], opened: int | None, number: int) -> Iterator[str]:
    """Say what a change does of a study of which something was released."""
    does = {it.does for it in changes}
    if opened is not None:
        yield f"It needs a new version of the study, version {opened}."
        if "copy" in does:
            yield "The protected copy is made anew, with fresh noise."
        yield (
            f"What was released under version {number} stays released, and nobody can take it back;"
            " the server shows it no longer, and counts of views begin anew."
        )
        yield "Tokens stay as they are."
        return
    yield f"It needs no new version: version {number} goes on from the server's next start."
    if "counts" in does:
        yield (
            "What was counted in this version keeps its method: the same counts by another are"
            " refused."
        )
    yield "What was released stays released, and must fit what follows."
    if any(it.field not in OF_SERVER for it in changes):
        yield "A picture from counts that is asked for again counts as a view once more."


def _commands(session: Session, opens: bool) -> Iterator[str]:
    """Give what is typed on the server, in the folder of the policy, once its file is changed."""
    policy, source = session.policy, session.table.source
    file = POLICY_FILE if policy.file is None else policy.file.name
    data = "DATA" if source is None else _near(source, policy.folder)
    words_ = [data, "--policy", file]
    if opens:
        yield shlex.join(["discreet", "version", "new", *words_])
    yield shlex.join(["discreet", "serve", *words_])


def _near(source: str, folder: Path | None) -> str:
    """Return a path as it is seen from the policy's folder; a URL as it is."""
    if is_url(source):
        return source
    path = Path(source)
    return path.name if folder is None else os.path.relpath(path.resolve(), folder)


def _short_lists_in_line(toml: str) -> str:
    """Return TOML with every list that fits into a line in one."""
    # From the inside out: what an item of a list is stands in one line by then.
    several = re.compile(r"^( *)(.*)\[\n((?:\1 {4}\S.*,\n)+)\1\](,?)$", re.MULTILINE)

    def in_line(found: re.Match[str]) -> str:
        indent, name, items, comma = found.groups()
        each = " ".join(item.strip() for item in items.strip().split("\n"))
        line = f"{indent}{name}[{each[:-1]}]{comma}"
        return line if len(line) <= WIDE else found[0]

    while (shorter := several.sub(in_line, toml)) != toml:
        toml = shorter
    return toml
