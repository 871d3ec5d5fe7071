"""What a study of data has beside its copy: made below the wall, and given to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from discreet.columns.countable import NamedColumns
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.provenance import COPY, Asks
from discreet.explore.verdicts import FileCheck
from discreet.plots import PlotRequest, View
from discreet.policy import Policy
from discreet.provenance import Sealer
from discreet.render.sealing import Gate

if TYPE_CHECKING:
    from discreet.explore.from_file import FileSession


class Custodian(Protocol):
    """Whoever keeps the data: asked before something is saved, and never for a value."""

    @property
    def policy(self) -> Policy:
        """The policy in force."""

    @property
    def name(self) -> str | None:
        """The study's name."""

    @property
    def table(self) -> NamedColumns:
        """The columns of the data, by name and kind: those that are not in the copy, too."""

    @property
    def labels(self) -> Mapping[str, str]:
        """What is drawn in place of the names of columns."""

    def exact_fidelity(self) -> Fidelity:
        """Return how near the copy is to the data: never released."""

    def gate_of_copy(self, kind: str, columns: Sequence[str], version: str) -> Gate:
        """Return what is asked before something of the copy is saved."""

    def sealer_of(self, request: PlotRequest, view: View, asks: Asks = ()) -> Sealer:
        """Return what seals a view."""

    def sealer(
        self, request: Mapping[str, Any], source: str = COPY, version: str | None = None
    ) -> Sealer:
        """Return what seals a table or a report."""


@dataclass(frozen=True, repr=False)
class OfData:
    """What a study of data can do beside a study that is a file.

    Parameters
    ----------
    session : object
        The custodian's session: the table, the secret, the register.
    open_copy : callable
        Opens the copy that is kept beside the data, which is made where it is not.
    verify : callable
        Says of a file whether it was made here, and is as it was made.
    release : callable
        Makes a released table of columns of the copy, with its report.
    """

    session: Any
    open_copy: Callable[[], FileSession]
    verify: Callable[[str | Path], FileCheck]
    release: Callable[..., Any]
