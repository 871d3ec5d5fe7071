"""What of the notes of a Scene stands below a picture: two lines, what warns first.

All notes are in a figure's metadata, and on a page. A picture has room for what a reader must not
miss, and for how it was made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

BETWEEN = " · "
SHOWN = "shown: "
CODE = re.compile(r", policy \S")
PART = r"^where |; where .*[=<>]"
IN_BRACKETS = re.compile(r" \([^()]*\)")
FIRST = tuple(
    re.compile(pattern)
    for pattern in (
        r"^not reliable",
        r"^rough|fewer than \d+ rows",
        r" may hold codes|^research: |declared public",
        PART,
        r"^not drawn|left out|left off|partly",
        r"^hatched|^grey|^dark|^gaps in|^white",
        r"^rows without a value",
        r"squares about 0|^rows of a negative",
        r"^(bars|counts) may be off",
        r"^differences ",
        r"^the copy: ",
    )
)
"""What is said first, and then: what warns, which rows it is of, which signs it has, the rest."""


@dataclass(frozen=True)
class Subtitle:
    """What stands below a picture: what it `says`, the most important first, and how it was made.

    Both are one line; of `says` as many go into it as there is room for.
    """

    says: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Unreliable:
    """What is said first where a copy cannot carry what is compared, as draw/unreliable.js has it.

    `of_all` says that nothing that is compared is reliable, so that a page shows it grey.
    """

    says: str = ""
    of_all: bool = False


def unreliable_of(notes: Sequence[str]) -> Unreliable:
    """Find the note that a comparison is not reliable.

    Examples
    --------
    >>> unreliable_of(["not reliable here: differences in bmi may be off by up to 2.5"]).says
    'Not reliable here: differences in bmi may be off by up to 2.5'
    >>> unreliable_of(["differences in bmi between levels of sex may be off by up to 2.5"])
    Unreliable(says='', of_all=False)
    """
    says = next((it for it in notes if it.startswith("not reliable")), "")
    others = any(it.startswith("differences ") for it in notes)
    return Unreliable(says[:1].upper() + says[1:], bool(says) and not others)


def subtitle_of(notes: Sequence[str]) -> Subtitle:
    """Return what of some notes stands below a picture.

    Examples
    --------
    >>> found = subtitle_of(
    ...     [
    ...         "bars of ward: whole (k = 5, m = 10), policy standard",
    ...         "shown: 90 of 90 rows, from the protected copy",
    ...         "the copy: shares of single columns are off by at most 2.0 points",
    ...         "rough, as only 90 rows of the copy are drawn",
    ...     ]
    ... )
    >>> found.says[0]
    'rough, as only 90 rows of the copy are drawn'
    >>> found.code
    '90 of 90 rows, from the protected copy · bars of ward: whole (k = 5, m = 10), policy standard'
    """
    made = [it for it in notes if CODE.search(it)]
    shown = [it.removeprefix(SHOWN) for it in notes if it.startswith(SHOWN)]
    others = [it for it in notes if it not in made and not it.startswith(SHOWN)]
    says = map(_in_short, sorted(others, key=_place))  # what is of one kind stays in its order
    return Subtitle(tuple(dict.fromkeys(says)), BETWEEN.join([*shown, *made]))


def _in_short(note: str) -> str:
    """Return what a note says, without how it is known and what can be done."""
    if re.search(PART, note):
        return note
    said = IN_BRACKETS.sub("", note).split("; ")[0]
    return said.split(": ")[0] if said.startswith("rough, as") else said


def _place(note: str) -> int:
    return next((i for i, it in enumerate(FIRST) if it.search(note)), len(FIRST))
