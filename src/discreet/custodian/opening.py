"""How a source is opened under a policy: its table, with the columns that the policy declares."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from discreet.custodian.persons import refuse_unsaid_persons
from discreet.custodian.publishing import private_copy
from discreet.custodian.session import Session, folder_of
from discreet.custodian.verify import verifier_of
from discreet.custodian.whole_table import release_whole
from discreet.errors import InputError, about
from discreet.explore.from_file import OfData
from discreet.explore.new_columns import check_derive
from discreet.explore.notebook import offer_names
from discreet.explore.study import Study, names_to_offer
from discreet.methods.copies import Draws
from discreet.policy import Policy, load_policy
from discreet.secret import load_secret
from discreet.table import Table, forget, open_table, with_levels_of_two

OF_RESEARCH = (
    "a policy with papers is of the papers' methods, for public or simulated data:"
    " discreet.research(source); open a study under a guarded policy, such as 'standard'"
)


def study_of_data(source: object, policy: str | Path | Policy, **declared: Any) -> Study:
    """Open a table under a policy, as `discreet.open` does; `declared` are its other arguments."""
    chosen = load_policy(policy)
    if not chosen.fixed:
        raise InputError(OF_RESEARCH)
    offer_names(names_to_offer)
    return study_of_session(session_of(source, chosen.changed(**declared)))


def study_of_session(session: Session) -> Study:
    """Return what is drawn of the copy of a session's table."""
    return Study(
        OfData(
            session,
            partial(private_copy, session),
            verifier_of(session).check,
            partial(release_whole, session),
        )
    )


def session_of(source: object, policy: Policy) -> Session:
    """Open a source as the policy says; refuse a policy that does not fit it."""
    table = _table_of(source, policy)
    _check_declared(table, policy)
    return Session(table, policy)


def _table_of(source: object, policy: Policy) -> Table:
    """Open a source as the policy says, with columns of the kinds that it declares."""
    kinds = {name: "categorical" for name in policy.of_papers.strata} | dict(policy.kinds)
    folder = folder_of(policy)
    if folder is not None and not policy.private_files and isinstance(source, str | Path):
        forget(folder, Path(source))
    table = open_table(
        source,
        kinds=kinds,
        roles=policy.roles,
        unit=policy.unit,
        key=policy.key,
        missing_values=policy.missing_values,
        ordered=policy.ordered,
        private=folder if policy.private_files else None,
        dates=policy.dates,
        levels=(*policy.ordered, *policy.of_papers.hierarchies, *chain(*(policy.tables or ()))),
        least=partial(_least_of_order, policy),
    )
    if not policy.shows_exact and not policy.public and policy.unit is None:
        refuse_unsaid_persons(table, policy.roles)
    return with_levels_of_two(table, kinds, _few(policy))


def _few(policy: Policy) -> int:
    """Return of how many persons rows decide of what kind a column is: the secret says."""
    if policy.shows_exact or policy.public:
        return 1
    secret = load_secret(policy.folder, allow_small=not policy.fixed)
    return Draws.before_version(secret).threshold("kinds of columns", policy.k)


def _least_of_order(policy: Policy, name: str) -> int:
    """Return how many persons must fit one order of day and month alone: drawn, for one column.

    So whoever knows all rows but one learns nothing of it from whether the column holds dates.
    """
    secret = load_secret(policy.folder, allow_small=not policy.fixed)
    return Draws.before_version(secret).threshold(f"order of dates {name}", policy.k)


def _check_declared(table: Table, policy: Policy) -> None:
    """Refuse a policy that names columns the table has not, or of another kind."""
    table.require(policy.of_papers.strata, "categorical")
    if policy.tables and not policy.fixed:
        raise InputError(
            "tables of the policy are counted into the copy of the whole table of a guarded policy;"
            " leave them out"
        )
    for pair in policy.tables or ():
        table.require(pair, "categorical")
    new = policy.derive or {}
    ends = [name for name in {**policy.limits, **policy.of_papers.edges} if name not in new]
    table.require([*dict.fromkeys([*ends, *policy.bounds])], "continuous")
    check_derive(table, policy)
    if policy.withhold and not policy.fixed:
        raise InputError(
            "withhold of the policy is of columns of a copy of the whole table, which a guarded"
            " policy has; leave it out"
        )
    named: dict[str, Iterable[str]] = {
        "labels": policy.labels or (),
        "ordered": policy.ordered,
        "withhold": policy.withhold or (),
    }
    for what, names in named.items():
        for name in names:
            if name not in new:
                with about(what):
                    table.known(name)
