"""When an output passes: under a guarded policy in force, and no attack on its copy rings."""

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian.outputs import outputs_in
from discreet.outputs.folder import judged
from discreet.policy import Policy

RINGS = "an attack on the copy exceeds its bound: read its report"
JUDGED = {
    "as it should be": ({}, "pass"),
    "an attack rings": ({"rings": True}, "review"),
    "another policy": ({"same": False}, "review"),
    "both": ({"same": False, "rings": True}, "review"),
}


@pytest.mark.parametrize(("how", "status"), JUDGED.values(), ids=JUDGED)
def test_what_passes(how: dict[str, bool], status: str) -> None:
    policy = Policy.preset("standard")
    found, says = judged("copy", policy.settings(), policy, **{"same": True, **how})
    assert found == status
    assert (RINGS in says) is how.get("rings", False)
    public = dataclasses.replace(policy, public=True)
    assert judged("copy", policy.settings(), public, same=True)[0] == "review"


@pytest.mark.slow
def test_of_a_copy_on_which_an_attack_rings_no_output_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(1)
    table = pa.table({name: draw.normal(size=120) for name in ("a", "b", "c")})
    (tmp_path / "p.toml").write_text('study = "s"\nk = 3\nunit = false\n')
    monkeypatch.setattr("discreet.measure.attacks.BOUNDS", {"versions": 0.0})
    study = dc.open(table, tmp_path / "p.toml")
    release = study.anonymize().with_attacks(10)
    release.save(tmp_path / "copy.csv", tmp_path / "report.json")
    study.histogram("a").save(tmp_path / "a.svg")
    outputs = outputs_in(tmp_path / "request", str(tmp_path / "p.toml"))
    outputs.collect([tmp_path / name for name in ("copy.csv", "report.json", "a.svg")])
    found = [it.output.record["status"] for it in outputs.folder.standing()]
    assert found == ["review"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("cured", [True, False])
def test_of_a_copy_that_repeats_records_no_output_passes(
    cured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(1)
    persons = {name: draw.normal(size=120) for name in ("a", "b", "c")}
    table = pa.table({name: np.tile(it, 20) for name, it in persons.items()})
    (tmp_path / "p.toml").write_text('study = "s"\nk = 3\nunit = false\n')
    if not cured:
        monkeypatch.setattr("discreet.vault.whole_columns.persons_alike", lambda *_: None)
    study = dc.open(table, tmp_path / "p.toml")
    study.anonymize().save(tmp_path / "copy.csv")
    study.histogram("a").save(tmp_path / "a.svg")
    outputs = outputs_in(tmp_path / "request", str(tmp_path / "p.toml"))
    outputs.collect([tmp_path / "copy.csv", tmp_path / "a.svg"])
    found = {it.output.record["status"] for it in outputs.folder.standing()}
    assert found == {"pass" if cured else "review"}
