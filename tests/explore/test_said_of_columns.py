"""What a copy says of single columns: means that hang on few persons, levels that were joined."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.plots import View
from discreet.vault.vault import column_remarks

N = 400
WAGE = "the mean of wage depends on a few extreme people: in the copy it is too low"


def paid(n: int = N) -> pl.DataFrame:
    """Return a table in which one in thirty persons has hundred times the wage of others."""
    draw = np.random.default_rng(3)
    wage = draw.normal(40, 5, n)
    wage[:: n // (n // 30)] *= 100
    sex = draw.choice(["f", "m"], n)
    return pl.DataFrame({"wage": np.round(wage, 2), "age": draw.integers(20, 80, n), "sex": sex})


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dc.Study:
    folder = tmp_path_factory.mktemp("far")
    (folder / "discreet.toml").write_text('study = "far"\nunit = false\n')
    return dc.open(paid(), policy=folder / "discreet.toml")


ASKED: dict[str, Callable[[dc.Study], Any]] = {
    "means": lambda s: s.means("wage", by="sex"),
    "summary": lambda s: s.summary(),
    "a plot": lambda s: s.box("wage", by="sex"),
    "what is made of it": lambda s: s.assign(rate="wage / age").summary(["rate"]),
    "columns": lambda s: s.columns,
}


def test_it_is_said_beside_what_rests_on_the_column(opened: dc.Study) -> None:
    for name, ask in ASKED.items():
        found = ask(opened)
        lines = "\n".join(found.notes() if isinstance(found, View) else found.notes)
        assert lines.count(WAGE) == 1, name


def test_a_column_that_is_not_in_the_copy_is_refused_without_it(opened: dc.Study) -> None:
    frame = paid().with_columns(bonus=pl.Series([1.0, 2.0, *[None] * (N - 2)]))
    study = dc.open(frame, study="sparse", unit=False)
    with pytest.raises(dc.RefusedError, match=r"bonus.*nearly empty") as refused:
        study.histogram("bonus")
    assert "hangs on" not in str(refused.value)


def test_a_kept_copy_says_it_again(opened: dc.Study) -> None:
    before = opened.summary()
    again = dc.open(paid(), policy=opened.policy)
    assert WAGE in again.summary().notes
    assert again.summary().to_csv() == before.to_csv()


@pytest.mark.parametrize(
    ("partitions", "said"),
    [(["too low", ""], "too low"), (["too low", "", ""], ""), (["too low", "off", ""], "off")],
)
def test_of_partitions_half_have_to_say_it(partitions: list[str], said: str) -> None:
    found = column_remarks([{"wage": word} if word else {} for word in partitions], [])
    assert [*found.get("wage", ())] == ([WAGE.replace("too low", said)] if said else [])


# --- levels that were joined ----------------------------------------------------------------------


def living(n: int = N) -> pl.DataFrame:
    """Return persons of two towns, and of seventy where few live; one town has our own names."""
    draw = np.random.default_rng(5)
    town = [f"town {i}" if i < 70 else ("here", "there")[i % 2] for i in range(n)]
    told = [("(other)", "(missing)", None, "x", f"rare {i}")[i % 5] for i in range(n)]
    return pl.DataFrame({"town": town, "told": told, "age": draw.integers(20, 80, n)})


@pytest.fixture(scope="module")
def towns() -> dc.Study:
    return dc.open(living(), study="towns", unit=False)


def test_other_says_how_many_levels_it_stands_for(towns: dc.Study) -> None:
    (said,) = [it for it in towns.bars("town").notes() if it.startswith("(other) of town")]
    assert re.fullmatch(r"\(other\) of town stands for (20|40) levels or more", said)
    assert said in towns.summary().notes
    assert not any("(other) of town" in it for it in towns.bars("told").notes())


def test_levels_of_the_data_that_have_our_names_stay_apart(towns: dc.Study) -> None:
    rows = towns.anonymize().frame["told"]
    found = {word: int((rows == word).sum()) for word in rows.unique() if word is not None}
    assert found.keys() == {"(other)", "(other) as given", "(missing)", "x"}
    for count in (*found.values(), int(rows.is_null().sum())):
        assert N / 5 - 30 < count < N / 5 + 30


def test_of_partitions_the_most_is_said() -> None:
    found = column_remarks([{}, {}], [{"town": 5, "ward": 5}, {"town": 1280}])
    assert found == {
        "town": ("(other) of town stands for 1,280 levels or more",),
        "ward": ("(other) of ward stands for 5 levels or more",),
    }
