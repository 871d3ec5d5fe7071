"""What of a file is not as it is drawn again: which numbers and texts, and by what they are.

Two files of one kind are compared: SVG line by line, pages by the scene that stands in them, JSON
by its fields and CSV by its cells. Nothing that is read is run, and no XML is unfolded.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from discreet.render.csv_words import CSV
from discreet.render.figure_file import printable
from discreet.render.metadata import without_words

NAMED, LOOKED_AT = 3, 1000
"""So many differences are named, and so many are looked for."""
LETTERS = 60
ROOM = 100_000
"""Bytes: a file that has so many more than twice those of what is made anew is not looked into."""
NEAR = 1e-9
"""Machines that calculate a sum in another order differ by less."""
VIEW = ('<script type="application/json" id="view">', "</script>")
GROUP = re.compile(r'<g id="([\w.-]{1,40})"')
TAG = re.compile(r"<[^<>]*>")
NUMBER = re.compile(r"(?<![#\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Unlike:
    """How a file differs from what is drawn again.

    Parameters
    ----------
    said : tuple of str
        The first differences, in words.
    more : int
        How many more there are, at least.
    tiny : bool
        Whether numbers alone differ, and each by less than one part in 1,000,000,000.
    """

    said: tuple[str, ...] = ()
    more: int = 0
    tiny: bool = False

    def __str__(self) -> str:
        more = f", and {self.more:,} more" if self.more else ""
        return f"{'; '.join(self.said)}{more}"


@dataclass(frozen=True)
class _Difference:
    says: str
    tiny: bool = False


def unlike(made: bytes, found: bytes, form: str) -> Unlike:
    """Say how a file that was found differs from the one that was made anew, both of one form."""
    if len(found) > 2 * len(made) + ROOM:
        return Unlike((f"it has {len(found):,} bytes, and drawn again {len(made):,}",))
    find = {".json": _of_json, ".html": _of_page, ".svg": _of_svg, CSV: _of_csv}[form]
    many = [*islice(find(made, found), LOOKED_AT)]
    said = tuple(it.says for it in many[:NAMED])
    tiny = bool(many) and len(many) < LOOKED_AT and all(it.tiny for it in many)
    return Unlike(said, len(many) - len(said), tiny)


def _short(value: object) -> str:
    """Return a value of a file that anybody may have written as it can be printed."""
    if isinstance(value, dict | list):
        return f"a list of {len(value):,}" if isinstance(value, list) else "a table"
    text = printable(value if isinstance(value, str) else json.dumps(value))
    shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
    return repr(shown) if isinstance(value, str) else shown


def _differ(what: str, found: object, made: object) -> _Difference:
    tiny = _is_number(made) and _is_number(found) and _are_near(made, found)
    return _Difference(f"{what} is {_short(found)}, and drawn again {_short(made)}", tiny)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_near(made: Any, found: Any) -> bool:
    try:
        return math.isclose(made, found, rel_tol=NEAR, abs_tol=0.0)
    except OverflowError:
        return False


# --- JSON, and the view of a page ---------------------------------------------------------------


def _of_json(made: bytes, found: bytes) -> Iterator[_Difference]:
    ours, theirs = json.loads(made), json.loads(found)
    for each in (ours, theirs):
        each.pop("provenance", None)
    return _of_values(ours, theirs, "")


def _of_values(made: Any, found: Any, at: str) -> Iterator[_Difference]:
    """Yield where plain values differ; no deeper than those that were made."""
    if isinstance(made, dict) and isinstance(found, dict):
        for name in made:
            inner = f"{at}.{name}" if at else name
            if name not in found:
                yield _Difference(f"{inner} is missing")
            else:
                yield from _of_values(made[name], found[name], inner)
        for name in found:
            if name not in made:
                yield _Difference(f"{_short(name)} was added{f' to {at}' if at else ''}")
    elif isinstance(made, list) and isinstance(found, list):
        if len(made) != len(found):
            yield _Difference(f"{at} has {len(found):,} entries, and drawn again {len(made):,}")
        for i, (ours, theirs) in enumerate(zip(made, found, strict=False)):
            yield from _of_values(ours, theirs, f"{at}[{i}]")
    elif type(made) is not type(found) or made != found:
        yield _differ(at, found, made)


def _of_page(made: bytes, found: bytes) -> Iterator[_Difference]:
    ours, theirs = (
        _parted(without_words(it, ".html")[0].decode("utf-8", "replace")) for it in (made, found)
    )
    try:
        scene = json.loads(theirs[1])
    except (ValueError, RecursionError):
        yield _Difference("what is drawn in it cannot be read")
    else:
        yield from _of_values(json.loads(ours[1]), scene, "")
    if (ours[0], ours[2]) != (theirs[0], theirs[2]):
        yield _Difference("the page around what is drawn is another one")


def _parted(page: str) -> tuple[str, str, str]:
    """Return what stands before the view of a page, the view, and what stands after it."""
    before, _, rest = page.partition(VIEW[0])
    view, _, after = rest.partition(VIEW[1])
    return before, view, after


# --- SVG ----------------------------------------------------------------------------------------


def _of_svg(made: bytes, found: bytes) -> Iterator[_Difference]:
    """Yield which lines differ, beside those at the beginning and the end that do not."""
    ours, theirs = (
        without_words(it, ".svg")[0].decode("utf-8", "replace").split("\n") for it in (made, found)
    )
    least = min(len(ours), len(theirs))
    first = next((i for i in range(least) if ours[i] != theirs[i]), least)
    last = next((i for i in range(least - first) if ours[-1 - i] != theirs[-1 - i]), least - first)
    group = next((it[1] for line in reversed(theirs[:first]) if (it := GROUP.search(line))), "")
    ours, theirs = ours[first : len(ours) - last], theirs[first : len(theirs) - last]
    for one, other in zip(ours, theirs, strict=False):
        named = GROUP.search(one)
        group = named[1] if named else group
        if one != other:
            yield _of_line(one, other, group)
    if len(ours) != len(theirs):
        many, what = abs(len(theirs) - len(ours)), "more" if len(theirs) > len(ours) else "fewer"
        yield _Difference(f"it has {many:,} {what} lines than drawn again{_within(group)}")


def _within(group: str) -> str:
    return f" in {group}" if group else ""


def _of_line(made: str, found: str, group: str) -> _Difference:
    """Say how a line of SVG differs: by its text, by a number, or in another way."""
    texts = [TAG.sub("", it).strip() for it in (found, made)]
    if texts[0] != texts[1] and "<text" in made and "<text" in found:
        return _differ(f"a text{_within(group)}", *texts)
    theirs, ours = (NUMBER.findall(it) for it in (found, made))
    if len(theirs) == len(ours) and NUMBER.sub("", found) == NUMBER.sub("", made):
        other = next((pair for pair in zip(theirs, ours, strict=True) if pair[0] != pair[1]), None)
        if other is not None:
            says = f"a number{_within(group)} is {other[0][:LETTERS]}"
            return _Difference(f"{says}, and drawn again {other[1]}")
    return _Difference(f"a line{_within(group)} is another one: {_short(found.strip())}")


# --- CSV ----------------------------------------------------------------------------------------


def _of_csv(made: bytes, found: bytes) -> Iterator[_Difference]:
    ours, theirs = (_rows(without_words(it, CSV)[0]) for it in (made, found))
    head = ours[0]
    if theirs[:1] != [head]:
        yield _Difference("its header is another one")
        return
    if len(ours) != len(theirs):
        yield _Difference(f"it has {len(theirs) - 1:,} rows, and drawn again {len(ours) - 1:,}")
    for i, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if len(one) != len(other):
            yield _Difference(f"row {i} has another number of cells")
            continue
        for name, cell, their in zip(head, one, other, strict=True):
            if cell != their:
                yield _differ(f"{_short(name)} of row {i}", _meant(their), _meant(cell))


def _rows(file: bytes) -> list[list[str]]:
    try:
        return [*csv.reader(io.StringIO(file.decode("utf-8", "replace"), newline=""))]
    except csv.Error:
        return []


def _meant(cell: str) -> float | str:
    """Return the number that a cell holds, or its text."""
    try:
        number = float(cell)
    except ValueError:
        return cell
    return number if math.isfinite(number) else cell
