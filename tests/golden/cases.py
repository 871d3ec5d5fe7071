"""What the golden files hold: a function for each file, from a folder to cases by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import write_csv

import discreet as dc
from discreet import measure
from discreet.policy import Policy
from tests.golden import access
from tests.golden.access import (
    brief,
    columns_of,
    command,
    copies,
    digest,
    drawn,
    opened,
    plain_words,
    register_rows,
    released,
    seen,
    tried,
)

Cases = dict[str, Any]

ROWS = ("condensation", "microaggregation", "deterministic", "probabilistic", "rounding")
BINNED = ("suppression", "generalization")
#: Written out: what a plot can be made by is part of what must not change.
METHODS: Mapping[str, tuple[str, ...]] = {
    "histogram": (*BINNED, *ROWS, "none"),
    "scatter": (*ROWS, *BINNED, "none"),
    "heatmap": (*BINNED, *ROWS, "none"),
    "contour": (*BINNED, *ROWS, "none"),
    "box": (*BINNED, *ROWS, "none"),
    "bars": ("none",),
    "crosstab": ("none",),
    "residuals": (*ROWS, *BINNED, "none"),
    "qq": (*ROWS, *BINNED, "none"),
    "leverage": (*ROWS, *BINNED, "none"),
    "parallel": ("k-member", "k-member-joint", "none"),
}
FORMULA = "glucose ~ age + bmi"
COLUMNS: Mapping[str, tuple[Any, ...]] = {
    "histogram": ("glucose",),
    "scatter": ("age", "glucose"),
    "heatmap": ("age", "glucose"),
    "contour": ("age", "glucose"),
    "box": ("age", "glucose"),
    "bars": ("smoker",),
    "crosstab": ("region", "smoker"),
    "residuals": (FORMULA,),
    "qq": (FORMULA,),
    "leverage": (FORMULA,),
    "parallel": (["age", "bmi", "glucose"],),
}
BY = ("histogram", "scatter", "heatmap", "contour", "bars")
GROUP = ["age", "bmi", "glucose"]
RULES: dict[str, Any] = {"roles": {"patient": "identifier"}, "kinds": {"ward": "categorical"}}
SENSITIVE = {"patient": "identifier", "diagnosis": "sensitive"}


def study_of(preset: str = "standard", source: Any = None, **changes: Any) -> Any:
    """Open the cohort under a preset, some rules of it changed."""
    # Public, for of the same data one method alone leaves.
    own: dict[str, Any] = {}
    if preset == "research":
        papers = {"strata": ["sex"]} | changes.pop("papers", {})
        own = {"public": True, "papers": papers}
    policy = Policy.preset(preset, **(RULES | own | {"study": "golden"} | changes))
    return opened(access.cohort() if source is None else source, policy)


# --- plots ----------------------------------------------------------------------------------------


def every_plot(study: Any, *, usual: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield each plot, with and without levels, or by each method: its name and what asks."""
    for plot, methods in METHODS.items():
        columns = COLUMNS[plot]
        for method in (None,) if usual else methods:
            how = {} if usual else {"method": method}
            if not hasattr(study, plot):
                continue
            yield f"{plot} {method}", _asking(study, plot, *columns, **how)
            if plot in BY:
                yield f"{plot} by sex {method}", _asking(study, plot, *columns, **how, by="sex")
        if plot == "box":
            yield "box by sex", _asking(study, plot, "glucose", by="sex")


def _asking(study: Any, plot: str, *columns: Any, **how: Any) -> Callable[[], Any]:
    return lambda: seen(drawn(study, plot, *columns, **how))


def plots_standard(folder: Path) -> Cases:
    """Draw every plot under `standard`, and what it refuses."""
    study = study_of()
    mixed = (["age", "sex", "glucose", "smoker"],)  # a study of its own: which pairs is kept
    out = {name: tried(ask) for name, ask in every_plot(study)}
    out["parallel mixed"] = tried(_asking(study_of(), "parallel", *mixed))
    return out | {
        name: tried(_asking(study, plot, *columns, **how))
        for name, plot, columns, how in (
            ("scatter trend", "scatter", ("age", "glucose"), {"trend": True}),
            ("scatter trend by", "scatter", ("bmi", "glucose"), {"trend": True, "by": "sex"}),
            ("scatter of income", "scatter", ("age", "income"), {}),
            ("histogram of income", "histogram", ("income",), {}),
            ("histogram by ward", "histogram", ("age",), {"by": "ward"}),
            ("box by region", "box", ("age",), {"by": "region"}),
            ("bars by sex", "bars", ("ward",), {"by": "sex"}),
            ("crosstab of diagnosis", "crosstab", ("diagnosis", "ward"), {}),
            ("histogram of an unknown column", "histogram", ("height",), {}),
            ("histogram of an identifier", "histogram", ("patient",), {}),
            ("bars of numbers", "bars", ("age",), {}),
            ("residuals with levels", "residuals", (FORMULA + " + C(sex)",), {}),
            ("residuals by ward", "residuals", (FORMULA + " + C(ward)",), {}),
            ("residuals of nonsense", "residuals", ("glucose ~ age +",), {}),
            ("parallel other pairs", "parallel", mixed, {}),
            ("parallel flat", "parallel", (["age", "bmi", "glucose"],), {"gradient": False}),
            ("parallel of one", "parallel", (["age"],), {}),
        )
    }


def plots_rows(folder: Path) -> Cases:
    """Draw what is drawn from protected rows by every row method that a policy may name."""
    out: Cases = {}
    for name, changes in ROW_RULES.items():
        study = study_of("research", **changes)
        method = changes["papers"]["method"]
        all_of_them = ("scatter", "histogram", "heatmap", "box", "residuals", "qq", "leverage")
        for plot in all_of_them if name in ROWS else ("scatter", "qq"):
            out[f"{name}: {plot}"] = tried(_asking(study, plot, *COLUMNS[plot], method=method))
    return out


def plots_research(folder: Path) -> Cases:
    """Draw every plot of the papers by every method, and with other numbers."""
    study = study_of("research")
    return {name: tried(ask) for name, ask in every_plot(study, usual=False)} | {
        name: tried(_asking(study, plot, *columns, **how))
        for name, plot, columns, how in (
            ("histogram k", "histogram", ("age",), {"k": 8}),
            ("histogram bins", "histogram", ("age",), {"bins": 7}),
            ("histogram limits", "histogram", ("age",), {"limits": {"age": [0, 100]}}),
            ("histogram edges", "histogram", ("age",), {"edges": {"age": [0, 30, 50, 60, 100]}}),
            ("scatter q", "scatter", ("age", "bmi"), {"method": "probabilistic", "q": 0.5}),
            ("scatter trend", "scatter", ("age", "glucose"), {"trend": True}),
            ("scatter trend by", "scatter", ("age", "glucose"), {"trend": True, "by": "sex"}),
            ("heatmap grid", "heatmap", ("age", "glucose"), {"grid": 8, "k": 4}),
            ("box of one", "box", ("income",), {"k": 5}),
            ("qq noise", "qq", (FORMULA,), {"method": "probabilistic", "noise_on": "variable"}),
            ("qq noise on", "qq", (FORMULA,), {"method": "probabilistic", "noise_on": "points"}),
            ("residuals C", "residuals", ("log(glucose) ~ age * C(sex)",), {}),
            ("parallel pixels", "parallel", (GROUP,), {"pixels": 200, "k": 5}),
            ("parallel cost", "parallel", (GROUP,), {"cost": "span"}),
            ("parallel cost of seed", "parallel", (GROUP,), {"cost": "seed"}),
            (
                "parallel sensitive",
                "parallel",
                (["age", "glucose", "diagnosis"],),
                {"sensitive": "diagnosis", "diversity": 2},
            ),
            (
                "parallel sensitive values",
                "parallel",
                (["age", "glucose", "diagnosis"],),
                {"sensitive": {"diagnosis": ["severe"]}},
            ),
        )
    }


def plots_presets(folder: Path) -> Cases:
    """Draw every plot as usual under the other presets, of visits, and with roles and pairs."""
    out: Cases = {}
    for preset in ("datashield", "sacro", "opensafely"):
        study = study_of(preset)
        out |= {f"{preset}: {name}": tried(ask) for name, ask in every_plot(study)}
    out |= _of_visits() | _sensitive() | _declared()
    return out


def _of_visits() -> Cases:
    rules = {"roles": {}, "kinds": {}, "unit": "person"}
    study = study_of("standard", access.visits(), **rules)
    asked: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
        ("histogram", ("systolic",), {}),
        ("histogram", ("systolic",), {"by": "sex"}),
        ("scatter", ("age", "systolic"), {}),
        ("heatmap", ("age", "systolic"), {}),
        ("contour", ("age", "systolic"), {}),
        ("box", ("age", "marker"), {}),
        ("bars", ("sex",), {}),
        ("bars", ("place",), {}),
        ("crosstab", ("sex", "place"), {}),
        ("residuals", ("systolic ~ age",), {}),
        ("parallel", (["age", "systolic", "sex"],), {}),
    )
    out = {
        f"visits: {plot} {columns} {how}": tried(_asking(study, plot, *columns, **how))
        for plot, columns, how in asked
    }
    unsaid = lambda: repr(opened(access.visits(), study="unsaid"))  # noqa: E731
    return out | {"visits: no unit said": tried(unsaid), "visits: the study": repr(study)}


def _sensitive() -> Cases:
    asked = (
        ("age", "glucose", "diagnosis"),
        ("diagnosis", "age", "glucose"),
        ("bmi", "region", "diagnosis"),
    )
    out: Cases = {}
    for axes in asked:
        study = study_of(roles=SENSITIVE)
        out[f"sensitive: {axes}"] = tried(_asking(study, "parallel", list(axes)))
    order = lambda: study.axis_order(["diagnosis", "age", "smoker", "bmi"])  # noqa: E731
    return out | {
        "sensitive: order": tried(order),
        "sensitive: chosen": tried(
            _asking(study, "parallel", ["age", "bmi"], sensitive="diagnosis")
        ),
    }


def _declared() -> Cases:
    """Draw with ends, edges, missing values, ordered levels and few bins declared."""
    study = study_of(limits={"glucose": [50, 180]}, missing_values={"income": [98000]}, round_to=1)
    out = {f"declared: {name}": tried(ask) for name, ask in every_plot(study)}
    return out | {
        "declared: income": tried(_asking(study, "histogram", "income")),
        "declared: codes": tried(lambda: study_of().session.missing_codes(None)),
    }


# --- tables ---------------------------------------------------------------------------------------

ROUNDINGS = ("mdav", "vmdav", "optimal", "equal_width", "equal_frequency", "kmeans", "resampling")
#: Rules of a policy, as policy files spell them.
ROW_RULES: Mapping[str, dict[str, Any]] = {
    **{name: {"papers": {"method": name}} for name in ROWS},
    **{f"rounding {name}": {"papers": {"method": name.replace("_", "-")}} for name in ROUNDINGS},
}
TABLE_RULES: Mapping[str, dict[str, Any]] = {
    **ROW_RULES,
    "rounding base": {"papers": {"method": "base"}},
    "rounding with a line": {"papers": {"method": "equal-width", "c": 6}},
    "k-means in parts": {"papers": {"method": "kmeans", "c": 12}},
    "mahalanobis": {"papers": {"method": "deterministic", "metric": "mahalanobis"}},
    "more noise": {"papers": {"method": "probabilistic", "q": 0.5}},
    "noise by distance": {"papers": {"method": "probabilistic", "far_noise": "by-distance"}},
    "no strata": {"papers": {"strata": []}},
    "two strata": {"papers": {"strata": ["sex", "smoker"]}},
    "levels named": {"papers": {"strata": ["sex", "smoker"], "missing_levels": "level"}},
    "levels drawn": {"papers": {"strata": ["sex", "smoker"], "missing_levels": "drawn"}},
    "small strata": {"k": 6, "papers": {"strata": ["region", "sex"]}},
    "merged": {"k": 6, "papers": {"strata": ["region", "sex"], "most_suppressed": 0.0}},
    "a hierarchy": {
        "k": 15,
        "papers": {
            "strata": ["smoker", "sex"],
            "hierarchies": {"smoker": {"ever": ["yes", "former"], "never": ["no"]}},
        },
    },
    "ordered": {
        "k": 25,
        "ordered": {"smoker": ["no", "former", "yes"]},
        "papers": {"strata": ["smoker"]},
    },
    "median": {"papers": {"missing": "median"}},
    "mean": {"papers": {"missing": "mean"}},
    "clipped": {"papers": {"outside": "clip", "method": "probabilistic"}},
    "kept": {"papers": {"outside": "keep", "method": "deterministic"}},
    "bounds": {"bounds": {"age": [18, 90]}, "papers": {"method": "probabilistic"}},
    "k of 10": {"k": 10},
    "keyed": {"key": "patient"},
    "diverse": {
        "roles": SENSITIVE,
        "papers": {"strata": ["sex"], "diversity": 2, "closeness": 0.3},
    },
}


def tables(folder: Path) -> Cases:
    """Make protected tables by every rule: the released one, and of some its report."""
    out: Cases = {}
    for name, rules in TABLE_RULES.items():
        out[name] = tried(lambda name=name, rules=rules: _table(rules, reported=name in REPORTED))
    out["the whole table"] = tried(lambda: _stored_copy(folder))
    return out


#: A report takes longer than all else.
REPORTED = (*ROWS, "merged", "a hierarchy", "diverse", "median")


def _table(rules: dict[str, Any], *, reported: bool) -> Cases:
    """Release a table that is protected by a rule of its own."""
    study = study_of("research", **rules)
    release = released(study, columns=GROUP)
    report = {} if not reported else _report(release.report)
    settings = digest(_settings(study.policy))
    return {"table": columns_of(release.table), "settings": settings, **report}


def _stored_copy(folder: Path) -> Cases:
    """Let the protected copy be made and stored, by a plot of it, and release it."""
    policy = Policy.preset("standard", **(RULES | {"study": "golden"}))
    (folder / "policy.toml").write_text(policy.to_toml(), encoding="utf-8")
    study = opened(access.cohort(), folder / "policy.toml")
    view = drawn(study, "scatter", "age", "glucose")
    release = released(study)
    return {
        "view": seen(view)["json"],
        "stored": copies(folder),
        "table": columns_of(release.table),
        "settings": digest(_settings(study.policy)),
        **_report(release.report),
    }


def _settings(policy: Policy) -> dict[str, Any]:
    """Return what a policy says."""
    return policy.to_dict()


def _report(report: Any) -> Cases:
    return {"text": digest(report.to_text()), "json": brief(json.loads(report.to_json()))}


def research_tables(folder: Path) -> Cases:
    """Make tables under `research`: every row method, and every way to round."""
    study = study_of("research")
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        **{f"anonymize {name}": ("anonymize", {"method": name}) for name in ROWS},
        "anonymize formula": ("anonymize", {"formula": FORMULA}),
        "anonymize columns": ("anonymize", {"columns": ["age", "income"], "missing": "median"}),
        "anonymize sensitive": ("anonymize", {"sensitive": "diagnosis", "diversity": 2}),
        "anonymize below": ("anonymize", {"risk_below": 0.2, "method": "microaggregation"}),
        "anonymize noise": ("anonymize", {"method": "probabilistic", "q": 0.1, "k": 5}),
        **{f"round {name}": ("round", {"method": name, "k": 8}) for name in ROUNDINGS},
        "round base": ("round", {"method": "base"}),
        **{
            f"round {name} per column": ("round", {"method": name, "per_column": True, "c": 8})
            for name in ("equal_width", "equal_frequency", "kmeans", "mdlp")
        },
        "round mdav per column": ("round", {"method": "mdav", "per_column": True, "k": 6}),
        "round chimerge": ("round", {"method": "chimerge", "per_column": True}),
        "round freedman": (
            "round",
            {"method": "equal_width", "per_column": True, "c": "freedman-diaconis"},
        ),
        "round median": (
            "round",
            {"method": "optimal", "per_column": True, "representative": "median", "k": 6},
        ),
        "round stochastic": (
            "round",
            {"method": "optimal", "per_column": True, "encoding": "stochastic", "k": 6},
        ),
    }
    return {
        name: tried(lambda way=way, how=how: _released(study, way, how))
        for name, (way, how) in asked.items()
    }


def _released(study: Any, way: str, how: dict[str, Any]) -> Cases:
    release = released(study, way, **how)
    points = getattr(release, "points", None)
    return {
        "table": columns_of(release.table),
        "points": None if points is None else repr(points),
        **_report(release.report),
    }


def reports(folder: Path) -> Cases:
    """Measure pairs of tables, sweep, and compare ways to round."""
    cohort = access.cohort()
    study, free = study_of(), study_of("research")
    release = released(study, drop=["diagnosis"])
    moved = cohort.set_column(1, "age", pc.add(cohort["age"], 2))
    own = {"strata": ["sex"], "sensitive": "diagnosis", "categorical": ["ward"]}

    def compared(after: Any, **how: Any) -> Callable[[], Any]:
        return lambda: _report(measure.compare(cohort, after, **how))

    def swept(of: Any, **how: Any) -> Callable[[], Any]:
        return lambda: _found(of.tune(**how))

    rounded = cohort.select([*GROUP, "smoker"])
    ways: dict[str, Any] = {"methods": ["mdav", "equal_width"], "k": [10, 30], "folds": 2}
    return {
        "evaluate the same rows": tried(compared(moved, drop=["patient"], **own)),
        "page": tried(lambda: digest(plain_words(release.report.to_html()))),
        "words": tried(lambda: release.report.in_words()),
        "evaluate a formula": tried(compared(moved, drop=["patient"], formula=FORMULA)),
        "evaluate a release": tried(compared(release.table, strata=["sex"], same_rows=False)),
        "evaluate other columns": tried(compared(cohort.select(["age"]), drop=["patient"])),
        "risk below": tried(lambda: _released(study, "anonymize", {"risk_below": 0.01})),
        "sweep": tried(swept(dc.Protected(study), k=[5, 12])),
        "sweep propensity": tried(
            swept(free, methods=["condensation"], k=[5], loss="propensity", risk="within 5 %")
        ),
        "sweep research": tried(swept(free, methods=["deterministic", "microaggregation"], k=[3])),
        "sweep research far": tried(
            swept(free, methods=["deterministic"], k=[3, 9], risk="far linkage")
        ),
        "roundings": tried(lambda: _found(measure.compare_roundings(rounded, **ways))),
        "roundings of classes": tried(
            lambda: _found(
                measure.compare_roundings(
                    rounded,
                    target="smoker",
                    **(ways | {"k": [20], "methods": ["mdav", "mdlp"], "folds": 2}),
                )
            )
        ),
    }


def _found(found: Any) -> Cases:
    return {
        "text": digest(found.to_text()),
        "page": digest(plain_words(found.to_html())),
        "json": brief(json.loads(found.to_json())),
    }


# --- what is stored -------------------------------------------------------------------------------

RULES_FILE = """study = "clinic"

[kinds]
ward = "categorical"

[roles]
patient = "identifier"
"""


def session(folder: Path, table: pa.Table | None = None) -> Cases:
    """Let plots and a table be released, in two versions, some of it refused."""
    (folder / "policy.toml").write_text(RULES_FILE, encoding="utf-8")
    write_csv(access.cohort() if table is None else table, folder / "cohort.csv")
    study = opened(folder / "cohort.csv", folder / "policy.toml")
    out: Cases = {}

    def step(name: str, ask: Callable[[], Any]) -> None:
        out[f"{len(out):02} {name}"] = tried(ask)

    def saved(of: Any, plot: str, *columns: Any, to: str, **how: Any) -> Callable[[], Any]:
        return lambda: drawn(of, plot, *columns, **how).save(folder / to).name

    step("histogram", saved(study, "histogram", "glucose", to="a.json"))
    step("scatter", saved(study, "scatter", "age", "glucose", by="sex", to="b.json"))
    step("heat map", saved(study, "heatmap", "age", "income", to="c.json"))
    step("table of levels", saved(study, "crosstab", "ward", "smoker", to="d.json"))
    step("axes", saved(study, "parallel", ["age", "bmi", "smoker"], to="e.json"))
    step("model", saved(study, "residuals", FORMULA, to="f.json"))
    step("table", lambda: _saved_table(study, folder))
    step("page", lambda: len(drawn(study, "box", "age", "bmi").to_html()) > 0)
    other = opened(folder / "cohort.csv", folder / "policy.toml", k=9)
    step("another k", saved(other, "histogram", "age", to="no.json"))
    fewer = opened(access.cohort().slice(2), folder / "policy.toml", study="fewer")
    step("two rows fewer", saved(fewer, "histogram", "glucose", to="no.json"))
    step("nothing new", study.session.new_version)
    changed = opened(second(), folder / "policy.toml")
    step("changed unsaid", saved(changed, "histogram", "glucose", to="no.json"))
    step("second version", changed.session.new_version)
    step("second histogram", saved(changed, "histogram", "glucose", to="g.json"))
    step("second scatter", saved(changed, "scatter", "age", "glucose", to="h.json"))
    # As JSON under no policy file: the register of the user.
    alone = opened(access.cohort(), study="alone", roles={"patient": "identifier"})
    step("alone", lambda: brief(json.loads(drawn(alone, "bars", "sex").to_json())))
    out["registers"] = register_rows(folder)
    out["copies"] = copies(folder)
    return out


def second() -> pa.Table:
    """Return the data of the second version."""
    return access.cohort().slice(60)


def _saved_table(study: Any, folder: Path) -> Any:
    release = released(study, columns=GROUP)
    return release.save(folder / "t.csv", folder / "t.json").name


# --- the surface ----------------------------------------------------------------------------------

HELP = (
    "",
    "plot",
    "board",
    "summary",
    "means",
    "model",
    "anonymize",
    "evaluate",
    "attack",
    "fidelity",
    "tune",
    "outputs",
    "serve",
    "log",
    "example",
    "methods",
    "version",
    "version new",
    "policy",
    "policy init",
    "register",
    "register begin",
    "register withdraw",
    "token",
    "token add",
    "token revoke",
    "doctor",
    "warm",
    "man",
    "token list",
)
ONE = ("--columns", "age,bmi,glucose")
FILE = ("cohort.csv", "--policy", "policy.toml")
#: Called in this order, in one folder.
CALLS: tuple[tuple[str, ...], ...] = (
    ("methods",),
    ("example", "example.csv"),
    ("example", "example.csv"),
    ("plot", "histogram", *FILE, "glucose", "--json"),
    ("plot", "scatter", *FILE, "age", "glucose", "--by", "sex", "--json"),
    ("plot", "scatter", *FILE, "age", "glucose", "-o", "figure.txt"),
    ("plot", "heatmap", *FILE, "age", "income", "-o", "figure.svg"),
    ("plot", "parallel", *FILE, "age", "bmi", "smoker", "--no-gradient", "--json"),
    ("plot", "residuals", *FILE, FORMULA, "--json"),
    ("plot", "histogram", *FILE, "glucose"),
    ("plot", "histogram", *FILE, "glucose", "-k", "9", "--json"),
    ("plot", "pie", *FILE, "glucose", "--json"),
    ("plot", "histogram", *FILE, "glucose", "age", "--json"),
    ("plot", "histogram", *FILE, "glucose", "--pixels", "100", "--json"),
    ("research", "histogram", "cohort.csv", "glucose", "--bins", "8", "--json"),
    ("protect", *FILE, *ONE, "--json"),
    ("protect", *FILE, *ONE, "-o", "t.csv", "--report", "t.txt"),
    ("round", "cohort.csv", "--method", "mdav", "--policy", "standard"),
    ("anonymize", "cohort.csv", "--drop", "patient,income", "-k", "4"),
    ("round", "cohort.csv", "--columns", "age,bmi", "-k", "10", "--method", "mdav", "--json"),
    ("evaluate", "cohort.csv", "t.csv", "--no-same-rows", "--strata", "sex", "--json"),
    ("evaluate", "cohort.csv", "nowhere.csv"),
    ("tune", *FILE, *ONE, "--methods", "whole,mdav", "--k", "5,10", "--json"),
    (
        *("tune", "cohort.csv", "--per-column", "--methods", "mdav", "-k", "20", "--folds", "2"),
        *("--drop", "patient", "--json"),
    ),
    ("log", "--released", "--policy", "policy.toml"),
    ("log", "--released", "--policy", "policy.toml", "--json"),
    ("version", "new", *FILE),
    ("log", "--policy", "policy.toml", "--json"),
    ("log", "--policy", "policy.toml", "--verify"),
    ("register", "begin", "--lost", "tidying up", "--policy", "policy.toml"),
    ("token", "list"),
    ("token", "revoke", "nobody", "--study", "cohort", "--state", "state"),
    ("policy", "init", "cohort.csv", "-o", "new.toml"),
    ("policy", "init", "cohort.csv", "-o", "new.toml"),
    ("serve", "nowhere.discreet"),
    ("nonsense",),
    ("board", *FILE),
    ("board", *FILE, "-o", "board.txt"),
    ("board", *FILE, "-o", "board.html"),
)
TIMED = ("version", "log", "token")


def commands(folder: Path) -> Cases:
    """Ask every command for its help, and call each, some with JSON."""
    (folder / "policy.toml").write_text(RULES_FILE, encoding="utf-8")
    write_csv(access.cohort(), folder / "cohort.csv")
    out: Cases = {f"discreet {words} --help": _help(words.split()) for words in HELP}
    for words in CALLS:
        found = command(*words)
        if words[0] in TIMED and "--json" in words and found["code"] == 0:
            found["out"] = _shape(json.loads(found["out"]))
        name = " ".join(words)
        if "err" in found:
            found["err"] = found["err"].replace(str(folder), "~")
        out[f"{name} (again)" if name in out else name] = _call(found)
    return out


def _help(words: list[str]) -> list[str]:
    found = command(*words, "--help")
    lines = [line.rstrip() for line in found["out"].splitlines()]
    return [line for line in lines if line]


def _call(found: Cases) -> Cases:
    out = dict(found)
    text = out.get("out")
    if isinstance(text, str):
        try:
            out["out"] = brief(json.loads(text))
        except ValueError:
            lines = text.splitlines()
            out["out"] = lines if len(lines) < 9 else [*lines[:3], digest(lines)]
    if len(out.get("err", "")) > 400:
        out["err"] = digest(out["err"])
    return out


def _shape(value: Any) -> Any:
    """Return which keys plain values have, where the values hang on the time."""
    if isinstance(value, Mapping):
        return {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value[:2]]
    return type(value).__name__


BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("histogram", {"columns": ["glucose"]}),
    ("histogram", {"columns": ["glucose"], "by": "sex"}),
    ("histogram", {"columns": ["glucose"], "k": 5}),
    ("scatter", {"columns": ["age", "glucose"], "by": "sex", "trend": True}),
    ("heatmap", {"columns": ["age", "income"]}),
    ("contour", {"columns": ["age", "income"]}),
    ("box", {"columns": ["age", "bmi"]}),
    ("bars", {"columns": ["smoker"]}),
    ("crosstab", {"columns": ["ward", "smoker"]}),
    ("residuals", {"formula": FORMULA}),
    ("qq", {"formula": FORMULA}),
    ("leverage", {"formula": FORMULA}),
    ("parallel", {"columns": ["age", "bmi", "smoker"]}),
    ("histogram", {"columns": ["glucose"], "k": 9}),
    ("histogram", {"columns": ["glucose"], "method": "none"}),
    ("histogram", {"columns": ["height"]}),
    ("histogram", {"columns": ["smoker"]}),
    ("histogram", {"columns": []}),
    ("histogram", {"columns": ["age"], "colour": "red"}),
    ("scatter", {"columns": ["age", "income"]}),
    ("scatter", {"columns": ["age", "glucose"], "by": "ward"}),
    ("residuals", {"formula": "glucose ~"}),
    ("parallel", {"columns": ["age", "age"]}),
    ("pie", {"columns": ["age"]}),
)


def api(folder: Path) -> Cases:
    """Serve the cohort: the schema, what can be asked, answers and refusals."""
    (folder / "policy.toml").write_text(RULES_FILE, encoding="utf-8")
    write_csv(access.cohort(), folder / "cohort.csv")
    study = opened(folder / "cohort.csv", folder / "policy.toml")
    named = ("--study", study.policy.study or "cohort.csv")
    alice = command("token", "add", "alice", *named)["out"].strip()
    carol = command("token", "add", "carol", "--role", "custodian", *named)["out"].strip()
    out: Cases = {}
    with access.served(study, folder) as client:
        schema = client.get("/api/openapi.json").json()
        out["schema"] = brief(schema, 4)
        bearer = {"Authorization": f"Bearer {alice}"}
        asked = client.get("/api/study", headers=bearer).json()
        out["study"] = brief(asked, 3)
        last: dict[str, str] = {}
        for plot, body in BODIES:
            found = client.post(f"/api/views/{plot}", json=body, headers=bearer)
            out[f"{plot} {json.dumps(body)}"] = _answer(found)
            if found.status_code == 200:
                last[plot] = found.json().get("id", "")
        out["again"] = _answer(client.get(f"/api/views/{last['histogram']}", headers=bearer))
        out["no token"] = _answer(client.get("/api/study"))
        out["another view"] = _answer(client.get(f"/api/views/{'0' * 32}", headers=bearer))
        out["not a custodian"] = _answer(client.get("/api/custodian", headers=bearer))
        own = client.get("/api/custodian", headers={"Authorization": f"Bearer {carol}"})
        out["custodian"] = {key: _shape(value) for key, value in own.json().items()}
    out["register"] = register_rows(folder)
    return out


def _answer(found: Any) -> Cases:
    held = found.json()
    held |= {"id": "of the content"} if "id" in held else {}
    return {"status": found.status_code, "says": brief(held, 2)}


GROUPS: Mapping[str, Callable[[Path], Cases]] = {
    "plots_standard": plots_standard,
    "plots_rows": plots_rows,
    "plots_research": plots_research,
    "plots_presets": plots_presets,
    "tables": tables,
    "research_tables": research_tables,
    "reports": reports,
    "session": session,
    "commands": commands,
    "api": api,
}


def made(group: str, folder: Path) -> Cases:
    """Compute the cases of a golden file, in a folder of its own."""
    with access.place(folder):
        found: Cases = json.loads(json.dumps(access.rounded(GROUPS[group](folder))))
    return found
