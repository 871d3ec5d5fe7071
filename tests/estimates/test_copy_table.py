"""A table of figures as text, page, CSV, LaTeX and JSON, and what asks before it is released."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError, RefusedError
from discreet.estimates.copy_table import SUFFIXES, Line
from discreet.estimates.figures import OF_INTERVAL, Figure, Group
from discreet.lines import WORKBOOKS
from discreet.measure import CopyTable
from discreet.render.scene import Intervals

NASTY = 'R&D_50% <5 {a} $x$ #1 ~^ [b] \\ "q" | \x1b[31m'
TABLE = CopyTable(
    "summary",
    f"Summary of {NASTY}",
    ("column", "figure"),
    ("1", "(missing)", "all"),
    (
        Line("", "rows of the copy", ("3 (75.0 %)", "1 (25.0 %)", "4")),
        Line("[age", "mean (sd)", ("40.5 (10.0)", "–", "41.2 (9.7)")),
        Line("ward", NASTY, ("1 (33.3 %)", "0 (0 %)", "1 (25.0 %)")),
    ),
    ("of 4 rows & more_or_less",),
    (
        Figure("age", None, (("sex", "1"),), "mean", 40.5),
        Figure("age", None, (("sex", None),), "sd", None),
    ),
)


def means(by: dict[Group, tuple[float, float, float] | None]) -> CopyTable:
    """Return a table of means with intervals of some groups of rows."""
    found = [
        Figure("bmi", None, group, name, value)
        for group, ends in by.items()
        for name, value in zip(OF_INTERVAL, ends or (None, None, None), strict=True)
    ]
    return CopyTable("means", "Means", ("sex", "sex"), ("mean",), (), ("a note",), tuple(found))


F, M = (("sex", "f"),), (("sex", "m"),)
MEANS = means({F: (20.0, 21.0, 22.0), M: (23.0, 25.0, 27.0), (): (21.0, 22.0, 23.0)})


def test_on_a_page_what_is_not_reliable_is_said_first_and_shown_grey() -> None:
    few = "not reliable: differences in bmi by sex may be off by up to 2.5"
    others = "differences in age by sex may be off by up to 1"
    page = replace(MEANS, notes=(few,)).to_html()
    assert page.count('<div class="greyed">') == 2  # the table, and the plot
    said = page.index('<p class="unreliable">Not reliable: differences in bmi by sex')
    assert page.index("<h1>") < said < page.index('<div class="greyed">')
    some = replace(MEANS, notes=(few, others)).to_html()
    assert '<p class="unreliable">' in some
    assert '<div class="greyed">' not in some
    assert '<p class="unreliable">' not in replace(MEANS, notes=(others,)).to_html()


def test_text_of_many_columns_goes_on_below_and_is_never_wider_than_a_screen() -> None:
    long = "a very long name of a level of some column that nobody has shortened"
    wide = replace(
        TABLE,
        head=tuple(f"{long} {i}" for i in range(14)),
        lines=(Line(long, long, tuple(f"{i},000 (33.3 %)" for i in range(14))),),
    )
    text = wide.to_text()
    assert max(map(len, text.splitlines())) <= 88
    assert all(f"{i},000 (33.3 %)" in text for i in range(14))
    assert "\x1b" not in TABLE.to_text()


def test_as_a_page_names_are_no_markup() -> None:
    for html in (TABLE.to_html(), TABLE._repr_html_()):
        assert "R&amp;D_50% &lt;5" in html
        assert "R&D" not in html
        assert '<span class="section">[age</span>' in html
        assert '<span class="part">mean (sd)</span>' in html
        assert '<th scope="row">rows of the copy</th>' in html


def test_as_latex_names_are_no_commands() -> None:
    latex = TABLE.to_latex()

    assert latex == (
        "\\begin{table}\n"
        f"\\caption{{Summary of {TEX}}}\n"
        "\\begin{tabular}{lrrr}\n"
        "\\toprule\n"
        "{} & 1 & (missing) & all \\\\\n"
        "\\midrule\n"
        "{rows of the copy} & 3 (75.0 \\%) & 1 (25.0 \\%) & 4 \\\\\n"
        "{[age} &  &  &  \\\\\n"
        "{\\quad mean (sd)} & 40.5 (10.0) & – & 41.2 (9.7) \\\\\n"
        "{ward} &  &  &  \\\\\n"
        f"{{\\quad {TEX}}} & 1 (33.3 \\%) & 0 (0 \\%) & 1 (25.0 \\%) \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\par\\smallskip\\footnotesize of 4 rows \\& more\\_or\\_less\n"
        "\\end{table}\n"
    )


TEX = (
    "R\\&D\\_50\\% \\textless{}5 \\{a\\} \\$x\\$ \\#1 \\textasciitilde{}\\textasciicircum{} [b]"
    ' \\textbackslash{} "q" \\textbar{} [31m'
)


def test_json_and_pickles_give_it_back_without_a_gate() -> None:
    gated = replace(TABLE, gate=lambda form: None)
    for back in (CopyTable.from_json(gated.to_json()), pickle.loads(pickle.dumps(gated))):
        assert back == TABLE
        assert back.gate is None


@pytest.mark.parametrize(
    "text", ["", "[]", '{"discreet": 2}', TABLE.to_json().replace('"summary"', '"View"')]
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not the JSON of a table of discreet"):
        CopyTable.from_json(text)


def test_a_figure_asks_before_it_is_written(tmp_path: Path) -> None:
    def refuse(form: str) -> None:
        raise RefusedError(f"not as {form}")

    gated = replace(MEANS, gate=refuse)
    for release, form in (
        (lambda: gated.plot().savefig(tmp_path / "t.png"), "figure"),
        (lambda: gated.save(tmp_path / "t.svg"), "svg"),
        (gated.to_latex, "latex"),
        (gated.to_csv, "csv"),
    ):
        with pytest.raises(RefusedError, match=f"not as {form}"):
            release()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("suffix", [it for it in SUFFIXES if it not in WORKBOOKS])
def test_a_file_holds_what_its_ending_says(suffix: str, tmp_path: Path) -> None:
    begins = {".html": "<!DOCTYPE html>", ".csv": "column,", ".tex": r"\begin", ".json": "{"}
    saved = TABLE.save(tmp_path / f"table{suffix}")
    assert saved.read_text().startswith(begins.get(suffix, "Summary of R&D"))


def test_means_are_drawn_as_dots_with_intervals() -> None:
    (panel,) = MEANS.scene().panels
    assert panel.marks == (Intervals((((20, 21, 22), (23, 25, 27), (21, 22, 23)),), ("",)),)
    assert (panel.x.label, panel.y.label) == ("mean of bmi, with its 95 % interval", "sex")
    assert panel.y.ticks == ("f", "m", "all")
    assert MEANS.scene().notes == ("a note",)


def test_a_plot_is_drawn_for_a_journal(tmp_path: Path) -> None:
    text = MEANS.save(tmp_path / "m.svg", title="Figure 2", width=85, footnote=False).read_text(
        "utf-8"
    )
    assert 'width="240.94' in text
    assert ">Figure 2<" in text
    about, _, drawn = text.partition("</metadata>")
    assert ("a note" in about, "a note" in drawn) == (True, False)
    wide = MEANS.save(tmp_path / "n.svg", width=200).read_text("utf-8")
    assert 'width="566.9' in wide
    assert "a note" in wide


JOURNAL: dict[str, tuple[str, dict[str, Any], str]] = {
    "a title of cells": ("a.csv", {"title": "x"}, "a .csv file is saved without them"),
    "notes of a page": ("a.html", {"footnote": False}, "title, width, dpi and footnote are for"),
    "too narrow": ("a.png", {"width": 30}, "width must be from 39 mm"),
}


@pytest.mark.parametrize(("name", "how", "message"), JOURNAL.values(), ids=JOURNAL)
def test_what_a_file_has_not_is_refused_before_the_gate(
    name: str, how: dict[str, Any], message: str, tmp_path: Path
) -> None:
    asked: list[str] = []
    with pytest.raises(InputError, match=message):
        replace(MEANS, gate=asked.append).save(tmp_path / name, **how)
    assert not asked
    assert not [*tmp_path.iterdir()]
