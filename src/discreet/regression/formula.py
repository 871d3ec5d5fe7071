"""Formulas are read, never run: taken apart sign by sign, and then by Python's grammar."""

from __future__ import annotations

import ast
import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.errors import InputError, one_of, some_of

__all__ = [
    "FUNCTIONS",
    "OPERATORS",
    "Factor",
    "Model",
    "Parsed",
    "Term",
    "parse",
    "parse_again",
    "quoted",
    "read_formula",
]

LONGEST = 500
"""How many characters a formula may have."""
MOST_TERMS = 50
"""How many terms a formula may have when its products are written out."""
DEEPEST = 20
"""How many steps an expression may be deep; brackets may be twice as many before it is read."""
LARGEST_EXPONENT = 10
"""How large the constant may be that a column is raised to."""
LARGEST_CONSTANT = 1e15
"""How large any other constant may be."""

TOKEN = re.compile(
    r"\s*(?P<token>`[^`]+`|[^\W\d]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|\*\*|[-+*/:~()])"
)
PLAIN_NAME = re.compile(r"[^\W\d]\w*")

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


@dataclass(frozen=True)
class Factor:
    """A column, or an expression of columns; two of the same text are one."""

    text: str
    columns: tuple[str, ...]
    categorical: bool
    tree: ast.expr = field(compare=False)

    @property
    def plain(self) -> bool:
        """Whether it is a column as it is."""
        return self.categorical or isinstance(self.tree, ast.Name)


Term = tuple[Factor, ...]
"""What is multiplied: one factor, or those of an interaction."""


@dataclass(frozen=True)
class Parsed:
    """A formula taken apart."""

    outcome: Factor
    terms: tuple[Term, ...]
    intercept: bool

    @property
    def factors(self) -> list[Factor]:
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
    return parse(formula, kinds).model


def parse(formula: str, kinds: Mapping[str, str]) -> Parsed:
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
    return Parsed(outcome, tuple(sorted(terms, key=len)), intercept)


def parse_again(model: Model) -> Parsed:
    """Take a model's formula apart; a Model made by hand is checked like any other text."""
    kinds = dict.fromkeys(model.numbers, "continuous") | dict.fromkeys(model.levels, "categorical")
    return parse(model.formula, kinds)


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
        if depth > 2 * DEEPEST:
            raise InputError(f"the formula is nested too deeply; {DEEPEST} steps is the most")
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


def _sum(tokens: Sequence[str], kinds: Mapping[str, str]) -> tuple[list[Term], bool]:
    """Read the right side: the terms, each once, and whether there is an intercept."""
    terms: dict[frozenset[Factor], Term] = {}
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


def _product(tokens: Sequence[str], kinds: Mapping[str, str]) -> list[Term]:
    """Write `a * b:c` out as a, b:c and a:b:c."""
    terms: list[Term] = []
    for _, part in _split(tokens, "*"):
        factors = (_factor(each, kinds) for _, each in _split(part, ":"))
        term = tuple(dict.fromkeys(factors))
        terms += [term, *(tuple(dict.fromkeys((*other, *term))) for other in terms)]
        _check_count(len(terms))
    return terms


def _check_count(terms: int) -> None:
    if terms > MOST_TERMS:
        raise InputError(f"the formula has too many terms; {MOST_TERMS} is the most")


def _factor(tokens: Sequence[str], kinds: Mapping[str, str]) -> Factor:
    """Read one column or one expression."""
    names: dict[str, str] = {}  # v0, v1, ...: what Python's grammar makes nothing else of
    parts = []
    for token, following in zip(tokens, [*tokens, ""][1:], strict=True):
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
        hint = f"did you mean {one_of(close)}?" if close else f"there are {some_of([*kinds])}"
        raise InputError(f"there is no column {name!r}; {hint}")
    return name


def _checked(tree: ast.expr, names: Mapping[str, str], kinds: Mapping[str, str]) -> Factor:
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
            node.id = quoted(names[node.id])
    match tree:
        case ast.Call(func=ast.Name(id="I"), args=[ast.Name() as column]):
            tree = column
    text = ast.unparse(tree)
    return Factor(f"C({text})" if categorical else text, columns, categorical, tree)


def _check_expression(node: ast.expr, depth: int = 0) -> None:
    """Refuse all but columns, constants, arithmetic and the functions of a formula."""
    if depth > DEEPEST:
        raise InputError(f"an expression is nested too deeply; {DEEPEST} steps is the most")
    inner: list[ast.expr] = []
    match node:
        case ast.Name():
            pass
        case ast.Constant(value=value):
            if not _is_within(value, LARGEST_CONSTANT):
                raise InputError(f"a constant must be a number of at most {LARGEST_CONSTANT:g}")
        case ast.BinOp(left=base, op=ast.Pow(), right=power):
            _check_power(base, power)
            inner = [base, power]
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
    """Refuse powers that could grow while nothing but constants is computed."""
    exponent = power.operand if isinstance(power, ast.UnaryOp) else power
    if not (isinstance(exponent, ast.Constant) and _is_within(exponent.value, LARGEST_EXPONENT)):
        raise InputError(f"an exponent must be a constant of at most {LARGEST_EXPONENT}")
    if not any(isinstance(node, ast.Name) and node.id not in FUNCTIONS for node in ast.walk(base)):
        raise InputError("a power must be one of a column, not of a constant")


def _is_within(value: object, limit: float) -> bool:
    return isinstance(value, int | float) and abs(value) <= limit


def quoted(name: str) -> str:
    """Write a column's name as it stands in a formula."""
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
