"""Kind and role of a column, inferred and declared."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import pytest

from discreet.errors import InputError
from discreet.table.columns import KINDS, ROLES, Column, columns_of

SCHEMA = {"person": nw.Int64(), "age": nw.Float64(), "sex": nw.String(), "smokes": nw.Boolean()}


def columns(
    schema: Mapping[str, nw.dtypes.DType] = SCHEMA,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    identifying: Sequence[str] = (),
) -> dict[str, Column]:
    return columns_of(schema, kinds or {}, roles or {}, identifying)


INFERRED: dict[str, tuple[nw.dtypes.DType, str, bool, bool]] = {
    "whole numbers": (nw.Int64(), "continuous", True, False),
    "small whole numbers": (nw.UInt8(), "continuous", True, False),
    "numbers": (nw.Float64(), "continuous", True, True),
    "short numbers": (nw.Float32(), "continuous", True, True),
    "decimal numbers": (nw.Decimal(), "continuous", True, False),
    "yes or no": (nw.Boolean(), "categorical", True, False),
    "text": (nw.String(), "categorical", False, False),
    "levels": (nw.Categorical(), "categorical", False, False),
    "an enumeration": (nw.Enum(["a", "b"]), "categorical", False, False),
    "Python objects": (nw.Object(), "categorical", False, False),
    "what is not known": (nw.Unknown(), "categorical", False, False),
    "dates": (nw.Date(), "of a type that is not drawn (Date)", False, False),
    "moments": (nw.Datetime(), "of a type that is not drawn (Datetime)", False, False),
    "lists": (nw.List(nw.Int64()), "of a type that is not drawn (List)", False, False),
}


@pytest.mark.parametrize(
    ("dtype", "kind", "numeric", "floating"), INFERRED.values(), ids=list(INFERRED)
)
def test_a_kind_is_inferred_from_the_type(
    dtype: nw.dtypes.DType, kind: str, numeric: bool, floating: bool
) -> None:
    yes_no = dtype == nw.Boolean
    assert columns({"c": dtype}) == {"c": Column("c", kind, "other", numeric, floating, yes_no)}
    assert yes_no is (kind == "categorical" and numeric)


def test_columns_keep_their_order_and_are_of_no_role() -> None:
    found = columns()

    assert list(found) == ["person", "age", "sex", "smokes"]
    assert {column.role for column in found.values()} == {"other"}


@pytest.mark.parametrize("column", ["person", "age", "smokes"])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_may_be_declared_either_kind(column: str, kind: str) -> None:
    assert columns(kinds={column: kind})[column].kind == kind


def test_text_may_not_be_declared_continuous() -> None:
    with pytest.raises(InputError, match="column 'sex' holds text where numbers are needed"):
        columns(kinds={"sex": "continuous"})


def test_dates_may_be_declared_categorical() -> None:
    assert columns({"day": nw.Date()}, kinds={"day": "categorical"})["day"].kind == "categorical"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_be_declared(role: str) -> None:
    found = columns(roles={"sex": role})

    assert {name: column.role for name, column in found.items()} == {
        "person": "other",
        "age": "other",
        "sex": role,
        "smokes": "other",
    }


def test_unit_and_key_identify_unless_they_are_declared_not_to() -> None:
    found = columns(identifying=["person", "age"], roles={"age": "sensitive"})

    assert found["person"].role == "identifier"
    assert found["age"].role == "sensitive"


ALL_COLUMNS = "there are 'person', 'age', 'sex', 'smokes'"
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a kind of no column": (
        {"kinds": {"agee": "continuous"}},
        f"^kinds or strata names column 'agee'; {ALL_COLUMNS}$",
    ),
    "a role of no column": (
        {"roles": {"height": "other"}},
        f"^roles names column 'height'; {ALL_COLUMNS}$",
    ),
    "a unit that is no column": (
        {"identifying": ["patient"]},
        f"^unit or key names column 'patient'; {ALL_COLUMNS}$",
    ),
    "no such kind": (
        {"kinds": {"age": "numeric"}},
        "^kinds or strata of column 'age' must be one of 'continuous', 'categorical'$",
    ),
    "no such role": (
        {"roles": {"age": "secret"}},
        "^roles of column 'age' must be one of"
        " 'identifier', 'quasi-identifier', 'sensitive', 'other'$",
    ),
    "a kind that is no word": ({"kinds": {"age": ["continuous"]}}, "strata of column 'age' must"),
    "a role that is no word": ({"roles": {"age": None}}, "roles of column 'age' must be one of"),
}


@pytest.mark.parametrize(("declared", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_declared_wrongly_is_refused(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        columns(**declared)


def test_a_column_is_a_frozen_value() -> None:
    column = Column("age", "continuous")

    assert column == Column("age", "continuous", "other")
    with pytest.raises(AttributeError, match="cannot assign to field 'kind'"):
        column.kind = "categorical"  # type: ignore[misc]
