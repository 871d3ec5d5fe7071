"""What a Study can be asked with, beside what its signatures name."""

import inspect
from typing import Any

import pytest

import discreet as dc
from discreet.study.study import Study

# Those of `assign` are names of new columns.
NOT_ASKED = ("policy", "groups", "columns", "assign")
ASKS = [name for name in vars(Study) if not name.startswith("_") and name not in NOT_ASKED]
OTHERS = ("kind", "levels", "model", "rows", "public", "noise", "carried", "groups", "bin")


@pytest.mark.parametrize("name", ASKS)
def test_a_method_takes_known_settings_alone(name: str) -> None:
    """What is passed on by any name could name what the session decides, like a column's kind."""
    study = dc.open(dc.datasets.diabetes())
    taken = inspect.signature(getattr(study, name)).parameters
    needed = [it for it in taken.values() if it.default is it.empty and it.kind <= 1]
    for other in set(OTHERS) - set(taken):
        given: dict[str, Any] = {other: "x"}
        with pytest.raises(
            (dc.InputError, TypeError), match=f"no setting '{other}'|unexpected.*{other}"
        ):
            getattr(study, name)(*["age"] * len(needed), **given)
