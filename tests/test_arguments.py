"""Whole numbers pass as ints, and what is none is refused by name."""

from typing import Any

import numpy as np
import pytest

from discreet.arguments import check_whole
from discreet.errors import InputError


@pytest.mark.parametrize("value", [3, 7, np.int64(3), np.uint8(9)])
def test_whole_numbers_pass_as_ints(value: Any) -> None:
    checked = check_whole("k", value, least=3)

    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize("value", [2, -1, 3.0, True, "3", None, np.bool_(True), float("nan")])
def test_others_are_refused_by_name(value: Any) -> None:
    with pytest.raises(InputError, match=r"^k must be a whole number of at least 3$"):
        check_whole("k", value, least=3)


def test_where_nothing_is_said_of_the_least_any_whole_number_passes() -> None:
    assert check_whole("pixels", -300) == -300
    with pytest.raises(InputError, match=r"^pixels must be a whole number$"):
        check_whole("pixels", 2.5)
