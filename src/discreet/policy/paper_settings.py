"""The settings of the papers' methods, which a guarded study does not use."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from discreet.arguments import parameters_of
from discreet.errors import one_of
from discreet.methods import (
    COPY_METHODS,
    ROUNDING_NAMES,
    ROW_METHODS,
    ROW_NAMES,
    Condensation,
    Deterministic,
    Probabilistic,
    Rounding,
    named,
)
from discreet.methods.base import RowMethod
from discreet.methods.hierarchy import read_hierarchy
from discreet.methods.values import MISSING_LEVELS, MISSING_NUMBERS, OUTSIDE
from discreet.parallel.pixels import MOST_PIXELS, PIXEL_STEP
from discreet.plots.plot import BINS, GRID, PIXELS, Edges, How
from discreet.policy.fields import (
    EDGES,
    NAMES,
    Rule,
    check_fields,
    documented,
    fields_of,
    number,
    optional,
    plain,
    setting,
    table_of,
    whole,
    word,
)

METRICS, TIES = (parameters_of(Deterministic)[name].words for name in ("metric", "ties"))
FAR_NOISE = parameters_of(Probabilistic)["far_noise"].words


def _hierarchies(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return MappingProxyType({column: _hierarchy(column, it) for column, it in value.items()})


def _hierarchy(column: str, given: Any) -> Any:
    """Return the lines of a hierarchy: each level with its coarser names, the coarsest last."""
    if isinstance(given, list | tuple):
        return tuple(tuple(line) if isinstance(line, list) else line for line in given)
    if not isinstance(given, str | Path | Mapping):
        return given
    steps = read_hierarchy(column, given).steps
    return tuple((level, *(step[level] for step in steps)) for level in sorted(steps[0]))


def _are_lines(lines: Any) -> bool:
    return isinstance(lines, tuple) and all(
        isinstance(it, tuple) and len(it) >= 2 and all(isinstance(text, str) for text in it)
        for it in lines
    )


METHOD = Rule(
    "str",
    f"one of {one_of(ROW_NAMES)}",
    lambda v: isinstance(v, str) and (v in ROW_METHODS or v in ROUNDING_NAMES),
)
HIERARCHIES = dataclasses.replace(
    table_of(
        "CSV path or nested mapping",
        "a table of columns, each a CSV file or nested tables of names whose leaves are levels",
        lambda _, lines: _are_lines(lines),
    ),
    freeze=_hierarchies,
)
STEPS = Rule(
    "int",
    f"a multiple of {PIXEL_STEP} from {PIXEL_STEP} to {MOST_PIXELS}",
    lambda v: whole(PIXEL_STEP, MOST_PIXELS).holds(v) and v % PIXEL_STEP == 0,
)


@dataclass(frozen=True, kw_only=True)
class PaperSettings:
    """What the methods of the four papers are run with where a call says nothing else.

    They stand in the table `[papers]` of a policy file, and are for public or simulated data.

    Examples
    --------
    >>> from discreet import Policy
    >>> Policy.preset("research", papers={"method": "equal-width", "c": 6}).papers.c
    6
    """

    method: str = setting(
        METHOD,
        Condensation.name,
        "How rows are protected, or how the points are found to which they are rounded jointly.",
        "copy",
        option="--method",
        words="Rows are protected separately for each plot\n, by {method}.",
    )
    q: float | None = setting(
        optional(number(0, 100)),
        None,
        "Noise as a share of a column's standard deviation; by default what the method needs.",
        "copy",
        option="--q",
        words="Numbers are blurred\n by noise of {q} of a column's standard deviation.",
    )
    metric: str = setting(
        word(METRICS),
        "euclidean",
        "How the deterministic method measures distance.",
        "copy",
        option="--metric",
    )
    ties: str = setting(
        word(TIES),
        "keyed",
        "Which of equally near rows come first: by a digest keyed by the secret, or in the "
        "order of R's search tree, which follows the order of the file.",
        "copy",
        option="--ties",
    )
    c: int | None = setting(
        optional(whole(1, 10**6)),
        None,
        "The number of regions that a column is divided into, if the method uses it.",
        "copy",
    )
    strata: tuple[str, ...] = setting(
        NAMES,
        (),
        "Columns of levels within whose combinations the rows of tables are protected.",
        "copy",
        option="--strata",
    )
    far_noise: str = setting(
        word(FAR_NOISE),
        "even",
        "Whether noise grows with the distance of a row's nearest ones.",
        "copy",
    )
    outside: str = setting(
        word(OUTSIDE),
        "reflect",
        "What happens to protected values beyond the bounds of their column.",
        "copy",
    )
    missing: str = setting(
        word(MISSING_NUMBERS),
        "complete",
        "Rows of a table with a missing number: left out, or filled with the column's median or "
        "mean.",
        "copy",
        option="--missing",
    )
    missing_levels: str = setting(
        word(MISSING_LEVELS),
        "complete",
        "Rows of a table with a missing level: left out, given a level of their own, or one "
        "drawn in proportion to the others.",
        "copy",
        option="--missing-levels",
    )
    hierarchies: Mapping[str, tuple[tuple[str, ...], ...]] = setting(
        HIERARCHIES,
        MappingProxyType({}),
        "Coarser names for levels, by which small groups of rows are joined.",
        "copy",
        option="--hierarchies",
    )
    most_suppressed: float = setting(
        number(0, 1),
        0.1,
        "The largest share of people left out because their group stays small.",
        "copy",
    )
    diversity: int = setting(
        whole(1, 1000),
        1,
        "The least number of different sensitive values in each group of a table, and in each"
        " cluster beside a sensitive axis, where it is at least 2 (l-diversity).",
        "copy",
        option="--diversity",
    )
    closeness: float = setting(
        number(0, 1),
        1.0,
        "How far the distribution of sensitive values in a group of a table may be from that of "
        "all (t-closeness).",
        "copy",
        option="--closeness",
    )
    edges: Edges = setting(
        EDGES,
        MappingProxyType({}),
        "The edges of the bins of a column's histogram, which need not have equal widths.",
        "answers",
    )
    bins: int = setting(whole(2, 1000), BINS, "Bins of a histogram.", "answers", option="--bins")
    grid: int = setting(
        whole(2, 1000), GRID, "Cells along each side of a grid.", "answers", option="--grid"
    )
    pixels: int = setting(
        STEPS, PIXELS, "Pixels of each axis of parallel coordinates.", "answers", option="--pixels"
    )

    def __post_init__(self) -> None:
        check_fields(self, "papers.")

    @property
    def rows(self) -> str:
        """The row method, by the name that it has among methods."""
        return named(self.method)[0]

    @property
    def way(self) -> str:
        """How points are found where rows are rounded."""
        return named(self.method)[1] or Rounding().method

    def noise(self, method: str) -> float:
        """Return the noise of a row method as a share of a column's standard deviation."""
        kind = COPY_METHODS.get(method)
        if kind is None or not kind.by_noise:
            return 0.0
        return float(kind.noise if self.q is None else self.q)

    def row_method(self, k: int, asked: How | None = None) -> RowMethod:
        """Return the row method of tables, or of one picture."""
        name, q, way, c = self.rows, None, self.way, self.c
        if asked is not None:
            name, k, q = asked.method, asked.k, asked.q
            way, c = (way, c) if asked.rounding is None else (asked.rounding, asked.c)
        given = {it: getattr(self, it) for it in PAPER_FIELDS}
        given |= {"k": k, "q": self.noise(name) if q is None else q, "method": way, "c": c}
        kind: Any = ROW_METHODS[name]
        made: RowMethod = kind(**{it.name: given[it.name] for it in dataclasses.fields(kind)})
        return made

    def check(self, k: int) -> None:
        """Refuse numbers that the row method may not have."""
        kind = ROW_METHODS[self.rows]
        if kind.declared:
            self.row_method(max(kind.least_k, k))

    def copy_settings(self, *, bounded: bool) -> dict[str, Any]:
        """Return what decides the values of protected rows; `bounded` tells whether bounds are."""
        settings = {"rows": self.rows, "metric": self.metric, "q": self.noise(self.rows)}
        settings["strata"] = list(self.strata)
        of = {"rounding": self.way, "c": self.c}
        settings |= {it: of[it] for it in of if it in ROW_METHODS[self.rows].declared}
        for name, field in PAPER_FIELDS.items():
            value, always = getattr(self, name), name == "outside" and bounded
            if field.changes != "copy" or name in (*settings, "method", "c"):
                continue
            if always or value != field.default:
                settings[name] = plain(value)
        return settings


PAPER_FIELDS = fields_of(PaperSettings)
"""The fields of the papers' settings by name."""
documented(PaperSettings)
