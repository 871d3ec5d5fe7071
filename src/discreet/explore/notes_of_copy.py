"""What is said of a copy beside its rows, whether the data are there or a study file alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from discreet.explore.from_copy import WholeTable
from discreet.plots import Origin, PlotRequest
from discreet.policy import Policy


class CopyOfStudy(Protocol):
    """A study whose copy is there: a Session, or a FileSession."""

    @property
    def policy(self) -> Policy:
        """The policy in force."""

    @property
    def name(self) -> str | None:
        """The study's name."""

    @property
    def whole(self) -> WholeTable:
        """The copy, with the columns that the policy derives."""

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of dates."""

    @property
    def rows_are(self) -> str:
        """What rows are called: those of a copy, or of a public table."""

    @property
    def persons_repeat(self) -> bool:
        """Whether a person has several rows."""

    def remarks_of_table(self, names: Sequence[str]) -> tuple[str, ...]:
        """Say what is known of columns, which may hold codes, and how near the copy is."""


def origin_of_copy(study: CopyOfStudy, names: Sequence[str]) -> Origin:
    """Say what a view of columns of the copy is of."""
    policy, dates = study.policy, study.dates
    return Origin(
        policy=policy.name,
        regime=policy.regime,
        public=policy.public,
        study=study.name,
        version=study.whole.copy.version,
        left_out=None,
        counted=study.rows_are,
        remarks=notes_of_copy(study, names),
        dates=tuple(name for name in dict.fromkeys(names) if name in dates),
    )


def notes_of_copy(study: CopyOfStudy, names: Sequence[str]) -> tuple[str, ...]:
    """Say what columns of the copy are, which may hold codes, and how near the copy is."""
    whole = study.whole
    sources = whole.sources(names)
    derived = derived_notes(study.policy, whole.beneath(names))
    return (*derived, *_listed_notes(study, sources), *study.remarks_of_table(sources))


def open_ends(request: PlotRequest) -> tuple[str, ...]:
    """Say of which columns the end bins of a plot are open."""
    plot = request.plot
    if not plot.binned:
        return ()
    ended = [name for name in plot.names if plot.edges_of(name) or plot.limits_of(name)]
    return tuple(f"the end bins of {name} hold what lies beyond them, too" for name in ended)


def derived_notes(policy: Policy, names: Sequence[str]) -> tuple[str, ...]:
    """Say what those columns are that the policy derives."""
    derive = policy.derive or {}
    return tuple(f"{name} is {derive[name]}" for name in names if name in derive)


def column_notes(whole: WholeTable, names: Sequence[str]) -> tuple[str, ...]:
    """Say what is to be known of single columns of the copy: whose means are off, and how."""
    of = whole.copy.of_columns
    return tuple(line for name in dict.fromkeys(names) for line in of.get(name, ()))


def _listed_notes(study: CopyOfStudy, names: Sequence[str]) -> tuple[str, ...]:
    """Say which pairs of columns the policy lists, whose counts the copy has."""
    there = {*names} & {*study.whole.copy.strata}
    pairs = [pair for pair in study.policy.tables or () if {*pair} <= there]
    if not pairs or study.persons_repeat:
        return ()
    named = "; ".join(" by ".join(pair) for pair in pairs)
    return (f"counted in the data, with noise: {named}",)
