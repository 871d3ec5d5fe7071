"""How each file of a folder of outputs stands: beside what was handed in, and what was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from discreet.provenance import checksum_of_file
from discreet.records.outputs import InForce, Output

CHANGED = "changed"


@dataclass(frozen=True)
class Standing:
    """A file of a folder: what of it was handed in last, and how it stands.

    `state` is that of the output under the rules in force ("waiting", "approved", "outdated",
    "rejected"), or "changed" where the file is another than was handed in.
    """

    output: Output
    state: str


def standing_of(
    files: Sequence[Path], outputs: Sequence[Output], now: InForce
) -> tuple[Standing, ...]:
    """Return how files stand that were handed in under their names.

    What was decided holds for the very bytes that it was decided of, and an approval for the rules
    that it was given under, while they are in force. A file that is again as it was when it was
    approved, is approved.
    """
    found = []
    for file in files:
        handed = [it for it in outputs if it.name == file.name]
        if not handed:
            continue
        digest = checksum_of_file(file) if file.is_file() else ""
        same = [it for it in handed if it.digest == digest]
        if same:
            found.append(Standing(same[-1], same[-1].state(now)))
        else:
            found.append(Standing(handed[-1], CHANGED))
    return tuple(found)
