"""A conclusion of the paper, held against our numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Judged", "judged", "listed"]

WIDTH = 98


@dataclass(frozen=True)
class Judged:
    """What the paper concludes and where, how it fared here, and the numbers that say so."""

    where: str
    claim: str
    verdict: str
    numbers: str

    def __str__(self) -> str:
        first = f"[{self.verdict}] {self.claim} ({self.where})"
        lines = textwrap.wrap(first, WIDTH, subsequent_indent="    ")
        return "\n".join(
            lines
            + textwrap.wrap(self.numbers, WIDTH, initial_indent="    ", subsequent_indent="    ")
        )


def judged(where: str, claim: str, checks: Sequence[bool], numbers: str) -> Judged:
    """Say whether all, some or none of the checks of a conclusion hold."""
    verdict = "HOLDS" if all(checks) else "IN PART" if any(checks) else "DOES NOT HOLD"
    return Judged(where, claim, verdict, numbers)


def listed(means: Mapping[str, float], unit: str = "") -> str:
    """Write numbers by name: mdav 27.11, vmdav 26.3."""
    return ", ".join(f"{name} {value:.4g}{unit}" for name, value in means.items())
