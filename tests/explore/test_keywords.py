"""What a study, a table and its copy, and the papers can be asked with."""

import inspect
from itertools import product
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.custodian.protect import Protected
from discreet.custodian.research import Research
from discreet.explore.study import Study
from tests.ready import opened_once

# Those of `assign` are names of new columns.
NOT_ASKED = ("assign",)
DOORS: dict[Any, type] = {dc.open: Study, dc.protect: Protected, dc.research: Research}
ASKS = [
    (door, name)
    for door, made in DOORS.items()
    for name, it in vars(made).items()
    if inspect.isfunction(it) and not name.startswith("_") and name not in NOT_ASKED
]
OTHERS = ("kind", "levels", "model", "rows", "public", "noise", "carried", "groups", "bin")


def opened(door: Any = dc.open) -> Any:
    """Return a public table behind a door, opened once."""
    return opened_once(f"keywords {door.__name__}", lambda: door(dc.datasets.diabetes()))


@pytest.mark.parametrize(("door", "name"), ASKS)
def test_a_method_takes_known_settings_alone(door: Any, name: str) -> None:
    """What is passed on by any name could name what the session decides, like a column's kind."""
    study = opened(door)
    taken = inspect.signature(getattr(study, name)).parameters
    needed = [it for it in taken.values() if it.default is it.empty and it.kind <= 1]
    columns = [["age", "bmi"] if it.annotation == "Sequence[str]" else "age" for it in needed]
    for other in set(OTHERS) - set(taken):
        given: dict[str, Any] = {other: "x"}
        with pytest.raises(
            (dc.InputError, TypeError), match=f"unknown setting '{other}'|unexpected"
        ):
            getattr(study, name)(*columns, **given)


PLOTS_AND_TABLES = {
    "plot": ("age",),
    "histogram": ("age",),
    "box": ("age",),
    "scatter": ("age", "bmi"),
    "bars": ("sex",),
    "crosstab": ("sex", "age"),
    "survival": ("age", "sex"),
    "over_time": ("age", "bmi"),
    "means": ("bmi", "sex"),
}
LISTED = (
    *((dc.open, name) for name in ("correlations", "parallel", "axis_order", "summary")),
    (dc.open, "anonymize"),
    (dc.protect, "missing_codes"),
)


@pytest.mark.parametrize("name", PLOTS_AND_TABLES)
def test_a_name_is_no_list_of_names(name: str) -> None:
    columns = PLOTS_AND_TABLES[name]
    others = {"a list": ["age", "bmi"], "a number": 3, "something else": np.array(["age"])}
    for place, (other, given) in product(range(len(columns)), others.items()):
        if name == "means" and place and other == "a list":  # it is by two columns
            continue
        called: list[Any] = [*columns]
        called[place] = given
        with pytest.raises(dc.InputError, match=f"given {other}(;|$)"):
            getattr(opened(), name)(*called)


@pytest.mark.parametrize(("door", "name"), LISTED)
def test_a_list_of_names_is_no_name(door: Any, name: str) -> None:
    study = opened(door)
    for given, words in ((["age", 3], "a list of something else"), ({"age"}, "something else")):
        with pytest.raises(dc.InputError, match=rf"list of column names.* given {words}$"):
            getattr(study, name)(given)
    with pytest.raises(dc.InputError, match=r"list of column names.* one name, without brackets$"):
        getattr(study, name)("age")
    if name != "summary":
        with pytest.raises(dc.InputError, match="takes its columns as one list"):
            getattr(study, name)("age", "bmi", "sex")


@pytest.mark.parametrize("name", ["histogram", "crosstab", "model", "summary", "parallel"])
def test_what_others_call_by_is_answered_with_by(name: str) -> None:
    ask = getattr(opened(), name)
    by = "by" in inspect.signature(ask).parameters
    says = "use by=, which takes" if by else "is not divided by another column"
    for other in ("hue", "facet"):
        with pytest.raises(dc.InputError, match=f"unknown setting '{other}' here.*{says}"):
            ask(*PLOTS_AND_TABLES.get(name, ()), **{other: "sex"})


@pytest.mark.parametrize(
    ("name", "given", "named", "says"),
    [
        ("scatter", ("age",), {}, r"scatter needs y: study.scatter\(x=..., y=...\)"),
        ("bars", ("sex", "age"), {}, "takes column without a name.* by='sex'"),
        ("bars", ("sex",), {"column": "age"}, "bars was given column twice"),
        ("bars", ("sex",), {"percent": "yes"}, "percent must be True or False"),
        ("scatter", ("age", "bmi"), {"show": 3}, "show of scatter is text, and a number"),
        ("summary", (), {"by": ["sex", "age"]}, "one column as by.*without brackets"),
        ("means", ("bmi", None), {}, "by takes the name of a column of levels, or of two"),
        ("model", (3,), {}, "formula of model is text, and a number was given"),
    ],
)
def test_a_mistaken_call_is_answered_in_words(
    name: str, given: tuple[Any, ...], named: dict[str, Any], says: str
) -> None:
    with pytest.raises(dc.InputError, match=says):
        getattr(opened(), name)(*given, **named)
