"""The data sets have the sizes of the paper's; simulated ones are the same each time."""

from pathlib import Path

import numpy as np
import pytest

from examples.rounding.data import CS, KINDS, KS, read, simulated


@pytest.mark.parametrize(
    ("name", "shape"),
    [("tarragona", (834, 13)), ("boston", (506, 14)), ("faithful", (272, 2)),
     ("wine", (178, 14)), ("iris", (150, 5))],
)  # fmt: skip
def test_sizes_are_those_of_the_paper(name: str, shape: tuple[int, int]) -> None:
    table = read(name)
    assert table is not None
    assert table.shape == shape


def test_an_absent_file_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path))
    assert read("boston") is None
    assert read("iris") is not None


@pytest.mark.parametrize(
    ("kind", "mean", "sd"),
    [("exponential", 12.5, 12.5), ("uniform", 0.5, 12**-0.5), ("normal", 0.0, 1.0)],
)
def test_draws_are_of_their_distribution(kind: str, mean: float, sd: float) -> None:
    values = np.concatenate([simulated(kind, seed).to_numpy() for seed in range(20)])
    assert values.shape == (10_000, 2)
    assert values.mean() == pytest.approx(mean, abs=4 * sd / 20_000**0.5)
    assert values.std() == pytest.approx(sd, rel=0.05)


def test_draws_are_the_same_each_time_and_differ_by_seed() -> None:
    for kind in KINDS:
        assert simulated(kind, 3).equals(simulated(kind, 3))
        assert not simulated(kind, 3).equals(simulated(kind, 4))


def test_k_and_c_belong_together() -> None:
    assert [round(500 / k) for k in KS] == list(CS)
