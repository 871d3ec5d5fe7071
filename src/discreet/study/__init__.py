"""The door: `open` makes a Study, and a Study answers questions with Views."""

from discreet.study.study import Study, ledger_of, open

__all__ = ["Study", "ledger_of", "open"]
