"""Where a study's things lie: beside its policy file, or in the user's own folders."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.ledger import Ledger
from discreet.policy import Policy, load_policy
from discreet.secret import Secret, load_secret

__all__ = ["folder_of", "ledger_of"]

HIDDEN_FOLDER = ".discreet"


def ledger_of(policy: str | Path | Policy, secret: Secret | None = None) -> Ledger:
    """Return the ledger of a policy: beside its file, or in the user's state folder.

    Its rows are sealed with the `secret`, by default the one a study of this policy has.
    """
    chosen = load_policy(policy)
    if secret is None:
        secret = load_secret(chosen.folder, allow_small=not chosen.guarded)
    return Ledger(folder_of(chosen) or _state_folder(), secret)


def folder_of(policy: Policy) -> Path | None:
    """Return where the study's things lie beside the policy file, where there is one."""
    return None if policy.folder is None else policy.folder / HIDDEN_FOLDER


def _state_folder() -> Path:
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))
