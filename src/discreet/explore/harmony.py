"""How the columns of several studies fit together: a map, proposed, edited by a person, and read.

A map has a table for each column of the studies together, and in it for each study the expression
that the column is there (docs/expressions.md): its name, a number times a factor, words for codes.
It is computed from the rows of the copies; the studies are asked nothing.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from os.path import relpath
from pathlib import Path
from typing import Any, ClassVar, TypeGuard

from discreet.document import Block, Document, Documented, Listing, Words
from discreet.errors import InputError, one_of, path_in_words
from discreet.expressions.tree import in_quotes, quoted

MAP, NAME, FILES, COLUMNS = ".toml", "name", "files", "columns"
LONGEST = 100
"""The name of the studies together has at most so many letters."""
MAP_FIELDS = ("label", "unit", "studies")
NEAR = 0.8
"""Names that are as alike are taken for one column's."""
MOST_LEVELS = 40
"""Of more levels none is translated."""
ALIKE = (
    {"f", "female", "w", "woman", "women", "girl"},
    {"m", "male", "man", "men", "boy"},
    {"yes", "y", "true", "1"},
    {"no", "n", "false", "0"},
)
"""Levels that mean the same, in small letters."""
UNITS: Mapping[str, tuple[str, float]] = {
    **{"mg": ("mass", 1e-6), "g": ("mass", 1e-3), "kg": ("mass", 1.0)},
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), ("mass", 0.45359237)),
    **{"mm": ("length", 1e-3), "cm": ("length", 1e-2), "m": ("length", 1.0)},
    **dict.fromkeys(("in", "inch", "inches"), ("length", 0.0254)),
    **dict.fromkeys(("ft", "feet"), ("length", 0.3048)),
    **dict.fromkeys(("day", "days", "d"), ("time", 1.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 7.0)),
    **dict.fromkeys(("month", "months"), ("time", 365.25 / 12)),
    **dict.fromkeys(("year", "years", "y", "yr"), ("time", 365.25)),
    **{"mmhg": ("pressure", 1.0), "kpa": ("pressure", 7.50061683)},
    **{
        "g/l": ("amount per volume", 1.0),
        "g/dl": ("amount per volume", 10.0),
        "mg/dl": ("amount per volume", 0.01),
    },
    **{"mg/l": ("amount per volume", 1e-3), "µg/l": ("amount per volume", 1e-6)},
}
"""What a unit measures, and how many of the first unit of that it is."""


@dataclass(frozen=True)
class Found:
    """A column of a study, as its file says it: `kind` is number, level or date."""

    name: str
    kind: str
    label: str = ""
    unit: str = ""
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mapped:
    """A column of several studies: the expression that it is in each study that has it.

    `notes` say what a person has to look at.
    """

    studies: Mapping[str, str]
    label: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()


Columns = Mapping[str, Mapped]
"""By the name that a column has in the studies together."""


def is_map(source: object) -> TypeGuard[str | Path]:
    """Tell whether a source is named as a map of study files is.

    Examples
    --------
    >>> is_map("both.toml"), is_map(["north.discreet", "south.discreet"])
    (True, False)
    """
    return isinstance(source, str | Path) and str(source).lower().endswith(MAP)


def read_map(path: str | Path) -> Harmony:
    """Read a map that `harmonise` proposed and a person edited; refuse what no map says."""
    where = f"the map {path_in_words(Path(path))}"
    try:
        said = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{where} cannot be read ({type(error).__name__})") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where} is not TOML: {error}") from None
    files, columns, name = said.get(FILES), said.get(COLUMNS), said.get(NAME, "")
    if not isinstance(name, str) or len(name) > LONGEST or not (name + " ").isprintable():
        raise InputError(f"{where}: name is a line of at most {LONGEST} letters")
    if {*said} - {NAME} != {FILES, COLUMNS} or not isinstance(columns, dict) or not columns:
        raise InputError(f"{where} has a table [files], and tables [columns.NAME]")
    if not isinstance(files, dict) or not all(isinstance(it, str) for it in files.values()):
        raise InputError(f"{where}: [files] has a path for the name of each study")
    return Harmony(
        {name: Path(path).parent / it for name, it in files.items()},
        {name: _mapped(f"{where}, column {name!r}", it, [*files]) for name, it in columns.items()},
        name,
    )


def _mapped(where: str, said: object, studies: Sequence[str]) -> Mapped:
    if not isinstance(said, dict) or not {*said} <= {*MAP_FIELDS}:
        raise InputError(f"{where}: there are {one_of(MAP_FIELDS)}")
    of, label, unit = said.get("studies"), said.get("label", ""), said.get("unit", "")
    texts = [label, unit, *(of.values() if isinstance(of, dict) else [None])]
    if not of or not all(isinstance(it, str) for it in texts):
        raise InputError(f"{where}: label, unit and the expression of each study are texts")
    for study in of:
        if study not in studies:
            raise InputError(f"{where} names the study {study!r}; there are {one_of(studies)}")
    return Mapped(of, label, unit)


# --- a proposal -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Harmony(Documented):
    """A proposal of how the columns of several studies fit: to look at, to save and to edit.

    Parameters
    ----------
    files : mapping of str to Path
        The study files, by the names of their studies.
    columns : mapping of str to Mapped
        By the name that a column has in the studies together; none where nothing is said of them.
    name : str
        What the studies together are called; by default the names of all of them.

    Examples
    --------
    >>> files = {"north": Path("north.discreet"), "south": Path("south.discreet")}
    >>> Harmony(files, {"age": Mapped({"north": "age", "south": "AGE"})})
    Columns of 2 studies
    --------------------
         north  south
    age  age    AGE
    """

    files: Mapping[str, Path]
    columns: Columns
    name: str = ""
    what: ClassVar[str] = "a map of columns"

    def __repr__(self) -> str:
        return self.to_text()

    @property
    def title(self) -> str:
        """What the studies together are called."""
        named = self.name or " + ".join(self.files)
        return named if len(named) <= LONGEST else f"{len(self.files)} studies"

    def document(self) -> Document:
        """Return the columns in lines, and the studies beside each other."""
        rows = [
            (name, *(it.studies.get(study, "–") for study in self.files))
            for name, it in self.columns.items()
        ]
        every = tuple(range(len(self.files) + 1))
        listing = Listing("", ("", *self.files), tuple(rows), every)
        blocks: list[Block] = [listing]
        notes = [f"{name}: {note}" for name, it in self.columns.items() for note in it.notes]
        if notes:
            blocks.append(Words("", notes))
        return Document(f"Columns of {len(self.files)} studies", tuple(blocks))

    def to_plain(self) -> dict[str, Any]:
        """Return the columns as JSON has them."""
        return {
            name: {"label": it.label, "unit": it.unit, "studies": dict(it.studies)}
            for name, it in self.columns.items()
        }

    def to_toml(self) -> str:
        """Return the map as a person edits it."""
        files = [f"{_key(name)} = {_text(str(path))}" for name, path in self.files.items()]
        lines = [line for name in self.columns for line in self._lines(name)]
        named = [f"{NAME} = {_text(self.name)}", ""] if self.name else []
        return "\n".join([HEAD, *named, f"[{FILES}]", *files, "", *lines])

    def _lines(self, name: str) -> Iterator[str]:
        it = self.columns[name]
        said = {key: text for key, text in (("label", it.label), ("unit", it.unit)) if text}
        of = {f"studies.{_key(study)}": text for study, text in it.studies.items()}
        yield f"[columns.{_key(name)}]"
        yield from (f"# {note}" for note in it.notes)
        yield from (f"{key} = {_text(text)}" for key, text in (said | of).items())
        yield ""

    def save(self, path: str | Path) -> Path:
        """Write it to a file, as the other documents; of a map, paths begin at its folder."""
        beside = {it: Path(relpath(file, Path(path).parent)) for it, file in self.files.items()}
        written = dataclasses.replace(self, files=beside)
        return written._save(path, written.forms())

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files: TOML is what `discreet.open` reads."""
        return super().forms() | {MAP: self.to_toml}


HEAD = """\
# Several studies as one: open this file. Paths begin at its folder.
#
# A column stands here by the name that it has in all studies together, and for each study with the
# expression of that study's own columns that it is: a name, a number times a factor, words for
# codes. Edit it, and delete what is not to be used. Notes on single columns say what to look at.
"""


def propose(studies: Mapping[str, Sequence[Found]]) -> Columns:
    """Propose how the columns of several studies fit: by names, labels, units and levels.

    Columns of the same name are one, and such whose names or labels are alike, if they have one
    kind. Numbers in another unit have a factor, levels that mean the same have one name. What could
    not be decided is noted, and so are labels that differ.

    Examples
    --------
    >>> sexes = Found("sex", "level", levels=("female", "male"))
    >>> north = [sexes, Found("weight", "number", unit="kg")]
    >>> south = [Found("Sex", "level", levels=("F", "M")), Found("weight", "number", unit="lb")]
    >>> for name, it in propose({"north": north, "south": south}).items():
    ...     print(name, it.studies["south"])
    sex case(Sex == 'F', 'female', Sex == 'M', 'male', '')
    weight weight * 0.45359237
    """
    groups: dict[str, dict[str, Found]] = {}
    for study, columns in studies.items():
        left = {it.name: it for it in columns}
        for fits in (_same_name, _same_letters, _near):
            for name, column in [*left.items()]:
                free = {key: of for key, of in groups.items() if study not in of}
                if (key := fits(column, free)) is not None:
                    groups[key][study] = left.pop(name)
        for name, column in left.items():
            groups[_free_name(name, groups)] = {study: column}
    return {name: _one(of) for name, of in groups.items()}


def _free_name(name: str, groups: Mapping[str, object]) -> str:
    while name in groups:
        name += " 2"
    return name


def _same_name(column: Found, groups: Mapping[str, Mapping[str, Found]]) -> str | None:
    return column.name if column.name in groups else None


def _same_letters(column: Found, groups: Mapping[str, Mapping[str, Found]]) -> str | None:
    own = _letters(column)
    return next(
        (name for name, of in groups.items() if _fits(column, of) and own & _words(of)), None
    )


def _near(column: Found, groups: Mapping[str, Mapping[str, Found]]) -> str | None:
    def how_near(name: str) -> float:
        pairs = [(a, b) for a in _letters(column) for b in _words(groups[name])]
        return max((SequenceMatcher(None, *pair).ratio() for pair in pairs), default=0.0)

    known = [name for name, of in groups.items() if _fits(column, of)]
    best = max(known, key=how_near, default=None)
    return best if best is not None and how_near(best) >= NEAR else None


def _fits(column: Found, group: Mapping[str, Found]) -> bool:
    return column.kind in {it.kind for it in group.values()}


def _words(group: Mapping[str, Found]) -> set[str]:
    return {letters for it in group.values() for letters in _letters(it)}


def _letters(column: Found) -> set[str]:
    """Return a column's name and label in small letters alone."""
    texts = [column.name, _bare_label(column)]
    return {it for text in texts if (it := re.sub(r"[\W_]", "", text.casefold()))}


def _bare_label(column: Found) -> str:
    return re.sub(r"[(\[].*", "", column.label).strip()


def _other_label(column: Found, first: Found) -> str:
    """Say that a label differs from the first study's: one name may mean two things."""
    own, other = _bare_label(column), _bare_label(first)
    if not own or not other or own.casefold() == other.casefold():
        return ""
    return f"its label is {own!r}, that of the first study {other!r}"


def _one(group: Mapping[str, Found]) -> Mapped:
    """Return what a column of all studies is in each, as its first study has it."""
    first = next(iter(group.values()))
    studies, notes = {}, []
    for study, column in group.items():
        text, note = _expression(column, first)
        studies[study] = text
        notes += [f"{study}: {it}" for it in (note, _other_label(column, first)) if it]
    label = next((it.label for it in group.values() if it.label), "")
    return Mapped(studies, label, first.unit, tuple(notes))


def _expression(column: Found, first: Found) -> tuple[str, str]:
    """Return a column as an expression that fits the first study's, and what to look at."""
    name = quoted(column.name)
    if column.kind != first.kind:
        return name, f"it holds {column.kind}s, and the first study {first.kind}s"
    if column.kind == "level":
        return _translated(name, column.levels, first.levels)
    if column.unit == first.unit:
        return name, ""
    own, wanted = (UNITS.get(it.unit.strip().casefold()) for it in (column, first))
    if own is not None and wanted is not None and own[0] == wanted[0]:
        return f"{name} * {own[1] / wanted[1]:.12g}", ""
    of, other = (it.unit or "not said" for it in (column, first))
    return name, f"its unit is {of}, that of the first study {other}"


def _translated(name: str, levels: Sequence[str], wanted: Sequence[str]) -> tuple[str, str]:
    """Return levels in the words of the first study, and which have none there."""
    as_wanted = {level: _word(level, wanted) for level in levels}
    unknown = [level for level, word in as_wanted.items() if word is None]
    note = f"no other study has its levels {one_of(unknown)}" if unknown else ""
    if len(levels) > MOST_LEVELS or all(word in (None, level) for level, word in as_wanted.items()):
        return name, note
    cases = [
        f"{name} == {in_quotes(level)}, {in_quotes(word or level)}"
        for level, word in as_wanted.items()
    ]
    return f"case({', '.join(cases)}, '')", note


def _word(level: str, wanted: Sequence[str]) -> str | None:
    """Return the level of the first study that means the same; None where there is none."""
    if level in wanted:
        return level
    own = level.strip().casefold()
    same = {own} | {it for alike in ALIKE if own in alike for it in alike}
    return next((it for it in wanted if it.strip().casefold() in same), None)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    """Write a text as TOML does: as JSON does but for signs beyond the first 65,536."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
