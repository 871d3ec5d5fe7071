"""`Study.round`: jointly it is the protected copy; per column it is for public data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.policy import Policy
from discreet.protect import ROUNDING_NAMES, load_points
from discreet.release import Release
from discreet.rounding import METHODS, JointSet, Rounder, RoundingSet
from discreet.rounding.rounding_set import column_sets, encoded

N = 240
JOINT = [name for name, kind in METHODS.items() if not kind.supervised]
GROUP = ["x", "y", "z"]


def cohort() -> pa.Table:
    """Two hundred and forty persons: three numbers, sex and a class that goes with x."""
    rng = np.random.default_rng(4)
    x = rng.normal(50, 10, size=N)
    return pa.table(
        {
            "x": x,
            "sex": rng.choice(["f", "m"], size=N),
            "y": x + rng.normal(0, 5, size=N),
            "z": rng.lognormal(size=N),
            "arm": np.where(x > 52, "high", "low"),
        }
    )


COHORT = cohort()


def guarded(**fields: Any) -> dc.Study:
    """Open the cohort to be rounded, under a guarded policy."""
    fields = {"groups": [GROUP], "rows": "rounding", "strata": ["sex"]} | fields
    return dc.open(COHORT, Policy.preset("standard", **fields))


def research(**fields: Any) -> dc.Study:
    """Open the cohort as public data."""
    return dc.open(COHORT, Policy.preset("research", **fields))


def rows_of(release: Release) -> list[tuple[Any, ...]]:
    """Return the rows of what was released."""
    return list(zip(*release.frame.to_pydict().values(), strict=True))


# --- under a guarded policy -----------------------------------------------------------------------


@pytest.mark.parametrize("method", JOINT)
def test_a_guarded_table_is_shared_row_by_row_and_is_the_copy(method: str) -> None:
    study = guarded(rounding=method)

    release = study.round()

    rows = rows_of(release)
    assert min(Counter(rows).values()) >= 5
    scatter = study.scatter("x", "y")
    points = zip(scatter.x, scatter.y, scatter.size, strict=True)
    assert {(x, y): n for x, y, n in points} == Counter((row[0], row[2]) for row in rows)
    assert not set(COHORT["x"].to_pylist()) & {row[0] for row in rows}
    made = release.report.made
    assert (made["method"], made["rounding"]) == ("rounding", method)
    assert "k-anonymous over the columns" in made["promises"]


def test_asking_for_what_the_policy_has_changes_nothing() -> None:
    study = guarded(rounding="kmeans", c=4, k=6)

    once = study.round()

    assert rows_of(study.round(method="kmeans", c=4, k=6)) == rows_of(once)
    assert rows_of(study.round(["x", "y", "z"], drop=["arm"])) == rows_of(once)


def test_microaggregation_is_rounding_by_mdav() -> None:
    study = guarded(rows="microaggregation")

    assert rows_of(study.round(method="mdav")) == rows_of(study.anonymize())
    assert rows_of(guarded().round()) == rows_of(study.anonymize())


GUARDED: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = {
    "per column": ({}, {"per_column": True}, RefusedError, "do not hide rows: it is for arrays"),
    "another copy": (
        {"rows": "condensation"},
        {},
        RefusedError,
        r"made by 'condensation'; to round, the custodian can open a study with it",
    ),
    "another method": ({}, {"method": "kmeans"}, RefusedError, "rounding is fixed when the study"),
    "another c": ({"rounding": "kmeans"}, {"c": 3}, RefusedError, "c is fixed when the study"),
    "another k": ({}, {"k": 7}, RefusedError, "k is fixed when the study is opened"),
    "not mdav": (
        {"rows": "microaggregation"},
        {"method": "vmdav"},
        RefusedError,
        "made by microaggregation .'mdav'.; for another",
    ),
    "supervised": ({}, {"method": "mdlp"}, InputError, "rounds one column at a time, by a class"),
    "unknown": ({}, {"method": "magic"}, InputError, "no way to round 'magic'"),
    "representative": ({}, {"representative": "median"}, InputError, "of columns rounded by them"),
    "encoding": ({}, {"encoding": "nearest"}, InputError, "of columns rounded by themselves"),
}


@pytest.mark.parametrize(("fields", "how", "error", "message"), GUARDED.values(), ids=GUARDED)
def test_what_a_guarded_study_refuses(
    fields: dict[str, Any], how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        guarded(**fields).round(**how)


def test_a_policy_that_cannot_round_is_refused() -> None:
    with pytest.raises(InputError, match="rounds one column at a time, by a class"):
        guarded(rounding="mdlp")
    with pytest.raises(InputError, match="'mdav' groups rows by k alone"):
        guarded(c=4)
    with pytest.raises(InputError, match="rows of the policy must be one of"):
        guarded(rows="column-rounding")


def test_two_roundings_of_the_same_data_do_not_both_leave(tmp_path: Path) -> None:
    guarded(study="cohort").round().save(tmp_path / "once.csv")

    for fields in ({"k": 6}, {"rounding": "vmdav"}, {"rounding": "kmeans", "c": 5}):
        with pytest.raises(LeavingError, match="cohort"):
            guarded(study="cohort", **fields).round().save(tmp_path / "again.csv")

    assert not (tmp_path / "again.csv").exists()


def test_points_leave_past_the_ledger_and_tell_no_more_than_the_table(tmp_path: Path) -> None:
    release = guarded(study="cohort").round()

    release.save_points(tmp_path / "points.json")

    points = load_points(tmp_path / "points.json")
    assert isinstance(points, JointSet)
    found = Counter((row[0], row[2], row[3]) for row in rows_of(release))
    assert {tuple(point): n for point, n in zip(points.points, points.counts, strict=True)} == found
    with pytest.raises(LeavingError, match="cohort"):
        guarded(study="cohort", k=6).round().save_points(tmp_path / "more.json")


# --- under research -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", JOINT)
def test_jointly_is_the_default_under_research_too(method: str) -> None:
    release = research().round(method=method, k=8)

    assert min(Counter(rows_of(release)).values()) >= 8
    assert isinstance(release.points, JointSet)


@pytest.mark.parametrize("method", METHODS)
def test_per_column_is_what_the_estimator_does(method: str) -> None:
    study = research(strata=["arm"])

    release = study.round(["x", "y", "z"], method=method, per_column=True)

    x = np.column_stack([COHORT[name] for name in GROUP])
    k = None if method in ("mdlp", "chimerge") else 3
    rounder = Rounder(method=method, k=k).fit(x, COHORT["arm"].to_pylist())
    sets, expected = rounder.sets_, rounder.transform(x)
    if method == "base":  # the paper's: the smallest there is, not of two digits
        sets = column_sets(x, "base", k=3, c=None, exact=True)
        expected = encoded(sets, x, "region", None)
    for j, name in enumerate(GROUP):
        assert release.frame[name].to_pylist() == expected[:, j].tolist()
    assert isinstance(release.points, tuple)
    assert release.points == tuple(
        RoundingSet.from_dict(found.to_dict() | {"column": name})
        for name, found in zip(GROUP, sets, strict=True)
    )


def test_the_report_says_what_one_column_at_a_time_costs() -> None:
    release = research().round(GROUP, method="optimal", k=10, per_column=True)

    report = release.report
    rows = Counter(zip(*(release.frame[name].to_pylist() for name in GROUP), strict=True))
    below = sum(n for n in rows.values() if n < 10)
    found = report.measured.risks["below_k"]
    assert (found.count, found.trials) == (below, N)
    assert below > 0.9 * N
    assert "linkage" in report.measured.risks
    assert "so the table is not k-anonymous: " in " ".join(report.in_words().split())
    assert "k-anonymity of the rows" in report.to_text()
    made = report.made
    assert (made["rounding"], made["k"], made["per column"]) == ("optimal", 10, True)


def test_freedman_diaconis_chooses_for_each_column() -> None:
    release = research().round(GROUP, method="kmeans", k="freedman-diaconis", per_column=True)

    assert isinstance(release.points, tuple)
    assert len({len(found.points) for found in release.points}) > 1
    with pytest.raises(InputError, match="k must be a whole number where rows are rounded jointly"):
        research().round(GROUP, method="kmeans", k="freedman-diaconis")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"method": "kmeans", "k": 4, "c": 3}, "k and c say the same thing in two ways"),
        ({"method": "mdlp", "k": 4}, "'mdlp' chooses the number of regions itself"),
    ],
)
def test_numbers_that_mean_nothing_per_column(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        research(strata=["arm"]).round(GROUP, per_column=True, **how)


def test_k_is_not_told_where_c_was_asked_for() -> None:
    report = research().round(GROUP, method="mdav", c=4, per_column=True).report

    assert (report.made["c"], report.made["rounding"]) == (4, "mdav")
    assert "k" not in report.made


def test_pictures_say_which_rounding_they_are_drawn_from() -> None:
    view = research(rounding="kmeans", c=4).scatter("x", "y", method="rounding")

    assert dict(view.parameters) == {"k": 3, "rounding": "kmeans", "c": 4}


def test_the_policys_c_is_of_the_policys_rounding_alone() -> None:
    study = research(rounding="kmeans", c=4)

    points = study.round(GROUP, per_column=True).points
    assert isinstance(points, tuple)
    assert [len(found.points) for found in points] == [4, 4, 4]
    assert study.round(GROUP, method="mdav").report.made["rounding"] == "mdav"
    by_k = study.round(GROUP, per_column=True, k=60).points
    assert isinstance(by_k, tuple)
    assert [len(found.points) for found in by_k] == [4, 4, 4]  # 240 / 60
    with pytest.raises(InputError, match="c must be a whole number of at least 1"):
        study.round(GROUP, method="kmeans", c=0)
    with pytest.raises(InputError, match="representative is unknown"):
        study.round(GROUP, per_column=True, representative="")


def test_the_report_says_how_many_points_each_column_has() -> None:
    made = research().round(GROUP, method="optimal", c="freedman-diaconis", per_column=True).report

    told = made.made["points"]
    assert [text.split(":")[0] for text in told] == GROUP
    assert all(" points (k = " in text for text in told)
    assert "rows that fewer than 3 rows share" in made.to_text()


@pytest.mark.parametrize(
    ("how", "k"),
    [({"k": 12}, 12), ({"c": 20}, 12), ({"k": "freedman-diaconis"}, 3)],
)
def test_rows_are_counted_that_fewer_share_than_were_asked_for(how: dict[str, Any], k: int) -> None:
    report = research().round(GROUP, method="kmeans", per_column=True, **how).report

    assert f"fewer than {k} rows share" in report.measured.risks["below_k"].what


def test_numpys_whole_numbers_are_whole_numbers() -> None:
    joint = research().round(GROUP, k=np.int64(8))  # type: ignore[arg-type]

    assert min(Counter(rows_of(joint)).values()) >= 8


def test_representative_and_encoding() -> None:
    how: dict[str, Any] = {"method": "kmeans", "c": 4, "per_column": True}
    study = research()

    median = study.round(GROUP, representative="median", **how)
    drawn = study.round(GROUP, encoding="stochastic", **how)

    assert isinstance(median.points, tuple)
    assert median.points[0].parameters["representative"] == "median"
    assert set(median.frame["x"].to_pylist()) == set(median.points[0].points)
    assert drawn.frame.equals(study.round(GROUP, encoding="stochastic", **how).frame)
    off = np.mean(drawn.frame["x"]) - np.mean(COHORT["x"])
    assert abs(off) < 2.0


def test_supervised_methods_need_a_stratum_for_a_class() -> None:
    with pytest.raises(RefusedError, match="name the column that holds it as a stratum"):
        research().round(GROUP, method="mdlp", per_column=True, drop=["sex", "arm"])


def test_points_of_columns_are_read_back(tmp_path: Path) -> None:
    release = research().round(GROUP, method="kmeans", c=4, per_column=True)

    path = release.save_points(tmp_path / "points.json")

    assert load_points(path) == release.points
    assert json.loads(path.read_text())["kind"] == "rounding-sets"


def test_a_table_that_was_not_rounded_has_no_points(tmp_path: Path) -> None:
    release = research().anonymize(GROUP)

    assert release.points is None
    with pytest.raises(InputError, match="was not rounded and has no points"):
        release.save_points(tmp_path / "points.json")
    with pytest.raises(InputError, match="rounding points"):
        release.save_points(tmp_path / "points.csv")


# --- one name each ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROUNDING_NAMES)
def test_one_name_opens_the_same_study_as_the_two_fields_did(name: str) -> None:
    method = ROUNDING_NAMES[name]
    old, new = guarded(rounding=method), guarded(rows=name)

    assert new.policy == old.policy
    assert new.policy.settings() == old.policy.settings()
    assert new.policy.copy_settings() == old.policy.copy_settings()
    assert rows_of(new.round()) == rows_of(old.round())
    # Whoever asks for the method by either name gets the copy.
    assert rows_of(new.anonymize(method=name)) == rows_of(old.anonymize(method="rounding"))


def test_mdav_is_microaggregation_by_another_name() -> None:
    old, new = guarded(rows="microaggregation"), guarded(rows="mdav")

    assert old.policy.settings()["rows"] == "microaggregation"
    assert rows_of(old.round()) == rows_of(new.round())
    assert rows_of(old.anonymize(method="mdav")) == rows_of(old.anonymize())


def test_a_table_is_asked_for_by_one_name_under_research() -> None:
    study = research()

    for name, method in ROUNDING_NAMES.items():
        asked = study.anonymize(GROUP, method=name, k=5)
        assert rows_of(asked) == rows_of(study.round(GROUP, method=method, k=5))
    with pytest.raises(InputError, match="no use for q="):
        study.anonymize(GROUP, method="vmdav", q=0.2)
    with pytest.raises(InputError, match=r"cannot be made by method 'mdlp'; there are .*'mdav'"):
        study.anonymize(GROUP, method="mdlp")


def test_a_plot_of_rows_is_asked_for_by_one_name_under_research() -> None:
    study = research()

    view = study.scatter("x", "y", method="equal-width")

    assert (view.method, view.parameters["rounding"]) == ("rounding", "equal_width")
    assert view.x == research(rounding="equal_width").scatter("x", "y", method="rounding").x


def test_a_guarded_study_refuses_another_way_to_round() -> None:
    study = guarded(rows="vmdav")

    assert study.scatter("x", "y", method="vmdav").method == "rounding"
    for method in ("mdav", "optimal"):
        with pytest.raises(RefusedError, match="rounding is fixed when the study is opened"):
            study.anonymize(method=method)
    with pytest.raises(RefusedError, match="made by 'condensation'"):
        guarded(rows="condensation").anonymize(method="vmdav")


def test_a_sweep_tries_ways_to_round() -> None:
    found = research().sweep(GROUP, methods=["mdav", "equal-width"], k=[5])

    assert [point.setting.method for point in found.points] == ["mdav", "equal-width"]
    assert all(point.refused is None for point in found.points)
