"""The plot that is chosen by the kinds of the columns."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.explore.choice import CHOICES, chosen
from discreet.plots import PLOTS
from tests.custodian.test_dates_of_whole import stays

N, C, D = "number", "category", "date"
EACH = [
    # kinds in the order named, by; the plot, which columns it has, what divides it
    ("N", None, "histogram", "a", None),
    ("C", None, "bars", "a", None),
    ("D", None, "over_time", "a", None),
    ("NN", None, "scatter", "ab", None),
    ("NN", "z", "scatter", "ab", "z"),
    ("NC", None, "box", "a", "b"),
    ("CN", None, "box", "b", "a"),
    ("ND", None, "over_time", "ba", None),
    ("DN", "z", "over_time", "ab", "z"),
    ("DC", None, "over_time", "a", "b"),
    ("NCN", None, "scatter", "ac", "b"),
    ("NNN", None, "correlations", "abc", None),
    ("NCC", None, "parallel", "abc", None),
    ("NNNC", None, "parallel", "abcd", None),
]
KINDS = {"N": N, "C": C, "D": D}


@pytest.mark.parametrize(("letters", "by", "plot", "columns", "divides"), EACH)
def test_kinds_choose(
    letters: str, by: str | None, plot: str, columns: str, divides: str | None
) -> None:
    kinds = {"abcdefgh"[i]: KINDS[letter] for i, letter in enumerate(letters)}
    choice = chosen(kinds, by)
    assert (choice.plot, "".join(choice.columns), choice.by) == (plot, columns, divides)


def test_the_order_of_the_columns_chooses_nothing() -> None:
    for kinds in CHOICES:
        found = {chosen(dict(enumerate(order))).plot for order in permutations(kinds)}  # type: ignore[arg-type]
        assert found == {CHOICES[kinds]}


@pytest.mark.parametrize("letters", ["CN", "NCN", "NNN"])
def test_no_plot_is_divided_twice(letters: str) -> None:
    kinds = {"abc"[i]: KINDS[letter] for i, letter in enumerate(letters)}
    with pytest.raises(InputError, match="can be divided by a further column; leave by='sex' out"):
        chosen(kinds, "sex")


def test_too_many_columns_are_named() -> None:
    with pytest.raises(InputError, match="up to 20 columns"):
        chosen({f"c{i}": N for i in range(21)})


def of_stays() -> dc.Study:
    return dc.open(pl.DataFrame(stays()), study="stays", unit=False)


@pytest.mark.slow
def test_what_is_chosen_is_what_its_method_draws() -> None:
    study = of_stays()
    new = study.assign(old="age >= 50").where("age > 30")
    four = ["age", "ward", "start", "smoker"]
    asked = [
        (study.plot("age"), study.histogram("age")),
        (study.plot("age", by="ward"), study.histogram("age", by="ward")),
        (study.plot("smoker"), study.bars("smoker")),
        (study.plot("age", "end"), study.over_time("end", "age")),
        (study.plot("ward", "start"), study.over_time("start", by="ward")),
        (study.plot("start", "end"), study.scatter("start", "end")),
        (new.plot("age", "old"), new.box("age", by="old")),
        (study.plot(*four), study.parallel(four)),
        (study.plot(), study.parallel(["age", "ward", "smoker", "start", "end", "seen"])),
    ]
    for chosen_view, own in asked:
        says = chosen_view.origin.chosen
        assert says.startswith(f"{own.kind if own.kind in PLOTS else 'histogram'}, for ")
        assert f"chosen from the types of the columns: {says}" in chosen_view.describe()
        assert chosen_view.notes() == own.notes()  # nothing more stands below the plot
        origin = dataclasses.replace(chosen_view.origin, chosen="")
        assert dataclasses.replace(chosen_view, origin=origin) == own


@pytest.mark.slow
def test_what_is_wrong_is_named() -> None:
    study = of_stays()
    with pytest.raises(InputError, match=r"there is no column 'wards'.*'ward'"):
        study.plot("age", "wards")
    with pytest.raises(InputError, match="named twice"):
        study.plot("age", "age")
    with pytest.raises(InputError, match="name columns"):
        study.plot(by="ward")
