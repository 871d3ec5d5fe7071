"""A cohort of 5,000 people whose data are asked, and books of answers with any secret."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.answers.book import Book
from discreet.answers.records import Records
from discreet.arguments import Labels
from discreet.custodian.answering import book_of
from discreet.custodian.protect import session_of
from discreet.estimates.copy_table import CopyTable
from discreet.explore import Study
from discreet.explore.from_file import FileSession
from discreet.plots import View
from discreet.policy import load_policy
from discreet.secret import Secret
from discreet.study_file import open_study_file
from tests.ready import opened_once

PEOPLE = 5000


def cohort(people: int = PEOPLE, seed: int = 3) -> pa.Table:
    """Return simulated people: numbers, levels with and without gaps, a time and its end."""
    random = np.random.default_rng(seed)
    age = random.normal(55, 13, people).round().clip(18, 95)
    sex = random.choice(["F", "M"], people)
    smoker = np.where(random.random(people) < 0.25 + 0.1 * (sex == "M"), "yes", "no")
    region = random.choice(["north", "south", "east", "west"], people, p=[0.4, 0.3, 0.2, 0.1])
    bmi = 25 + 0.05 * (age - 55) + 1.2 * (smoker == "yes") + random.normal(0, 4, people)
    time = random.exponential(10 * np.exp(-0.03 * (age - 55) - 0.5 * (smoker == "yes")))
    income = np.where(random.random(people) < 0.08, np.nan, random.gamma(4, 500, people).round())
    return pa.table(
        {
            "age": age,
            "sex": sex,
            "smoker": smoker,
            "region": region,
            "bmi": bmi.round(1),
            "income": pa.array(income, from_pandas=True),
            "time": time.clip(0.05, 15).round(2),
            "died": np.where(time < 12, "yes", "no"),
        }
    )


def usual_figures(study: Study) -> list[View | CopyTable]:
    """Return a figure of most kinds that the data can be asked for, of a cohort."""
    return [
        study.bars("region", by="smoker"),
        study.crosstab("region", "sex"),
        study.histogram("age"),
        study.heatmap("age", "bmi"),
        study.survival("time", "died"),
        study.means("bmi", "sex"),
    ]


def book_for(table: pa.Table, **policy: Any) -> Book:
    """Publish a table, and return the book that answers questions to it."""
    with TemporaryDirectory() as folder:
        path = dc.protect(table, study="cohort").publish(Path(folder) / "cohort.discreet")
        rules = load_policy("standard").changed(study="cohort", **policy)
        return book_of(session_of(table, rules), FileSession(open_study_file(path)))


def with_secret(book: Book, secret: int, **policy: Any) -> Book:
    """Return a book of the same data and study file that nothing was asked, by another secret."""
    key = Secret.from_bytes(hashlib.sha256(str(secret).encode()).digest())
    records = replace(book.records, noise=replace(book.records.noise, secret=key))
    return Book(book.file, book.policy.changed(**policy), with_atoms(records, book.records))


def with_atoms(records: Records, of: Records, kept: Labels | None = None, but: str = "") -> Records:
    """Return records that know the atoms of others: of some rows, and of all columns but one."""
    known = {
        name: (grid, atoms if kept is None else atoms[kept])
        for name, (grid, atoms) in of._atoms.items()
        if name != but
    }
    vars(records)["_atoms"] = known
    return records


def without(book: Book, person: int) -> Book:
    """Return a book of the same study file, and of data that lack a person."""
    records = book.records
    kept = np.flatnonzero(records.persons != person)
    noise = replace(records.noise, keys=np.delete(records.noise.keys, person, axis=0))
    persons = records.persons[kept]
    persons = persons - (persons > person)
    levels = {name: it._replace(codes=it.codes[kept]) for name, it in records.levels.items()}
    rows = records.rows.rows(kept)
    less = replace(records, rows=rows, persons=persons, noise=noise, levels=levels)
    return Book(book.file, book.policy, with_atoms(less, records, kept))


@pytest.fixture(scope="session")
def book() -> Book:
    """The book of the cohort."""
    return opened_once("book of a cohort", lambda: book_for(cohort()))


@pytest.fixture
def new_book(book: Book) -> Callable[..., Book]:
    """Return what makes books of the cohort with other secrets, and other fields of the policy."""
    return lambda secret=0, **policy: with_secret(book, secret, **policy)
