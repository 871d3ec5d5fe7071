"""What the copy of a whole table says of itself, beside the other row methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.arguments import check_parameters, whole
from discreet.errors import InputError

MEMBERS_PER_K = 4
"""A leaf of a copy has so many times k persons."""


@dataclass(frozen=True)
class Whole:
    """One protected copy of all columns, drawn one after the other from leaves of m persons.

    It is no function of a matrix, as other row methods are: `protect.whole.whole_copy` makes it.

    Parameters
    ----------
    k : int, default 5
        The least number of persons that each level, and each place of a column, stands on.
    m : int, optional
        The least number of persons in a leaf; at least k, and 4 k where it is not given.

    Raises
    ------
    InputError
        If a number is out of its range.

    Examples
    --------
    >>> Whole(k=5).members
    20
    """

    name: ClassVar[str] = "whole"
    promises: ClassVar[str] = (
        "One copy of the whole table: each value is drawn anew from at least m persons who are"
        " alike in the columns before it, and each level and each value stands on at least k."
        " Whatever is drawn from the copy teaches nothing that the copy does not."
    )
    leaves_open: ClassVar[str] = (
        "What a leaf has in common: who knows a person's other values learns a little about the"
        " last one. Several copies of the same persons add up, so versions are few. It is not"
        " differential privacy."
    )
    least_k: ClassVar[int] = 2
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    holds_k: ClassVar[bool] = True
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ("m",)
    sentence: ClassVar[str] = (
        "every row of the whole table was drawn anew, column after column, each value from at"
        " least {m} persons who are alike in the columns before it"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "that a person cannot be recognised by several copies of the same table",
        "differential privacy",
    )

    k: int = whole(2, default=5)
    m: int | None = whole(2, default=None)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.members < self.k:
            raise InputError("m must be at least k: a leaf holds m persons")

    @property
    def members(self) -> int:
        """How many persons a leaf has at least: m, or 4 k where that is not given."""
        return MEMBERS_PER_K * self.k if self.m is None else self.m
