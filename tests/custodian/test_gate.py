"""What the release_gate tells the register: what is drawn, what is pinned, what is recognised."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.custodian.gate import NOTHING, ReleaseGate
from discreet.errors import InputError, LeavingError
from discreet.plots.bars import BarChart
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import Plot
from discreet.plots.scatter import ScatterPlot
from discreet.policy import Policy, settle
from discreet.register.register import Register
from discreet.register.rules import COPY_OF_TABLE, ReleaseRecord
from discreet.secret import Secret
from discreet.sketch import WHOLE_ROWS, Sketch
from discreet.table import open_table
from discreet.vault.vault import version_of_whole
from tests.cases import policy_of
from tests.records.given import register_in

SECRET = Secret.from_bytes(bytes(range(32)))
N = 60
RNG = np.random.default_rng(5)
COLUMNS: dict[str, list[Any]] = {
    "x": RNG.normal(size=N).tolist(),
    "y": RNG.normal(size=N).tolist(),
    "z": RNG.normal(size=N).tolist(),
    "sex": RNG.choice(["f", "m"], size=N).tolist(),
    "ward": RNG.choice(["a", "b"], size=N).tolist(),
    "row": list(range(N)),
    "person": RNG.permutation(N + 40)[:N].tolist(),
}


@dataclass
class Heard(Register):
    """A register that keeps in memory what it is told, and lets everything leave."""

    key: Secret = SECRET
    told: list[ReleaseRecord] = field(default_factory=list)
    every: list[set[str]] = field(default_factory=list)
    times: int = 0

    def knows(self, study: str | None, drawn: Any = NOTHING) -> bool:
        return False

    def release(self, leavings: Sequence[ReleaseRecord], every: Any) -> None:
        self.told.extend(leavings)
        self.every.append(set(every()))
        self.times += 1


def release_gate(register: Register, source: Any = None, **fields: Any) -> ReleaseGate:
    """Stand a release_gate between a table and a register."""
    policy = policy_of(**fields)
    kinds = {name: "categorical" for name in policy.of_papers.strata} | dict(policy.kinds)
    given = pa.table(COLUMNS) if source is None else source
    table = open_table(given, kinds=kinds, roles={}, unit=policy.unit, key=policy.key)
    return ReleaseGate(table, policy, SECRET, register, policy.study)


def record(
    keeper: ReleaseGate, plot: Plot[Any], form: str = "svg", also: Sequence[str] = (), **way: Any
) -> ReleaseRecord:
    """Say what is to be released of a plot, as the papers' gate does."""
    request = settle(keeper.policy, plot, **way)
    return keeper.record(request.plot.name, (*request.named, *also), request.how, form)


def told(plot: Plot[Any], fields: Any = None, **way: Any) -> ReleaseRecord:
    """Return what the register hears of a plot."""
    heard = Heard()
    keeper = release_gate(heard, **(fields or {}))
    keeper.release([record(keeper, plot, **way)])
    (leaving,) = heard.told
    return leaving


NUMBER, LEVELS = "continuous", "categorical"
KINDS = {f"kind of {name!r}": LEVELS if name in ("sex", "ward") else NUMBER for name in COLUMNS}


WAYS: dict[str, tuple[Plot[Any], dict[str, Any], dict[str, str]]] = {
    "clusters": (ParallelPlot(("x", "y")), {}, {"way of making clusters": "k-member, k = 3"}),
    "rows": (
        ScatterPlot("x", "y"),
        {},
        {
            "way of protecting rows": (
                "deterministic, k = 3, metric = euclidean, q = 0.0, ties = keyed"
            )
        },
    ),
    "noise": (
        ScatterPlot("x", "y"),
        {"method": "probabilistic", "q": 0.5},
        {"way of protecting rows": "probabilistic, q = 0.5, far_noise = even, k = 3"},
    ),
    "records": (ScatterPlot("x", "y"), {"method": "none"}, {"way of protecting rows": "none"}),
    "counts": (HistogramPlot("x"), {"k": 4}, {"least count": "k = 4"}),
}


def test_of_the_papers_the_method_and_its_numbers_are_pinned() -> None:
    for plot, way, expected in WAYS.values():
        assert told(plot, **way).choices == expected


def test_the_copy_is_pinned_and_the_kind_of_each_of_its_columns() -> None:
    record = release_gate(Heard(), preset="standard").record_from_copy("bars", ("x",), "svg", "a")
    assert record.choices == {COPY_OF_TABLE: "a", **KINDS}
    assert (record.columns, record.method, dict(record.sketches)) == (("x",), "whole", {})


def test_what_is_drawn_is_sketched_and_the_column_of_its_levels_too() -> None:
    drawn: list[tuple[Plot[Any], set[str]]] = [
        (HistogramPlot("x"), {"column x"}),
        (BarChart("ward", by="sex"), {"column ward", "column sex"}),
        (ParallelPlot(("x", "ward")), {"column x", "column ward"}),
    ]
    for plot, sketched in drawn:
        assert set(told(plot).sketches) == sketched


def test_the_record_names_picture_columns_method_and_form() -> None:
    leaving = told(HistogramPlot("x", by="ward"), fields={"study": "s", "k": 6})
    assert (leaving.study, leaving.kind, leaving.form, leaving.k) == ("s", "histogram", "svg", 6)
    assert (leaving.columns, leaving.method) == (("x", "ward"), "suppression")
    assert leaving.settings == Policy.preset("research", k=6).settings()


def test_a_sketch_is_of_the_values_in_any_order_and_of_one_key() -> None:
    plain = told(HistogramPlot("x")).sketches["column x"]
    turned = pa.table({name: values[::-1] for name, values in COLUMNS.items()})
    another = Secret.from_bytes(bytes(range(1, 33)))

    def again(heard: Heard, source: Any = None, secret: Secret = SECRET) -> Sketch:
        keeper = replace(release_gate(heard, source), secret=secret)
        keeper.release([record(keeper, HistogramPlot("x"))])
        return heard.told[0].sketches["column x"]

    assert again(Heard(), turned).mark == plain.mark
    assert again(Heard(), secret=another).mark == plain.mark, "whatever the secret"
    assert again(Heard(another)).mark != plain.mark


def test_rows_that_are_paired_otherwise_are_another_sketch() -> None:
    swapped = {**COLUMNS, "y": [COLUMNS["y"][1], COLUMNS["y"][0], *COLUMNS["y"][2:]]}
    marks = []
    for source in (COLUMNS, swapped):
        heard = Heard()
        keeper = release_gate(heard, pa.table(source))
        marks.append(
            {what: s.mark for what, s in keeper._every_sketch(keeper._all_columns()).items()}
        )
    assert marks[0]["column y"] == marks[1]["column y"]
    assert marks[0][WHOLE_ROWS] != marks[1][WHOLE_ROWS]


def test_every_column_is_recognised_but_row_numbers() -> None:
    heard = Heard()
    keeper = release_gate(heard, unit="person", key="row")
    keeper.release([record(keeper, HistogramPlot("x"))])
    everything = {f"column {name}" for name in COLUMNS} - {"column row"}
    shapes = {"shape of x", "shape of y", "shape of z"}
    assert heard.every == [everything | shapes | {"whole rows", "whose rows"}]
    assert set(heard.told[0].sketches) == {"column x", "column person"}


@pytest.mark.parametrize(
    ("persons", "told_apart"),
    [
        ([f"P{i}" for i in range(N)], True),
        ([9 * i for i in range(N)], True),
        ([i // 3 for i in range(N)], False),
        ([i + i // 9 for i in range(N)], False),
    ],
    ids=["words", "numbers", "from nought", "with gaps"],
)
def test_persons_are_recognised_but_by_numbers_that_others_have_too(
    persons: list[Any], told_apart: bool
) -> None:
    heard = Heard()
    keeper = release_gate(heard, pa.table({**COLUMNS, "person": persons}), unit="person")
    keeper.release([record(keeper, HistogramPlot("x"))])
    assert ("persons" in heard.every[0]) is told_apart


def test_public_data_are_recorded_by_nobody() -> None:
    heard = Heard()
    keeper = release_gate(heard, public=True)
    for plot in (BarChart("ward"), HeatMap("x", "y")):
        keeper.release([record(keeper, plot, "json")])
    assert heard.told == []


def test_a_file_that_was_written_since_is_not_recorded(tmp_path: Path, file_of: Any) -> None:
    heard = Heard()
    path = file_of(tmp_path / "a.csv", COLUMNS)
    keeper = release_gate(heard, path)
    keeper.release([record(keeper, BarChart("ward"))])
    file_of(path, {**COLUMNS, "x": [0.0] * N, "more": [1.25] * N})
    with pytest.raises(LeavingError, match="the file has changed since the study was opened"):
        keeper.release([record(keeper, BarChart("ward"))])
    assert len(heard.told) == 1


# --- with a register ----------------------------------------------------------------------------


def leave(keeper: ReleaseGate, plot: Plot[Any]) -> None:
    """Let a plot of counts leave."""
    keeper.release([record(keeper, plot)])


def leave_from_copy(keeper: ReleaseGate, *columns: str) -> None:
    """Let bars of the copy leave."""
    version = version_of_whole(keeper.table, keeper.policy, SECRET).hex()[:16]
    keeper.release([keeper.record_from_copy("bars", columns, "svg", version)])


def test_numbers_as_levels_are_another_copy(tmp_path: Path) -> None:
    register = register_in(tmp_path)
    how: dict[str, Any] = {"preset": "standard", "study": "s"}
    leave_from_copy(release_gate(register, **how), "x")
    with pytest.raises(LeavingError, match="another copy of the whole table was released"):
        leave_from_copy(release_gate(register, **how, kinds={"x": "categorical"}), "z")
    leave_from_copy(release_gate(register, **how), "y", "ward")
    assert len(register.history()) == 2


def test_levels_that_changed_are_changed_data(tmp_path: Path) -> None:
    register = register_in(tmp_path)
    leave(release_gate(register, study="s"), HistogramPlot("x", by="sex"))
    sex = ["m" if level == "f" else "f" for level in COLUMNS["sex"][:3]] + COLUMNS["sex"][3:]
    other = release_gate(register, pa.table({**COLUMNS, "sex": sex}), study="s")
    with pytest.raises(LeavingError, match="the data of study 's' have changed"):
        leave(other, HistogramPlot("y", by="sex"))
    leave(other, HistogramPlot("x"))


def test_a_version_needs_a_name_and_a_change(tmp_path: Path) -> None:
    register = register_in(tmp_path)
    how: dict[str, Any] = {"preset": "standard", "study": "s"}
    leave_from_copy(release_gate(register, **how), "ward", "sex")

    with pytest.raises(InputError, match="a frame has no name, so it cannot have versions"):
        release_gate(register).new_version()
    with pytest.raises(InputError, match="neither the data nor the policy of study 's'"):
        release_gate(register, **how).new_version()
    with pytest.raises(
        LeavingError, match="'k' must be the same as in the earlier copy of these people"
    ):
        release_gate(register, **how, k=6).new_version()
    assert release_gate(register, **how, left_out=0.3).new_version() == 2


# --- several that leave together ------------------------------------------------------------------


FORMS = ("csv", "html")


def records(keeper: ReleaseGate) -> list[ReleaseRecord]:
    """Say how counts of x and y leave, and a report on them."""
    plot = HeatMap("x", "y")
    return [record(keeper, plot, form, ("sex",), method="generalization") for form in FORMS]


def test_a_record_says_its_columns_and_what_it_rests_on() -> None:
    heard = Heard()
    keeper = release_gate(heard)
    plot = HistogramPlot("x", by="ward")
    keeper.release([record(keeper, plot), record(keeper, plot, also=("sex",))])
    counted, drawn = heard.told
    assert counted.columns == ("x", "ward")
    assert {*counted.sketches} == {"column x", "column ward"}
    assert drawn.columns == ("x", "ward", "sex")
    assert {*drawn.sketches} == {"column x", "column ward", "column sex"}


def test_what_leaves_together_is_asked_for_once() -> None:
    heard = Heard()
    keeper = release_gate(heard)
    keeper.release(records(keeper))
    assert heard.times == 1
    table, report = heard.told
    assert (table.form, report.form) == ("csv", "html")
    assert table.columns == report.columns == ("x", "y", "sex")
    assert report.choices == table.choices
    assert {*table.sketches} == {"column x", "column y", "column sex"}
    assert table.sketches["column x"] is report.sketches["column x"], "sketched once"


def test_one_that_does_not_fit_stops_the_other(tmp_path: Path) -> None:
    register = register_in(tmp_path)
    keeper = release_gate(register, study="s")
    keeper.release(records(keeper))
    table, report = records(keeper)
    with pytest.raises(LeavingError, match="'regime' must be the same as in the earlier release"):
        keeper.release([table, replace(report, settings={"regime": "guarded"})])
    assert [entry["form"] for entry in register.history()] == ["csv", "html"]
    keeper.release(records(keeper)[:1])
    assert [entry["form"] for entry in register.history()] == ["csv", "html", "csv"]
