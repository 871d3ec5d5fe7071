"""What must not be claimed of a protected table."""

from __future__ import annotations

from discreet.protect import TABLE_METHODS

__all__ = ["claims_of"]

EVERYWHERE = (
    "that the table is anonymous, or outside data protection law: what was measured are attacks"
    " that were tried, on these columns",
    "that nothing can be disclosed by it",
    "differential privacy: it was not measured, and no method of discreet has it",
    "safety together with another release of the same data, by another setting or after a change"
    " of the data: two releases can give records away that one does not",
    "that a larger k, more noise or more rows would by itself be safe",
)


def claims_of(method: str | None) -> tuple[str, ...]:
    """Return what must not be claimed of a release by a method; of an unknown one, by any."""
    kind = TABLE_METHODS.get(method or "")
    of_method = () if kind is None else kind.not_claimed
    return (*of_method, *EVERYWHERE)
