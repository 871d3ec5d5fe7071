"""What a policy says in plain words: a sentence for each field that holds, with the field's name.

No sentence names a level or a value of a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import tomli_w

from discreet.policy.policy import Policy, plain

__all__ = ["Sentence", "words"]

Said = tuple[str, str]
"""What is said first, and the rest of the sentence."""


@dataclass(frozen=True)
class Sentence:
    """What one field of a policy says: `lead` comes first, and `rest` follows it.

    `setting` is how the file says it; the field's name alone where that is long.
    """

    field: str
    setting: str
    lead: str
    rest: str

    @property
    def words(self) -> str:
        """The whole sentence."""
        return self.lead + self.rest


def words(policy: Policy) -> list[Sentence]:
    """Return a sentence for each field of a policy that holds, the most important first.

    Those that hold are all that the policy sets, and those that protect whether set or not.

    Examples
    --------
    >>> from discreet import Policy
    >>> from discreet.policy.words import words
    >>> first = words(Policy.preset("standard"))[0]
    >>> first.words, first.setting
    ('At least 5 persons stand behind every bar, cell, band and point.', 'k = 5')
    """
    usual = Policy()
    return [
        Sentence(name, _setting(policy, name), *say(policy))
        for name, say in SENTENCES.items()
        if _always(policy, name) or getattr(policy, name) != getattr(usual, name)
    ]


def _always(policy: Policy, name: str) -> bool:
    """Whether a field is spoken of even where it holds what is usual."""
    if name in ("m", "copy"):
        return policy.fixed
    if name == "q":
        return policy.noise(policy.rows_by) > 0
    return name in ALWAYS


def _setting(policy: Policy, name: str) -> str:
    """Return a field as the file has it, in a line; its name where that is too long."""
    value = policy.in_force(name)
    if value is None or not isinstance(value, str | int | float):
        return name
    return tomli_w.dumps({name: plain(value)}).strip()


def _listed(names: Iterable[str]) -> str:
    """Return names as they are read: "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _columns(of: Iterable[str] | None) -> str:
    return _listed(of) if of else "no column"


def _k(policy: Policy) -> Said:
    return f"At least {policy.k} persons", " stand behind every bar, cell, band and point."


def _round_to(policy: Policy) -> Said:
    if policy.round_to == 1:
        return "Counts are not rounded.", " Several pictures together may give hidden counts back."
    least = "" if policy.shows_exact else f"; a count below {policy.k} is not shown"
    return f"Counts are rounded to {policy.round_to}", f"{least}."


def _regime(policy: Policy) -> Said:
    if policy.fixed:
        return "All that is released fits together.", (
            " Methods and numbers are the policy's, so that two pictures say no more than either."
        )
    return "Each picture is protected by itself", (
        ", by the papers' methods as printed: for public or simulated data alone."
    )


def _public(policy: Policy) -> Said:
    if policy.public:
        return "The data are public:", " what is released is compared with nothing before it."
    return "The data are not public:", " what is released is recorded, and compared."


def _rows(policy: Policy) -> Said:
    if policy.fixed:
        return "One protected copy of the whole table", (
            " is made; pictures of it are of any columns together."
        )
    return "Rows are protected picture by picture", f", by {policy.rows_by}."


def _m(policy: Policy) -> Said:
    return "Rows of the copy are drawn anew", (
        f" from at least {policy.members} persons who are alike."
    )


def _left_out(policy: Policy) -> Said:
    low, high = (f"{100 * share:g}" for share in (policy.left_out / 2, policy.left_out))
    return "Some persons are left out of the copy", f": {low} to {high} in 100, by the secret."


def _q(policy: Policy) -> Said:
    noise = policy.noise(policy.rows_by)
    return "Numbers are blurred", f" by noise of {noise:g} of a column's standard deviation."


def _strata(policy: Policy) -> Said:
    if not policy.strata:
        return "No column", " divides released tables."
    return f"Within the levels of {_listed(policy.strata)}", " the rows of tables are protected."


def _tables(policy: Policy) -> Said:
    if not policy.tables:
        return "No cross-table", " is counted into the copy."
    pairs = "; ".join(" by ".join(pair) for pair in policy.tables)
    return "Counted into the copy, with noise,", f" are the cross-tables {pairs}."


def _roles(policy: Policy) -> Said:
    said = [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {what}"
        for role, what in (("sensitive", "sensitive"), ("identifier", "never shown"))
        if (names := [name for name, it in policy.roles.items() if it == role])
    ]
    others = [name for name, it in policy.roles.items() if it not in ("sensitive", "identifier")]
    if others:
        said.append(f"{_listed(others)} have the role that the file names")
    return "What columns tell:", f" {'; '.join(said) or 'no role is named'}."


def _diversity(policy: Policy) -> Said:
    return f"At least {policy.diversity} different values", (
        " of a sensitive column lie in each part that is shown beside it."
        if policy.diversity > 1
        else " of a sensitive column are asked of no table."
    )


def _unit(policy: Policy) -> Said:
    if isinstance(policy.unit, str):
        return f"{policy.unit} says whose a row is:", " persons are counted, and not rows."
    return "A row is a person", "; no column says whose it is."


def _key(policy: Policy) -> Said:
    if policy.key is None:
        return "Rows are recognised", " by all that they hold."
    return f"{policy.key} recognises a row", ", and the noise hangs on it."


def _study(policy: Policy) -> Said:
    name = f"“{policy.study}”" if policy.study else "that of its file"
    return f"The study's name is {name}:", " tokens and the register know it so."


def _bins(policy: Policy) -> Said:
    return f"A histogram has {policy.bins} bars", " where no ends are declared."


def _outside(policy: Policy) -> Said:
    how = {"keep": "stay there", "reflect": "are mirrored back", "clip": "are set to the end"}
    return "Protected values beyond a column's bounds", f" {how[policy.outside]}."


def _missing(policy: Policy) -> Said:
    if policy.missing == "complete":
        return "Rows without a number", " are left out of released tables."
    return "A missing number", f" is filled with the {policy.missing} of its column."


def _missing_levels(policy: Policy) -> Said:
    how = {
        "complete": "are left out of released tables",
        "level": "get a level of their own",
        "drawn": "get a level that is drawn by chance",
    }
    return "Rows without a level", f" {how[policy.missing_levels]}."


def _copy(policy: Policy) -> Said:
    if policy.copy == "browser":
        return "The copy's rows go to the analysts' browsers", ", to be explored there."
    return "The copy's rows stay on the server", ", which answers with numbers drawn from them."


SENTENCES: Mapping[str, Callable[[Policy], Said]] = MappingProxyType(
    {
        "k": _k,
        "round_to": _round_to,
        "regime": _regime,
        "public": _public,
        "rows": _rows,
        "m": _m,
        "left_out": _left_out,
        "q": _q,
        "strata": _strata,
        "copy": _copy,
        "copy_rows": lambda it: (
            f"A copy of more than {it.copy_rows:,} rows",
            " stays on the server.",
        ),
        "copy_bytes": lambda it: (
            f"A copy of more than {it.copy_bytes:,} bytes",
            " stays on the server.",
        ),
        "private_files": lambda it: (
            (
                "Values may be kept",
                " in a private file of the custodian's, so that text is read once.",
            )
            if it.private_files
            else ("No further file of the values", " is kept: text is read for each picture.")
        ),
        "roles": _roles,
        "diversity": _diversity,
        "versions": lambda it: (
            f"At most {min(it.versions, 4)} copies",
            " of the same persons may be released: together they tell who came and went.",
        ),
        "bins": _bins,
        "grid": lambda it: (f"A map has {it.grid} × {it.grid} cells", " to begin with."),
        "pixels": lambda it: (f"Parallel axes have {it.pixels} steps", ", finer than a bar."),
        "tables": _tables,
        "limits": lambda it: ("The ends of axes are public", f" of {_columns(it.limits)}."),
        "edges": lambda it: ("The ends of bars are declared", f" of {_columns(it.edges)}."),
        "bounds": lambda it: ("Values lie within bounds", f" of {_columns(it.bounds)}."),
        "outside": _outside,
        "residual_df": lambda it: (
            f"A model leaves at least {it.residual_df} degrees of freedom",
            ": it has fewer terms than persons by as many.",
        ),
        "metric": lambda it: (f"The {it.metric} distance", " says which rows are near each other."),
        "ties": lambda it: (
            "Equally near rows come in an order",
            " that the secret keys." if it.ties == "keyed" else " that R's search tree has.",
        ),
        "rounding": lambda it: (f"Points of shared rows are found by {it.rounding}", "."),
        "c": lambda it: (
            ("A column has as many regions", " as its method finds.")
            if it.c is None
            else (f"A column is parted into {it.c} regions", ".")
        ),
        "far_noise": lambda it: (
            "Noise is even" if it.far_noise == "even" else "Noise grows with the distance",
            " for far and near rows." if it.far_noise == "even" else " to the nearest rows.",
        ),
        "missing": _missing,
        "missing_values": lambda it: (
            "Some numbers stand for a missing value",
            f" in {_columns(it.missing_values)}.",
        ),
        "dates": lambda it: ("How dates are written", f" is declared of {_columns(it.dates)}."),
        "missing_levels": _missing_levels,
        "hierarchies": lambda it: (
            "Small parts are joined by coarser names",
            f" of {_columns(it.hierarchies)}.",
        ),
        "ordered": lambda it: ("Levels have an order", f" in {_columns(it.ordered)}."),
        "most_suppressed": lambda it: (
            f"At most {_percent(it.most_suppressed)} of the persons",
            " are left out because their part stays small.",
        ),
        "closeness": lambda it: (
            f"By at most {_percent(it.closeness)}",
            " a part's sensitive values may be other than everybody's.",
        ),
        "kinds": lambda it: ("Numbers or levels", f" is declared of {_columns(it.kinds)}."),
        "derive": lambda it: (
            "New columns are made of the copy's",
            f", for everybody: {_columns(it.derive)}.",
        ),
        "labels": lambda it: ("Pictures have longer names", f" for {_columns(it.labels)}."),
        "withhold": lambda it: (
            "Some columns of the copy are not used",
            f", as it is too far off in them: {_columns(it.withhold)}.",
        ),
        "unit": _unit,
        "key": _key,
        "study": _study,
        "name": lambda it: (f"The policy is called “{it.name}”", ", and pictures say so."),
    }
)
"""What each field says, in the order in which it is read."""

ALWAYS = frozenset(
    {"k", "round_to", "regime", "rows", "versions"} | {"bins", "grid", "residual_df", "name"}
)
"""Fields that protect, or that somebody reads of in pictures, whether they are set or not."""
