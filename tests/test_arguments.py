"""What somebody gives is checked alike everywhere, and refused without quoting it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.arguments import check_ratio, check_whole, check_word
from discreet.errors import InputError


@pytest.mark.parametrize("value", [3, 7, np.int64(3), np.uint8(9)])
def test_whole_numbers_pass_as_ints(value: Any) -> None:
    checked = check_whole("k", value, least=3)
    assert checked == value
    assert type(checked) is int


def test_others_are_refused_by_name() -> None:
    for value in (2, -1, 3.0, True, "3", None, np.bool_(True), float("nan")):
        with pytest.raises(InputError, match=r"^k must be a whole number of at least 3$"):
            check_whole("k", value, least=3)
    assert check_whole("pixels", -300) == -300
    with pytest.raises(InputError, match=r"^pixels must be a whole number$"):
        check_whole("pixels", 2.5)


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


def test_other_ratios_are_refused_by_name() -> None:
    for value, zero, message in REFUSED_RATIOS:
        with pytest.raises(InputError, match=rf"^{message}$"):
            check_ratio("q", value, zero=zero)
    assert check_ratio("q", 0, zero=True) == 0.0


def test_a_word_is_one_of_those_allowed() -> None:
    check_word("encoding", "nearest", ("region", "nearest"))
    for value in ("up", None, 3, ["nearest"]):
        with pytest.raises(
            InputError, match=r"^encoding is unknown; choose one of 'region', 'nearest'$"
        ):
            check_word("encoding", value, ("region", "nearest"))
