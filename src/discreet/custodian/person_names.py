"""Whether the name of a column says that it tells persons apart: words of eight languages."""

from __future__ import annotations

import re
from enum import IntEnum

from discreet.custodian.role_names import parts_of, plain, role_named, words_in


class Named(IntEnum):
    """How surely the name of a column says whose a row is: the larger, the surer.

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


def named_by(name: str) -> Named:
    """Say how surely the name of a column says whose a row is.

    Examples
    --------
    >>> [named_by(name).name for name in ("patient_id", "subject", "nr", "x", "ward_id")]
    ['SURELY', 'MAYBE', 'NUMBER', 'UNSAID', 'OTHER']
    >>> [named_by(name).name for name in ("Patientennummer", "codigo_paciente", "num_dossier")]
    ['SURELY', 'SURELY', 'NUMBER']
    """
    words = [plain(word) for word in parts_of(re.sub(NUMBER_SIGN, " nr ", name))]
    said = {*words, "".join(words)}
    if words.count("name") == 1 and {*words} <= PERSONS | WHOSE_NAME:
        return Named.NUMBER
    if said & ABOUT or {*words} & THINGS or _is_of_things(words):
        return Named.OTHER
    persons, numbered = said & PERSONS, {*words} & NUMBERS
    if said & NAMES == {"id"} and len(words) > 1 and not persons:
        return Named.MAYBE
    if said & NAMES or (persons and numbered) or any(map(_is_of_persons, said)):
        return Named.SURELY
    if "id" in words or (persons and {*words} <= PERSONS):
        return Named.MAYBE
    role = role_named(name)
    if role is not None and role != "identifier":
        return Named.OTHER
    # Also an address or a telephone number is of persons, where the rows look so.
    return Named.NUMBER if numbered or role is not None or said & WEAK else Named.UNSAID


def _is_of_persons(word: str) -> bool:
    """Whether a compound says a number of a person (Probandennr, idpaciente)."""
    return _is_compound(word, PERSONS)


def _is_of_things(words: list[str]) -> bool:
    return any(_is_compound(word, THINGS) for word in words)


def _is_compound(word: str, parts: frozenset[str]) -> bool:
    for number in NUMBERS:
        rest = word.removesuffix(number)
        if rest != word and any(rest == part + it for part in parts for it in JOINED):
            return True
        if word != number and word.startswith(number) and word.removeprefix(number) in parts:
            return True
    return False
