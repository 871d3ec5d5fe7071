"""How a file differs from what is drawn again: which numbers and texts, and by what they are.

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
from typing import Any, NamedTuple

from discreet.render.csv_words import CSV
from discreet.render.figure_file import printable
from discreet.render.sealing import without_words

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
    """How a file differs from what is drawn again: the first differences, and how many more.

    `tiny` says that numbers alone differ, each by less than one part in 1,000,000,000.
    """

    said: tuple[str, ...] = ()
    more: int = 0
    tiny: bool = False

    def __str__(self) -> str:
        more = f", and {self.more:,} more" if self.more else ""
        return f"{'; '.join(self.said)}{more}"


class _Difference(NamedTuple):
    says: str
    tiny: bool = False


def unlike(made: bytes, given: bytes, form: str) -> Unlike:
    """Say how a given file differs from the one that was made anew, both of one form."""
    if len(given) > 2 * len(made) + ROOM:
        return Unlike(
            (f"it has {len(given):,} bytes in the file, but {len(made):,} when drawn again",)
        )
    compare = {".json": _of_json, ".html": _of_page, ".svg": _of_svg, CSV: _of_csv}[form]
    every = [*islice(compare(made, given), LOOKED_AT)]
    said = tuple(it.says for it in every[:NAMED])
    tiny = bool(every) and len(every) < LOOKED_AT and all(it.tiny for it in every)
    return Unlike(said, len(every) - len(said), tiny)


def _text(file: bytes, form: str) -> str:
    return without_words(file, form)[0].decode("utf-8", "replace")


def _short(value: object) -> str:
    """Return a value of a file that anybody may have written as it can be printed."""
    if isinstance(value, dict | list):
        return f"a list of {len(value):,}" if isinstance(value, list) else "a table"
    text = printable(value if isinstance(value, str) else json.dumps(value))
    shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
    return repr(shown) if isinstance(value, str) else shown


def _differ(what: str, given: object, made: object) -> _Difference:
    tiny = all(type(it) in (int, float) for it in (given, made)) and _are_near(made, given)
    return _Difference(
        f"{what} is {_short(given)} in the file, but {_short(made)} when drawn again", tiny
    )


def _are_near(made: Any, given: Any) -> bool:
    try:
        return math.isclose(made, given, rel_tol=NEAR, abs_tol=0.0)
    except OverflowError:
        return False


def _of_json(made: bytes, given: bytes) -> Iterator[_Difference]:
    ours, theirs = json.loads(made), json.loads(given)
    for each in (ours, theirs):
        each.pop("provenance", None)
    return _of_values(ours, theirs, "")


def _of_values(made: Any, given: Any, at: str) -> Iterator[_Difference]:
    """Yield where plain values differ; no deeper than those that were made."""
    if isinstance(made, dict) and isinstance(given, dict):
        for name in made:
            inner = f"{at}.{name}" if at else name
            if name not in given:
                yield _Difference(f"{inner} is missing")
            else:
                yield from _of_values(made[name], given[name], inner)
        for name in given:
            if name not in made:
                yield _Difference(f"{_short(name)} was added{f' to {at}' if at else ''}")
    elif isinstance(made, list) and isinstance(given, list):
        if len(made) != len(given):
            yield _Difference(
                f"{at} has {len(given):,} entries in the file, but {len(made):,} when drawn again"
            )
        for i, (ours, theirs) in enumerate(zip(made, given, strict=False)):
            yield from _of_values(ours, theirs, f"{at}[{i}]")
    elif type(made) is not type(given) or made != given:
        yield _differ(at, given, made)


def _of_page(made: bytes, given: bytes) -> Iterator[_Difference]:
    ours, theirs = (_parted(_text(it, ".html")) for it in (made, given))
    try:
        scene = json.loads(theirs[1])
    except (ValueError, RecursionError):
        yield _Difference("the drawing in it cannot be read")
    else:
        yield from _of_values(json.loads(ours[1]), scene, "")
    if (ours[0], ours[2]) != (theirs[0], theirs[2]):
        yield _Difference("the page around the drawing is different")


def _parted(page: str) -> tuple[str, str, str]:
    """Return what stands before the view of a page, the view, and what stands after it."""
    before, _, rest = page.partition(VIEW[0])
    view, _, after = rest.partition(VIEW[1])
    return before, view, after


def _of_svg(made: bytes, given: bytes) -> Iterator[_Difference]:
    """Yield which lines differ, beside those at the beginning and the end that do not."""
    ours, theirs = (_text(it, ".svg").split("\n") for it in (made, given))
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


def _of_line(made: str, given: str, group: str) -> _Difference:
    """Say how a line of SVG differs: by its text, by a number, or in another way."""
    texts = [TAG.sub("", it).strip() for it in (given, made)]
    if texts[0] != texts[1] and "<text" in made and "<text" in given:
        return _differ(f"a text{_within(group)}", *texts)
    theirs, ours = (NUMBER.findall(it) for it in (given, made))
    if len(theirs) == len(ours) and NUMBER.sub("", given) == NUMBER.sub("", made):
        other = next((pair for pair in zip(theirs, ours, strict=True) if pair[0] != pair[1]), None)
        if other is not None:
            says = f"a number{_within(group)} is {other[0][:LETTERS]}"
            return _Difference(f"{says} in the file, but {other[1]} when drawn again")
    return _Difference(f"a line{_within(group)} is different: {_short(given.strip())}")


def _of_csv(made: bytes, given: bytes) -> Iterator[_Difference]:
    ours, theirs = (_rows(without_words(it, CSV)[0]) for it in (made, given))
    head = ours[0]
    if theirs[:1] != [head]:
        yield _Difference("its header is different")
        return
    if len(ours) != len(theirs):
        yield _Difference(
            f"it has {len(theirs) - 1:,} rows in the file, but {len(ours) - 1:,} when drawn again"
        )
    for i, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if len(one) != len(other):
            yield _Difference(f"row {i} has a different number of cells")
            continue
        for name, cell, their in zip(head, one, other, strict=True):
            if cell != their:
                yield _differ(f"{_short(name)} of row {i}", _value(their), _value(cell))


def _rows(file: bytes) -> list[list[str]]:
    try:
        return [*csv.reader(io.StringIO(file.decode("utf-8", "replace"), newline=""))]
    except csv.Error:
        return []


def _value(cell: str) -> float | str:
    """Return the number that a cell is, or its text."""
    try:
        number = float(cell)
    except ValueError:
        return cell
    return number if math.isfinite(number) else cell
