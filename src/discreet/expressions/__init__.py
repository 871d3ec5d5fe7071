"""Expressions: what an analyst writes of columns, for subsets and new columns.

A text goes three steps. `tree` cuts it up; `grammar` reads it from left to right into a small
frozen tree, while `meaning` checks what is done with what; `values` computes the tree for arrays
of numpy. Nothing is handed to Python's own grammar or run by it: there are no attributes, no calls
but of the functions listed in `meaning`, and no names but those of columns. Length, depth,
operands and exponents are bounded, so time and memory are too.

Formulas of models (`discreet.regression`) have the same arithmetic, which `tree` writes out in
one form.
"""

from __future__ import annotations

from discreet.expressions.expression import Expression, parse_expression
from discreet.expressions.meaning import NO_AND_YES, yes_of
from discreet.expressions.values import Days, Levels, Numbers, Truth, Values

__all__ = [
    "NO_AND_YES",
    "Days",
    "Expression",
    "Levels",
    "Numbers",
    "Truth",
    "Values",
    "parse_expression",
    "yes_of",
]
