"""Below the wall: what a custodian does with the data, their secret and their register.

`session` keeps table, policy, secret and vault together; `publishing` writes the copy as a study
file, or beside the data; `gate` asks the register before something is saved; `protect` shows a
custodian how near and how safe a copy is; `research`, `papers` and `tables` are the methods of the
papers.

**One copy, tables too.** A released table is post-processing of the protected copy; it is
compared with the copy that was kept, and strata and shared rows are counted again on the
finished table.
"""

from discreet.custodian.session import begin_register, forget_private_files, register_of, withdraw

__all__ = ["begin_register", "forget_private_files", "register_of", "withdraw"]
