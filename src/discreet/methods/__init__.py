"""How values are protected: rows in, protected rows out; counts in, what may be shown out.

Arrays in, arrays out, for people who want the algorithms alone. A new method is one file here
and one entry in a registry.

**Persons.** With a `unit` everything is counted in people. What is grouped for the copy are
the means of people (in each stratum), so that all rows of one are in one group; moments of a
group, ends of columns and quartiles weigh each person the same. Groups are counted again by code
of their own. A guarded table whose columns look as if people had several rows is opened when it
is said whose they are, or that a row is a person.

**Counted again.** What a method promises is counted again on what it made, apart from how it was
made; if it does not hold, BrokenPromiseError is raised and nothing comes out.

**Papers.** Avraam et al. (2021): "Privacy preserving data visualizations", EPJ Data Science 10:2.
Domingo-Ferrer and Torra (2005): "Ordinal, continuous and heterogeneous k-anonymity through
microaggregation", Data Mining and Knowledge Discovery 11. Solanas, Martínez-Ballesté and
Domingo-Ferrer (2006): "V-MDAV: a multivariate microaggregation with variable group size", COMPSTAT.

**Strata.** Repair is a search with a fixed number of tries, never a time: the same data must
give the same copy on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from discreet.arguments import Described
from discreet.methods.base import RowMethod
from discreet.methods.cell_keys import CellKey
from discreet.methods.copies import Whole
from discreet.methods.counts import (
    Generalization,
    Guarded,
    NoProtection,
    Suppression,
    check_counts,
    rounded,
)
from discreet.methods.deterministic import Deterministic, deterministic
from discreet.methods.hierarchy import Hierarchy, read_hierarchy
from discreet.methods.kanonymity import Repair, repair
from discreet.methods.microaggregation import Condensation, mdav, vmdav
from discreet.methods.probabilistic import (
    Multiplicative,
    Probabilistic,
    multiplicative,
    probabilistic,
)
from discreet.methods.rounding import ColumnRounding, Microaggregation, Rounding
from discreet.methods.values import OrderMeans, outside
from discreet.parallel.clusters import KMember, KMemberJoint
from discreet.rounding import METHODS as rounding_methods
from discreet.rounding import (
    chimerge,
    equal_frequency,
    equal_width,
    kmeans,
    load_points,
    mdlp,
    optimal,
    resampling,
)

__all__ = [
    "CLUSTER_METHODS",
    "COPY_METHODS",
    "COUNT_METHODS",
    "METHODS",
    "ROUNDING_NAMES",
    "ROW_METHODS",
    "ROW_NAMES",
    "TABLE_METHODS",
    "CellKey",
    "ColumnRounding",
    "Condensation",
    "Deterministic",
    "Generalization",
    "Guarded",
    "Hierarchy",
    "Microaggregation",
    "Multiplicative",
    "NoProtection",
    "OrderMeans",
    "Probabilistic",
    "Repair",
    "Rounding",
    "Suppression",
    "Whole",
    "check_counts",
    "chimerge",
    "deterministic",
    "equal_frequency",
    "equal_width",
    "kmeans",
    "load_points",
    "mdav",
    "mdlp",
    "multiplicative",
    "named",
    "optimal",
    "outside",
    "probabilistic",
    "read_hierarchy",
    "repair",
    "resampling",
    "rounded",
    "vmdav",
]

ROW_METHODS: Mapping[str, type[RowMethod]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Deterministic,
            Probabilistic,
            Multiplicative,
            Condensation,
            Microaggregation,
            Rounding,
        )
    }
)
"""Row methods by name."""

COPY_METHODS: Mapping[str, type[Any]] = MappingProxyType({**ROW_METHODS, Whole.name: Whole})
"""What the protected copy of a study may be made by: row methods, or the whole table at once."""

ROUNDING_NAMES: Mapping[str, str] = MappingProxyType(
    {
        name.replace("_", "-"): name
        for name, method in rounding_methods.items()
        if not method.supervised
    }
)
"""The one name of each way to round rows jointly, with what `Rounding` calls its method."""

ROW_NAMES = (
    *(name for name in ROW_METHODS if name not in (Microaggregation.name, Rounding.name)),
    *ROUNDING_NAMES,
)
"""What rows may be made by, one name each. "rounding", beside the field of that name, and
"microaggregation", which is "mdav", are read as before, and stay what pins and files call them."""


def named(name: str) -> tuple[str, str | None]:
    """Return the row method that a name means, and which way to round where that is part of it.

    Examples
    --------
    >>> named("vmdav"), named("condensation"), named("rounding")
    (('rounding', 'vmdav'), ('condensation', None), ('rounding', None))
    """
    way = ROUNDING_NAMES.get(name)
    return (name, None) if way is None else (Rounding.name, way)


TABLE_METHODS: Mapping[str, type[RowMethod]] = MappingProxyType(
    {**ROW_METHODS, ColumnRounding.name: ColumnRounding}
)
"""What a table can be made by: row methods, and columns rounded by themselves."""

CLUSTER_METHODS: Mapping[str, type[Described]] = MappingProxyType(
    {method.name: method for method in (KMember, KMemberJoint)}
)
"""Ways to cluster parallel coordinates by name."""

COUNT_METHODS: Mapping[str, type[Described]] = MappingProxyType(
    {method.name: method for method in (Suppression, Generalization, NoProtection)}
)
"""Count methods by name."""

METHODS: Mapping[str, type[Described]] = MappingProxyType(
    {
        **ROW_METHODS,
        **COUNT_METHODS,
        **CLUSTER_METHODS,
        ColumnRounding.name: ColumnRounding,
        Whole.name: Whole,
        CellKey.name: CellKey,
    }
)
"""All methods by name: of rows and columns, counts, clusters, tables and box plots."""
