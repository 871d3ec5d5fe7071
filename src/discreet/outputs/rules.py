"""Whether an output passes: the same of a file that was checked and of one that is made again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.explore.file_checks import rules_in_words
from discreet.policy import Policy


def judged(
    source: str, settings: Mapping[str, Any], policy: Policy, *, same: bool, rings: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Return whether numbers pass or need a look, and by which rules they were made.

    `source` is the one of their provenance, and `settings` are those of the version that they were
    released in. `same` says whether that version is in force, under `policy`, and `rings` whether
    an attack on its copy found more than it may.

    Examples
    --------
    >>> from discreet import Policy
    >>> from discreet.outputs.rules import judged
    >>> policy = Policy.preset("standard")
    >>> judged("counts", policy.settings(), policy, same=False)[0]
    'review'
    """
    passed = policy.fixed and not policy.public and same and not rings
    public = ("the data are declared public",) if policy.public else ()
    other = () if same else ("made under another policy than the one in force",)
    found = ("an attack on the copy found more than it may: read its report",)
    says = (*rules_in_words(source, settings), *public, *other, *(found if rings else ()))
    return "pass" if passed else "review", says
