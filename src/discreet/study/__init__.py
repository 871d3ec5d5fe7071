"""The door: `open` makes a Study, and a Study answers questions with Views."""

from discreet.study.session import ledger_of
from discreet.study.study import Study, open

__all__ = ["Study", "ledger_of", "open"]
