"""By which rules an output passes, and how that is said: the same of every file and answer."""

from __future__ import annotations

from discreet.ledger.ledger import Ledger
from discreet.plots.request import COPY, COUNTS
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.study.provenance import ROWS

__all__ = ["is_in_force", "judged"]

SOURCES = {
    COPY: "drawn from the protected copy",
    COUNTS: "counted from the data",
    ROWS: "rows that were protected for this alone",
}


def is_in_force(ledger: Ledger, study: str, policy: Policy, version: int) -> bool:
    """Tell whether a version of a study is the latest, and released under this policy.

    The ledger lets a version be released under one policy alone.
    """
    same = ledger.left_under(study)[1] == policy.settings()
    return same and ledger.version(study) == version


def judged(source: str, policy: Policy, *, same: bool) -> tuple[str, tuple[str, ...]]:
    """Return whether numbers pass or need a look, and which rules they were made by.

    `source` is the one of their provenance, and `same` says whether the policy and the version
    that they were made under are in force.

    Examples
    --------
    >>> from discreet import Policy
    >>> from discreet.outputs.rules import judged
    >>> status, says = judged("counts", Policy.preset("standard"), same=True)
    >>> status, says[1]
    ('pass', 'at least 5 persons behind each mark')
    """
    passed = policy.fixed and not policy.public and same
    return "pass" if passed else "review", (SOURCES[source], *_rules(source, policy, same=same))


def _rules(source: str, policy: Policy, *, same: bool) -> tuple[str, ...]:
    if not same:
        return ("made under another policy than the one in force",)
    if not policy.fixed:
        return (f"policy {policy.name}, of public or simulated data",)
    public = ("the data are declared public",) if policy.public else ()
    if source != COUNTS:
        group = policy.members if policy.rows_by == Whole.name else policy.k
        return f"each row made anew from a group of at least {group} persons", *public
    rounded = (f"counts rounded to {policy.round_to}",) if policy.round_to > 1 else ()
    return f"at least {policy.k} persons behind each mark", *rounded, *public
