"""The Policy: what the custodian allows, what each field may hold, and how it reads and writes."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from discreet.arguments import LONGEST_LABEL, parameters_of
from discreet.columns import KINDS, ROLES
from discreet.columns.written import is_form
from discreet.errors import InputError, RefusedError, about, one_of, path_in_words
from discreet.methods import (
    COPY_METHODS,
    ROUNDING_NAMES,
    ROW_METHODS,
    ROW_NAMES,
    Condensation,
    Deterministic,
    Microaggregation,
    Probabilistic,
    Whole,
    named,
)
from discreet.methods.base import RowMethod
from discreet.methods.copies import LEFT_OUT
from discreet.methods.hierarchy import read_hierarchy
from discreet.methods.values import MISSING_LEVELS, MISSING_NUMBERS, OUTSIDE
from discreet.parallel.pixels import MOST_PIXELS, PIXEL_STEP
from discreet.plots import PLOTS
from discreet.plots.request import Edges, Limits, PlotRequest
from discreet.policy.resolve import allowed_methods, method_of, refuse_unused
from discreet.rounding import METHODS as ROUNDINGS
from discreet.rounding import Mdav

__all__ = ["PRESETS", "RULES", "Policy", "frozen", "load_policy", "plain"]

STANDARD = "standard"
PRESETS = (STANDARD, "datashield", "sacro", "opensafely", "research")
#: What of the preparation of rows is settled only where it is declared.
USUAL: Mapping[str, Any] = MappingProxyType(
    {
        "missing": "complete",
        "missing_levels": "complete",
        "hierarchies": {},
        "ordered": {},
        "most_suppressed": 0.1,
        "diversity": 1,
        "closeness": 1.0,
    }
)
#: What the row methods of the policy `research` alone have a use for.
OF_ROW_METHODS = (
    *("strata", "q", "c", "metric", "ties", "rounding", "far_noise"),
    *(name for name in USUAL if name != "ordered"),
)
USUAL_PIXELS = 400
LEAST_GUARDED_K = 3
LEAST_GUARDED_DF = 10
LEAST_LEFT_OUT, MOST_LEFT_OUT = 0.1, 0.5
REGIMES = ("guarded", "research")
METRICS = parameters_of(Deterministic)["metric"].words
TIES = parameters_of(Deterministic)["ties"].words
FAR_NOISE = parameters_of(Probabilistic)["far_noise"].words
WAYS_OF_COPY = ("browser", "served")
MOST_EDGES = 101


def frozen(key: str, value: Any) -> Any:
    """Return a field's value as it is kept: tuples and read-only mappings all the way."""
    if key in ("dates", "kinds", "roles", "derive", "labels") and isinstance(value, Mapping):
        return MappingProxyType(dict(value))
    if key == "hierarchies" and isinstance(value, Mapping):
        return MappingProxyType({column: _hierarchy(column, it) for column, it in value.items()})
    if key in ("limits", "bounds", "edges", "ordered", "missing_values") and isinstance(
        value, Mapping
    ):
        ends = {column: _as_tuple(pair) for column, pair in value.items()}
        return MappingProxyType(ends)
    if key == "tables" and isinstance(value, list | tuple):
        return tuple(_as_tuple(each) for each in value)
    if key in ("strata", "withhold"):
        return _as_tuple(value)
    if key == "rounding" and isinstance(value, str):
        return value.replace("-", "_")
    return value


def _usual(item: dataclasses.Field[Any]) -> Any:
    """Return what a field holds where nobody says."""
    made = item.default_factory
    return made() if callable(made) else item.default


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value


def _hierarchy(column: str, given: Any) -> Any:
    """Return the lines of a hierarchy: each level with its coarser names, the coarsest last."""
    if isinstance(given, list | tuple):
        return tuple(_as_tuple(line) for line in given)
    if not isinstance(given, str | Path | Mapping):
        return given
    steps = read_hierarchy(column, given).steps
    return tuple((level, *(step[level] for step in steps)) for level in sorted(steps[0]))


def plain(value: Any) -> Any:
    """Return a field's value as TOML and JSON write it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high


def _number(v: Any) -> bool:
    # A whole number of TOML may be too large for a float; NaN is not below anything.
    return isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max


def _names(v: Any) -> bool:
    return isinstance(v, tuple) and all(isinstance(name, str) and name for name in v)


def _pairs(v: Any) -> bool:
    return isinstance(v, tuple) and all(
        _names(pair) and len({*pair}) == len(pair) == 2 for pair in v
    )


def _words(allowed: Sequence[str]) -> Callable[[Any], bool]:
    return lambda v: (
        isinstance(v, Mapping)
        and all(isinstance(key, str) and word in allowed for key, word in v.items())
    )


def _texts(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(text, str) and bool(text.strip()) for it in v.items() for text in it
    )


def _forms(v: Any) -> bool:
    """Tell whether columns are declared to hold dates, each in a form that there is."""
    return isinstance(v, Mapping) and all(
        isinstance(name, str) and bool(name) and is_form(form) for name, form in v.items()
    )


def _columns(holds: Callable[[tuple[Any, ...]], bool]) -> Callable[[Any], bool]:
    """Check a table of columns, each with a tuple that holds something."""
    return lambda v: (
        isinstance(v, Mapping)
        and all(isinstance(c, str) and isinstance(it, tuple) and holds(it) for c, it in v.items())
    )


def _ends(ends: tuple[Any, ...]) -> bool:
    return len(ends) == 2 and all(map(_number, ends)) and ends[0] < ends[1]


def _bounds(ends: tuple[Any, ...]) -> bool:
    """Tell whether a column's ends are in order; an open end is infinite."""
    known = all(_number(end) or end in (-math.inf, math.inf) for end in ends)
    return len(ends) == 2 and known and ends[0] < ends[1]


def _edges(edges: tuple[Any, ...]) -> bool:
    numbers = 2 <= len(edges) <= MOST_EDGES and all(map(_number, edges))
    return numbers and all(low < high for low, high in pairwise(edges))


def _different(values: tuple[Any, ...]) -> bool:
    return all(map(_number, values)) and len(set(values)) == len(values)


def _ordered(levels: tuple[Any, ...]) -> bool:
    return _names(levels) and len(set(levels)) == len(levels)


def _lines(lines: tuple[Any, ...]) -> bool:
    return all(
        isinstance(line, tuple) and len(line) >= 2 and all(isinstance(text, str) for text in line)
        for line in lines
    )


def _text_or_none(v: Any) -> bool:
    return v is None or (isinstance(v, str) and bool(v))


_YES_NO = (lambda v: isinstance(v, bool), "true or false")
_NAME = (_text_or_none, "a name")
RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (lambda v: isinstance(v, str) and bool(v), "a name"),
    "regime": (lambda v: v in REGIMES, f"one of {one_of(REGIMES)}"),
    "k": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
    "q": (lambda v: v is None or (_number(v) and 0 <= v <= 100), "a number from 0 to 100"),
    "rows": (
        lambda v: v is None or (isinstance(v, str) and v in COPY_METHODS),
        f"one of {one_of((*ROW_NAMES, Whole.name))}",
    ),
    "metric": (lambda v: v in METRICS, f"one of {one_of(METRICS)}"),
    "ties": (lambda v: v in TIES, f"one of {one_of(TIES)}"),
    "rounding": (
        lambda v: isinstance(v, str) and v in ROUNDINGS,
        f"one of {one_of(ROUNDINGS)}",
    ),
    "c": (lambda v: v is None or _whole(1, 10**6)(v), "a whole number from 1 to 1000000"),
    "m": (lambda v: v is None or _whole(1, 10**6)(v), "a whole number from 1 to 1000000"),
    "left_out": (
        lambda v: _number(v) and LEAST_LEFT_OUT <= v <= MOST_LEFT_OUT,
        f"a number from {LEAST_LEFT_OUT:g} to {MOST_LEFT_OUT:g}",
    ),
    "bins": (_whole(2, 1000), "a whole number from 2 to 1000"),
    "grid": (_whole(2, 1000), "a whole number from 2 to 1000"),
    "pixels": (
        lambda v: _whole(PIXEL_STEP, MOST_PIXELS)(v) and v % PIXEL_STEP == 0,
        f"a multiple of {PIXEL_STEP} from {PIXEL_STEP} to {MOST_PIXELS}",
    ),
    "tables": (lambda v: v is None or _pairs(v), "a list of pairs of different column names"),
    "round_to": (_whole(1, 1000), "a whole number from 1 to 1000"),
    "strata": (_names, "a list of column names"),
    "limits": (_columns(_ends), "a table of columns, each with a lower and a larger upper number"),
    "edges": (_columns(_edges), "a table of columns, each with 2 to 101 numbers that rise"),
    "bounds": (
        _columns(_bounds),
        "a table of columns, each with a lower and a larger upper number, or inf",
    ),
    "outside": (lambda v: v in OUTSIDE, f"one of {one_of(OUTSIDE)}"),
    "far_noise": (lambda v: v in FAR_NOISE, f"one of {one_of(FAR_NOISE)}"),
    "residual_df": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
    "missing": (lambda v: v in MISSING_NUMBERS, f"one of {one_of(MISSING_NUMBERS)}"),
    "missing_values": (
        _columns(_different),
        "a table of columns, each with a list of different numbers",
    ),
    "dates": (
        _forms,
        "a table of columns, each with how its dates are written, such as '%d/%m/%Y'",
    ),
    "missing_levels": (lambda v: v in MISSING_LEVELS, f"one of {one_of(MISSING_LEVELS)}"),
    "hierarchies": (
        _columns(_lines),
        "a table of columns, each a CSV file or nested tables of names whose leaves are levels",
    ),
    "ordered": (_columns(_ordered), "a table of columns, each with its levels from first to last"),
    "most_suppressed": (lambda v: _number(v) and 0 <= v <= 1, "a number from 0 to 1"),
    "diversity": (_whole(1, 1000), "a whole number from 1 to 1000"),
    "closeness": (lambda v: _number(v) and 0 <= v <= 1, "a number from 0 to 1"),
    "kinds": (_words(KINDS), f"a table of columns, each one of {one_of(KINDS)}"),
    "roles": (_words(ROLES), f"a table of columns, each one of {one_of(ROLES)}"),
    "derive": (
        lambda v: v is None or _texts(v),
        "a table of new columns, each an expression of others",
    ),
    "labels": (
        lambda v: v is None or (_texts(v) and all(len(it) <= LONGEST_LABEL for it in v.values())),
        "a table of columns, each with the text that is drawn in place of its name, of at most"
        f" {LONGEST_LABEL} letters",
    ),
    "withhold": (lambda v: v is None or _names(v), "a list of column names"),
    "unit": (lambda v: v is False or _text_or_none(v), "a name, or false: a row is a person"),
    "key": _NAME,
    "study": _NAME,
    "public": _YES_NO,
    "versions": (_whole(1, 100), "a whole number from 1 to 100"),
    "copy": (lambda v: v in WAYS_OF_COPY, f"one of {one_of(WAYS_OF_COPY)}"),
    "copy_rows": (_whole(0, 10**9), "a whole number from 0 to 1000000000"),
    "copy_bytes": (_whole(0, 10**10), "a whole number from 0 to 10000000000"),
    "private_files": _YES_NO,
}


@dataclass(frozen=True)
class Policy:
    """What the custodian allows.

    Parameters
    ----------
    name : str, default "standard"
        What pictures call the policy.
    regime : {"guarded", "research"}, default "guarded"
        Guarded: one protected copy a study version, one k, one grid, all fixed when the study is
        opened. Research: the papers' methods as printed, view by view, for public or simulated
        data.
    k : int, default 5
        The least number of persons behind a level, a gap and a value of the copy, at least 3; of
        the papers' methods, behind anything drawn.
    q : float, optional
        Noise as a share of a column's standard deviation; by default what the row method needs.
        Of `research` alone, as are `metric`, `ties`, `rounding`, `c`, `strata`, `far_noise`,
        `missing`, `missing_levels`, `hierarchies`, `most_suppressed`, `diversity` and `closeness`.
    rows : str, optional
        What rows are protected by. Of a guarded policy it is "whole": one copy of all columns of
        the table, from which every plot may be drawn. Under `research` it is a row method:
        "condensation" (the default), "deterministic", "probabilistic", "multiplicative", or a way
        to round rows jointly: "mdav" (microaggregation), "vmdav", "optimal", "equal-width",
        "equal-frequency", "kmeans", "resampling", "base".
    metric : {"euclidean", "mahalanobis"}, default "euclidean"
        How the deterministic method measures nearness.
    ties : {"keyed", "tree"}, default "keyed"
        Which of equally near rows it takes first: by a digest that the secret keys, or as R's
        search tree meets them, which follows the order of the file.
    rounding : str, default "mdav"
        How points are found where `rows` is "rounding": the two together are an older way to
        say `rows="vmdav"`.
    c : int, optional
        How many regions it parts a column into, where that is what it takes.
    m : int, optional
        The least number of persons in a leaf of the copy; at least k, by default 4 k. With less
        than 4 k a study has one version and no more.
    left_out : float, default 0.2
        The largest share of persons that the copy leaves out, from .1 to .5; how many are left
        out, from half of it on, the secret says. The more are, the less sure is anybody who is in
        the copy, and the farther off are its figures.
    bins, grid : int, default 20 and 30
        Bins of a histogram, and cells along each side of a grid; from 2 to 1000.
    pixels : int, default 400
        How many pixels each axis of parallel coordinates has; a multiple of 50, at most 500.
    tables : sequence of pairs of str, optional
        Columns of levels whose cross-table matters: the copy of the whole table has its counts,
        with noise. Not under `research`.
    round_to : int, default 5
        Counts are rounded to multiples of this; 1 leaves them.
    strata : sequence of str
        Categorical columns within whose combinations rows are protected.
    limits : mapping of str to (float, float)
        The ends of a column's axis, where they are public.
    edges : mapping of str to sequence of float
        Declared ends of the bins of a column's histogram, which need not be of one width.
    bounds : mapping of str to (float, float)
        Between which numbers the values of a column must lie in theory; an open end is infinite.
    outside : {"keep", "reflect", "clip"}, default "reflect"
        What happens to protected values outside the bounds of their column and, when guarded,
        beyond the ends that its axis has in pictures.
    far_noise : {"even", "by-distance"}, default "even"
        Whether the noise of the probabilistic method grows with the distance of the record's
        k-th neighbour.
    residual_df : int, default 10
        The least residual degrees of freedom of a regression; at least 10 when guarded.
    missing : {"complete", "median", "mean"}, default "complete"
        What happens to rows without a number in a released table: left out, or the column's median
        or mean instead.
    missing_values : mapping of str to sequence of float
        The numbers of a column that stand for a missing value, such as -999; an empty list says
        that all its numbers are values.
    dates : mapping of str to str
        How the dates of a column of text are written, as `strptime` has it: "%d/%m/%Y". Needed
        where the rows do not say which number is the day (docs/sources.md).
    missing_levels : {"complete", "level", "drawn"}, default "complete"
        What happens to rows without a level of a stratum: left out, a level of their own, or a
        level drawn from the shares of the others.
    hierarchies : mapping of str to CSV path or nested mapping
        Coarser names for the levels of a stratum, by which small strata are merged.
    ordered : mapping of str to sequence of str
        The levels of a column from first to last: the order in which they are drawn and listed, in
        place of one that the data declare, and in which neighbouring levels of a stratum are
        merged.
    most_suppressed : float, default 0.1
        The largest share of rows left out because their stratum stays small after merging; of
        persons, where these have several rows.
    diversity : int, default 1
        The least number of different sensitive values in each stratum of a released table
        (l-diversity), and in each cluster beside a sensitive axis of parallel coordinates, where
        it is at least 2.
    closeness : float, default 1.0
        How far the sensitive values of a stratum of a released table may be from those of all
        rows (t-closeness).
    derive : mapping of str to str, optional
        New columns that every study of the policy has, each with an expression of other columns:
        `{"log_bmi": "log(bmi)", "band": "cut(age, 40, 60)"}` (docs/expressions.md). They are
        computed of the rows of the copy, as those of `Study.assign`, and one may use those before
        it. Not under `research`.
    labels : mapping of str to str, optional
        What is drawn in place of the names of columns, with the unit in brackets at its end:
        `{"bmi": "Body mass index (kg/m²)"}`. Each has at most 80 letters. Requests and records have
        the names.
    withhold : sequence of str, optional
        Columns of the copy that are not used, nor what is derived of them: those that the custodian
        finds it too far off in, after `fidelity`. The copy stays as it is, so another `withhold`
        needs no new version. Not under `research`.
    kinds, roles, unit, key, study
        See `discreet.open`.
    public : bool, default False
        The data are public: nothing that is released is recorded, and every view says so.
    versions : int, default 4
        How many copies of the same persons may be released, over all studies and parts of a table:
        four at most, and one where leaves have fewer than 4 *k* persons.
    copy : {"browser", "served"}, default "browser"
        Where a server lets the copy of the whole table be explored: its rows go to the browser, or
        they stay on the server, which answers with numbers drawn from them.
    copy_rows, copy_bytes : int, default 300,000 and 30,000,000
        A copy of more rows or bytes stays on the server.
    private_files : bool, default True
        Whether the values of a file of text may be kept beside the protected copy, as Parquet that
        the custodian alone may read, so that the text is read once; `discreet forget` deletes them.
    folder, file : Path, optional
        Where the policy file lies, and the file as it was named; not part of the policy's value.

    Examples
    --------
    >>> from discreet import Policy
    >>> Policy.preset("standard", k=10).k
    10
    >>> Policy.from_dict({"k": 10, "bin": 3})
    Traceback (most recent call last):
    discreet.errors.InputError: the policy has no key 'bin'; did you mean 'bins'?
    """

    name: str = "standard"
    regime: str = "guarded"
    k: int = 5
    q: float | None = None
    rows: str | None = None
    metric: str = "euclidean"
    ties: str = "keyed"
    rounding: str = "mdav"
    c: int | None = None
    m: int | None = None
    left_out: float = LEFT_OUT
    bins: int = 20
    grid: int = 30
    pixels: int = USUAL_PIXELS
    tables: tuple[tuple[str, ...], ...] | None = None
    round_to: int = 5
    strata: tuple[str, ...] = ()
    limits: Limits = field(default_factory=lambda: MappingProxyType({}))
    edges: Edges = field(default_factory=lambda: MappingProxyType({}))
    bounds: Limits = field(default_factory=lambda: MappingProxyType({}))
    outside: str = "reflect"
    far_noise: str = "even"
    residual_df: int = 10
    missing: str = "complete"
    missing_values: Edges = field(default_factory=lambda: MappingProxyType({}))
    dates: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    missing_levels: str = "complete"
    hierarchies: Mapping[str, tuple[tuple[str, ...], ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    most_suppressed: float = 0.1
    diversity: int = 1
    closeness: float = 1.0
    kinds: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    roles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    derive: Mapping[str, str] | None = None
    labels: Mapping[str, str] | None = None
    withhold: tuple[str, ...] | None = None
    unit: str | bool | None = None
    key: str | None = None
    study: str | None = None
    public: bool = False
    versions: int = 4
    copy: str = "browser"
    copy_rows: int = 300_000
    copy_bytes: int = 30_000_000
    private_files: bool = True
    folder: Path | None = field(default=None, compare=False, repr=False)
    file: Path | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, (holds, allowed) in RULES.items():
            value = getattr(self, name)
            if type(value) is not type(frozen(name, value)):
                raise InputError(f"{name} of the policy must be frozen; use Policy.from_dict")
            if not holds(value):
                raise InputError(f"{name} of the policy must be {allowed}")
        if set(self.edges) & set(self.limits):
            raise InputError("a column has limits or edges in the policy, not both")
        if self.fixed:
            self._check_guarded()
        elif self.rows == Whole.name:
            raise InputError(
                "rows = 'whole' is one copy of a guarded study's table; choose another row method"
                " for single plots of public data"
            )
        elif ROW_METHODS[self.rows_by].declared:
            least = max(ROW_METHODS[self.rows_by].least_k, self.k)
            self._method(self.rows_by, least, 0.0, self.rounding, self.c)  # refuses what is wrong

    def _check_guarded(self) -> None:
        """Refuse what a guarded policy may not hold."""
        if self.k < LEAST_GUARDED_K:
            raise InputError(f"k of a guarded policy must be at least {LEAST_GUARDED_K}")
        if self.rows not in (None, Whole.name):
            raise InputError(
                f"rows of a guarded policy are those of one copy of the whole table; leave rows ="
                f" {self.rows!r} out, or open public or simulated data with discreet.research"
            )
        for item in dataclasses.fields(self):
            if item.name in OF_ROW_METHODS and getattr(self, item.name) != _usual(item):
                raise InputError(
                    f"{item.name} is of row methods, under the policy 'research' alone; leave it"
                    " out: a guarded policy has one copy of the whole table"
                )
        if self.round_to > 2 * self.k:
            raise InputError("round_to of a guarded policy must be at most 2 k, or k becomes 0")
        if self.residual_df < LEAST_GUARDED_DF:
            raise InputError(f"residual_df of a guarded policy must be at least {LEAST_GUARDED_DF}")
        Whole(self.k, self.m)  # refuses what does not fit

    @property
    def rows_by(self) -> str:
        """What rows are protected by: `rows`, or what is usual where it is not given."""
        if self.fixed:
            return Whole.name
        return Condensation.name if self.rows is None else self.rows

    def in_force(self, name: str) -> Any:
        """Return what a field comes to: where it is not given, what follows from the others.

        Examples
        --------
        >>> from discreet import Policy
        >>> rules = Policy.preset("standard")
        >>> rules.rows, rules.in_force("rows"), rules.in_force("m"), rules.in_force("k")
        (None, 'whole', 20, 5)
        """
        value = getattr(self, name)
        if value is not None:
            return value
        if name == "rows":
            return self.rows_by
        if name == "m":
            return self.members if self.fixed else None
        return self.noise(self.rows_by) if name == "q" else None

    @property
    def fixed(self) -> bool:
        """Whether methods and numbers are the policy's alone, and nobody may choose others."""
        return self.regime == "guarded"

    @property
    def shows_exact(self) -> bool:
        """Whether counts and values of single persons may be shown as they are."""
        return self.regime == "research"

    @property
    def count_step(self) -> int:
        """What numbers of persons are rounded to: k where counts are not rounded."""
        if self.shows_exact:
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
            Fields of the policy.

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
        way = ROUNDING_NAMES.get(str(changes.get("rows")))
        if way is not None and frozen("rounding", changes.get("rounding")) not in (None, way):
            raise InputError("rows names the way to round already; leave rounding out")
        return cls.from_dict(fields | changes)

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
                f"the policy file {path_in_words(path)} cannot be read ({why}); it is a file that"
                " whoever runs discreet may read"
            ) from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            at = "".join(re.findall(r" at line \d+, column \d+", str(error).replace("(", "")))
            why = f"{type(error).__name__}{at}"
            raise InputError(f"the policy file {path_in_words(path)} is not TOML: {why}") from None
        trees = given.get("hierarchies")
        if isinstance(trees, Mapping):  # files lie beside the policy
            here = {n: path.parent / it for n, it in trees.items() if isinstance(it, str)}
            given["hierarchies"] = {**trees, **here}
        policy = cls.of_keys({"name": path.stem} | given)
        return dataclasses.replace(policy, folder=path.resolve().parent, file=path)

    @classmethod
    def of_keys(cls, given: Mapping[str, Any]) -> Policy:
        """Make a policy of the keys of a file: those left out are those of its `preset`."""
        keys = dict(given)
        return cls.preset(keys.pop("preset", STANDARD), **keys)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Policy:
        """Make a policy of plain values; an unknown key is refused by name."""
        from difflib import get_close_matches

        known = [item.name for item in dataclasses.fields(cls) if item.compare]
        for key in given:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are {one_of(known)}"
                raise InputError(f"the policy has no key {key!r}; {hint}")
        if isinstance(given.get("rows"), str) and given["rows"] in ROUNDING_NAMES:
            rows, rounding = named(given["rows"])
            given = {**given, "rows": rows, "rounding": rounding}
        return cls(**{key: frozen(key, value) for key, value in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values; fields that are not set are left out."""
        out: dict[str, Any] = {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.compare and value is not None:
                out[item.name] = plain(value)
        return out

    def to_toml(self) -> str:
        """Return the policy as TOML text, which `load` reads back."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    def changed(self, **changes: Any) -> Policy:
        """Return the policy with some fields replaced; None leaves a field as it is."""
        given = {key: value for key, value in changes.items() if value is not None}
        if not given:
            return self
        new = Policy.from_dict(self.to_dict() | given)
        return dataclasses.replace(new, folder=self.folder, file=self.file)

    def settle(
        self,
        plot: str,
        columns: Sequence[str],
        *,
        method: str | None = None,
        by: str | None = None,
        **numbers: Any,
    ) -> PlotRequest:
        """Say how a plot will be made, or refuse what the caller may not choose.

        `numbers` are other values of `k`, `q`, `bins`, `grid`, `limits`, `edges`, `pixels` or
        `diversity`; None leaves them to the policy.

        Raises
        ------
        InputError
            If a name or number is not one that exists, or the method has no use for it.
        RefusedError
            If the policy is guarded and has another value.
        """
        rounding = None
        with about("method"):
            if method == Mdav.name and self.rows_by == Microaggregation.name:
                method = self.rows_by
            elif isinstance(method, str):
                method, rounding = named(method)
            method = method_of(self, plot, method)
        declared = ROW_METHODS[method].declared if method in ROW_METHODS else ()
        given = {name: value for name, value in numbers.items() if value is not None}
        with about("numbers"):
            chosen = self.allowed(**given, rounding=rounding)
            if not self.fixed:
                refuse_unused(plot, method, given)
        return PlotRequest(
            plot=plot,
            columns=tuple(columns),
            method=method,
            k=chosen.k,
            q=chosen.noise(method) if method in ROW_METHODS else None,
            bins=chosen.bins,
            grid=chosen.grid,
            limits=chosen.limits,
            by=by,
            edges=chosen.edges if PLOTS[plot].edges else MappingProxyType({}),
            rounding=chosen.rounding if "rounding" in declared else None,
            c=chosen.c if "c" in declared else None,
        )

    def allowed(self, **named: Any) -> Policy:
        """Return the policy with fields that the caller chose, if it lets them be chosen.

        Raises
        ------
        InputError
            If a field may not hold the value.
        RefusedError
            If the policy is guarded and has another value.
        """
        if not self.fixed:
            return self.changed(**named)
        for name, value in named.items():
            if value is None:
                continue
            holds, allowed = RULES[name]
            if not holds(frozen(name, value)):
                raise InputError(f"{name} of the policy must be {allowed}")
            if frozen(name, value) != getattr(self, name):
                raise RefusedError(self._why_fixed(name))
        return self

    def _why_fixed(self, name: str) -> str:
        """Say why the caller may not choose a field of a guarded policy."""
        if name in OF_ROW_METHODS:
            return (
                f"{name} is of row methods, under the policy 'research' alone; leave {name}= out:"
                " this study has one copy of the whole table"
            )
        return (
            f"{name} is fixed when the study is opened, because two values of it together"
            f" give records away; leave {name}= out, or the custodian can open a study with"
            f" it: policy.changed({name}=...)"
            + (" or discreet.open(..., k=...)" if name == "k" else "")
        )

    @cached_property
    def methods(self) -> Mapping[str, tuple[str, ...]]:
        """The methods that each plot may be made by, the usual one first where it may."""
        return MappingProxyType({plot: allowed_methods(self, plot) for plot in PLOTS})

    def noise(self, method: str) -> float:
        """Return the noise of a row method as a share of a column's standard deviation."""
        kind = COPY_METHODS.get(method)
        if kind is None or not kind.by_noise:
            return 0.0
        return float(kind.noise if self.q is None else self.q)

    def row_method(self, asked: PlotRequest | None = None) -> RowMethod:
        """Return the row method of the protected copy, or of one picture."""
        method = self.rows_by if asked is None else asked.method
        k = self.k if asked is None else asked.k
        q = self.noise(method) if asked is None or asked.q is None else asked.q
        if asked is None or asked.rounding is None:
            return self._method(method, k, q, self.rounding, self.c)
        return self._method(method, k, q, asked.rounding, asked.c)

    @property
    def members(self) -> int:
        """How many persons a leaf of the copy of the whole table has at least."""
        return Whole(self.k, self.m).members

    def _method(self, name: str, k: int, q: float, rounding: str, c: int | None) -> RowMethod:
        given = {"k": k, "q": q, "metric": self.metric, "ties": self.ties}
        given |= {"far_noise": self.far_noise}
        given |= {"method": rounding, "c": c}
        kind: Any = ROW_METHODS[name]
        made: RowMethod = kind(**{it.name: given[it.name] for it in dataclasses.fields(kind)})
        return made

    def copy_settings(self) -> dict[str, Any]:
        """Return what decides the values of a protected copy."""
        return {
            "k": self.k,
            "rows": self.rows_by,
            "metric": self.metric,
            "q": self.noise(self.rows_by),
            "round_to": self.round_to,
            "strata": list(self.strata),
            **self._declared(),
        }

    def settings(self) -> dict[str, Any]:
        """Return what must stay the same for everything that is released from one study version."""
        if not self.fixed:
            return {"regime": self.regime}
        out: dict[str, Any] = {it: getattr(self, it) for it in ("regime", "k", "round_to")}
        out["rows"] = self.rows_by
        # Who is counted, and what the noise is keyed by.
        # That a row is a person is what it was before it could be said.
        out["unit"], out["key"] = self.unit or None, self.key
        if self.tables:
            out["tables"] = [sorted(pair) for pair in self.tables]
        return out | self._declared()

    def _declared(self) -> dict[str, Any]:
        """Return what else decides the values of a copy, where it is declared."""
        out: dict[str, Any] = {}
        if self.bounds:
            # As text, because JSON has no infinity.
            bounds = sorted(self.bounds.items())
            out["bounds"] = {name: [str(float(end)) for end in ends] for name, ends in bounds}
        if self.bounds or self.outside != "reflect":
            out["outside"] = self.outside
        if self.far_noise != "even":
            out["far_noise"] = self.far_noise
        if self.ties != "keyed":
            out["ties"] = self.ties
        if self.fixed:
            out["m"] = self.members
            out |= {"left_out": self.left_out} if self.left_out != LEFT_OUT else {}
        out |= {n: getattr(self, n) for n in COPY_METHODS[self.rows_by].declared if n not in out}
        codes = {name: sorted(of) for name, of in self.missing_values.items() if of}
        if codes:
            out["missing_values"] = codes
        if self.dates:
            out["dates"] = dict(sorted(self.dates.items()))
        for name, usual in USUAL.items():
            value = getattr(self, name)
            if value != usual:
                out[name] = plain(value)
        return out


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
