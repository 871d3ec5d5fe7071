"""What the data decide about a copy, attacked one by one: does one person more show?

    python benchmarks/oracles.py                    # all decisions, 300 secrets at each place
    python benchmarks/oracles.py gaps rules         # some of them
    python benchmarks/oracles.py --fixed            # the control: numbers of people that are fixed

Of each decision there are tables in which it hangs on j people, and an attacker who knows all
others and looks at the sign of it in what leaves. Prints the AUC of telling copies of j + 1 from
those of j people: averaged over all j at which the secret may let it turn, and at the worst of
them. The worst of some ten places is .03 above .5 by chance alone, with 300 secrets.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns.dates import parts_of
from discreet.errors import RefusedError
from discreet.keys import row_keys, total
from discreet.methods.copies import (
    MISSING,
    OTHER,
    Draws,
    Levels,
    Rows,
    Settings,
    WholeCopy,
    participants,
)
from discreet.methods.whole import whole_copy
from discreet.methods.wide import said_of_width
from discreet.secret import Secret

__all__ = ["DECISIONS", "Decision", "Raw", "aucs", "fixed", "told"]

N, K, M = 120, 5, 6
RANDOM = np.random.default_rng(2)
AT = np.arange(N)
X, Y = RANDOM.normal(50, 10, N), RANDOM.normal(20, 4, N)
START, TOOK = np.round(RANDOM.gamma(4, 10, N)), 1 + np.round(RANDOM.gamma(2, 15, N))
GAPS = (RANDOM.uniform(size=N) < 0.3) & (AT < N - 2 * K - 1)
AB = np.where(AT % 2 == 0, "a", "b").astype(object)
VISITS = 3
DECIDES = (
    "threshold",
    "kept of",
    "far of",
    "known numbers",
    "joined levels",
    "relations",
    "below zero of",
    "step of",
    "wide table",
    "rows",
    "later rows",
    "lone",
)
"""Names of the draws that say how many people decide something."""


class Raw(NamedTuple):
    """A table: columns of numbers and of texts, and whose each row is, where it is declared."""

    numbers: Mapping[str, Floats] = {}
    texts: Mapping[str, Any] = {}
    persons: Labels | None = None

    def draws(self, secret: Secret) -> Draws:
        """Return the draws of a table under a secret."""
        keys = row_keys(secret, [*self.numbers.values(), *map(list, self.texts.values())])
        return Draws(secret, secret.digest("version", total(keys)), keys)

    def levels(self) -> dict[str, Levels]:
        """Return the columns of texts as levels."""
        return {name: Levels.of([*texts]) for name, texts in self.texts.items()}

    def copied(self, secret: Secret) -> WholeCopy | None:
        """Make a copy; None where that is refused."""
        try:
            return whole_copy(
                {name: np.asarray(it, dtype=np.float64) for name, it in self.numbers.items()},
                self.levels(),
                self.draws(secret),
                Settings(K, M),
                self.persons,
                together=self.persons is not None,
            )
        except RefusedError:
            return None


class Decision(NamedTuple):
    """Makes a table in which it hangs on so many people, and looks at the sign of a copy.

    `first` and `last` are the numbers j of people between which the secret lets it turn.
    """

    made: Callable[[int], Raw]
    sign: Callable[[Raw, Secret], float]
    first: int = K - 1
    last: int = 2 * K


def of_copy(sign: Callable[[WholeCopy], Any]) -> Callable[[Raw, Secret], float]:
    """Return what looks at a sign of the copy of a table; -1 where none is made."""

    def found(raw: Raw, secret: Secret) -> float:
        copy = raw.copied(secret)
        return -1.0 if copy is None else float(sign(copy))

    return found


def last(persons: int) -> Any:
    """Say which people something is so of: the last ones."""
    return N - persons <= AT


def numbers(**columns: Any) -> Raw:
    """Return a table of columns of numbers, and one beside them."""
    return Raw({"z": Y[::-1], **columns})


def words(of: Any, **columns: Any) -> Raw:
    """Return a table of a column of levels, and others of numbers."""
    return Raw({"z": Y[::-1], **columns}, {"l": of})


def mixed(base: Any, *others: tuple[Any, str]) -> Any:
    """Return texts, some of which are others."""
    out = np.array(base, dtype=object)
    for rows, word in others:
        out[rows] = word
    return out


def alone(j: int) -> Raw:
    """Numbers of a level with few people, one of whom is far from all others that have it."""
    x = np.where(last(j), 10 + Y / 20, 30 + X)
    x[-1] = 75.0
    return words(np.where(last(j), "b", "a").astype(object), x=x)


def halves(j: int) -> Raw:
    """Whole numbers but for some that are spread over their order."""
    x = np.round(X * 3)
    x[np.argsort(X)[:: N // 40][:j]] += 0.5
    return numbers(x=x)


def scale(j: int) -> Raw:
    """Twelve people at the end of a scale, and some beyond."""
    x = np.linspace(0, 90, N)
    x[-12 - j :] = 100.0
    x[last(j)] = 113.0
    return numbers(x=x)


def visits(changed: int = 0, twice: int = 0, several: int = N) -> Raw:
    """Persons of three visits: some change their town, some have two at one time, some one only."""
    who, visit = np.repeat(AT, VISITS), np.tile(np.arange(VISITS), N)
    time = np.where((who >= N - twice) & (visit == 2), 1, visit) + 2000.0
    value = 10.0 * np.repeat(np.round(Y), VISITS) + visit // 2
    town = np.repeat(AB, VISITS)
    town[(who >= N - changed) & (visit == 1)] = "a"
    town[(who >= N - changed) & (visit == 2)] = "b"
    kept = (visit == 0) | (who < several)
    return Raw({"time": time[kept], "value": value[kept]}, {"town": town[kept]}, who[kept])


def differ(first: str, second: str) -> Callable[[Raw, Secret], float]:
    """Look whether two columns differ, where both are in the copy."""
    return of_copy(lambda c: (c.numbers[first] != c.numbers[second]).any())


def has(name: str, word: str) -> Callable[[Raw, Secret], float]:
    """Look whether a level is named, where its column is in the copy."""
    return of_copy(lambda c: name in c.levels and word in c.levels[name].words)


def rows_with(copy: WholeCopy, **held: str) -> Any:
    """Say which rows of a copy have some levels."""
    out = np.ones(len(copy.source), dtype=np.bool_)
    for name, word in held.items():
        out &= np.array(copy.levels[name].texts(), dtype=object) == word
    return out


def towns_change(copy: WholeCopy) -> bool:
    """Say whether some person of a copy has rows of two towns."""
    if copy.persons is None or "town" not in copy.levels:
        return False
    pairs = np.unique(np.column_stack([copy.persons, copy.levels["town"].codes]), axis=0)
    return len(pairs) > len(np.unique(copy.persons))


def goes_on(copy: WholeCopy) -> float:
    """Return how often a person's time goes on from row to row."""
    if copy.persons is None:
        return -1.0
    same = copy.persons[1:] == copy.persons[:-1]
    return float(np.mean(np.diff(copy.numbers["time"])[same] > 0))


def width(raw: Raw, secret: Secret) -> str:
    """Return what is said of a wide table."""
    return said_of_width([*raw.numbers], raw.levels(), raw.draws(secret), K, None)


def wide(j: int) -> Raw:
    """So many people of four columns of two levels, which 72 to 88 people are few for."""
    return Raw({}, {name: AB[:j] for name in "stuv"})


def parts(raw: Raw, secret: Secret) -> float:
    """Return of how many parts of a day dates are."""
    least = raw.draws(secret).threshold("parts of a day", K)
    return float(parts_of(raw.numbers["x"], None, least) or 0)


def rules(j: int) -> Raw:
    """One level implies another, but for some people."""
    sex = np.where(AT < N // 2, "m", "f")
    yes = mixed(np.where((AT >= N // 2) & (AT % 2 == 0), "yes", "no"), (j > AT, "yes"))
    return Raw({"z": Y}, {"gender": sex, "pregnant": yes})


def skipped(j: int) -> Raw:
    """A number that people of one level alone have, but for some."""
    x = np.where((AT < N // 2) & (j <= AT), np.nan, X)
    return Raw({"x": x, "z": Y}, {"gender": np.where(AT < N // 2, "m", "f")})


def apart(j: int) -> Raw:
    """Two columns that so many people have both: a start and an end."""
    both = last(j)
    first = both | (AT % 2 == 0)
    start = np.where(first, START, np.nan)
    return numbers(start=start, stop=np.where(both | ~first, START + TOOK, np.nan))


DECISIONS: dict[str, Decision] = {
    "equal columns": Decision(
        lambda j: numbers(a=START, b=START + np.where(AT % 2 == 0, 7, -7) * last(j)),
        differ("a", "b"),
    ),
    "an order": Decision(
        lambda j: numbers(start=START, stop=np.where(last(j), START - 9, START + TOOK)),
        of_copy(lambda c: (c.numbers["stop"] < c.numbers["start"]).any()),
    ),
    "a sum": Decision(
        lambda j: numbers(a=START, b=TOOK, c=START + TOOK + 3 * last(j)),
        of_copy(lambda c: (np.abs(c.numbers["a"] + c.numbers["b"] - c.numbers["c"]) > 1e-6).any()),
    ),
    "columns of a relation": Decision(
        apart,
        of_copy(
            lambda c: (
                {"start", "stop"} <= c.numbers.keys()
                and (c.numbers["stop"] < c.numbers["start"]).any()
            )
        ),
        4 * K - 1,
        8 * K,
    ),
    "gaps": Decision(
        lambda j: numbers(x=np.where(last(j), np.nan, X)),
        of_copy(lambda c: np.isnan(c.numbers["x"]).any()),
    ),
    "gaps of two columns": Decision(
        lambda j: numbers(x=np.where(GAPS, np.nan, X), y=np.where(GAPS | last(j), np.nan, Y)),
        of_copy(lambda c: (np.isnan(c.numbers["x"]) != np.isnan(c.numbers["y"])).any()),
    ),
    "a column of few numbers": Decision(
        lambda j: numbers(x=np.where(last(j), X, np.nan)),
        of_copy(lambda c: "x" in c.numbers),
        4 * K - 1,
        8 * K,
    ),
    "a number that stays": Decision(
        lambda j: numbers(x=np.where(last(j), 55.125, X)),
        of_copy(lambda c: (c.numbers["x"] == 55.125).sum()),
        M - 1,
        2 * M,
    ),
    "a second number": Decision(
        lambda j: numbers(x=np.where(last(j), 9.0, 3.0)),
        of_copy(lambda c: len(np.unique(c.numbers["x"])) > 1),
    ),
    "whole numbers": Decision(
        halves, of_copy(lambda c: (c.numbers["x"] != np.round(c.numbers["x"])).any())
    ),
    "parts of a day": Decision(lambda j: Raw({"x": AT + 0.25 * last(j)}), parts),
    "numbers below 0": Decision(
        lambda j: numbers(x=np.where(last(j), -9.0 - AT / 9, TOOK)),
        of_copy(lambda c: (c.numbers["x"] < 0).any()),
    ),
    "the end of a scale": Decision(scale, of_copy(lambda c: c.numbers["x"].max() > 101), 0),
    "somebody alone in a leaf": Decision(
        alone, of_copy(lambda c: (rows_with(c, l="b") & (c.numbers["x"] > 45)).any()), 7, 14
    ),
    "far out is said": Decision(
        lambda j: numbers(x=np.where(last(j), 900.0 + AT, X)), of_copy(lambda c: "x" in c.far_out)
    ),
    "a level": Decision(
        lambda j: words(mixed(AB, (last(j), "rare"), (last(j + 6) & ~last(j), "other"))),
        has("l", "rare"),
    ),
    "a missing level": Decision(lambda j: words(mixed(AB, (last(j), ""))), has("l", MISSING)),
    "rare levels together": Decision(
        lambda j: words(np.where(last(j), np.char.add("r", AT.astype(str)), AB)), has("l", OTHER)
    ),
    "levels that are joined": Decision(
        lambda j: words(np.where(last(j), np.char.add("r", AT.astype(str)), AB)),
        of_copy(lambda c: c.joined.get("l", 0)),
        2 * K - 1,
        4 * K,
    ),
    "a text of its own for each": Decision(
        lambda j: words(mixed(np.char.add("r", AT.astype(str)), (last(j), "several"))),
        of_copy(lambda c: "l" in c.levels),
    ),
    "a level that implies another": Decision(
        rules, of_copy(lambda c: rows_with(c, gender="m", pregnant="yes").any())
    ),
    "a column that some have": Decision(
        skipped, of_copy(lambda c: (rows_with(c, gender="m") & ~np.isnan(c.numbers["x"])).any())
    ),
    "a column constant in people": Decision(lambda j: visits(changed=j), of_copy(towns_change)),
    "an order in people": Decision(lambda j: visits(twice=j), of_copy(goes_on)),
    "people of several rows": Decision(
        lambda j: visits(several=j),
        of_copy(lambda c: c.persons is not None and len(np.unique(c.persons)) < len(c.persons)),
        0,
        3 * M,
    ),
    "enough people": Decision(
        lambda j: Raw({"x": X[:j], "z": Y[:j]}), of_copy(lambda c: True), 4 * K - 1, 5 * K
    ),
    "how many rows": Decision(
        lambda j: Raw({"x": X[:j], "z": Y[:j]}), of_copy(lambda c: len(c.source)), 100, 104
    ),
    "levels of a wide table": Decision(
        lambda j: words(mixed(AB, (last(j), "c"), (AT < 2, "d")), x=X, y=Y),
        lambda raw, secret: float("16 levels" in width(raw, secret)),
    ),
    "a wide table": Decision(wide, lambda raw, secret: float(bool(width(raw, secret))), 71, 89),
}


def auc(beside: Floats, without: Floats) -> float:
    """Return how often a sign of one person more is larger or smaller, ties by half."""
    more = np.sign(beside[:, None] - without[None]) / 2 + 0.5
    return float(max(more.mean(), 1 - more.mean()))


def told(of: Decision, copies: int) -> list[float]:
    """Return the AUC of each number of people beside one more, in so many copies of each."""
    found = []
    for j in range(of.first, of.last + 1):
        raw = of.made(j)
        secrets = (np.random.default_rng([j, i]).bytes(32) for i in range(copies))
        found.append(np.array([of.sign(raw, Secret.from_bytes(it)) for it in secrets]))
    return [auc(more, fewer) for fewer, more in pairwise(found)]


def aucs(names: Iterator[str] | list[str], copies: int) -> Iterator[tuple[str, float, float, int]]:
    """Give for each decision its name, the AUC on average and at worst, and at how many people."""
    for name in names:
        each = told(DECISIONS[name], copies)
        worst = int(np.argmax(each))
        yield name, float(np.mean(each)), each[worst], DECISIONS[name].first + worst + 1


@contextmanager
def fixed() -> Iterator[None]:
    """Let all numbers of people be the least ones, and everybody take part: the control."""
    drawn = Draws.of_table

    def least(self: Draws, name: str, count: int) -> Floats:
        return np.zeros(count) if name.startswith(DECIDES) else drawn(self, name, count)

    def everybody(rows: Rows, usual: int, most: int, _: float) -> tuple[Rows, int]:
        return participants(rows, usual, most, 0.0)

    with (
        patch("discreet.methods.copies.Draws.of_table", least),
        patch("discreet.methods.whole.participants", everybody),
    ):
        yield


def main() -> None:
    """Attack each decision, and print its figures."""
    parser = argparse.ArgumentParser(description="Attack what the data decide about a copy.")
    parser.add_argument("names", nargs="*", help="Decisions; without any, all.")
    parser.add_argument("--copies", type=int, default=300)
    parser.add_argument("--fixed", action="store_true", help="The control.")
    asked = parser.parse_args()
    names = [it for it in DECISIONS if not asked.names or any(n in it for n in asked.names)]
    print("| decision | AUC on average | at worst | of so many people |\n|---|---|---|---|")

    def shown() -> None:
        for name, mean, worst, persons in aucs(names, asked.copies):
            print(f"| {name} | {mean:.2f} | {worst:.2f} | {persons} |", flush=True)

    if asked.fixed:
        with fixed():
            shown()
    else:
        shown()


if __name__ == "__main__":
    main()
