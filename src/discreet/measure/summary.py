"""What was measured, in sentences for somebody who must answer for the release.

Pure functions of numbers: they round, say what a number is to be compared with, and say no more
than was measured. An attack that fails is never called proof of anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from discreet.measure.attacks import Success
from discreet.measure.evaluate import Measured
from discreet.measure.models import Coefficients
from discreet.measure.pairs import Estimate
from discreet.methods import TABLE_METHODS

Section = tuple[str, tuple[str, ...]]

# Words of the house for the share of persons who are found; no law or standard sets them.
LEVELS = (
    (0.5, "high (half of the cases or more)"),
    (0.2, "considerable (20 to 50 of 100 cases)"),
    (0.05, "moderate (5 to 20 of 100 cases)"),
    (0.0, "low (fewer than 5 of 100 cases)"),
)
MUCH, SOME, LEAST = 0.05, 0.005, 0.0001  # of U, which is at most 0.25

NOT_PAIRED = "not compared one by one"
"""What a report says of rows that do not correspond, as those of a copy that was drawn anew."""
PARAMETERS = ("k", "q", "rounding", "representative", "encoding")


# What is found, of each attack that may be the worst, and among how many.
FINDS = {
    "linkage": "somebody who knows a person's true values finds that person's row",
    "far_linkage": "the row of a person who differs most from the others is found",
    "records": "a person's record appears in the released table almost unchanged",
    "near_5": "a released row lies very near the true values",
}
Worst = tuple[str, Success]
"""What the worst of further attacks is called, and how often it is right."""


def summary(
    measured: Measured, made: Mapping[str, Any], worst: Worst | None = None
) -> tuple[Section, ...]:
    """Return headings and sentences on a release, for readers who are no statisticians.

    Shares are rounded to whole cases in 100 (or in 1000, where rare), displacements to whole per
    cent. The sentences are about the attacks that were tried, and say so. The first is on the
    worst of them, that of further attacks, `worst`, included.
    """
    missing = _not_measured(measured.not_measured)
    sections = (
        ("In short", [_worst(measured, worst)]),
        ("How it was made", _made(made)),
        (
            "What somebody could learn about a person",
            _risks(measured, paired=made.get("rows") != NOT_PAIRED),
        ),
        ("What the table can be used for", _uses(measured)),
        ("What the table cannot be used for", _limits(measured, made)),
        ("What was not measured, or is not shown", missing),
    )
    return tuple((heading, tuple(sentences)) for heading, sentences in sections if sentences)


def _not_measured(reasons: Mapping[str, str]) -> list[str]:
    """Say what was not measured, and why: once of all that have one reason."""
    of_reason: dict[str, list[str]] = {}
    for key, why in reasons.items():
        of_reason.setdefault(why.rstrip("."), []).append(KEYS.get(key, key))
    return [
        f"{'; '.join([first, *map(_within_sentence, others)])}: {why}."
        for why, (first, *others) in of_reason.items()
    ]


def _within_sentence(words: str) -> str:
    """Return words that begin a sentence as they stand within one; U stays U."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def out_of(share: float) -> str:
    """Say a share in cases of 100, or of 1000 or 10,000 where it is rare.

    Examples
    --------
    >>> out_of(0.174), out_of(0.0011), out_of(0.00001), out_of(0.998), out_of(0.0), out_of(1.0)
    ('about 17 of 100', 'about 1 of 1000', 'fewer than 1 of 10,000', 'more than 99 of 100',
     'none', 'all')
    """
    if share in (0.0, 1.0):
        return "all" if share else "none"
    if share > 0.995:
        return "more than 99 of 100"
    for many, name in ((100, "100"), (1000, "1000"), (10_000, "10,000")):
        if round(share * many) >= 1:
            return f"about {round(share * many)} of {name}"
    return "fewer than 1 of 10,000"


def per_cent(share: float) -> str:
    """Say a share as a whole per cent.

    Examples
    --------
    >>> per_cent(0.107), per_cent(0.002), per_cent(0.0)
    ('about 11 %', 'less than 1 %', '0 %')
    """
    if 0 < share < 0.005:
        return "less than 1 %"
    return f"about {100 * share:.0f} %" if share else "0 %"


def listed(names: tuple[str, ...] | list[str]) -> str:
    """Join names as a sentence does."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _made(made: Mapping[str, Any]) -> list[str]:
    method = TABLE_METHODS.get(str(made.get("method")))
    if method is None:
        return []
    sentences = [method.sentence.format(**{name: made.get(name) for name in PARAMETERS})]
    sentences += [str(line) for line in made.get("prepared", ())]
    left_out = made.get("rows left out for missing values")
    if left_out:
        sentences.append(f"about {left_out} rows were left out, because a value is missing")
    if made.get("columns left out"):
        sentences.append(f"not released: {listed(list(made['columns left out']))}")
    return [f"{line[0].upper()}{line[1:]}." for line in sentences]


def _risks(measured: Measured, *, paired: bool) -> list[str]:
    risks, to = measured.risks, measured.rounded_to
    sentences: list[str] = []
    if "linkage" in risks:
        sentences += _linked(risks["linkage"], to)
    else:
        sentences.append(
            "The main risk, that somebody somebody who knows a person's true values finds that "
            "person's row, was NOT measured here: it needs the rows of both tables in the same "
            "order."
        )
    if "far_linkage" in risks:
        far = risks["far_linkage"]
        many = round(far.count)
        if 0 < many < far.trials:
            are_found = f"about {many} {'is' if many == 1 else 'are'}"
        elif to in (None, 1):
            are_found = "all are" if many else "none is"
        else:
            are_found = "nearly all are" if many else "hardly any is"
        sentences.append(
            f"Of the {far.trials} records that differ most from the others, {are_found} found"
            " in the same way."
        )
    if "records" in risks:
        stand = risks["records"]
        sentences.append(
            f"In {_cases(stand, to)} cases a released row is like a person's record in every "
            "column (numbers to a fiftieth of the usual spread); of rows that are no record, "
            f"but lies between two, {out_of(stand.baseline or 0)}."
        )
    if "near_5" in risks:
        sentences.append(_near(risks["near_5"], to, paired=paired))
    if "below_k" in risks:  # what rounding one column at a time costs
        few = risks["below_k"]
        sentences.append(
            "Columns were rounded one at a time, so the table is not k-anonymous:"
            f" {out_of(few.share)} are {few.what}."
            if few.count
            else f"There are no {few.what}, but this is not guaranteed."
        )
    return [*sentences, *_strata(measured, paired=paired)]


def _near(near: Estimate, to: int | None, *, paired: bool) -> str:
    """Say how many records have a released row very near them."""
    share, guess = _cases(near, to), near.baseline
    if not paired:
        return (
            f"{_of_records(share)} a released row very near them (within a twentieth of the "
            "usual spread, in every column). In a copy whose rows were drawn anew some are "
            "that near by chance: such a row is not that person's."
        )
    rows = {"all": "All released rows lie", "none": "No released row lies"}.get(
        share, f"{share[:1].upper()}{share[1:]} released rows lie"
    )
    chance = "" if guess is None else f"; by chance {out_of(guess)} would"
    return (
        f"{rows} so near the true values that these can be read off closely (within a twentieth of"
        f" the usual spread, in every column){chance}."
    )


def _of_records(share: str) -> str:
    """Begin a sentence on a share of the records."""
    words = {"all": "All records of the original have", "none": "No record of the original has"}
    return words.get(share, f"{share[:1].upper()}{share[1:]} records of the original have")


def rings(measured: Measured) -> bool:
    """Tell whether an attack finds so many that nobody should let the table pass unseen.

    Records that stand in the table beyond chance are few in a copy that repeats nobody; other
    attacks find some by what groups have in common. One that finds more hides no other.
    """
    return any(
        share >= (LEVELS[1][0] if key == "records" else LEVELS[0][0])
        for key, share in _finds(measured).items()
    )


def _finds(measured: Measured) -> dict[str, float]:
    """Return how much each attack finds; of two, what chance explains left out."""
    shares = {}
    for key in FINDS:
        it = measured.risks.get(key)
        if it is not None and it.low > (it.baseline or 0.0):
            chance = (it.baseline or 0.0) if key in ("records", "near_5") else 0.0
            shares[key] = round(it.share - chance, 9)  # 0.42 - 0.22 is 0.2, not less
    return shares


def _worst(measured: Measured, further: Worst | None) -> str:
    """Say how large the risk of the worst attack is."""
    key, share = max(_finds(measured).items(), key=lambda it: it[1], default=("", 0.0))
    if further is not None and (further[1].rings or further[1].gain > share):
        title, success = further
        loud = ", which is more than allowed" if success.rings else ""
        return (
            f"The risk of the worst attack that was tried ({title}) is"
            f" {_level(round(success.gain, 9))}: it is right in {success.figure},"
            f" in {out_of(round(success.gain, 9))} cases more than without the person's"
            f" record{loud}."
        )
    if not share:
        return (
            "No attack that was tried finds more than guessing would; that says nothing about "
            "others."
        )
    guess = measured.risks[key].baseline
    beyond = "" if guess is None else f"; guessing finds {out_of(guess)}"
    if key in ("records", "near_5") and guess is not None:
        beyond = f", besides those found by chance ({out_of(guess)})"
    return (
        f"The risk of the worst attack that was tried is {_level(share)}: {FINDS[key]}, in"
        f" {out_of(share)} cases{beyond}."
    )


def _level(share: float) -> str:
    return next(name for least, name in LEVELS if share >= least)


def _cases(risk: Estimate, to: int | None) -> str:
    """Say a share in cases; of a rounded count, none and all are told as what they may hide."""
    if to in (None, 1) or 0 < risk.count < risk.trials:
        return out_of(risk.share)
    bound = out_of(min(1.0, to / risk.trials)).removeprefix("about ")
    return f"fewer than {bound}" if risk.count == 0 else f"all but fewer than {bound}"


def _linked(risk: Estimate, to: int | None) -> tuple[str, str]:
    """Say how often people are found, and how large that risk is by itself and beside guessing."""
    share = _cases(risk, to)
    times = {"all": "in every case", "none": "in no case"}.get(share, f"in {share} cases")
    guess, beside, who = "", "", ""
    if risk.baseline is not None:
        chance = out_of(risk.baseline)
        chance = {"all": "always", "none": "never"}.get(chance, f"in {chance}")
        guess = f"; guessing would find it {chance}"
    level = _level(risk.share)
    if risk.baseline and risk.low > risk.baseline:
        more = risk.share / risk.baseline
        often = (
            f"about {float(f'{more:.2g}'):.0f} times" if more >= 1.5 else "little more than once"
        )
        beside = f": the row is found {often} as often as by guessing"
    elif risk.baseline and risk.share >= LEVELS[1][0]:
        beside = "; guessing alone would find about as many"
    elif risk.baseline:
        beside = (
            "; it cannot be distinguished from guessing, which says nothing about other attacks"
        )
    if level.startswith("high"):
        who = " Assume that anybody known by these values can be found."
    return (
        f"Somebody who knows a person's true values finds that person's row {times}{guess}.",
        f"The risk of this attack is {level}{beside}.{who}",
    )


def _strata(measured: Measured, *, paired: bool) -> list[str]:
    """Say what the combinations of the strata, and the sensitive column within them, give away."""
    sentences = []
    names, sensitive = listed(measured.strata), measured.sensitive
    if measured.k == 1 and not paired:
        sentences.append(
            f"Some released row is the only one with its combination of {names}. In a copy "
            "whose rows were drawn anew that is not a person: combinations arise by chance. In "
            "a table whose rows were kept, in another order, it is one person's row."
        )
    elif measured.k == 1:
        sentences.append(
            f"Some row is the only one with its combination of {names}: somebody who knows "
            "these about a person knows which row is that person's."
        )
    elif measured.k is not None:
        sentences.append(
            f"{'Every combination' if len(measured.strata) > 1 else 'Every level'} of {names} that"
            f" occurs is shared by at least {measured.k} rows."
        )
    given = measured.risks.get("attribute_disclosure")
    if given is not None and given.count and not paired:
        sentences.append(
            f"For {out_of(given.share)} released rows, all released rows of the same {names} "
            f"have the same {sensitive}. How certain it is that people in the original have it "
            "depends on how near the released table is."
        )
    elif given is not None and given.count:
        sentences.append(
            f"For {out_of(given.share)} rows, all rows of the same {names} have the same "
            f"{sensitive}: somebody who knows the one knows the other."
        )
    elif given is not None and measured.l is not None:
        sentences.append(
            f"No combination of {names} gives {sensitive} away with certainty: each has at least"
            f" {measured.l} different values of it. One of them may still be likely."
        )
    return sentences


def _uses(measured: Measured) -> list[str]:
    sentences = []
    if measured.displacement:
        moved = [
            f"{per_cent(math.sqrt(value))} in {name}"
            for name, value in measured.displacement.items()
        ]
        sentences.append(
            f"Values typically moved by this much of their column's usual spread: {listed(moved)}."
        )
    if measured.u is not None:
        how = (
            "easily" if measured.u >= MUCH else "to some degree" if measured.u >= SOME else "hardly"
        )
        u = f"= {measured.u:.2g}" if measured.u >= LEAST else f"is below {LEAST:g}"
        sentences.append(
            f"A model that tries to tell released rows from original ones can {how} do so (U "
            f"{u}; 0 is not at all, 0.25 without fail). It only looks at averages."
        )
    kept = measured.preservation
    changed = [] if kept is None else [n for n, by in kept.spreads.items() if abs(by - 1) > 0.1]
    if changed:
        sentences.append(f"The spread of {listed(changed)} changed by more than a tenth.")
    if kept is not None and kept.correlations:
        most = f"by {kept.correlation:.2f} at most"
        how = f"changed {most}" if kept.correlation >= 0.01 else "hardly changed"
        sentences.append(f"The correlations of columns {how}.")
    if measured.model is not None:
        sentences.append(_model(measured.model, measured.rounded_to is not None))
    return sentences


def _model(model: Coefficients, hidden: bool) -> str:
    """Say how far coefficients moved; rounding, where there was some, may hide a tenth."""
    pairs = zip(model.terms, model.difference, strict=True)
    known = [(str(term), float(d)) for term, d in pairs if math.isfinite(d)]
    far = [term for term, d in known if d > 1]
    most = max((d for _, d in known), default=0.0)
    if far:
        return (
            f"The regression {model.formula} gives other answers for {listed(far)}: they differ by"
            " more than the original estimate's own uncertainty (one standard error)."
        )
    bound = max(1, math.ceil(round(10 * most, 6) + hidden)) / 10
    return (
        f"In the regression {model.formula} no coefficient moved by more than {bound:.1f} of "
        "its own uncertainty (standard error). Other regressions may do worse."
    )


def _limits(measured: Measured, made: Mapping[str, Any]) -> list[str]:
    sentences = ["Looking somebody up: do not quote any value as a person's."]
    if made.get("method"):
        sentences.append(
            "Smallest and largest values, small groups, and rare cases: these are changed most, "
            "some on purpose."
        )
    sentences.append(
        "Relations with columns that were not released with these, or that are linked by row "
        "from elsewhere."
    )
    method = TABLE_METHODS.get(str(made.get("method")))
    if method is not None and method.averages:
        sentences.append(
            "Standard errors and tests taken at face value: similar rows were averaged, so "
            "results look more certain than they are."
        )
    if any(value >= 1 for value in measured.displacement.values()):
        names = [name for name, value in measured.displacement.items() if value >= 1]
        sentences.append(f"Single values of {listed(names)}: they moved by more than their spread.")
    return sentences


KEYS = {
    "linkage": "How many people are found by their true values",
    "far_linkage": "Whether those who differ most from the others are found",
    "records": "How many records appear in the released table",
    "near_1": "How many rows lie very near the true values",
    "near_5": "How many rows lie near the true values",
    "interval": "How many values lie in an interval around the true one",
    "rmd1": "The robust distance risk (risk1)",
    "rmd2": "The robust distance risk (risk2)",
    "rmd_columns": "The robust distance risks of some columns",
    "attribute_disclosure": "What the strata reveal about the sensitive column",
    "sensitive": "How varied the sensitive column is within the strata",
    "propensity": "Whether a model can tell the tables apart",
    "scores": "The propensity scores",
    "displacement": "How far values moved",
    "preservation": "Whether means, spreads and correlations stayed",
    "grid": "The robust distance risks for several widths",
    "model": "Whether the regression gives the same answer",
}


# --- what must not be claimed ------------------------------------------------------------------

EVERYWHERE = (
    "that the table is anonymous, or outside data protection law: what was measured are attacks"
    " that were tried, on these columns",
    "that nothing can be disclosed by it",
    "differential privacy: it was not measured, and no method of discreet provides it",
    "safety together with another release of the same data, by another setting or after a "
    "change of the data: two releases can reveal records that one does not",
    "that a larger k, more noise or more rows alone would be safe",
)


def claims_of(method: str | None) -> tuple[str, ...]:
    """Return what must not be claimed of a release by a method; of an unknown one, by any."""
    kind = TABLE_METHODS.get(method or "")
    of_method = () if kind is None else kind.not_claimed
    return (*of_method, *EVERYWHERE)
