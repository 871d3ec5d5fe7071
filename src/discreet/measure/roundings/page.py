"""The page and the text of a comparison: what was found in words, then pictures, then tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from discreet.measure.report_tables import Listing
from discreet.measure.report_text import bullets, columns, headed
from discreet.measure.roundings.grid import RoundingGrid
from discreet.measure.roundings.pictures import family_picture, model_picture, score_picture
from discreet.measure.roundings.tables import (
    BEST,
    family_table,
    models_table,
    refused_table,
    whole_table,
)
from discreet.measure.roundings.trial import FAMILIES
from discreet.measure.roundings.words import claims, in_short
from discreet.render.to_html import Html, heading, items, paragraph, picture, table
from discreet.rounding import METHODS

__all__ = ["OWN_WORK", "STYLE", "page_parts", "text_of", "title_of"]

OWN_WORK = "For the custodian: exact numbers of the original table, and no release."
LEAD = (
    "Rounding replaces every number by one of a few rounding points, so that many rows have it in"
    " common. Each method here finds the points in its own way. What is lost is how far the numbers"
    " moved; what is at risk is how many rows somebody could find again who has the original ones."
    " Both are small for no method: moving less gives away more."
)
PER_MEASURE = "Lower is better in all of them, but low losses come with high risks."
FOR_MODELS = (
    "A model learns from rounded rows. How good it is on rows that nobody rounded says whether the"
    " rounded table is of use; how good it is on other rounded rows says less, because rounding"
    " has made these alike."
)
BY_K = "To the right each point stands for more rows: less risk, more loss."
BY_C = (
    "To the right there are more points, each of fewer rows: less loss, more risk. None of these"
    " methods promises how many rows stand at a point."
)
LEVELS = " Methods steered by the classes have no number c: level lines."
SCORES = (
    "The mean of loss and risk over all numbers k or c. Both kinds of methods were tried with"
    " groups of about one size (k is about the number of rows over c), so they stand side by side."
    " The lower, the better the trade by this one score."
)
#: Wide enough for two drawings side by side.
STYLE = (
    ".discreet{padding-left:max(1rem,calc(50% - 33rem));padding-right:max(1rem,calc(50% - 33rem))}"
)
CLAIMS = "What must not be claimed"
JOINT = (
    "A table that is to leave is rounded jointly (discreet round), so that k rows share each of its"
    " rows: for that, discreet sweep --methods rounding,microaggregation draws risk against loss."
)


def title_of(grid: RoundingGrid) -> str:
    """Return the title of a comparison."""
    return f"Rounding methods compared: {grid.name}"


def page_parts(grid: RoundingGrid) -> list[Html]:
    """Return the parts of the page."""
    parts = [heading(title_of(grid), 1), paragraph(OWN_WORK, "stamp"), paragraph(LEAD, "lead")]
    parts += [items(_made(grid)), heading("In short"), items(in_short(grid))]
    parts += [heading(CLAIMS), items(claims(grid)), paragraph(JOINT)]
    parts += list(_pictures(grid))
    parts += list(_tables(grid))
    return [*parts, *_explained(grid)]


def text_of(grid: RoundingGrid) -> str:
    """Return the comparison as text to read in a terminal."""
    lines = [title_of(grid), OWN_WORK, "", *bullets(_made(grid))]
    for head, told in (("In short", in_short(grid)), (CLAIMS, claims(grid))):
        lines += ["", *headed(head), *bullets(told)]
    for listing in (whole_table(grid), refused_table(grid)):
        if listing.rows:
            lines += ["", *headed(listing.title), *columns(listing)]
    return "\n".join(lines)


def _made(grid: RoundingGrid) -> tuple[str, ...]:
    """Say what was rounded, and how."""
    base = "; of base, a multiple of one number" if "base" in grid.methods() else ""
    of = "its region" if grid.representative == "midpoint" else "the values in its region"
    columns = f"{len(grid.columns)} columns" if len(grid.columns) > 1 else "one column"
    told = [
        f"{grid.rows} rows; {columns}, rounded one at a time: {', '.join(grid.columns)}.",
        f"A rounding point is the {grid.representative} of {of}{base}.",
    ]
    if grid.left_out:
        told.append(f"{grid.left_out} rows were left out for a missing number or class.")
    if grid.model == "tree":
        told.append(
            f"Decision trees predict {grid.target}, which is not rounded; cross-validated in"
            f" {grid.folds} parts."
        )
    if grid.model == "regression":
        told.append(
            f"Linear regressions predict {grid.target}, which is rounded, too, as in the paper:"
            " with every column treated alike, correlations are kept better. Cross-validated in"
            f" {grid.folds} parts."
        )
    return (*told, *grid.notes)


def _pictures(grid: RoundingGrid) -> Iterator[Html]:
    """Draw loss, risk and score, with the words a stranger needs above each."""
    level = LEVELS if grid.by_rule("classes") else ""
    drawn = (
        (family_picture(grid, "k"), f"{BY_K} {PER_MEASURE}"),
        (family_picture(grid, "c"), f"{BY_C}{level} {PER_MEASURE}"),
        (score_picture(grid), SCORES),
        (model_picture(grid), FOR_MODELS),
    )
    for shown, words in drawn:
        if shown is not None:
            yield heading(shown.scene.title)
            yield paragraph(words)
            yield picture(replace(shown.scene, title=""), shown.words)


def _tables(grid: RoundingGrid) -> Iterator[Html]:
    yield heading("Tables")
    for family in FAMILIES:
        yield _table(family_table(grid, family), f"; the star is the lowest score at this {family}")
    yield _table(models_table(grid))
    yield _table(refused_table(grid))


def _table(listing: Listing, more: str = "") -> Html:
    starred = any(cell.endswith(BEST) for row in listing.rows for cell in row)
    caption = f"{listing.title}{more if starred else ''}"
    return table(listing.head, listing.rows, caption=caption, words=listing.words)


def _explained(grid: RoundingGrid) -> Iterator[Html]:
    """Say what each measure and each method is."""
    yield heading("What was measured")
    yield items([f"{gauge.name}: {gauge.words}." for gauge in grid.gauges.values()])
    yield heading("The methods")
    rows = [
        (name, METHODS[name].promises, METHODS[name].leaves_open)
        for name in grid.methods()
        if name in METHODS
    ]
    caption = "What each method promises of one column, and what it leaves open"
    head = ("method", "promises", "leaves open")
    yield table(head, rows, caption=caption, words=(0, 1, 2))
