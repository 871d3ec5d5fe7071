"""Attacks by a second copy of the same persons: another k, m or secret, under whatever name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import LeavingError
from tests.custodian.test_whole import cohort

pytestmark = pytest.mark.usefixtures("no_intervals")

N = 400
NUMBERS = ("age", "bmi", "glucose")
SECRETS = ("0123456789abcdef" * 4, "fedcba9876543210" * 4)


def others(n: int = N, seed: int = 9) -> pl.DataFrame:
    """Return a table of other persons."""
    return cohort(n, seed).with_columns(patient=pl.format("{} of {}", "visit", pl.lit(seed)))


# How the table is changed before it is opened under another name; whether a copy by the same
# policy and secret may leave beside the first one.
TABLES: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], bool]] = {
    "as it was": (lambda it: it, True),
    "shuffled": (lambda it: it.sample(fraction=1.0, shuffle=True, seed=2), True),
    "renamed": (lambda it: it.rename(str.upper), False),
    "narrower": (lambda it: it.drop("bmi"), False),
    "wider": (lambda it: it.with_columns(hdl=pl.col("glucose").rank() % 37), False),
    "rescaled": (lambda it: it.with_columns(pl.col(*NUMBERS) * 3.6 + 1), False),
    "one row less": (lambda it: it.slice(1), False),
    "forty rows less": (lambda it: it.slice(40), False),
    "half of them": (lambda it: it.slice(N // 2), True),
    "a tenth of them, and others": (
        lambda it: pl.concat([it.slice(N - 40), others(360, seed=5)]),
        True,
    ),
}


def drawn(frame: pl.DataFrame, study: str, **how: Any) -> str:
    """Let a histogram of the copy leave."""
    policy = dc.Policy.preset("standard", **how)
    study_ = dc.open(frame, policy, study=study)
    return study_.histogram(next(it for it in frame.columns if it.lower() == "glucose")).to_json()


@pytest.mark.slow
def test_no_copy_by_another_k_or_m_leaves() -> None:
    raw = cohort(N)
    drawn(raw, "a")
    for place, how in enumerate(({"k": 6}, {"m": 40})):
        for change, _ in [*TABLES.values()][place::2]:
            with pytest.raises(
                LeavingError, match=r"'[km]' must be the same as in|nearly the|another unit"
            ):
                drawn(change(raw), "b", **how)
        drawn(others(seed=sum(how.values())), f"{how}", **how)
    for name, (change, control) in TABLES.items():
        if control:
            drawn(change(raw), name)


@pytest.mark.slow
def test_no_copy_by_another_secret_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = cohort(N)
    monkeypatch.setenv("DISCREET_SECRET", SECRETS[0])
    drawn(raw, "a")
    monkeypatch.setenv("DISCREET_SECRET", SECRETS[1])
    for change, _ in TABLES.values():
        with pytest.raises(LeavingError, match=r"^another secret|nearly the same|another unit"):
            drawn(change(raw), "b")
    drawn(others(), "c")
    monkeypatch.setenv("DISCREET_SECRET", SECRETS[0])
    for name, (change, control) in TABLES.items():
        if control:
            drawn(change(raw), name)


def test_by_a_key_persons_are_known_in_other_columns() -> None:
    raw = cohort(N)
    drawn(raw.select("patient", "glucose"), "a", key="patient")
    waves = {"patient": pl.col("patient"), "glucose": pl.col("age").rank() * 1.25 + pl.col("visit")}
    other = raw.select(**waves).slice(N // 2)
    with pytest.raises(
        LeavingError, match=r"'k' must be the same as in the earlier copy of these people"
    ):
        drawn(other, "b", key="patient", k=6)
    drawn(other, "b", key="patient")
    drawn(others().select(**waves), "c", key="patient", k=6)


def test_after_a_new_secret_beside_the_policy_the_old_persons_are_known(tmp_path: Path) -> None:
    """As where somebody deletes the secret, and another is made in silence."""
    (tmp_path / "p.toml").write_text('preset = "standard"\n', encoding="utf-8")
    key = tmp_path / "discreet.secret"
    key.touch(mode=0o600)
    key.write_text(SECRETS[0])
    first = dc.open(cohort(N), tmp_path / "p.toml", study="a")
    first.histogram("age").to_json()
    key.write_text(SECRETS[1])
    again = dc.open(cohort(N), tmp_path / "p.toml", study="b")
    with pytest.raises(LeavingError, match=r"^another secret"):
        again.histogram("age").to_json()
    key.write_text(SECRETS[0])
    dc.open(cohort(N), tmp_path / "p.toml", study="b").histogram("age").to_json()
