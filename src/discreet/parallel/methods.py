"""The ways to cluster parallel coordinates: what each takes, promises and does not protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.arguments import check_parameters, whole


@dataclass(frozen=True)
class KMember:
    """Records clustered pair by pair of axes, as the paper prints it (section 4.1)."""

    name: ClassVar[str] = "k-member"
    promises: ClassVar[str] = "Every cluster between two axes stands on at least k records."
    leaves_open: ClassVar[str] = (
        "The edges of a cluster are pixels of its records, and clusters of several pairs that"
        " share a record narrow it down to a few pixels; most paths of clusters are of one record."
    )

    k: int = whole(2)

    def __post_init__(self) -> None:
        check_parameters(self)


@dataclass(frozen=True)
class KMemberJoint:
    """Records clustered over all axes at once: the variant that the paper compares with."""

    name: ClassVar[str] = "k-member-joint"
    promises: ClassVar[str] = "Every path of clusters over all axes stands on at least k records."
    leaves_open: ClassVar[str] = (
        "The edges of a cluster are pixels of its records, and one that lies apart from all others"
        " is such an edge."
    )

    k: int = whole(2)

    def __post_init__(self) -> None:
        check_parameters(self)
