"""Draw a real cohort by every method, and a page that shows the pictures side by side.

The cohort is the diabetes study that ships with scikit-learn: 442 patients, public data. Run it
with `make demo`; it needs no server and no network.
"""

from __future__ import annotations

import html
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.progress import track

import discreet as dc
from discreet.methods import ROW_METHODS
from discreet.plots import PLOTS

WHOLE = "whole"
MODEL = ("glucose ~ age + bmi",)
COLUMNS: dict[str, tuple[Any, ...]] = {
    "scatter": ("age", "glucose"),
    "histogram": ("glucose",),
    "correlations": (["age", "bmi", "glucose"],),
    "density": ("glucose",),
    "ecdf": ("glucose",),
    "violin": ("glucose",),
    "heatmap": ("age", "glucose"),
    "contour": ("age", "glucose"),
    "box": ("age", "bmi", "glucose"),
    "bars": ("age_group",),
    "crosstab": ("age_group", "sex"),
    "residuals": MODEL,
    "qq": MODEL,
    "leverage": MODEL,
    "parallel": (["age", "bmi", "glucose", "sex"],),
}
TITLES = {
    "scatter": "Scatter plots",
    "histogram": "Histograms",
    "correlations": "Correlations",
    "density": "Densities",
    "ecdf": "Empirical distributions",
    "violin": "Violins",
    "heatmap": "Heat maps",
    "contour": "Contour plots",
    "box": "Box plots",
    "bars": "Bar charts",
    "crosstab": "Cross-tables",
    "residuals": "Regression: residuals against fitted values",
    "qq": "Regression: normal QQ plots",
    "leverage": "Regression: residuals against leverage",
    "parallel": "Parallel coordinates",
}
TOLD = ("research", "promises", "does not protect", "hidden")
POLICIES = {
    "standard": "Policy standard, the default: rows from one protected copy of the whole table,"
    " counts of at least k = 5 patients, rounded to 5.",
    "research": "dc.research: the methods as the 2021 paper prints them, view by view, k = 3"
    " and q = 0.25. For public or simulated data only; “none” is the raw data.",
}

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>discreet: one cohort, every method</title>
<style>
  body {{ font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1280px;
         margin: 2rem auto; padding: 0 1.5rem; }}
  h1 {{ font-size: 1.7rem; margin-bottom: .2rem; }}
  h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; }}
  h3 {{ font-weight: 500; font-size: 1rem; margin: 1.2rem 0 .6rem; color: #444; max-width: 60rem; }}
  .row {{ display: grid; gap: 1.2rem;
          grid-template-columns: repeat(auto-fill, minmax(360px, 1fr)); }}
  figure {{ margin: 0; padding: .8rem; border: 1px solid #e3e3e3; border-radius: 6px; }}
  figure img {{ width: 100%; height: auto; }}
  figcaption b {{ font-size: 1.05rem; }}
  figcaption p {{ margin: .35rem 0 0; font-size: .86rem; }}
  .open {{ color: #8a3b12; }}
  .made {{ color: #666; }}
</style>
<h1>One cohort, every method</h1>
<p>442 patients of a diabetes study (Efron et al. 2004, public data), drawn by
<b>discreet</b>. Under each picture stands how it was made, what it promises, and what it leaves
open. The first picture of each row is that of the protected copy, or the raw data to compare
with.</p>
{sections}
</html>
"""


@dataclass(frozen=True)
class Card:
    """One picture of the page, and what is said of it."""

    picture: str
    policy: str
    method: str
    figure: str
    facts: tuple[str, ...]


def main(folder: Path) -> None:
    """Draw everything into `folder` and print where it is."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cohort = cohort_with_age_groups()
    wanted = [
        (policy, picture, method)
        for picture in COLUMNS
        for policy in POLICIES
        for method in methods_of(picture, policy)
    ]
    cards = []
    for policy, picture, method in track(wanted, "drawing", transient=True):
        card = draw(cohort, folder, policy, picture, method)
        cards += [] if card is None else [card]
    page = folder / "index.html"
    page.write_text(page_of(cards), encoding="utf-8")
    for path in sorted(folder.glob("*.svg")):
        print(path)
    print(f"{page}  <- open this one")


def cohort_with_age_groups() -> pa.Table:
    """Return the cohort with a second column of levels, of which one is small."""
    cohort = dc.datasets.diabetes()
    ages = [
        f"{int(age) // 10 * 10} to {int(age) // 10 * 10 + 9}" for age in cohort["age"].to_pylist()
    ]
    return cohort.append_column("age_group", pa.array(ages))


def methods_of(picture: str, policy: str) -> list[str]:
    """Return the methods of a picture: the copy of the table first, or the raw data to compare."""
    if dc.Policy.preset(policy).fixed:
        return [WHOLE]
    if not hasattr(dc.Research, picture):
        return []  # no paper has it
    return ["none", *(method for method in PLOTS[picture].methods if method != "none")]


def draw(cohort: object, folder: Path, policy: str, picture: str, method: str) -> Card | None:
    """Draw one picture; None where the policy does not let it be made that way."""
    # The data are public and say so: otherwise two row methods of one cohort could not leave.
    chosen = dc.Policy.preset(policy, public=True, study="diabetes")
    if method in ROW_METHODS:
        chosen = chosen.changed(papers={"method": method})
    columns = COLUMNS[picture]
    if picture == "box" and method in ("suppression", "generalization"):
        columns = columns[:2]
    how = {} if method == WHOLE else {"method": method}
    try:
        opened = dc.open(cohort, chosen) if chosen.fixed else dc.research(cohort, chosen)
        view = getattr(opened, picture)(*columns, **how)
    except dc.RefusedError:
        return None
    path = folder / f"{policy}-{picture}-{method}.svg"
    view.save(path)
    made, *rest = view.describe().splitlines()
    facts = [made, *(line for line in rest if line.startswith(TOLD))]
    return Card(picture, policy, method, path.name, tuple(facts))


def page_of(cards: Sequence[Card]) -> str:
    """Return the page: a section a picture, a row a policy, a card a method."""
    sections = []
    for picture, title in TITLES.items():
        sections.append(f"<h2>{title}</h2>")
        for policy, words in POLICIES.items():
            row = [c for c in cards if c.picture == picture and c.policy == policy]
            if not row:
                continue
            sections.append(f"<h3>{html.escape(words)}</h3>")
            sections.append(f'<div class="row">{"".join(map(figure_of, row))}</div>')
    return PAGE.format(sections="\n".join(sections))


def figure_of(card: Card) -> str:
    """Return the picture of a card with its caption."""
    lines = []
    for fact in card.facts:
        kind = "open" if fact.startswith("does not protect") else "made"
        lines.append(f'<p class="{kind}">{html.escape(fact)}</p>')
    alt = html.escape(card.facts[0])
    return (
        f'<figure><a href="{card.figure}"><img src="{card.figure}" alt="{alt}"></a>'
        f"<figcaption><b>{card.method}</b>{''.join(lines)}</figcaption></figure>"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/demo"))
