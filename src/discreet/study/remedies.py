"""What cures a refusal to let something leave: the command that opens a new version, in full."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Sequence

from discreet.errors import InputError
from discreet.policy import PRESETS, Policy, load_policy
from discreet.table import Table

__all__ = ["Groups", "listed", "new_version"]

Groups = Sequence[Sequence[str]]
STANDARD = "standard"
OPTIONS = {
    "k": "-k",
    "rows": "--method",
    "q": "-q",
    "bins": "--bins",
    "grid": "--grid",
    "study": "--study",
    "unit": "--unit",
    "missing": "--impute",
    "missing_levels": "--impute-levels",
}
"""The option of the command line for each field of a policy that has one of its own."""
MAY_BE_NAMED = ("study", "unit", "groups", "strata")
"""What the command line may name where a guarded policy file leaves it empty."""


def new_version(table: Table, policy: Policy, groups: Groups, study: str | None) -> str:
    """Say how the next version of a study is opened with the policy in force and with some groups.

    Parameters
    ----------
    table : Table
        The data.
    policy : Policy
        The policy in force.
    groups : sequence of sequences of str
        The groups that the new version is to have; those of the policy, or others.
    study : str or None
        The study's name; None where it is the file's.

    Returns
    -------
    str
        "`discreet version new cohort.csv --group age,bmi`", quoted as a shell needs it; or the
        call in Python, for frames and for what the command line cannot say.
    """
    wanted = policy.changed(groups=[list(group) for group in groups] or None, study=study)
    words = None if table.path is None else _words(policy, wanted)
    if words is None:
        call = f"new_version() of a study like this one, study={study or policy.study!r}"
        return call + (f", with groups={[list(group) for group in groups]}" if groups else "")
    command = shlex.join(["discreet", "version", "new", str(table.path), *words])
    first = ""
    if policy.file is not None and policy.groups and policy.groups != wanted.groups:
        held = [list(group) for group in wanted.groups]
        first = f"write groups = {held} into {policy.file}, then "
    return f"{first}`{command}`"


def _words(policy: Policy, wanted: Policy) -> list[str] | None:
    """Return the options that make a policy out of its file or preset, if options can."""
    base = _base(policy)
    if base is None:
        return None
    words = [] if policy.file is None else ["--policy", str(policy.file)]
    if policy.file is None and policy.name != STANDARD:
        words = ["--policy", policy.name]
    held, given = base.to_dict(), wanted.to_dict()
    for name in given:
        if given[name] == held.get(name):
            continue
        fixed = policy.file is not None and base.guarded
        if fixed and name == "groups" and held.get(name):
            continue  # the file is to be changed
        if fixed and (name not in MAY_BE_NAMED or held.get(name)):
            return None
        options = _options(name, given[name])
        if options is None:
            return None
        words += options
    return words


def _base(policy: Policy) -> Policy | None:
    """Return the policy that the command line begins with, if there is one."""
    try:
        if policy.file is not None:
            return load_policy(policy.file)
    except InputError:  # it has been taken away or changed since
        return None
    return Policy.preset(policy.name) if policy.name in PRESETS else None


def _options(name: str, value: object) -> list[str] | None:
    if name == "unit" and value is False:
        return ["--no-unit"]
    if name in OPTIONS:
        return [OPTIONS[name], str(value)]
    if name == "groups" and isinstance(value, list):
        return [word for group in value for word in ("--group", listed(group))]
    if name == "strata" and isinstance(value, list):
        return ["--strata", listed(value)]
    if name == "kinds" and isinstance(value, dict) and {*value.values()} == {"categorical"}:
        return ["--categorical", listed(value)]
    return None


def listed(names: Iterable[str]) -> str:
    """Write names as the command line reads them: a,b,c, one with a comma in double quotes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
