"""What a server may tell of a study: names and rules, and what others have settled since."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from discreet.datasets import diabetes
from discreet.explore import Study
from discreet.explore.from_copy import DrawableColumn
from discreet.opening import open as open_study

POLICY = """
study = "clinic"
[roles]
name = "identifier"
ward = "sensitive"
bmi = "quasi-identifier"
"""


def table() -> pa.Table:
    """Return the cohort with names, wards, dates and a column of nothing but different texts."""
    found = diabetes().select(["age", "sex", "bmi", "glucose"])
    rows = found.num_rows
    found = found.append_column("name", pa.array([f"Patient {i % 50}" for i in range(rows)]))
    found = found.append_column("ward", pa.array([*"abcd"] * (rows // 4) + [*"abcd"][: rows % 4]))
    return found.append_column("note", pa.array([f"note {i}" for i in range(rows)]))


def opened(folder: Path, policy: str = POLICY) -> Study:
    """Open the cohort under a policy file."""
    path = folder / "discreet.toml"
    path.write_text(policy)
    (folder / "discreet.secret").touch(mode=0o600)
    (folder / "discreet.secret").write_text(bytes(range(32)).hex())
    return open_study(table(), path, unit=False)


def test_columns_that_identify_nobody_may_be_drawn(tmp_path: Path) -> None:
    drawable = opened(tmp_path)._of_copy().whole.drawable
    assert tuple(drawable.values()) == (
        DrawableColumn("age", "continuous"),
        DrawableColumn("sex", "categorical"),
        DrawableColumn("bmi", "continuous"),
        DrawableColumn("glucose", "continuous"),
        DrawableColumn("ward", "categorical"),
    )


def test_sensitive_is_what_the_policy_says(tmp_path: Path) -> None:
    assert opened(tmp_path).session.sensitive == ("ward",)


def test_the_register_is_the_one_that_the_study_writes_to(tmp_path: Path) -> None:
    study = opened(tmp_path)
    study.bars("sex").ask_to_leave("png")
    register = study.session.register
    assert [(row["columns"], row["form"]) for row in register.history()] == [(["sex"], "png")]
    assert register.store.path == tmp_path / ".discreet" / "register.sqlite"
