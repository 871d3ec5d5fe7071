"""The door: `open` makes a Study, and a Study answers questions with Views."""

from discreet.study.folders import ledger_of
from discreet.study.opening import open
from discreet.study.study import Study

__all__ = ["Study", "ledger_of", "open"]
