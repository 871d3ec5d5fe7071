"""What type checkers know of keywords is what the pictures take."""

import inspect

import pytest

from discreet.study.study import OfBins, OfCells, OfRows, Study, strata_as


@pytest.mark.parametrize(
    ("picture", "known"),
    [("histogram", OfBins), ("heatmap", OfCells), ("contour", OfCells), ("box", OfRows)],
)
def test_pictures_take_what_is_known_of_them(picture: str, known: type) -> None:
    taken = inspect.signature(getattr(Study, picture)).parameters

    named = {name for name in taken if name not in ("self", "column", "columns", "x", "y", "by")}
    assert set(known.__annotations__) <= named


def test_what_is_asked_of_strata_goes_by_the_fields_of_the_policy() -> None:
    assert strata_as("level", None, closeness=0.3) == {
        "missing_levels": "level",
        "hierarchies": None,
        "diversity": None,
        "closeness": 0.3,
    }
