"""Means of the raw table: what is shown, what is released beside what, and by which doors."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.measure import CopyTable

N = 400


@cache
def cohort() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    bmi = rng.normal(26, 4, N).round(1)
    bmi[rng.uniform(size=N) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "bmi": bmi,
            "age": rng.normal(50, 12, N).round(),
            "cost": rng.lognormal(6, 0.8, N).round(),
            "sex": rng.choice(["f", "m"], N),
            "site": np.array(["a", "b", "c", None])[rng.choice(4, N, p=[0.5, 0.35, 0.05, 0.1])],
            "visit": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 500, N), "D"),
        }
    )


def opened(frame: pd.DataFrame | None = None, **how: Any) -> dc.Study:
    given: dict[str, Any] = {"study": "trial", "unit": False, **how}
    return dc.open(cohort() if frame is None else frame, **given)


def figures(table: CopyTable) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for it in table.figures:
        found.setdefault(tuple(sorted(it.group)), {})[it.figure] = it.value
    return found


def test_means_are_those_of_pandas_but_for_their_rounding() -> None:
    table = opened().means("bmi", ["sex", "site"], source="counts")
    found = figures(table)

    frame = cohort().dropna(subset=["bmi"])
    shown = 0
    for group, of in found.items():
        part = frame
        for name, level in group:
            part = part[part[name].isna() if level is None else part[name] == level]
        if of["n"] is None:
            assert set(of.values()) == {None}
            continue
        if of["mean"] is None:  # rounded to more than it says
            assert of["rounded to"] >= 5
            continue
        shown += 1
        assert abs(of["n"] - len(part)) <= 2
        assert of["n"] % 5 == 0
        assert abs(of["mean"] - part["bmi"].mean()) <= of["rounded to"] * 0.5001
        # The column's axis is wider than 20: so far one person's value may be off.
        assert of["rounded to"] * len(part) >= 20
        assert of["sum"] == of["n"] * of["mean"]
    assert shown >= 10
    assert (("sex", "f"), ("site", None)) in found
    assert [line.name for line in table.lines][-1] == "all"
    assert table.title == "Means of bmi in trial by sex and site"


def test_either_order_of_levels_and_one_of_them_say_the_same() -> None:
    both, turned = (
        figures(opened().means("bmi", by, source="counts"))
        for by in (["sex", "site"], ["site", "sex"])
    )
    one = figures(opened().means("bmi", "site", source="counts"))

    assert both == turned
    assert len(one) == 5
    # But for the rounding, which is finer where there are no cells below.
    assert {group: of["n"] for group, of in one.items()} == {
        group: both[group]["n"] for group in one
    }


def test_its_words_and_forms(tmp_path: Path) -> None:
    table = opened().means("cost", ["sex", "site"], source="counts")

    text = str(table)
    assert text.splitlines()[2].split() == ["n", "mean", "rounded", "to", "sum"]
    assert "(k = 5): rows, each taken as a person, with a cost, how many rounded to 5" in (
        " ".join(text.split())
    )
    assert "protected copy" not in table.to_html()
    again = CopyTable.from_json(table.to_json())
    assert (again.figures, again.lines) == (table.figures, table.lines)
    assert table.save(tmp_path / "cost.csv").exists()
    with pytest.raises(InputError, match="a table of figures is saved as"):
        table.save(tmp_path / "cost.svg")
    with pytest.raises(InputError, match="nor have means of counts"):
        table.plot()


def test_one_set_of_cells_of_a_column_is_released() -> None:
    study = opened()
    study.means("bmi", ["site", "sex"], source="counts").to_csv()
    study.means("bmi", ["sex", "site"], source="counts").to_json()
    study.means("age", "sex", source="counts").to_csv()

    left = study.session.ledger.history("trial")
    assert [(it["kind"], it["method"], it["form"]) for it in left] == [
        ("counted means", "cell-means", form) for form in ("csv", "json", "csv")
    ]
    assert left[0]["columns"] == ["bmi", "site", "sex"]
    other = study.means("bmi", "sex", source="counts")  # looking is free
    with pytest.raises(LeavingError, match="released before by 'sex', 'site', and two sets of"):
        other.to_csv()
    study.means("bmi", "sex").to_csv()
    # Nor under another name, nor by other rules.
    with pytest.raises(LeavingError, match="released before of the same data in other cells"):
        opened(study="again").means("bmi", "sex", source="counts").to_csv()
    lax = dc.Policy.preset("standard", p_percent=1)
    with pytest.raises(LeavingError, match="released before by another rule of the policy"):
        opened(policy=lax).means("age", "sex", source="counts").to_csv()


def renamed(frame: pd.DataFrame, parted: str) -> tuple[pd.DataFrame, str, str]:
    """Return the same records by another column, whose levels have as many persons each."""
    draw = np.random.default_rng(int.from_bytes(parted.encode(), "big"))
    other = draw.permutation(frame["sex"].to_numpy())
    match parted:
        case "values under another name":
            return frame.rename(columns={"age": "years"}).assign(half=other), "years", "half"
        case "a copy of the values":
            return frame.assign(years=frame["age"], half=other), "years", "half"
        case "another unit":
            return frame.assign(months=frame["age"] * 12, half=other), "months", "half"
        case "the same names":
            return frame.assign(sex=other), "age", "sex"
        case "another study":
            return frame[["age"]].assign(sex=other), "age", "sex"
    raise AssertionError(parted)


@pytest.mark.parametrize(
    "parted",
    [
        "values under another name",
        "a copy of the values",
        "another unit",
        "the same names",
        "another study",
    ],
)
def test_other_cells_are_refused_under_whatever_names(parted: str) -> None:
    opened().means("age", "sex", source="counts").to_csv()
    frame, value, by = renamed(cohort(), parted)
    study = opened(frame, study="else" if parted == "another study" else "trial")

    with pytest.raises(LeavingError, match=r"released before .*in other cells"):
        study.means(value, by, source="counts").to_csv()
    opened(cohort().sample(frac=1, random_state=1)).means("age", "sex", source="counts").to_csv()


def test_they_stand_beside_other_counts() -> None:
    study = opened()
    study.histogram("bmi").to_json()
    study.means("bmi", ["sex", "site"], source="counts").to_csv()
    study.crosstab("sex", "site", source="counts").to_json()
    study.box("bmi", by="sex", source="counts").to_json()

    assert len(study.session.ledger.history("trial")) == 4


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a part": (
        lambda it: it.where("age > 40").means("bmi", "sex", source="counts"),
        RefusedError,
        "the difference of two parts would give persons away",
    ),
    "a new column": (
        lambda it: it.assign(x="log(age)").means("x", "sex", source="counts"),
        RefusedError,
        "of a part, or with new columns, they are of the copy",
    ),
    "dates": (lambda it: it.means("visit", "sex", source="counts"), InputError, "'visit'"),
    "levels": (lambda it: it.means("site", "sex", source="counts"), InputError, "'site'"),
    "by numbers": (lambda it: it.means("bmi", "age", source="counts"), InputError, "'age'"),
    "by three": (
        lambda it: it.means("bmi", ["a", "b", "c"], source="counts"),
        InputError,
        "by the levels of one or two others",
    ),
    "weights": (
        lambda it: it.means("bmi", "sex", weights="age", source="counts"),
        InputError,
        "weights are of rows of the copy",
    ),
    "another source": (
        lambda it: it.means("bmi", "sex", source="raw"),
        InputError,
        "source must be 'copy', 'counts'",
    ),
}


@pytest.mark.parametrize(("ask", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(ask: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ask(opened())


def test_what_is_refused_of_other_studies() -> None:
    frame = cohort()
    with pytest.raises(RefusedError, match="by the rules of a guarded policy"):
        opened(policy="research").means("bmi", "sex", source="counts")
    with pytest.raises(RefusedError, match="too few complete rows"):
        opened(frame.assign(bmi=frame["bmi"].where(frame.index < 50))).means(
            "bmi", "sex", source="counts"
        )
    visits = frame.assign(patient=[f"p{i // 2}" for i in range(N)])
    with pytest.raises(RefusedError, match="some person has several rows, of which a mean"):
        opened(visits, unit="patient").means("bmi", "sex", source="counts")
    derived = dc.Policy.preset("standard", derive={"half": "bmi / 2"})
    with pytest.raises(RefusedError, match="'half' is derived from the copy"):
        opened(policy=derived).means("half", "sex", source="counts")
    alike = frame.assign(stay=np.where(frame.index < 3, frame.index + 5.0, 1.0))
    with pytest.raises(RefusedError, match="'stay'"):
        opened(alike).means("stay", "sex", source="counts")


def test_where_counts_are_not_rounded() -> None:
    for preset in ("sacro", "opensafely"):  # k of 10 and of 8
        coarse = figures(opened(policy=preset).means("bmi", "sex", source="counts"))
        assert {it["n"] % 10 for it in coarse.values()} == {0}


def test_how_much_somebody_far_out_has_is_not_to_be_seen() -> None:
    seen = []
    for far in (1e5, 3e7):
        frame = cohort().copy()
        frame.loc[3, "cost"] = far
        table = opened(frame).means("cost", ["sex", "site"], source="counts")
        seen.append((table.figures, table.notes))

    assert seen[0] == seen[1]
    found = figures(table)
    of = cohort().loc[3]
    for group in ((), (("sex", of["sex"]),), (("site", of["site"]),)):
        assert found[group]["mean"] is None
    assert sum(it["mean"] is not None for it in found.values()) >= 3
