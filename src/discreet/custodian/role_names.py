"""What the name of a column says of its role: words of some languages, and compounds of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# Words of names in lower case, without accents and without the s of several: English, then German,
# French, Spanish, Italian, Portuguese, Dutch and Scandinavian. Who is named by more than one kind
# is of the first.
IDENTIFIERS = words_in(
    """id identifier uuid guid name forename surname lastname firstname fullname
    username email mail phone telephone mobile fax address street nhs ssn mrn nino passport iban
    dob birthdate birthday imei ip url licence license plate patientid personid subjectid userid
    caseid recordid studyid participantid memberid passengerid customerid
    vorname nachname familienname strasse anschrift telefon geburtsdatum versichertennummer
    nom prenom adresse telephone datenaissance
    nombre apellido direccion telefono dni nif cognome indirizzo cpf sobrenome endereco
    voornaam achternaam straat adres bsn geboortedatum personnummer cpr fodselsnummer"""
)
SENSITIVE = words_in(
    """diagnosis diagnose diag dx disease disorder illness hiv aid cancer tumour tumor
    income inc hhinc faminc hhninc linc lninc loginc totinc salary wage earning earn pay
    outcome religion sexual orientation mental depression depressed psychiatric suicide
    alcohol drug smoker smoking smoke cigarette tobacco drinking abuse pregnancy pregnant abortion
    crime criminal conviction arrest offence credit debt loan default death died dead deceased
    survived survival mortality political party vote union genetic genotype disability disabled
    diabetes diabetic treatment therapy medication icd wealth saving bankrupt benefit violence
    victim infection
    krankheit erkrankung einkommen gehalt lohn verdienst vermogen schulden rauchen raucher tod
    gestorben verstorben partei kredit
    maladie diagnostic revenu salaire deces dette
    enfermedad diagnostico ingreso salario renta fallecido muerte deuda
    malattia reddito stipendio morte doenca renda obito
    ziekte inkomen salaris loon inkomst indkomst inntekt sjukdom sygdom"""
)
QUASI = words_in(
    """age sex gender female male woman man postcode zip zipcode postal region district county city
    town country state province commune municipality village nationality citizen citizenship
    ethnicity ethnic ethn race black white hispanic occupation occ job profession employer employed
    employment unemployed industry education educ edu ed schooling school college degree marital
    married divorced widowed spouse household hhsize family child children kid sibling sibsp sib
    parch dependent language birth born birthplace yob byear cohort residence location place
    latitude longitude lat lon lng urban rural housing foreign foreigner migrant immigrant veteran
    rank unit ward hospital
    alter geschlecht plz postleitzahl wohnort bundesland kreis gemeinde beruf bildung
    schulabschluss familienstand staatsangehorigkeit geburtsjahr geburtsort kinder
    sexe codepostal ville departement naissance profession diplome nationalite enfant
    edad sexo genero codigopostal provincia municipio ciudad ocupacion educacion nacimiento hijo
    eta sesso cap comune istruzione nascita figli idade cep municipio escolaridade nascimento filho
    leeftijd geslacht gemeente beroep opleiding geboortejaar kinderen
    alder kon kjonn postnummer kommun kommune utbildning uddannelse utdanning yrke fodelsear barn"""
)
# What is measured on a person, and no common knowledge.
MEASURED = words_in(
    """pressure systolic diastolic sbp dbp pulse cholesterol hdl ldl triglyceride glucose insulin
    hba creatinine bilirubin albumin hemoglobin haemoglobin platelet leukocyte ferritin potassium
    sodium calcium urea crp tsh ecg egfr spirometry fev fvc"""
)
ROLE_OF = (
    ("identifier", IDENTIFIERS),
    ("sensitive", SENSITIVE),
    ("quasi-identifier", QUASI),
    ("other", MEASURED),
)

# What stands before and after such a word without a sign between: whose it is, and in what form.
BEFORE = words_in(
    """hh h w m f l n ln log sp self resp head fam family household mom dad mo fa mother father wife
    husband hus spouse partner child own cur current base at tot total ann annual net gross mean avg
    med median per num has is netto brutto haushalts"""
)
AFTER = words_in(
    """w h m f r c yr yrs year years mo month months cat cats grp group groups gp band class lvl
    level code cd now at dec n num k"""
)
SHORT = words_in("age sex zip edu job plz")
"""Of three letters: shorter than four letters, no other word is looked for within a name."""
LEAST_LETTERS = 4
DATES = {"date", "day", "time"}


def parts_of(name: str) -> list[str]:
    """Return the words of a name in lower case: those of "PatientID2" are patient and id."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.findall(r"[^\W\d_]+", parted)]


def words_of(name: str) -> set[str]:
    """Return the words of a name, each with and without its last s, and all of them in one."""
    parts = [plain(part) for part in parts_of(name)]
    words = {*parts, "".join(parts)}
    return words | {word[:-1] for word in words if re.search("[^s]s$", word)}


def role_named(name: str) -> str | None:
    """Return the role of which the name of a column speaks; None where it says nothing.

    A word that stands by itself counts before one within a compound.

    Examples
    --------
    >>> role_named("hhincome"), role_named("agew"), role_named("Geburtsjahr"), role_named("kappa")
    ('sensitive', 'quasi-identifier', 'quasi-identifier', None)
    """
    words = words_of(name)
    if "birth" in words and words & DATES:
        return "identifier"
    stems = {stem for word in words for stem in _stems(word)}
    found = (role for held in (words, stems) for role, known in ROLE_OF if held & known)
    return next(found, None)


def plain(word: str) -> str:
    """Return a word without accents and without letters that stand for others."""
    apart = unicodedata.normalize("NFKD", word.casefold().replace("ø", "o").replace("æ", "ae"))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _stems(word: str) -> Iterator[str]:
    """Yield what may be the words within a compound: without what stands before, after, or both."""
    heads = [word, *(word.removeprefix(it) for it in BEFORE if word.startswith(it))]
    for head in heads:
        for stem in (head, *(head.removesuffix(it) for it in AFTER if head.endswith(it))):
            if stem != word and (len(stem) >= LEAST_LETTERS or stem in SHORT):
                yield stem
                yield stem.removesuffix("s")
