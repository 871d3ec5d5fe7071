"""What was made in this process of the same things in the same way is not made again.

These are protected copies and drawn figures. The key is all that they are made of: of a copy rows,
keys, settings and the secret, of a figure its scene. So a test gets what it would have made itself.
Tests of whether the same is made twice carry the mark `made_anew`, or ask the functions themselves.
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest

from discreet.secret import Secret

__all__ = ["keep_what_is_made"]

MOST = 500
#: What was made; what was asked for last is at the end.
MADE: OrderedDict[bytes, Any] = OrderedDict()
FUNCTIONS = (
    ("discreet.vault.vault", "copy_of_whole"),
    ("discreet.vault.vault", "nearness_of"),
    ("discreet.custodian.session", "copy_again"),
    ("discreet.plots.view", "figure_bytes"),
    ("discreet.render.journal", "figure_bytes"),
    ("discreet.render.to_html", "figure_bytes"),
    ("discreet.outputs.of_answers", "figure_bytes"),
)


class Pickler(pickle.Pickler):
    """Writes a secret, which cannot be pickled, as a digest by it."""

    def reducer_override(self, it: Any) -> Any:
        return (bytes, (it.digest("made once"),)) if isinstance(it, Secret) else NotImplemented


def key_of(*of: Any) -> bytes:
    text = BytesIO()
    Pickler(text).dump(of)
    return sha256(text.getbuffer()).digest()


def once(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    """Make what a function returns once for all that it is given."""

    def made(*given: Any, **named: Any) -> Any:
        key = key_of(name, given, named)
        found = MADE.pop(key, None)  # threads of servers come at once, too
        found = make(*given, **named) if found is None else found
        MADE[key] = found
        while len(MADE) > MOST:
            MADE.popitem(last=False)
        return copy.deepcopy(found)  # whoever changes it changes it for no other test

    return made


def keep_what_is_made(patch: pytest.MonkeyPatch) -> None:
    """Keep what is made from here on by modules that are in use."""
    for module, name in FUNCTIONS:
        if module in sys.modules:
            make = getattr(sys.modules[module], name)
            patch.setattr(sys.modules[module], name, once(name, make))
