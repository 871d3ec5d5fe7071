"""All attacks on a table, and what came of them: as text, JSON, CSV and one page.

The figures are exact and the custodian's; `rounded` gives what may be released of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np

from discreet.arguments import Labels, check_whole
from discreet.document import Block, Document, Documented, Listing, Picture, Words
from discreet.errors import InputError, RefusedError
from discreet.measure.attacks import (
    Attack,
    Copy,
    Make,
    Records,
    Success,
    attack_secret,
    comparable,
    first_of,
    in_keyed_order,
)
from discreet.measure.attacks_by_copies import WHO, membership, versions
from discreet.measure.attacks_held_out import (
    HeldOut,
    held_out,
    inference,
    inference_of_copy,
    insider,
    rare_persons,
    verbatim,
)
from discreet.measure.attacks_on_copy import (
    FAR,
    coincidences,
    linkage,
    rare_combinations,
    records_in_copy,
)
from discreet.measure.pairs import Side, as_side
from discreet.measure.report import plain_words
from discreet.render.csv_words import csv_text
from discreet.render.scene import Axis, Intervals, Panel, Scene
from discreet.render.sealing import Gate

SCHEMA = 1
SUFFIXES = (".html", ".json", ".csv", ".txt")
HEAD = ("attack", "figure", "counted", "right", "low", "high", "baseline", "against", "trials",
        "bound", "rings")  # fmt: skip
"""The columns of a report as CSV."""
COUNTED = ("counted", "right", "interval", "baseline")
SHARES = (0.5, 0.9)
"""Insiders know so many of the records."""
VERSIONS = 4
COPIES = 5
"""So many copies are linked where none is given."""
HELD_OUT_OF = 5000
"""Of so many records at most, a fifth is held out at a time."""
PER_FAR = 100
"""One record of so many is looked at as a far one too, where these are more than five."""
LEAD = (
    "These attacks try what somebody could learn about a person from this table. The success "
    "rate of each is compared with a baseline: the success rate without the person's record."
)
OWN = "For the custodian: exact figures of the raw table, not for release."
ROUNDED = "Shares are rounded to 5 points, and counts to multiples of {to}."
AnyAttack = Callable[..., Attack | tuple[Attack, ...]]
T = TypeVar("T")
NOT_SHOWN = (
    "An attack that fails proves nothing about others: nobody can try every attack.",
    "None of these attackers knows anything that is not in a column.",
    "Other releases about the same people, earlier or by others, are not considered.",
    "What can be inferred about everybody, in the table or not, does not count as a risk.",
)
"""What none of the attacks shows."""


@dataclass(frozen=True, eq=False, repr=False)
class AttackReport(Documented):
    """Attacks on a released table, each with its story, its success and its baseline.

    Parameters
    ----------
    title : str
        What was attacked.
    made : mapping of str to plain values
        How the table was made, and how many copies were.
    attacks : tuple of Attack
        In the order they are shown in.
    not_tried : mapping of str to str
        Attacks that could not be tried, and why.
    rounded_to : int or None
        Counts are multiples of it, shares of 5 points; exact where None.
    gate_of_rounded : callable or None
        The gate of what `rounded` returns.

    Notes
    -----
    **What it does not show** is in `NOT_SHOWN`, and stands in every report.
    """

    title: str
    made: Mapping[str, Any]
    attacks: tuple[Attack, ...]
    not_tried: Mapping[str, str] = field(default_factory=dict)
    rounded_to: int | None = None
    gate_of_rounded: Gate | None = field(default=None, compare=False)

    what: ClassVar[str] = "a report of attacks"

    def __repr__(self) -> str:
        return f"AttackReport({self.title}: {len(self.attacks)} attacks)"

    def __getitem__(self, name: str) -> Attack:
        """Return the attack of a name."""
        for attack in self.attacks:
            if attack.name == name:
                return attack
        raise KeyError(name)

    def rounded(self, to: int) -> AttackReport:
        """Return what may be released: counts in multiples of `to`, shares of 5 points.

        Attacks on too few records for that are left out and named in `not_tried`.
        """
        check_whole("to", to, least=1)
        missing = dict(self.not_tried)
        kept = []
        for attack in self.attacks:
            coarse = attack.rounded(to)
            if coarse is None:
                missing[attack.title] = "it rests on too few records to be shown rounded"
            else:
                kept.append(coarse)
        return replace(
            self,
            attacks=tuple(kept),
            not_tried=MappingProxyType(missing),
            rounded_to=to,
            gate=self.gate_of_rounded,
        )

    def document(self) -> Document:
        """Return the report: in short, the plot, tables, and the story of each attack."""
        return Document(self.title, self.blocks())

    def blocks(self) -> tuple[Block, ...]:
        """Return what stands below its title, or within another report."""
        note = OWN if self.rounded_to is None else ROUNDED.format(to=self.rounded_to)
        short = self.in_short()
        untried = tuple(f"{title}: {why}." for title, why in self.not_tried.items())
        made = tuple((name.replace("_", " "), plain_words(it)) for name, it in self.made.items())
        return (
            Words("", (LEAD,), "lead"),
            Words("", (note,), "soft"),
            Words("In short", short),
            *([Picture(self.scene(), " ".join(short))] if self.attacks else []),
            Listing("What was attacked", ("setting", "value"), made, (0, 1)),
            _overview(self.attacks),
            *(
                Listing(
                    f"{attack.title}, in %",
                    COUNTED,
                    tuple((part.what, *_cells(part)) for part in attack.parts),
                )
                for attack in self.attacks
            ),
            *([Words("Not tried", untried)] if untried else []),
            Words("What none of these attacks shows", NOT_SHOWN),
            *(
                Words(attack.title, (attack.story, *attack.assumptions), level=3)
                for attack in self.attacks
            ),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds but the provenance."""
        return {"discreet": SCHEMA, "kind": "attacks", **self.to_dict()}

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, as a part of another report."""
        return {
            "release": self.rounded_to is not None,
            "title": self.title,
            "made": dict(self.made),
            "rounded_to": self.rounded_to,
            "attacks": [attack.to_dict() for attack in self.attacks],
            "not_tried": dict(self.not_tried),
            "not_shown": list(NOT_SHOWN),
        }

    def to_csv(self) -> str:
        """Return a line for each figure of each attack, once it may be released."""
        self.ask_to_leave("csv")
        return csv_text([HEAD, *(line for attack in self.attacks for line in _lines(attack))])

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes its files, by their endings."""
        return super().forms() | {".csv": self.to_csv}

    def scene(self) -> Scene:
        """Return the success of each attack in its interval, beside its baseline."""
        every = [attack.found for attack in self.attacks]
        ends = tuple((100 * it.low, 100 * it.share, 100 * it.high) for it in every)
        beside = tuple((100 * it.baseline,) * 3 for it in every)
        names = tuple(attack.name for attack in self.attacks)
        panel = Panel(
            (Intervals((ends, beside), ("attack", "baseline")),),
            Axis("right, %", (-2.0, 102.0)),
            Axis("", (len(names) - 0.4, -0.6), names),
        )
        notes = ("bars are 95 % intervals", "baseline: without the person's record")
        return Scene((panel,), "How often each attack is right", notes)

    def in_short(self) -> tuple[str, ...]:
        """Return the verdict on each attack in a sentence, that on the worst one first."""
        verdicts = tuple(f"{attack.title}: {attack.verdict}." for attack in self.attacks)
        worst = self.worst()
        if worst is not None:
            first = f"The worst attack is {worst.title!r}"
        elif verdicts:
            worst = max(self.attacks, key=lambda it: it.found.gain)
            first = "No attack that was tried beats its baseline; the closest is"
            first = f"{first} {worst.title!r}"
        else:
            return ()
        return (f"{first}: right in {worst.found.figure}; it {worst.found.verdict}.", *verdicts)

    def worst(self) -> Attack | None:
        """Return the attack that beats its baseline by most; None where none does.

        One that is more often right than it may be is worse than any that is not.
        """
        beating = [it for it in self.attacks if it.found.beats]
        return max(beating, key=lambda it: (it.rings, it.found.gain), default=None)

    @property
    def rings(self) -> bool:
        """Whether some attack is more often right than it may be."""
        return any(attack.rings for attack in self.attacks)


def _percent(share: float) -> str:
    return f"{100 * share:.{0 if share == round(share, 2) else 1}f}"


def _cells(it: Success) -> tuple[str, str, str]:
    return _percent(it.share), f"{_percent(it.low)} to {_percent(it.high)}", _percent(it.baseline)


def _overview(attacks: Sequence[Attack]) -> Listing:
    """Return what came of each attack; of an AUC, with who is found at few false positives."""
    rates = tuple(dict.fromkeys(it.what for attack in attacks for it in attack.at))
    rows = []
    for attack in attacks:
        at = {it.what: _percent(it.share) for it in attack.at}
        rows.append((attack.title, *_cells(attack.found), *(at.get(what, "") for what in rates)))
    short = (what.removeprefix("found at ").removesuffix(" positives") for what in rates)
    right = (
        " (success: an AUC, and true positives at a low rate of false positives)" if rates else ""
    )
    return Listing(f"Attacks, in %{right}", (*COUNTED, *short), tuple(rows))


def _lines(attack: Attack) -> Iterator[tuple[str, ...]]:
    """Return the lines of an attack in a report as CSV."""
    kinds = (("found", (attack.found,)), ("true positives", attack.at), ("part", attack.parts))
    for kind, every in kinds:
        for it in every:
            figures = it.share, it.low, it.high, it.baseline, it.against, it.trials
            bound = ("", "") if it.bound is None else (it.bound, it.rings)
            yield (attack.name, kind, it.what, *map(str, (*figures, *bound)))


# --- all attacks --------------------------------------------------------------------------------


def attacked(
    table: Side,
    make: Make | None = None,
    copy: Copy | None = None,
    *,
    persons: Labels | None = None,
    k: int,
    pairs: int = 100,
    title: str = "Attacks on a table",
    made: Mapping[str, Any] | None = None,
) -> AttackReport:
    """Try all attacks on a table.

    Parameters
    ----------
    table : Side
        The raw rows.
    make : callable, optional
        Makes a copy of records by a secret, as the method does (`attacks.whole_maker`, for one).
        Without it, only what needs no other copy is tried.
    copy : Copy, optional
        The released table; without it one is made.
    persons : ndarray of int of shape (n,), optional
        Whose each row is.
    k : int
        What the method promises: 1/k is what it allows of linkage, and what fewer than k people
        have is rare.
    pairs : int, default 100
        So many pairs of copies are made for each attack on membership; a tenth as many times who
        left is looked for. 0 leaves both out.
    title, made
        What was attacked, and how it was made.

    Returns
    -------
    AttackReport
        Exact figures: the custodian's.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.measure.pairs import as_side
    >>> raw = as_side(np.arange(40.0).reshape(20, 2))
    >>> report = attacked(raw, copy=Copy(raw, np.arange(20)), k=5)
    >>> report["linkage"].found.share
    1.0
    """
    if make is None and copy is None:
        raise InputError("give the released table, or the method that makes one")
    records, order = in_keyed_order(Records.of(table, persons))
    given = [] if copy is None else [_turned(copy, order)]
    if make is not None and not given:
        given = [make(records, attack_secret("copy", turn)) for turn in range(COPIES)]
    tried = _Tried()
    _on_one(tried, records, given, k)
    if make is not None:
        some = first_of(records, HELD_OUT_OF)
        held = tried.value("persons held out", held_out, some, make)
        if held is not None:
            _on_held_out(tried, held, k)
        if pairs:
            _by_copies(tried, records, make, pairs, k)
    else:
        tried("inference", inference_of_copy, records, given[0])
    settings = {
        **(made or {}),
        "k": k,
        "columns": [*given[0].table.numbers, *given[0].table.levels],
    }
    if make is not None:
        settings["pairs of copies"] = pairs
    return AttackReport(
        title, MappingProxyType(settings), tuple(tried.found), MappingProxyType(tried.failed)
    )


def attack_released(
    original: object,
    released: object,
    *,
    k: int,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    same_rows: bool = False,
    dates: Mapping[str, str] = MappingProxyType({}),
) -> AttackReport:
    """Try on a released table what needs no other copy of it.

    Without the method no copy can be made with people held out, so inference counts what is so in
    general as well, and membership is not looked at.

    Parameters
    ----------
    original, released : frame, path or array
        The raw rows, and the released table, whoever made it, of any number of rows.
    k : int
        What the method promises: 1/k is what it allows of linkage, and what fewer than k people
        have is rare.
    categorical : sequence of str
        Columns of codes that are levels; texts and yes/no are levels anyway.
    drop : sequence of str
        Columns of the released table that are not looked at.
    same_rows : bool, default False
        Whether the i-th released row was made for the i-th raw row; linkage needs to know.
    dates : mapping of str to str
        How dates in text are written in the original, where its rows do not say it: "%d/%m/%Y".

    Examples
    --------
    >>> before = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [9.0, 7.0]]
    >>> attack_released(before, before, k=2, same_rows=True)["coincidences"].found.share
    1.0
    """
    check_whole("k", k, least=1)
    after = as_side(released, categorical=categorical, drop=drop)
    names = {*after.numbers, *after.levels}
    before = as_side(original, categorical=categorical, only=names, dates=dates)
    if same_rows and len(before) != len(after):
        raise InputError(
            "the two tables have different numbers of rows, so their rows cannot belong to the "
            "same people one by one; leave same_rows out"
        )
    source = np.arange(len(after)) if same_rows else None
    named = (
        Path(each).name if isinstance(each, str | Path) else "a table"
        for each in (original, released)
    )
    raw, shown = named
    return attacked(
        before, copy=Copy(after, source), k=k, title=f"Attacks on {shown}, made of {raw}"
    )


@dataclass
class _Tried:
    """Tries one attack after the other, and keeps why one could not be tried."""

    found: list[Attack] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def value(self, name: str, make: Callable[..., T], *args: Any, **options: Any) -> T | None:
        try:
            return make(*args, **options)
        except RefusedError as error:  # its text names columns, never cells
            self.failed[name] = str(error)
            return None

    def __call__(self, name: str, attack: AnyAttack, *args: Any, **options: Any) -> None:
        attacks = self.value(name, attack, *args, **options)
        self.found += (attacks,) if isinstance(attacks, Attack) else attacks or ()


def _turned(copy: Copy, order: Labels) -> Copy:
    """Return a copy whose sources are places in another order of the records."""
    copy = replace(copy, table=comparable(copy.table))
    if copy.source is None:
        return copy
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return replace(copy, source=np.where(copy.source < 0, -1, place[copy.source]))


def _on_one(tried: _Tried, records: Records, copies: Sequence[Copy], k: int) -> None:
    if copies[0].source is None:
        why = "it is not known for which raw row each released row was drawn"
        tried.failed["record linkage"] = why
    else:
        more = math.ceil(len(records) / PER_FAR)
        tried("record linkage", linkage, records, copies, k=k)
        tried("linkage of the farthest", linkage, records, copies, k=k, far=FAR)
        if more > FAR:
            tried("linkage of the far", linkage, records, copies, k=k, far=more)
    tried("records in the table", records_in_copy, records, copies[0])
    tried("coincidences", coincidences, records, copies[0])
    tried("rare combinations", rare_combinations, records, copies[0], k)


def _on_held_out(tried: _Tried, held: HeldOut, k: int) -> None:
    tried("a person's very row", verbatim, held)
    tried("persons with a rare combination", rare_persons, held, k)
    for by in ("rows", "model"):
        tried(f"inference by {by}", inference, held, by=by)
    for share in SHARES:
        tried(f"an insider who knows {100 * share:.0f} %", insider, held, share, k=k)


def _by_copies(tried: _Tried, records: Records, make: Make, pairs: int, k: int) -> None:
    several = int(np.bincount(records.persons).max(initial=0)) > 1
    for who, words in WHO.items():
        if who == "rows" and not several:
            continue
        tried(f"membership of {words}", membership, records, make, who=who, pairs=pairs, k=k)
    times = max(1, pairs // 10)
    tried("who left", versions, records, make, copies=VERSIONS, repeats=times)
