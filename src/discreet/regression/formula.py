"""Formulas are read, never run: by the grammar of expressions, and made into a design matrix."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arguments import Floats, as_levels
from discreet.errors import InputError, RefusedError
from discreet.expressions.grammar import Grammar, Reader
from discreet.expressions.meaning import NUMERIC, Call, Rule
from discreet.expressions.tree import (
    Applied,
    Column,
    Constant,
    Kind,
    Mistake,
    Node,
    Token,
    as_input_error,
    quoted,
    written,
)
from discreet.expressions.values import computed
from discreet.levels import in_order

LONGEST = 500
"""How many characters a formula may have."""
MOST_TERMS = 50
"""How many terms a formula may have when its products are written out."""
DEEPEST = 20
"""How many steps an expression may be deep."""
KINDS: Mapping[str, Kind] = {"continuous": "number", "categorical": "level"}
"""What expressions call the kinds of columns."""


def _category(call: Call) -> Node:
    (column,) = call.arguments
    if not (isinstance(column, Column) and column.kind == "level"):
        raise Mistake(
            call.place,
            "C() takes the name of one categorical column; declare one of codes:"
            " kinds={'ward': 'categorical'}",
        )
    return column


def _identity(call: Call) -> Node:
    (number,) = call.arguments
    if number.kind != "number":
        raise Mistake(number.place, "I() takes arithmetic of numbers; this is a categorical column")
    return number if isinstance(number, Column) else Applied("I", (number,), "number", call.place)


FUNCTIONS: Mapping[str, Rule] = {
    **NUMERIC,
    "C": Rule("C(x)", 1, 1, _category),
    "I": Rule("I(x)", 1, 1, _identity),
}
FORMULAS = Grammar(
    what="a formula",
    signs=(*"+-*/()~:|", "**"),
    words=(),
    functions=FUNCTIONS,
    deepest=DEEPEST,
    instead={},
)


@dataclass(frozen=True)
class Model:
    """What a formula says, checked against the columns; `read_formula` makes it.

    `formula` is written out: products as sums of interactions, terms of fewer columns first,
    categorical columns as C(name), no intercept as `0 +`. `outcome` is the column on the left of
    the ~; `numbers` are the continuous columns in order of first use, the outcome first, and
    `levels` the categorical ones. It is `additive` if each term is one column as it is, and the
    outcome too.
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
    tree: Node = field(compare=False)

    @property
    def plain(self) -> bool:
        """Whether it is a column as it is."""
        return self.categorical or isinstance(self.tree, Column)


Term = tuple[Factor, ...]
"""What is multiplied: one factor, or those of an interaction."""


@dataclass(frozen=True)
class Parsed:
    """A formula taken apart; `random` is the column of a random intercept, empty without one."""

    outcome: Factor
    terms: tuple[Term, ...]
    intercept: bool
    random: str = ""

    @property
    def factors(self) -> list[Factor]:
        """The different factors of the terms."""
        return list(dict.fromkeys(factor for term in self.terms for factor in term))

    @property
    def model(self) -> Model:
        """The formula in its normal form."""
        factors = [self.outcome, *self.factors]
        texts = [] if self.intercept and self.terms else ["1" if self.intercept else "0"]
        texts += [":".join(factor.text for factor in term) for term in self.terms]
        texts += [f"(1 | {quoted(self.random)})"] if self.random else []
        return Model(
            formula=f"{self.outcome.text} ~ {' + '.join(texts)}",
            outcome=self.outcome.columns[0],
            numbers=_different(
                name for one in factors if not one.categorical for name in one.columns
            ),
            levels=_different(name for one in factors if one.categorical for name in one.columns),
            additive=self.outcome.plain
            and all(len(term) == 1 and term[0].plain for term in self.terms),
        )


RANDOM = (
    "a random term is an intercept by one column of levels, '+ (1 | study)', of codes '+ (1 |"
    " C(ward))'; there are no random slopes, and there is one such term at most"
)
NO_RANDOM = (
    "a random term, such as (1 | study), is for study.model alone; leave it out here, or write the"
    " column as a fixed term"
)


def has_random_term(formula: str) -> bool:
    """Tell whether a formula has the sign of a random term, whatever else it says.

    Examples
    --------
    >>> has_random_term("y ~ x + (1 | study)"), has_random_term("y ~ `a|b`")
    (True, False)
    """
    return "|" in NAMED.sub("", formula[:LONGEST])


NAMED = re.compile(r"`[^`]*`")
CATEGORY = re.compile(r"(?<!\w)C\(\s*(?:`([^`]*)`|(\w+))\s*\)")


def categories_named(formula: object) -> tuple[str, ...]:
    """Return the columns that a formula names as categories, whatever else it says.

    Examples
    --------
    >>> categories_named("y ~ C(ward) + C(`age group`) + C(1 + x)")
    ('ward', 'age group')
    """
    names = CATEGORY.findall(formula[:LONGEST]) if isinstance(formula, str) else ()
    return tuple(quoted or name for quoted, name in names)


def read_formula(formula: str, kinds: Mapping[str, str]) -> Model:
    """Read `y ~ x1 + C(group) + x1:x2 + x1*x2 + log(x1) + I(x1**2) - 1`, running none of it.

    `kinds` has the kind of each column, "continuous" or "categorical". docs/expressions.md and
    docs/models.md say what a formula may be; anything else is refused: attributes, subscripts,
    strings, other calls, the quoting `{...}` of formula libraries. Names are looked up as they are,
    that of a function or a keyword too. Powers are constants of at most 10, so no constant grows.

    **What it does not protect.** A harmless formula is still a question: a model with a term for
    one person shows that person (see `fit`, and the policy's rules).

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


def parse(
    formula: str, kinds: Mapping[str, str], shown: str = "", *, random: bool = False
) -> Parsed:
    """Take a formula apart, and check all of it.

    `shown` is what a mistake is shown in, sign by sign, where that is another text; `random` says
    whether it may have a random term.
    """
    if any(kind not in KINDS for kind in kinds.values()):
        raise InputError("the kind of a column must be one of 'continuous', 'categorical'")
    try:
        of = {name: KINDS[kinds[name]] for name in kinds}
        return _parse_tokens(FORMULAS.cut_up(formula), of, random)
    except Mistake as mistake:
        raise as_input_error(shown or formula, mistake) from None


def _parse_tokens(tokens: Sequence[Token], kinds: Mapping[str, Kind], random: bool) -> Parsed:
    sides = [side for _, side in _split(tokens, "~")]
    if len(sides) != 2:
        raise InputError("a formula needs one ~ between the outcome and the terms: 'y ~ x'")
    if len(sides[0]) == 1:
        raise InputError("the formula names no outcome; write it before the ~: 'y ~ x'")
    if len(sides[1]) == 1:
        raise InputError("the formula has no terms; write them after the ~: 'y ~ x'")
    outcome = _factor(sides[0], kinds)
    if outcome.categorical or len(outcome.columns) != 1:
        raise InputError("the outcome must be one continuous column, or a function of it")
    terms, intercept, by = _sum(sides[1], kinds, random)
    if by and not terms and not intercept:
        raise InputError(
            "without an intercept a random term needs another term beside it; keep the intercept"
        )
    if not terms and not by:
        raise InputError(
            "the formula has no term but the intercept, and nothing to draw it against; name a "
            "column after the ~"
        )
    if any(outcome.columns[0] in factor.columns for term in terms for factor in term):
        raise InputError(
            f"the outcome {outcome.columns[0]!r} is also on the right of the ~; leave it out"
        )
    if any(by in factor.columns for term in terms for factor in term):
        raise InputError(f"{by!r} is a random term and a fixed one; leave one of them out")
    return Parsed(outcome, tuple(sorted(terms, key=len)), intercept, by)


def parse_again(model: Model) -> Parsed:
    """Take a model's formula apart; a Model made by hand is checked like any other text."""
    kinds = dict.fromkeys(model.numbers, "continuous") | dict.fromkeys(model.levels, "categorical")
    return parse(model.formula, kinds)


def _split(tokens: Sequence[Token], signs: str) -> list[tuple[str, list[Token]]]:
    """Split at `signs` outside of brackets; each part has the sign before it, and an end."""
    parts: list[tuple[str, list[Token]]] = [("", [])]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.sort == "sign" and token.text in [*signs]:
            parts[-1][1].append(Token("end", "", token.place))
            parts.append((token.text, []))
        else:
            parts[-1][1].append(token)
    return parts


def _sum(
    tokens: Sequence[Token], kinds: Mapping[str, Kind], random: bool
) -> tuple[list[Term], bool, str]:
    """Read the right side: the terms, each once, if there is an intercept, and the random term."""
    terms: dict[frozenset[Factor], Term] = {}
    intercept, by = True, ""
    for number, (sign, part) in enumerate(_split(tokens, "+-")):
        texts = [token.text for token in part[:-1]]
        if number == 0 and not texts:  # the formula begins with a sign
            continue
        if texts in (["0"], ["1"]):
            intercept = (texts == ["1"]) == (sign != "-")
        elif any(token.sort == "sign" and token.text == "|" for token in part):
            place = (part[0].place[0], part[-2].place[1])
            if not random:
                raise Mistake(place, NO_RANDOM)
            if by or sign == "-" or texts[:3] != ["(", "1", "|"] or texts[-1] != ")":
                raise Mistake(place, RANDOM)
            factor = _factor([*part[3:-2], part[-1]], kinds)
            if not factor.categorical:
                raise Mistake(place, RANDOM)
            (by,) = factor.columns
        elif sign == "-":
            raise InputError("only the intercept can be removed, by '- 1'; leave terms out")
        else:
            for term in _product(part, kinds):
                terms.setdefault(frozenset(term), term)
        _check_count(len(terms))
    return list(terms.values()), intercept, by


def _product(tokens: Sequence[Token], kinds: Mapping[str, Kind]) -> list[Term]:
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


def _factor(tokens: Sequence[Token], kinds: Mapping[str, Kind]) -> Factor:
    """Read one column or one expression."""
    reader = Reader(tokens, kinds, FORMULAS)
    tree = reader.whole()
    columns = _different(reader.columns)
    if isinstance(tree, Constant) or (isinstance(tree, Applied) and tree.name not in FUNCTIONS):
        raise Mistake(
            tree.place, "a term is a column or a function; write I() around arithmetic: 'I(x ** 2)'"
        )
    if not columns:
        raise Mistake(tree.place, "a term has only constants; name a column in it")
    categorical = tree.kind == "level"
    text = written(tree)
    return Factor(f"C({text})" if categorical else text, columns, categorical, tree)


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


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
    references: tuple[tuple[str, str], ...]
    """The columns of levels, each with the first of its levels: what others are compared with."""


def design_of(
    parsed: Parsed,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Design:
    """Evaluate the factors, code their levels as R and patsy do, and multiply them.

    `orders` are the levels of columns from first to last; the first that rows have
    is the reference.
    """
    columns = {name: _numbers_of(name, numbers) for name in parsed.model.numbers}
    coded = {name: _codes_of(name, texts, orders.get(name, ())) for name in parsed.model.levels}
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
        coded[one.columns[0]][0] if one.categorical else _evaluate(one, columns) for one in factors
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
        outcome=_evaluate(parsed.outcome, columns),
        matrix=matrix,
        terms=tuple(
            ":".join(
                factors[i].text + ("" if level is None else f"[{coding}{labels[i][level]}]")
                for i, coding, level in each
            )
            or "Intercept"
            for each in cells
        ),
        ones=_adding_to_one(parsed, cells, levels),
        noisy=np.array([[level for _, _, level in each] == [None] for each in cells]),
        references=tuple((name, levels_of[0]) for name, (_, levels_of) in coded.items()),
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
        blocks += _join_blocks([each for each in span if frozenset(each) not in spanned])
        spanned |= {frozenset(each) for each in span}
    return blocks


def _join_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks: something, and that times a factor less its first level, is it times all."""
    out: list[Block] = []
    for block in sorted(blocks, key=len):
        for other in out:
            added = set(block) - set(other)
            if len(added) == len(block) - len(other) == 1 and (new := added.pop())[1]:
                full = tuple((i, reduced and i != new[0]) for i, reduced in block)
                out = _join_blocks([*(each for each in out if each != other), full])
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
        raise InputError(f"column {name!r} must contain only numbers") from None
    if column.ndim != 1 or not np.isfinite(column).all():
        raise InputError(f"column {name!r} must be one row of finite numbers")
    return column


def _codes_of(
    name: str, texts: Mapping[str, Sequence[str]], order: Sequence[str]
) -> tuple[NDArray[np.intp], list[str]]:
    """Return which level each row has, and the levels in order."""
    if name not in texts:
        raise InputError(f"column {name!r} of the formula is missing among the texts")
    codes, levels = as_levels(name, texts[name])
    if len(levels) < 2:
        raise RefusedError(f"column {name!r} has only one level; leave it out of the model")
    ordered = [*in_order(levels, order)]
    place = np.array([ordered.index(level) for level in levels], dtype=np.intp)
    return place[codes], ordered


def _evaluate(factor: Factor, columns: Mapping[str, Floats]) -> Floats:
    """Compute a factor of numbers."""
    with np.errstate(all="ignore"):
        out: Floats = computed(factor.tree, columns)
    _check_finite(out, f"the term {factor.text!r}")
    return out


def _check_finite(values: Floats, what: str) -> None:
    if not (np.abs(values) <= LARGEST_VALUE).all():
        raise RefusedError(
            f"{what} has no finite value for some row, or one too large to be computed with"
        )


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


PERFECT_FIT = 1e-9
"""Residuals that vary less than this (in sd of the outcome) are rounding errors."""


def check_residuals(design: Design, standard: Standard, residuals: Floats) -> None:
    """Refuse a model that leaves residuals of the standardised outcome by rounding alone."""
    doubt = ROUNDING * np.abs(design.outcome).max() / standard.scale
    if not np.sqrt(np.mean(residuals**2)) > PERFECT_FIT + doubt:
        raise RefusedError(PERFECT)
