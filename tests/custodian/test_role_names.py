"""What names of columns say of their roles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.custodian.persons import BEFORE, QUASI, role_named

#: By role: names as data sets of several fields and languages have them.
NAMES: dict[str | None, str] = {
    "identifier": """PatientID nhs_number E-Mail surname lname fname Vorname Geburtsdatum apellidos
    prénom date_of_birth birthDate""",
    "sensitive": """income hhincome hh_income HHINCOME faminc hhninc wage wages lwage lwage76
    logwage wagew salary netsalary earnings diagnosis dx icd10 HIV death loan_default depression
    Einkommen nettoeinkommen revenu ingresos reddito renda inkomen""",
    "quasi-identifier": """age agew ageh mage age_grp agegroup agecat AGEYR educ educw educyr
    educ_level zip zip5 zipcode zip_code birth_year birthyr birthyear yob byear kids nkids kids618
    hhsize race ethn female married occ jobcode sexe âge Alter PLZ Geburtsjahr edad código_postal
    idade ålder kön leeftijd gemeente commune""",
    "other": "sbp hdl creatinine glucose_2h",
    None: """kappa futime x1 page stage usage image average percentage message mileage dosage damage
    storage manage since zinc inch grace terrace essex weight""",
}
ALL = [(name, role) for role, names in NAMES.items() for name in names.split()]


@pytest.mark.parametrize(("name", "role"), ALL, ids=[name for name, _ in ALL])
def test_what_a_name_says(name: str, role: str | None) -> None:
    assert role_named(name) == role


@given(st.sampled_from(sorted(BEFORE)), st.sampled_from(["age", "education", "occupation"]))
def test_whose_it_is_does_not_change_what_it_is(before: str, word: str) -> None:
    assert role_named(f"{before}_{word}") == role_named(word) == "quasi-identifier"
    assert word in QUASI
