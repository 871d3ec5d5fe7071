"""Formulas: what is read, in which form, and that nothing else is."""

import string
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.regression.formula import (
    DEEPEST,
    LONGEST,
    MOST_TERMS,
    Model,
    parse,
    parse_again,
    read_formula,
)

KINDS: Mapping[str, str] = {
    "y": "continuous",
    "x": "continuous",
    "x2": "continuous",
    "log": "continuous",
    "lambda": "continuous",
    "body mass": "continuous",
    "größe": "continuous",
    "sex": "categorical",
    "group": "categorical",
    "birth place": "categorical",
}

# what is written, and its normal form
READ = {
    "y ~ x": "y ~ x",
    "  y~x+x2 ": "y ~ x + x2",
    "y ~ x - 1": "y ~ 0 + x",
    "y ~ -1 + x": "y ~ 0 + x",
    "y ~ 0 + x + 1": "y ~ x",
    "y ~ sex": "y ~ C(sex)",
    "y ~ C(sex) + sex": "y ~ C(sex)",
    "y ~ `sex` + `x`": "y ~ C(sex) + x",
    "y ~ x:x2 + x2:x": "y ~ x:x2",
    "y ~ x*sex": "y ~ x + C(sex) + x:C(sex)",
    "y ~ x:x2 + x": "y ~ x + x:x2",
    "y ~ x*x2*sex": "y ~ x + x2 + C(sex) + x:x2 + x:C(sex) + x2:C(sex) + x:x2:C(sex)",
    "y ~ log(x)": "y ~ log(x)",
    "y ~ log(x) + log( x )": "y ~ log(x)",
    "y ~ log": "y ~ log",
    "y ~ I(x**2)": "y ~ I(x ** 2)",
    "y ~ I(x)": "y ~ x",
    "y ~ (x)": "y ~ x",
    "y ~ I(-x/x2 + 1e3*(x - .5))": "y ~ I(-x / x2 + 1000.0 * (x - 0.5))",
    "y ~ sqrt(x + 1):group": "y ~ sqrt(x + 1):C(group)",
    "log(y) ~ exp(x) + log10(x2)": "log(y) ~ exp(x) + log10(x2)",
    "y ~ `body mass` + C(`birth place`)": "y ~ `body mass` + C(`birth place`)",
    "y ~ log(`body mass` + 1)": "y ~ log(`body mass` + 1)",
    "y ~ größe": "y ~ größe",
    "y\n~\tx": "y ~ x",
}


@pytest.mark.parametrize(("written", "normal"), READ.items())
def test_normal_form(written: str, normal: str) -> None:
    model = read_formula(written, KINDS)
    assert model.formula == normal
    assert read_formula(model.formula, KINDS) == model


def test_columns_come_in_order_of_first_use_the_outcome_first() -> None:
    model = read_formula("log(y) ~ x2:group + I(x / x2) + sex", KINDS)
    assert model == Model(
        formula="log(y) ~ I(x / x2) + C(sex) + x2:C(group)",
        outcome="y",
        numbers=("y", "x", "x2"),
        levels=("sex", "group"),
        additive=False,
    )


ADDITIVE = {
    "y ~ x + sex - 1": True,
    "y ~ I(x) + C(sex)": True,
    "y ~ x * sex": False,
    "y ~ log(x)": False,
    "log(y) ~ x": False,
}


@pytest.mark.parametrize(("formula", "additive"), ADDITIVE.items())
def test_additive(formula: str, additive: bool) -> None:
    assert read_formula(formula, KINDS).additive is additive


MISTAKES = {
    "": "needs one ~",
    "y ~ x ~ x2": "needs one ~",
    "~ x": "names no outcome",
    "y ~ ": "has no terms",
    "y ~ 1": "no term but the intercept",
    "y ~ -": "only the intercept can be removed",
    "y ~ x +": "something is missing here",
    "y ~ x x2": "cannot be read on from here",
    "y ~ log(x": "a bracket is not closed, or a sign is missing",
    "y ~ x)": "a bracket is closed that was not opened",
    "y ~ x - x2": "only the intercept can be removed",
    "y ~ X": "no column 'X'; did you mean 'x'",
    "y ~ q": "no column 'q'; there are 'y', 'x'",
    "y ~ `body mas`": "no column 'body mas'; did you mean 'body mass'",
    "y ~ x**2": "write I",
    "y ~ (x + x2):sex": "write I",
    "y ~ -x": "only the intercept can be removed",
    "y ~ x:1": "write I",
    "y ~ I(1)": "only constants",
    "y ~ C(x)": "one categorical column",
    "y ~ C(log(x))": "one categorical column",
    "y ~ log()": r"the function is log\(x\)",
    "y ~ log(sex)": r"log\(\) takes a number",
    "y ~ I(sex)": r"I\(\) takes arithmetic of numbers",
    "y ~ I(x ** x2)": "an exponent must be a constant",
    "y ~ I(x ** 11)": "an exponent must be a constant of at most 10",
    "y ~ I(x * 1e16)": "a constant must be",
    "sex ~ x": "the outcome must be one continuous column",
    "I(y - x) ~ x2": "the outcome must be one continuous column",
    "y:x ~ x2": "cannot be read on from here",
    "y ~ x + log(y)": "outcome 'y' is also on the right",
}


@pytest.mark.parametrize(("formula", "message"), MISTAKES.items())
def test_mistakes(formula: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_formula(formula, KINDS)


HOSTILE = {
    "y ~ x.__class__.__bases__[0].__subclasses__()": "the sign '.'",
    "y ~ __import__('os').system('id')": 'the sign "\'"',
    "y ~ eval(x)": "no function 'eval'",
    "y ~ (lambda: x)()": "a bracket is not closed, or a sign is missing",
    "y ~ lambda x: x": "cannot be read on from here",
    "y ~ (z := x)": "the sign '='",
    "y ~ I(x == 1)": "the sign '=='",
    "y ~ I(x if x else 1)": "a bracket is not closed, or a sign is missing",
    "y ~ I(not x)": "no function 'not'|no column 'not'",
    "y ~ x[0]": r"the sign '\['",
    "y ~ {x.values}": r"the sign '\{'",
    "y ~ `{x}`": "no column '{x}'",
    "y ~ np.log(x)": "the sign '.'",
    "y ~ Q('x')": 'the sign "\'"',
    "y ~ I('''x''')": 'the sign "\'"',
    "y ~ `x": "the sign '`'",
    "y ~ ``": "the sign '`'",
    "y ~ `x`(x)": "cannot be read on from here",
    "y ~ ```x```": "the sign '`'",
    "y ~ `__import__('os')`": "no column",
    "y ~ bs(x)": "no function 'bs'",
    "y ~ bs(x, df=4)": "no function 'bs'|the sign ','",
    "y ~ C(sex, contr.treatment)": "the sign ','",
    "y ~ log(x)(x)": "cannot be read on from here",
    "y ~ log(*x)": "something is missing here",
    "y ~ I(~x)": "something is missing here",
    "y ~ I(x // x2)": "something is missing here",
    "y ~ I(x % 2)": "the sign '%'",
    "y ~ I(x ^ 2)": r"the sign '\^'",
    "y ~ x | sex": r"a random term, such as \(1 \| study\), is for study.model alone",
    "y ~ x + (1 | sex)": "is for study.model alone",
    "y ~ .": r"the sign '\.'",
    "y ~ x # comment": "the sign '#'",
    "y ~ x\\\n": r"the sign '\\\\'",
    "y ~ x\0": "the sign",
    "y ~ x\u200b": "the sign",
    "y ~ \uff4c\uff4f\uff47(x)": "no function",  # full width: log once normalised
    "y ~ \uff58": "no column",  # full width: x once normalised
    "y ~ \U0001d431": "no column",  # bold: x once normalised
    "y ~ x\u2024real": "the sign",  # a dot once normalised
    "y ~ x \u2212 1": "the sign",
    "y ~ \u0661": "the sign",  # a digit of another script
    "y ~ I(0x10 * x)": "a bracket is not closed, or a sign is missing",
    "y ~ I(1_000 * x)": "a bracket is not closed, or a sign is missing",
    "y ~ True": "no column 'True'",
    "y ~ v0(x)": "no function 'v0'",
    "y ~ I(9**9**9 * x)": "an exponent must be a constant",
    "y ~ I((9**9)**9 * x)": "a power must be one of a column",
    "y ~ I((2 + 2)**9 * x)": "a power must be one of a column",
    "y ~ I(log(9)**9 * x)": "a power must be one of a column",
    "y ~ I(x * 9" + "9" * 400 + ")": "a constant must be",
    "y ~ " + "(" * 200 + "x" + ")" * 200: "nested too deeply",
    "y ~ " + "(" * 200: "nested too deeply",
    "y ~ " + "log(" * 90 + "x" + ")" * 90: "nested too deeply",
    "y ~ I(" + "-" * 300 + "x)": "nested too deeply",
    "y ~ I(" + "x+" * 200 + "x)": "too many operands",
    "y ~ I(" + "x**" * 100 + "x)": "an exponent|nested too deeply",
    "y ~ " + "x" * LONGEST: "is too long",
    "y ~ " + " + ".join(f"I(x+{i})" for i in range(MOST_TERMS + 1)): "is too long|too many terms",
    "y ~ " + "*".join(f"I(x+{i})" for i in range(40)): "too many terms",
}


@pytest.mark.parametrize(("formula", "message"), HOSTILE.items())
def test_hostile(formula: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_formula(formula, KINDS)


@pytest.mark.parametrize(("formula", "message"), [*HOSTILE.items()][::4])
def test_a_model_made_by_hand_is_checked_again(formula: str, message: str) -> None:
    forged = Model(formula, "y", tuple(KINDS)[:7], tuple(KINDS)[7:], additive=True)
    if "too long" in message:
        message = "too many terms|no column"  # products written out may be longer
    elif message.startswith("no column"):
        message = "no column"
    with pytest.raises(InputError, match=message):
        parse_again(forged)


def test_terms_are_counted_when_written_out() -> None:
    kinds = {"y": "continuous", **{f"x{i}": "continuous" for i in range(MOST_TERMS + 1)}}
    names = [f"x{i}" for i in range(MOST_TERMS + 1)]
    assert read_formula("y~" + "+".join(names[1:]), kinds).numbers == ("y", *names[1:])
    with pytest.raises(InputError, match="too many terms; 50 is the most"):
        read_formula("y~" + "+".join(names), kinds)
    with pytest.raises(InputError, match="too many terms"):
        read_formula("y ~ " + "*".join(names[:6]), kinds)


def test_depth_is_limited() -> None:
    def nested(depth: int) -> str:
        return "y ~ " + "exp(" * depth + "x" + ")" * depth

    assert read_formula(nested(DEEPEST), KINDS).formula == nested(DEEPEST)
    deep = read_formula(nested(DEEPEST - 2).replace("x)", "x ** -1)", 1), KINDS)
    assert read_formula(deep.formula, KINDS) == deep  # which has brackets around the -1
    with pytest.raises(InputError, match="nested too deeply"):
        read_formula(nested(DEEPEST + 1), KINDS)


def test_a_column_may_have_any_name() -> None:
    names = ["C", "I", "np", "__import__", "f0", "v1", "x:z", "{x}", "f0[T.1]", "a~b", " ", "1"]
    kinds = {"y": "continuous", **dict.fromkeys(names, "continuous")}
    formula = "y ~ " + " + ".join(f"`{name}`" for name in names)
    model = read_formula(formula, kinds)
    assert model.numbers == ("y", *names)
    assert read_formula(model.formula, kinds) == model


PIECES = [
    *KINDS,
    *"~+-*/:()`.{}'[],=\\ |",
    *["**", "C(", "I(", "log(", "exp(", "1", "0", "2.5", "1e9", "`body mass`", "`", "__class__"],
]


@given(
    st.one_of(
        st.text(),
        st.text(string.printable),
        st.lists(st.sampled_from(PIECES)).map("".join),
        st.lists(st.sampled_from(PIECES)).map(lambda pieces: "y ~ " + " ".join(pieces)),
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        model = read_formula(text, KINDS)
    except InputError:
        return
    assert parse(model.formula, KINDS).model == model
    assert set(model.numbers) | set(model.levels) <= set(KINDS)


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["x", "x2", "`body mass`", "log", "2", "0.5"])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            st.builds("({})**{}".format, inner, st.sampled_from(["2", "-1", "0.5"])),
            st.builds("{}({})".format, st.sampled_from(["log", "exp", "I"]), inner),
            inner.map("-{}".format),
        ),
        max_leaves=6,
    )


@given(st.lists(expressions(), min_size=1, max_size=3))
def test_the_normal_form_is_read_as_itself(found: list[str]) -> None:
    try:
        model = read_formula("y ~ " + " + ".join(f"I({each})" for each in found), KINDS)
    except InputError as error:
        assert any(  # noqa: PT017
            word in str(error) for word in ("constant", "too long", "nested too deeply")
        )
        return
    assert parse(model.formula, KINDS).model == model
