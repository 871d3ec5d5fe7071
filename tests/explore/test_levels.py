"""Levels stand in one order, and have one colour, in all that is drawn or listed of a copy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.render.marks import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from discreet.explore import Study

SIZE = 400
LIKELY = ("low", "mid", "high")
BANDS = ("<9", "9-11", "12", ">12")
GRADES = ("Grade 1", "Grade 2", "Grade 9", "Grade 10")
UNUSED = "a level that no row has"
RARE = "a level of four people: "
FEW = [f"{RARE}{it}" for it in range(6)]


def table() -> pd.DataFrame:
    """Return a table with columns of levels that have an order."""
    draw = np.random.default_rng(7)
    likely = draw.choice(LIKELY, SIZE).astype(object)
    likely[:24] = FEW * 4
    day = pd.to_timedelta(draw.integers(0, 900, SIZE), "D")
    return pd.DataFrame(
        {
            "age": draw.integers(20, 90, SIZE),
            "bmi": draw.normal(26, 4, SIZE).round(1),
            "sex": draw.choice(["F", "M"], SIZE),
            "likely": pd.Categorical(likely, [*FEW, *LIKELY, UNUSED], ordered=True),
            "band": draw.choice(BANDS, SIZE),
            "grade": draw.choice(GRADES, SIZE),
            "ward": draw.integers(2, 12, SIZE),
            "died": draw.choice(["no", "yes"], SIZE),
            "seen": pd.Timestamp("2020-01-01") + day,
        }
    )


def opened(source: object, **more: Any) -> Study:
    """Open a study that is recorded nowhere else."""
    return dc.open(source, study="levels", unit=False, **more)


@pytest.fixture(scope="module")
def study() -> Study:
    """A study of all these columns."""
    return opened(table(), kinds={"ward": "categorical"})


# --- one order everywhere -------------------------------------------------------------------------

DRAWN: dict[str, Callable[[Any], Any]] = {
    "bars": lambda it: it.bars("likely").levels,
    "bars, divided": lambda it: it.bars("sex", by="likely").by_levels,
    "cross-table": lambda it: it.crosstab("likely", "sex").row_levels,
    "boxes": lambda it: tuple(box.label for box in it.box("bmi", by="likely").groups),
    "histograms": lambda it: it.histogram("bmi", by="likely").levels,
    "densities": lambda it: tuple(line.label for line in it.density("bmi", by="likely").curves),
    "over time": lambda it: tuple(line.level for line in it.over_time("seen", by="likely").series),
    "survival": lambda it: tuple(
        line.level for line in it.survival("age", "died", by="likely").curves
    ),
    "points": lambda it: tuple(
        mark.series for mark in it.scatter("age", "bmi", by="likely").scene().panels[0].marks
    ),
    "parallel axes": lambda it: it.parallel(["age", "likely"]).axes[1].levels,
    "rows of panels": lambda it: it.box("bmi", by=["likely", "sex"]).first,
    "a summary": lambda it: tuple(line.name for line in it.summary(["likely"]).lines[2:]),
    "means": lambda it: tuple(line.name for line in it.means("bmi", "likely").lines[:-1]),
    "the list of columns": lambda it: next(
        of.levels for of in it.columns.figures if of.name == "likely"
    ),
}


@pytest.mark.parametrize("levels", DRAWN.values(), ids=DRAWN)
def test_levels_are_in_their_order(study: Study, levels: Callable[[Any], Any]) -> None:
    found = tuple(it for it in levels(study) if it not in ("other", "(other)"))
    assert found == LIKELY


NATURAL = {"band": BANDS, "grade": GRADES, "ward": tuple(str(it) for it in range(2, 12))}


@pytest.mark.parametrize(("name", "order"), NATURAL.items())
def test_numbers_in_text_are_in_their_order(
    study: Study, name: str, order: tuple[str, ...]
) -> None:
    assert study.bars(name).levels == order
    assert study.bars("sex", by=name).by_levels == order
    assert study.crosstab("sex", name).column_levels == order
    assert tuple(box.label for box in study.box("bmi", by=name).groups) == order
    assert tuple(line.name for line in study.summary([name]).lines[2:]) == order
    assert study.parallel(["age", name]).axes[1].levels == order


def test_what_is_rare_or_missing_is_last() -> None:
    frame = table()
    frame["likely"] = frame["likely"].cat.remove_categories(FEW)
    frame["place"] = [*FEW] * 4 + ["z"] * 150 + ["y"] * 146 + [None] * 80
    frame["likely"] = frame["likely"].where(frame.index >= 30)
    study = opened(frame)
    assert study.bars("likely").levels == (*LIKELY, "(missing)")
    assert study.bars("place").levels == ("y", "z", "(other)", "(missing)")


# --- where an order comes from --------------------------------------------------------------------


def as_labelled(path: Path) -> Path:
    """Write codes with labels as a file of SPSS or Stata."""
    pyreadstat = pytest.importorskip("pyreadstat")
    code = {level: float(i) for i, level in enumerate(LIKELY, start=1)}
    frame = table()[["age", "bmi", "sex"]].assign(
        likely=[code.get(level, 1.0) for level in table()["likely"]]
    )
    write = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
    labels = {int(number): level for level, number in code.items()} | {9: UNUSED}
    write(frame, path, variable_value_labels={"likely": labels})
    return path


def as_csv(path: Path) -> Path:
    """Write text, which declares no order."""
    table().to_csv(path, index=False)
    return path


def in_polars() -> pl.DataFrame:
    """Return the table with an Enum."""
    plain = pl.from_pandas(table().astype({"likely": str}))
    return plain.with_columns(pl.col("likely").cast(pl.Enum([*FEW, *LIKELY, UNUSED])))


ORDERED = {"likely": [*LIKELY, UNUSED]}
SOURCES: dict[str, tuple[Callable[[Path], object], Mapping[str, Any]]] = {
    "polars": (lambda _: in_polars(), {}),
    "SPSS": (lambda it: as_labelled(it / "t.sav"), {}),
    "CSV and the policy": (lambda it: as_csv(it / "t.csv"), ORDERED),
    "the policy against the frame": (
        lambda _: table().assign(
            likely=table()["likely"].cat.reorder_categories(
                [UNUSED, "high", "low", "mid", *FEW], ordered=True
            )
        ),
        ORDERED,
    ),
}


@pytest.mark.parametrize(("make", "ordered"), SOURCES.values(), ids=SOURCES)
def test_an_order_is_known_whatever_declares_it(
    make: Callable[[Path], object], ordered: Mapping[str, Any], tmp_path: Path
) -> None:
    policy = dc.Policy.preset("standard", ordered=ordered)
    study = opened(make(tmp_path), policy=policy)
    view = study.bars("likely", by="sex")
    assert view.levels[:3] == LIKELY
    terms = [line.name for line in study.model("bmi ~ likely").lines]
    assert terms[:3] == ["Intercept", "C(likely)[T.mid]", "C(likely)[T.high]"]
    told = view.to_json() + study.model("bmi ~ likely").to_json() + study.board().to_html()
    assert UNUSED not in told
    assert RARE not in told


def test_a_column_that_the_policy_derives_has_the_order_that_it_says() -> None:
    derive = {"old": "case(age < 40, 'young', age < 60, 'middle', 'old')"}
    policy = dc.Policy.preset(
        "standard", derive=derive, ordered={"old": ["young", "middle", "old"]}
    )
    study = opened(table()[["age", "bmi", "sex"]], policy=policy)
    assert study.bars("old").levels == ("young", "middle", "old")
    assert study.summary(["old"]).lines[2].name == "young"


def test_a_release_is_ordered_and_has_the_levels_of_its_rows(tmp_path: Path) -> None:
    release = opened(table()).anonymize()
    release.save(tmp_path / "released.parquet")
    levels = release.frame["likely"].cat
    assert levels.ordered
    assert tuple(it for it in levels.categories if it != "(other)") == LIKELY
    again = opened(tmp_path / "released.parquet").session.table.columns["likely"].order
    assert again == tuple(levels.categories)
    in_enum = opened(in_polars()).anonymize().frame.schema["likely"]
    assert in_enum == pl.Enum([*levels.categories])


# --- one colour -----------------------------------------------------------------------------------

COLOURED: dict[str, Callable[[Any], Any]] = {
    "densities": lambda it: it.density("bmi", by="likely"),
    "survival": lambda it: it.survival("age", "died", by="likely"),
    "points": lambda it: it.scatter("age", "bmi", by="likely"),
    "groups of boxes": lambda it: it.box("bmi", by=["sex", "likely"]),
    "means": lambda it: it.means("bmi", ["sex", "likely"]),
}


def places(view: Any) -> dict[str, int]:
    """Return the place by which each level of a view has its colour."""
    (panel,) = view.scene().panels
    drawn: list[str] = []
    for mark in panel.marks:
        found = [getattr(mark, name, "") for name in ("series", "label", "group")]
        drawn += [it for of in found for it in ((of,) if isinstance(of, str) else of) if it]
    named = {name.removeprefix("likely: "): place_of(name, drawn, panel.order) for name in drawn}
    return {name: place for name, place in named.items() if name in LIKELY}


@pytest.mark.parametrize("draw", COLOURED.values(), ids=COLOURED)
def test_a_level_keeps_its_colour_where_others_are_missing(
    study: Study, draw: Callable[[Any], Any]
) -> None:
    whole, part = places(draw(study)), places(draw(study.where("likely != 'low'")))
    assert [*whole] == [*LIKELY]
    assert [*part] == ["mid", "high"]
    assert part.items() <= whole.items()


def test_a_view_says_the_order_of_levels_with_its_numbers() -> None:
    study = opened(table())
    part = study.where("likely != 'low'").ecdf("bmi", by="likely")
    again = dc.View.from_json(part.to_json())
    said = dict(json.loads(part.to_json())["origin"]["orders"])
    assert [it for it in said["likely"] if it in LIKELY] == [*LIKELY]
    assert again == part
    assert again.scene() == part.scene()
    assert "orders" not in json.loads(study.bars("likely").to_json())["origin"]


# --- what a model's levels are compared with ------------------------------------------------------


def terms_of(study: Any, formula: str, **how: Any) -> list[str]:
    """Return the terms of levels of a model, and what they are compared with."""
    found = study.model(formula, **how)
    compared = [note for note in found.notes if note.startswith("levels are compared")]
    return [*(line.name for line in found.lines if "[" in line.name), *compared]


def test_a_reference_that_is_named_comes_first(study: Study) -> None:
    named = terms_of(study, "bmi ~ grade + sex", reference={"grade": "Grade 9"})
    grades = [f"C(grade)[T.{level}]" for level in ("Grade 1", "Grade 2", "Grade 10")]
    compared = "levels are compared with grade Grade 9, sex F"
    assert named == [*grades, "C(sex)[T.M]", compared]


UNKNOWN: dict[str, tuple[Any, str]] = {
    "another column": ({"grade": "Grade 1"}, r"^reference names column 'grade', .*; it has 'sex'$"),
    "another level": (
        {"sex": "X"},
        r"^reference: 'X' is not a level of 'sex' in these rows; .*'F'",
    ),
    "a level without its column": ("F", r"^reference names columns, each with the level"),
}


@pytest.mark.parametrize(("reference", "words"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_reference_that_is_not_there_is_refused(study: Study, reference: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        study.model("bmi ~ sex + age", reference=reference)
    assert raised.value.parameter == "reference"
