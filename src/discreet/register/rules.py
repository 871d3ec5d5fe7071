"""The rules of release: what may be released beside what was released before.

A table or version is compared with all that the register holds: whether it is of the same data or
the same people, and not by chance, and then whether the two together give records away.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import LeavingError
from discreet.lines import Lines
from discreet.secret import PLACES
from discreet.sketch import WHOLE_ROWS, Sketch

Known = Mapping[str, Sketch]

CHANGED_PER_K = 10
UNNAMED = ""
# What a sketch of the register is of, beside whole rows: a column, who rows belong to,
COLUMN, PERSONS = "column ", "persons"
# Persons, too, by their `unit`, also where numbers tell them apart in no other table.
WHOSE = "whose rows"
# and what a linear change of a column leaves as it is.
SHAPE_OF = "shape of "
NOTHING: Known = MappingProxyType({})
# How the choice of a column's kind is named.
KIND_OF = "kind of "
# By which method of a paper, and with which numbers, something was released.
WAY_OF_ROWS, WAY_OF_CLUSTERS = "way of protecting rows", "way of making clusters"
LEAST_COUNT = "least count"
STRATA_OF_TABLE = "strata of tables"
WAYS = (WAY_OF_ROWS, WAY_OF_CLUSTERS, LEAST_COUNT, STRATA_OF_TABLE)
# Which copy of the whole table was released.
COPY_OF_TABLE = "copy of the whole table"
# That an attack on it found more than it may.
ATTACK_RINGS = "attack on the copy"
# What is recorded of a published file.
STUDY_FILE = "study file"
# What is one for all copies of the same persons.
ONE_FOR_PERSONS = ("k", "m")


def plain_command(study: str) -> str:
    """Return the command that opens a new version of a study, where no more is known of it."""
    return f"`discreet version new FILE --study {shlex.quote(study)}`"


def withdraw_command(study: str, options: str = "") -> str:
    """Return the command that says that nothing of a study was given away."""
    return f"`discreet register withdraw {shlex.quote(study)} --reason REASON{options}`"


@dataclass(frozen=True)
class ReleaseRecord:
    """What is about to be released, and what must have stayed the same for it to go.

    A study without a name is recognised by its columns. `settings` are one for the whole version
    (`Policy.settings`), `choices` for some columns. `sketches` are of what is drawn; fewer than 10
    `k` changed rows must not go beside the old ones. `kind` to `form` are what the record says.
    `provenance` are the provenances that its files carry, one line of text each, and `lines` by
    what a table of text is recognised. `copies` is how many copies may leave of the same people;
    `new_version` says how the next version of a study is opened, and `options` are what a command
    needs to know the policy. `secret` is a fingerprint of the one in force.
    """

    study: str | None
    settings: Mapping[str, Any]
    choices: Mapping[str, str]
    sketches: Known
    k: int
    kind: str = ""
    columns: tuple[str, ...] = ()
    method: str = ""
    form: str = ""
    provenance: tuple[str, ...] = ()
    lines: Lines | None = None
    copies: int = 4
    new_version: Callable[[str], str] = plain_command
    options: str = ""
    secret: str = ""

    def open_version(self, of: str) -> str:
        """Say how a new version of a study is opened; what was released without a name has none."""
        return f"open a new version: {self.new_version(of)}" if of else ""

    def withdraw(self, of: str) -> str:
        """Say what else may be done where nothing of a study was given away."""
        command = withdraw_command(of, self.options)
        return f"; or, if nothing of it was given away, withdraw it: {command}" if of else ""

    def fewer_than(self, version: Version) -> int:
        """Return how many rows must differ from a version, by the stricter k of the two."""
        return CHANGED_PER_K * max(self.k, int(version.settings.get("k", self.k)))


@dataclass(frozen=True)
class Version:
    """One version of a study, as the register keeps it."""

    id: int
    study: str
    number: int
    settings: Mapping[str, Any]
    secret: str = ""

    @property
    def named(self) -> str:
        """Under which name it was released."""
        return f"as study {self.study!r}" if self.study else "without a name"


def check_version(study: str | None, wanted: int, latest: int) -> None:
    """Refuse what rests on another version than the latest."""
    if wanted != latest:
        name = f"study {study!r}" if study else "these data"
        raise LeavingError(
            f"a new version of {name} was opened; start again with it, for what you have is "
            "based on an earlier one",
            "version",
        )


def compare(record: ReleaseRecord, version: Version, choices: Mapping[str, str]) -> None:
    """Refuse another secret, settings and choices than of an earlier release of the same data."""
    check_secret(record, version)
    name = f"study {version.study!r}" if version.study else "the same data"
    opened = record.open_version(version.study)
    other = f", or {opened}" if opened else ""
    for what in sorted({*record.settings, *version.settings}, key=lambda w: (w != "regime", w)):
        if record.settings.get(what) != version.settings.get(what):
            before = ", ".join(
                f"{name} = {value!r}"
                for name, value in version.settings.items()
                if isinstance(value, str | int | float) and record.settings.get(name) != value
            )
            was = f" ({before})" if before else ""
            way_out = record.withdraw(version.study) if what in ONE_FOR_PERSONS else other
            raise LeavingError(
                f"{what!r} must be the same as in the earlier release of {name}, because two "
                "values of it together would reveal records; use the policy of that "
                f"release{was}" + way_out
            )
    for what, value in record.choices.items():
        if what not in (COPY_OF_TABLE, *WAYS) and choices.get(what, value) != value:
            declared = ""
            if what.startswith(KIND_OF):  # what is inferred may have changed
                kinds = f"{{{what.removeprefix(KIND_OF)}: {choices[what]!r}}}"
                declared = f": kinds={kinds}, or in the policy's file under [kinds]"
            raise LeavingError(
                f"the {what} must be the same as in the earlier release of {name}, because the "
                "two together would reveal records; use what that release used"
                + declared
                + ("" if what.startswith(KIND_OF) else other),
                what,
            )


def other_way(
    record: ReleaseRecord, version: Version, choices: Mapping[str, str]
) -> LeavingError | None:
    """Return what is raised where other methods or numbers of a paper left of the same people.

    A copy beside what the papers made is another way, too.
    """
    for what, value in record.choices.items():
        if what in WAYS and choices.get(what, value) != value:
            return LeavingError(
                f"the {what} must be the same as in the earlier release of these people, "
                f"{version.named} ({choices[what]}), because the two together would reveal "
                "records; use that one, or, where the data are public, say so: public=True "
                "(--public)",
                what,
            )
    for one, other in ((record.choices, choices), (choices, record.choices)):
        if COPY_OF_TABLE in one and not {*WAYS}.isdisjoint(other):
            return LeavingError(
                "a protected copy, and what the papers' methods make of the same people, "
                f"would reveal records together, and one of them was released, {version.named}; "
                f"draw only from that one{record.withdraw(version.study)}",
                "regime",
            )
    return None


def check_secret(record: ReleaseRecord, version: Version) -> None:
    """Refuse another secret than that of an earlier release of the same people."""
    if record.secret != version.secret:
        raise LeavingError(
            f"another secret: that of the earlier release of these people, {version.named}, is "
            "not the current one, and two copies of them by two secrets would reveal records; "
            f"put that secret back, from a backup if need be (it is {PLACES})"
            + record.withdraw(version.study)
        )


def check_copy(record: ReleaseRecord, version: Version, choices: Mapping[str, str]) -> None:
    """Refuse another copy of the whole table than the one that was released.

    Asked after whether the data have changed, for other data make another copy.
    """
    wanted = record.choices.get(COPY_OF_TABLE)
    if wanted is not None and choices.get(COPY_OF_TABLE, wanted) != wanted:
        name = f"study {version.study!r}" if version.study else "the same data"
        opened = record.open_version(version.study)
        raise LeavingError(
            f"another copy of the whole table was released of {name}, and copies add up; open the"
            " study with the kinds, roles and policy of that release"
            + (f", or {opened}" if opened else ""),
            COPY_OF_TABLE,
        )


def check_names(sketches: Known, known: Known) -> None:
    """Refuse a column that was released under another name, for it would be protected anew."""
    for what, sketch in sketches.items():
        before = [other for other, old in known.items() if old.mark == sketch.mark]
        if sketch.distinctive and before and what not in before:
            raise LeavingError(
                f"{what!r} was released before as {before[0]!r}, and the two together would "
                "reveal records; give it its old name back"
            )


def check_unchanged(
    record: ReleaseRecord, version: Version, known: Known, sketches: Known = NOTHING
) -> None:
    """Refuse columns that have changed within a version.

    `sketches` are of all that is known of the data now, by which a way out is chosen.
    """
    drawn = record.sketches
    if all(known.get(what, new).mark == new.mark for what, new in drawn.items()):
        return
    now = {**sketches, **drawn}
    name = f"the data of study {version.study!r}" if version.study else "these data"
    changed = f"{name} have changed since a release, and the difference would give the changed rows"
    opened = record.open_version(version.study) or "give the changed data a name: study="
    if _too_few(known, now, record.k):
        raise LeavingError(
            f"{changed} away, because they are few; draw the data that were released, or gather "
            f"more changes (at least {CHANGED_PER_K} k rows of each column that changes) and "
            f"then {opened}"
        )
    columns = {what: new for what, new in now.items() if new.distinctive and what in known}
    recognised = [what for what in columns if what == PERSONS or what.startswith(COLUMN)]
    others = bool(recognised) and all(
        known[what].mostly_other(columns[what]) for what in recognised
    )
    raise LeavingError(
        f"{changed} away; {opened}"
        + (", or, if these are other people, give the study another name: study=" if others else "")
    )


def check_same_table(version: Version, sketches: Known, known: Known) -> None:
    """Refuse a table of which no column is as it was released under its name: it is another.

    Two files of one name, in two folders, are two studies; in one version neither is known again.
    """
    marks = {what: sketch.mark for what, sketch in sketches.items()}
    if known and not any(marks.get(what) == old.mark for what, old in known.items()):
        raise LeavingError(
            f"another table was released before as study {version.study!r}: none of its columns is"
            " in this one unchanged; give this one a name of its own: study= (--study on the"
            " command line)"
        )


def check_not_nearly(record: ReleaseRecord, version: Version, nearly: bool) -> None:
    """Refuse data that another study's version holds but for a few rows."""
    if nearly:
        opened = record.open_version(version.study) or "give them a name: study="
        raise LeavingError(
            f"nearly the same data were released before, {version.named}, and the difference "
            "would reveal the changed rows; draw the data that were released, or gather more "
            f"changes (at least {CHANGED_PER_K} k rows of each column that changes) and then "
            f"{opened}"
        )


def check_beside(record: ReleaseRecord, version: Version, known: Known, new: Known) -> None:
    """Refuse what may not be released beside another study's version.

    Where it is nearly that table, has a column of it in another unit, which would be protected
    anew, or holds its people and counts are not rounded.
    """
    nearly = nearly_the_same(known, new, record.fewer_than(version))
    check_not_nearly(record, version, nearly)
    opened = record.open_version(version.study)
    other = f", or {opened}" if opened else ""
    changed = rescaled_column(known, new)
    if changed is not None:
        raise LeavingError(
            f"{changed[0]!r} was released before, {version.named}, as {changed[1]!r} in another "
            "unit (a linear change of its values), and the two together would reveal records; "
            f"draw it in the unit of that release{other}"
        )
    # `research` promises nothing of several tables.
    guarded = "guarded" in (version.settings.get("regime"), record.settings.get("regime"))
    which = _same_persons_said(record, version, known, new)
    if guarded and which and record.settings.get("round_to", 1) == 1:
        raise LeavingError(
            f"{which}, {version.named}, and if counts are not rounded, two tables of the same "
            "people reveal single people; draw them from the table that was released, or by a "
            f"policy that rounds (round_to = 5){other}"
        )


def _same_persons_said(record: ReleaseRecord, version: Version, known: Known, new: Known) -> str:
    """Say how many people a table has in common with another study's version; empty if few.

    Copies of whole tables add up whichever is the larger, so that those of a part count as well.
    """
    if same_persons(known, new):
        return "more than half of these people are in data released before"
    copies = COPY_OF_TABLE in record.choices and "m" in version.settings
    if copies and same_persons(new, known):
        return "these data include more than half of the people in data released before"
    return ""


def check_many_changed(version: Version, known: Known, fresh: Known, k: int) -> None:
    """Refuse data that differ from an earlier version in few rows."""
    for what in _too_few(known, fresh, k):
        raise LeavingError(
            f"too few rows of {what!r} have changed since version {version.number}: at least "
            f"{CHANGED_PER_K} k are needed, or the difference of the two versions reveals them; "
            "gather more changes first"
        )


def rows_a_person(known: Known, fresh: Known, least: int) -> int:
    """Return how many changed rows may be of one person.

    One where at least so many people gained or lost rows: then so many have changed.
    """
    one, two = known.get(WHOSE), fresh.get(WHOSE)
    if one is None or two is None or one.changed_persons(two) >= least:
        return 1
    return max(one.most_rows, two.most_rows)


def _too_few(known: Known, fresh: Known, k: int) -> list[str]:
    """Return what has changed, but in rows of too few people for two versions of it.

    Where enough people came or went, few levels change by few net of them, and tell of none.
    """
    least = CHANGED_PER_K * k
    one, two = (held.get(WHOSE, held.get(PERSONS)) for held in (known, fresh))
    came_or_went = one is not None and two is not None and one.changed_persons(two) >= least
    least *= rows_a_person(known, fresh, least)
    return [
        what
        for what, new in fresh.items()
        if not what.startswith(SHAPE_OF)
        and known.get(what, new).mark != new.mark
        and known[what].changed_rows(new) < least
        and (new.distinctive or not came_or_went)
    ]


NO_VALUES = (PERSONS, SHAPE_OF, WHOLE_ROWS, WHOSE)
EVIDENCE = 100.0
"""So many times likelier must few changed rows be than chance, where there are few levels."""


def nearly_the_same(old: Known, new: Known, fewer_than: int) -> bool:
    """Whether a table is another one with fewer than some rows changed, added or gone.

    By whole rows; and where one of the two has only columns of few levels, by whether the other
    has all of them. Two samples of one population may be much the same there: what chance would
    do as well does not count. What the column says that tells people apart comes first.
    """
    persons = _persons(old, new)
    if persons is not None and persons <= 1 / 2:
        return False
    one, two = old.get(WHOLE_ROWS), new.get(WHOLE_ROWS)
    least = fewer_than * rows_a_person(old, new, fewer_than)
    if one is not None and two is not None and 0 < one.changed_rows(two) < least:
        if persons is not None:
            return old[PERSONS].changed_persons(new[PERSONS]) < fewer_than
        return _one_row(one, two) or likelihood_ratio(one, two) > EVIDENCE
    mine, theirs = _varying_columns(old), _varying_columns(new)
    pairs = ((theirs, mine), (mine, theirs))
    return any(_nearly_among(few, columns, fewer_than) for few, columns in pairs)


def same_persons(old: Known, new: Known) -> bool:
    """Whether more than half of the people of a new table are people of an old one.

    By the column that says who is who, where both have one; else by whole rows, where these tell
    people apart in both tables.
    """
    persons = _persons(old, new)
    if persons is not None:
        return persons > 1 / 2
    one, two = old.get(WHOLE_ROWS), new.get(WHOLE_ROWS)
    if one is None or two is None or not (one.told_apart and two.told_apart):
        return False
    return one.shared(two) > 1 / 2


def rescaled_column(old: Known, new: Known) -> tuple[str, str] | None:
    """Return a column that is a linear change of an old one, and that one; or None."""
    old_columns = [it for name, it in old.items() if name.startswith(COLUMN)]
    for what, shape in new.items():
        if not what.startswith(SHAPE_OF):
            continue
        column = COLUMN + what.removeprefix(SHAPE_OF)
        there = column in new and not any(it.holds(new[column]) for it in old_columns)
        if not there or not all(it.mostly_other(new[column]) for it in old_columns):
            continue
        for other, before in old.items():
            if other.startswith(SHAPE_OF) and before.shared(shape) > 1 / 2:
                return column, COLUMN + other.removeprefix(SHAPE_OF)
    return None


def likelihood_ratio(old: Sketch, new: Sketch) -> float:
    """Return how many times likelier few changed rows are than two independent samples.

    Of the counts of equal rows in both tables. Rows that are gone are taken to be drawn from the
    old table and those that are new from the new one, each swapped row to be half as likely as
    none; independent samples share out what both hold at random. How much the sizes differ counts
    only where they do: by design two tables may have one size, but they differ by r rows with the
    chance 1 / (2 n) in unrelated tables, and 1 / r (r + 1) in changed ones. Whatever the
    population, among independent samples the ratio is above x in fewer than 1 of x cases.
    """
    some = (old.buckets + new.buckets) > 0
    a, b = old.buckets[some], new.buckets[some]
    lost, gained = np.maximum(a - b, 0), np.maximum(b - a, 0)
    changed = _ways(a, lost) + _ways(b, gained)
    swapped = min(lost.sum(), gained.sum())
    log = changed - _ways(a + b, a) - (swapped + 1) * np.log(2)
    r = abs(int(a.sum()) - int(b.sum()))
    if r:
        log += max(0.0, np.log(2 * min(a.sum(), b.sum()) / (r * (r + 1))))
    return float(np.exp(min(log, 700.0)))


def _ways(counts: NDArray[np.int64], drawn: NDArray[np.int64]) -> float:
    """Return the logarithm of the chance to draw so many of each, of so many that are held."""
    from scipy.special import gammaln

    def chosen(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))

    return float(chosen(counts, drawn).sum() - chosen(counts.sum(), drawn.sum()))


def _persons(old: Known, new: Known) -> float | None:
    """Return the share of the new table's people that are in the old one, where both name them."""
    one, two = old.get(PERSONS), new.get(PERSONS)
    return None if one is None or two is None else one.shared(two)


def values_of(known: Known) -> list[Sketch]:
    """Return what is known of columns."""
    return [it for what, it in known.items() if not what.startswith(NO_VALUES)]


def _varying_columns(known: Known) -> list[Sketch]:
    """Return the columns of a table, but for those of one value: they tell its size alone."""
    columns = [it for what, it in known.items() if what.startswith(COLUMN)]
    return [it for it in columns if np.count_nonzero(it.buckets) > 1]


def _nearly_among(few: Sequence[Sketch], columns: Sequence[Sketch], fewer_than: int) -> bool:
    """Whether each of some columns, all of few levels, is nearly one of another table."""
    if any(it.distinctive for it in few):
        return False
    pairs = [[(one, two, one.changed_rows(two)) for two in columns] for one in few]
    near = [[it for it in row if it[2] < fewer_than] for row in pairs]
    if not few or not all(near) or all(any(it[2] == 0 for it in row) for row in near):
        return False
    if all(any(_one_row(one, two) for one, two, _ in row) for row in near):
        return True
    # Of ratios whose mean is at most 1 by chance, the mean is, too, however they hang together.
    ratios = [likelihood_ratio(one, two) for row in near for one, two, changed in row if changed]
    return sum(ratios) / (len(few) * len(columns)) > EVIDENCE


def _one_row(old: Sketch, new: Sketch) -> bool:
    return abs(old.rows - new.rows) == 1 == old.changed_rows(new)


def fits(known: Known, sketches: Known) -> bool:
    """Whether some data are known ones, perhaps with other columns beside them."""
    columns = {what: it for what, it in sketches.items() if what.startswith(COLUMN)}
    common = columns.keys() & known.keys()
    same = all(known[what].mark == columns[what].mark for what in common)
    rows = known.get(WHOLE_ROWS), sketches.get(WHOLE_ROWS)
    if rows[0] and rows[1] and rows[0].mark != rows[1].mark:
        same = same and rows[0].mostly_other(rows[1])  # else some are paired otherwise
    distinctive = any(columns[what].distinctive for what in common)
    return same and bool(common) and (distinctive or len(common) == len(columns))
