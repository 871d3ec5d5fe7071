"""The German credit data, and a made-up table of the same columns for where they are absent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from examples.parallel.data import Credit, read


@pytest.fixture(scope="session")
def credit(shared_data: Callable[[str], Path]) -> Credit:
    """The thousand account holders; skipped where the file is absent."""
    return Credit(read(shared_data("german_credit.csv")))


@pytest.fixture(scope="session")
def made_up() -> Credit:
    """Two hundred rows in which the amount rises with the duration."""
    rng = np.random.default_rng(7)
    n = 200
    duration = rng.integers(1, 13, n) * 6
    return Credit(
        pd.DataFrame(
            {
                "checking_status": rng.integers(1, 5, n),
                "duration": duration,
                "credit_history": rng.integers(0, 5, n),
                "savings": rng.integers(1, 6, n),
                "credit_amount": duration * 100 + rng.integers(0, 900, n),
                "personal_status": rng.integers(1, 5, n),
                "age": rng.integers(19, 76, n),
            }
        )
    )
