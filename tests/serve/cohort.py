"""A cohort to serve: public measurements, with names, regions and diagnoses that are made up."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from pyarrow import Table, array
from pyarrow.csv import write_csv

from discreet.datasets import diabetes
from discreet.study import Study
from discreet.study import open as open_study

POLICY = """
name = "clinic"
requests_a_minute = 100000

[roles]
patient = "identifier"
diagnosis = "sensitive"
"""

WHOLE = POLICY.replace("[roles]", '[kinds]\nsex = "categorical"\n\n[roles]')

#: Public data, drawn without a copy.
COUNTED = f'preset = "research"\npublic = true\n{WHOLE}'


# The copy is the same in every run: whether a test fails is not by chance.
SECRET = sha256(b"cohort").hexdigest()


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
    file, rules = folder / "cohort.csv", folder / "discreet.toml"
    write_csv(cohort() if table is None else table, file)
    rules.write_text(policy, encoding="utf-8")
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(SECRET, encoding="ascii")
    return file, rules


def opened(folder: Path, policy: str = POLICY, table: Table | None = None) -> Study:
    """Open the cohort under a policy, in a folder of its own."""
    return open_study(*written(folder, policy, table))
