"""Whatever is written is refused with words or computed; nothing of it is run by Python."""

import ast
import re
import string
import tracemalloc
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.expressions
from discreet.errors import InputError
from discreet.expressions import Days, Levels, Numbers, Values, parse_expression
from discreet.expressions.expression import LONGEST
from discreet.expressions.grammar import EXPRESSIONS
from discreet.expressions.meaning import MOST_ARGUMENTS
from tests.cases import examples

KINDS = {"x": "number", "body mass": "number", "sex": "level", "visit": "date"}
ROWS = 3
COLUMNS: dict[str, Values] = {
    "x": Numbers(np.array([1.0, -2.0, np.nan])),
    "body mass": Numbers(np.array([0.0, 1e300, -1e300])),
    "sex": Levels(("F", "", "{x}")),
    "visit": Days(np.array([17897.25, 1e300, np.nan])),
}
DEEPEST = EXPRESSIONS.deepest

HOSTILE = {
    "x.__class__": "the sign '.'",
    "x.__class__.__bases__[0].__subclasses__()": "the sign '.'",
    "__import__('os').system('id')": "the sign '.'",
    "__builtins__": "no column '__builtins__'",
    "eval('x')": "no function 'eval'",
    "getattr(x, 'real') > 1": "no function 'getattr'",
    "lambda: x": "the sign ':'",
    "import os": "no column 'import'",
    "x > 1; import os": "the sign ';'",
    "x > 1 # and so on": "the sign '#'",
    "x > 1 /* and so on */": "something is missing here",
    "x if x > 1 else 2": "case",
    "x[0]": r"the sign '\['",
    "(x := 1)": "the sign ':' has no place",
    "y ~ x": "no column 'y'|the sign '~'",
    "x @ x": "the sign '@'",
    "x % 2": "the sign '%'",
    "x // 2": "something is missing here",
    "x, 1": "cannot be read on",
    "max(*x)": "something is missing here",
    "round(x, digits=2)": "the sign '='",
    "log(x)(x)": "cannot be read on",
    "sex == f'{x}'": "no column 'f'",
    "sex == 'F' 'M'": "cannot be read on",
    "sex == '''F'''": r"^$",  # 'F' within quotation marks: a level like any other
    "'{x.__class__}'.format(x)": "the sign '.'",
    "'%s' % x": "the sign '%'",
    "True": "names at least one column",
    "nan > x": "no column 'nan'",
    "0x10 > x": "no column 'x10'|cannot be read on",
    "1_000 > x": "cannot be read on",
    "1.2.3 > x": "cannot be read on",
    "\u0661 > x": "the sign",  # a digit of another script
    "x\u00b2 > 1": "no column",
    "\uff58 > 1": "no column",  # full width: x once normalised
    "\U0001d431 > 1": "no column",  # bold: x once normalised
    "\uff4c\uff4f\uff47(x)": "no function",  # full width: log once normalised
    "x\u0301 > 1": "the sign '\u0301'",
    "x\u200b > 1": "the sign",
    "x\u202e > 1": "the sign",
    "x \u2212 1": "write a plain minus",
    "x\u2024real": "the sign",  # a dot once normalised
    "x \uff1e 1": "the sign",  # full width: > once normalised
    "x > 1\0": "the sign",
    "\ud800 > x": "the sign",
    "`\ud800` > x": "no column",
    "`x\0` > 1": "no column",
    "`x": "close the backtick",
    "``": "close the backtick",
    "x == 1\\\n": "the sign",
    "9**9**9 > x": "an exponent must be a constant of at most 10",
    "(9**9)**9 > x": "a power must be one of a column",
    "x**9**9**9": "an exponent must be a constant of at most 10",
    "(x**9)**9999999": "an exponent must be a constant of at most 10",
    "x > 1e999": "a constant must be a number of at most",
    "x > 9e15": "a constant must be a number of at most",
    "x > " + "9" * 1500: "a constant must be a number of at most",
    "x > 0." + "0" * 1500 + "1e" + "9" * 100: "a constant must be a number of at most",
    "x > " + "9" * 5000: "is too long",
    "round(x, " + "9" * 300 + ")": "a constant must be a number of at most",
    "x > 1" + " " * LONGEST: "is too long",
    "(" * 10_000 + "x" + ")" * 10_000: "is too long",
    "(" * 900 + "x" + ")" * 900: "nested too deeply",
    "(" * LONGEST: "nested too deeply",
    "log(" * 390 + "x" + ")" * 390: "nested too deeply",
    "-" * (LONGEST - 1) + "x": "nested too deeply",
    "not " * 400 + "x > 1": "nested too deeply",
    "case(x>1," * 200: "nested too deeply",
    "x in (" * 333: "nested too deeply",
    "x**" * 666 + "2": "an exponent must be a constant",
    "1" + "+x" * 900: f"too many operands; {MOST_ARGUMENTS} is the most",
    "x>1" + " or x>1" * 240: "too many operands",
    "1" + "<x" * 900: "too many operands",
    "x in (" + "1," * 900 + "1)": "too many operands",
    "max(" + "x," * 900 + "x)": "too many operands",
    "x" * LONGEST: "no column 'x{60}…'",
    "`" + "x" * (LONGEST - 2) + "`": "no column 'x{60}…'",
    "x" * 1000 + "(1)": "no function",
    "'" * (LONGEST - 1): "the quotation mark is not closed",
    "'a" * (LONGEST // 2): "cannot be read on|the quotation mark is not closed",
    '"' * (LONGEST - 1) + "'": "the quotation mark is not closed",
    "`" * LONGEST: "close the backtick",
    "`a" * 999 + "``": "cannot be read on|no column|close the backtick",
    "1" * 999 + "e" * 999: "cannot be read on|a constant must be",
    "1e+" * 600: "cannot be read on|something is missing",
    "1." * 900: "the sign '.'",
    "\t" * (LONGEST - 1) + "!": "the sign '!'",
    "x > 1 " + "a\u0301" * 500: "cannot be read on|the sign",
}


def tried(text: str) -> str:
    """Compute an expression; return what is said where it is refused."""
    try:
        read = parse_expression(text, KINDS)
    except InputError as error:
        said = str(error)
        assert said.isprintable() or said.replace("\n", "").isprintable()
        assert len(said) < 800
        return said
    found = read.evaluate(COLUMNS)
    assert len(found.words if isinstance(found, Levels) else found.values) == ROWS
    if not isinstance(found, Levels):
        assert not np.isinf(found.values).any()
    assert set(read.names) <= set(KINDS)
    return ""


def test_hostile() -> None:
    said = {text: tried(text) for text in HOSTILE}
    assert {
        it: said[it] for it, message in HOSTILE.items() if not re.search(message, said[it])
    } == {}


PIECES = [
    *KINDS,
    *"~+-*/:()`.{}'[],=\\<>! ",
    *["**", "<=", "==", "!=", "'F'", '"', "''", "'2019-01-01'", "`body mass`", "__class__", "\0"],
    *["1", "0", "2.5", "1e9", "-3", " and ", " or ", "not ", " in (", " not in ('F')", ")", ","],
    *(f"{name}(" for name in EXPRESSIONS.functions),
]
ANY_TEXT = st.one_of(
    st.text(),
    st.text(string.printable),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
)


@settings(max_examples=examples(600))
@given(ANY_TEXT)
def test_any_text_is_computed_or_refused(text: str) -> None:
    tried(text)


def test_what_is_just_within_the_limits_is_computed() -> None:
    for text in (
        "(" * DEEPEST + "x" + ")" * DEEPEST,
        "-" * DEEPEST + "x",
        "abs(" * DEEPEST + "x" + ")" * DEEPEST,
        "case(x>1," * DEEPEST + "x" + ",1)" * DEEPEST,
        "x" + "+x" * (MOST_ARGUMENTS - 1),
        "x in (" + ",".join(["1"] * MOST_ARGUMENTS) + ")",
        "x > 1" + " " * (LONGEST - 5),
    ):
        assert tried(text) == ""
    assert "nested too deeply" in tried("-" * (DEEPEST + 1) + "x")


def test_few_columns_are_held_at_once() -> None:
    rows = 20_000
    x = Numbers(np.linspace(-3, 3, rows))
    inner = "(x + 1)"
    for text in (
        "+".join([inner] * MOST_ARGUMENTS),
        f"max({','.join([inner] * MOST_ARGUMENTS)})",
        " or ".join(["x > 1"] * MOST_ARGUMENTS),
        f"x in ({','.join(map(str, range(MOST_ARGUMENTS)))})",
        "case(" + f"x > 1, {inner}, " * (MOST_ARGUMENTS // 2 - 1) + "1)",
    ):
        read = parse_expression(text, KINDS)
        tracemalloc.start()
        read.evaluate({"x": x})
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 10 * 8 * rows


def test_nothing_here_can_run_a_text() -> None:
    for path in Path(discreet.expressions.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        loaded = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
            for alias in node.names
        }  # fmt: skip
        assert not names & {"eval", "exec", "compile", "__import__", "getattr", "vars", "globals"}
        assert not loaded & {"ast", "builtins", "importlib", "pandas", "sys", "os"}
