"""Which fonts draw the words of a scene: matplotlib's own, and others for letters it has not."""

from __future__ import annotations

import dataclasses
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

OWN = "DejaVu Sans"
"""The font that matplotlib brings along, and measures with."""
NO_FONTS = ("Last Resort", "STIX", "cm", "DejaVu")
"""Families that begin so draw boxes, signs of mathematics, or what the own font draws."""
PREFERRED = ("Noto Sans CJK", "Noto Sans")
REGULAR = range(350, 451)
NUMBERS = (int, float)
MISSING = "Glyph .* missing from"


def letters_of(drawn: Any) -> frozenset[str]:
    """Return the letters beyond ASCII of all words within a scene, or a part of one.

    Examples
    --------
    >>> sorted(letters_of(("BMI (kg/m²)", (1.0, 2.0), "größe")))
    ['²', 'ß', 'ö']
    """
    return frozenset(it for text in _texts(drawn) if not text.isascii() for it in text if it > "~")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for item in dataclasses.fields(value):
            yield from _texts(getattr(value, item.name))
    elif isinstance(value, tuple):
        # Many numbers are not looked at one by one; a place and its word are.
        if len(value) > 2 and isinstance(value[0], NUMBERS) and isinstance(value[-1], NUMBERS):
            return
        for each in value:
            yield from _texts(each)


def families_for(letters: Iterable[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Choose installed fonts for letters that the own font has not; few, one after the other.

    Returns
    -------
    tuple of str
        The names of further families, none where the own font has all.
    frozenset of str
        The letters that no font has.
    """
    wanted = {it for it in letters if it.isprintable() and not it.isspace()}
    if not wanted:
        return (), frozenset()
    wanted -= _letters_in(_path_of_own())
    found: list[str] = []
    for name, path in _installed() if wanted else ():
        has = wanted & _letters_in(path)
        if has:
            found.append(name)
            wanted -= has
        if not wanted:
            break
    return tuple(found), frozenset(wanted)


@contextmanager
def no_boxes(missing: frozenset[str]) -> Iterator[None]:
    """Say once, in plain words, which letters are drawn as boxes, in place of a warning for each.

    They are named by their script: which they are may be the name of a level.
    """
    if not missing:
        yield
        return
    scripts = sorted({_script_of(it) for it in missing})
    said = ", ".join(scripts[:3])
    more = " and others" if len(scripts) > 3 else ""
    _say_once(f"{said}{more}")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        yield


@lru_cache
def _say_once(scripts: str) -> None:
    warnings.warn(
        f"no installed font has letters of this plot ({scripts}), which appear as boxes; "
        "install one that has, such as Noto Sans, or save .svg or .html, which are shown with "
        "the reader's own fonts",
        stacklevel=2,
    )


def _script_of(letter: str) -> str:
    if unicodedata.category(letter)[0] not in "LM":
        return "signs"
    first = unicodedata.name(letter, "other").split()[0].split("-")[0]
    return first if first == "CJK" else first.capitalize()


def _path_of_own() -> str:
    from matplotlib.font_manager import findfont

    return str(findfont(OWN))


@lru_cache(maxsize=256)
def _letters_in(path: str) -> frozenset[str]:
    """Return the letters that a font file has."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(map(chr, get_font(path).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # a font that cannot be read is none
        return frozenset()


def _installed() -> list[tuple[str, str]]:
    """Return the plain fonts that are installed, those first that are made for many scripts."""
    from matplotlib.font_manager import fontManager

    plain = {
        it.name: str(it.fname)
        for it in fontManager.ttflist
        if it.style == "normal"
        and (it.weight in ("normal", "regular", "book", "medium") or it.weight in REGULAR)
        and not it.name.startswith(NO_FONTS)
    }

    def place(name: str) -> tuple[int, int, str]:
        first = next((i for i, it in enumerate(PREFERRED) if name.startswith(it)), len(PREFERRED))
        return first, "Sans" not in name, name

    return [(name, plain[name]) for name in sorted(plain, key=place)]
