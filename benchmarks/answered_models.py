"""Models answered from the data: how often the raw estimate lies within the noise that is said.

Random formulas on public and simulated tables, each answered under several secrets. Prints for
each table how many formulas were answered, the share of raw estimates within 1.96 times the noise
and within the interval, the noise's share of a standard error, and of the signs of coefficients
with |z| of 3 or more how many statements were decided and how many of these right:
python -m benchmarks.answered_models
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import discreet as dc
from discreet.answers.book import Book, verdict_of
from discreet.custodian.answering import book_of
from discreet.custodian.protect import session_of
from discreet.errors import BrokenPromiseError, DiscreetError
from discreet.explore.answered import HOLDS, UNKNOWN
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_file import FileSession
from discreet.explore.model import fit_rows, rows_of_model
from discreet.explore.questions import Question
from discreet.policy import load_policy
from discreet.secret import Secret
from discreet.study_file import open_study_file

FORMULAS, SECRETS, MOST_COLUMNS = 20, 5, 8
PUBLIC = ("titanic", "german_credit", "boston", "casc_census", "tarragona", "D1", "D2")


def simulated(people: int, seed: int) -> pd.DataFrame:
    """Return a cohort with numbers and levels that hang together."""
    random = np.random.default_rng(seed)
    age = random.normal(55, 12, people).round()
    sex = random.choice(["F", "M"], people)
    smoker = np.where(random.random(people) < 0.2 + 0.1 * (sex == "M"), "yes", "no")
    bmi = 26 + 0.05 * (age - 55) + (smoker == "yes") + random.normal(0, 4, people)
    pressure = 120 + 0.5 * (age - 55) + 0.8 * (bmi - 26) + random.normal(0, 15, people)
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "smoker": smoker,
            "bmi": bmi.round(1),
            "pressure": pressure.round(),
            "ward": random.choice(["a", "b", "c", "d"], people),
        }
    )


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield ten tables: seven public ones, where they are, and three that are simulated."""
    for name in PUBLIC:
        path = folder / f"{name}.csv"
        if path.exists():
            yield name, pd.read_csv(path).iloc[:, :MOST_COLUMNS]
    for seed, people in enumerate((2000, 5000, 5000)):
        yield f"simulated {people}, {seed}", simulated(people, seed)


def formulas(table: pd.DataFrame, seed: int) -> Iterator[tuple[str, str]]:
    """Yield families and formulas of random columns: one outcome, one to three others."""
    random = np.random.default_rng(seed)
    numbers = [it for it in table if table[it].dtype.kind in "if" and table[it].nunique() > 10]
    levels = [it for it in table if it not in numbers and table[it].nunique() < 7]
    two = [it for it in levels if table[it].nunique() == 2]
    for _ in range(FORMULAS):
        outcome = str(random.choice([*numbers, *two]))
        others = [it for it in (*numbers, *levels) if it != outcome]
        some = random.choice(others, min(len(others), int(random.integers(1, 4))), replace=False)
        between = "*" if len(some) == 2 and random.random() < 0.2 else "+"
        terms = f" {between} ".join(f"`{it}`" for it in some)
        family = "logistic" if outcome in two else "linear"
        if family == "linear" and random.random() < 0.25 and table[outcome].min() >= 0:
            family = "poisson"
        yield family, f"`{outcome}` ~ {terms}"


def book_for(table: pd.DataFrame, folder: Path, name: str) -> Book:
    """Publish a table, and return what answers questions to it."""
    path = dc.protect(table, study=name, unit=False).publish(folder / "study.discreet")
    rules = load_policy("standard").changed(study=name, unit=False)
    return book_of(session_of(table, rules), FileSession(open_study_file(path)))


class Measured(NamedTuple):
    """How far answers are off, in their noise; whether intervals hold the raw estimates; the
    noise's shares of standard errors; verdicts."""

    off: list[float]
    held: list[bool]
    shares: list[float]
    verdicts: list[str]

    def add(self, other: Measured) -> None:
        """Add what was measured of another formula."""
        self.off.extend(other.off)
        self.held.extend(other.held)
        self.shares.extend(other.shares)
        self.verdicts.extend(other.verdicts)


def measure(book: Book, family: str, formula: str) -> Measured:
    """Answer a model under several secrets, and compare it with the raw one."""
    request: dict[str, object] = {"figures": "model", "formula": formula, "family": family}
    of = DerivedCopy(book.file, book.file.whole)
    if family == "logistic":
        outcome = formula.partition(" ~")[0].strip("`")
        request["event_is"] = [of.whole.levels_of(outcome)[-1]]
    question = Question(request)
    fit = book.prepared(question).model
    if fit is None:
        raise BrokenPromiseError("a question for a model has none")
    # Of the data as they are: an answer's model is of numbers that are cut at the copy's ends.
    numbers = {name: book.records.rows.copy.columns[name] for name in fit.model.numbers}
    uncut = fit.rows.holding(numbers, fit.rows.copy.strata)
    true = fit_rows(fit.model, rows_of_model(uncut, fit.model, fit.events))
    found_all = Measured([], [], [], [])
    for secret in range(SECRETS):
        key = Secret.from_bytes(hashlib.sha256(f"{secret} {formula}".encode()).digest())
        noise = replace(book.records.noise, secret=key)
        own = Book(book.file, book.policy, replace(book.records, noise=noise))
        found: dict[str, dict[str, float]] = {}
        answer = own.answer(question)
        table = answer.table
        for it in table.figures if table is not None else ():
            found.setdefault(it.column, {})[it.figure] = float(it.value or 0)
        for term, value in zip(true.terms, true.values.tolist(), strict=True):
            of_term = found[term]
            found_all.off.append((of_term["estimate"] - value) / of_term["noise"])
            found_all.held.append(
                of_term["estimate, low end"] <= value <= of_term["estimate, high end"]
            )
            found_all.shares.append(of_term["noise"] / of_term["std. error from the rows alone"])
        for term, value, variance in zip(true.terms, true.values, true.variances, strict=True):
            if abs(value) >= 3 * variance**0.5 and not {*"<>="} & {*term}:
                sign = ">" if value > 0 else "<"
                found_all.verdicts.append(verdict_of(answer, f"{term} {sign} 0"))
    return found_all


def in_words(it: Measured) -> str:
    """Return what was measured as a line."""
    inside = np.mean(np.abs(it.off) < 1.96)
    decided = [verdict for verdict in it.verdicts if verdict != UNKNOWN]
    of_all = len(decided) / max(len(it.verdicts), 1)
    right = decided.count(HOLDS) / max(len(decided), 1)
    lie = f"{inside:6.3f}  {np.mean(it.held):8.3f}"
    return f"{lie}  {np.median(it.shares):5.2f}  {of_all:7.2f}  {right:.3f}"


def main() -> None:
    """Measure all tables, and print a line for each."""
    warnings.simplefilter("ignore")
    data = Path(os.environ.get("DISCREET_SHARED_DATA", "../shared/data"))
    everything = Measured([], [], [], [])
    print("table                     people  answered  within  interval  share  decided  right")
    for seed, (name, table) in enumerate(tables(data)):
        with tempfile.TemporaryDirectory() as home:
            os.environ |= {"DISCREET_STATE": home, "DISCREET_CONFIG": home}
            try:
                book = book_for(table, Path(home), name)
            except DiscreetError as error:
                print(f"{name:24}  no copy: {str(error)[:60]}")
                continue
            own, answered = Measured([], [], [], []), 0
            for family, formula in formulas(table, seed):
                with suppress(DiscreetError):
                    own.add(measure(book, family, formula))
                    answered += 1
        if own.off:
            everything.add(own)
            print(f"{name:24}  {len(table):6,}  {answered:8}  {in_words(own)}")
    print(f"{'all':34}  {len(everything.off):6,}  {in_words(everything)}")


if __name__ == "__main__":
    main()
