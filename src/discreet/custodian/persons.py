"""Whose a row is: columns that look as if they said so, and rows that look as if they were alike.

A table in which people have several rows must say which are whose, for k counts people. A column
is found by its name, and by what it holds: few rows for each of many values, of which other columns
say the same. Names are looked at in eight languages. Whoever opens the table decides; nothing that
is released hangs on what is found here.
"""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discreet.arguments import Labels
from discreet.columns import KINDS
from discreet.columns.dates import DATE
from discreet.errors import InputError, RefusedError
from discreet.methods.alike import BY_CHANCE, CELLS, alike, as_codes
from discreet.policy.words import toml_of
from discreet.table import Table

# --- what a column's name says of its role --------------------------------------------------------


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


# --- what a column's name says of persons ---------------------------------------------------------


class Evidence(IntEnum):
    """How surely the name of a column identifies the person of each row: the larger, the surer.

    `SURELY` and `MAYBE` say so; `NUMBER` says that something is numbered, `UNSAID` nothing, and
    `OTHER` something else.
    """

    OTHER = 0
    UNSAID = 1
    NUMBER = 2
    MAYBE = 3
    SURELY = 4


# In lower case and without accents: English, then German, French, Spanish, Italian, Portuguese,
# Dutch and Scandinavian.
PERSONS = words_in(
    """patient person participant subject respondent member client customer user employee worker
    student pupil child infant baby mother father parent family household resident citizen voter
    passenger individual volunteer donor case pat pers subj resp part hh
    patienten personen proband probanden teilnehmer versuchsperson versuchspersonen befragter
    befragte befragten versicherter versicherte versicherten kunde kunden schuler mitarbeiter
    mitglied mitglieder kinder haushalt haushalts familien bewohner einwohner mutter vp tn
    personne sujet repondant eleve etudiant enfant employe salarie menage famille assure individu
    malade adherent
    paciente persona participante sujeto encuestado cliente alumno estudiante nino empleado hogar
    familia individuo afiliado
    paziente partecipante soggetto intervistato alunno studente bambino dipendente famiglia
    assistito
    pessoa sujeito aluno estudante crianca empregado utente
    persoon deelnemer proefpersoon klant leerling werknemer gezin huishouden
    deltagare deltager deltaker kund elev barn anstalld hushall familj borger"""
)
NUMBERS = words_in(
    """id ids identifier uuid guid no nr num number key code pseudonym
    nummer kennung kennziffer kennzeichen kode ziffer schlussel pseudonym
    numero identifiant cle identificador codigo cod clave identificativo codice chiave chave
    sleutel nyckel kod nokkel nogle"""
)
NAMES = words_in(
    """id identifier uuid guid pid eid uid ptid hhid seqn nhs ssn mrn nino passport chi nhsno
    nhsnumber patid patientid personid subjid usubjid subjectid participantid respondentid memberid
    clientid customerid userid employeeid studentid pupilid childid familyid famid householdid
    caseid recordid studyid passengerid iid pidp hhidpn mergeid idauniq idno username
    idnr idnum idnumber idcode nrid persnr pnr patnr vpnr kvnr pseudonym kennung matricule
    identifiant identificador identificativo personnummer personnr fodselsnummer cpr bsn dni nif
    nir cpf lopnr lopnummer lfdnr fallnr fallnummer matrikelnummer idpers idind codicefiscale"""
)
WEAK = words_in("record rec ref reference dossier akte seq rid sid cid nid mid fid tid lfd")
# What is numbered, where it is no person.
THINGS = words_in(
    """hospital site ward centre center clinic practice gp doctor physician nurse provider staff
    interviewer teacher school class department region district country county city town state area
    zone station location place room bed house building store shop branch company firm employer
    bank cluster arm batch plate well drug medication product item order visit event episode
    encounter admission stay test exam question sample specimen scan image image device machine
    sensor model trial group team category type status event transaction session page file version
    wave round year month week day date time language currency postcode zip
    diagnosis dx icd atc drg cpt procedure industry occupation job sector brand tract block sector
    krankenhaus klinik arzt schule klasse lehrer kreis gemeinde land bundesland stadt ort plz besuch
    untersuchung probe jahr monat woche tag datum welle produkt artikel diagnose beruf branche firma
    betrieb zentrum schul haus zimmer konto post rechnung rechnungs auftrag auftrags bestell
    hopital clinique service medecin ecole classe commune departement ville pays visite examen
    echantillon annee mois jour vague produit centre metier
    clinica medico escuela provincia municipio ciudad pais visita muestra ano mes dia producto
    centro
    ospedale reparto scuola comune citta paese campione anno giorno prodotto
    escola cidade amostra produto
    ziekenhuis afdeling arts stad bezoek jaar maand dag
    sjukhus sygehus sykehus avdelning lakare skola kommun kommune besok ar"""
)
# What makes of persons a number of them, or something about them.
ABOUT = words_in(
    """count size sum total mean average median max min rate ratio share percent pct score index
    age sex gender income weight height date year month day time status type group class category
    level stage role kind name has is per of in with any valid flag bin
    anzahl alter geschlecht einkommen gewicht summe anteil
    nombre edad sexo ingreso peso nb age sexe revenu poids eta sesso reddito idade renda leeftijd
    geslacht inkomen alder kon inkomst antal"""
)
WHOSE_NAME = words_in("name first last full family given sur")
NUMBER_SIGN = r"\b[Nn][°º]|№|#"
JOINED = ("", "en", "n", "s", "e", "es")
"""What may stand between the parts of a compound."""


def person_evidence(name: str) -> Evidence:
    """Say how surely the name of a column says whose a row is.

    Examples
    --------
    >>> names = ("patient_id", "subject", "nr", "x", "ward_id")
    >>> [person_evidence(name).name for name in names]
    ['SURELY', 'MAYBE', 'NUMBER', 'UNSAID', 'OTHER']
    >>> names = ("Patientennummer", "codigo_paciente", "num_dossier")
    >>> [person_evidence(name).name for name in names]
    ['SURELY', 'SURELY', 'NUMBER']
    """
    words = [plain(word) for word in parts_of(re.sub(NUMBER_SIGN, " nr ", name))]
    parts = {*words, "".join(words)}
    if words.count("name") == 1 and {*words} <= PERSONS | WHOSE_NAME:
        return Evidence.NUMBER
    if parts & ABOUT or {*words} & THINGS or any(_is_compound(word, THINGS) for word in words):
        return Evidence.OTHER
    persons, numbered = parts & PERSONS, {*words} & NUMBERS
    if parts & NAMES == {"id"} and len(words) > 1 and not persons:
        return Evidence.MAYBE
    of_person = any(_is_compound(word, PERSONS) for word in parts)  # as in Probandennr, idpaciente
    if parts & NAMES or (persons and numbered) or of_person:
        return Evidence.SURELY
    if "id" in words or (persons and {*words} <= PERSONS):
        return Evidence.MAYBE
    role = role_named(name)
    if role is not None and role != "identifier":
        return Evidence.OTHER
    # Also an address or a telephone number is of persons, where the rows look so.
    return Evidence.NUMBER if numbered or role is not None or parts & WEAK else Evidence.UNSAID


def _is_compound(word: str, parts: frozenset[str]) -> bool:
    for number in NUMBERS:
        rest = word.removesuffix(number)
        if rest != word and any(rest == part + it for part in parts for it in JOINED):
            return True
        if word != number and word.startswith(number) and word.removeprefix(number) in parts:
            return True
    return False


LEAST_PERSONS, MOST_ROWS = 20, 100
WHOLE = 0.95
"""So many of the numbers that are people are whole: a slip of the pen makes no other column."""
EQUAL = 0.95
"""So many of the people of a balanced table have equally many rows."""
IN_TURN = 0.9
"""So many rows have a larger value than the one before, though all values come again."""
CONSTANT, VARIES = 0.9, 0.9
"""How far a column agrees within people beyond chance; and more is so constant for everybody."""
SAME = 1.1
"""Two columns that go together have hardly more pairs of values than values."""

MOST_ROWS_READ, MOST_CELLS = 100_000, 2_000_000
"""So many rows, and cells, are looked at: the first ones."""
REPEATED, LEAST_REPEATED = 0.05, 10
"""A table in which so large a share of the rows, and so many, repeat another one is asked about."""


# --- a column of persons --------------------------------------------------------------------------


def person_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column that looks as if it said whose a row is, where people have several.

    The table was opened without `unit`; who declares by `roles` that a column identifies nobody is
    believed. It is a column of text or whole numbers, of whose values some are in several rows. A
    name that says people (`patient_id`, `pid`, `Probandennummer`) is enough; where it says it less
    surely (`subject`, `loan_id`), there are at least 20 different values, each in 100 rows at most
    on average. A name that says a number alone (`nr`, `code`), or nothing, is taken for one where
    the rows look so, too: see `_Rows.are_of_persons`. Of several columns it is the one of the
    surest name, of most different values, or the first.
    """
    rows = _Rows(table)
    found: list[tuple[int, int, int, str]] = []
    for place, (name, column) in enumerate(table.columns.items()):
        named = person_evidence(name)
        declared = roles.get(name, "identifier") != "identifier"
        if named is Evidence.OTHER or declared or column.yes_no or column.kind not in KINDS:
            continue
        try:
            different = _persons(table, rows, name, named)
        except InputError:  # a column that cannot be read is drawn by nobody
            continue
        if different:
            sure = named.value if different >= LEAST_PERSONS else 0
            found.append((-sure, -different, place, name))
    return min(found)[-1] if found else None


def _persons(table: Table, rows: _Rows, name: str, named: Evidence) -> int:
    if named in (Evidence.NUMBER, Evidence.UNSAID):
        return rows.are_of_persons(name, named is Evidence.NUMBER)
    known, different = table.repeats(name)
    least = 2 if named is Evidence.SURELY else LEAST_PERSONS
    often = known > MOST_ROWS * different and named is not Evidence.SURELY
    if not least <= different < known or often:
        return 0
    broken = table.columns[name].floating and not table.is_whole(name, _slips(known))
    return 0 if broken else different


def _slips(known: int) -> int:
    return 1 + int((1 - WHOLE) * known)


def refuse_unsaid_persons(table: Table, roles: Mapping[str, str]) -> None:
    """Refuse a table that looks as if people had several rows, where nobody said so or not."""
    name = person_column(table, roles)
    if name is not None:
        raise RefusedError(
            f"column {name!r} looks as if it identifies people, some with several rows: then k "
            f"must count people. Declare it: unit={name!r} (in a policy file unit = "
            f"{toml_of(name)}, on the command line --unit {shlex.quote(name)}); or, if each row "
            "is a different person, declare unit=False (unit = false, --no-unit)"
        )
    if repeats_rows(table):
        raise RefusedError(
            "many rows are alike in all columns, more than chance makes them: some people seem to"
            " have several rows, as in a table that was joined with visits; then k must count"
            " people. Keep the column that says whose a row is, and name it by unit='person' (in a"
            ' policy file unit = "person", on the command line --unit person); or say that each row'
            " is a person of its own by unit=False (unit = false, --no-unit): rows alike are then"
            " counted as one person's where the protected copy is made, and nowhere else"
        )


# --- what rows look like --------------------------------------------------------------------------


class _Sizes(NamedTuple):
    """Of a column: which rows have a value, which value, and how many rows each value has."""

    rows: Labels
    at: Labels
    sizes: Labels

    @property
    def are_few(self) -> bool:
        """Whether there are many values, of few rows each, and some of several."""
        rows, different = len(self.rows), len(self.sizes)
        some = rows - different >= max(LEAST_REPEATED, REPEATED * rows)
        return different >= LEAST_PERSONS and some and rows <= MOST_ROWS * different

    @property
    def are_equal(self) -> bool:
        """Whether nearly all values have equally many rows, as in a balanced table."""
        usual = np.bincount(self.sizes).argmax()
        return bool(usual > 1 and (self.sizes == usual).mean() >= EQUAL)

    @property
    def stand_together(self) -> bool:
        """Whether all rows of a value follow one another."""
        return int((np.diff(self.at) != 0).sum()) + 1 == len(self.sizes)

    @property
    def are_in_turn(self) -> bool:
        """Whether rows are of people in turn, and again, as where waves stand below each other."""
        return float((np.diff(self.at) > 0).mean()) >= IN_TURN


@dataclass(frozen=True, eq=False)
class _Rows:
    """The first rows of a table, read once, and only where a name does not say enough."""

    table: Table

    @cached_property
    def columns(self) -> Mapping[str, Any]:
        return _first_rows(self.table)

    @cached_property
    def codes(self) -> Mapping[str, Labels]:
        return {
            name: as_codes(it, CELLS[1]) if isinstance(it, np.ndarray) else _words(it)
            for name, it in self.columns.items()
        }

    def are_of_persons(self, name: str, numbered: bool) -> int:
        """Return how many people a column tells apart, if the rows look so; else 0.

        Where the name says that something is `numbered`, one of these is enough: equally many rows
        each, or values in turn; two columns or more that are constant within; one such of the
        table's first column; or a first column in which rows of one value follow one another. Where
        it says nothing, there must be equally many rows each, or values in turn, or it must be the
        first column, and two columns or more must be constant within.
        """
        sizes = self._sizes(name)
        if sizes is None or not sizes.are_few:
            return 0
        first, different = name == next(iter(self.table.columns)), len(sizes.sizes)
        if not numbered:
            like = first or sizes.are_equal or sizes.are_in_turn
            return different if like and self._constant(name, sizes) > 1 else 0
        if sizes.are_equal or sizes.are_in_turn or (first and sizes.stand_together):
            return different
        return different if self._constant(name, sizes) + first > 1 else 0

    def _sizes(self, name: str) -> _Sizes | None:
        """Return the values of a column, exactly; None where they cannot be people."""
        values = self.columns.get(name)
        if values is None:
            return None
        if isinstance(values, np.ndarray):
            known = np.flatnonzero(np.isfinite(values))
            if (values[known] != np.rint(values[known])).sum() >= _slips(len(known)):
                return None
            cells = values[known]
        else:
            cells = _words(values)
            known = np.flatnonzero(cells >= 0)
            cells = cells[known]
        _, at, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        return _Sizes(known, at, sizes)

    def _constant(self, name: str, whose: _Sizes) -> int:
        """Count the other columns that are constant within each value, or nearly so.

        Of columns that have a value of their own for each, such as a name, one counts.
        """
        order = np.argsort(whose.at, kind="stable")
        rows, at = whose.rows[order], whose.at[order]
        same = np.flatnonzero(at[1:] == at[:-1])
        found, named = 0, 0
        for other, codes in self.codes.items():
            here = codes[rows]
            chance = float(np.square(np.bincount(here - here.min()) / len(here)).sum())
            if other == name or chance > VARIES:
                continue
            agree = float((here[same] == here[same + 1]).mean())
            if agree - chance < CONSTANT * (1 - chance):
                continue
            different = len(np.unique(here))
            pairs = len(np.unique(at * (int(here.max()) + 2) + here))
            if pairs <= SAME * min(different, len(whose.sizes)):
                named = 1
            else:
                found += 1
        return found + named


def _words(column: Any) -> Labels:
    """Return the levels of a column as numbers, -1 where one is missing."""
    codes = np.asarray(column.indices).astype(np.intp)
    missing = [i for i, word in enumerate(column.dictionary.to_pylist()) if not word]
    return np.where(np.isin(codes, missing), -1, codes)


def _first_rows(table: Table) -> dict[str, Any]:
    """Read the columns that may be drawn, as far as they can be read, of the first rows."""
    drawn = {name: it for name, it in table.columns.items() if it.kind in (*KINDS, DATE)}
    if not drawn:
        return {}
    most = max(1, min(MOST_ROWS_READ, MOST_CELLS // len(drawn)))

    def read(names: Sequence[str]) -> dict[str, Any]:
        texts = [name for name in names if drawn[name].kind == "categorical"]
        return table.first_rows([name for name in names if name not in texts], texts, most)

    try:
        return read([*drawn])
    except InputError:  # of a column of mixed types, which nothing is drawn of
        readable = [name for name in drawn if table.can_read(name)]
        return read(readable) if readable else {}


# --- rows that are alike --------------------------------------------------------------------------


def repeats_rows(table: Table) -> bool:
    """Whether many rows are alike in all columns, by no chance: people seem to have several.

    The first rows are looked at. What is alike among them is a part of what is alike in all: the
    fewer they are of all rows, the fewer repeats are enough.
    """
    kept = {n: it for n, it in _first_rows(table).items() if table.columns[n].role != "identifier"}
    numbers = {name: it for name, it in kept.items() if isinstance(it, np.ndarray)}
    codes = {name: _words(it) for name, it in kept.items() if name not in numbers}
    if not kept:
        return False
    seen = len(next(iter(kept.values())))
    least = max(LEAST_REPEATED, math.ceil(REPEATED * seen * seen / table.size))
    for cell in CELLS:
        found = alike(numbers, codes, cell, least)
        if found.repeats < least:  # there are no more in finer cells
            return False
        if found.by_chance <= BY_CHANCE[0] * found.pairs:
            return True
    return False
