"""A text is read from left to right: by hand, in bounded depth, and nothing of it is run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from discreet.errors import near
from discreet.expressions import meaning
from discreet.expressions.tree import Column, Constant, Kind, Mistake, Node, Place, Token, cut_up

OR, AND, NOT, COMPARE, SUM, PRODUCT, MINUS, POWER = range(1, 9)
"""What binds more tightly has the higher number."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
LEVELS: Mapping[str, int] = {
    "or": OR,
    "and": AND,
    "not": COMPARE,  # not in
    "in": COMPARE,
    **dict.fromkeys(COMPARISONS, COMPARE),
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "/": PRODUCT,
    "**": POWER,
}
WORDS = ("and", "or", "not", "in")
TRUTHS = ("true", "false")
"""Words in whatever case, unless there is a column of that name."""
LONGEST_NAMED = 60
"""So many characters of an unknown name are repeated in a message."""
INSTEAD = {
    "between": "write between(x, low, high)",
    "is": "write == to compare, or missing(x)",
    "like": "write == or in",
    "if": "write case(condition, value, otherwise)",
}
"""What is written in place of words that others know."""


@dataclass(frozen=True)
class Grammar:
    """What may be written: which words, signs and functions, and how deep; `what` it is called.

    `instead` says what is written in place of other signs.
    """

    what: str
    signs: Collection[str]
    words: Collection[str]
    functions: Mapping[str, meaning.Rule]
    deepest: int
    instead: Mapping[str, str]

    def cut_up(self, text: str) -> list[Token]:
        """Cut a text up; raises a Mistake at the first sign that has no place in it."""
        return cut_up(text, self.what, self.signs, self.instead)


EXPRESSIONS = Grammar(
    what="an expression",
    signs=(*COMPARISONS, "+", "-", "*", "/", "**", "(", ")", ",", '"'),
    words=WORDS,
    functions=meaning.FUNCTIONS,
    deepest=40,
    instead={
        "=": "write == to compare",
        "&": "write 'and'",
        "|": "write 'or'",
        "!": "write 'not', or != to compare",
        "~": "write 'not'",
        "^": "write ** for a power",
        "'": "the quotation mark is not closed",
        '"': "the quotation mark is not closed",
        **dict.fromkeys("‘’“”„«»", "write a plain quotation mark, ' or \""),  # noqa: RUF001
    },
)


@dataclass
class Reader:
    """The tokens of a text, and how far they are read.

    `yes` has, of columns that say yes or no, the value that is true.
    """

    tokens: Sequence[Token]
    kinds: Mapping[str, Kind]
    grammar: Grammar
    yes: Mapping[str, str] = field(default_factory=dict)
    at: int = 0
    depth: int = 0
    columns: list[str] = field(default_factory=list)

    @property
    def next(self) -> Token:
        """The token that is read next."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """Read one token."""
        token = self.next
        self.at += token.sort != "end"
        return token

    def is_next(self, *texts: str) -> bool:
        """Tell whether one of some signs or words comes next."""
        token = self.next
        return self._sign(token) in texts

    def _sign(self, token: Token) -> str:
        known = token.sort == "sign" or (token.sort == "name" and token.text in self.grammar.words)
        return token.text if known else ""

    def expects(self, sign: str, says: str) -> Token:
        """Read one sign, or say that it is missing."""
        if not self.is_next(sign):
            raise Mistake(self.next.place, self.instead() or says)
        return self.take()

    def instead(self) -> str:
        """Say what is written in place of a word of another language that comes next."""
        word = self.next.text.lower() if self.grammar.words else ""
        if word in self.grammar.words:
            return f"write {word!r} in small letters"
        return INSTEAD.get(word, "")

    def whole(self) -> Node:
        """Read a whole text; raises a Mistake that knows its place."""
        node = self.expression()
        token = self.next
        if token.sort == "end":
            return node
        if token.text == ")":
            raise Mistake(token.place, "a bracket is closed that was not opened")
        says = f"{self.grammar.what} cannot be read on from here; a sign is missing, or too many"
        raise Mistake(token.place, self.instead() or says)

    def expression(self, least: int = OR) -> Node:
        """Read operands, and the signs between them that bind as tightly as `least` or more."""
        node = self.operand(least)
        while (level := LEVELS.get(self._sign(self.next), 0)) >= least:
            node = self.chain(node, level)
        return node

    def chain(self, first: Node, level: int) -> Node:
        """Read all that follows by signs that bind alike: one node, whatever its length."""
        if level == POWER:
            self.take()
            exponent = self.operand(MINUS)
            if self.is_next("**"):  # which would be a part of the exponent
                raise Mistake(exponent.place, meaning.NO_EXPONENT)
            return meaning.power(first, exponent)
        if level == COMPARE and self.is_next("in", "not"):
            return self.within(first)
        operands, signs = [first], []
        while LEVELS.get(self._sign(self.next)) == level and not self.is_next("in", "not"):
            signs.append(self.take().text)
            operands.append(self.expression(level + 1))
            self._count(operands, signs[-1])
        if level in (OR, AND):
            return meaning.joined(signs[0], operands)
        return {COMPARE: meaning.compared, SUM: meaning.total, PRODUCT: meaning.product}[level](
            signs, operands
        )

    def within(self, operand: Node) -> Node:
        """Read `in (...)` or `not in (...)`."""
        start = self.take()
        if start.text == "not":
            self.expects("in", "'not' stands before a condition, or before 'in'")
        if not self.is_next("("):
            raise Mistake(self.next.place, "behind 'in' stands a list in brackets: in ('a', 'b')")
        self.deeper()
        choices = [self.expression()]
        while self.is_next(","):
            self.take()
            choices.append(self.expression())
            self._count(choices, "in")
        end = self.expects(")", "a bracket is not closed, or a comma is missing").place
        node = self.up(meaning.among(operand, choices, end))
        return meaning.opposite(node, node.place) if start.text == "not" else node

    def _count(self, many: Collection[object], what: str) -> None:
        if len(many) > meaning.MOST_ARGUMENTS:
            raise Mistake(
                self.next.place,
                f"{what!r} has too many operands; {meaning.MOST_ARGUMENTS} is the most",
            )

    def operand(self, least: int) -> Node:
        """Read one operand, with the `not` or the sign before it."""
        if self.is_next("not"):
            if least > NOT:
                raise Mistake(self.next.place, "write brackets around not: (not ...)")
            place = self.deeper()
            return self.up(meaning.opposite(self.expression(NOT), place))
        if self.is_next("-", "+"):
            sign = self.next.text
            place = self.deeper()
            inner = self.expression(MINUS)
            return self.up(meaning.negative(inner, place) if sign == "-" else inner)
        return self.primary()

    def primary(self) -> Node:
        """Read a constant, a column, a function, or what stands in brackets."""
        token = self.next
        match token.sort:
            case "number":
                self.take()
                return meaning.constant(token.text, token.place)
            case "text":
                self.take()
                mark = token.text[0]
                inner = token.text[1:-1].replace(mark * 2, mark)
                return Constant(inner, "level", token.place, inner)
            case "column":
                self.take()
                return self.column(token.text[1:-1], token.place)
            case "name" if token.text not in self.grammar.words:
                self.take()
                if self.is_next("("):
                    return self.call(token)
                if self._is_truth(token.text):
                    return meaning.truth(token.text, token.place)
                return self.column(token.text, token.place)
        if token.text == "(":
            self.deeper()
            inside = self.expression()
            self.expects(")", "a bracket is not closed, or a sign is missing")
            return self.up(inside)
        raise Mistake(
            token.place, "something is missing here: a column, a constant, a function or a bracket"
        )

    def _is_truth(self, name: str) -> bool:
        known = bool(self.grammar.words) and name not in self.kinds
        return known and name.lower() in TRUTHS

    def column(self, name: str, place: Place) -> Node:
        """Find a column by its name, exactly as it is."""
        if name not in self.kinds:
            if name in self.grammar.functions:
                usage = self.grammar.functions[name].usage
                raise Mistake(place, f"there is no column {name!r}; the function is {usage}")
            raise Mistake(place, f"there is no column {_short(name)}; {near(name, [*self.kinds])}")
        self.columns.append(name)
        return Column(name, self.kinds[name], place, self.yes.get(name, ""))

    def call(self, name: Token) -> Node:
        """Read what stands in the brackets of a function."""
        rule = self.grammar.functions.get(name.text)
        if rule is None:
            known = near(name.text, [*self.grammar.functions])
            raise Mistake(name.place, f"there is no function {_short(name.text)}; {known}")
        self.deeper()
        arguments: list[Node] = []
        missing = "comma" if rule.most > 1 else "sign"
        while not self.is_next(")"):
            if arguments:
                self.expects(",", f"a bracket is not closed, or a {missing} is missing")
            arguments.append(self.expression())
            self._count(arguments, name.text)
        place = (name.place[0], self.take().place[1])
        if not rule.least <= len(arguments) <= rule.most:
            raise Mistake(place, f"the function is {rule.usage}")
        return self.up(rule.made(meaning.Call(name.text, tuple(arguments), place)))

    def deeper(self) -> Place:
        """Read what opens a level; there are not many of them, so that no text exhausts Python."""
        token = self.take()
        self.depth += 1
        if self.depth > self.grammar.deepest:
            raise Mistake(
                token.place,
                f"{self.grammar.what} is nested too deeply; {self.grammar.deepest} steps is"
                " the most",
            )
        return token.place

    def up(self, node: Node) -> Node:
        """Return what was read within a level."""
        self.depth -= 1
        return node


def _short(name: str) -> str:
    """Quote a name; of a very long one the beginning."""
    return repr(name if len(name) <= LONGEST_NAMED else f"{name[:LONGEST_NAMED]}…")
