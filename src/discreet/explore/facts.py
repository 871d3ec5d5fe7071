"""What may be said of a study before anything is drawn: columns, plots, numbers; no value.

A server, a file and a notebook offer by it what can be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.estimates.units import unit_in
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import DrawableColumn
from discreet.explore.table_kinds import table_facts
from discreet.methods import COPY_METHODS, METHODS, Whole
from discreet.plots import PLOTS, Plot
from discreet.plots.plot import BINS, GRID, PAPERS
from discreet.plots.view import PUBLIC_ROWS
from discreet.policy import Policy
from discreet.policy.resolve import allowed_methods, diversity_of, method_of

#: What the policy has a value of.
NUMBERS = ("k", "q", "bins", "grid", "diversity", "pixels")
#: What of it the copy of the whole table was made with, or has no use for.
OF_COPY = ("k", "q", "diversity")
OF_WHOLE = Whole.name
"""The method by which all of a copy is drawn."""


OWN = "PUBLIC: the rows are those of the table itself."


def usual_number(policy: Policy, method: str, name: str) -> int | float | None:
    """Return the value of one of `NUMBERS` that holds where nobody names one.

    None where it hangs on how many rows there are: cells of the copy of the whole table.
    """
    if name == "grid" and method == Whole.name:
        return None
    if name == "q":
        return policy.of_papers.noise(policy.rows_by if policy.fixed else method)
    if name == "diversity":
        return diversity_of(policy)
    value: int = getattr(policy if name == "k" else policy.of_papers, name)
    return value


def has_use(policy: Policy, plot: type[Plot[Any]], method: str, name: str) -> bool:
    """Tell whether a picture by a method has a use for a parameter."""
    if method == Whole.name and name == "diversity":
        return False  # its rows are nobody's
    if name in NUMBERS:
        return plot.uses(method, name)
    known = plot.parameters()[name]
    if known.only == PAPERS and policy.fixed:
        return False  # the copy was protected before any plot
    return not known.methods or method in known.methods


def is_fixed(policy: Policy, method: str, name: str) -> bool:
    """Tell whether the policy alone says one of `NUMBERS`: of the copy any view may be drawn."""
    return policy.fixed and (method != Whole.name or name in OF_COPY)


def study_facts(of: DerivedCopy, columns: Mapping[str, DrawableColumn]) -> dict[str, Any]:
    """Return what of the study, its columns and its policy a form is made of: no value."""
    return {**board_facts(of, columns), "tables": table_facts(of.policy)}


def board_facts(of: DerivedCopy, columns: Mapping[str, DrawableColumn]) -> dict[str, Any]:
    """Return what a board is made of, of a study or of what was derived of its copy.

    `drawn` is what pictures of rows are drawn with: numbers, and the ends and edges of axes.
    """
    policy, own = of.policy, of.rows_are == PUBLIC_ROWS
    pictures = plot_facts(policy, [*columns.values()])
    axes = {name: {"limits": [*ends]} for name, ends in policy.limits.items() if name in columns}
    return {
        "policy": {
            "name": policy.name,
            "regime": policy.regime,
            "k": policy.k,
            "m": policy.members if policy.fixed else None,
            "round_to": policy.round_to,
            "public": policy.public,
            "promise": OWN if own else promise_of(policy),
            **({"drawn_from": "the rows of a public table"} if own else {}),
        },
        "columns": [_column_facts(of, it) for it in columns.values()],
        "pictures": [it for it in pictures if not own or PLOTS[it["kind"]].axes],
        "drawn": {"k": policy.k, "bins": BINS, "grid": GRID, "axes": axes},
    }


def promise_of(policy: Policy) -> str:
    """Say in a sentence what a policy promises of all that is drawn."""
    if not policy.fixed:
        return "Each plot is protected separately: for public or simulated data."
    people = f"Each group behind them holds at least {policy.members} people."
    asked = policy.use.to_text()
    return f"Redrawn rows: nobody's. {people}" + (asked and f" {asked[0].upper()}{asked[1:]}.")


def _column_facts(of: DerivedCopy, column: DrawableColumn) -> dict[str, Any]:
    """Return what is said of a column; its levels are said with the rows alone."""
    name, label = column.name, of.labels.get(column.name)
    declared = name in (of.policy.labels or {})
    return {
        "name": name,
        "kind": column.kind,
        "label": label,
        "unit": unit_in(label or "", declared=declared) or unit_in(name),
        "dates": name in of.dates,
    }


def plot_facts(policy: Policy, columns: Sequence[DrawableColumn]) -> list[dict[str, Any]]:
    """Return every plot that can be drawn of some columns, and what it may be asked for with.

    A parameter that is fixed for some methods alone stands there twice. `limits` says whether a
    plot of the copy of the whole table takes ends of its axes, `derivation` whether it takes
    `where` and `assign`, and `weights` whether it takes a column of weights.
    """
    enough = [it for it in PLOTS.values() if _enough(it, columns)]
    # Those of columns are offered before those of a formula.
    enough.sort(key=lambda plot: plot.kind() == "formula")
    levels = [it for it in columns if it.kind == "categorical"]
    return [_facts_of(policy, plot, levels) for plot in enough]


def _enough(plot: type[Plot[Any]], columns: Sequence[DrawableColumn]) -> bool:
    kind = "continuous" if plot.kind() == "formula" else plot.kind()
    there = [it.kind for it in columns]
    places = plot.places().values() if plot.unlike() else ()
    placed = all(place.kind in (*there, "any") for place in places)
    return placed and len([it for it in there if kind in (it, "any")]) >= max(plot.least(), 1)


def _facts_of(
    policy: Policy, plot: type[Plot[Any]], levels: Sequence[DrawableColumn]
) -> dict[str, Any]:
    whole, of_formula = policy.fixed, plot.kind() == "formula"
    rows_by = [it.name for it in levels]
    counts_by = rows_by if "counts" in plot.divided and not whole else []
    by = {"columns": counts_by, "rows": rows_by} if plot.divided else None
    takes: dict[str, Any] = {"least": plot.least(), "most": plot.most(), "kind": plot.kind()}
    if plot.unlike():
        takes["places"] = [{"name": n, "kind": it.kind} for n, it in plot.places().items()]
    methods = _methods(policy, plot)
    return {
        "kind": plot.name,
        "title": plot.title,
        "says": plot.says,
        "takes": "formula" if of_formula else "columns",
        "columns": None if of_formula else takes,
        "limits": whole and plot.uses(Whole.name, "limits"),
        "derivation": whole,
        "weights": whole and "weights" in plot.settings(),
        "by": by,
        "methods": methods,
        "parameters": _parameters_of(policy, plot, [*dict.fromkeys(it["name"] for it in methods)]),
    }


def _methods(policy: Policy, plot: type[Plot[Any]]) -> list[dict[str, Any]]:
    """Return the methods of a plot, one of which is usual."""
    usual = method_of(policy, plot, None)
    return [
        {
            "name": name,
            "usual": name == usual,
            "rows": name in COPY_METHODS,
            "promises": METHODS[name].promises,
            "leaves_open": METHODS[name].leaves_open,
        }
        for name in allowed_methods(policy, plot)
    ]


def _parameters_of(
    policy: Policy, plot: type[Plot[Any]], methods: Sequence[str]
) -> list[dict[str, Any]]:
    found = []
    # Of words of which none is taken where nobody says, the first is what is done.
    usual = {
        name: it.choices[0] if value is None and it.choices else value
        for name, value in plot.usual().items()
        if (it := plot.settings().get(name)) is not None
    }
    for name, it in plot.parameters().items():
        number = name in NUMBERS
        able = [method for method in methods if has_use(policy, plot, method, name)]
        for fixed in (False, True):
            uses = [m for m in able if (number and is_fixed(policy, m, name)) == fixed]
            if not uses:
                continue
            found.append(
                {
                    "name": name,
                    "type": it.type,
                    "says": it.says,
                    "least": it.least_of(uses),
                    "most": it.most,
                    "step": it.step,
                    "usual": usual_number(policy, uses[0], name) if number else usual[name],
                    "fixed": fixed,
                    "choices": [*it.choices],
                    "methods": None if len(uses) == len(methods) else uses,
                }
            )
    return found
