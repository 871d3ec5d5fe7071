"""What columns look like: whose a row is, and a policy to begin with, for a custodian to edit."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from discreet.columns import KINDS
from discreet.custodian.persons import person_column, role_named, words_in, words_of
from discreet.errors import RefusedError
from discreet.methods.copies import MEMBERS_PER_K
from discreet.methods.values import extreme_mean, nice_step, safe_ends, short
from discreet.policy import FIELDS, Policy
from discreet.policy.words import toml_of
from discreet.progress import advance
from discreet.table import Table, levels_of_two_values, open_table

# --- what a column may be -------------------------------------------------------------------------

CODES = words_in(
    """class pclass code type group category cat level grade stage status sex gender race
    ethnicity region district state country cluster arm site centre center flag is has"""
)
FEW_BY_NAME, FEW = 20, 6
PERSONS_PER_K, NARROWEST = 10, 1e-9
"""Ends are proposed of so many values, and of those that differ by more than this of their size."""
UNSURE = "its name tells nothing, so others may know it about a person; write other if they cannot"


@dataclass(frozen=True)
class Guess:
    """What is guessed of a column: its role, its kind where it is drawn, and why.

    `ends` are those of its axis in pictures, further outward, where they can be told, `bounds`
    what no value is beyond, and `codes` numbers that may stand for missing values. `readings` are
    the forms in which its texts may be dates, and `dates` the one that was declared.
    """

    name: str
    role: str
    kind: str | None
    why: str
    ends: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None
    codes: tuple[float, ...] = ()
    readings: tuple[str, ...] = ()
    dates: str | None = None


def propose_policy(source: object, dates: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a policy for a table as TOML text, with a role, a kind and a range for each column.

    `Policy.load` reads it; comments say what each line means, and what is unsure is commented out.
    `dates` says how dates in text are written, where their rows do not.

    The text holds names of columns, and no level, count or value that fewer than k people share.
    A range is that of a guarded picture's axis (the means of the k smallest and k largest values,
    rounded outward), once more rounded outward; where a picture would be refused there is none. A
    bound is 0 where nothing is negative, or what the k smallest or k largest all share. Codes are
    those of `Study.missing_codes`, and everything else is guessed without them.

    **What it does not tell.** It guesses from names and from how many people share a value. It
    does not know what somebody else may know of a person, which is what roles are about: a
    custodian must read every line. A name that says nothing is that of a quasi-identifier: taken
    for `other`, what somebody knows of a person would be overlooked.

    Examples
    --------
    >>> import discreet as dc
    >>> text = propose_policy(dc.datasets.diabetes())
    >>> [line for line in text.splitlines() if line.startswith("roles.age")]
    ['roles.age = "quasi-identifier"']
    """
    table = source
    if not isinstance(table, Table):
        table = open_table(source, kinds={}, roles={}, unit=None, key=None, dates=dates)
    unit = person_column(table, {})
    if unit is not None and not isinstance(source, Table):  # so that persons are counted below
        table = open_table(source, kinds={}, roles={}, unit=unit, key=None, dates=dates)
    policy = Policy.preset("standard")
    codes = {name: table.codes(name, policy.k) for name in table.columns}
    table = levels_of_two_values(table.changed(table.columns, codes), (), policy.k)
    guesses = []
    for i, name in enumerate(table.columns):
        readings = table.columns[name].readings
        if name == unit:
            guess = Guess(name, "identifier", None, "it identifies the person of a row")
        else:
            guess = _guess(table, policy, name)
        found = replace(guess, codes=codes[name], readings=readings)
        guesses.append(replace(found, dates=dates.get(name)))
        advance("reading columns", i + 1, len(table.columns))
    columns = [COLUMNS, *map(_column_text, guesses)]
    rules = _rule_texts(policy, guesses, unit)
    study = f"study = {toml_of(table.name)}" if table.name else '# study = "cohort"'
    text = "\n\n".join([HEAD, f"{STUDY}\n{study}", *columns, *rules, USE]) + "\n"
    return "".join(it if it.isprintable() or it == "\n" else _code(it) for it in text)


def _guess(table: Table, policy: Policy, name: str) -> Guess:
    column, words = table.columns[name], words_of(name)
    named = role_named(name)
    if column.kind not in KINDS:
        why = (
            "of a type that cannot be drawn"
            if column.dates is None
            else "dates: drawn only from the copy"
        )
        return Guess(name, named or "quasi-identifier", None, why)
    shared = _shared_levels(table, policy.k, name)
    if _tells_rows_apart(table, policy.k, name, named, shared):
        return Guess(name, "identifier", None, "nearly every row has a different value")
    if named == "identifier" and not shared:
        return Guess(name, "identifier", None, "guessed from its name")
    # What many persons share, such as whether there is a telephone, names nobody.
    role = "quasi-identifier" if named in ("identifier", None) else named
    why = UNSURE if named is None else "guessed from its name"
    # A few numbers stand for levels, or some more where the name says so.
    code = 0 < shared <= (FEW_BY_NAME if words & CODES else FEW)
    levels = column.kind == "categorical" or code
    kind = "categorical" if levels else "continuous"
    if kind == "categorical":
        return Guess(name, role, kind, why)
    return Guess(name, role, kind, why, _ends(table, policy, name), _bounds(table, policy, name))


def _shared_levels(table: Table, k: int, name: str) -> int:
    """Return how many values a column has, if they are few and k people share each; else 0."""
    little = 10 * FEW_BY_NAME
    if table.columns[name].kind == "continuous" and not (
        _reach(table, name) < little and table.is_whole(name)
    ):
        return 0  # not counted: there may be as many values as rows
    counts = {level: count for level, count in table.levels(name).items() if level}
    few = 0 < len(counts) <= FEW_BY_NAME
    return len(counts) if few and min(counts.values()) >= k else 0


def _reach(table: Table, name: str) -> float:
    """Return how far the numbers of a column reach; infinitely far where there are none."""
    try:
        lows, highs = table.extremes(name, 1)
    except RefusedError:
        return math.inf
    return float(highs[0]) - float(lows[0])


def _tells_rows_apart(table: Table, k: int, name: str, named: str | None, shared: int) -> bool:
    """Whether a column is as good as a name: texts, or whole numbers, that few rows share."""
    if shared:
        return False
    if table.columns[name].kind == "categorical":
        if not table.shown([name], "categorical"):
            return True
        counts = [count for level, count in table.levels(name).items() if level]
        rare = sum(count for count in counts if count < k)
        return named in (None, "identifier") and 2 * rare > sum(counts)
    if _reach(table, name) < table.size and table.numbering([name]):
        return named in (None, "identifier")
    return named is None and table.is_whole(name) and table.all_different(name)


def _ends(table: Table, policy: Policy, name: str) -> tuple[float, float] | None:
    """Return ends that lie outside of the means of the k smallest and largest values.

    None where there are too few values for that, or they hardly differ.
    """
    try:
        lows, highs = table.extremes(name, PERSONS_PER_K * policy.k)
    except RefusedError:
        return None
    if len(lows) < PERSONS_PER_K * policy.k:
        return None
    low, high = (extreme_mean(it[: 2 * policy.k], policy.k) for it in (lows, highs))
    if not NARROWEST * max(abs(low), abs(high)) < high - low < math.inf:
        return None
    low, high = safe_ends(low, high, whole=table.is_whole(name, but_for=policy.k))
    step = nice_step(high - low, share=0.2)
    return short(math.floor(low / step) * step) + 0.0, short(math.ceil(high / step) * step) + 0.0


def _bounds(table: Table, policy: Policy, name: str) -> tuple[float, float] | None:
    """Return what k people or more lie at and none beyond, or 0 below; None where both are open.

    A column that is coded to 80 ends there with many people; one that is measured does not.
    """
    try:
        lows, highs = table.extremes(name, policy.k)
    except RefusedError:
        return None
    if len(lows) < policy.k:
        return None
    low = lows[0] if lows[0] == lows[-1] else (0.0 if lows[0] >= 0 else -math.inf)
    high = highs[0] if highs[0] == highs[-1] else math.inf
    open_ended = math.isinf(low) and math.isinf(high)
    return None if open_ended or not low < high else (float(low), float(high))


# --- how it is written ----------------------------------------------------------------------------

HEAD = """\
# A policy for discreet, proposed from the names of the columns and from how many people share a
# value. It is a beginning: read every line, and correct it, before anybody else sees a plot.
# Lines that begin with # count for nothing; take the # away to make one count.
# The folder of this file also keeps the study's secret and register (.discreet): keep others out.
preset = "standard"\
"""

MEANT = {
    "identifier": "identifies a person; never shown",
    "quasi-identifier": "others may know it about a person (age, region, occupation, ...)",
    "sensitive": "what nobody may learn about a person",
    "other": "neither",
}
"""What each role is, in a few words."""


def _comment(text: str, indent: str = "") -> str:
    first, rest = "# ", f"# {indent}"
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest)


def _field_comment(name: str, hint: str = "") -> str:
    """Write what a field means, and what to mind where it is proposed."""
    return _comment(f"{FIELDS[name].says} {hint}".strip())


def _column_comment(name: str, hint: str = "") -> str:
    return _comment(f"{name}: {FIELDS[name].says} {hint}".strip(), " " * 8)


STUDY = _field_comment(
    "study",
    "Keep it when the file is renamed or its data change; data on other people need another "
    "name and a policy of their own.",
)
COLUMNS = "\n".join(
    [
        f"# ---------- The columns {'-' * 75}",
        _column_comment("roles"),
        *(f"#         {role:<17} {meant}" for role, meant in MEANT.items()),
        _column_comment("kinds", "Write continuous (numbers) or categorical (levels)."),
        _column_comment(
            "limits",
            "Without them an axis ends near the data, which shows roughly where the outermost"
            " people lie. Declare what is publicly known, such as 18 and 90 for the ages of a"
            " study that took in no others, rather than what is proposed: that is rounded from the"
            " data. No limits are proposed where the data do not allow it.",
        ),
        _column_comment("bounds", "Protected values stay within them."),
        _column_comment("dates", 'An example is "%d/%m/%Y".'),
        _column_comment(
            "missing_values",
            "Proposed are numbers that lie far from all others and are repeated. Remove the # "
            "if they stand for a missing value; write [] if they are values. Until then they "
            "are drawn as numbers, and every plot of the column says so.",
        ),
    ]
)


def _column_text(guess: Guess) -> str:
    lines = [
        f"# {_key(guess.name)}: {guess.why}",
        f"roles.{_key(guess.name)} = {toml_of(guess.role)}",
    ]
    if guess.dates is not None:
        lines.append(f"dates.{_key(guess.name)} = {toml_of(guess.dates)}")
    if guess.readings:
        lines.append("# Its texts may be dates, and its rows do not say in which of these forms:")
        lines += [f"# dates.{_key(guess.name)} = {toml_of(form)}" for form in guess.readings]
        lines.append("# Take the # away before the one that it is.")
    if guess.role == "identifier":
        return "\n".join(lines)
    if guess.kind is not None and not guess.readings:
        lines.append(f"kinds.{_key(guess.name)} = {toml_of(guess.kind)}")
    for what, ends in (("limits", guess.ends), ("bounds", guess.bounds)):
        if ends is not None:
            low, high = (_number(end) for end in ends)
            lines.append(f"# {what}.{_key(guess.name)} = [{low}, {high}]")
    if guess.codes:
        codes = ", ".join(map(_number, guess.codes))
        lines.append(f"# missing_values.{_key(guess.name)} = [{codes}]")
    return "\n".join(lines)


def _rule_texts(policy: Policy, guesses: Sequence[Guess], unit: str | None) -> Iterator[str]:
    drawn = [guess for guess in guesses if guess.role != "identifier" and guess.kind is not None]
    levels = [
        guess.name
        for guess in drawn
        if guess.kind == "categorical" and guess.role == "quasi-identifier"
    ]
    named = [guess.name for guess in guesses if guess.role == "identifier"]
    yield RULE
    yield f"{K}\nk = {policy.k}"
    members = f"# m = {MEMBERS_PER_K * policy.k}"
    of = [_key(guess.name) for guess in guesses if guess.role == "sensitive"]
    sensitive = (
        f"{', '.join(of)} (guessed). Are there others?" if of else "no column, by its name. Is one?"
    )
    yield f"{ROWS}\n# Sensitive here: {sensitive}\n{members}"
    yield f"{TABLES}\n# tables = [{_list(levels[:2] if len(levels) > 1 else ['sex', 'ward'])}]"
    line = f"unit = {toml_of((named or ['person'])[0] if unit is None else unit)}"
    yield f"{UNIT}\n{'# ' if unit is None else ''}{line}"


RULE = f"# ---------- The rules {'-' * 77}"
K = _field_comment("k", "Larger is safer and less detailed.")
ROWS = """\
# Plots are drawn from one protected copy of all columns, each with any settings. Each value of
# it is drawn anew from a leaf: m persons or more who are alike in the columns before it.
# Of few persons with many columns typical ones are recognised more easily: open a table of the
# columns that are needed together. A warning says so before such a copy is made."""
USE = "\n".join(
    [
        f"# ---------- The study file {'-' * 71}",
        _field_comment("audience"),
        '# audience = "members of the consortium"',
        _field_comment("until"),
        '# until = "2027-12-31"',
        _field_comment("combine"),
        "# combine = false",
    ]
)
TABLES, UNIT = _field_comment("tables"), _field_comment("unit")


def _key(name: str) -> str:
    """Write a column's name as TOML wants it on the left: in one line, whatever is in it."""
    import tomli_w

    return tomli_w.dumps({name: 0})[: -len(" = 0\n")]


def _code(sign: str) -> str:
    """Write what is no letter or sign, such as a turn of writing, so that it can be read."""
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(toml_of, names))}]"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
