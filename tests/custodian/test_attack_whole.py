"""`Release.attack`: the copy of a whole table, attacked with the raw rows that the study has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.policy import Policy
from tests.custodian.test_whole import cohort, whole


@pytest.mark.slow
def test_a_release_is_attacked() -> None:
    report = whole().anonymize().attack(0)
    assert {"linkage", "verbatim"} <= {attack.name for attack in report.attacks}
    assert report.made["m"] == 20
    assert "patient" not in report.made["columns"]
    assert report["linkage"].found.share < 0.2
    assert report.to_text().startswith("Attacks on the copy of s\n")


@pytest.mark.slow
def test_the_rows_of_a_person_are_known() -> None:
    frame = cohort().with_columns(patient=pl.Series([f"P{i // 2}" for i in range(400)]))
    report = whole(frame, unit="patient").anonymize().attack(0)
    assert report["verbatim"].found.trials == 200


def test_pairs_are_none_or_enough() -> None:
    release = whole().anonymize()
    for pairs, says in ((5, "must be 0 or at least 10"), (-1, "must be a whole number of at l")):
        with pytest.raises(InputError, match=f"pairs {says}"):
            release.attack(pairs)


def test_other_tables_cannot_be_made_again() -> None:
    release = dc.research(cohort(), unit=False).anonymize(columns=["age"])
    with pytest.raises(InputError, match="which only works for the copy of a guarded study"):
        release.attack()


# --- a section of the report ----------------------------------------------------------------------


@pytest.mark.slow
def test_attacks_are_a_section_of_the_report_where_they_are_asked_for(tmp_path: Path) -> None:
    study = whole()
    release = study.anonymize()
    plain = json.loads(release.report.to_json())
    tried = release.with_attacks(0)
    tried.save(tmp_path / "copy.csv", tmp_path / "report.json")
    told = json.loads((tmp_path / "report.json").read_text())
    assert "attacks" not in plain
    assert told["attacks"]["release"] is True
    assert told["attacks"]["rounded_to"] == 5
    assert {attack["name"] for attack in told["attacks"]["attacks"]} >= {"linkage", "verbatim"}
    assert "Record linkage:" in tried.report.in_words()
    for text in (tried.report.to_text(), tried.report.to_html()):
        assert "Attacks that were tried" in text
        assert "What none of these attacks shows" in text
    kinds = {entry["kind"] for entry in study.session.register.history("s")}
    assert kinds == {"table", "report"}


@pytest.mark.slow
def test_a_membership_that_is_attacked_is_in_the_report() -> None:
    few = cohort(200).select("age", "bmi", "sex")
    release = dc.open(few, Policy.preset("standard", k=10, m=20)).anonymize()
    report = release.with_attacks(10).report
    assert report.attacks is not None
    members = {"member, typical", "member, marginal", "member, joint", "member, level"}
    assert members <= {it.name for it in report.attacks.attacks}


@pytest.mark.slow
def test_no_exact_figure_of_an_attack_is_in_a_report() -> None:
    release = whole().anonymize()
    exact = [attack.found.share for attack in release.attack(0).attacks]
    told = json.loads(release.with_attacks(0).report.to_json())["attacks"]["attacks"]
    found = [part for attack in told for part in (attack["found"], *attack["parts"])]
    shares = [share for it in found for share in (it["share"], it["baseline"], *it["interval"])]
    assert any(abs(20 * share - round(20 * share)) > 1e-6 for share in exact)  # it would be seen
    assert all(abs(20 * share - round(20 * share)) < 1e-9 for share in shares)
    assert all(it["trials"] % 5 == 0 for it in found)


# --- before a version is opened -------------------------------------------------------------------


@pytest.mark.slow
def test_who_left_is_measured_before_a_version_is_opened(tmp_path: Path) -> None:
    study = whole()
    study.anonymize().save(tmp_path / "copy.csv")
    before = study.session.register.history("s")
    report = dc.Protected(study).attack_versions(repeats=3)
    (attack,) = report.attacks
    assert (report.title, attack.title) == ("Versions of s", "Who left between 2 versions")
    assert attack.found.trials == 3 * 20  # 5 % of 400 persons each time
    assert report.made == {"method": "whole", "k": 5, "m": 20}
    assert study.session.register.history("s") == before


@pytest.mark.slow
def test_the_next_version_counts_those_there_are(tmp_path: Path) -> None:
    whole().anonymize().save(tmp_path / "copy.csv")
    other = whole(cohort(600, seed=1))
    dc.Protected(other).new_version()
    other.anonymize().save(tmp_path / "second.csv")
    report = dc.Protected(whole(cohort(600, seed=2))).attack_versions(repeats=1)
    assert report.attacks[0].title == "Who left between 3 versions"


@pytest.mark.slow
def test_who_left_is_seen_in_as_many_versions_as_are_asked_for() -> None:
    report = dc.Protected(whole(study=None)).attack_versions(4, leave=0.2, repeats=2)
    assert report.title == "Versions of a frame without a name"
    assert "Who left between 4 versions" in report.to_text()
    assert report.attacks[0].found.trials == 2 * 80


NO_VERSIONS: dict[str, tuple[dict[str, Any], str]] = {
    "one": ({"versions": 1}, "versions must be a whole number of at least 2"),
    "never": ({"repeats": 0}, "repeats must be a whole number of at least 1"),
    "everybody": ({"leave": 1.0}, "more people would leave than there are"),
}


@pytest.mark.parametrize(("asked", "says"), NO_VERSIONS.values(), ids=NO_VERSIONS)
def test_versions_that_cannot_be_attacked(asked: dict[str, Any], says: str) -> None:
    study = dc.open(cohort(), study="s")
    with pytest.raises((InputError, RefusedError), match=says):
        dc.Protected(study).attack_versions(**asked)
