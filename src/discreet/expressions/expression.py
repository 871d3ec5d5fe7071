"""An expression: read and checked once, and computed of columns as often as they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from discreet.errors import InputError, one_of
from discreet.expressions.grammar import EXPRESSIONS, Reader
from discreet.expressions.meaning import condition_of
from discreet.expressions.tree import Kind, Mistake, Node, as_input_error
from discreet.expressions.values import Array, Days, Levels, Numbers, Values, values_of

LONGEST = 2000
"""How many characters an expression may have."""
GIVEN: dict[str, type[Numbers | Days | Levels]] = {"number": Numbers, "date": Days, "level": Levels}


@dataclass(frozen=True)
class Expression:
    """What an analyst wrote of columns, checked; `parse_expression` makes it.

    `text` is as written; `names` are the columns in order of first use; `kind` is what comes out:
    "truth", "number", "level" or "date".
    """

    text: str
    names: tuple[str, ...]
    kind: Kind
    kinds: tuple[str, ...] = field(repr=False)
    tree: Node = field(repr=False)

    def as_condition(self) -> Expression:
        """Return a column that says yes or no as a condition; any other expression as it is."""
        tree = condition_of(self.tree)
        return replace(self, kind=tree.kind, tree=tree)

    def evaluate(self, columns: Mapping[str, Values]) -> Values:
        """Compute the expression for each row; see `parse_expression` for an example.

        Columns that it does not name are not looked at. InputError is raised if one is missing, of
        another kind than it was said to be, or of another length.
        """
        arrays: dict[str, Array] = {}
        for name, kind in zip(self.names, self.kinds, strict=True):
            given = columns.get(name)
            if not isinstance(given, GIVEN[kind]):
                needed = GIVEN[kind].__name__
                raise InputError(f"column {name!r} of the expression must be given as {needed}")
            arrays[name] = _array(given)
        rows = {array.shape for array in arrays.values()}
        if len(rows) != 1 or len(shape := rows.pop()) != 1:
            raise InputError("the columns of an expression must be of one length")
        return values_of(self.tree, arrays, shape[0])


def _array(given: Numbers | Days | Levels) -> Array:
    if isinstance(given, Levels):
        return np.array([*given.words], dtype=object)
    values = np.asarray(given.values, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def parse_expression(
    text: str, kinds: Mapping[str, str], yes: Mapping[str, str] = MappingProxyType({})
) -> Expression:
    """Read a condition or a formula of columns, such as `age >= 50 and sex == 'F'`.

    Nothing of it is run: the text is cut into names, numbers, quoted texts and signs, and read by a
    grammar of its own, which docs/expressions.md gives by examples. No value is looked at. A
    refusal marks the place. It has names of columns and what was written, and no values.

    `kinds` says of each column whether it is "number", "level" or "date". A name is looked up
    exactly as it is; one with spaces or other signs stands between backticks. `yes` has, of columns
    that say yes or no, the value that is true (`yes_of` finds it): `smoker` is a condition then,
    and `smoker == true` another way to write it.

    Notes
    -----
    A comparison with a missing value is unknown; `and`, `or` and `not` go on from there as in SQL,
    and in `case` an unknown condition makes the value missing. What has no value, such as
    log(0) or 1 / 0, or one too large for double precision, is missing.

    **What it does not protect.** A harmless expression is still a question: `evaluate` computes
    exact answers from whatever columns it is given.

    Examples
    --------
    >>> import numpy as np
    >>> kinds = {"age": "number", "sex": "level"}
    >>> older = parse_expression("age >= 50 and sex == 'F'", kinds)
    >>> older.kind, older.names
    ('truth', ('age', 'sex'))
    >>> age = Numbers(np.array([61.0, 34.0, np.nan, np.nan]))
    >>> older.evaluate({"age": age, "sex": Levels(("F", "F", "F", "M"))}).values
    array([ 1.,  0., nan,  0.])
    >>> parse_expression("age >= 50 and sec == 'F'", kinds)
    Traceback (most recent call last):
        ...
    discreet.errors.InputError: there is no column 'sec'; did you mean 'sex'?
      age >= 50 and sec == 'F'
                    ^^^
    """
    if not isinstance(text, str):
        raise InputError("an expression must be text, such as \"age >= 50 and sex == 'F'\"")
    if len(text) > LONGEST:
        raise InputError(f"the expression is too long; it may have {LONGEST} characters")
    known: dict[str, Kind] = {}
    for name, kind in kinds.items():
        if kind not in GIVEN:
            raise InputError(f"the kind of a column must be one of {one_of(GIVEN)}")
        known[name] = kind  # type: ignore[assignment]
    try:
        reader = Reader(EXPRESSIONS.cut_up(text), known, EXPRESSIONS, yes)
        tree = reader.whole()
        if not reader.columns:
            raise Mistake((0, len(text)), "an expression names at least one column")
    except Mistake as mistake:
        raise as_input_error(text, mistake) from None
    names = tuple(dict.fromkeys(reader.columns))
    return Expression(text, names, tree.kind, tuple(known[name] for name in names), tree)
