"""What must not be claimed of a protected table."""

from __future__ import annotations

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
OF_METHOD = {
    "deterministic": (
        "k-anonymity of the rows: means of near records overlap, are not shared by k rows, and"
        " often hardly move",
        "that the original cannot be worked back because k is above 2",
        "that the stretching protects records far from the others: it can put them back",
        "that it is safe to release again because nothing is random",
    ),
    "probabilistic": (
        "k-anonymity of the rows: each row has noise of its own",
        "that records far from the others are hidden: noise in proportion to the spread hides"
        " nobody who stands out",
        "that a fixed seed is enough: the noise rests on a secret",
    ),
    "condensation": (
        "k-anonymity in the sense of equal rows: the rows of a group cannot be told apart, but"
        " are not equal",
        "that values are hidden where many records lie close together",
    ),
    "microaggregation": (
        "k-anonymity of this table together with other tables or pictures of the same data",
        "that values are hidden where many records lie close together: a group's mean lies near"
        " all of them",
    ),
    "rounding": (
        "k-anonymity of this table together with other tables or pictures of the same data",
        "that values are hidden where many records lie close together: a group's mean lies near"
        " all of them",
    ),
    "column-rounding": (
        "k-anonymity of the rows: columns were rounded one at a time, and few rows are shared in"
        " all of them",
        "that a point shared by k records in one column hides whose row it is",
    ),
}


def claims_of(method: str | None) -> tuple[str, ...]:
    """Return what must not be claimed of a release by a method; of an unknown one, by any."""
    return (*OF_METHOD.get(method or "", ()), *EVERYWHERE)
