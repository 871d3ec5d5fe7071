"""Opening a table under a policy, and what its custodian sees: risk, nearness, what to publish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from discreet.arguments import check_whole
from discreet.custodian.persons import refuse_unsaid_persons
from discreet.custodian.publishing import private_copy, publish
from discreet.custodian.session import Session, folder_of
from discreet.custodian.tune_whole import settings_of_whole, sweep_whole
from discreet.custodian.verify import verifier_of
from discreet.custodian.whole_table import attack_versions, leaving_rounded, release_whole
from discreet.errors import InputError, RefusedError, about
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.asking import asked
from discreet.explore.from_file import OfData, is_study_file
from discreet.explore.new_columns import check_derive
from discreet.explore.notebook import offer_names
from discreet.explore.notes import REPORT
from discreet.explore.study import Study, names_to_offer
from discreet.measure.attack_report import AttackReport
from discreet.measure.frontier import RiskUtilityMap
from discreet.measure.report import Report
from discreet.methods import Whole
from discreet.methods.copies import Draws
from discreet.policy import Policy, load_policy
from discreet.release import Release
from discreet.secret import load_secret
from discreet.table import Table, forget, levels_of_two_values, open_table

OF_RESEARCH = (
    "a policy with papers is for the papers' methods, on public or simulated data: "
    "discreet.research(source); open a study under a guarded policy, such as 'standard'"
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
    if policy.fixed and not policy.public and policy.unit is None:
        refuse_unsaid_persons(table, policy.roles)
    return levels_of_two_values(table, kinds, _few(policy))


def _few(policy: Policy) -> int:
    """Return of how many people rows decide of what kind a column is: the secret says."""
    if not policy.fixed or policy.public:
        return 1
    secret = load_secret(policy.folder, allow_small=not policy.fixed)
    return Draws.before_version(secret).threshold("kinds of columns", policy.k)


def _least_of_order(policy: Policy, name: str) -> int:
    """Return how many people must fit one order of day and month alone: drawn, for one column.

    So whoever knows all rows but one learns nothing of it from whether the column holds dates.
    """
    secret = load_secret(policy.folder, allow_small=not policy.fixed)
    return Draws.before_version(secret).threshold(f"order of dates {name}", policy.k)


def _check_declared(table: Table, policy: Policy) -> None:
    table.require(policy.of_papers.strata, "categorical")
    if policy.tables and not policy.fixed:
        raise InputError(
            "the policy lists tables, which only the copy of a guarded policy has; leave them out"
        )
    for pair in policy.tables or ():
        table.require(pair, "categorical")
    new = policy.derive or {}
    ends = [name for name in {**policy.limits, **policy.of_papers.edges} if name not in new]
    table.require([*dict.fromkeys([*ends, *policy.bounds])], "continuous")
    check_derive(table, policy)
    if policy.withhold and not policy.fixed:
        raise InputError(
            "the policy withholds columns of a copy, which only a guarded policy has; leave "
            "withhold out"
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


# --- what the custodian holds: a table, its protected copy, and what is known of both -------------


class Protected:
    """A table and its protected copy, for the custodian alone: risk, nearness, and what to publish.

    Made by `discreet.protect`. What `report`, `attack`, `fidelity` and `tune` say are exact figures
    of raw data, for the custodian's eyes; `study` and what `publish` writes are for others. Prints
    no value and cannot be pickled.

    Attributes
    ----------
    study : Study
        What others would look at: the copy, without the data.
    """

    def __init__(self, study: Study) -> None:
        if study.is_derived:
            raise RefusedError("where and assign apply to the copy; protect the table itself")
        self.study = study

    def __repr__(self) -> str:
        return f"Protected({self.study!r})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Protected contains raw data and cannot be pickled or copied")

    @property
    def _session(self) -> Session:
        found: Session = self.study.session
        return found

    @property
    def policy(self) -> Policy:
        """The rules that the table was protected by."""
        return self.study.policy

    @cached_property
    def _release(self) -> Release:
        return self.study.anonymize()

    @property
    def frame(self) -> Any:
        """The copy in the kind of frame that came in."""
        return self._release.frame

    @property
    def report(self) -> Report:
        """What was done, the copy's risk and its use."""
        return self._release.report

    def attack(self, pairs: int = 100) -> AttackReport:
        """Attack the copy as the product knows how: linkage, inference, membership.

        Parameters
        ----------
        pairs : int, default 100
            Of how many pairs of copies, with and without a person, membership is learnt.

        Returns
        -------
        AttackReport
            Of each attack how often it was right, its interval, and what guessing gives.

        Examples
        --------
        >>> import discreet as dc
        >>> made = dc.protect(dc.datasets.diabetes())
        >>> made.attack(pairs=0)["linkage"].found.share < 0.3  # membership takes a minute
        True
        """
        return self._release.attack(pairs)

    def fidelity(self, *, exact: bool = True) -> Fidelity:
        """Measure how near the copy is to the raw table.

        Parameters
        ----------
        exact : bool, default True
            As it is, for the custodian's eyes; else rounded, as a study file says it.

        Returns
        -------
        Fidelity
        """
        return self.study.fidelity(exact=exact)

    def publish(self, path: str | Path) -> Path:
        """Write the copy to a signed file that others explore without the data.

        It holds the protected copy of the whole table, how near it is, and what intervals are found
        from; no raw value, secret or exact count. Whoever has it opens it by `discreet.open`.

        Parameters
        ----------
        path : str or Path
            Ends in .discreet. A file of that name is replaced.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the ending is another one, the folder does not exist, or the study has no name.
        RefusedError
            If no copy can be made of the table.
        LeavingError
            If the copy does not fit what was released before; nothing is written then.

        Notes
        -----
        It is a release of the whole copy, and recorded before it is written. It is signed by a key
        that lies beside the secret; tell its fingerprint (`discreet.check`) by another way than the
        file goes.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import discreet as dc
        >>> made = dc.protect(dc.datasets.diabetes(), study="diabetes")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = made.publish(Path(folder, "diabetes.discreet"))
        ...     opened = dc.open(path)
        ...     opened.histogram("bmi").counts == made.study.histogram("bmi").counts
        True
        """
        publish(self._session, path)
        return Path(path)

    @asked
    def missing_codes(self, columns: Sequence[str] | None = None) -> dict[str, list[float]]:
        """Return numbers that may stand for missing values, for the custodian to confirm.

        Parameters
        ----------
        columns : sequence of str, optional
            Where to look; by default in all columns that identify nobody.

        Returns
        -------
        dict of str to list of float
            Of each column that has any: 7, 8 or 9 repeated (-9, 99, -999, ...), which
            at least k people share, and which lies beyond all other values but for fewer than k
            by more than a tenth of their range, or below 0 where no other is.

        Notes
        -----
        Declare them in the policy, `missing_values = {"income": [-999]}`, and they are missing in
        every picture and in the protected copy; or say that they are values, `{"income": []}`.
        Until then they are drawn as numbers, and every picture of the column says so. A code that
        fewer than k people share, another number, or one among the other values is not found.

        Examples
        --------
        >>> import pyarrow as pa, discreet as dc
        >>> income = [1000.0 + 7 * i for i in range(90)] + [-999.0] * 10
        >>> dc.protect(pa.table({"income": income})).missing_codes()
        {'income': [-999.0]}
        """
        return self._session.missing_codes(columns)

    @asked
    def tune(
        self,
        columns: Sequence[str] | None = None,
        *,
        methods: Sequence[str] | None = None,
        k: Sequence[int] | None = None,
        q: Sequence[float] | None = None,
        m: Sequence[int] | None = None,
        left_out: Sequence[float] | None = None,
        risk: str = "linkage",
        loss: str = "pairs",
        drop: Sequence[str] = (),
    ) -> RiskUtilityMap:
        """Try other numbers on copies of the whole table.

        Parameters
        ----------
        columns, drop
            As of `Study.anonymize`.
        methods : sequence of str, optional
            "whole", the default: copies of the whole table; and beside it, or alone, row methods of
            the papers.
        k, q, m : sequences of numbers, optional
            Values to try; by default 3, 5, 10 and 20, 0.1, 0.25, 0.5 and 1, and 2 k, 4 k and 6 k.
        left_out : sequence of float, optional
            The largest shares of people left out to try, from .1 to .5; by default the policy's.
        risk : {"linkage", "far linkage", "numbers", "levels", "membership"}, default "linkage"
            The share that stands for the risk, each by attack ("numbers" and "levels": inferred by
            the nearest row, oftener than of people held out; "membership": the AUC of copies with
            and without a typical person). `Release.attack` tells more of one copy.
        loss : {"pairs", "columns", "coefficients"}, default "pairs"
            What stands for the loss, as in `fidelity`.

        Returns
        -------
        RiskUtilityMap
            Every setting with its risk and loss, and which of them are efficient.

        Notes
        -----
        Not a release: numbers of several settings together, exact ones of raw data, are for whoever
        holds the data. It asks no gate and is not recorded.
        """
        whole = methods is None or Whole.name in methods
        for name, value in (("m", m), ("left_out", left_out)):
            if value is not None and not whole:
                raise InputError(
                    f"{name} is for copies of the whole table; name the method 'whole' as well"
                )
        tried = settings_of_whole(methods, k, m, q, left_out)
        return sweep_whole(self._session, tried, columns, drop=drop, risk=risk, loss=loss)

    @asked
    def attack_versions(
        self, versions: int | None = None, *, leave: float = 0.05, repeats: int = 10
    ) -> AttackReport:
        """See, before a version is opened, what several versions would give away of who left.

        Parameters
        ----------
        versions : int, optional
            How many there would be, at least 2; by default those there are and the next one.
        leave : float, default 0.05
            The share of the people who leave between the first and the last, as many each time.
        repeats : int, default 10
            How often it is tried, each time with others who leave.

        Returns
        -------
        AttackReport
            Its one attack tells leavers from stayers by copies made of these data as the next
            version would be, at most 1,000 rows: an AUC, and the share found among as many as
            left. Exact figures of raw rows, the custodian's: `rounded` gives what may be released.

        Raises
        ------
        InputError
            If a number is out of its range.
        RefusedError
            If the table has too few people.

        Notes
        -----
        Nothing is opened or recorded by it.

        **What it does not show.** Who left is drawn by chance; people who leave because of what is
        in a column, or who stand out, may be seen more easily. Changes of values are not tried.

        Examples
        --------
        >>> import discreet as dc
        >>> made = dc.protect(dc.datasets.diabetes())
        >>> found = made.attack_versions(2, repeats=5)["versions"].found
        >>> 0.5 < found.share < 0.7
        True
        """
        raw, number = self._session.next_version()
        if versions is not None:
            number = check_whole("versions", versions, least=2)
        title = f"Versions of {self._session.name or 'a frame without a name'}"
        found = attack_versions(raw, title, number, leave, repeats)
        return leaving_rounded(self._session, found, {REPORT: "versions"})

    def new_version(self) -> int:
        """Open the next version of the study, for changed data or a changed policy.

        Versions together give away who left between them: `attack_versions` measures how far,
        before one is opened.

        Returns
        -------
        int
            Its number.

        Raises
        ------
        InputError
            If the study has no name, nothing of it has left, or nothing has changed.
        LeavingError
            If too many copies of its people left, if one left by another secret, *k* or *m*, or
            if too few rows have changed.
        """
        return self._session.new_version()


def protect(
    source: object,
    policy: str | Path | Policy = "standard",
    *,
    study: str | None = None,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | bool | None = None,
    key: str | None = None,
    k: int | None = None,
    labels: Mapping[str, str] | None = None,
    dates: Mapping[str, str] | None = None,
) -> Protected:
    """Protect a table by a policy: for the custodian, who looks at the risk and then publishes.

    Parameters
    ----------
    source : path or frame
        A table, as `discreet.open` takes it; no study file.
    policy, study, kinds, roles, unit, key, k, labels, dates
        As of `discreet.open`.

    Returns
    -------
    Protected

    Raises
    ------
    InputError
        If the source, the policy or a column named here is wrong, or the source is a study file.
    RefusedError
        If people may have several rows and no `unit` is given.

    Examples
    --------
    >>> import discreet as dc
    >>> made = dc.protect(dc.datasets.diabetes(), study="diabetes")
    >>> made.report.made["k"], made.frame.num_rows > 300
    (5, True)
    """
    how: dict[str, Any] = {"kinds": kinds, "roles": roles, "unit": unit, "key": key, "k": k}
    if is_study_file(source):
        raise InputError(
            "a study file is protected already; open it by discreet.open, or protect the table that"
            " it was made of"
        )
    return Protected(study_of_data(source, policy, study=study, **how, labels=labels, dates=dates))
