"""The ways to cluster parallel coordinates: what each takes, promises and does not protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.arguments import check_parameters, whole

__all__ = ["KMember", "KMemberCells", "KMemberJoint"]


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


@dataclass(frozen=True)
class KMemberCells:
    """Whole cells clustered pair by pair, so that nothing finer than a cell is told."""

    name: ClassVar[str] = "k-member-cells"
    promises: ClassVar[str] = (
        "Every cluster, and every two that light up together, stand on at least k persons; its"
        " edges lie between cells that hold at least k persons of their column each, so that no"
        " clusters together narrow a value down to less than such a cell."
    )
    leaves_open: ClassVar[str] = (
        "That somebody lies at each edge of a cluster and nobody outside of all; and where nearly"
        " all persons of a cell run into one cluster, what most of them are. With a sensitive"
        " column each cluster holds several of its values, but one of them may be by far the most"
        " frequent. Who knows all records but one may find the cells of that one."
    )

    k: int = whole(2)

    def __post_init__(self) -> None:
        check_parameters(self)
