"""What is known of a column before its values are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw

from discreet.errors import InputError, one_of, some_of

__all__ = ["KINDS", "ROLES", "Column", "columns_of"]

KINDS = ("continuous", "categorical")
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")


@dataclass(frozen=True)
class Column:
    """A column's name, kind and role, and how its values are stored."""

    name: str
    kind: str
    role: str = "other"
    #: Stored as numbers or yes/no, so that it can be continuous.
    numeric: bool = False
    #: Stored as floating-point numbers, among which NaN may be.
    floating: bool = False
    #: Stored as yes/no.
    yes_no: bool = False


def columns_of(
    schema: Mapping[str, nw.dtypes.DType],
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    identifying: Sequence[str],
) -> dict[str, Column]:
    """Infer kind and role of each column of `schema`, and let what is declared override it.

    Numbers are continuous, texts and yes/no categorical; `identifying` columns identify.
    """
    _check_declared(schema, kinds, KINDS, "kinds or strata")
    _check_declared(schema, roles, ROLES, "roles")
    _check_declared(schema, dict.fromkeys(identifying, "identifier"), ROLES, "unit or key")
    columns = {}
    for column, dtype in schema.items():
        role = roles.get(column, "identifier" if column in identifying else "other")
        kind = kinds.get(column, _kind(dtype))
        numeric = dtype.is_numeric() or dtype == nw.Boolean
        if kind == "continuous" and not numeric:
            raise InputError(
                f"column {column!r} holds text where numbers are needed; mend the column,"
                " or declare it 'categorical'"
            )
        columns[column] = Column(column, kind, role, numeric, dtype.is_float(), dtype == nw.Boolean)
    return columns


def _check_declared(
    schema: Mapping[str, object], given: Mapping[str, str], allowed: Sequence[str], what: str
) -> None:
    for column, word in given.items():
        if column not in schema:
            raise InputError(f"{what} names column {column!r}; there are {some_of([*schema])}")
        if word not in allowed:
            raise InputError(f"{what} of column {column!r} must be one of {one_of(allowed)}")


def _kind(dtype: nw.dtypes.DType) -> str:
    if dtype.is_numeric():
        return "continuous"
    if dtype in (nw.String, nw.Categorical, nw.Boolean, nw.Enum, nw.Object, nw.Unknown):
        return "categorical"
    return f"of a type that is not drawn ({type(dtype).__name__})"
