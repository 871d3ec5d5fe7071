"""The copy of the whole table as a released table, with its report and attacks on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Floats
from discreet.columns import Column
from discreet.columns.column import Copy
from discreet.columns.native import integer_columns
from discreet.custodian.gate import add_provenance
from discreet.custodian.session import Session
from discreet.custodian.tables import check_formula, study_facts
from discreet.errors import RefusedError
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.notes import MEASURED, REPORT, column_notes, derived_notes
from discreet.measure.attack_report import AttackReport, attacked
from discreet.measure.attacks import Copy as Attacked
from discreet.measure.attacks import Records, comparable, in_keyed_order, maker_of, told_as
from discreet.measure.attacks_by_copies import versions as who_left
from discreet.measure.attacks_on_copy import found_records
from discreet.measure.evaluate import COUNT_STEPS, FAR_GUARDED, Measured, measured
from discreet.measure.pairs import Estimate, Pair, Side
from discreet.measure.report import Report
from discreet.measure.summary import rings
from discreet.methods import Whole
from discreet.methods.copies import MISSING, OTHER, Levels, WholeCopy
from discreet.policy.resolve import TABLE
from discreet.provenance import Provenance
from discreet.register.rules import ATTACK_RINGS
from discreet.release import Pieces, Release, arrow_table, in_declared_order
from discreet.vault.vault import as_copy, check_kept
from discreet.vault.whole_columns import RawWhole

if TYPE_CHECKING:
    import pyarrow as pa


ATTACKS = "attack"
"""What the register calls a report of attacks."""

COMPLETE = 0.5
"""Of a report so many rows have a number in each column that it is measured on."""


def release_whole(
    session: Session,
    columns: tuple[str, ...],
    formula: str | None,
    risk_below: float | None,
    derived: DerivedCopy | None = None,
) -> Release:
    """Make a released table of the copy with its report, and the gates of both.

    What is `derived` of the copy is released with the report on the copy that it is of.
    """
    raw, made = session.made_whole()
    whole = session.whole if derived is None else derived.whole
    copy = whole.copy
    check_kept(session.kept.copy, as_copy(raw, made), raw.partitions)
    pair = _pair(raw, made)
    if formula is not None:
        check_formula(pair, formula)
    released = comparable(side_of(made.numbers, made.levels))
    before = told_as(comparable(side_of(raw.numbers, raw.levels)), released)
    measures = _measured(session, pair, formula, found_records(before, released))
    linked = measures.risks.get("linkage")
    if risk_below is not None and (linked is None or linked.share >= risk_below):
        raise RefusedError(
            "the share of records that are linked to their own released row is not below"
            " risk_below=; the custodian can open a study with a larger m or k"
        )
    rows = _rows(whole, columns)
    named = whole.sources(columns if derived is None else (*columns, *derived.asked))

    choices = {} if formula is None else {"formula of the report": formula}
    loud = {ATTACK_RINGS: "rings"}
    rung = partial(_release, session, named, (loud, choices), copy.version)
    gate = (
        rung if rings(measures) else partial(_release, session, named, ({}, choices), copy.version)
    )
    asks = [[*it] for it in derived.asks] if derived else []
    of_table, of_report = session.sealers_of_release(
        columns, copy.version, formula=formula, derived=asks
    )
    title = session.name or "a frame without a name"
    report = Report(
        title=f"Protected copy of {title}",
        made=MappingProxyType(_facts(session, columns, formula)),
        measured=measures,
        notes=(*_notes(session, raw, pair), *_derivation(session, columns, derived)),
        gate=partial(gate, None),
        sealer=of_report,
    )

    def attack(pairs: int) -> AttackReport:
        """Attack the copy; what is found is the custodian's, and is released once it is rounded."""
        found = attack_whole(raw, made, f"Attacks on the copy of {title}", pairs)
        return leaving_rounded(session, found, {REPORT: ATTACKS, "pairs": pairs})

    framework, note = session.table.framework, session.release_gate.note
    release = Release(rows, report, framework, gate, attacker=attack, note=note, sealer=of_table)
    return dataclasses.replace(release, rung=rung)


def _release(
    session: Session,
    named: Sequence[str],
    choices: tuple[Mapping[str, str], Mapping[str, str]],
    version: str,
    form: str | None,
    report: str | None,
    provenance: Provenance | None = None,
) -> None:
    """Record that a table is released, its report with a provenance, or both.

    `choices` are those of both, and of the report alone.
    """
    of_both, of_report = choices
    keeper, records = session.release_gate, []
    if form is not None:
        records.append(keeper.record_from_copy(TABLE, named, form, version))
    if report is not None:
        record = keeper.record_from_copy(REPORT, named, report, version)
        record = dataclasses.replace(record, choices={**record.choices, **of_report})
        records.append(add_provenance(record, provenance))
    records = [dataclasses.replace(it, choices={**it.choices, **of_both}) for it in records]
    keeper.release(records)


def leaving_rounded(
    session: Session, found: AttackReport, request: Mapping[str, Any]
) -> AttackReport:
    """Return a report of attacks that is sealed, and recorded where it is released rounded."""
    copy = session.kept.copy
    gate = session.gate_of_copy(ATTACKS, [*copy.columns, *copy.strata], copy.version)
    sealer = session.sealer(request, MEASURED, copy.version)
    return dataclasses.replace(found, sealer=sealer, gate_of_rounded=gate)


def _rows(whole: WholeTable, columns: Sequence[str]) -> Pieces:
    """Return some columns of the copy: as one piece, or as they are read from its file."""
    copy, raw = whole.copy, {name: whole.raw[name] for name in whole.raw if name in columns}
    for name in {*copy.whose} & {*raw}:  # whatever it is in the data, here it is numbers
        raw[name] = dataclasses.replace(raw[name], numeric=True, dates=None)
    if copy.pieces is not None:
        different: dict[str, set[str]] = {name: set() for name in raw if name in copy.strata}
        for _, words in copy.parts([*different]) if different else ():
            for name, of in words.items():
                different[name].update(of)
        integers = _whole_of_parts(copy, raw)
        return Pieces(tuple(raw), partial(_pieces, copy, raw, different, integers))
    numbers = {**copy.columns, **copy.whose}
    numbers = {name: numbers[name] for name in raw if name in numbers}
    integers = integer_columns({n: it for n, it in numbers.items() if raw[n].dates is None})
    levels = {name: copy.strata[name] for name in raw if name in copy.strata}
    table = arrow_table(numbers, levels, raw, whole=integers)
    return Pieces.of(in_declared_order(table, raw))


def _whole_of_parts(copy: Copy, raw: Mapping[str, Column]) -> set[str]:
    """Name the columns of a copy in a file whose numbers are whole in each of its parts."""
    named = {*copy.columns, *copy.whose}
    found = {name for name in raw if name in named and raw[name].dates is None}
    some: set[str] = set()
    for numbers, _ in copy.parts([*found]) if found else ():
        known = {n: it for n, it in numbers.items() if n in found and not np.isnan(it).all()}
        whole = integer_columns(known)
        found -= {*known} - whole
        some |= whole
    return found & some


def _pieces(
    copy: Copy,
    raw: Mapping[str, Column],
    different: Mapping[str, Collection[str]],
    integers: Collection[str],
) -> Iterator[pa.Table]:
    """Read a copy from its file; the copy is held, or its folder would go."""
    for numbers, levels in copy.parts([*raw]):
        table = arrow_table(numbers, levels, raw, different, integers)
        yield in_declared_order(table, raw, different)


def _derivation(
    session: Session, columns: Sequence[str], derived: DerivedCopy | None
) -> tuple[str, ...]:
    whole = session.whole if derived is None else derived.whole
    steps = [*derived_notes(session.policy, whole.beneath(columns))]
    steps += derived.steps if derived else ()
    of = "The report describes the whole copy; the table was made from it"
    return (f"{of}: {'; '.join(steps)}.",) if steps else ()


def _pair(raw: RawWhole, made: WholeCopy) -> Pair:
    """Return released rows beside the raw ones that each was drawn for, where numbers are known.

    Columns with many gaps are left out, or hardly a row would be left.
    """
    at, n = made.source, len(made.source)
    gaps = {
        name: np.isnan(values) | np.isnan(raw.numbers[name][at])
        for name, values in made.numbers.items()
    }
    complete, names = np.ones(n, dtype=np.bool_), []
    for name in sorted(gaps, key=lambda name: (int(gaps[name].sum()), name)):
        if (complete & ~gaps[name]).sum() >= COMPLETE * n:
            complete &= ~gaps[name]
            names.append(name)
    numbers = [
        {name: of[name][rows] for name in sorted(names)}
        for of, rows in ((raw.numbers, at[complete]), (made.numbers, complete))
    ]
    released = {n: Levels(of.words, of.codes[complete]).texts() for n, of in made.levels.items()}
    before = {}
    for name, of in made.levels.items():
        own = raw.levels[name]
        kept = [word if word in of.words else OTHER for word in own.words]
        codes = own.codes[at[complete]]
        before[name] = Levels((*kept, MISSING), np.where(codes < 0, len(kept), codes)).texts()
    return Pair(Side.of(numbers[0], before), Side.of(numbers[1], released), same_rows=True)


def _measured(session: Session, pair: Pair, formula: str | None, records: Estimate) -> Measured:
    """Measure risk and use of the whole copy, as far as a report may say them."""
    policy = session.policy
    far = max(FAR_GUARDED, COUNT_STEPS * policy.round_to)
    found = measured(pair, formula=formula, far=far, guard=policy.k)
    # Combinations of levels are those of rows that were drawn anew: they are of no person.
    risks = MappingProxyType({**found.risks, "records": records})
    found = dataclasses.replace(
        found, risks=risks, k=None, l=None, t=None, strata=(), combinations=()
    )
    return found.rounded(policy.round_to)


def _facts(session: Session, columns: tuple[str, ...], formula: str | None) -> dict[str, Any]:
    policy, copy = session.policy, session.whole.copy
    sources = session.whole.sources(columns)
    facts: dict[str, Any] = {
        "method": Whole.name,
        "promises": Whole.promises,
        "does not protect": Whole.leaves_open,
        "k": policy.k,
        "m": policy.members,
        "columns": list(columns),
        "sensitive": list(session.sensitive) or None,
        "prepared": [*copy.remarks, *column_notes(session.kept, sources)] or None,
        "formula": formula,
        **study_facts(session, copy.version),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _notes(session: Session, raw: RawWhole, pair: Pair) -> tuple[str, ...]:
    notes = [
        "Risk and utility are measured by comparing each row with the record that it was drawn for."
    ]
    gaps = [name for name in session.kept.copy.columns if name not in pair.original.numbers]
    if gaps:
        notes.append(f"Not measured, because values are missing: {', '.join(sorted(gaps))}.")
    if raw.partitions > 1:
        notes.append(
            "The copy was made in random partitions, each by itself; risk and utility are "
            "measured on one of them, where fewer records are alike than in the whole table."
        )
    if session.table.unit is not None:
        notes.append("Figures count rows; groups count people.")
    return tuple(notes)


# --- attacks on the copy of a whole table, made again as the study makes it -----------------------


def attack_whole(raw: RawWhole, made: WholeCopy, title: str, pairs: int) -> AttackReport:
    """Try all attacks on a copy of a whole table, with copies made by secrets of their own.

    `pairs` of copies are made for each attack on membership. The figures are exact.
    """
    table = side_of(raw.numbers, raw.levels)
    copy = Attacked(side_of(made.numbers, made.levels), made.source)
    return attacked(
        table,
        maker_of(raw.settings, raw.unit is not None),
        copy,
        persons=raw.persons,
        k=raw.settings.k,
        pairs=pairs,
        title=title,
        made=_method_facts(raw),
    )


def attack_versions(
    raw: RawWhole, title: str, versions: int, leave: float, repeats: int
) -> AttackReport:
    """See whether so many versions of a table would give away who left it between them."""
    make = maker_of(raw.settings, raw.unit is not None)
    table = side_of(raw.numbers, raw.levels)
    records, _ = in_keyed_order(Records.of(table, raw.persons))
    found = who_left(records, make, copies=versions, leave=leave, repeats=repeats)
    return AttackReport(title, MappingProxyType(_method_facts(raw)), (found,))


def _method_facts(raw: RawWhole) -> dict[str, Any]:
    it = raw.settings
    facts: dict[str, Any] = {"method": Whole.name, "k": it.k, "m": it.m}
    facts |= {"sensitive": [*it.sensitive], "tables": [" by ".join(pair) for pair in it.tables]}
    return {name: value for name, value in facts.items() if value}


def side_of(numbers: Mapping[str, Floats], levels: Mapping[str, Levels]) -> Side:
    """Return columns as measures take them."""
    texts = {name: column.texts() for name, column in levels.items()}
    return Side.of(numbers, texts)
