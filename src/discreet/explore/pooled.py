"""Several studies as one: the rows of all their copies, and a column with the study of each row.

No site is asked for anything, and no file is changed: the rows of the files are put below each
other. The first rows of each file, of which it has copies, stand first, in proportion to its rows.
So the pooled study has copies of its copy as well, which show how far a figure of it is off.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.columns import KINDS
from discreet.columns.column import CopiedRows, Unread, merge_orders
from discreet.columns.dates import DATE
from discreet.columns.words import Coded, CodedWords, coded, stacked
from discreet.errors import DiscreetError, InputError, about
from discreet.explore.answered import Answer
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.from_file import FileSession, open_file
from discreet.explore.harmony import Columns, Found, Harmony, Mapped, is_map, propose, read_map
from discreet.explore.new_columns import holds_codes
from discreet.explore.notes import column_notes
from discreet.explore.pooled_answers import combined
from discreet.explore.questions import Question, Questions, read_question
from discreet.expressions.tree import quoted
from discreet.study_file import open_study_file
from discreet.study_file.manifest import Column, Manifest
from discreet.use import together, warn_of

STUDY = "study"
"""The column that says which study a row is of."""
PERSON = "person of all studies"
MOST_NAMED = 4
"""So many studies are named in a note."""
TOGETHER = "studies together:"
KINDS_IN_WORDS = {KINDS[0]: "numbers", KINDS[1]: "levels", DATE: "dates"}
HARMONISE = "; write a map of how they fit: discreet harmonise FILES -o all.toml"


Files = str | Path | Sequence[str | Path] | Mapping[str, str | Path]
"""Study files, each of another study; a mapping names the studies, and a map the files."""


@dataclass(frozen=True, eq=False, repr=False)
class Site:
    """One study of several: the rows of its file, with new columns.

    `columns` has, by the pooled study's name of a column, that of the column of these rows.
    """

    name: str
    of: DerivedCopy
    columns: Mapping[str, str]

    @property
    def manifest(self) -> Manifest:
        """What its file says of itself."""
        return self.of.session.file.manifest

    @cached_property
    def again(self) -> tuple[WholeTable, ...]:
        """The first rows, and the copies of them."""
        return self.of.copies_again()[0]

    def kind(self, name: str) -> str | None:
        """Return the kind of a column, as a study file has it; None where there is none."""
        if name not in self.columns:
            return None
        own = self.columns[name]
        if own in self.of.whole.copy.strata:
            return KINDS[1]
        return KINDS[0] if self.of.whole.raw[own].dates is None else DATE

    def has(self, name: str, rows: WholeTable) -> bool:
        """Tell whether a copy of its rows lost nothing of a column."""
        copy = rows.copy
        return self.columns.get(name) in {None, *copy.columns, *copy.strata}

    def floats(self, name: str, rows: WholeTable) -> Floats:
        """Return a column of numbers, and where it has none such, missing values."""
        if name == PERSON:
            whose = rows.persons
            return np.asarray(np.arange(len(rows)) if whose is None else whose, dtype=np.float64)
        if name not in self.columns:
            return np.full(len(rows), np.nan)
        own = self.columns[name]
        if self._is_read(own, rows):
            return self.of.session.file.floats(own)
        return rows.copy.columns[own]

    def coded(self, name: str, rows: WholeTable) -> Coded:
        """Return a column of levels, and where it has none such, missing values."""
        if name == STUDY or name not in self.columns:
            word = self.name if name == STUDY else ""
            return Coded((word,), np.zeros(len(rows), np.uint8))
        own = self.columns[name]
        if self._is_read(own, rows):
            return self.of.session.file.coded(own)
        return coded(rows.copy.strata[own])

    def _is_read(self, own: str, rows: WholeTable) -> bool:
        """Tell whether a column is that of the file, which is read and not kept a second time."""
        return rows is self.of.whole and own not in rows.made_from


@dataclass(frozen=True, eq=False, repr=False)
class PooledFile:
    """Study files as one, as a session reads it.

    Of each so many rows as `firsts` says stand first. Nobody has signed the manifest. `about` is
    what the notes of every figure say of the files, which are closed with it where it `closes`.
    """

    sites: tuple[Site, ...]
    firsts: tuple[int, ...]
    manifest: Manifest
    about: tuple[str, ...]
    closes: bool = True
    says_nearness: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        """The questions that all studies have answered, of those whose answers add up."""
        return tuple(self._answers)

    def answer(self, name: str) -> Any:
        """Return what all studies answered to a question together, as JSON has it."""
        return self._answers[name].to_plain()

    @cached_property
    def _answers(self) -> dict[str, Answer]:
        files = [site.of.session.file for site in self.sites]
        common = [name for name in files[0].answers if all(name in it.answers for it in files)]
        found = {
            name: combined([Answer.from_plain(it.answer(name)) for it in files]) for name in common
        }
        return {name: answer for name, answer in found.items() if answer is not None}

    def floats(self, name: str) -> Floats:
        """Return a column of numbers of all studies."""
        parts = self._floats(name, [site.of.whole for site in self.sites])
        firsts = [*zip(parts, self.firsts, strict=True)]
        return np.concatenate([*(it[:n] for it, n in firsts), *(it[n:] for it, n in firsts)])

    def coded(self, name: str) -> Coded:
        """Return a column of levels of all studies."""
        each = [it.coded(name, it.of.whole) for it in self.sites]
        together = stacked(each)
        parts = np.split(together.codes, np.cumsum([len(it.codes) for it in each])[:-1])
        firsts = [*zip(parts, self.firsts, strict=True)]
        first, others = [it[:n] for it, n in firsts], [it[n:] for it, n in firsts]
        return Coded(together.names, np.concatenate([*first, *others]))

    def copies(self) -> tuple[CopiedRows, ...]:
        """Return copies of the rows that stand first: those of all studies, below each other."""
        least = min(len(site.again) for site in self.sites)
        return tuple(self._copied([it.again[at] for it in self.sites]) for at in range(1, least))

    def _copied(self, tables: Sequence[WholeTable]) -> CopiedRows:
        cut = [
            table.rows(np.arange(round(n * len(table) / len(site.again[0]))))
            for table, site, n in zip(tables, self.sites, self.firsts, strict=True)
        ]
        there = [
            it
            for it in self.manifest.columns
            if all(site.has(it.name, table) for site, table in zip(self.sites, cut, strict=True))
        ]
        numbers = [it.name for it in there if it.kind != KINDS[1]]
        levels = [it.name for it in there if it.kind == KINDS[1]]

        def words(name: str) -> CodedWords:
            each = zip(self.sites, cut, strict=True)
            return CodedWords(*stacked([site.coded(name, table) for site, table in each]))

        return (
            Unread(numbers, lambda name: np.concatenate(self._floats(name, cut)), len(numbers)),
            Unread(levels, words, len(levels)),
        )

    def _floats(self, name: str, tables: Sequence[WholeTable]) -> list[Floats]:
        """Return a column of numbers of each study; people of two studies are two."""
        parts = [site.floats(name, it) for site, it in zip(self.sites, tables, strict=True)]
        if name == PERSON:
            sizes = np.cumsum([0, *(it.max(initial=-1) + 1 for it in parts)])
            parts = [it + size for it, size in zip(parts, sizes, strict=False)]
        return parts

    def nearness(self) -> None:
        """Return nothing: how near each copy is, its own file says."""

    def close(self) -> None:
        """Close all files, unless others read them, too."""
        for site in self.sites if self.closes else ():
            site.of.session.close()


def open_pooled(paths: Files) -> FileSession:
    """Open study files as one study: two at least, or a map (.toml), which says how columns fit.

    Without a map columns of one name are one. Files of one study are refused, and columns of
    another kind or unit in one of them than in another.
    """
    with ExitStack() as stack:
        of = read_map(paths) if is_map(paths) else Harmony(_named(paths), {})
        sessions = _opened(of.files, stack)
        session = pool(sessions, of)
        warn_of({of.files[name]: it.file.manifest.use for name, it in sessions.items()})
        stack.pop_all()
    return session


def pool(sessions: Mapping[str, FileSession], of: Harmony, *, closes: bool = True) -> FileSession:
    """Return files that are open, by the names of their studies, as one study.

    They are closed with it, unless others read them, too (`closes`).
    """
    sites, fits = _sites(sessions), of.columns
    if fits:
        sites = [_mapped(site, fits) for site in sites]
    sites = _as_numbers(sites)
    _check_columns(sites, fits)
    return FileSession(_pooled(tuple(sites), of, closes=closes))


def harmonise(paths: Files) -> Harmony:
    """Propose how the columns of several study files fit together, for a person to edit.

    Parameters
    ----------
    paths : sequence or mapping of paths
        At least two study files, each of another study; a mapping gives each the name that it has
        in the column `study`.

    Returns
    -------
    Harmony
        `save("both.toml")` writes a map, which `discreet.open("both.toml")` opens.

    Raises
    ------
    InputError
        A file cannot be read, or two are of one study or have one name.

    Notes
    -----
    Only what the files say of their columns is looked at: names, labels, units and levels. Columns
    that are alike in name may still mean something else: read the map before it is used.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.harmonise(["north.discreet", "south.discreet"]).save("both.toml")  # doctest: +SKIP
    """
    with ExitStack() as stack:
        files = _named(paths)
        sites = _sites(_opened(files, stack))
        found = {site.name: [_found(site, it) for it in site.columns] for site in sites}
        return Harmony(files, propose(found))


def _named(paths: Files) -> dict[str, Path]:
    """Return the files by the names of their studies."""
    if isinstance(paths, Mapping):
        return {name: Path(path) for name, path in paths.items()}
    found: dict[str, Path] = {}
    for path in [paths] if isinstance(paths, str | Path) else paths:
        with open_study_file(path) as file:
            name = file.manifest.study
        if name in found:
            raise InputError(
                f"two files are of a study called {name!r}: several versions of one study are not"
                " several studies. If they are two, name them: {'north': 'a.discreet', 'south':"
                " 'b.discreet'}"
            )
        found[name] = Path(path)
    return found


def _opened(files: Mapping[str, Path], stack: ExitStack) -> dict[str, FileSession]:
    """Open files, and have them closed where not all of them can be."""
    found = {}
    for name, path in files.items():
        found[name] = open_file(path)
        stack.callback(found[name].close)
    return found


def _sites(sessions: Mapping[str, FileSession]) -> list[Site]:
    """Return studies by what is open of each; refuse what are not several studies."""
    copies = {name: DerivedCopy(it, it.whole) for name, it in sessions.items()}
    found = [Site(name, of, {it: it for it in of.whole.drawable}) for name, of in copies.items()]
    _check(found)
    return found


def _found(site: Site, name: str) -> Found:
    levels = site.of.whole.levels_of(name) if site.kind(name) == KINDS[1] else ()
    label, kind = site.of.session.labels.get(name, ""), KINDS_IN_WORDS[site.kind(name) or ""]
    return Found(name, kind.removesuffix("s"), label, _unit(site, name), levels)


def _mapped(site: Site, fits: Columns) -> Site:
    """Return a study with the columns that a map says."""
    of, columns = site.of, {}
    for name, it in fits.items():
        text = it.studies.get(site.name)
        if text is None:
            continue
        own = text.strip().strip("`")
        if own not in of.whole.drawable:
            own = f"{name} (computed)"
            with about("columns"):
                try:
                    of = of.assign({own: text})
                except DiscreetError as error:
                    raise InputError(
                        f"column {name!r} of {site.name!r} in the map: {error}"
                    ) from None
        columns[name] = own
    return Site(site.name, of, columns)


def _as_numbers(sites: Sequence[Site]) -> list[Site]:
    """Return studies in which codes are numbers where another study has numbers of that name.

    A column of two different numbers is one of levels, unless its custodian said otherwise.
    """
    numbers = {it for site in sites for it in site.columns if site.kind(it) == KINDS[0]}
    return [_with_numbers(site, [it for it in site.columns if it in numbers]) for site in sites]


def _with_numbers(site: Site, names: Sequence[str]) -> Site:
    of, columns = site.of, dict(site.columns)
    for name in names:
        own = columns[name]
        if site.kind(name) == KINDS[1] and holds_codes(of.whole.raw[own]):
            columns[name] = f"{name} (as a number)"
            of = of.assign({columns[name]: f"{quoted(own)} * 1"})
    return Site(site.name, of, columns)


def _check(sites: Sequence[Site]) -> None:
    """Refuse files that are not of several studies."""
    if len(sites) < 2:
        raise InputError("name two study files or more, each of another study")
    for one, other in combinations(sites, 2):
        first, second = one.manifest, other.manifest
        signers = [{it.key, *(old.before for old in it.successors)} for it in (first, second)]
        if first.study == second.study and signers[0] & signers[1]:
            raise InputError(
                f"{one.name!r} and {other.name!r} are files of one study, {first.study!r}: several"
                " versions of one study are not several studies; name one of them"
            )
    for site in sites:
        if site.manifest.is_public:
            raise InputError(
                f"the file of {site.name!r} is that of a public table, without a protected copy;"
                " name study files of protected copies alone"
            )


def _check_columns(sites: Sequence[Site], fits: Columns) -> None:
    """Refuse columns that do not fit; where a map says the unit, it is not asked."""
    for site in sites:
        if STUDY in site.columns:
            raise InputError(
                f"the study {site.name!r} has a column {STUDY!r}, which is that of the studies'"
                f" names here{HARMONISE}"
            )
    for name in _names(sites):
        there = [site for site in sites if name in site.columns]
        _check_same(f"column {name!r} holds", {it.name: it.kind(name) for it in there})
        if name not in fits:
            _check_same(f"column {name!r} is in", {it.name: _unit(it, name) for it in there})


def _check_same(what: str, said: Mapping[str, str | None]) -> None:
    first = {text: study for study, text in reversed([*said.items()]) if text}
    if len(first) > 1:
        found = [f"{KINDS_IN_WORDS.get(text, text)} in {study!r}" for text, study in first.items()]
        raise InputError(f"{what} {' and '.join(found[::-1])}{HARMONISE}")


def _unit(site: Site, name: str) -> str:
    own = site.columns[name]
    return next((it.unit for it in site.manifest.columns if it.name == own), "")


def _names(sites: Sequence[Site]) -> list[str]:
    return [*dict.fromkeys(chain(*(site.columns for site in sites)))]


# --- what the files say together ------------------------------------------------------------------


def _pooled(sites: tuple[Site, ...], of: Harmony, *, closes: bool) -> PooledFile:
    firsts = [site.manifest.again_of for site in sites]
    rows = [site.manifest.rows for site in sites]
    share = min(first / of for first, of in zip(firsts, rows, strict=True))
    firsts = [max(1, round(share * it)) for it in rows]
    manifest = _manifest(sites, of, sum(firsts))
    return PooledFile(sites, tuple(firsts), manifest, _about(sites), closes)


def _manifest(sites: Sequence[Site], of: Harmony, firsts: int) -> Manifest:
    said, fits = [site.manifest for site in sites], of.columns
    plain = {name: dataclasses.asdict(it) for name, it in fits.items()}
    content = [plain, *([site.name, site.manifest.content] for site in sites)]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    people = any(it.person_column is not None for it in said)
    columns = [_column(name, sites, fits.get(name)) for name in _names(sites)]
    levels = tuple(site.name for site in sites)
    return Manifest(
        study=of.title,
        version=digest[:16],
        columns=(
            Column(STUDY, KINDS[1], levels=levels),
            *columns,
            *([Column(PERSON, KINDS[0])] if people else []),
        ),
        k=min(it.k for it in said),
        m=min(it.m for it in said),
        persons=sum(it.persons for it in said),
        rows=sum(it.rows for it in said),
        policy=_policy(sites),
        entries=(),
        values=digest,
        content=digest,
        discreet=said[0].discreet,
        key="",
        again_of=firsts,
        person_column=PERSON if people else None,
    )


def _policy(sites: Sequence[Site]) -> Mapping[str, Any]:
    """Return how pooled rows are drawn: as the strictest of the files has it."""
    policies = [site.of.session.policy for site in sites]
    orders: dict[str, Any] = {STUDY: [site.name for site in sites]}
    for name in _names(sites):
        found = [
            site.of.whole.raw[site.columns[name]].order for site in sites if name in site.columns
        ]
        if order := merge_orders(it for it in found if it):
            orders[name] = [*order]
    return {
        "name": policies[0].name if len({it.name for it in policies}) == 1 else "several",
        "residual_df": max(it.residual_df for it in policies),
        "copy": policies[0].copy if len({it.copy for it in policies}) == 1 else "served",
        "copy_rows": min(it.copy_rows for it in policies),
        "copy_bytes": min(it.copy_bytes for it in policies),
        "ordered": orders,
        **together(site.manifest.use for site in sites).to_plain(),
    }


def _column(name: str, sites: Sequence[Site], fits: Mapped | None) -> Column:
    there = [(site, site.columns[name]) for site in sites if name in site.columns]
    said = [it for site, own in there for it in site.manifest.columns if it.name == own]
    labels = [site.of.session.labels.get(own, "") for site, own in there]
    kind, is_levels = there[0][0].kind(name) or "", there[0][0].kind(name) == KINDS[1]
    levels = chain(*(site.of.whole.levels_of(own) for site, own in there)) if is_levels else ()
    moments = any(it.dates == "us" for it in said)
    return Column(
        name,
        kind,
        label=(fits and fits.label) or next(filter(None, labels), ""),
        unit=(fits and fits.unit) or next((it.unit for it in said if it.unit), ""),
        levels=tuple(dict.fromkeys(levels)),
        dates=("us" if moments else "day") if kind == DATE else None,
        remarks=tuple(_remarks(name, there, len(sites))),
        are_codes=is_levels and all(holds_codes(site.of.whole.raw[own]) for site, own in there),
        may_hold_codes=any(it.may_hold_codes for it in said),
    )


def _remarks(name: str, there: Sequence[tuple[Site, str]], studies: int) -> Iterator[str]:
    """Say which studies have no such column, how it was computed, and what is said of it."""
    if len(there) < studies:
        yield f"{name} is in {len(there)} of {studies} studies"
    for site, own in there:
        yield from (f"{name} of {site.name} is {text}" for at, text in site.of.asks if at == own)
        sources = site.of.whole.sources([own])
        yield from (f"{site.name}: {it}" for it in column_notes(site.of.session.kept, sources))


def _about(sites: Sequence[Site]) -> tuple[str, ...]:
    """Say how many studies stand behind a figure, and which copy is the furthest off."""
    names = [site.name for site in sites]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    near = {
        site.name: site.of.session.fidelity()
        for site in sites
        if site.of.session.file.says_nearness
    }
    furthest = max(near, key=lambda name: near[name].largest, default="")
    return (
        f"{len(names)} {TOGETHER} {', '.join(names[:MOST_NAMED])}{more}",
        *(
            [f"the copy that is furthest off is that of {furthest}: {near[furthest].said}"]
            if near
            else []
        ),
    )


def studies_facts(session: FileSession) -> dict[str, Any]:
    """Say of several studies which has which column; nothing of one."""
    if not isinstance(session.file, PooledFile):
        return {}
    sites = session.file.sites
    columns = {name: [name in site.columns for site in sites] for name in _names(sites)}
    return {"studies": {"names": [site.name for site in sites], "columns": columns}}


# --- what is looked at ----------------------------------------------------------------------------


def own_columns(site: Site, texts: Sequence[str] | None = None) -> list[str]:
    """Return the columns of a study that texts of a request name by the pooled study's names.

    They are in the order of its file, by its own names; without texts all that are pooled. A name
    in quotes counts, too: more may be named than is used, and never less.
    """

    def named(name: str) -> bool:
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return texts is None or any(word.search(text) for text in texts)

    used = [own for name, own in site.columns.items() if named(name)]
    there = {*site.of.whole.sources(used)}
    return [it.name for it in site.manifest.columns if it.name in there]


# --- questions to the data ------------------------------------------------------------------------


def questions_of(session: FileSession) -> Questions:
    """Return an empty list of questions: of several studies one that each of them gets."""
    file = session.file
    sites = file.sites if isinstance(file, PooledFile) else ()
    of = {it.name: (it.manifest.study, it.manifest.version) for it in sites}
    return Questions(session.name or file.manifest.study, file.manifest.version, studies=of)


def check_question(session: FileSession, derive: Mapping[str, str] | None, of: Question) -> None:
    """Refuse a question that does not fit the study file, or one of several."""
    if not isinstance(session.file, PooledFile):
        read_question(session, derive, of)
        return
    for site in session.file.sites:
        own = [name for name, column in site.columns.items() if name == column]
        try:
            policy = site.of.session.policy
            read_question(site.of.session, policy.derive, of)
        except DiscreetError as error:
            raise type(error)(f"the study {site.name!r} cannot be asked this: {error}") from None
        used = {*of.columns, *of.by} & {*session.whole.raw}
        if other := sorted(used - {*own}):
            raise InputError(
                f"column {other[0]!r} of {site.name!r} is made by a map, and its data do not have"
                " it; ask the study by its own file"
            )
