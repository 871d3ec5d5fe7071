"""Draw the gallery: docs/figures.md and its pictures, which the README shows too.

Run with `make pictures`. The data are the public diabetes cohort. The secret is written here so
that the pictures stay the same; for real data it is known to the custodian alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import discreet as dc
from discreet.measure import CopyTable
from examples import unprotected

DOCS = Path(__file__).parents[1] / "docs"
SECRET = "7d1f0c9ab4e65823d0917e5c6fb2a48e93c07b1d5a6e4f2089bd3c71e6a05f94"

OPENED = """\
import discreet as dc
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

cohort = dc.datasets.diabetes()
elder = pc.if_else(pc.greater_equal(cohort["age"], 60), "60 and over", "40 to 59")
age_group = pc.if_else(pc.less(cohort["age"], 40), "under 40", elder)
cohort = cohort.append_column("age_group", age_group)

study = dc.open(cohort, dc.Policy.preset("standard", public=True, study="diabetes"))
research = dc.research(dc.datasets.d1(), public=True)

rng = np.random.default_rng(1)
arm = rng.choice(["control", "treated"], 800)
dies, leaves = rng.exponential(np.where(arm == "treated", 45, 25)), rng.uniform(6, 60, 800)
months, died = np.ceil(np.minimum(dies, leaves)), np.where(dies <= leaves, "yes", "no")
entered = np.datetime64("2019-03-20") + np.sort(rng.integers(0, 1500, 800))
simulated = pa.table({"months": months, "died": died, "arm": arm, "entered": entered})
trial = dc.open(simulated, dc.Policy.preset("standard", public=True, study="trial"))
"""

HEAD = """\
# Gallery

Every plot that discreet draws, each with the line of code that made it. The survival curves and the
plot over time are of a simulated trial. All others but the last two are of 442 patients of a public
diabetes study under the policy `standard`. The code below opened both studies (`make pictures`
draws the plots again):

```python
{opened}```

Beside a plot stands the same one of the records themselves, drawn by the same code: the data are
public or simulated. Both show much the same, and no row of the copy belongs to one patient.

Figures 1 to 21 of the 2021 paper, and the tables and figures of the one of 2022, are drawn by
`make figures` into `build/figures`.
"""


class Picture(NamedTuple):
    """One picture of the gallery."""

    name: str
    title: str
    code: str
    words: str
    records: str | None = ""
    """What draws the records beside it, where that is not the same line; None: nothing does."""


PICTURES = (
    Picture(
        "scatter",
        "Scatter plot",
        'study.scatter("age", "glucose", trend=True)',
        "Points are rows of the copy of the whole table, each value drawn from at least twenty"
        " patients; the line is theirs. Where values are coarse, some equal a patient by chance.",
    ),
    Picture(
        "scatter-by",
        "Scatter plot, coloured",
        'study.scatter("age", "glucose", by="sex", trend=True)',
        "Any column of levels of the copy may give the colours.",
    ),
    Picture(
        "histogram",
        "Histogram",
        'study.histogram("glucose")',
        "Rows of the copy in bins of one width. A bin has as many rows wherever it is shown: here,"
        " on a board, and in whatever is counted of the released table.",
    ),
    Picture(
        "histogram-by",
        "Histograms, one for each level",
        'study.histogram("bmi", by="age_group")',
        "Drawn from the copy. Bins are the same for all levels.",
    ),
    Picture(
        "histogram-by-two",
        "Histograms in rows and columns",
        'study.histogram("bmi", by=("age_group", "sex"))',
        "Of the copy. All panels have the same bins and axes; a part of fewer than 50 rows is not"
        " drawn, and says so.",
    ),
    Picture(
        "histogram-overlay",
        "Histograms, one over the other",
        'study.histogram("bmi", by="age_group", overlay=True)',
        "Of the copy. Each outline has an area of 1, so that levels of different sizes compare.",
    ),
    Picture(
        "density",
        "Densities",
        'study.density("bmi", by="age_group")',
        "Of the copy. Curves end where the values of their rows do, and are reflected there. The"
        " ends of a column stand on blocks of patients, so a curve may rise towards them.",
    ),
    Picture(
        "violin",
        "Violins",
        'study.violin("bmi", by="age_group")',
        "The same curves, mirrored side by side, each with its median and its quartiles. All have"
        " the same area, so that groups of any size compare.",
    ),
    Picture(
        "ecdf",
        "Empirical distributions",
        'study.ecdf("bmi", by="age_group")',
        "Which share of the rows of the copy lies at or below each value. Levels of fewer than ten"
        " rows are not drawn, and named below.",
    ),
    Picture(
        "correlations",
        "Correlations",
        'study.correlations(["age", "bmi", "blood_pressure", "ldl", "hdl", "glucose"])',
        "Of the copy: Pearson's of values below the diagonal, Spearman's of ranks above. Without"
        " columns, all numbers of the copy.",
    ),
    Picture(
        "heatmap",
        "Heat map",
        'study.heatmap("age", "glucose")',
        "Rows of the copy, some five to a cell by default: `grid=` is free.",
    ),
    Picture(
        "contour",
        "Contour plot",
        'study.contour("age", "glucose")',
        "Lines of equal count, from the cells of the heat map.",
    ),
    Picture(
        "box",
        "Box plots",
        'study.box("age", "bmi", "glucose")',
        "Of the copy: boxes reach from the first to the third quartile.",
    ),
    Picture(
        "box-by",
        "Box plots, one for each level",
        'study.box("glucose", by="age_group")',
        "Of the copy: a box for each level, with how many rows it is of.",
    ),
    Picture(
        "box-by-two",
        "Box plots by two columns",
        'study.box("glucose", by=("age_group", "sex"))',
        "Of the copy: the levels of the second column stand side by side at those of the first.",
    ),
    Picture(
        "bars",
        "Bar chart",
        'study.bars("age_group", by="sex")',
        "Of the copy, whose small levels are joined.",
    ),
    Picture(
        "bars-percent",
        "Bar chart, in percent",
        'study.bars("age_group", by="sex", percent=True)',
        "Of the copy: how many percent of each sex an age group is.",
    ),
    Picture(
        "crosstab",
        "Cross-table",
        'study.crosstab("age_group", "sex")',
        "Of the copy: how many rows have each pair of levels, with their sums.",
    ),
    Picture(
        "residuals",
        "Residuals against fitted values",
        'study.residuals("glucose ~ age + bmi + C(sex)")',
        "The model is fitted to the protected copy, so that its plots add nothing to it.",
    ),
    Picture(
        "qq",
        "Normal QQ plot",
        'study.qq("glucose ~ age + bmi + C(sex)")',
        "Residuals divided by their standard deviation, against normal quantiles.",
    ),
    Picture(
        "leverage",
        "Residuals against leverage",
        'study.leverage("glucose ~ age + bmi + C(sex)")',
        "Dashed lines say where Cook's distance is 0.5 and 1, where they are near enough to show.",
    ),
    Picture(
        "model",
        "Forest plot of a model",
        'study.model("progression ~ age + bmi + ldl + C(sex)")',
        "Estimated from rows of the copy; the intervals have the copy's own error in them, too."
        " Means by levels ([summary.md](summary.md)) have such a plot as well.",
        records=None,
    ),
    Picture(
        "parallel",
        "Parallel coordinates",
        'study.parallel(["age", "bmi", "glucose", "progression"])',
        "A shape is a cluster of at least five rows of the copy, and joins their places on two"
        " axes. Small ones are in front. Any columns may stand in any order.",
        records='plain.parallel(["age", "bmi", "glucose", "progression"], method="none")',
    ),
    Picture(
        "survival",
        "Survival curves",
        'trial.survival("months", "died", by="arm")',
        "Kaplan and Meier's estimate, from rows of the copy: the share without the event. The"
        " numbers at risk are below the axis. A curve ends where fewer than ten are.",
    ),
    Picture(
        "over-time",
        "Over time",
        'trial.over_time("entered", by="arm", every="quarter")',
        "How many rows of the copy entered in each quarter. A first or last period that the dates"
        " cover in part would look like a fall, and is left off; a note names it.",
    ),
    Picture(
        "research-scatter",
        "As published: centroids",
        'research.scatter("X", "Y", method="deterministic", k=3, trend=True)',
        "The paper's Fig. 2A (iv), simulated data: centroids of three neighbours, and the trend of"
        " the records in red. Dark points are several records at one place.",
        records='research.scatter("X", "Y", method="none", trend=True)',
    ),
    Picture(
        "research-heatmap",
        "As published: suppression",
        'research.heatmap("X", "Y", method="suppression", k=3)',
        "The paper's Fig. 3A (ii): cells of one or two records are hidden.",
        records='research.heatmap("X", "Y", method="none")',
    ),
)


def main(docs: Path = DOCS) -> None:
    """Write the page and its pictures."""
    os.environ["DISCREET_SECRET"] = SECRET
    (docs / "images").mkdir(parents=True, exist_ok=True)
    (docs / "figures.md").write_text(page(), encoding="utf-8")
    names = opened()
    for picture in PICTURES:
        drawn(picture, names).save(docs / "images" / f"{picture.name}.png")
    (docs / "images" / "records").mkdir(exist_ok=True)
    names = of_records(names)
    for picture in PICTURES:
        if picture.records is not None:
            view = eval(picture.records or picture.code, dict(names))
            (docs / image_of_records(picture)).write_bytes(unprotected.drawn(view))


def opened() -> Mapping[str, Any]:
    """Run the lines that open the studies; return the names they set."""
    names: dict[str, Any] = {}
    exec(OPENED, names)
    return names


def of_records(names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the names with studies whose plots show the records themselves."""
    found = dict(names)
    for name, records in (("study", names["cohort"]), ("trial", names["simulated"])):
        found[name] = unprotected.unprotected(names[name], records)
    found["plain"] = dc.research(names["cohort"], public=True)
    return found


def image_of_records(picture: Picture) -> str:
    """Return where the picture of the records is, from docs."""
    return f"images/records/{picture.name}.png"


def drawn(picture: Picture, names: Mapping[str, Any]) -> dc.View | CopyTable:
    """Run the line of a picture."""
    view = eval(picture.code, dict(names))
    if not isinstance(view, dc.View | CopyTable):
        raise TypeError(f"{picture.code} makes no plot")
    return view


def images(picture: Picture) -> str:
    """Return the picture as Markdown, beside that of the records where there is one."""
    protected = f"![{picture.title}](images/{picture.name}.png)"
    if picture.records is None:
        return protected
    of_records = f"![{picture.title}, of the records]({image_of_records(picture)})"
    return f"| protected | the records themselves |\n|---|---|\n| {protected} | {of_records} |"


def page() -> str:
    """Return the gallery as Markdown."""
    parts = [HEAD.format(opened=OPENED)]
    for picture in PICTURES:
        parts.append(
            f"## {picture.title}\n\n```python\n{picture.code}\n```\n\n"
            f"{images(picture)}\n\n{picture.words}\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
