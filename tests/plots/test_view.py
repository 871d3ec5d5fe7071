"""What all views share: they leave by the gate alone, and come back the same."""

import base64
import copy
import dataclasses
import html
import io
import json
import os
import pickle
import re
import stat
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from discreet.errors import InputError, LeavingError
from discreet.plots import (
    BarView,
    BoxView,
    ContourView,
    CrossTableView,
    Curve,
    GridView,
    HistogramView,
    LeverageView,
    MultiplesView,
    Origin,
    PanelsView,
    PointsView,
    QQView,
    ResidualView,
    View,
)
from discreet.plots.trends import DRAWN, RAW, Trend
from discreet.plots.view import NOT_WRITTEN, WHERE_SAID, WHERE_THERE_ARE
from discreet.render import to_matplotlib
from discreet.render.scene import Box

FORMS = (".png", ".svg", ".pdf", ".html", ".json")


def origin(**changes: Any) -> Origin:
    """Say where a view comes from."""
    plain = Origin(
        policy="standard",
        regime="guarded",
        public=False,
        study="cohort.csv",
        version=None,
        left_out=0,
        counted="records",
    )
    return dataclasses.replace(plain, **changes)


def histogram(**changes: Any) -> HistogramView:
    """Make a histogram of two bins, of which one is hidden."""
    plain = HistogramView(
        columns=("age",),
        method="suppression",
        parameters=MappingProxyType({"k": 5, "bins": 2}),
        suppressed=None,
        origin=origin(),
        edges=(0.0, 1.0, 2.0),
        counts=(5, None),
        density=(1.0, None),
    )
    return dataclasses.replace(plain, **changes)


# --- any view ---------------------------------------------------------------------------------

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(min_size=1, max_size=12)
COUNTS = st.none() | st.integers(0, 10**9)
PARAMETERS = st.dictionaries(
    st.sampled_from(["k", "q", "bins", "grid", "drawn"]),
    st.integers(0, 100) | NUMBERS | st.sampled_from(["15 x 15"]),
).map(MappingProxyType)
ORIGINS = st.builds(
    Origin,
    policy=NAMES,
    regime=st.sampled_from(["guarded", "research"]),
    public=st.booleans(),
    study=st.none() | NAMES,
    version=st.none() | st.from_regex("[0-9a-f]{16}", fullmatch=True),
    left_out=st.none() | st.integers(0, 10**6).map(lambda n: 5 * n),
    counted=st.sampled_from(["records", "persons", "protected rows"]),
    remarks=st.lists(NAMES, max_size=2).map(tuple),
    shown=st.none() | st.integers(0, 10**6),
    total=st.none() | st.integers(0, 10**6),
    most_gaps=st.none() | NAMES,
)


def shared(columns: int, *methods: str) -> dict[str, Any]:
    """Draw what every view has."""
    return {
        "columns": st.tuples(*[NAMES] * columns),
        "method": st.sampled_from(methods),
        "parameters": PARAMETERS,
        "suppressed": st.none() | st.integers(0, 900),
        "origin": ORIGINS,
    }


@st.composite
def histograms(draw: Callable[..., Any]) -> HistogramView:
    bins = draw(st.integers(1, 8))
    return HistogramView(
        **{name: draw(value) for name, value in shared(1, "whole", "suppression").items()},
        edges=tuple(draw(st.lists(NUMBERS, min_size=bins + 1, max_size=bins + 1))),
        counts=tuple(draw(st.lists(COUNTS, min_size=bins, max_size=bins))),
        density=tuple(draw(st.lists(st.none() | NUMBERS, min_size=bins, max_size=bins))),
    )


@st.composite
def grids(draw: Callable[..., Any]) -> GridView:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = st.lists(COUNTS, min_size=columns, max_size=columns).map(tuple)
    return GridView(
        **{name: draw(value) for name, value in shared(2, "generalization", "none").items()},
        x_edges=tuple(draw(st.lists(NUMBERS, min_size=rows + 1, max_size=rows + 1))),
        y_edges=tuple(draw(st.lists(NUMBERS, min_size=columns + 1, max_size=columns + 1))),
        counts=tuple(draw(st.lists(cells, min_size=rows, max_size=rows))),
    )


@st.composite
def points(draw: Callable[..., Any]) -> PointsView:
    by = draw(st.none() | NAMES)
    names = st.just("") if by is None else st.sampled_from(["f", "m", "other"])
    found = sorted(draw(st.sets(st.tuples(NUMBERS, NUMBERS, names), max_size=20)))
    if by is None:
        found = sorted({(x, y): (x, y, "") for x, y, _ in found}.values())
    sizes = draw(st.lists(st.integers(1, 99), min_size=len(found), max_size=len(found)))
    slopes = st.floats(-1e3, 1e3)
    trends = st.builds(Trend, st.sampled_from([DRAWN, RAW]), st.just(""), slopes, slopes)
    return PointsView(
        **{name: draw(value) for name, value in shared(2, "deterministic", "none").items()},
        x=tuple(x for x, _, _ in found),
        y=tuple(y for _, y, _ in found),
        size=tuple(sizes),
        by=by,
        level=() if by is None else tuple(name for _, _, name in found),
        trends=tuple(draw(st.lists(trends, max_size=2))) if found else (),
    )


@st.composite
def multiples(draw: Callable[..., Any]) -> MultiplesView:
    views = draw(st.lists(st.one_of(histograms(), grids()), min_size=1, max_size=3))
    return MultiplesView(
        **{name: draw(value) for name, value in shared(1, "whole").items()},
        by=draw(NAMES),
        levels=tuple(draw(st.lists(NAMES, min_size=len(views), max_size=len(views)))),
        views=tuple(views),
    )


KINDS: dict[str, st.SearchStrategy[View]] = {
    "histogram": histograms(),
    "scatter": points(),
    "multiples": multiples(),
}
VIEWS = st.one_of(*KINDS.values())


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_json_comes_back_as_the_same_view(kind: str, data: st.DataObject) -> None:
    view = data.draw(KINDS[kind])
    text = view.to_json()
    again = View.from_json(text)
    assert again == view
    assert type(again) is type(view)
    assert again.to_json() == text
    assert type(view).from_json(text) == view
    assert again.describe() == view.describe()
    assert again.scene() == view.scene()


@given(VIEWS)
def test_json_holds_the_fields_and_nothing_else(view: View) -> None:
    given = json.loads(view.to_json())
    found = dataclasses.fields(view)
    fields = {it.name for it in found if it.metadata != WHERE_SAID or getattr(view, it.name)}
    assert set(given) == (fields - {*NOT_WRITTEN}) | {"discreet", "kind"}
    assert given["kind"] == view.kind
    said = {item.name for item in dataclasses.fields(Origin)} - {*WHERE_THERE_ARE}
    assert set(given["origin"]) - {*WHERE_THERE_ARE} == said


# --- leaving ----------------------------------------------------------------------------------


def closed(form: str) -> None:
    """Let nothing leave."""
    raise LeavingError(f"no {form} leaves")


WAYS_OUT: dict[str, Callable[[View, Path], Any]] = {
    "png": lambda view, folder: view.save(folder / "view.png"),
    "svg": lambda view, folder: view.save(folder / "view.svg"),
    "pdf": lambda view, folder: view.save(folder / "view.pdf"),
    "figure of its own": lambda view, folder: view.plot().savefig(folder / "view.png"),
    "html": lambda view, folder: view.save(folder / "view.html"),
    "html as text": lambda view, folder: view.to_html(),
    "json": lambda view, folder: view.save(folder / "view.json"),
    "json in capitals": lambda view, folder: view.save(folder / "view.JSON"),
    "json as text": lambda view, folder: view.to_json(),
    "pickle": lambda view, folder: pickle.dumps(view),
    "copy": lambda view, folder: copy.copy(view),
    "deep copy": lambda view, folder: copy.deepcopy(view),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_view_leaves_by_its_gate_and_leaves_nothing_where_it_is_closed(
    way: str, tmp_path: Path
) -> None:
    word = way.split()[0]
    form = word if word in {"png", "svg", "pdf", "html", "json", "figure"} else "json"
    with pytest.raises(LeavingError, match=f"^no {form} leaves$"):
        WAYS_OUT[way](histogram(gate=closed), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["png", "html as text", "json", "pickle"])
def test_an_open_gate_is_asked_once(way: str, tmp_path: Path) -> None:
    asked: list[str] = []
    WAYS_OUT[way](histogram(gate=asked.append), tmp_path)
    assert len(asked) == 1


def test_what_has_left_has_no_gate() -> None:
    view = histogram(gate=lambda form: None)
    for again in (
        View.from_json(view.to_json()),
        pickle.loads(pickle.dumps(view)),
        copy.deepcopy(view),
    ):
        assert again == view
        assert again.gate is None


def test_the_gate_is_no_part_of_a_view_s_value() -> None:
    assert histogram(gate=closed) == histogram()
    assert "gate" not in repr(histogram(gate=closed))


@pytest.mark.parametrize("suffix", FORMS)
def test_save_returns_the_path(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"view{suffix}"
    assert histogram().save(str(path)) == path
    assert path.stat().st_size > 100
    if os.name == "posix":
        assert not stat.S_IMODE(path.stat().st_mode) & 0o111


def test_a_saved_view_is_loaded_again(tmp_path: Path) -> None:
    view = histogram(columns=("größe",), origin=origin(study="état.csv"))
    assert View.load(view.save(tmp_path / "view.json")) == view
    assert HistogramView.load(tmp_path / "view.json") == view


def test_a_page_holds_the_picture_and_how_it_was_made(tmp_path: Path) -> None:
    view = histogram(columns=("a</script><b>",), suppressed=3)
    page = view.save(tmp_path / "view.html").read_text(encoding="utf-8")
    assert page == view.to_html()
    assert "<title>Histogram of a&lt;/script&gt;&lt;b&gt;</title>" in page
    for line in view.describe().splitlines():
        assert f"<p>{html.escape(line)}</p>" in page
    assert 'data-name="histogram-a--script--b-"' in page
    assert "<b>" not in page


@pytest.mark.parametrize("name", ["view", "view.pkl"])
def test_another_suffix_is_refused_before_the_gate(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"saved as one of '.png', '.svg', '.pdf', '.html', '.json'"
    ):
        histogram(gate=closed).save(tmp_path / name)


def test_a_folder_that_is_not_there_is_refused_before_the_gate(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere' to save into"):
        histogram(gate=closed).save(tmp_path / "nowhere" / "view.svg")


# --- reading back -----------------------------------------------------------------------------


def changed(**changes: Any) -> str:
    """Return the JSON of a histogram with some entries changed, or taken out where None."""
    given = json.loads(histogram().to_json())
    for name, value in changes.items():
        if value is None:
            del given[name]
        else:
            given[name] = value
    return json.dumps(given)


UNREADABLE: dict[str, tuple[str, str]] = {
    "no JSON": ("rows: 1, 2, 3", "not the JSON of a view"),
    "nothing": ("", "not the JSON of a view"),
    "a list": ("[1, 2, 3]", "not the JSON of a view"),
    "another object": ('{"age": 3}', "not the JSON of a view"),
    "not a number": (changed(edges=[0, float("nan"), 2]), "not the JSON of a view"),
    "a later schema": (
        changed(discreet=99),
        "schema 99 .*; known are schema 1 and 'bars', 'box', 'contour', 'correlations', 'crosstab',"
        " 'density', 'ecdf', 'heatmap', 'histogram', 'leverage', 'multiples', 'over_time',"
        " 'panels',"
        " 'parallel', 'qq', 'residuals', 'scatter', 'scatter_density',"
        " 'survival', 'violin'$",
    ),
    "an unknown kind": (changed(kind="pie"), "kind 'pie'; known are"),
    "a field too many": (
        changed(rows=[1, 2]),
        "a view of kind 'histogram' has exactly the fields 'columns'",
    ),
    "a field too few": (
        changed(counts=None),
        "a view of kind 'histogram' has exactly the fields 'columns'",
    ),
    "an unknown method": (
        changed(method="magic"),
        "the method of a view is one of 'deterministic', 'probabilistic'",
    ),
    "an edge missing": (changed(edges=[0, 1]), "one edge more than it has counts"),
    "an origin of other fields": (changed(origin={"policy": "x"}), "values of another type"),
}


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_view_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        View.from_json(text)


def scatter(**changes: Any) -> PointsView:
    """Make two points of two levels, and a line through them."""
    plain = PointsView(
        columns=("age", "bmi"),
        method="condensation",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=origin(counted="protected rows"),
        x=(1.0, 2.0),
        y=(3.0, 4.0),
        size=(1, 1),
        by="sex",
        level=("f", "m"),
        trends=(Trend(DRAWN, "", 1.0, 2.0),),
    )
    return dataclasses.replace(plain, **changes)


SHARED: dict[str, Any] = {
    "columns": ("age", "bmi"),
    "method": "none",
    "parameters": MappingProxyType({}),
    "suppressed": None,
    "origin": origin(),
}
FITTED: dict[str, Any] = SHARED | {
    "formula": "y ~ x",
    "x": (1.0,),
    "y": (2.0,),
    "size": (1,),
    "coefficients": MappingProxyType({"x": 1.0}),
    "corrected": MappingProxyType({}),
}
BOX = Box("f", 1, 2, 3, 4, 5)
EXAMPLES: dict[str, View] = {
    "histogram": histogram(),
    "heatmap": GridView(**SHARED, x_edges=(0.0, 1.0), y_edges=(0.0, 1.0, 2.0), counts=((5, None),)),
    "scatter": scatter(),
    "bars": BarView(
        **SHARED, levels=("a",), counts=(5,), by="sex", by_levels=("f",), by_counts=((5,),)
    ),
    "crosstab": CrossTableView(
        **SHARED,
        row_levels=("a",),
        column_levels=("f",),
        counts=((5,),),
        row_totals=(5,),
        column_totals=(5,),
        total=5,
    ),
    "contour": ContourView(
        **SHARED, x_edges=(0.0, 1.0), y_edges=(0.0, 1.0), counts=((5,),), levels=(1.0,)
    ),
    "box": BoxView(**SHARED, groups=(BOX,), by="sex"),
    "residuals": ResidualView(**FITTED),
    "qq": QQView(**FITTED),
    "leverage": LeverageView(**FITTED, curves=(Curve("one", (1.0,), (2.0,)),)),
    "multiples": MultiplesView(**SHARED, by="sex", levels=("f",), views=(histogram(),)),
    "panels": PanelsView(
        **SHARED,
        by=("age", "sex"),
        first=("40",),
        second=("f", "m"),
        views=(histogram(), None),
        few=(("40", "m"),),
        rough=1,
        drawn=1,
        each_pair=True,
    ),
}
TYPES, FIELDS = "holds values of another type", "view of kind '[a-z_]+' has exactly the fields"
NOT_JSON = "not the JSON of a view"
HOSTILE: dict[str, tuple[str, dict[str, Any], str]] = {
    # the view, what is written over its fields (... takes one out), what is said
    "a count too few": ("histogram", {"counts": [5]}, "one edge more than it has counts and dens"),
    "a column too few": ("heatmap", {"x_edges": [0]}, "one edge more along each side"),
    "a row too few": ("heatmap", {"y_edges": [0, 1]}, "one edge more along each side"),
    "a place too few": ("scatter", {"x": [1]}, "as many x as y coordinates and sizes"),
    "sizes too many": ("scatter", {"size": [1, 1, 1]}, "as many x as y coordinates and sizes"),
    "places that fall": ("scatter", {"x": [2, 1]}, "points are different and in order"),
    "a level too few": ("scatter", {"level": ["f"]}, "have a level each"),
    "by without levels": ("scatter", {"level": []}, "have a level each"),
    "a trend with rows": (
        "scatter",
        {"trends": [{"of": RAW, "level": "", "slope": 1, "intercept": 2, "rows": [1]}]},
        "a Trend has exactly the fields 'intercept'",
    ),
    "a level too many": ("bars", {"levels": ["a", "b"]}, "as many counts as levels"),
    "parts without levels": ("bars", {"by_levels": []}, "one row of counts for each level"),
    "parts that are numbers": ("bars", {"by_counts": [5]}, TYPES),
    "no cells": ("crosstab", {"counts": []}, "a count for each pair of levels"),
    "a sum too few": ("crosstab", {"column_totals": []}, "a sum for each level"),
    "lines that fall": ("contour", {"levels": [2, 1]}, "levels of a contour plot rise"),
    "no columns": ("contour", {"x_edges": [0, 1, 2]}, "one edge more along each side"),
    "lines that are a number": ("contour", {"levels": 2}, TYPES),
    "a box without outliers": ("box", {"groups": [{**vars(BOX), "outliers": 3}]}, TYPES),
    "quantiles without sizes": ("qq", {"size": []}, "as many x as y"),
    "estimates that are a list": ("residuals", {"coefficients": [1, 2]}, TYPES),
    "curves that are numbers": ("leverage", {"curves": [3]}, TYPES),
    "panels of nothing": ("panels", {"views": [None, None]}, "of one kind, one at least"),
    "panels of two kinds": (
        "panels",
        {"views": [json.loads(it.to_json()) for it in (histogram(), scatter())]},
        "of one kind, one at least",
    ),
    "panels by one column": ("panels", {"by": ["age"]}, TYPES),
    "a panel too few": ("panels", {"views": [None]}, "a view for each pair"),
    "panels that are numbers": ("panels", {"views": [3, None]}, NOT_JSON),
    "no picture": ("multiples", {"views": [], "levels": []}, "one view for each level"),
    "a number for a picture": ("multiples", {"views": [3]}, NOT_JSON),
    "an unknown picture": ("multiples", {"views": [{"discreet": 1, "kind": "pie"}]}, "kind 'pie'"),
    "a picture of rows": (
        "multiples",
        {"views": [json.loads(histogram().to_json()) | {"rows": [1]}]},
        "a view of kind 'histogram' has exactly the fields",
    ),
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_examples_come_back(kind: str) -> None:
    assert EXAMPLES[kind].kind == kind
    assert View.from_json(EXAMPLES[kind].to_json()) == EXAMPLES[kind]


@pytest.mark.parametrize(("kind", "changes", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_fields_are_refused(kind: str, changes: dict[str, Any], message: str) -> None:
    given = json.loads(EXAMPLES[kind].to_json()) | changes
    text = json.dumps({name: value for name, value in given.items() if value is not ...})
    with pytest.raises(InputError, match=message):
        View.from_json(text)


def test_remarks_are_a_list() -> None:
    given = json.loads(histogram().to_json())
    given["origin"]["remarks"] = 3
    with pytest.raises(InputError, match="values of another type"):
        View.from_json(json.dumps(given))


def nested(depth: int) -> str:
    """Return the JSON of small multiples of small multiples, and so on."""
    text = EXAMPLES["multiples"].to_json()
    inner = json.dumps(json.loads(text)["views"][0])
    before, after = text.split(inner)
    return before * depth + inner + after * depth


def test_multiples_of_multiples_come_back() -> None:
    view = View.from_json(nested(3))
    assert view.note().endswith("policy standard" + ", for each level of sex" * 3)
    assert View.from_json(view.to_json()) == view
    assert len(view.scene().panels) == 1


DEEP = {"multiples": nested(400), "lists": "[" * 10**6}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_no_view(text: str) -> None:
    with pytest.raises(InputError, match="not the JSON of a view"):
        View.from_json(text)


def test_a_view_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="this is a histogram view and no GridView"):
        GridView.from_json(histogram().to_json())


def test_a_file_that_is_no_view_is_refused_without_its_text(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("name\nCanary-Müller\n".encode("latin-1"))
    (tmp_path / "plain.csv").write_text("name\nCanary-Smith\n")
    with pytest.raises(InputError, match="there is no view to read at") as latin:
        View.load(tmp_path / "latin.csv")
    with pytest.raises(InputError, match="not the JSON of a view") as plain:
        View.load(tmp_path / "plain.csv")
    with pytest.raises(InputError, match="there is no view to read at"):
        View.load(tmp_path / "missing.json")
    assert "Canary" not in f"{latin.value}{plain.value}"


# --- words ------------------------------------------------------------------------------------


def test_describe_says_how_it_was_made_and_what_it_leaves_open() -> None:
    view = histogram(origin=origin(left_out=10), suppressed=1)
    assert view.describe().splitlines() == [
        "histogram of age: suppression (k = 5, bins = 2), policy standard",
        "counts are of records",
        "promises: Every cell shown has at least k people.",
        "does not protect: A total, or the same people counted on another grid, may reveal a "
        "hidden count.",
        "hidden: 1",
        "left out for missing values: about 10",
    ]


SHOWN: dict[str, tuple[str, dict[str, Any], str]] = {
    "counts": (
        "generalization",
        {"counted": "persons", "shown": 430, "total": 440},
        "shown: about 430 of 440 persons, from counts",
    ),
    "the copy": (
        "condensation",
        {"counted": "protected rows", "shown": 380, "total": 440, "most_gaps": "glucose"},
        "shown: about 380 of 440 rows, from the protected copy; glucose has the most gaps",
    ),
    "nobody": ("suppression", {"shown": 0, "total": 50}, "shown: none of about 50 records, from"),
    "many": (
        "generalization",
        {"shown": 9995000, "total": 10**7},
        "shown: about 9,995,000 of 10,000,000 records",
    ),
    "research, raw": (
        "none",
        {"regime": "research", "shown": 413, "total": 443},
        "shown: 413 of 443 records, unprotected",
    ),
    "research, rows": (
        "deterministic",
        {"regime": "research", "counted": "protected rows", "shown": 443, "total": 443},
        "shown: 443 of 443 rows, from rows protected for this plot",
    ),
}


@pytest.mark.parametrize(("method", "of", "said"), SHOWN.values(), ids=SHOWN)
def test_one_line_says_how_many_are_shown_of_how_many_and_from_where(
    method: str, of: dict[str, Any], said: str
) -> None:
    view = histogram(method=method, origin=origin(**of))
    assert view.notes()[0] == view.note()
    assert view.notes()[1].startswith(said)
    assert view.notes()[1] in view.describe().splitlines()
    assert view.notes()[1] in view.scene().notes
    assert View.from_json(view.to_json()).notes() == view.notes()


def test_what_was_saved_before_it_said_so_is_read_and_says_what_it_said() -> None:
    old = json.loads(histogram(origin=origin(left_out=10)).to_json())
    for name in ("shown", "total", "most_gaps"):
        assert old["origin"].pop(name) is None
    view = View.from_json(json.dumps(old))
    assert view.notes() == (histogram().note(),)
    assert view.describe().splitlines()[-1] == "left out for missing values: about 10"


@pytest.mark.parametrize(
    ("name", "value"), [("left_out", -5), ("shown", 2.5), ("total", "7"), ("total", True)]
)
def test_how_many_are_shown_is_a_whole_number(name: str, value: Any) -> None:
    old = json.loads(histogram().to_json())
    old["origin"][name] = value
    with pytest.raises(InputError, match=r"how many a view shows .* 0 or more|of another type"):
        View.from_json(json.dumps(old))


@pytest.mark.parametrize(
    ("changes", "words"), [({"regime": "research"}, "research: "), ({"public": True}, "public")]
)
def test_research_and_public_data_say_so_everywhere(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    marked, plain = histogram(origin=origin(**changes)), histogram()
    for told in (View.notes, lambda view: view.scene().notes):
        assert len(told(marked)) == len(told(plain)) + 1
        assert words in " ".join(told(marked))
    assert words in marked.describe()
    assert words not in plain.describe()
    field, value = next(iter(changes.items()))
    assert json.loads(marked.to_json())["origin"][field] == value
    assert words in marked.save(tmp_path / "marked.svg").read_text()


# --- in a notebook ----------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags of a text with their attributes, and the words between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


HOSTILE_NAMES = ("<script>alert(1)</script>", "a' onload='alert(1)", "$x_1$", "größe \u202e")


def texts(png: bytes) -> dict[str, str]:
    """Return all texts in the chunks of a PNG by their keys."""
    picture = Image.open(io.BytesIO(png))
    picture.load()
    return {str(key): it for key, it in picture.info.items() if isinstance(it, str)}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_notebook_shows_a_picture_described_by_escaped_words(name: str) -> None:
    view = histogram(columns=(name,), origin=origin(remarks=(name,)))
    bundle = view._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"image/png", "text/html", "text/plain"}
    picture = base64.b64decode(bundle["image/png"], validate=True)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert texts(picture) == {"Description": "\n".join(view.scene().notes)}
    assert bundle["text/plain"] == repr(view)
    page = Tags(bundle["text/html"])
    ((tag, image),) = page.tags
    assert tag == "img"
    assert set(image) == {"alt", "style", "src"}
    assert image["src"] == f"data:image/png;base64,{bundle['image/png']}"
    assert image["alt"] == view.describe()


@pytest.mark.parametrize("kind", ["histogram", "leverage", "panels"])
def test_every_kind_shows_itself_and_asks_nobody(kind: str) -> None:
    view = dataclasses.replace(EXAMPLES[kind], gate=closed)
    bundle = view._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert view.plot()
    assert view.describe()
    with pytest.raises(LeavingError, match=r"^no json leaves$"):
        view.to_json()
    with pytest.raises(LeavingError, match=r"^no figure leaves$"):
        view.plot().savefig(os.devnull)


# --- as a journal wants it ---------------------------------------------------------------------


def words_about(data: bytes, suffix: str) -> str:
    """Return what the metadata of a file say that it shows."""
    if suffix == ".png":
        with Image.open(io.BytesIO(data)) as image:
            return str(image.info["Description"])
    if suffix == ".svg":
        found = ET.fromstring(data).find(".//{http://purl.org/dc/elements/1.1/}description")
        assert found is not None
        return str(found.text)
    match = re.search(rb"/Subject \((.*?)(?<!\\)\)", data, re.DOTALL)
    assert match is not None
    return re.sub(rb"\\(n|.)", lambda it: b"\n" if it[1] == b"n" else it[1], match[1]).decode()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_note_that_is_not_drawn_stands_in_the_file(suffix: str, tmp_path: Path) -> None:
    view = EXAMPLES["multiples"] if suffix == ".svg" else histogram()
    drawn = view.save(tmp_path / f"drawn{suffix}").read_bytes()
    plain = view.save(tmp_path / f"plain{suffix}", footnote=False).read_bytes()
    said = words_about(plain, suffix).splitlines()
    assert {*view.scene().notes, *view.describe().splitlines()} == {*said}
    assert len(view.scene().notes) > 0
    assert b"does not protect" in drawn  # all that is said, in every file
    if suffix == ".svg":
        texts = ET.fromstring(plain).iter("{http://www.w3.org/2000/svg}text")
        assert view.note() not in ["".join(it.itertext()) for it in texts]


def test_a_plot_is_as_wide_and_as_fine_as_asked_with_its_title(tmp_path: Path) -> None:
    how: dict[str, Any] = {"title": "Figure 1. $Ages_1$", "width": 85}
    png = histogram().save(tmp_path / "a.png", dpi=300, **how)
    svg = histogram().save(tmp_path / "a.svg", **how)
    with Image.open(png) as image:
        assert image.width == pytest.approx(85 / 25.4 * 300, abs=1)
        assert image.info["dpi"][0] == pytest.approx(300, abs=0.1)
    tree = ET.fromstring(svg.read_bytes())
    assert float(tree.attrib["width"].removesuffix("pt")) == pytest.approx(85 / 25.4 * 72)
    assert "Figure 1. $Ages_1$" in svg.read_text("utf-8")
    assert histogram().note().split(":")[0] in svg.read_text("utf-8")


NOT_DRAWN: dict[str, tuple[str, dict[str, Any], str]] = {
    "a title of numbers": ("a.json", {"title": "x"}, r"are for a picture: one of '\.png'"),
    "notes of numbers": ("a.json", {"footnote": False}, "title, width, dpi and footnote are for"),
    "pixels of lines": ("a.svg", {"dpi": 300}, "dpi is for a .png; a .svg is drawn in lines"),
    "few pixels": ("a.png", {"dpi": 49}, "dpi must be from 50 to 1200"),
    "no width": ("a.png", {"width": 0}, "width must be above 0"),
    "too narrow": ("a.png", {"width": 30}, "width must be from 39 mm"),
}


@pytest.mark.parametrize(("name", "how", "message"), NOT_DRAWN.values(), ids=NOT_DRAWN)
def test_what_a_file_has_not_is_refused_before_the_gate(
    name: str, how: dict[str, Any], message: str, tmp_path: Path
) -> None:
    asked: list[str] = []
    with pytest.raises(InputError, match=message):
        histogram(gate=asked.append).save(tmp_path / name, **how)
    assert (asked, [*tmp_path.iterdir()]) == ([], [])


def test_what_may_not_be_released_is_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise LeavingError("it does not fit")

    drawn: list[object] = []
    monkeypatch.setattr(to_matplotlib, "draw", lambda *_, **__: drawn.append(1))
    with pytest.raises(LeavingError, match="does not fit"):
        histogram(gate=refuse).save(tmp_path / "a.pdf")
    assert not drawn
    assert not [*tmp_path.iterdir()]
