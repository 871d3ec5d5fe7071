"""Every guarded preset holds what it promises: a record is no easier to find than one of k."""

import hashlib
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from discreet import datasets
from discreet.measure.linkage import far_linkage, record_linkage
from discreet.policy import PRESETS, Policy, check_group
from discreet.secret import Secret
from discreet.study.tables import pair_of_made
from discreet.vault.rows import noised, prepared, raw_rows
from discreet.vault.vault import Made, make_copy
from tests.vault.given import table_of

Floats = NDArray[np.float64]
GUARDED = [name for name in PRESETS if name != "research"]
# Fixed secrets: what is asserted is the same on every run.
SEEDS = range(1, 6)


def d1(_: int) -> Floats:
    table = datasets.d1()
    return np.column_stack([table["X"], table["Y"]])


def heavy(seed: int) -> Floats:
    return np.random.default_rng(seed).standard_t(3, size=(500, 4))


def diabetes(_: int) -> Floats:
    table = datasets.diabetes()
    return np.column_stack([table["age"], table["bmi"], table["glucose"]])


def four(seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    values: Floats = rng.normal(size=(500, 4)) @ rng.normal(size=(4, 4))
    return values


def coded(seed: int) -> Floats:
    """Ages coded to 80, counts, days and answers from 1 to 5."""
    rng = np.random.default_rng(seed)
    ages = np.clip(rng.normal(50, 18, 500).round(), 18, 80)
    days = np.round(rng.exponential(300, 500))
    return np.column_stack([ages, rng.poisson(3, 500), days, rng.integers(1, 6, 500)])


USUAL: dict[str, Callable[[int], Floats]] = {
    "D1": d1,
    "heavy tails": heavy,
    "diabetes": diabetes,
    "four columns": four,
    "coded": coded,
}


def made(values: Floats, policy: Policy, seed: int) -> Made:
    """Make the protected copy of some columns under a secret of its own."""
    secret = Secret.from_bytes(hashlib.sha256(bytes([seed])).digest())
    names = [f"x{j}" for j in range(values.shape[1])]
    check_group(policy, names)
    table = table_of(pa.table(dict(zip(names, values.T, strict=True))))
    raw = raw_rows(table, policy, names, secret, strata=())
    return make_copy(noised(prepared(raw, policy, secret), secret, raw.version), policy)


def linked(copies: list[Made]) -> tuple[float, float]:
    """Return the share of records linked to their own row: of all, and of the five farthest."""
    pairs = [pair_of_made(copy, copy.original, copy.names) for copy in copies]
    found = [(record_linkage(pair).share, far_linkage(pair).share) for pair in pairs]
    linkage, far = np.mean(found, axis=0)
    return float(linkage), float(far)


@pytest.mark.parametrize("data", USUAL.values(), ids=USUAL)
@pytest.mark.parametrize("preset", GUARDED)
def test_a_record_is_no_easier_to_find_than_one_of_k(
    preset: str, data: Callable[[int], Floats]
) -> None:
    policy = Policy.preset(preset, rows="condensation")

    linkage, far = linked([made(data(seed), policy, seed) for seed in SEEDS])

    assert linkage <= 1 / policy.k + 0.03
    # Of 25 records a share of a third varies by 9 points.
    assert far <= 1 / policy.k + 0.15


def test_noise_alone_is_weaker_than_its_k() -> None:
    """Why no guarded preset makes rows by it: `datashield` did, on any number of columns."""
    table = datasets.diabetes()
    names = [name for name in table.column_names if name != "sex"]
    values = np.column_stack([table[name] for name in names])
    before = Policy.preset("datashield", rows="probabilistic", q=0.5, most_columns=len(names))

    linkage, far = linked([made(values, before, seed) for seed in SEEDS])

    assert linkage > 0.5
    assert far > 0.9
