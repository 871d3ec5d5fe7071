"""A column that looks as if it said whose a row is, where persons have several rows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from discreet.errors import InputError, RefusedError
from discreet.table import KINDS, Table

__all__ = ["person_column", "refuse_unsaid_persons"]


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of names, in lower case.
PERSONS = _set_of(
    """patient person participant subject respondent member client customer user employee worker
    student pupil child infant baby mother father parent family household resident citizen voter
    passenger individual volunteer donor case pat subj resp hh"""
)
NUMBERS = _set_of("id ids identifier uuid guid no nr num number key code")
NAMES = _set_of(
    """id identifier uuid guid pid eid uid ptid hhid seqn nhs ssn mrn nino passport chi nhsno
    nhsnumber patid patientid personid subjid usubjid subjectid participantid respondentid memberid
    clientid customerid userid employeeid studentid pupilid childid familyid famid householdid
    caseid recordid studyid passengerid iid pidp hhidpn mergeid idauniq idno username"""
)
# What is numbered, where it is no person.
THINGS = _set_of(
    """hospital site ward centre center clinic practice gp doctor physician nurse provider staff
    interviewer teacher school class department region country district county city town state area
    zone station location place room bed house building store shop branch company firm employer
    bank cluster arm batch plate well drug medication product item order visit event episode
    encounter admission stay test exam question sample specimen scan image image device machine
    sensor model trial group team category type status event transaction session page file version
    wave round year month week day date time language currency postcode zip"""
)
# What makes of persons a number of them, or something about them.
ABOUT = _set_of(
    """count size sum total mean average median max min rate ratio share percent pct score index
    age sex gender income weight height date year month day time status type group class category
    level stage role kind name has is per of in with any valid flag bin"""
)
LEAST_PERSONS, MOST_ROWS = 20, 100


def person_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column that looks as if it said whose a row is, where persons have several.

    Parameters
    ----------
    table : Table
        Opened without `unit`.
    roles : mapping of str to str
        What is declared of columns: who says that one identifies nobody is believed.

    Returns
    -------
    str or None
        A column of text or whole numbers whose name says persons (`patient_id`, `pid`, `nhs
        number`), and of whose values some are in several rows. Where the name says it less surely
        (`subject`, `loan_id`), at least 20 different values, each in 100 rows at most on average.
        Of several columns the one of most different values; of equally many the first.

    Notes
    -----
    Only columns with such a name are looked at. A column whose name says nothing of persons is not
    found, whatever it holds.
    """
    found: list[tuple[int, str]] = []
    for name, column in table.columns.items():
        sure = _says_persons(name)
        declared = roles.get(name, "identifier") != "identifier"
        if sure is None or declared or column.yes_no or column.kind not in KINDS:
            continue
        try:
            known, different = table.repeats(name)
            enough = 2 if sure else LEAST_PERSONS
            some = enough <= different < known
            often = known > MOST_ROWS * different and not sure
            if some and not often and (not column.floating or table.is_whole(name)):
                found.append((-different, name))
        except InputError:  # a column that cannot be read is drawn by nobody
            continue
    return min(found, key=lambda it: it[0])[1] if found else None


def refuse_unsaid_persons(table: Table, roles: Mapping[str, str]) -> None:
    """Refuse a table that looks as if persons had several rows, where nobody said so or not.

    Raises
    ------
    RefusedError
        If there is a column that looks so.
    """
    name = person_column(table, roles)
    if name is None:
        return
    raise RefusedError(
        f"column {name!r} looks as if it said whose a row is, and some have several rows: then k"
        f" must count persons. Say so by unit={name!r} (in a policy file unit = {_quoted(name)}, on"
        f" the command line --unit {_word(name)}); or say that each row is a person of its own by"
        " unit=False (unit = false, --no-unit)"
    )


def _says_persons(name: str) -> bool | None:
    """Tell whether a name says surely whose a row is; None where it does not say so.

    Examples
    --------
    >>> _says_persons("PatientID"), _says_persons("subject"), _says_persons("hospital_id")
    (True, False, None)
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", parted)]
    said = {*words, "".join(words)}
    if said & ABOUT or {*words} & THINGS:
        return None
    persons, numbered = said & PERSONS, {*words} & NUMBERS
    if said & NAMES == {"id"} and len(words) > 1 and not persons:
        return False
    if said & NAMES or (persons and numbered):
        return True
    return False if persons or "id" in words else None


def _quoted(name: str) -> str:
    import tomli_w

    return tomli_w.dumps({"a": name})[len("a = ") : -1]


def _word(name: str) -> str:
    import shlex

    return shlex.quote(name)
