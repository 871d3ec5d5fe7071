"""`Release.attack`: the copy of a whole table, attacked with the raw rows that the study has."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError
from tests.study.test_whole import cohort, whole


def test_a_release_is_attacked() -> None:
    report = whole().anonymize().attack(10)

    names = [attack.name for attack in report.attacks]
    assert {"linkage", "verbatim", "insider, 90 %", "versions"} <= {*names}
    assert report.made["m"] == 10
    assert "patient" not in report.made["columns"]
    assert report["linkage"].found.share < 0.2
    assert report.to_text().startswith("Attacks on the copy of s\n")


def test_the_same_attacks_come_to_the_same_whatever_the_order_of_the_file() -> None:
    frame = cohort()
    turned = frame.select(pl.all().gather(np.random.default_rng(1).permutation(len(frame))))
    turned = turned.with_columns(visit=pl.int_range(1, len(frame) + 1))

    first, again = (whole(each).anonymize().attack(0) for each in (frame, turned))

    assert first.attacks[-3:] == again.attacks[-3:]


def test_the_rows_of_a_person_are_known() -> None:
    frame = cohort().with_columns(patient=pl.Series([f"P{i // 2}" for i in range(400)]))

    report = whole(frame, unit="patient").anonymize().attack(0)

    assert report["verbatim"].found.trials == 200


def test_attacks_write_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    release = whole().anonymize()
    report = release.attack(0)

    assert pickle.loads(pickle.dumps(report)).attacks == report.attacks
    assert "attacker" not in repr(release)


def test_pairs_are_none_or_enough() -> None:
    with pytest.raises(InputError, match="pairs must be 0 or at least 10"):
        whole().anonymize().attack(5)
    with pytest.raises(InputError, match="pairs must be a whole number of at least 0"):
        whole().anonymize().attack(-1)


def test_other_tables_cannot_be_made_again() -> None:
    release = dc.open(cohort(), "research", unit=False).anonymize(columns=["age"])

    with pytest.raises(InputError, match="only the copy of a whole table"):
        release.attack()
