"""The design matrix of a formula, and the same in columns that computers like."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError, RefusedError
from discreet.regression.formula import FUNCTIONS, OPERATORS, Factor, Parsed, quoted

__all__ = [
    "DEPENDENT",
    "PERFECT",
    "ROUNDING",
    "Design",
    "Floats",
    "Standard",
    "design_of",
    "standardised",
]

Floats = NDArray[np.float64]

LARGEST_VALUE = 1e70
"""Numbers larger than this, and spreads smaller than one by this, leave no room for squares."""
MOST_CELLS = 1 << 26
"""How many numbers a design matrix may hold: half a gigabyte."""
DEPENDENT = 1e-9
"""Standardised columns this near to following from the others (singular value) count as such."""
ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""How far the last digits of numbers are trusted, as a share of them."""
DEPENDS = "a term of the model is constant or follows from the others; leave one out"
PERFECT = (
    "the model leaves no residual variance: the outcome is constant, or follows exactly from the"
    " terms; choose another outcome or other terms"
)

Cell = tuple[int, str, int | None]
"""One factor of a column of the design: which, how its levels are coded, and which level."""
Block = tuple[tuple[int, bool], ...]
"""Columns of one term: its factors, and of each whether its first level is left out."""


@dataclass(frozen=True, eq=False)
class Design:
    """The outcome, the columns of the design matrix, and what they are."""

    outcome: Floats
    matrix: Floats
    terms: tuple[str, ...]
    ones: NDArray[np.bool_]
    """Which columns add up to one in each row; none if no such are known."""
    noisy: NDArray[np.bool_]
    """Which columns are continuous ones of the data."""


def design_of(
    parsed: Parsed, numbers: Mapping[str, ArrayLike], texts: Mapping[str, Sequence[str]]
) -> Design:
    """Evaluate the factors, code their levels as R and patsy do, and multiply them."""
    columns = {name: _numbers_of(name, numbers) for name in parsed.model.numbers}
    coded = {name: _codes_of(name, texts) for name in parsed.model.levels}
    rows = {len(column) for column in (*columns.values(), *(codes for codes, _ in coded.values()))}
    if len(rows) != 1 or 0 in rows:
        raise InputError("the columns of the model must be of one length, and have rows")
    factors = parsed.factors
    labels = [coded[one.columns[0]][1] if one.categorical else [] for one in factors]
    terms = [[factors.index(factor) for factor in term] for term in parsed.terms]
    (n,) = rows
    if n * sum(math.prod(len(labels[i]) or 1 for i in term) for term in terms) > MOST_CELLS:
        raise RefusedError("the model has too many terms and levels for its rows; leave some out")
    values = [
        coded[one.columns[0]][0] if one.categorical else _evaluated(one, columns) for one in factors
    ]
    levels = [len(each) for each in labels]
    blocks = _blocks(terms, levels, parsed.intercept)
    cells = [cell for block in blocks for cell in _cells(block, levels)]
    matrix = np.ones((n, len(cells)))
    with np.errstate(all="ignore"):
        for j, cell in enumerate(cells):
            for i, _, level in sorted(cell, key=lambda each: each[2] is not None):
                matrix[:, j] *= values[i] if level is None else values[i] == level
    _check_finite(matrix, "a product of terms")
    cells = [sorted(cell, key=lambda each: each[0]) for cell in cells]
    return Design(
        outcome=_evaluated(parsed.outcome, columns),
        matrix=matrix,
        terms=tuple(_term_name(each, factors, labels) for each in cells),
        ones=_adding_to_one(parsed, cells, levels),
        noisy=np.array([[level for _, _, level in each] == [None] for each in cells]),
    )


def _blocks(terms: list[list[int]], levels: Sequence[int], intercept: bool) -> list[Block]:
    """Code the levels of each term so that no column follows from others by its construction.

    A term of categorical factors spans each product of some of them, all without their first
    level. What terms before it span is left out; the rest is joined to as few blocks as may be.
    """
    blocks: list[Block] = [()] if intercept else []
    spanned = {frozenset(block) for block in blocks}
    for term in terms:
        choices = [[((i, True),), ()] if levels[i] else [((i, False),)] for i in term]
        span = [tuple(chain(*parts)) for parts in product(*choices)]
        blocks += _joined([each for each in span if frozenset(each) not in spanned])
        spanned |= {frozenset(each) for each in span}
    return blocks


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks: something, and that times a factor less its first level, is it times all."""
    out: list[Block] = []
    for block in sorted(blocks, key=len):
        for other in out:
            added = set(block) - set(other)
            if len(added) == len(block) - len(other) == 1 and (new := added.pop())[1]:
                full = tuple((i, reduced and i != new[0]) for i, reduced in block)
                out = _joined([*(each for each in out if each != other), full])
                break
        else:
            out.append(block)
    return out


def _cells(block: Block, levels: Sequence[int]) -> list[list[Cell]]:
    """Return the factors and levels of each column of a block; those of its first vary first."""
    options: list[list[Cell]] = [
        [(i, "T." if reduced else "", level) for level in range(reduced, levels[i])]
        or [(i, "", None)]
        for i, reduced in block
    ]
    return [list(reversed(cells)) for cells in product(*reversed(options))]


def _numbers_of(name: str, numbers: Mapping[str, ArrayLike]) -> Floats:
    if name not in numbers:
        raise InputError(f"column {name!r} of the formula is missing among the numbers")
    try:
        column = np.asarray(numbers[name], dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError(f"column {name!r} must hold numbers alone") from None
    if column.ndim != 1 or not np.isfinite(column).all():
        raise InputError(f"column {name!r} must be one row of finite numbers")
    return column


def _codes_of(name: str, texts: Mapping[str, Sequence[str]]) -> tuple[NDArray[np.intp], list[str]]:
    """Return which level each row has, and the levels in alphabetical order."""
    import pandas as pd

    if name not in texts:
        raise InputError(f"column {name!r} of the formula is missing among the texts")
    column = np.fromiter(texts[name], dtype=object, count=len(texts[name]))
    codes, found = pd.factorize(column)
    if (codes < 0).any() or not all(isinstance(level, str) for level in found):
        raise InputError(f"column {name!r} must hold texts alone")
    if len(found) < 2:
        raise RefusedError(f"column {name!r} has one level alone; leave it out of the model")
    order = sorted(range(len(found)), key=found.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[codes], [found[i] for i in order]


def _evaluated(factor: Factor, columns: Mapping[str, Floats]) -> Floats:
    """Compute a factor of numbers."""
    known = {quoted(name): columns[name] for name in factor.columns}

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Name(id=name):
                return known[name]
            case ast.Constant(value=int() | float() as constant):
                return np.float64(constant)
            case ast.UnaryOp(op=op, operand=operand):
                return OPERATORS[type(op)](value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                return FUNCTIONS[name](value(argument))
        raise InputError("an expression holds what it may not")

    with np.errstate(all="ignore"):
        out: Floats = value(factor.tree)
    _check_finite(out, f"the term {factor.text!r}")
    return out


def _check_finite(values: Floats, what: str) -> None:
    if not (np.abs(values) <= LARGEST_VALUE).all():
        raise RefusedError(
            f"{what} has no finite value for some row, or one too large to be computed with"
        )


def _term_name(cells: list[Cell], factors: list[Factor], labels: list[list[str]]) -> str:
    """Name a column of the design by its factors and levels."""
    parts = [
        factors[i].text + ("" if level is None else f"[{coding}{labels[i][level]}]")
        for i, coding, level in cells
    ]
    return ":".join(parts) or "Intercept"


def _adding_to_one(parsed: Parsed, cells: list[list[Cell]], levels: list[int]) -> NDArray[np.bool_]:
    """Find the intercept, or else a categorical column of which each level has its term."""
    if parsed.intercept:
        return np.array([not each for each in cells])
    for i, count in enumerate(levels):
        mask = np.array([[(at, how) for at, how, _ in each] == [(i, "")] for each in cells])
        if count > 1 and mask.sum() == count:
            return mask
    return np.zeros(len(cells), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Standard:
    """A design of columns with mean 0 and root mean square 1, as far as its terms allow."""

    outcome: Floats
    matrix: Floats
    centre: float
    scale: float
    back: Floats
    """What turns coefficients of the standardised columns into those of the design."""


def standardised(design: Design) -> Standard:
    """Centre and scale a design, so that columns far from zero lose no digits."""
    ones, centred = design.ones, bool(design.ones.any())
    mean = np.where(ones | (not centred), 0.0, design.matrix.mean(axis=0))
    matrix = design.matrix - mean
    scale = np.where(ones, 1.0, _size(matrix))
    doubt = ROUNDING * np.abs(design.matrix).max(axis=0)
    if (scale <= np.maximum(doubt, 1 / LARGEST_VALUE)).any():
        raise RefusedError(DEPENDS)
    matrix /= scale
    singular = np.linalg.svd(np.linalg.qr(matrix, mode="r"), compute_uv=False)
    if singular[-1] <= max(DEPENDENT, (doubt / scale).max()) * singular[0]:
        raise RefusedError(DEPENDS)
    back = np.diag(1 / scale)
    back[np.ix_(ones, ~ones)] = -(mean / scale)[~ones]
    centre = float(design.outcome.mean()) if centred else 0.0
    outcome = design.outcome - centre
    size = float(_size(outcome))
    if size <= max(ROUNDING * np.abs(design.outcome).max(), 1 / LARGEST_VALUE):
        raise RefusedError(PERFECT)
    return Standard(outcome / size, matrix, centre, size, back)


def _size(values: Floats) -> Floats:
    """Return the root mean square of each column, whatever its scale."""
    top = np.maximum(np.abs(values).max(axis=0), 1 / LARGEST_VALUE)
    out: Floats = top * np.sqrt(np.mean((values / top) ** 2, axis=0))
    return out
