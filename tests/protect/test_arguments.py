"""A method's parameters are checked alike everywhere."""

from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.protect.arguments import check_ratio, check_word


@pytest.mark.parametrize("value", [0.25, 1, np.float32(0.5), np.int64(2)])
def test_ratios_pass_as_floats(value: Any) -> None:
    checked = check_ratio("q", value, zero=False)

    assert checked == value
    assert type(checked) is float


REFUSED_RATIOS: list[tuple[Any, bool, str]] = [
    (0, False, "q must be above 0"),
    (-0.1, False, "q must be above 0"),
    (-0.1, True, "q must be at least 0"),
    (float("inf"), True, "q must be a finite number"),
    (float("nan"), True, "q must be a finite number"),
    (True, True, "q must be a finite number"),
    ("0.25", True, "q must be a finite number"),
    (None, True, "q must be a finite number"),
]


@pytest.mark.parametrize(("value", "zero", "message"), REFUSED_RATIOS)
def test_other_ratios_are_refused_by_name(value: Any, zero: bool, message: str) -> None:
    with pytest.raises(InputError, match=rf"^{message}$"):
        check_ratio("q", value, zero=zero)


def test_zero_passes_where_it_may() -> None:
    assert check_ratio("q", 0, zero=True) == 0.0


def test_a_word_is_one_of_those_allowed() -> None:
    check_word("encoding", "nearest", ("region", "nearest"))
    for value in ("up", None, 3, ["nearest"]):
        with pytest.raises(
            InputError, match=r"^encoding is unknown; choose one of 'region', 'nearest'$"
        ):
            check_word("encoding", value, ("region", "nearest"))
