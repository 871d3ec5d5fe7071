"""What views, tables of figures and reports do to be released: ask their gate, and carry a seal.

Each is a frozen value with a `gate`, a `sealer` and, once it was released, a `provenance`; none of
the three where it was made outside a study.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from discreet.provenance import Provenance, Sealer
from discreet.render.metadata import with_words

#: Called with the form in which something is to be released ("svg", "json", ...), and with its
#: provenance where it has one; raises if it may not be.
Gate = Callable[..., None]


class Sealable(Protocol):
    """What can be released with a provenance."""

    @property
    def gate(self) -> Gate | None:
        """What is asked before it is released."""

    @property
    def sealer(self) -> Sealer | None:
        """What gives it its provenance."""

    @property
    def provenance(self) -> Provenance | None:
        """Where its numbers come from."""

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds."""


S = TypeVar("S", bound=Sealable)


def sealed(of: S) -> S:
    """Return something with its provenance, where it has what gives it one."""
    if of.sealer is None or of.provenance is not None:
        return of
    provenance = of.sealer.provenance(of.checksum())
    return replace(of, provenance=provenance)  # type: ignore[type-var]  # each is a dataclass


def ask_to_leave(of: Sealable, form: str) -> None:
    """Ask the gate, where there is one, whether something may be released as `form`."""
    if of.gate is None:
        return
    provenance = sealed(of).provenance
    of.gate(form) if provenance is None else of.gate(form, provenance)


def file_of(
    of: Sealable, made: bytes, suffix: str, drawing: Mapping[str, Any] | None = None
) -> bytes:
    """Return a file of something with its provenance in it, where it has one.

    `drawing` is how it was drawn into the file, which is said where it is sealed.
    """
    told = of.provenance
    if told is not None and drawing and of.sealer is not None:
        told = replace(told, drawing=drawing)
    return sealed_file(told, of.sealer, made, suffix)


def sealed_file(
    provenance: Provenance | None, sealer: Sealer | None, made: bytes, suffix: str
) -> bytes:
    """Return a file with a provenance in it; sealed, where there is what seals it."""
    if provenance is None:
        return made
    if sealer is not None:
        rest = hashlib.sha256(made).digest()
        provenance = provenance.sealed_file(sealer.key, rest, suffix)
    return with_words(made, suffix, provenance.to_text())


def released(of: Sealable, form: str, make: Callable[[], str | bytes], suffix: str = "") -> bytes:
    """Return a file of something, made and sealed once it may be released."""
    whole = sealed(of)
    ask_to_leave(whole, form)
    made = make()
    return file_of(whole, made.encode() if isinstance(made, str) else made, suffix or f".{form}")


def json_of(plain: Mapping[str, Any], provenance: Provenance | None) -> str:
    """Return plain values as JSON, with their provenance where they have one."""
    held = {} if provenance is None else {"provenance": provenance.to_plain()}
    return json.dumps({**plain, **held}, allow_nan=False, ensure_ascii=False)
