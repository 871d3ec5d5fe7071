"""A cohort to serve: public measurements, with names, regions and diagnoses that are made up."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

from pyarrow import Table, array
from pyarrow.csv import write_csv

from discreet.custodian.protect import protect
from discreet.custodian.research import research
from discreet.datasets import diabetes
from discreet.explore import Study
from discreet.opening import open as open_study
from discreet.policy import load_policy
from discreet.records.store import Store
from discreet.serve.record import open_record
from discreet.serve.studies import Served, Studies
from discreet.study_file.signing import canonical_json

NAME = "cohort.csv"
"""The study's name, which is its file's."""
POLICY = """
name = "clinic"

[roles]
patient = "identifier"
diagnosis = "sensitive"
"""

WHOLE = POLICY.replace("[roles]", '[kinds]\nsex = "categorical"\n\n[roles]')

#: A public table, whose rows are in the file as they are.
PUBLIC = f'preset = "research"\npublic = true\n{WHOLE}'

MANY = 100_000
"""So many requests a minute that nobody is refused."""

# The copy is the same in every run: whether a test fails is not by chance. So is the signing key,
# so that one machine may open the files of all tests.
SECRET = sha256(b"cohort").hexdigest()
KEY = canonical_json({"private": SECRET, "schema": 1, "successors": []}).decode()


def cohort(name: str = "Patient") -> Table:
    """Return the cohort; patients are called by a name and a number."""
    table = diabetes()
    rows = table.num_rows
    region = [("north", "east", "south", "west")[(7 * i * i + 3 * i) % 4] for i in range(rows)]
    # Of no column alone: sensitive clusters can hide it.
    diagnosis = [("none", "mild", "severe")[(5 * i * i + i // 3) % 3] for i in range(rows)]
    table = table.append_column("region", array(region))
    table = table.append_column("diagnosis", array(diagnosis))
    return table.append_column("patient", array([f"{name} {i:04d}" for i in range(rows)]))


def narrow() -> Table:
    """Return the cohort with so few columns that no warning is said of how many there are."""
    return cohort().select(["age", "bmi", "glucose", "sex", "region", "diagnosis", "patient"])


def written(folder: Path, policy: str = POLICY, table: Table | None = None) -> tuple[Path, Path]:
    """Write the cohort and a policy into a folder, with a secret, and return both paths."""
    file, rules = folder / NAME, folder / "discreet.toml"
    write_csv(cohort() if table is None else table, file)
    rules.write_text(policy, encoding="utf-8")
    for name, text in {"discreet.secret": SECRET, "discreet.signing-key": KEY}.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(text, encoding="ascii")
    return file, rules


def opened(folder: Path, policy: str = POLICY, table: Table | None = None) -> Study:
    """Open the cohort under a policy, in a folder of its own."""
    return open_study(*written(folder, policy, table))


_published: dict[bytes, bytes] = {}


def published(folder: Path, policy: str = POLICY, table: Table | None = None) -> Path:
    """Protect the cohort under a policy, and return the study file; the data go with the test.

    The same cohort under the same policy is protected once in a run.
    """
    own = folder / "custodian"
    own.mkdir(exist_ok=True)
    file, rules = written(own, policy, table)
    asked = sha256(policy.encode() + file.read_bytes()).digest()
    path = folder / "cohort.discreet"
    if asked not in _published:
        path.unlink(missing_ok=True)
        make = protect if load_policy(rules).fixed else research
        make(file, rules).publish(path)
        _published[asked] = path.read_bytes()
    path.write_bytes(_published[asked])
    shutil.rmtree(own)  # nothing raw is there while it is served
    return path


def record_in(folder: Path) -> Store:
    """Return the record of a server in a folder."""
    return open_record(folder / "state")


def studies_of(
    folder: Path, policy: str = POLICY, table: Table | None = None, a_minute: int = MANY
) -> Studies:
    """Serve the cohort under a policy, with a record in the folder."""
    return Studies([published(folder, policy, table)], record_in(folder), a_minute)


def served_of(
    folder: Path, policy: str = POLICY, table: Table | None = None, a_minute: int = MANY
) -> Served:
    """Return the cohort as it is served."""
    served = studies_of(folder, policy, table, a_minute).get(NAME)
    assert served is not None
    return served
