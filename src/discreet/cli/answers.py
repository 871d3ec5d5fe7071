"""`discreet ask`, `answer` and `answers`: questions to the data, and what became of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from discreet.cli.command import command
from discreet.cli.common import (
    DerivedOptions,
    File,
    JsonOption,
    WholeOptions,
    print_words,
    progress_shown,
    show,
)
from discreet.cli.complete import column_names
from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    from discreet.explore import Study
    from discreet.explore.questions import Questions

QUESTIONS = Path("questions.json")
SHARED = ("by", "bins", "grid", "event_is")


@command(
    "explore.study:Study.ask",
    "explore.study:Study.model",
    "explore.study:Study.means",
    "plots.histogram:HistogramPlot",
)
def ask(
    kind: Annotated[str, Argument(metavar="FIGURE", help="Which figure: a plot, means or model.")],
    file: Annotated[str, Argument(metavar="STUDY.discreet", help="The study file.")],
    columns: Annotated[
        list[str],
        Argument(
            help="Its columns; of means the number and then the levels; of a model the formula.",
            autocompletion=column_names,
        ),
    ],
    derived: DerivedOptions,
    by: Annotated[
        list[str] | None,
        Option(help="A column whose levels divide it. Repeatable.", autocompletion=column_names),
    ] = None,
    bins: int | None = None,
    grid: Annotated[int | None, Option(help="Cells along each side of a heat map.")] = None,
    event_is: list[str] | None = None,
    family: str | None = None,
    weights: str | None = None,
    per: str | None = None,
    holds: str = "",
    output: Path = QUESTIONS,
    as_json: JsonOption = False,
) -> None:
    """Put a question to the data on a list, which the custodian answers.

    A figure of the study file is asked for from the data. Nothing is looked at but the file.

    discreet ask bars cohort.discreet sex --by smoker
    discreet ask histogram cohort.discreet age --bins 12 --where "sex == 'F'"
    discreet ask means cohort.discreet bmi smoker sex -o questions.json
    discreet ask means cohort.discreet died sex --per years
    discreet ask model cohort.discreet "bmi ~ age + smoker"
    discreet ask model cohort.discreet "died ~ age" --family logistic --holds "age > 0"
    discreet ask model cohort.discreet "visits ~ age" --family poisson --weights weight

    Parameters
    ----------
    output
        The list, a .json file; a question is added to one that is there.
    """
    from discreet.explore.questions import KINDS
    from discreet.opening import open as open_study

    kind = kind.replace("-", "_")
    if kind not in KINDS:
        raise InputError(f"the data cannot be asked for {kind!r}; there are {one_of(KINDS)}")
    given: dict[str, Any] = {"by": by, "bins": bins, "grid": grid, "event_is": event_is}
    given |= {"family": family, "weights": weights, "per": per}
    opened = open_study(file)
    try:
        part = derived.of(opened)
        part.ask(_figure(part, kind, columns, given), holds=holds)
        listed = _with_those_in(output, part.questions)
        listed.save(output)
    finally:
        opened.close()
    show(listed.to_json() if as_json else f"{output}\n{listed!r}", as_json=as_json)


def _with_those_in(path: Path, questions: Questions) -> Questions:
    """Return questions, after those that stand in a file, if there is one."""
    if not path.exists():
        return questions
    listed = questions.load(path)
    if (listed.study, listed.version) != (questions.study, questions.version):
        raise InputError(
            f"{path} is a list of questions on {listed.study}, version {listed.version}, and not on"
            " this file; name another list by -o"
        )
    for question in questions:
        listed.add(question)
    return listed


def _figure(study: Study, kind: str, columns: Sequence[str], given: dict[str, Any]) -> Any:
    """Return the figure of the copy that is asked for; refuse options that it has not."""
    from discreet.plots import PLOTS

    known = {"means": ("per",), "model": ("family", "event_is", "weights")}.get(kind, SHARED)
    settings = {name: it for name, it in given.items() if it is not None}
    for name in settings:
        if name not in known or (kind in PLOTS and name not in PLOTS[kind].settings()):
            raise InputError(f"{kind} has no --{name.replace('_', '-')}; leave it out")
    if kind == "model":
        if len(columns) != 1:
            raise InputError("a model takes one formula, in quotes: 'bmi ~ age + smoker'")
        return study.model(columns[0], **settings)
    if kind == "means":
        value, *levels = columns
        if not levels:
            raise InputError("means takes a number and one or two columns of levels: bmi sex")
        return study.means(value, levels, **settings)
    if "by" in settings:
        settings["by"] = settings["by"][0] if len(settings["by"]) == 1 else settings["by"]
    return getattr(study, kind)(*columns, **settings)


@command("custodian.answering:answer")
def answer(
    file: File,
    questions: Annotated[Path, Argument(help="The list that `discreet ask` wrote.")],
    copy: WholeOptions,
    *,
    study: Path,
    output: Path | None = None,
    who: str = "",
    dry_run: bool = False,
    pairs: int = 0,
    as_json: JsonOption = False,
) -> None:
    """Answer questions from the data, into the next revision of the study file.

    discreet answer cohort.csv questions.json --study cohort.discreet --dry-run
    discreet answer cohort.csv questions.json --study cohort.discreet -o cohort.discreet

    Parameters
    ----------
    output
        Where the revision is written; by default in place of the study file.
    """
    from discreet.custodian.answering import answer as answer_questions

    with progress_shown():
        made = answer_questions(
            file,
            questions,
            study=study,
            to=output,
            policy=copy.rules(),
            who=who,
            dry_run=dry_run,
            pairs=pairs,
        )
    show(json.dumps(made.to_plain()) if as_json else repr(made), as_json=as_json)
    if dry_run and not as_json:
        for it in made.outcomes:
            if it.answer is not None:
                print_words(f"\n{it.answer!r}")


@command()
def answers(
    file: Annotated[str, Argument(metavar="STUDY.discreet", help="The study file.")],
    id_: Annotated[
        str | None, Argument(metavar="ID", help="Of which question; all where none.")
    ] = None,
    output: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """List the answers from the data that a study file has, or print and save one.

    discreet answers cohort.discreet
    discreet answers cohort.discreet 270eaf7e19 -o model.html

    Parameters
    ----------
    output
        Where to save it: .html, .csv, .tex, .xlsx, .dta, .sav, .txt, .json; or .png, .svg, .pdf for
        the plot.
    """
    from discreet.opening import open as open_study
    from discreet.render.to_matplotlib import FIGURES

    opened = open_study(file)
    try:
        found = opened.answers
        if id_ is None:
            if output is not None:
                raise InputError("say which answer to save: discreet answers STUDY.discreet ID -o")
            plain = [it.to_plain() for it in found.values()]
            show(json.dumps(plain) if as_json else repr(found), as_json=as_json)
            return
        one = found[id_]
        if output is not None:
            of = one.view if one.view is not None and output.suffix in FIGURES else one.table
            if of is None:
                raise InputError("a verdict has no figures to save")
            of.save(output)
        show(json.dumps(one.to_plain()) if as_json else repr(one), as_json=as_json)
    finally:
        opened.close()
