"""Canaries in every column: they sing in no view, figure, file, log, warning or error."""

import base64
import json
import logging
import os
import pickle
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import traceback
import warnings
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import cli
from discreet.errors import DiscreetError, InputError, WideTableWarning
from discreet.explore import Study
from discreet.plots import PLOTS, View
from discreet.plots.bars import BarChart
from discreet.plots.crosstab import CrossTable
from discreet.plots.view import FORMS
from discreet.policy import PRESETS, Policy
from discreet.provenance import Provenance
from discreet.render.sealing import without_words
from tests.cases import few
from tests.forked import COMMAND, ran
from tests.ready import opened_once

SECRET = bytes(range(100, 132)).hex()
N = 240
# What no output may hold, in any case: names, words, digits.
# Of what a file says of itself only the notes below the picture are there: `listen` hears them.
PROGRAM_OR_DAY = r"<dc:(?!description>)|Matplotlib|20\d\d-\d\d-\d\d"
BIRD = "Canary" + "bird"
DIGITS = "27182818"
FAR = "9876543"
BIRDS = (BIRD, "zebulon", "quuxward", DIGITS, FAR, SECRET)


def cohort() -> dict[str, list[Any]]:
    """Make a table with a canary in every column."""
    rng = np.random.default_rng(4)
    # every value ends in the digits, whatever stands before them
    income = rng.normal(50, 10, size=N).round(2) + float(f"0.00{DIGITS}")
    debt = (income + rng.normal(0, 5, size=N)).round(2) + float(f"0.00{DIGITS}")
    # five ordinary-looking values apart, one at either end is far off
    wealth = rng.lognormal(3, 1, size=N)
    wealth[[17, 90]] = float(f"{FAR[:6]}.{FAR[6:]}21"), -float(f"{FAR[:5]}.{FAR[5:]}")
    codes = rng.integers(5_000_000, 6_000_000, size=N)
    codes[3] = int(FAR)
    return {
        "patient": [f"{BIRD}{i:04}" for i in rng.permutation(N)],
        "note": [f"about Zebulon, no. {i}" for i in rng.permutation(N)],
        "ward": rng.choice(["QuuxWard North", "QuuxWard South", "QuuxWard"], size=N).tolist(),
        "sex": rng.choice(["f", "m"], size=N).tolist(),
        "income": income.tolist(),
        "debt": debt.tolist(),
        "wealth": wealth.tolist(),
        "code": codes.tolist(),
    }


COHORT = cohort()
NUMBERS = ("income", "debt", "wealth", "code")
RAW = np.sort(np.concatenate([np.asarray(COHORT[name], dtype=float) for name in NUMBERS]))


@pytest.fixture(autouse=True)
def known_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know the secret, to look for it too."""
    monkeypatch.setenv("DISCREET_SECRET", SECRET)


@pytest.fixture(autouse=True)
def nothing_is_told_besides(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Look through logs, prints and warnings of every test here."""
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
    listen(*[str(warning.message) for warning in warned])
    listen(caplog.text, *[str(record.args) for record in caplog.records])
    listen(*capsys.readouterr())
    of_us = [it.category for it in warned if "discreet" in str(it.filename)]
    assert {*of_us} <= {WideTableWarning}


def listen(*outputs: str | bytes) -> None:
    """Fail if a canary sings in an output."""
    for output in outputs:
        text = output.decode("latin-1") if isinstance(output, bytes) else output
        for bird in BIRDS:
            if bird.lower() in text.lower():
                place = text.lower().index(bird.lower())
                pytest.fail(f"a canary sings: ...{text[max(0, place - 60) : place + 60]!r}...")


def listen_to_numbers(text: str) -> None:
    """Fail if a number of an output is, but for rounding errors, a raw value."""
    words = re.findall(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?", text)
    # A digest of a copy may read as a number beyond all.
    words = [word for word in words if np.isfinite(float(word))]
    # small numbers of few digits are counts and parameters
    told = [word for word in words if abs(float(word)) > 30 or len(word.strip("-0.")) > 5]
    found = np.array([float(word) for word in told])
    near = np.clip(np.searchsorted(RAW, found), 1, len(RAW) - 1)
    gap = np.minimum(np.abs(RAW[near] - found), np.abs(RAW[near - 1] - found))
    # of thousands of numbers of many digits some come as near as 1e-7 by chance
    digits = np.array([len(re.sub(r"[eE].*|\D", "", word)) for word in told])
    assert (gap > np.where(digits > 9, 1e-10, 1e-7) * np.abs(found)).all()


def drawn(text: str) -> str:
    """Return the JSON of a view without where it comes from: the digest of a copy is no number."""
    return re.sub(r'"origin": \{[^{}]*\}', "", text)


def pandas_with_index() -> pd.DataFrame:
    """Make a pandas frame whose index tells who is who."""
    frame = pd.DataFrame(COHORT)
    return frame.set_index(pd.Index([f"{BIRD}-{i}" for i in range(N)], name=f"{BIRD} index"))


# --- any form of any plot, under any preset and option ------------------------------------------

# Three persons are alone or two in a level that sings; the others are of ordinary ones.
CLINICS = ["north"] * 120 + ["south"] * 90 + ["west"] * 27 + ["Zebulon's"] * 2 + ["QuuxWard"]
HOSPITAL = {**COHORT, "clinic": np.random.default_rng(8).permutation(CLINICS).tolist()}
MODEL = "debt ~ income + C(sex)"
PAIR = ["income", "debt"]
DRAWN: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "histogram": ("histogram", ["income"], {}),
    "histogram of far records": ("histogram", ["wealth"], {}),
    "histogram of codes": ("histogram", ["code"], {}),
    "histogram by": ("histogram", ["wealth"], {"by": "clinic"}),
    "scatter": ("scatter", PAIR, {}),
    "scatter of far records": ("scatter", ["wealth", "code"], {}),
    "scatter by with trends": ("scatter", ["wealth", "debt"], {"by": "sex", "trend": True}),
    "scatter with a trend": ("scatter", ["code", "income"], {"trend": True}),
    "heat map": ("heatmap", PAIR, {}),
    "heat map of codes": ("heatmap", ["code", "wealth"], {}),
    "heat map by": ("heatmap", PAIR, {"by": "sex"}),
    "box": ("box", [*NUMBERS], {}),
    "box by": ("box", ["wealth"], {"by": "clinic"}),
    "box of codes by": ("box", ["code"], {"by": "sex"}),
    "bars": ("bars", ["clinic"], {}),
    "bars by": ("bars", ["clinic"], {"by": "sex"}),
    "bars by small levels": ("bars", ["sex"], {"by": "clinic"}),
    "cross-table": ("crosstab", ["sex", "clinic"], {}),
    "contour": ("contour", PAIR, {}),
    "contour of far records": ("contour", ["wealth", "code"], {}),
    "contour by": ("contour", PAIR, {"by": "clinic"}),
    "correlations": ("correlations", PAIR, {}),
    "density": ("density", ["wealth"], {}),
    "violin by": ("violin", ["wealth"], {"by": "sex"}),
    "distribution by": ("ecdf", ["wealth"], {"by": "sex"}),
    "residuals": ("residuals", [MODEL], {}),
    "residuals of far records": ("residuals", ["wealth ~ code"], {}),
    "qq": ("qq", ["debt ~ income * sex"], {}),
    "leverage": ("leverage", ["wealth ~ income + code"], {}),
    "axes": ("parallel", ["clinic", "code", "wealth", "debt"], {}),
    "a pair of axes": ("parallel", PAIR, {"gradient": False}),
    "survival": ("survival", ["income", "sex"], {"event_is": "f"}),
    "rows over time": ("over_time", ["code"], {"by": "sex"}),
}
FIRST_OF_KIND = [*{picture: name for name, (picture, _, _) in reversed(DRAWN.items())}.values()]


def test_every_plot_is_listened_to() -> None:
    assert {picture for picture, *_ in DRAWN.values()} == {*PLOTS}


def with_clinics() -> pd.DataFrame:
    """Return the cohort and its clinics."""
    return pandas_with_index().assign(clinic=HOSPITAL["clinic"])


def hospital(preset: str = "standard", **fields: Any) -> Study:
    """Return the cohort and its clinics under a policy; its copy is made once for all tests."""
    policy = Policy.preset(preset, **fields)
    name = f"leaks {preset} {fields}"
    return opened_once(name, lambda: dc.open(with_clinics(), policy), SECRET)


def view_of(study: Study, name: str) -> View:
    """Draw one of DRAWN."""
    picture, columns, named = DRAWN[name]
    given = [columns] if picture in ("correlations", "parallel") else columns
    return getattr(study, picture)(*given, **named)  # type: ignore[no-any-return]


def listen_to_view(view: View) -> None:
    """Listen to all that a view tells of itself, and to the scene that is drawn."""
    text = view.to_json()
    listen(text, repr(view), str(view), view.describe(), repr(view.scene()), repr(view.gate))
    listen(str(vars(view)), pickle.dumps(view))
    listen_to_numbers(drawn(text))


def listen_to_files(view: View, folder: Path, forms: Sequence[str]) -> None:
    """Listen to what a view is in files of some forms, unpacked, and with PNG in a notebook."""
    for form in forms:
        path = view.save(folder / f"view{form}")
        listen(path.read_bytes())
        if form == ".json":
            continue
        rest = but_for_provenance(path)
        if form == ".svg":
            assert not re.search(PROGRAM_OR_DAY, rest.decode())
        if form == ".pdf":
            assert len(streams(rest)) > 3
            listen(*streams(rest))
        if form == ".png":
            assert {*chunks(rest)} <= PNG_CHUNKS
            listen(*chunks(rest).values())
    if ".png" not in forms:
        return
    bundle = view._repr_mimebundle_()
    words = re.sub(r"data:image/png;base64,[^\"]*", "", bundle["text/html"])
    listen(words, bundle["text/plain"])
    listen(*chunks(base64.b64decode(bundle["image/png"])).values())


PNG_CHUNKS = {b"IHDR", b"pHYs", b"IDAT", b"IEND", b"PLTE", b"tRNS", b"tEXt"}


def but_for_provenance(path: Path) -> bytes:
    """Listen to what a file says of itself, and return the rest."""
    rest, words = without_words(path.read_bytes(), path.suffix)
    assert words is not None
    assert set(Provenance.from_text(words).to_plain()) - {"drawing"} == {
        *("schema", "id", "version", "policy", "discreet", "request", "source", "checksum"),
        *("seal", "file_seal"),
    }
    listen(words)
    return rest


def streams(pdf: bytes) -> list[bytes]:
    """Return the streams of a PDF, decompressed, and what stands between them."""
    found = [pdf]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:
            found.append(stream)
    return found


def chunks(png: bytes) -> dict[bytes, bytes]:
    """Return the chunks of a PNG by name."""
    found: dict[bytes, bytes] = {}
    place = 8
    while place < len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        name = png[place + 4 : place + 8]
        found[name] = found.get(name, b"") + png[place + 8 : place + 8 + size]
        place += 12 + size
    return found


@pytest.mark.parametrize("turn", few(range(3)))
def test_no_canary_in_any_form_of_any_plot(turn: int, tmp_path: Path) -> None:
    """A plot of each kind is written in every third form, in `make test-all` in the others, too.

    Of all the others what files are made of is listened to: the scene, and the numbers.
    """
    for place, name in enumerate(DRAWN):
        view = view_of(hospital(), name)
        assert view.method == "whole"
        listen_to_view(view)
        if name in FIRST_OF_KIND:
            listen_to_files(view, tmp_path, FORMS[(place + turn) % 3 :: 3])


def test_no_canary_in_any_table() -> None:
    study = hospital()
    release = study.anonymize(drop=["ward"])  # whose levels are those of many
    by, model = study.means("income", "clinic"), study.model("debt ~ income + C(clinic)")
    summary = study.summary([*NUMBERS, "clinic"], by="sex")
    for made in (summary, by, model, study.fidelity(), release.report):
        for text in (made.to_text(), made.to_html(), made.to_json(), repr(made), str(vars(made))):
            listen(text)
    rows = release.frame.to_csv()
    listen(rows)
    listen_to_numbers(rows)


# Under what else the plots are drawn. Files are made of the scene that is listened to, and know no
# policy.
POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in PRESETS if name not in ("standard", "research")},
    "kept": (
        "standard",
        {"public": True, "bounds": {"wealth": [0, 100], "income": [30, 70], "debt": [0, 200]}},
    ),
    "limits": ("standard", {"limits": {it: [0, 100] for it in ("income", "debt", "wealth")}}),
    "persons": ("standard", {"unit": "patient"}),
    "a key": ("standard", {"key": "patient", "residual_df": 200}),
    "no rounding": ("standard", {"round_to": 1}),
    "axes": (
        "standard",
        {
            "roles": {"debt": "sensitive"},
            "ordered": {"clinic": ["south", "QuuxWard", "Zebulon's", "north"]},
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("turn", few(range(2)))
@pytest.mark.parametrize("policy", POLICIES)
def test_no_canary_under_any_policy(policy: str, turn: int) -> None:
    """Of each policy a quarter of the plots, of each another; in `make test-all` one more."""
    preset, fields = POLICIES[policy]
    for name in [*DRAWN][([*POLICIES].index(policy) + turn) % 4 :: 4]:
        listen_to_view(view_of(hospital(preset, **fields), name))


def test_the_search_finds_small_levels_and_raw_models() -> None:
    study = dc.research(with_clinics(), bins=6, grid=4)
    for picture in (
        study.papers.draw(BarChart("clinic")),
        study.histogram("income", by="clinic", method="none"),
    ):
        with pytest.raises(pytest.fail.Exception, match="a canary sings"):
            listen(picture.to_json())
    with pytest.raises(AssertionError, match="assert"):
        listen_to_numbers(drawn(study.box("income", by="sex", method="none").to_json()))
    raw = study.residuals("debt ~ income", method="none")
    told = np.array(raw.x) + np.array(raw.y)  # outcome = fitted + residual
    guarded = hospital().residuals("debt ~ income")
    for sums, found in ((told, True), (np.array(guarded.x) + np.array(guarded.y), False)):
        gap = np.abs(np.array(COHORT["debt"])[:, None] - sums).min(axis=1)
        assert bool(gap.max() < 1e-7) is found  # points have ten digits


@pytest.mark.slow
def test_no_canary_from_any_source(source: Callable[[Any], Any]) -> None:
    study = standard(source(HOSPITAL), study="s")
    for name in ("scatter", "histogram"):
        view = view_of(study, name)
        listen(view.to_json(), repr(view.gate), view.describe())
        assert view == view_of(hospital(study="s"), name)


@pytest.mark.slow
def test_looking_under_research_tells_no_name_either(tmp_path: Path) -> None:
    study = dc.research(pandas_with_index())
    for view in (study.scatter("income", "debt"), study.histogram("income"), study.box("income")):
        for text in (view.to_json(), view.save(tmp_path / "view.svg").read_text()):
            for bird in (BIRD, "zebulon", "quuxward"):
                assert bird.lower() not in text.lower()


def test_the_search_finds_what_raw_pictures_tell() -> None:
    raw = dc.research(pandas_with_index()).scatter("income", "wealth", method="none")
    with pytest.raises(pytest.fail.Exception, match="a canary sings"):
        listen(raw.to_json())
    with pytest.raises(AssertionError, match="assert"):
        listen_to_numbers(raw.to_json())
    with pytest.raises(pytest.fail.Exception, match="a canary sings"):
        listen(*streams(b"stream\n" + zlib.compress(BIRD.encode()) + b"\nendstream"))
    with pytest.raises(pytest.fail.Exception, match="a canary sings"):
        listen(pandas_with_index().to_string())


def test_a_study_and_what_is_behind_it_print_no_value() -> None:
    study = hospital()
    study.scatter("income", "debt")
    listen(repr(study), str(study), str(vars(study)), repr(study.policy))


CONTINUOUS: dict[str, Callable[[np.random.Generator], Any]] = {
    "normal": lambda rng: rng.normal(50, 10, size=300),
    "lognormal": lambda rng: rng.lognormal(0, 1.5, size=300),
    "uniform": lambda rng: rng.uniform(-1e6, 1e6, size=300),
    "small": lambda rng: rng.normal(size=300) * 1e-6,
}


@pytest.mark.parametrize("shape", CONTINUOUS)
def test_no_drawn_number_is_a_value_of_continuous_data(shape: str) -> None:
    values = np.sort(CONTINUOUS[shape](np.random.default_rng(1)))
    frame = pa.table({"a": values, "b": values[::-1] ** 2 + values})
    study = dc.open(frame)
    bars, cells = study.histogram("a"), study.heatmap("a", "b")
    finer, box = study.histogram("a", bins=40), study.box("a").groups[0]
    rows = study.scatter("a", "b")
    five = (box.low, box.q1, box.median, box.q3, box.high)
    numbers = np.array([*bars.edges, *finer.edges, *cells.x_edges, *rows.x, *five])
    nearest = np.abs(values[:, None] - numbers).min()
    assert nearest > 1e-9 * np.std(values)


# --- what is kept on disk ---------------------------------------------------------------------


OWN_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


@pytest.mark.slow
def test_neither_the_copy_nor_the_register_holds_a_canary(tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text(Policy.preset("standard").to_toml())
    # Levels that many persons have are in the copy.
    study = dc.open(pandas_with_index().drop(columns="ward"), policy, study="s")
    for columns in (("income", "debt"), ("wealth", "code")):
        study.scatter(*columns).save(tmp_path / "rows.svg")
        study.heatmap(*columns).save(tmp_path / "cells.svg")

    hidden = tmp_path / ".discreet"
    (copy,) = hidden.glob("whole-*.parquet")
    for path in hidden.iterdir():
        listen(path.read_bytes())
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (file,) = hidden.glob("whole-*.copy")
    names = {
        copy.name,
        copy.with_suffix(".json").name,
        file.name,
        "register.sqlite",
        "register.key",
    }
    assert {path.name for path in hidden.iterdir()} == names
    listen((tmp_path / "discreet.register").read_bytes())
    for entry in ZipFile(file).infolist():
        if not entry.filename.endswith(".parquet"):
            listen(ZipFile(file).read(entry))

    stored = pq.read_table(copy)
    assert stored.column_names == [*sorted(NUMBERS), "sex"]
    listen(str(stored.to_pydict()), str(stored.schema), str(pq.read_metadata(copy)))
    for name in NUMBERS:
        values = stored[name].to_numpy()
        gap = np.abs(values[:, None] - np.asarray(COHORT[name], dtype=float))
        assert gap.min() > 1e-9 * np.std(values)

    connection = sqlite3.connect(hidden / "register.sqlite")
    tables = [name for (name,) in connection.execute(OWN_TABLES)]
    assert "sketch" in tables
    for table in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):
            cells = [zlib.decompress(c) if isinstance(c, bytes) else str(c) for c in row]
            listen(*cells)
            kept = b"".join(c for c in cells if isinstance(c, bytes))
            assert not any(value.tobytes() in kept for value in RAW)
    connection.close()


@pytest.mark.slow
def test_nothing_else_is_written(tmp_path: Path, own_home: Path) -> None:
    before = {*own_home.rglob("*")}  # the tests' secret
    view = dc.open(pandas_with_index(), Policy.preset("standard")).heatmap("income", "debt")
    view.save(tmp_path / "view.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["view.svg"]
    for path in {*own_home.rglob("*")} - before:
        if path.is_file():
            listen(path.read_bytes())
            assert path.name in {"register.sqlite", "register.key", "discreet.register"}


# --- errors -----------------------------------------------------------------------------------


def csv_of(columns: dict[str, list[Any]], path: Path) -> Path:
    """Write columns as CSV."""
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def broken_files(folder: Path) -> dict[str, Path]:
    """Write files that cannot be read as they should."""
    good = csv_of(COHORT, folder / "good.csv").read_text()
    lines = good.splitlines()
    pq.write_table(pa.table(COHORT), folder / "good.parquet")
    content = (folder / "good.parquet").read_bytes()
    texts: dict[str, str | bytes] = {
        "text among numbers.csv": good + f"p,n,w,f,{BIRD},1,2,3\n",
        "too many cells.csv": "\n".join([*lines, ",".join([BIRD] * 30)]) + "\n",
        "too few cells.csv": "\n".join([*lines, BIRD]) + "\n",
        "an open quote.csv": good + f'"{BIRD},1,2,3\n',
        "binary.csv": good.encode() + b"\0\0" + BIRD.encode(),
        "other letters.csv": good.replace("Zebulon", "Z\xe9bulon").encode("latin-1"),
        "header alone.csv": lines[0] + "\n",
        "empty.csv": "",
        "names twice.csv": f"a,a\n{BIRD},2\n",
        "a csv.parquet": good,
        "cut.parquet": content[: len(content) // 2],
        "damaged.parquet": content[:200] + b"\xff" * 4000 + content[4200:],
        "text.xlsx": good,
    }
    for name, text in texts.items():
        data = text.encode() if isinstance(text, str) else text
        (folder / name).write_bytes(data)
    (folder / "a folder.csv").mkdir()
    return {name: folder / name for name in [*texts, "a folder.csv", "missing.csv"]}


def frame(**changes: Any) -> pd.DataFrame:
    """Make a frame with columns of other values."""
    return pd.DataFrame({**COHORT, **changes})


def standard(source: Any = None, **fields: Any) -> Any:
    """Open a frame under `standard`, or the cohort, whose copy is made once."""
    if source is None:
        return hospital(**fields)
    return dc.open(source, Policy.preset("standard", **fields))


def papers(rows: int = N, **changes: Any) -> dc.Research:
    """Open some rows of a frame with columns of other values for the papers' methods."""
    return dc.research(frame(**changes).head(rows))


def changed(**columns: Any) -> Any:
    """Open the cohort with columns of other values under `standard`."""
    return standard(frame(**columns))


def relation(sql: str) -> Any:
    """Make a DuckDB relation that fails when it is run."""
    connection = duckdb.connect()
    connection.register("cohort", pa.table(COHORT))
    return connection.sql(sql)


ONE, MIXED = [float(f"1.{DIGITS}")] * N, [1.5, BIRD] * (N // 2)
SECRETLY: Any = {"roles": {"clinic": "sensitive"}}
BY_RARE: Any = {"hierarchies": {"ward": {"all": ["ward"]}}}
ERRORS: dict[str, Callable[[Path], Any]] = {
    # who may be shown, and what is asked
    "an identifier": lambda _: standard().histogram("patient"),
    "a stratum that identifies": lambda _: dc.research(frame(), strata=["note"]),
    "a formula of people": lambda _: standard().residuals("income ~ patient"),
    "unknown column": lambda _: standard().histogram("incom"),
    "k too large": lambda _: standard(k=100).histogram("income"),
    "a key twice": lambda _: standard(key="ward").scatter(*PAIR),
    "several rows": lambda _: standard(unit="ward").scatter(*PAIR),
    "words declared numbers": lambda _: standard(kinds={"ward": "continuous"}),
    # levels, lines and models
    "a table of too many": lambda _: papers(
        ward=[f"Zebulon {i % 60}" for i in range(N)], sex=[f"{BIRD}{i % 40}" for i in range(N)]
    ).papers.draw(CrossTable("ward", "sex")),
    "terms that depend": lambda _: papers().qq("income ~ debt + I(2 * debt)"),
    "a perfect fit": lambda _: papers(debt=[2 * it for it in COHORT["income"]]).qq("income ~ debt"),
    "a term of one row": lambda _: papers(sex=[BIRD] + CLINICS[-1:] * 239).qq("income ~ sex"),
    "no finite term": lambda _: standard().residuals("income ~ log(debt - 1000)"),
    "a constant term": lambda _: papers(debt=ONE).residuals("income ~ debt"),
    "points above one another": lambda _: papers(debt=ONE).scatter(
        *PAIR[::-1], method="none", trend=True
    ),
    "a table by a hierarchy without a level": lambda _: dc.research(
        frame(ward=[BIRD] * 3 + ["QuuxWard"] * 237), strata=["ward"]
    ).anonymize(["income"], **BY_RARE),
    # axes
    "a secret value of nobody": lambda _: standard(roles={"ward": "sensitive"}).parallel(
        ["income", "ward"], sensitive={"ward": [f"{BIRD}s"]}
    ),
    "a secret value of few": lambda _: hospital(**SECRETLY).parallel(
        ["income", "clinic"], sensitive={"clinic": CLINICS[-1:]}
    ),
    "levels of each under research": lambda _: papers(
        ward=[f"Zebulon {i % 150}" for i in range(N)], sex=["f", "m"] * 120
    ).parallel(["income", "ward"], pixels=100),
    "one place of an axis": lambda _: changed(debt=ONE).parallel(PAIR),
    "one level of an axis": lambda _: changed(ward=[BIRD] * N).parallel(["income", "ward"]),
    # what the data are
    "constant bins": lambda _: changed(income=ONE).histogram("income"),
    "all missing": lambda _: changed(income=[float("nan")] * N).histogram("income"),
    "all missing together": lambda _: changed(
        income=COHORT["income"][:120] + [None] * 120, debt=[None] * 120 + COHORT["debt"][120:]
    ).scatter(*PAIR),
    "few": lambda _: standard(frame().head(20)).scatter(*PAIR),
    "far too large": lambda _: changed(wealth=[1.7e308, -1.7e308] * 120).histogram("wealth"),
    "mixed types": lambda _: changed(income=MIXED).histogram("income"),
    "mixed types, declared": lambda _: dc.open(frame(income=MIXED), kinds={"income": "continuous"}),
    "lists": lambda _: changed(ward=[[BIRD]] * N).histogram("ward"),
    # engines that fail while they run, and quote what they could not read
    "a failing column of levels": lambda _: standard(
        relation("SELECT error(patient) AS ward, income FROM cohort")
    ).bars("ward"),
    "a failing relation": lambda _: standard(
        relation("SELECT CAST(patient AS DOUBLE) AS income FROM cohort")
    ).histogram("income"),
    "a relation that fails in one row": lambda _: standard(
        relation("SELECT CAST(replace(ward, 'QuuxWard', '1') AS DOUBLE) AS income FROM cohort")
    ).box("income"),
    "a failing lazy frame": lambda _: standard(
        pl.LazyFrame(COHORT).with_columns(income=pl.col("patient").cast(pl.Float64))
    ).histogram("income"),
    "a lazy frame of a missing file": lambda folder: standard(
        pl.scan_csv(folder / "missing.csv")
    ).histogram("income"),
    "a lazy frame of a changed file": lambda folder: standard(changed_file(folder)).box("income"),
    # no source, no policy, no view
    "a series": lambda _: standard(frame()["patient"]),
    "records": lambda _: standard(frame().to_dict("records")),
    "columns twice": lambda _: standard(pd.concat([frame(), frame()], axis=1)),
    "columns of numbers": lambda _: standard(pd.DataFrame(frame().to_numpy())),
    "data for a policy": lambda folder: dc.open(frame(), csv_of(COHORT, folder / "data.toml")),
    "data for a view": lambda folder: View.load(csv_of(COHORT, folder / "data.csv")),
    "JSON for a view": lambda _: View.from_json(json.dumps(COHORT)),
    "hostile JSON": lambda _: View.from_json(
        json.dumps({"discreet": 1, "kind": "multiples", "views": [COHORT]})
    ),
}


def test_a_column_of_mixed_types_does_not_hold_up_the_others() -> None:
    study = dc.open(frame(ward=[1.5, BIRD] * 120, note=[[BIRD]] * N))
    listen(study.histogram("income").to_json(), repr(study))


def changed_file(folder: Path) -> pl.LazyFrame:
    """Scan a file that turns into words after its columns were read."""
    path = csv_of({"income": COHORT["income"]}, folder / "changing.csv")
    scanned = pl.scan_csv(path)
    assert scanned.collect_schema()
    csv_of({"income": COHORT["patient"]}, path)
    return scanned


def listen_to_error(call: Callable[[], Any]) -> Exception:
    """Let a call fail, and listen to all that a user or a log would see of it."""
    with pytest.raises(DiscreetError, match=r"\w+ \w+") as failed:
        call()
    error = failed.value
    listen(str(error), repr(error), *traceback.format_exception(error))
    listen(str(error.args), str(getattr(error, "__notes__", "")))
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    said, *marked = str(error).split("\n")
    assert not marked or re.fullmatch(r" *\^+", marked[1]), said  # below what the caller wrote
    assert len(marked) in (0, 2)
    # A path is the caller's own, and a test's folder has a number of its own.
    # So are the settings of the policy.
    words = re.sub(r"'/[^']*'|\bm = 20\b", "", str(error))
    assert not re.search(r"\b(20|49|239|240|237)\b", words)
    return error


@pytest.mark.parametrize("case", ERRORS)
def test_no_canary_in_any_error(case: str, tmp_path: Path) -> None:
    listen_to_error(lambda: ERRORS[case](tmp_path))


@pytest.mark.slow
def test_no_canary_where_files_are_broken(tmp_path: Path) -> None:
    for name, path in broken_files(tmp_path).items():

        def draw(path: Path = path) -> Any:
            return dc.open(path).histogram("income")

        error = listen_to_error(draw)
        assert isinstance(error, InputError), name


@pytest.mark.slow
def test_no_canary_where_nothing_may_leave(tmp_path: Path) -> None:
    def anew(source: Any = None, **fields: Any) -> Any:
        return standard(pandas_with_index() if source is None else source, **fields)

    study = anew(study="s")
    for view in (study.scatter(*PAIR), study.bars("sex"), study.parallel(["code", "wealth"])):
        view.save(tmp_path / "a.svg")
    other = frame(income=[1.5, *COHORT["income"][1:]])
    words = other.assign(debt=COHORT["patient"])
    as_level = {"kinds": {"code": "categorical"}, "roles": {"code": "sensitive"}}
    refused: dict[str, Callable[[], Any]] = {
        "another k": lambda: anew(study="s", k=6).bars("ward").to_json(),
        "changed data": lambda: (
            anew(frame(income=COHORT["debt"]), study="s").histogram("income").to_json()
        ),
        "another name": lambda: anew(frame(gain=COHORT["income"])).histogram("gain").to_json(),
        "too few changes": lambda: anew(other, study="s").session.new_version(),
        "levels of numbers": lambda: anew(study="s", **as_level).bars("code").to_json(),
        "changed levels": lambda: (
            anew(frame(sex=["f", "m"] * 120), study="s").bars("sex").to_json()
        ),
        "nothing new": lambda: anew(study="s").session.new_version(),
        "words for numbers": lambda: anew(words, study="s").session.new_version(),
    }
    for call in refused.values():
        listen_to_error(call)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_no_canary_where_the_register_or_the_copy_is_broken(tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text(Policy.preset("standard").to_toml())
    dc.open(frame(), policy).scatter("income", "debt").save(tmp_path / "a.svg")
    hidden = tmp_path / ".discreet"
    (hidden / "register.sqlite").write_bytes(BIRD.encode() * 1000)
    listen_to_error(lambda: dc.open(frame(), policy).histogram("income").to_json())
    (file,) = hidden.glob("whole-*.copy")
    file.write_bytes(b"PK" + BIRD.encode() * 1000)
    listen_to_error(lambda: dc.open(frame(), policy).scatter("income", "debt"))
    file.unlink()
    (copy,) = hidden.glob("whole-*.parquet")
    copy.write_bytes(b"PAR1" + BIRD.encode() * 1000)
    listen_to_error(lambda: dc.open(frame(), policy).scatter("income", "debt"))


# --- the command line -------------------------------------------------------------------------


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Any, str, str]]:
    """Run the command line in this process."""

    def call(*words: object) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["discreet", *map(str, words)])
        code: Any = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        listen(out, err)
        return code, out, err

    return call


CALLS: dict[str, tuple[str, list[str], int]] = {  # what follows the file, the exit code
    "an identifier": ("histogram", ["patient"], 3),
    "unknown column": ("histogram", ["incom"], 2),
    "k too large": ("scatter", ["income", "debt", "-k", "100"], 3),
    "no number": ("scatter", ["income", "debt", "-k", "many"], 2),
    "no policy": ("histogram", ["income", "--policy", "missing.toml"], 2),
    "a secret value of nobody": (
        "parallel",
        ["income", "ward", "--sensitive", "ward=QuuxWard West"],
        2,
    ),
}
OF_PAPERS: dict[str, tuple[str, list[str], int]] = {
    "stratum": ("scatter", ["income", "debt", "--strata", "note"], 3)
}


def test_the_command_line_tells_no_canary(run: Any, tmp_path: Path) -> None:
    file, target = csv_of(COHORT, tmp_path / "cohort.csv"), tmp_path / "figure.svg"
    calls = [("plot", *it) for it in CALLS.values()]
    calls += [("research", *it) for it in OF_PAPERS.values()]
    for command, picture, words, code in calls:
        ended, out, err = run(command, picture, file, *words, "-o", target)
        assert (ended, out) == (code, ""), (command, picture, words)
        assert err.strip()
        if "--policy" not in words and "many" not in words:
            assert err.startswith("discreet: ")
            # Below what was written, its place may be marked.
            assert re.fullmatch(r".+\n(.+\n *\^+\n)?", err)
        assert not target.exists()


@pytest.mark.slow
def test_the_command_line_tells_no_canary_of_broken_files(run: Any, tmp_path: Path) -> None:
    for path in broken_files(tmp_path).values():
        code, out, err = run("plot", "histogram", path, "income", "--json")
        assert (code, out) == (2, "")
        assert err.count("\n") == 1


@pytest.mark.slow
def test_the_command_line_tells_no_canary_where_it_draws(run: Any, tmp_path: Path) -> None:
    file = csv_of(COHORT, tmp_path / "cohort.csv")
    for words in (["histogram", file, "income"], ["box", file, *NUMBERS]):
        code, out, err = run("plot", *words, "--json", "-o", tmp_path / "figure.pdf")
        assert code == 0
        assert json.loads(out)["kind"] == words[0]
        assert str(tmp_path / "figure.pdf") in err
        listen(*streams((tmp_path / "figure.pdf").read_bytes()))
    assert run("log", "--released")[0] == run("log", "--released", "--json")[0] == 0


# It prints what Python tells of a plot, which is listened to under every preset above.
@pytest.mark.slow
def test_the_command_line_tells_no_canary_of_plots(run: Any, tmp_path: Path) -> None:
    file = csv_of(HOSPITAL, tmp_path / "cohort.csv")
    target = tmp_path / "figure.svg"
    others = ("bars by small levels", "scatter by with trends", "a pair of axes")
    for picture, columns, named in [DRAWN[name] for name in (*FIRST_OF_KIND[::4], *others)]:
        words: list[object] = [picture.replace("_", "-"), file, *columns]
        words += ["--by", named["by"]] if "by" in named else []
        words += ["--event-is", named["event_is"]] if "event_is" in named else []
        words += ["--trend"] if "trend" in named else []
        words += ["--no-gradient"] if "gradient" in named else []
        code, out, err = run("plot", *words, "--json", "-o", target)
        assert (code, json.loads(out)["discreet"]) == (0, 1), err
        assert str(target) in err
        listen(target.read_text())
        listen_to_numbers(drawn(out))


def test_a_bug_tells_where_and_not_what(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = csv_of(COHORT, tmp_path / "cohort.csv")

    def fail(*_: object, **__: object) -> None:
        raise ValueError(f"could not convert string to float: '{BIRD}'")

    monkeypatch.setattr("discreet.explore.Study.histogram", fail)
    code, out, err = run("plot", "histogram", file, "income", "--json")
    assert (code, out) == (70, "")
    assert "unexpected ValueError in test_leaks.py" in err


@pytest.mark.slow
def test_the_installed_command_tells_no_canary(tmp_path: Path) -> None:
    file = csv_of(COHORT, tmp_path / "cohort.csv")
    broken = tmp_path / "broken.csv"
    shutil.copy(file, broken)
    with broken.open("a") as stream:
        stream.write(f'"{BIRD},1\n')

    words = [sys.executable, "-m", "discreet", "plot", "histogram", str(broken), "income"]
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    code, *said = ran(COMMAND, "plot", "histogram", str(file), "income", "--json")
    assert code == 0
    listen(done.stdout, done.stderr, *said)
