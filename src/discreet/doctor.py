"""What is installed, where state lies, and what keeps discreet from working.

Nothing is made or changed, no data are opened, and of a secret only its place is said.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from discreet.custodian.session import home_of, state_folder
from discreet.errors import InputError, RegisterError
from discreet.places import is_there
from discreet.policy import Policy, load_policy
from discreet.records.store import Store
from discreet.register.register import MARK, REGISTER
from discreet.secret import ENVIRONMENT, existing_secret, secret_files
from discreet.table.engine import MEMORY, MEMORY_LIMIT, connect
from discreet.warm import NOWHERE

SCHEMA = 1
PACKAGE = "discreet"
CORE = "core"
BEGINNING = b"SQLite format 3\x00"
"""Of each file of SQLite but an empty one."""
OF_OTHERS = ("all", "dev", "docs")
"""Extras that are made of others, or are not for users."""


@dataclass(frozen=True)
class Place:
    """Where something lies, or would be made: if it is there, if it may be written, and by whom.

    `hidden` says why it cannot be seen or read; None where it can, or is not there. `private` says
    that nobody but its owner may read it; None where that is not asked, where it is not there, or
    where the system has no such rights.
    """

    path: str
    exists: bool
    writable: bool
    private: bool | None
    hidden: str | None = None


@dataclass(frozen=True)
class Kernels:
    """How many kernels are compiled for the next start, where, and if more may be kept there."""

    compiled: int
    missing: int
    folder: str | None
    writable: bool


@dataclass(frozen=True)
class Checkup:
    """What `checkup` found.

    `packages` are the version of each package that discreet needs, and of those of each extra; None
    is not installed. `problems` keep discreet from working; with what `remarks` say it works less
    well.
    """

    discreet: str | None
    python: str
    system: str
    packages: Mapping[str, Mapping[str, str | None]]
    secret_from: str
    places: Mapping[str, Place]
    kernels: Kernels
    memory_limit: str
    duckdb_extensions: tuple[str, ...]
    problems: tuple[str, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=2)

    def to_text(self) -> str:
        """Return it as lines for the eye."""
        return "\n".join(_lines(self))


def checkup(policy: str | Path | Policy = "standard") -> Checkup:
    """Look at what is installed and where state lies, for studies of a policy.

    Parameters
    ----------
    policy : str, Path or Policy, default "standard"
        A preset, or a policy's file: beside it lie its secret and register.
    """
    rules = load_policy(policy)
    needed = _needed()
    problems, remarks = [*_unfit(needed.get(CORE, ()))], []
    if not needed:
        problems.append("discreet itself is not installed as a package: pip install discreet")
    places = {
        "configuration": _place(secret_files(None)[0].parent, folder=True),
        "state": _place(state_folder(rules), folder=True),
        "register": _place(state_folder(rules) / REGISTER.file_name, keeps_secrets=True),
        "temporary files": _place(Path(tempfile.gettempdir()), folder=True),
    }
    secret_from, place, problem = _secret(rules)
    if place is not None:
        places["secret"] = place
    problems += problem
    problems += _hidden(places)
    problems += _unwritable(places)
    if not places["register"].hidden:
        problems += [*_damaged(places["register"])] or [*_lost(rules)]
    kernels, remark = _kernels()
    remarks += remark
    if places["register"].private is False:
        remarks.append("the register can be read by others; give it owner-only rights (chmod 600)")
    extensions: tuple[str, ...] = ()
    try:
        extensions = _extensions()
    except InputError as error:
        problems.append(str(error))
    return Checkup(
        discreet=_version(PACKAGE),
        python=platform.python_version(),
        system=platform.platform(terse=True),
        packages={extra: {it.name: _version(it.name) for it in of} for extra, of in needed.items()},
        secret_from=secret_from,
        places=places,
        kernels=kernels,
        memory_limit=os.environ.get(MEMORY) or MEMORY_LIMIT,
        duckdb_extensions=extensions,
        problems=tuple(problems),
        remarks=tuple(remarks),
    )


# --- packages -------------------------------------------------------------------------------------


def _needed() -> dict[str, list[Requirement]]:
    """Return what discreet needs by itself, and what by each extra."""
    try:
        extras = metadata(PACKAGE).get_all("Provides-Extra") or []
        wanted = [Requirement(text) for text in requires(PACKAGE) or ()]
    except PackageNotFoundError:
        return {}
    by_extra = {
        CORE: [it for it in wanted if it.marker is None or it.marker.evaluate({"extra": ""})]
    }
    rest = [it for it in wanted if it.marker is not None and it not in by_extra[CORE]]
    for extra in sorted({*extras} - {*OF_OTHERS}):
        by_extra[extra] = [it for it in rest if it.marker and it.marker.evaluate({"extra": extra})]
    return by_extra


def _version(name: str) -> str | None:
    with suppress(PackageNotFoundError):
        return version(name)
    return None


def _unfit(needed: list[Requirement] | tuple[()]) -> Iterator[str]:
    for it in needed:
        installed = _version(it.name)
        if installed is None:
            yield f"the package {it.name} is missing: pip install '{it.name}{it.specifier}'"
        elif not it.specifier.contains(installed, prereleases=True):
            yield (
                f"the package {it.name} is of version {installed}, and {it.specifier} is needed:"
                f" pip install '{it.name}{it.specifier}'"
            )


# --- places ---------------------------------------------------------------------------------------


def _place(path: Path, *, folder: bool = False, keeps_secrets: bool = False) -> Place:
    """Look at a place without making it: where it is not there, at the nearest folder that is."""
    hidden, there = _why_hidden(path, folder=folder), path
    with suppress(OSError):
        while not is_there(there) and there != there.parent:
            there = there.parent
    exists, private = hidden is None and there == path, None
    if keeps_secrets and exists and os.name == "posix":
        private = not stat.S_IMODE(path.stat().st_mode) & 0o077
    return Place(str(path), exists, os.access(there, os.W_OK), private, hidden)


def _why_hidden(path: Path, *, folder: bool) -> str | None:
    """Say why what is at a path cannot be seen or read; None where it can, or is not there."""
    try:
        if not is_there(path):
            return None
    except OSError as error:
        return type(error).__name__
    if folder != path.is_dir():
        return "it is a file, not a folder" if folder else "it is a folder, not a file"
    needed = os.R_OK | os.X_OK if folder else os.R_OK
    return None if os.access(path, needed) else "PermissionError"


def _hidden(places: Mapping[str, Place]) -> Iterator[str]:
    for name, place in places.items():
        if place.hidden is not None:
            yield (
                f"the place of the {name}, {place.path!r}, cannot be read ({place.hidden}); give"
                " whoever runs discreet the right to read it, or name another place"
            )


def _unwritable(places: Mapping[str, Place]) -> Iterator[str]:
    for name, what in {
        "register": "nothing can be released",
        "temporary files": "no large table can be read",
    }.items():
        if places[name].hidden is None and not places[name].writable:
            yield f"{places[name].path!r} cannot be written to, so {what}; make it writable"


def _damaged(register: Place) -> Iterator[str]:
    """Say that the file of the register is none, by how it begins: it is not opened."""
    if not register.exists:
        return
    with suppress(OSError), Path(register.path).open("rb") as file:
        if file.read(len(BEGINNING)) not in (b"", BEGINNING):
            yield (
                f"the register {register.path!r} is damaged, so nothing can be released; restore it"
                " from a backup"
            )


def _lost(rules: Policy) -> Iterator[str]:
    """Say that a register is gone that was begun, or its key: nothing is made."""
    store = Store(state_folder(rules), REGISTER, home_of(rules) / MARK)
    with suppress(InputError):  # who may not look is told so of the places
        try:
            store.check_begun()
            if store.place is not None:
                _ = store.key
        except RegisterError as error:
            yield str(error)


def _secret(rules: Policy) -> tuple[str, Place | None, list[str]]:
    """Return where the secret comes from, its place, and what is wrong with it."""
    if ENVIRONMENT in os.environ:
        source, place = f"the environment variable {ENVIRONMENT}", None
    else:
        files = secret_files(rules.folder)
        path = next((it for it in files if _place(it).exists or _place(it).hidden), None)
        source = "a file" if path else "a file, which is made when it is needed"
        writable = (it for it in files if _place(it).writable)
        place = _place(path or next(writable, files[-1]), keeps_secrets=True)
    try:
        made = existing_secret(rules.folder, allow_small=not rules.fixed)
    except InputError as error:
        return source, place, [str(error)]
    if made is None and place is not None and not place.writable:
        return source, place, [f"no secret can be made in {place.path!r}; make its folder writable"]
    return source, place, []


# --- engines --------------------------------------------------------------------------------------


def _kernels() -> tuple[Kernels, list[str]]:
    from discreet.kernels.compiled import kept_kernels

    kept = kept_kernels()
    kernels = Kernels(
        len(kept.compiled),
        len(kept.missing),
        None if kept.folder is None else str(kept.folder),
        kept.writable,
    )
    if not kept.missing:
        return kernels, []
    if not kept.writable:
        return kernels, [f"{NOWHERE}; until then each start spends about a minute compiling"]
    return kernels, ["the first plots must wait for kernels to compile; run `discreet warm`"]


def _extensions() -> tuple[str, ...]:
    kept = connect()
    rows = kept.connection.execute(
        "SELECT extension_name FROM duckdb_extensions() WHERE installed ORDER BY extension_name"
    ).fetchall()
    return tuple(name for (name,) in rows)


# --- for the eye ----------------------------------------------------------------------------------


def _lines(result: Checkup) -> Iterator[str]:
    yield f"discreet {result.discreet or 'not installed'}, Python {result.python}, {result.system}"
    yield ""
    for extra, packages in result.packages.items():
        whole = all(packages.values())
        versions = ", ".join(f"{name} {it or '(missing)'}" for name, it in packages.items())
        advice = "" if whole or extra == CORE else f"; pip install 'discreet[{extra}]'"
        yield f"{extra}: {versions}{advice}"
    yield ""
    yield f"secret from {result.secret_from}"
    for name, place in result.places.items():
        yield f"{name}: {place.path} ({', '.join(_place_words(place))})"
    kernels = result.kernels
    of = kernels.compiled + kernels.missing
    yield f"kernels: {kernels.compiled} of {of} compiled, in {kernels.folder or 'no folder'}"
    yield f"DuckDB: up to {result.memory_limit} of memory; {', '.join(result.duckdb_extensions)}"
    yield ""
    yield from (f"problem: {it}" for it in result.problems)
    yield from (f"remark: {it}" for it in result.remarks)
    if not result.problems:
        yield "Everything is in order."


def _place_words(place: Place) -> Iterator[str]:
    if place.hidden is not None:
        yield f"cannot be read: {place.hidden}"
        return
    yield "there" if place.exists else "not made yet"
    yield "writable" if place.writable else "not writable"
    if place.private is not None:
        yield "readable only by its owner" if place.private else "readable by others"
