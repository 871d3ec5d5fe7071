"""The Policy: what the custodian allows, what each field may hold, and how it reads and writes."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from discreet.arguments import LONGEST_LABEL
from discreet.columns import KINDS, ROLES
from discreet.errors import InputError, RefusedError, one_of, path_in_words
from discreet.methods import Whole
from discreet.methods.base import RowMethod
from discreet.methods.copies import LEFT_OUT, MEMBERS_PER_K
from discreet.plots.plot import Edges, How, Limits
from discreet.policy.fields import (
    BOUNDS,
    DIFFERENT,
    EXPRESSIONS,
    FORMS,
    LEVELS,
    LIMITS,
    NAME,
    NAMES,
    PAIRS,
    YES_NO,
    Field,
    Rule,
    check_fields,
    column_words,
    documented,
    fields_of,
    from_keys,
    number,
    optional,
    plain,
    setting,
    texts,
    whole,
    word,
)
from discreet.policy.paper_settings import PAPER_FIELDS, PaperSettings
from discreet.use import LONGEST_AUDIENCE, Use, is_audience, is_day

STANDARD = "standard"
PRESETS = (STANDARD, "datashield", "sacro", "opensafely", "research")
LEAST_GUARDED_K = 3
LEAST_GUARDED_DF = 10
NOISE_PER_K, NUMBERS_PER_VARIANCE = 4, 0.05
"""The noise of answers hides so many times k people; and so many numbers about one person, times
its variance, raise an attack on the copy by .03 at the most (docs/ask.md)."""
OF_TABLE = ("kinds", "roles", "unit", "key")
"""Fields by which a table is opened: it says to a copy's digest which columns there are, and what
they hold, whether that was declared or seen."""
NONE: Mapping[str, Any] = MappingProxyType({})
NO_PAPERS = PaperSettings()

LABELS = texts(
    "a table of columns, each with the text that is drawn in place of its name, of at most"
    f" {LONGEST_LABEL} letters",
    LONGEST_LABEL,
)
AUDIENCE = Rule("str", f"a line of at most {LONGEST_AUDIENCE} letters", is_audience)
DAY = Rule(
    "str", "a day, written as 2027-12-31", is_day, lambda v: v.isoformat() if type(v) is date else v
)
UNIT = Rule(
    "str or bool",
    "a name, or false: a row is a person",
    lambda v: v is None or v is False or NAME.holds(v),
)
PAPERS = Rule(
    "PaperSettings",
    "a table of the papers' settings",
    lambda v: v is None or isinstance(v, PaperSettings),
    lambda v: (
        from_keys(PaperSettings, v, "the table papers of the policy")
        if isinstance(v, Mapping)
        else v
    ),
)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the custodian allows.

    It is guarded: one protected copy a study version, by one k, fixed when the study is opened.
    Only a policy with `papers` is not: it has the papers' methods run as printed, view by view.

    Parameters
    ----------
    folder, file : Path, optional
        Where the policy file lies, and the file as it was named; not part of the policy's value.

    Examples
    --------
    >>> from discreet import Policy
    >>> Policy.preset("standard", k=10).k
    10
    >>> Policy.from_dict({"k": 10, "label": {"bmi": "Body mass index"}})
    Traceback (most recent call last):
    discreet.errors.InputError: the policy has no key 'label'; did you mean 'labels'?
    """

    k: int = setting(
        whole(1, 10**6),
        5,
        "The least number of people behind a level, a missing value and a value of the copy, at "
        "least 3; with the papers' methods, behind anything drawn.",
        "copy",
        option="-k",
        words="At least {k} people\n stand behind every bar, cell, band and point.",
    )
    round_to: int = setting(
        whole(1, 1000),
        5,
        "Counts are rounded to multiples of this; 1 leaves them.",
        "answers",
        words="{rounded}\n{least}",
    )
    papers: PaperSettings | None = setting(
        PAPERS,
        None,
        "Settings of the papers' methods, for public or simulated data: `discreet.research`. A"
        " guarded policy has none.",
        "copy",
        words="Each plot is protected separately\n, by the papers' methods as published: only for "
        "public or simulated data.",
        otherwise="All releases are consistent.\n Methods and numbers are fixed by the policy, so "
        "that two plots reveal no more than one.",
    )
    public: bool = setting(
        YES_NO,
        False,
        "The data are public: releases are not recorded, and every plot says so.",
        "answers",
        words="The data are public:\n releases are not compared with earlier ones.",
    )
    m: int | None = setting(
        optional(whole(1, 10**6)),
        None,
        "The least number of people in a leaf of the copy; at least k, by default 4 k. With "
        "less than 4 k a study can have only one version.",
        "copy",
        option="-m",
        words="Rows of the copy are drawn anew\n from at least {members} people who are alike.",
    )
    left_out: float = setting(
        number(0.1, 0.5),
        LEFT_OUT,
        "The largest share of people that the copy leaves out; the secret determines how many "
        "are, at least half of it. The more are left out, the harder it is to tell who is in "
        "the copy, and the larger are its errors.",
        "copy",
        option="--left-out",
        words="Some people are left out of the copy\n: {shares} in 100, chosen by the secret.",
    )
    copy: str = setting(
        word(("browser", "served")),
        "browser",
        "Where the copy is explored: its rows go to the browser, or stay on the server, which "
        "answers with figures computed from them.",
        "nothing",
        words="The copy's rows {go}\n, {there}.",
    )
    copy_rows: int = setting(
        whole(0, 10**9), 300_000, "A copy of more rows stays on the server.", "nothing"
    )
    copy_bytes: int = setting(
        whole(0, 10**10), 30_000_000, "A copy of more bytes stays on the server.", "nothing"
    )
    audience: str | None = setting(
        optional(AUDIENCE),
        None,
        "For whom the study file is, in words that follow “for”. It is said wherever the file is "
        "opened.",
        "nothing",
        words="The study file is for\n {audience}.",
    )
    until: str | None = setting(
        optional(DAY),
        None,
        "The last day (UTC) on which the study file is to be used. After it `discreet.open` warns, "
        "and a server does not serve the file.",
        "nothing",
        words="The study file is to be used until\n {until}.",
    )
    combine: bool = setting(
        YES_NO,
        True,
        "Whether the study file may be opened as one with files of other studies. If not, "
        "`discreet.open` of several warns, and a server does not combine it.",
        "nothing",
        otherwise="The study file is to be used by itself\n, and not to be combined with those of "
        "other studies.",
    )
    private_files: bool = setting(
        YES_NO,
        True,
        "The values of a text file may be kept beside the copy, as Parquet that only the "
        "custodian may read, so that the text is read only once; `discreet forget` deletes them.",
        "nothing",
        otherwise="No other file of the values\n is kept: the text is read again for each plot.",
    )
    roles: Mapping[str, str] = setting(
        column_words(ROLES),
        NONE,
        "What columns tell about a person: an identifier is in no copy, and a sensitive column "
        "is what nobody may learn.",
        "copy",
        words="What columns tell:\n {told}.",
    )
    versions: int = setting(
        whole(1, 100),
        4,
        "How many copies of the same people may be released, over all studies and parts of a "
        "table: at most four, and one if leaves have fewer than 4 k people.",
        "nothing",
        words="At most {copies} copies\n of the same people may be released: together they show "
        "who joined and left.",
    )
    answers: int | None = setting(
        optional(whole(0, 10**6)),
        None,
        "How many numbers about one person all answers from the data of one version may give "
        "together (`discreet answer`): a count is one, a mean two, five quantiles six, a model "
        "one for each term and two more. At most .05 times the square of the noise, which is the "
        "default; 0 means no answers.",
        "nothing",
        words="At most {answers} numbers about one person\n are given in answers from the data, "
        "with noise.",
    )
    answer_noise: int | None = setting(
        optional(whole(1, 10**6)),
        None,
        "The standard deviation of the noise of answers from the data, in people; at least 2 k, by "
        "default 4 k.",
        "nothing",
        words="Answers from the data have noise\n of {answer_noise} people.",
    )
    tables: tuple[tuple[str, ...], ...] | None = setting(
        optional(PAIRS),
        None,
        "Pairs of columns of levels whose cross-table matters: the copy has its counts, with "
        "noise.",
        "copy",
        words="Put into the copy, as counts with noise,\n are the cross-tables {pairs}.",
    )
    limits: Limits = setting(
        LIMITS, NONE, "The ends of a column's axis, if they are public.", "answers"
    )
    bounds: Limits = setting(
        BOUNDS,
        NONE,
        "The limits within which the values of a column must lie; an open end is infinite.",
        "copy",
    )
    residual_df: int = setting(
        whole(1, 10**6),
        10,
        "The least residual degrees of freedom of a regression; at least 10 when guarded.",
        "answers",
        words="A model leaves at least {residual_df} degrees of freedom\n: it has that many fewer "
        "terms than people.",
    )
    missing_values: Edges = setting(
        DIFFERENT,
        NONE,
        "The numbers of a column that stand for a missing value, such as -999; an empty list "
        "means that all its numbers are values.",
        "copy",
    )
    dates: Mapping[str, str] = setting(
        FORMS,
        NONE,
        "How dates in text are written, in the codes of `strptime`, if the rows do not show it.",
        "copy",
        option="--dates",
    )
    ordered: Mapping[str, tuple[str, ...]] = setting(
        LEVELS,
        NONE,
        "The levels of a column from first to last, instead of the order in the data.",
        "copy",
    )
    kinds: Mapping[str, str] = setting(
        column_words(KINDS),
        NONE,
        "Whether a column holds numbers or levels, if it looks like the other.",
        "copy",
        option="--kinds",
    )
    derive: Mapping[str, str] | None = setting(
        optional(EXPRESSIONS),
        None,
        "New columns, each with an expression of others; one may use those before it. They are "
        "computed from the rows of the copy.",
        "answers",
    )
    labels: Mapping[str, str] | None = setting(
        optional(LABELS),
        None,
        "What is drawn in place of the names of columns, with the unit in brackets at its end.",
        "answers",
    )
    withhold: tuple[str, ...] | None = setting(
        optional(NAMES),
        None,
        "Columns in which the copy is too far off: they are not used, nor is anything derived "
        "from them.",
        "answers",
    )
    unit: str | bool | None = setting(
        UNIT,
        None,
        "The column that identifies the person of each row, so that k counts people; false "
        "means that each row is a different person.",
        "copy",
        option="--unit",
        words="{unit} identifies the person of each row:\n people are counted, not rows.",
        otherwise="Each row is a different person\n; no column identifies people.",
    )
    key: str | None = setting(
        optional(NAME),
        None,
        "The column that identifies each row, and from which its noise is derived.",
        "copy",
        words="{key} identifies a row\n, and its noise is derived from it.",
    )
    study: str | None = setting(
        optional(NAME),
        None,
        "The study's name in the register and in tokens; by default the file's.",
        "answers",
        option="--study",
        words="The study's name is “{study}”:\n in tokens and the register.",
    )
    name: str = setting(
        NAME,
        STANDARD,
        "The policy's name in plots.",
        "answers",
        words="The policy is called “{name}”\nin plots.",
    )
    folder: Path | None = field(default=None, compare=False, repr=False)
    file: Path | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.papers is not None:
            if set(self.papers.edges) & set(self.limits):
                raise InputError("a column has limits or edges in the policy, not both")
            self.papers.check(self.k)
            return
        if self.k < LEAST_GUARDED_K:
            raise InputError(f"k of a guarded policy must be at least {LEAST_GUARDED_K}")
        if self.round_to > 2 * self.k:
            raise InputError("round_to of a guarded policy must be at most 2 k, or k becomes 0")
        if self.residual_df < LEAST_GUARDED_DF:
            raise InputError(f"residual_df of a guarded policy must be at least {LEAST_GUARDED_DF}")
        Whole(self.k, self.m)  # refuses what does not fit
        if self.noise_of_answers < 2 * self.k:
            raise InputError("answer_noise of a guarded policy must be at least 2 k")
        if self.numbers_of_answers > self._most_numbers:
            raise InputError(
                "answers of a guarded policy must be at most .05 times the square of answer_noise:"
                f" {self._most_numbers} with a noise of {self.noise_of_answers} people"
            )

    @property
    def noise_of_answers(self) -> int:
        """The standard deviation of the noise of answers, in people: 4 k where nobody says."""
        return NOISE_PER_K * self.k if self.answer_noise is None else self.answer_noise

    @property
    def numbers_of_answers(self) -> int:
        """How many numbers about one person answers may give: as many as the noise hides."""
        return self._most_numbers if self.answers is None else self.answers

    @property
    def _most_numbers(self) -> int:
        return int(NUMBERS_PER_VARIANCE * self.noise_of_answers**2)

    @property
    def use(self) -> Use:
        """What the study file asks of whoever has it."""
        return Use.of(vars(self))

    @property
    def regime(self) -> str:
        """What views and the register call it: "guarded", or "research" where it has `papers`."""
        return "guarded" if self.fixed else "research"

    @property
    def of_papers(self) -> PaperSettings:
        """The papers' settings, and what is usual where there are none."""
        return NO_PAPERS if self.papers is None else self.papers

    @property
    def rows_by(self) -> str:
        """What rows are protected by."""
        return Whole.name if self.papers is None else self.papers.rows

    def in_force(self, name: str) -> Any:
        """Return what a field comes to: m follows from k where it is not given.

        Examples
        --------
        >>> from discreet import Policy
        >>> rules = Policy.preset("standard")
        >>> rules.m, rules.in_force("m"), rules.in_force("k")
        (None, 20, 5)
        """
        return self.members if name == "m" and self.fixed else getattr(self, name)

    @property
    def fixed(self) -> bool:
        """Whether methods and numbers are the policy's alone, and nobody may choose others.

        Where they are not, counts and values of single people may be shown as they are.
        """
        return self.papers is None

    @property
    def count_step(self) -> int:
        """What numbers of people are rounded to: k where counts are not rounded."""
        if not self.fixed:
            return 1
        return self.round_to if self.round_to > 1 else self.k

    @classmethod
    def preset(cls, name: str, /, **changes: Any) -> Policy:
        """Return a policy that comes with discreet, with single fields changed.

        Parameters
        ----------
        name : {"standard", "datashield", "sacro", "opensafely", "research"}
            The preset; docs/presets.md compares them.
        **changes
            Fields of the policy; of the table `papers`, those of its settings that differ.

        Returns
        -------
        Policy

        Examples
        --------
        >>> from discreet import Policy
        >>> Policy.preset("research").k
        3
        """
        if name not in PRESETS:
            raise InputError(f"there is no preset {name!r}; there are {one_of(PRESETS)}")
        text = resources.files("discreet").joinpath("presets", f"{name}.toml").read_text()
        fields = {"name": name} | tomllib.loads(text)
        return cls.from_dict(_merged(fields, changes))

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy from a TOML file.

        Keys that the file leaves out are those of its `preset`, "standard" where it names none.
        The study's register, copies and secret lie beside the file.

        Parameters
        ----------
        path : str or Path
            The TOML file.

        Returns
        -------
        Policy

        Raises
        ------
        InputError
            If there is no such file, it is no TOML, or a key or value is not allowed.
        """
        path = Path(path)
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"there is no policy file {path_in_words(path)}") from None
        except OSError as error:
            why = type(error).__name__
            raise InputError(
                f"the policy file {path_in_words(path)} cannot be read ({why}); whoever runs "
                "discreet must be allowed to read it"
            ) from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            at = "".join(re.findall(r" at line \d+, column \d+", str(error).replace("(", "")))
            why = f"{type(error).__name__}{at}"
            raise InputError(f"the policy file {path_in_words(path)} is not TOML: {why}") from None
        trees = of.get("hierarchies") if isinstance(of := given.get("papers"), Mapping) else None
        if isinstance(trees, Mapping):  # files lie beside the policy
            here = {n: path.parent / it for n, it in trees.items() if isinstance(it, str)}
            given["papers"]["hierarchies"] = {**trees, **here}
        policy = cls.preset(given.pop("preset", STANDARD), **({"name": path.stem} | given))
        return dataclasses.replace(policy, folder=path.resolve().parent, file=path)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Policy:
        """Make a policy of plain values; an unknown key is refused by name."""
        made: Policy = from_keys(cls, given, "the policy", ELSEWHERE)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values; fields that are not set are left out."""
        return {name: it for name in FIELDS if (it := _plain(getattr(self, name))) is not None}

    def to_toml(self) -> str:
        """Return the policy as TOML text, which `load` reads back."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    def changed(self, **changes: Any) -> Policy:
        """Return the policy with some fields replaced; None leaves a field as it is.

        Of the table `papers` those settings are replaced that are named.
        """
        given = {key: value for key, value in changes.items() if value is not None}
        if not given:
            return self
        changed = Policy.from_dict(_merged(self.to_dict(), given))
        return dataclasses.replace(changed, folder=self.folder, file=self.file)

    def allowed(self, **named: Any) -> Policy:
        """Return the policy with fields that the caller chose, if it lets them be chosen.

        Raises
        ------
        InputError
            If a field may not hold the value.
        RefusedError
            If the policy is guarded and has another value.
        """
        given = {name: value for name, value in named.items() if value is not None}
        of_papers = {name: given.pop(name) for name in PAPER_FIELDS if name in given}
        if not self.fixed:
            return self.changed(**given, papers=of_papers or None)
        if of_papers:
            raise RefusedError(
                f"{next(iter(of_papers))} is of the papers' methods; leave it out: this study has"
                " one copy of the whole table"
            )
        for name, value in given.items():
            kept = FIELDS[name].rule.freeze(value)
            FIELDS[name].check(name, kept)
            if kept != getattr(self, name):
                raise RefusedError(
                    f"{name} is fixed when the study is opened, because two values of it "
                    f"together would reveal records; leave {name}= out, or have the custodian "
                    f"open a study with it: policy.changed({name}=...)"
                    + (" or discreet.open(..., k=...)" if name == "k" else "")
                )
        return self

    def row_method(self, asked: How | None = None) -> RowMethod:
        """Return the papers' row method of tables, or of one picture."""
        return self.of_papers.row_method(self.k, asked)

    @property
    def members(self) -> int:
        """How many people a leaf of the copy of the whole table has at least."""
        return MEMBERS_PER_K * self.k if self.m is None else self.m

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The listed pairs of columns, in an order that is not the policy's."""
        return tuple(sorted({(min(pair), max(pair)) for pair in self.tables or ()}))

    def copy_settings(self) -> dict[str, Any]:
        """Return what decides the values of a protected copy, beside the table and the secret.

        What is as usual is not among it, and no registry of plots or methods is.
        """
        settings: dict[str, Any] = {"k": self.k}
        if self.papers is None:
            settings["m"] = self.members
        else:
            settings |= self.papers.copy_settings(bounded=bool(self.bounds))
        for name, of in FIELDS.items():
            value = getattr(self, name)
            if of.changes != "copy" or name in (*settings, *OF_TABLE, "papers"):
                continue
            if value != of.default and (plain_value := self._of_copy(name, value)):
                settings[name] = plain_value
        return settings

    def _of_copy(self, name: str, value: Any) -> Any:
        """Return a field as what decides a copy: the same where the order alone is another."""
        if name == "tables":
            return [list(pair) for pair in self.pairs]
        if name == "bounds":  # as text, because JSON has no infinity
            return {column: [str(float(end)) for end in value[column]] for column in sorted(value)}
        if name == "missing_values":
            return {column: sorted(of) for column, of in value.items() if of}
        return plain(value)

    def settings(self) -> dict[str, Any]:
        """Return what must stay the same for everything that is released from one study version."""
        if not self.fixed:
            return {"regime": self.regime}
        # Who is counted, and what the noise is keyed by.
        # That a row is a person is what it was before it could be said.
        who = {"unit": self.unit or None, "key": self.key}
        return {"regime": self.regime, "round_to": self.round_to, **who, **self.copy_settings()}

    def rules_of_answers(self) -> dict[str, Any]:
        """Return what an answer hangs on, but for what is usual: a new field is no other rule."""
        rules = _unusual(self, FIELDS)
        if self.papers is not None:
            rules["papers"] = _unusual(self.papers, PAPER_FIELDS)
        return rules


FIELDS = fields_of(Policy)
"""The fields of a policy by name: what each may hold, says and changes."""
ELSEWHERE = {
    name: ("a plot is asked with it; " if field.changes == "answers" else "")
    + f"it is a setting of the papers' methods: papers={{{name!r}: ...}} ([papers] in a file)"
    for name, field in PAPER_FIELDS.items()
}
"""What is said of keys that stand in the table of the papers' settings."""
documented(Policy)


def _unusual(of: Any, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the values of fields that change a copy or an answer, where they are not as usual."""
    values = {name: getattr(of, name) for name, it in fields.items() if it.changes != "nothing"}
    return {name: _plain(it) for name, it in values.items() if it != fields[name].default}


def _plain(value: Any) -> Any:
    """Return the value of a field as TOML and JSON write it; of the papers' settings all."""
    if isinstance(value, PaperSettings):
        value = {name: getattr(value, name) for name in PAPER_FIELDS}
        value = {name: it for name, it in value.items() if it is not None}
    return plain(value)


def _merged(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with some replaced; of the papers' settings those that are named."""
    merged, own = {**fields, **changes}, changes.get("papers")
    if isinstance(own, Mapping):
        named = {name: it for name, it in own.items() if it is not None}
        merged["papers"] = {**fields.get("papers", {}), **named}
    return merged


def load_policy(given: str | Path | Policy) -> Policy:
    """Return a policy given as itself, by a preset's name, or by the path of a TOML file."""
    if isinstance(given, Policy):
        return given
    if given in PRESETS:
        return Policy.preset(str(given))
    if not str(given).endswith(".toml"):
        raise InputError(
            f"policy must be a Policy, the path of a .toml file, or one of {one_of(PRESETS)}"
        )
    return Policy.load(given)
