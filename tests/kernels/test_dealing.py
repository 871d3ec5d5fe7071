"""Parts are sorted with the strays, and records are dealt out to them."""

from typing import Any

import numpy as np
import pytest

from discreet.kernels.pairs import deal_out, sort_parts

CASES: dict[str, tuple[Any, Any, Any]] = {
    "by bin, then cluster": (
        [[1, 0, 2], [0, 1, 1], [1, 1, 1], [0, 2, 3]],
        [],
        [[0, 1, 1], [0, 2, 3], [1, 0, 2], [1, 1, 1]],
    ),
    "adds to the part of its cluster": (
        [[0, 0, 2], [1, 0, 1], [0, 1, 3]],
        [[1, 0, 2]],
        [[0, 0, 2], [0, 1, 3], [1, 0, 3]],
    ),
    "a part of its own, the last": (
        [[0, 0, 3], [1, 1, 3]],
        [[0, 1, 1]],
        [[0, 0, 3], [0, 1, 1], [1, 1, 3]],
    ),
    "the first": (
        [[0, 0, 3], [1, 1, 3], [1, 2, 3]],
        [[1, 0, 2]],
        [[0, 0, 3], [1, 0, 2], [1, 1, 3], [1, 2, 3]],
    ),
    "between": (
        [[1, 0, 3], [0, 1, 3], [1, 2, 3]],
        [[1, 1, 1]],
        [[0, 1, 3], [1, 0, 3], [1, 1, 1], [1, 2, 3]],
    ),
    "of a bin no cluster has": (
        [[1, 0, 3]],
        [[0, 0, 1], [2, 0, 1]],
        [[0, 0, 1], [1, 0, 3], [2, 0, 1]],
    ),
}


@pytest.mark.parametrize(("parts", "strays", "expected"), CASES.values(), ids=CASES)
def test_sorted_parts(parts: Any, strays: Any, expected: Any) -> None:
    out = np.zeros((len(parts) + len(strays), 3), dtype=np.int64)
    stray_parts = np.array(strays, dtype=np.int64).reshape(-1, 3)

    total = sort_parts(np.array(parts, dtype=np.int32), stray_parts, 3, out)

    assert out[:total].tolist() == expected


def test_records_of_a_bin_are_dealt_out_in_order() -> None:
    parts = np.array([[0, 0, 2], [0, 2, 1], [1, 1, 2]])
    bin_of = np.array([0, 1, 0, 1, 0])

    assert deal_out(parts, bin_of, np.array([4, 3, 2, 1, 0]), 2).tolist() == [2, 1, 0, 1, 0]
    assert deal_out(parts, bin_of, np.array([0, 1, 2, 3, 4]), 2).tolist() == [0, 1, 0, 1, 2]
