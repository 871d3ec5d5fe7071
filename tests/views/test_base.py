"""What all views share: they leave by the gate alone, and come back the same."""

import copy
import dataclasses
import json
import os
import pickle
import stat
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, LeavingError
from discreet.render.scene import Box
from discreet.views import (
    BoxView,
    GridView,
    HistogramView,
    Origin,
    PointsView,
    View,
)

FORMS = (".png", ".svg", ".pdf", ".json")


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
    left_out=st.integers(0, 10**6).map(lambda n: 5 * n),
    counted=st.sampled_from(["records", "persons", "protected rows"]),
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
        **{name: draw(value) for name, value in shared(1, "merge", "condensation").items()},
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
    pairs = sorted(draw(st.sets(st.tuples(NUMBERS, NUMBERS), max_size=20)))
    sizes = draw(st.lists(st.integers(1, 99), min_size=len(pairs), max_size=len(pairs)))
    return PointsView(
        **{name: draw(value) for name, value in shared(2, "deterministic", "none").items()},
        x=tuple(x for x, _ in pairs),
        y=tuple(y for _, y in pairs),
        size=tuple(sizes),
    )


@st.composite
def boxes(draw: Callable[..., Any]) -> BoxView:
    columns = draw(st.lists(NAMES, min_size=1, max_size=4))
    groups = []
    for label in columns:
        low, q1, median, q3, high = sorted(draw(st.lists(NUMBERS, min_size=5, max_size=5)))
        outliers = tuple(draw(st.lists(NUMBERS, max_size=3)))
        mean = draw(st.none() | NUMBERS)
        groups.append(Box(label, low, q1, median, q3, high, mean, outliers))
    given = {name: draw(value) for name, value in shared(1, "order-means", "none").items()}
    return BoxView(**given | {"columns": tuple(columns)}, groups=tuple(groups))


VIEWS = st.one_of(histograms(), grids(), points(), boxes())


@given(VIEWS)
def test_json_comes_back_as_the_same_view(view: View) -> None:
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

    fields = {item.name for item in dataclasses.fields(view)}
    assert set(given) == (fields - {"gate"}) | {"discreet", "kind"}
    assert given["kind"] == view.kind
    assert set(given["origin"]) == {item.name for item in dataclasses.fields(Origin)}


# --- leaving ----------------------------------------------------------------------------------


def closed(form: str) -> None:
    """Let nothing leave."""
    raise LeavingError(f"no {form} leaves")


WAYS_OUT: dict[str, Callable[[View, Path], Any]] = {
    "png": lambda view, folder: view.save(folder / "view.png"),
    "svg": lambda view, folder: view.save(folder / "view.svg"),
    "pdf": lambda view, folder: view.save(folder / "view.pdf"),
    "figure of its own": lambda view, folder: view.plot().savefig(folder / "view.png"),
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
    form = word if word in {"png", "svg", "pdf", "json", "figure"} else "json"

    with pytest.raises(LeavingError, match=f"^no {form} leaves$"):
        WAYS_OUT[way](histogram(gate=closed), tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", WAYS_OUT)
def test_an_open_gate_is_asked_once(way: str, tmp_path: Path) -> None:
    asked: list[str] = []

    WAYS_OUT[way](histogram(gate=asked.append), tmp_path)

    assert len(asked) == 1


def test_looking_asks_nobody() -> None:
    view = histogram(gate=closed)

    view.plot()
    assert repr(view) == (
        "HistogramView(histogram of age: suppression (k = 5, bins = 2), policy standard)"
    )
    assert view.describe()
    assert view.scene()


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


@pytest.mark.parametrize("name", ["view", "view.txt", "view.csv", "view.pkl", "view.jpeg"])
def test_another_suffix_is_refused_before_the_gate(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"saved as one of '.png', '.svg', '.pdf', '.json'"):
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
    "infinite": (changed(edges=[0, 1, float("inf")]), "not the JSON of a view"),
    "a later schema": (
        changed(discreet=99),
        "schema 99 .*; known are schema 1 and 'box', 'heatmap'",
    ),
    "an unknown kind": (changed(kind="pie"), "kind 'pie'; known are"),
    "a kind that is no word": (changed(kind=["pie"]), "known are"),
    "a field too many": (changed(rows=[1, 2]), "a histogram view has exactly the fields 'columns'"),
    "a field too few": (changed(counts=None), "a histogram view has exactly the fields 'columns'"),
    "an unknown method": (changed(method="magic"), "the method of a view is one of 'suppression'"),
    "a method that is no word": (changed(method=[1]), "the method of a view is one of"),
    "an edge missing": (changed(edges=[0, 1]), "one edge more than it has counts"),
    "edges of no length": (changed(edges=3), "values of another type"),
    "an origin of other fields": (changed(origin={"policy": "x"}), "values of another type"),
    "parameters that are none": (changed(parameters=3), "values of another type"),
}


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_view_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
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
        "promises: Every cell that is shown stands on at least k persons.",
        "leaves open: A total, or the same persons counted on another grid, may give a hidden"
        " count back.",
        "hidden: 1",
        "left out for missing values: about 10",
    ]


def test_describe_names_the_protected_copy() -> None:
    view = histogram(method="condensation", origin=origin(version="0123456789abcdef"))

    assert view.describe().splitlines()[-1] == "drawn from the protected copy 0123456789abcdef"


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"regime": "research"}, "research: "), ({"public": True}, "public")],
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


def test_a_view_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field"):
        histogram().counts = (1, 2)  # type: ignore[misc]


def test_a_view_without_a_picture_is_none() -> None:
    with pytest.raises(NotImplementedError, match=r"^$"):
        View.scene(histogram())
