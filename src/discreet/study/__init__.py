"""The door: `open` makes a Study, and a Study answers questions with Views.

**One copy, tables too.** A released table is post-processing of the protected copy; it is
compared with the copy that was kept, and strata and shared rows are counted again on the
finished table.
"""

from discreet.study.declared import begin_register, withdraw
from discreet.study.session import forget_private_files, register_of
from discreet.study.study import Study, open

__all__ = ["Study", "begin_register", "forget_private_files", "open", "register_of", "withdraw"]
