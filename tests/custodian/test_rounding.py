"""`Research.round`: of rows jointly, or per column, for public data."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.methods import ROUNDING_NAMES
from discreet.release import Release
from discreet.rounding import METHODS, JointSet, Rounder, RoundingSet
from discreet.rounding.rounding_set import column_sets, encoded

N = 240
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


def research(**fields: Any) -> dc.Research:
    """Open the cohort as public data."""
    return dc.research(COHORT, **fields)


def rows_of(release: Release) -> list[tuple[Any, ...]]:
    """Return the rows of what was released."""
    return list(zip(*release.frame.to_pydict().values(), strict=True))


def test_jointly_is_the_default() -> None:
    release = research().round(method="mdav", k=8)
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
        ({"method": "kmeans", "k": 4, "c": 3}, "k and c both set the size of regions"),
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
    view = research(method="kmeans", c=4).scatter("x", "y", method="rounding")
    assert dict(view.parameters) == {"k": 3, "rounding": "kmeans", "c": 4}


def test_the_policys_c_is_of_the_policys_rounding_alone() -> None:
    study = research(method="kmeans", c=4)
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


@pytest.mark.parametrize(
    ("how", "k"), [({"k": 12}, 12), ({"c": 20}, 12), ({"k": "freedman-diaconis"}, 3)]
)
def test_rows_are_counted_that_fewer_share_than_were_asked_for(how: dict[str, Any], k: int) -> None:
    report = research().round(GROUP, method="kmeans", per_column=True, **how).report
    assert f"fewer than {k} rows share" in report.measured.risks["below_k"].what


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


# --- one name each ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_table_is_asked_for_by_one_name() -> None:
    study = research()
    for name, method in ROUNDING_NAMES.items():
        asked = study.anonymize(GROUP, method=name, k=5)
        assert rows_of(asked) == rows_of(study.round(GROUP, method=method, k=5))
    with pytest.raises(InputError, match="does not use q="):
        study.anonymize(GROUP, method="vmdav", q=0.2)
    with pytest.raises(InputError, match=r"cannot be made by method 'mdlp'; there are .*'mdav'"):
        study.anonymize(GROUP, method="mdlp")


def test_a_plot_of_rows_is_asked_for_by_one_name() -> None:
    study = research()
    view = study.scatter("x", "y", method="equal-width")
    assert (view.method, view.parameters["rounding"]) == ("rounding", "equal_width")
    assert view.x == research(method="equal-width").scatter("x", "y", method="rounding").x
