"""What the custodian declares: that the register is lost, or that nothing was given away."""

from __future__ import annotations

from pathlib import Path

from discreet.custodian.session import register_of
from discreet.policy import Policy


def begin_register(reason: str, policy: str | Path | Policy = "standard") -> None:
    """Begin a register in place of one that is lost, and keep the reason in it.

    Until then nothing is released. The new register knows nothing of what left before: whether
    copies of the same persons are out there, only the custodian knows.

    Parameters
    ----------
    reason : str
        Why, in some words; `discreet log` shows them.
    policy : str, Path or Policy, default "standard"
        Beside whose file the register lies, if it is a file.

    Raises
    ------
    InputError
        If none is lost, or no reason is given.
    """
    register_of(policy).begin(reason)


def withdraw(
    study: str, reason: str, policy: str | Path | Policy = "standard", *, version: int | None = None
) -> int:
    """Declare that nothing of a version of a study was given away; return its number.

    Its copy counts no more among the copies of the same persons, and what is saved next begins
    another version, which may have another k, m or secret. What was saved of it must be deleted:
    whoever has it beside the next copy learns what either would not tell.

    Parameters
    ----------
    study : str
        Its name.
    reason : str
        Why, in some words; `discreet log` shows them.
    policy : str, Path or Policy, default "standard"
        The policy of the study.
    version : int, optional
        By default the one in force.

    Raises
    ------
    InputError
        If there is no such version, or no reason is given.
    LeavingError
        If it was published as a study file, or versions of the study or of the same persons were
        withdrawn twice before.
    """
    return register_of(policy).withdraw(study, reason, version)
