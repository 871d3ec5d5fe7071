"""Linear models: a formula that is read, never run; the fit with its diagnostics; and its noise.

What an analyst writes is taken apart here, sign by sign and then by Python's grammar, and
computed by this module. The library that builds the design matrix sees nothing of it: columns
reach it as f0, f1, ..., and levels as whole numbers.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError, RefusedError, one_of

__all__ = ["Fit", "Model", "cook_line", "corrected", "fit", "quantiles", "read_formula"]

Floats = NDArray[np.float64]

LONGEST = 500
"""How many characters a formula may have."""
MOST_TERMS = 50
DEEPEST = 20
"""How many brackets may stand within each other, and how deep an expression may be."""
LARGEST_EXPONENT = 10
LARGEST_CONSTANT = 1e15
LARGEST_VALUE = 1e100
"""Squares of what is larger leave no room for sums."""
MOST_CELLS = 1 << 26
"""How many numbers a design matrix may hold: half a gigabyte."""
DEPENDENT = 1e-9
"""Standardised columns this near to following from the others (singular value) count as such."""
ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""How far the last digits of numbers are trusted, as a share of them."""
PERFECT_FIT = 1e-9
"""Residuals that vary less than this (in sd of the outcome) are rounding errors."""
ALONE = 1e-10
"""A leverage this near to one is one."""
LEAST = float(np.finfo(np.float64).tiny)

DEPENDS = "a term of the model is constant or follows from the others; leave one out"
PERFECT = (
    "the model leaves no residual variance: the outcome is constant, or follows exactly from the"
    " terms; choose another outcome or other terms"
)

TOKEN = re.compile(
    r"\s*(?P<token>`[^`]+`|[^\W\d]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|\*\*|[-+*/:~()])"
)
PLAIN_NAME = re.compile(r"[^\W\d]\w*")
DESIGN_NAME = re.compile(r"f(\d+)(?:\[(T\.)?(\d+)\])?")

FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "log": np.log,
    "log10": np.log10,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "I": operator.pos,
}
OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


@dataclass(frozen=True)
class Model:
    """What a formula says, checked against the columns; `read_formula` makes it.

    Attributes
    ----------
    formula : str
        The formula written out: products as sums of interactions, terms of fewer columns
        first, categorical columns as C(name), no intercept as `0 +`.
    outcome : str
        The column on the left of the ~.
    numbers : tuple of str
        The continuous columns in order of first use, the outcome first.
    levels : tuple of str
        The categorical columns in order of first use.
    additive : bool
        Whether each term is one column as it is, and the outcome too.
    """

    formula: str
    outcome: str
    numbers: tuple[str, ...]
    levels: tuple[str, ...]
    additive: bool


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A fitted model, row for row: raw data, not to be shown. Prints its formula only.

    Attributes
    ----------
    formula : str
        The model's formula.
    terms : tuple of str
        The names of the coefficients: Intercept, x, C(sex)[T.level], x:log(z), ...
    coefficients, standard_errors : ndarray
        One for each of `terms`.
    fitted, residuals : ndarray
        One for each row, on the outcome's scale.
    standardized : ndarray
        The residuals divided by their standard deviation (divisor n - 1).
    leverage : ndarray
        The diagonal of the hat matrix.
    cooks : ndarray
        Cook's distances.
    residual_df : int
        Residual degrees of freedom, n - p.
    rank_p : int
        The number p of coefficients.
    """

    formula: str
    terms: tuple[str, ...]
    coefficients: Floats
    standard_errors: Floats
    fitted: Floats
    residuals: Floats
    standardized: Floats
    leverage: Floats
    cooks: Floats
    residual_df: int
    rank_p: int

    def __repr__(self) -> str:
        return f"Fit({self.formula})"


@dataclass(frozen=True)
class _Factor:
    """A column, or an expression of columns; two of the same text are one."""

    text: str
    columns: tuple[str, ...]
    categorical: bool
    tree: ast.expr = field(compare=False)

    @property
    def plain(self) -> bool:
        """Whether it is a column as it is."""
        return self.categorical or isinstance(self.tree, ast.Name)


_Term = tuple[_Factor, ...]
_Cell = tuple[int, str, int | None]
"""One factor of a column of the design: which, how its levels are coded, and which level."""


@dataclass(frozen=True)
class _Parsed:
    """A formula taken apart."""

    outcome: _Factor
    terms: tuple[_Term, ...]
    intercept: bool

    @property
    def factors(self) -> list[_Factor]:
        """The different factors of the terms."""
        return list(dict.fromkeys(factor for term in self.terms for factor in term))

    @property
    def model(self) -> Model:
        """The formula in its normal form."""
        factors = [self.outcome, *self.factors]
        texts = [":".join(factor.text for factor in term) for term in self.terms]
        return Model(
            formula=f"{self.outcome.text} ~ {'' if self.intercept else '0 + '}{' + '.join(texts)}",
            outcome=self.outcome.columns[0],
            numbers=_different(
                name for one in factors if not one.categorical for name in one.columns
            ),
            levels=_different(name for one in factors if one.categorical for name in one.columns),
            additive=self.outcome.plain
            and all(len(term) == 1 and term[0].plain for term in self.terms),
        )


@dataclass(frozen=True, eq=False)
class _Design:
    """The outcome, the columns of the design matrix, and what they are."""

    outcome: Floats
    matrix: Floats
    terms: tuple[str, ...]
    ones: NDArray[np.bool_]
    """Which columns add up to one in each row; none if no such are known."""
    noisy: NDArray[np.bool_]
    """Which columns are continuous ones of the data."""


# --- the formula ----------------------------------------------------------------------------


def read_formula(formula: str, kinds: Mapping[str, str]) -> Model:
    """Read `y ~ x1 + C(group) + x1:x2 + x1*x2 + log(x1) + I(x1**2) - 1`, running none of it.

    Parameters
    ----------
    formula : str
        Terms of `+`, `:` (interaction) and `*` (both, and their interaction); `+ 0` or `- 1`
        leaves out the intercept. A term is a column, C(column), log, log10, exp or sqrt of an
        expression, or I(expression); expressions have + - * / ** and constants. Names of other
        signs than letters, digits and _ stand between backticks.
    kinds : mapping of str to str
        The kind of each column: "continuous" or "categorical".

    Returns
    -------
    Model
        The formula in its normal form, and the columns it uses.

    Raises
    ------
    InputError
        If the formula is anything else, names an unknown column, has no term but the
        intercept, or has its outcome on the right too.

    Notes
    -----
    What is not on the list above is refused: attributes, subscripts, strings, other calls,
    and the quoting `{...}` of formula libraries. A column may have any name, that of a
    function or a keyword too: names are looked up as they are, not normalised, before Python's
    grammar is asked. Powers are constants of at most 10 and stand on columns, so no constant
    grows.

    **What it does not protect.** A harmless formula is still a question: a model with a term
    for one person shows that person (see `fit`, and the policy's rules).

    Examples
    --------
    >>> kinds = {"y": "continuous", "x": "continuous", "sex": "categorical"}
    >>> model = read_formula("log(y) ~ x * sex - 1", kinds)
    >>> model.formula
    'log(y) ~ 0 + x + C(sex) + x:C(sex)'
    >>> model.numbers, model.levels, model.additive
    (('y', 'x'), ('sex',), False)
    >>> read_formula("y ~ x.real", kinds)
    Traceback (most recent call last):
        ...
    discreet.errors.InputError: the sign '.' has no place in a formula; a name that has it ...
    """
    if not isinstance(formula, str):
        raise InputError("a formula must be text, such as 'y ~ x'")
    if len(formula) > LONGEST:
        raise InputError(f"the formula is too long; it may have {LONGEST} characters")
    return _parse(formula, kinds).model


def _parse(formula: str, kinds: Mapping[str, str]) -> _Parsed:
    """Take a formula apart, and check all of it."""
    if any(kind not in {"continuous", "categorical"} for kind in kinds.values()):
        raise InputError("the kind of a column must be one of 'continuous', 'categorical'")
    sides = [side for _, side in _split(_tokens(formula), "~")]
    if len(sides) != 2:
        raise InputError("a formula needs one ~ between the outcome and the terms: 'y ~ x'")
    if not sides[0]:
        raise InputError("the formula names no outcome; write it before the ~: 'y ~ x'")
    if not sides[1]:
        raise InputError("the formula has no terms; write them behind the ~: 'y ~ x'")
    outcome = _factor(sides[0], kinds)
    if outcome.categorical or len(outcome.columns) != 1:
        raise InputError("the outcome must be one continuous column, or a function of it")
    terms, intercept = _sum(sides[1], kinds)
    if not terms:
        raise InputError(
            "the formula has no term but the intercept, and nothing to draw it against; name a"
            " column behind the ~"
        )
    if any(outcome.columns[0] in factor.columns for term in terms for factor in term):
        raise InputError(
            f"the outcome {outcome.columns[0]!r} stands on the right of the ~ too; leave it out"
        )
    return _Parsed(outcome, tuple(sorted(terms, key=len)), intercept)


def _tokens(formula: str) -> list[str]:
    """Cut a formula into names, numbers and signs; refuse all other signs."""
    text = formula.rstrip()
    found: list[str] = []
    at = depth = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise InputError(
                f"the sign {text[at:].lstrip()[0]!r} has no place in a formula; a name that has"
                " it stands between backticks"
            )
        found.append(match["token"])
        at = match.end()
        depth += {"(": 1, ")": -1}.get(found[-1], 0)
        if depth > DEEPEST:
            raise InputError(f"the formula is nested too deeply; {DEEPEST} brackets is the most")
    return found


def _split(tokens: Sequence[str], signs: str) -> list[tuple[str, list[str]]]:
    """Split at `signs` outside of brackets; each part comes with the sign before it."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0 and len(token) == 1 and token in signs:
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    return parts


def _sum(tokens: Sequence[str], kinds: Mapping[str, str]) -> tuple[list[_Term], bool]:
    """Read the right side: the terms, each once, and whether there is an intercept."""
    terms: dict[frozenset[_Factor], _Term] = {}
    intercept = True
    for number, (sign, part) in enumerate(_split(tokens, "+-")):
        if number == 0 and not part:  # the formula begins with a sign
            continue
        if part in (["0"], ["1"]):
            intercept = (part == ["1"]) == (sign != "-")
        elif sign == "-":
            raise InputError("only the intercept can be taken away, by '- 1'; leave terms out")
        else:
            for term in _product(part, kinds):
                terms.setdefault(frozenset(term), term)
        _check_count(len(terms))
    return list(terms.values()), intercept


def _product(tokens: Sequence[str], kinds: Mapping[str, str]) -> list[_Term]:
    """Write `a * b:c` out as a, b:c and a:b:c."""
    terms: list[_Term] = []
    for _, part in _split(tokens, "*"):
        factors = (_factor(each, kinds) for _, each in _split(part, ":"))
        term = tuple(dict.fromkeys(factors))
        terms += [term, *(tuple(dict.fromkeys((*other, *term))) for other in terms)]
        _check_count(len(terms))
    return terms


def _check_count(terms: int) -> None:
    if terms > MOST_TERMS:
        raise InputError(f"the formula has too many terms; {MOST_TERMS} is the most")


def _factor(tokens: Sequence[str], kinds: Mapping[str, str]) -> _Factor:
    """Read one column or one expression."""
    names: dict[str, str] = {}  # v0, v1, ...: what Python's grammar makes nothing else of
    parts = []
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if not (token[0] == "`" or PLAIN_NAME.fullmatch(token)):
            parts.append(token)
        elif following == "(" and token[0] != "`":
            parts.append(_known_function(token))
        else:
            parts.append(f"v{len(names)}")
            names[parts[-1]] = _known_column(token.strip("`"), kinds)
    try:
        tree = ast.parse(" ".join(parts), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(
            "the formula cannot be read: a name, a sign or a bracket is missing, or one too many"
        ) from None
    return _checked(tree, names, kinds)


def _known_function(name: str) -> str:
    if name != "C" and name not in FUNCTIONS:
        raise InputError(f"there is no function {name!r}; there are {one_of(['C', *FUNCTIONS])}")
    return name


def _known_column(name: str, kinds: Mapping[str, str]) -> str:
    if name not in kinds:
        capitals = [known for known in kinds if known.lower() == name.lower()]
        close = capitals or difflib.get_close_matches(name, kinds, n=3)
        hint = f"did you mean {one_of(close)}?" if close else f"there are {one_of(kinds)}"
        raise InputError(f"there is no column {name!r}; {hint}")
    return name


def _checked(tree: ast.expr, names: Mapping[str, str], kinds: Mapping[str, str]) -> _Factor:
    """Make a factor of a tree on which nothing stands but what may; `names` are its columns."""
    columns = _different(names.values())
    categorical = any(kinds[name] == "categorical" for name in columns)
    match tree:
        case ast.Name() if categorical:
            pass
        case ast.Call(func=ast.Name(id="C"), args=[argument], keywords=[]):
            if not (isinstance(argument, ast.Name) and categorical):
                raise InputError("C() takes the name of one categorical column")
            tree = argument
        case ast.Name() | ast.Call():
            _check_expression(tree)
            if categorical:
                raise InputError("an expression has a categorical column; it is for numbers")
            if not columns:
                raise InputError("a term has constants alone; name a column in it")
            categorical = False
        case _:
            raise InputError(
                "a term is a column or a function; write I() around arithmetic: 'I(x ** 2)'"
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = _quoted(names[node.id])
    match tree:
        case ast.Call(func=ast.Name(id="I"), args=[ast.Name() as column]):
            tree = column
    text = ast.unparse(tree)
    return _Factor(f"C({text})" if categorical else text, columns, categorical, tree)


def _check_expression(node: ast.expr, depth: int = 0) -> None:
    """Refuse all but columns, constants, arithmetic and the functions of a formula."""
    if depth > DEEPEST:
        raise InputError(f"an expression is nested too deeply; {DEEPEST} steps is the most")
    inner: list[ast.expr] = []
    match node:
        case ast.Name():
            pass
        case ast.Constant(value=int() | float() as value) if abs(value) <= LARGEST_CONSTANT:
            pass
        case ast.Constant():
            raise InputError("a constant must be a number of at most 1e15")
        case ast.BinOp(left=base, op=ast.Pow(), right=power):
            _check_expression(power, depth + 1)
            _check_power(base, power)
            inner = [base]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            inner = [left, right]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            inner = [operand]
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            inner = [argument]
        case _:
            raise InputError(f"an expression may have + - * / ** and {one_of(FUNCTIONS)} alone")
    for each in inner:
        _check_expression(each, depth + 1)


def _check_power(base: ast.expr, power: ast.expr) -> None:
    exponent = power.operand if isinstance(power, ast.UnaryOp) else power
    if not (isinstance(exponent, ast.Constant) and abs(exponent.value) <= LARGEST_EXPONENT):
        raise InputError(f"an exponent must be a constant of at most {LARGEST_EXPONENT}")
    if not any(isinstance(node, ast.Name) and node.id not in FUNCTIONS for node in ast.walk(base)):
        raise InputError("a power must be one of a column, not of a constant")


def _quoted(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


# --- the design matrix ----------------------------------------------------------------------


def _parsed_again(model: Model) -> _Parsed:
    """Take a model's formula apart; a Model made by hand is checked like any other text."""
    kinds = dict.fromkeys(model.numbers, "continuous") | dict.fromkeys(model.levels, "categorical")
    return _parse(model.formula, kinds)


def _design(
    parsed: _Parsed, numbers: Mapping[str, ArrayLike], texts: Mapping[str, Sequence[str]]
) -> _Design:
    """Evaluate the factors, and let formulaic code and multiply them under names of our own."""
    import pandas as pd
    from formulaic import Formula

    columns = {name: _numbers_of(name, numbers) for name in parsed.model.numbers}
    coded = {name: _codes_of(name, texts) for name in parsed.model.levels}
    rows = {len(column) for column in (*columns.values(), *(codes for codes, _ in coded.values()))}
    if len(rows) != 1:
        raise InputError("the columns of the model must be of one length")
    factors = parsed.factors
    levels = [len(coded[one.columns[0]][1]) if one.categorical else 1 for one in factors]
    made_of = [[factors.index(factor) for factor in term] for term in parsed.terms]
    if rows.pop() * sum(math.prod(levels[i] for i in term) for term in made_of) > MOST_CELLS:
        raise RefusedError("the model has too many terms and levels for its rows; leave some out")
    frame = {
        f"f{i}": pd.Categorical.from_codes(coded[one.columns[0]][0], categories=range(levels[i]))
        if one.categorical
        else _evaluated(one, columns)
        for i, one in enumerate(factors)
    }
    terms = [":".join(f"f{i}" for i in term) for term in made_of]
    made = Formula(" + ".join(["1" if parsed.intercept else "0", *terms])).get_model_matrix(
        pd.DataFrame(frame), context={}, output="numpy"
    )
    cells = [_cells(name) for name in made.model_spec.column_names]
    matrix = np.asarray(made, dtype=np.float64)
    _check_finite(matrix, "a product of terms")
    labels = [coded[one.columns[0]][1] if one.categorical else [] for one in factors]
    return _Design(
        outcome=_evaluated(parsed.outcome, columns),
        matrix=matrix,
        terms=tuple(_term_name(each, factors, labels) for each in cells),
        ones=_adding_to_one(parsed, cells, levels),
        noisy=np.array([[level for _, _, level in each] == [None] for each in cells]),
    )


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


def _evaluated(factor: _Factor, columns: Mapping[str, Floats]) -> Floats:
    """Compute a factor of numbers."""
    known = {_quoted(name): columns[name] for name in factor.columns}

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


def _cells(name: str) -> list[_Cell]:
    """Read a column name of formulaic: f0:f1[T.2] is factor 0 times level 2 of factor 1."""
    found = (DESIGN_NAME.fullmatch(part) for part in name.split(":"))
    return sorted(
        (int(one[1]), one[2] or "", None if one[3] is None else int(one[3])) for one in found if one
    )


def _term_name(cells: list[_Cell], factors: list[_Factor], labels: list[list[str]]) -> str:
    """Name a column of the design by its factors and levels."""
    parts = [
        factors[i].text + ("" if level is None else f"[{coding}{labels[i][level]}]")
        for i, coding, level in cells
    ]
    return ":".join(parts) or "Intercept"


def _adding_to_one(
    parsed: _Parsed, cells: list[list[_Cell]], levels: list[int]
) -> NDArray[np.bool_]:
    """Find the intercept, or else a categorical column of which each level has its term."""
    if parsed.intercept:
        return np.array([not each for each in cells])
    for i, count in enumerate(levels):
        mask = np.array([[(at, how) for at, how, _ in each] == [(i, "")] for each in cells])
        if count > 1 and mask.sum() == count:
            return mask
    return np.zeros(len(cells), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _Standard:
    """A design of columns with mean 0 and root mean square 1, as far as its terms allow."""

    outcome: Floats
    matrix: Floats
    centre: float
    scale: float
    back: Floats
    """What turns coefficients of the standardised columns into those of the design."""


def _standardised(design: _Design) -> _Standard:
    """Centre and scale a design, so that columns far from zero lose no digits."""
    ones, centred = design.ones, bool(design.ones.any())
    mean = np.where(ones | (not centred), 0.0, design.matrix.mean(axis=0))
    matrix = design.matrix - mean
    scale = np.where(ones, 1.0, _size(matrix))
    slack = ROUNDING * np.abs(design.matrix).max(axis=0) / np.maximum(scale, LEAST)
    if (slack >= 1).any():  # constant, or so but for rounding
        raise RefusedError(DEPENDS)
    matrix /= scale
    singular = np.linalg.svd(np.linalg.qr(matrix, mode="r"), compute_uv=False)
    if singular[-1] <= max(DEPENDENT, slack.max()) * singular[0]:
        raise RefusedError(DEPENDS)
    back = np.diag(1 / scale)
    back[np.ix_(ones, ~ones)] = -(mean / scale)[~ones]
    centre = float(design.outcome.mean()) if centred else 0.0
    outcome = design.outcome - centre
    size = float(_size(outcome))
    if size <= ROUNDING * np.abs(design.outcome).max():
        raise RefusedError(PERFECT)
    return _Standard(outcome / size, matrix, centre, size, back)


def _size(values: Floats) -> Floats:
    """Return the root mean square of each column, whatever its scale."""
    top = np.maximum(np.abs(values).max(axis=0), LEAST)
    out: Floats = top * np.sqrt(np.mean((values / top) ** 2, axis=0))
    return out


# --- the fit --------------------------------------------------------------------------------


def fit(
    model: Model,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    residual_df: int = 1,
) -> Fit:
    """Fit a linear model by least squares, with residuals, leverage and Cook's distances.

    Parameters
    ----------
    model : Model
        What `read_formula` made of the formula.
    numbers : mapping of str to array-like
        The continuous columns, finite, all of one length.
    texts : mapping of str to sequence of str
        The categorical columns. The first level in alphabetical order is the reference.
    residual_df : int, default 1
        How many residual degrees of freedom there must be.

    Returns
    -------
    Fit
        Raw data, row for row.

    Raises
    ------
    InputError
        If a column is missing, of another length, or holds what it may not.
    RefusedError
        If there are fewer than `residual_df` residual degrees of freedom, a term follows from
        others, has no finite value for some row or is decided by one row alone, or the terms
        leave no residual variance.

    Notes
    -----
    formulaic makes the design matrix, statsmodels the fit. Columns are centred (where the model
    has an intercept, or a term for each level of a column) and scaled before the fit, and
    the coefficients turned back after it: with 1e8 added to columns of standard deviation 1,
    all but the intercept agree to about 1e-11 with those without. Powers and products of such
    columns lose their digits when they are formed, and are refused as following from others.

    Memory is about a dozen arrays of the size of the design matrix; there is no n x n array.

    **What it does not protect.** Nothing: outcome = fitted + residual for each row, and in a
    model of one covariate leverage gives that away too. Protect the columns before, or draw
    counts. The levels of categorical columns stand in the names of terms.

    References
    ----------
    Cook, "Detection of influential observation in linear regression", Technometrics 19 (1977).
    Avraam et al., "Privacy preserving data visualizations", EPJ Data Science 10:2 (2021),
    figure 5: residuals standardised by their standard deviation.

    Examples
    --------
    >>> model = read_formula("y ~ x", {"x": "continuous", "y": "continuous"})
    >>> found = fit(model, {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {})
    >>> found, found.terms
    (Fit(y ~ x), ('Intercept', 'x'))
    >>> found.coefficients.round(6).tolist()
    [0.1, 0.6]
    >>> found.leverage.round(6).tolist()
    [0.7, 0.3, 0.3, 0.7]
    """
    from statsmodels.regression.linear_model import OLS

    _check_count_of("residual_df", residual_df)
    design = _design(_parsed_again(model), numbers, texts)
    rows, parameters = design.matrix.shape
    if rows - parameters < residual_df:
        raise RefusedError(
            "the model has too few residual degrees of freedom; the policy asks for at least"
            f" {residual_df}: leave terms out, or take in more rows"
        )
    standard = _standardised(design)
    result = OLS(standard.outcome, standard.matrix, hasconst=False).fit()
    spread = result.resid.std(ddof=1)
    if spread <= PERFECT_FIT + ROUNDING * np.abs(design.outcome).max() / standard.scale:
        raise RefusedError(PERFECT)
    influence = result.get_influence()
    leverage: Floats = influence.hat_matrix_diag
    if leverage.max() >= 1 - ALONE:
        raise RefusedError("a term is decided by one row alone; leave it out, or join levels")
    back = standard.back * standard.scale
    coefficients = back @ result.params + standard.centre * design.ones
    return Fit(
        formula=model.formula,
        terms=design.terms,
        coefficients=coefficients,
        standard_errors=np.sqrt(np.diag(back @ result.cov_params() @ back.T)),
        fitted=result.fittedvalues * standard.scale + standard.centre,
        residuals=result.resid * standard.scale,
        standardized=result.resid / spread,
        leverage=leverage,
        cooks=influence.cooks_distance[0],
        residual_df=rows - parameters,
        rank_p=parameters,
    )


def _check_count_of(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1")


def corrected(
    model: Model,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    noise: float,
) -> Floats | None:
    """Correct coefficients for known noise on every continuous column, by moments.

    Parameters
    ----------
    model : Model
        What `read_formula` made of the formula.
    numbers : mapping of str to array-like
        The continuous columns with their noise: independent normal, of standard deviation
        `noise` times that of the column before.
    texts : mapping of str to sequence of str
        The categorical columns, without noise.
    noise : float
        The ratio q of the standard deviations of noise and column; at least 0.

    Returns
    -------
    ndarray or None
        The coefficients, in the order of `Fit.terms`; None if the model is not additive or has
        no intercept, or the noise leaves nothing to correct by (see Notes).

    Raises
    ------
    InputError
        If q is no ratio, or the columns are not as `fit` takes them.
    RefusedError
        If a term follows from others, or has no finite value for some row.

    Notes
    -----
    A column of variance v has (1 + q²) v with its noise, of which the share q² / (1 + q²) is
    noise. With S the covariances of the columns with noise, and D diagonal with that share of
    the variance for a continuous column and 0 for a categorical one,

        β = (S_xx − D)⁻¹ S_xy,

    and the intercept makes the means fit. Noise on the outcome widens errors only. With one
    covariate β = (1 + q²) β_naive. Where S_xx − D is not positive definite the answer is None.
    β is consistent, not unbiased: its noise grows as S_xx − D comes near to singular.

    References
    ----------
    Fuller, "Measurement Error Models" (1987), sections 1.1 and 2.2. Carroll, Ruppert, Stefanski
    and Crainiceanu, "Measurement Error in Nonlinear Models", 2nd ed. (2006), section 3.4.

    Examples
    --------
    >>> model = read_formula("y ~ x", {"x": "continuous", "y": "continuous"})
    >>> corrected(model, {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {}, noise=0.5).round(6).tolist()
    [-0.125, 0.75]
    """
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise < np.inf:
        raise InputError("noise must be a finite ratio of at least 0")
    parsed = _parsed_again(model)
    if not (parsed.model.additive and parsed.intercept):
        return None
    design = _design(parsed, numbers, texts)
    standard = _standardised(design)
    rest = ~design.ones
    columns = standard.matrix[:, rest]
    error = design.noisy[rest] * (noise**2 / (1 + noise**2))
    moments = columns.T @ columns / len(columns) - np.diag(error)
    if np.linalg.eigvalsh(moments)[0] <= DEPENDENT:
        return None
    found = np.zeros(len(rest))
    found[rest] = np.linalg.solve(moments, columns.T @ standard.outcome / len(columns))
    out: Floats = standard.back @ found * standard.scale + standard.centre * design.ones
    return out


def cook_line(distance: float, parameters: int, residual_df: int, leverage: ArrayLike) -> Floats:
    """Return the standardised residual at which Cook's distance is `distance`, by leverage.

    Parameters
    ----------
    distance : float
        Cook's distance, above 0.
    parameters, residual_df : int
        p and n - p, as `Fit.rank_p` and `Fit.residual_df`.
    leverage : array-like
        Values h of the leverage.

    Returns
    -------
    ndarray
        The upper line, for each h; the lower one is its negative. Infinite at h = 0, zero at
        h = 1, nan outside of 0 to 1.

    Notes
    -----
    With the residual e, s² = RSS / (n − p) and residuals standardised by r = e / sd, where
    sd² = RSS / (n − 1),

        D = e² / (p s²) · h / (1 − h)² = r² (n − p) / (p (n − 1)) · h / (1 − h)²
        r = sqrt(D p (n − 1) / (n − p)) · (1 − h) / sqrt(h).

    sd² = RSS / (n − 1) is the variance of the residuals where their mean is 0: in models with
    an intercept or a term for each level of a column. Else the line lies a little too low.

    References
    ----------
    Cook, "Detection of influential observation in linear regression", Technometrics 19 (1977).

    Examples
    --------
    >>> cook_line(1.0, parameters=2, residual_df=8, leverage=[0, 0.25, 1]).tolist()
    [inf, 2.25, 0.0]
    """
    if isinstance(distance, bool) or not isinstance(distance, int | float):
        raise InputError("distance must be a number above 0")
    if not 0 < distance < np.inf:
        raise InputError("distance must be a number above 0")
    _check_count_of("parameters", parameters)
    _check_count_of("residual_df", residual_df)
    h = np.asarray(leverage, dtype=np.float64)
    factor = np.sqrt(distance * parameters * (residual_df + parameters - 1) / residual_df)
    with np.errstate(divide="ignore", invalid="ignore"):
        line = factor * (1 - h) / np.sqrt(h)
    out: Floats = np.where((h >= 0) & (h <= 1), line, np.nan)
    return out


def quantiles(n: int) -> Floats:
    """Return the n normal quantiles that ordered residuals are drawn against.

    Parameters
    ----------
    n : int
        How many.

    Returns
    -------
    ndarray
        Quantiles at (i − a) / (n + 1 − 2a) for i = 1 to n, with a = 3/8 for n <= 10 and 1/2
        above, as qqnorm in R.

    References
    ----------
    Blom, "Statistical Estimates and Transformed Beta-Variables" (1958).

    Examples
    --------
    >>> quantiles(3).round(4).tolist()
    [-0.8694, 0.0, 0.8694]
    """
    from scipy.special import ndtri

    _check_count_of("n", n)
    a = 3 / 8 if n <= 10 else 1 / 2
    out: Floats = ndtri((np.arange(1, n + 1) - a) / (n + 1 - 2 * a))
    return out
