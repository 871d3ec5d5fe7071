"""Files that were changed, or made to do harm: none opens, and none takes much memory."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.errors import InputError
from discreet.study_file import open_study_file
from discreet.study_file.reading import check_values_of
from discreet.study_file.signing import canonical_json
from tests.study_file.files import (
    AGAIN,
    LEVELS,
    LOST,
    MANIFEST,
    ROWS,
    Apart,
    again_of,
    apart,
    listed,
    parquet,
    rows_of,
    zipped,
    zipped_pairs,
)

FLOOR = 16 * 2**20
"""Bytes that reading may take of whatever file, for Python and pyarrow take some themselves."""
POOLS: list[pa.MemoryPool] = []
"""Pools live as long as what was taken from them."""

Mutation = Callable[[Apart], bytes]


def put(whole: bytes, at: int, new: bytes) -> bytes:
    return whole[:at] + new + whole[at + len(new) :]


def flipped(whole: bytes, at: int) -> bytes:
    return put(whole, at, bytes([whole[at] ^ 1]))


def all_of(it: Apart) -> dict[str, bytes]:
    return {**it.entries, MANIFEST: it.signed_text()}


def renamed(it: Apart, name: str) -> bytes:
    """The file with one more entry, of a name of its own."""
    return zipped({**all_of(it), name: b"{}"})


def listed_at(whole: bytes) -> int:
    """Where the list of entries begins."""
    return int(struct.unpack("<L", whole[-6:-2])[0])


def in_list(it: Apart, offset: int, new: bytes) -> bytes:
    """The file with other bytes in what the list says of its first entry."""
    return put(it.whole, listed_at(it.whole) + offset, new)


def unlisted(it: Apart) -> bytes:
    """The file with bytes of an entry that no list names."""
    start = listed_at(it.whole)
    whole = it.whole[:start] + b"PK\3\4 and more" + it.whole[start:]
    return put(whole, len(whole) - 6, struct.pack("<L", start + 13))


def overlapping(it: Apart) -> bytes:
    """The file in whose list the second entry begins where the first does."""
    start = listed_at(it.whole)
    second = it.whole.index(b"PK\1\2", start + 4)
    return put(it.whole, second + 42, struct.pack("<L", 0))


def many_entries(it: Apart) -> bytes:
    names = [(f"answers/a{at}.json", b"{}") for at in range(7_000)]
    return zipped_pairs([*all_of(it).items(), *names])


def replaced(column: str, values: pa.Array, it: pa.Table | None = None) -> pa.Table:
    table = rows_of(3_000) if it is None else it
    return table.set_column(table.schema.get_field_index(column), column, values)


def dictionary(*levels: str) -> pa.Table:
    codes = np.arange(3_000, dtype="int32") % 3
    return replaced("smoker", pa.DictionaryArray.from_arrays(pa.array(codes), list(levels)))


def with_first_page(it: Apart, offset: int, new: bytes) -> bytes:
    """The file with other bytes in the head of the first page of its rows."""
    return it.with_entry(ROWS, put(it.entries[ROWS], 4 + offset, new))


def with_footer_length(it: Apart, length: int) -> bytes:
    rows = it.entries[ROWS]
    return it.with_entry(ROWS, put(rows, len(rows) - 8, struct.pack("<L", length)))


def in_footer(it: Apart, old: bytes, new: bytes) -> bytes:
    """The file with the first such bytes of the footer of its rows replaced."""
    rows = it.entries[ROWS]
    end = len(rows) - 8 - int.from_bytes(rows[-8:-4], "little")
    assert old in rows[end:]
    return it.with_entry(ROWS, rows[:end] + rows[end:].replace(old, new, 1))


def beyond_levels(it: Apart) -> bytes:
    """Rows whose codes are all 3 though there are three levels: Arrow unpacks them without a word.

    A page so small is not packed: two bits a code, then 3,000 times the same.
    """
    codes = pa.array(np.zeros(3_000, dtype="int32"))
    rows = parquet(replaced("smoker", pa.DictionaryArray.from_arrays(codes, list(LEVELS))))
    assert rows.count(b"\2\xf0\x2e\0") == 1
    return it.with_entry(ROWS, rows.replace(b"\2\xf0\x2e\0", b"\2\xf0\x2e\3"))


def words_in_footer(it: Apart) -> bytes:
    made = io.BytesIO()
    rows = rows_of(3_000)
    with pq.ParquetWriter(made, rows.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"who": "ann"})
    return it.with_entry(ROWS, made.getvalue())


def required(it: Apart) -> bytes:
    table = rows_of(3_000)
    filled = replaced("age", pa.array(np.ones(3_000)), table)
    schema = filled.schema.set(0, pa.field("age", pa.float64(), nullable=False))
    return it.with_rows(filled.cast(schema))


def packed_bomb(it: Apart) -> bytes:
    bomb = zipfile.ZIP_DEFLATED
    return zipped({**it.entries, MANIFEST: bytes(50_000_000)}, {MANIFEST: {"compress_type": bomb}})


def twice_in_dictionary(it: Apart) -> bytes:
    columns = [dict(each) for each in it.plain["columns"]]
    columns[1]["levels"] = ["never", "former", "former"]
    return it.with_manifest(columns=columns)


def two_parts(it: Apart) -> bytes:
    entries = {
        **it.entries,
        ROWS: parquet(rows_of(3_000).slice(0, 1_500)),
        "rows/00001.parquet": parquet(rows_of(3_000).slice(1_500)),
    }
    return replace(it, plain={**it.plain, "entries": listed(entries)}, entries=entries).together()


def other_again(it: Apart, table: pa.Table, **options: object) -> bytes:
    """The file with another first copy of the copy, of as many rows as the manifest then says."""
    again = [dict(each) for each in it.plain["again"]]
    again[0]["rows"] = table.num_rows
    return it.with_entry(AGAIN, parquet(table, **options), again=again)


def without_again(it: Apart, name: str) -> bytes:
    """The file without a copy of the copy that the manifest tells of."""
    entries = {each: text for each, text in it.entries.items() if each != name}
    return replace(it, plain={**it.plain, "entries": listed(entries)}, entries=entries).together()


def rows_of_nothing(it: Apart) -> bytes:
    entries = {**it.entries, ROWS: b"PAR1", "rows/00001.parquet": b"PAR1"}
    plain = {**it.plain, "entries": listed(entries), "rows": 2_000_000}
    return replace(it, plain=plain, entries=entries).together()


def other_part(it: Apart) -> bytes:
    entries = {("rows/00007.parquet" if n == ROWS else n): text for n, text in it.entries.items()}
    return replace(it, plain={**it.plain, "entries": listed(entries)}, entries=entries).together()


BYTES: dict[str, Mutation] = {
    "nothing in it": lambda it: b"",
    "a text": lambda it: b"age,smoker\n41,never\n" * 100,
    "its Parquet alone": lambda it: it.entries[ROWS],
    "half of it": lambda it: it.whole[: len(it.whole) // 2],
    "its last byte is missing": lambda it: it.whole[:-1],
    "a byte more at the end": lambda it: it.whole + b"\0",
    "bytes before it": lambda it: b"#!/bin/sh\n" + it.whole,
    "it stands twice": lambda it: it.whole * 2,
    "a comment at the end": lambda it: it.whole[:-2] + b"\4\0word",
    "a bit of the rows": lambda it: flipped(it.whole, it.whole.index(b"PAR1") + 500),
    "a bit of the manifest": lambda it: flipped(it.whole, it.whole.index(b'"persons"') + 12),
    "a bit of the nearness": lambda it: flipped(it.whole, it.whole.index(b'"means"') + 2),
    "a bit of the head of an entry": lambda it: flipped(it.whole, 4),
    "a bit of the end": lambda it: flipped(it.whole, len(it.whole) - 14),
}
ARCHIVE: dict[str, Mutation] = {
    "a name that leads up": lambda it: renamed(it, "rows/../../../home/x.json"),
    "a name from the root": lambda it: renamed(it, "/etc/passwd"),
    "a name with backslashes": lambda it: renamed(it, "answers\\..\\x.json"),
    "a name with a drive": lambda it: renamed(it, "C:x.json"),
    "a name with a zero": lambda it: renamed(it, "answers/a.json").replace(b"a.json", b"a\0json"),
    "a name in capitals": lambda it: renamed(it, "MANIFEST.JSON"),
    "a name of no layout": lambda it: renamed(it, "readme.txt"),
    "a folder": lambda it: renamed(it, "rows/"),
    "an entry that the manifest does not list": lambda it: renamed(it, "answers/more.json"),
    "a name twice": lambda it: zipped_pairs([*all_of(it).items(), (ROWS, it.entries[ROWS])]),
    "two manifests": lambda it: zipped_pairs([(MANIFEST, b"{}"), *all_of(it).items()]),
    "no manifest": lambda it: zipped(it.entries),
    "an entry is missing": lambda it: zipped(
        {name: text for name, text in all_of(it).items() if name != "nearness.json"}
    ),
    "packed": lambda it: zipped(all_of(it), {ROWS: {"compress_type": zipfile.ZIP_DEFLATED}}),
    "a packed bomb": packed_bomb,
    "encrypted": lambda it: in_list(it, 8, b"\1\0"),
    "a link": lambda it: zipped(all_of(it), {ROWS: {"external_attr": 0o120777 << 16}}),
    "a day": lambda it: zipped(all_of(it), {ROWS: {"date_time": (2026, 11, 27, 0, 0, 0)}}),
    "an extra field": lambda it: zipped(all_of(it), {ROWS: {"extra": b"\x99\x99\2\0ab"}}),
    "a comment": lambda it: zipped(all_of(it), {ROWS: {"comment": b"word"}}),
    "a size of 4 GB": lambda it: in_list(it, 20, b"\xfe\xff\xff\xff" * 2),
    "a size one too small": lambda it: in_list(it, 24, b"\1\0\0\0"),
    "another check sum": lambda it: in_list(it, 16, b"\0\0\0\0"),
    "entries that share their bytes": overlapping,
    "bytes that no list names": unlisted,
    "a list that says 65,535 entries": lambda it: put(it.whole, len(it.whole) - 14, b"\xff" * 4),
    "a list of 7,000 entries": many_entries,
}
TEXT: dict[str, Mutation] = {
    "spaces": lambda it: it.with_text(it.signed_text().replace(b":", b": ")),
    "a mark before it": lambda it: it.with_text(b"\xef\xbb\xbf" + it.signed_text()),
    "a key twice": lambda it: it.with_text(it.signed_text().replace(b'"k":5', b'"k":5,"k":5')),
    "NaN": lambda it: it.with_text(it.signed_text().replace(b'"k":5', b'"k":NaN')),
    "infinity": lambda it: it.with_text(it.signed_text().replace(b'"k":5', b'"k":1e999')),
    "2^53": lambda it: it.with_text(it.signed_text().replace(b'"k":5', b'"k":9007199254740992')),
    "100,000 digits": lambda it: it.with_text(
        it.signed_text().replace(b'"k":5', b'"k":' + b"9" * 100_000)
    ),
    "100,000 lists in one another": lambda it: it.with_text(b"[" * 100_000 + b"]" * 100_000),
    "900 lists in one another": lambda it: it.with_text(b"[" * 900 + b"]" * 900),
    "300,000 values": lambda it: it.with_text(b"[" + b"1," * 300_000 + b"1]"),
    "five million letters": lambda it: it.with_text(b'"' + b"a" * 5_000_000 + b'"'),
    "bytes that are no letters": lambda it: it.with_text(
        it.signed_text().replace(b"clinic", b"clin\xff\xfe")
    ),
    "half a character": lambda it: it.with_text(
        it.signed_text().replace(b'"clinic"', b'"\\ud800"')
    ),
    "a list": lambda it: it.with_text(b"[1,2]"),
    "a null": lambda it: it.with_text(b"null"),
}
FIELDS: dict[str, Mutation] = {
    "a later schema": lambda it: it.with_manifest(schema=2),
    "a schema that is yes": lambda it: it.with_manifest(schema=True),
    "a field more": lambda it: it.with_manifest(home="/home/ann"),
    "a field less": lambda it: replace(
        it, plain={name: value for name, value in it.plain.items() if name != "persons"}
    ).together(),
    "k of 0": lambda it: it.with_manifest(k=0),
    "m below k": lambda it: it.with_manifest(m=4),
    "k that is yes": lambda it: it.with_manifest(k=True),
    "rows below 0": lambda it: it.with_manifest(rows=-1),
    "rows in fractions": lambda it: it.with_manifest(rows=3_000.0),
    "a billion rows": lambda it: it.with_manifest(rows=1_000_000_000),
    "people as a text": lambda it: it.with_manifest(persons="many"),
    "no name": lambda it: it.with_manifest(study=""),
    "a name of two lines": lambda it: it.with_manifest(study="clinic\x1b[31m\nok"),
    "a policy that is a list": lambda it: it.with_manifest(policy=[1]),
    "no columns": lambda it: it.with_manifest(columns=[]),
    "columns that are numbers": lambda it: it.with_manifest(columns=[1, 2]),
    "10,001 columns": lambda it: it.with_manifest(
        columns=[{"kind": "continuous", "name": f"x{at}"} for at in range(10_001)]
    ),
    "two columns of one name": lambda it: it.with_column(0, name="born"),
    "an unknown kind": lambda it: it.with_column(0, kind="vector"),
    "a step that is a text": lambda it: it.with_column(0, step="1"),
    "a unit that is a number": lambda it: it.with_column(0, unit=7),
    "levels of a number": lambda it: it.with_column(0, levels=["1", "2"]),
    "a level twice": twice_in_dictionary,
    "a level that is a list": lambda it: it.with_column(1, levels=[["never"], "a", "b"]),
    "entries that are not by name": lambda it: it.with_manifest(entries=it.plain["entries"][::-1]),
    "an entry that leads up": lambda it: it.with_manifest(
        entries=[{"name": "rows/../x", "sha256": "0" * 64, "size": 1}]
    ),
    "an entry of another size": lambda it: it.with_manifest(
        entries=[{**each, "size": each["size"] + 1} for each in it.plain["entries"]]
    ),
    "an entry of another digest": lambda it: it.with_manifest(
        entries=[{**each, "sha256": "0" * 64} for each in it.plain["entries"]]
    ),
    "another digest of the content": lambda it: it.with_text(
        replace(it, plain={**it.plain, "content": "0" * 64}).signed_text(content=True)
    ),
    "another digest of the values": lambda it: it.with_manifest(values="0" * 64),
    "a digest that is none": lambda it: it.with_manifest(values="abc"),
    "successors that nobody signed": lambda it: it.with_manifest(
        successors=[{"after": "0" * 64, "before": "1" * 64, "signature": "0" * 128}]
    ),
    "a copy of the copy of no rows": lambda it: it.with_again(0, rows=0),
    "a copy of the copy of a million rows": lambda it: it.with_again(0, rows=1_000_000),
    "a copy of the copy of other rows": lambda it: it.with_again(0, rows=79),
    "a copy of the copy of other values": lambda it: it.with_again(0, values="0" * 64),
    "a copy of the copy whose digest is none": lambda it: it.with_again(0, values="abc"),
    "a copy of the copy without a column it has": lambda it: it.with_again(0, without=["seen"]),
    "a copy of the copy with a column it lost": lambda it: it.with_again(1, without=[]),
    "a copy of the copy without an unknown column": lambda it: it.with_again(0, without=["x"]),
    "a copy of the copy without any column": lambda it: it.with_again(
        1, without=["age", "smoker", "born", "seen"]
    ),
    "a copy of the copy without a list": lambda it: it.with_again(0, without="seen"),
    "a copy of the copy without a number": lambda it: it.with_again(0, without=[1]),
    "a copy of the copy with a word more": lambda it: it.with_again(0, home="x"),
    "a copy of the copy more": lambda it: it.with_manifest(again=[*it.plain["again"]] * 2),
    "a copy of the copy less": lambda it: it.with_manifest(again=it.plain["again"][:1]),
    "nine copies of the copy": lambda it: it.with_manifest(again=it.plain["again"][:1] * 9),
    "copies of the copy in no list": lambda it: it.with_manifest(again=None),
    "copies of more rows than there are": lambda it: it.with_manifest(again_of=3_001),
    "copies of no rows": lambda it: it.with_manifest(again_of=0),
    "copies of yes rows": lambda it: it.with_manifest(again_of=True),
    "people in a column that is not there": lambda it: it.with_manifest(person_column="who"),
    "people in a column of levels": lambda it: it.with_manifest(person_column="smoker"),
    "people in a list": lambda it: it.with_manifest(person_column=["age"]),
    "remarks that are a text": lambda it: it.with_manifest(remarks="none"),
    "remarks that are numbers": lambda it: it.with_manifest(remarks=[1]),
    "a remark of two lines": lambda it: it.with_manifest(remarks=["so\nmuch"]),
    "1,001 remarks": lambda it: it.with_manifest(remarks=["so much"] * 1_001),
    "remarks on a column that are numbers": lambda it: it.with_column(0, remarks=[1]),
    "remarks on a column that are a text": lambda it: it.with_column(0, remarks="few"),
    "no remarks on a column": lambda it: it.with_column(2, remarks=[]),
    "codes that are 1": lambda it: it.with_column(0, may_hold_codes=1),
    "codes that are no": lambda it: it.with_column(0, may_hold_codes=False),
    "codes of a column of numbers": lambda it: it.with_column(0, are_codes=True),
    "further levels of a number": lambda it: it.with_column(0, levels_again=["a"]),
    "a further level that is known": lambda it: it.with_column(1, levels_again=["never"]),
    "a further level that is a list": lambda it: it.with_column(1, levels_again=[["x"]]),
    "no further levels of copies that have one": lambda it: it.with_manifest(
        columns=[
            {name: told for name, told in each.items() if name != "levels_again"}
            for each in it.plain["columns"]
        ]
    ),
    "changed after it was signed": lambda it: it.with_text(
        canonical_json({**it.plain, "persons": 3_100})
    ),
    "a signature of zeros": lambda it: it.with_text(
        canonical_json({**it.plain, "signature": "0" * 128})
    ),
    "another key than signed it": lambda it: it.with_text(
        canonical_json({**it.plain, "key": it.key.public})
    ),
    "a key that is no point": lambda it: it.with_text(
        canonical_json({**it.plain, "key": "f" * 64})
    ),
}
PARQUET: dict[str, Mutation] = {
    "two million rows in eight bytes": rows_of_nothing,
    "no Parquet": lambda it: it.with_entry(ROWS, b"PAR1 and nothing of it PAR1"),
    "a column of another name": lambda it: it.with_rows(
        rows_of(3_000).rename_columns(["age", "smoker", "born", "last"])
    ),
    "a column more": lambda it: it.with_rows(
        rows_of(3_000).append_column("more", pa.array(np.ones(3_000)))
    ),
    "a column less": lambda it: it.with_rows(rows_of(3_000).drop_columns(["seen"])),
    "columns in another order": lambda it: it.with_rows(
        rows_of(3_000).select(["smoker", "age", "born", "seen"])
    ),
    "whole numbers": lambda it: it.with_rows(replaced("age", pa.array([1] * 3_000))),
    "texts for numbers": lambda it: it.with_rows(replaced("age", pa.array(["1"] * 3_000))),
    "lists": lambda it: it.with_rows(replaced("age", pa.array([[1.0, 2.0]] * 3_000))),
    "structs": lambda it: it.with_rows(replaced("age", pa.array([{"a": 1.0}] * 3_000))),
    "moments of another unit": lambda it: it.with_rows(
        replaced("seen", rows_of(3_000)["seen"].cast(pa.timestamp("ms"), safe=False))
    ),
    "a column without nulls": required,
    "a level that is not listed": lambda it: it.with_rows(dictionary("never", "former", "curious")),
    "levels in another order": lambda it: it.with_rows(dictionary("former", "never", "current")),
    "a level more": lambda it: it.with_rows(dictionary(*LEVELS, "extra")),
    "a level of 64 MB": lambda it: it.with_rows(dictionary("never", "former", "a" * 2**26)),
    "levels without a dictionary": lambda it: it.with_rows(rows_of(3_000), use_dictionary=False),
    "rows more": lambda it: it.with_rows(rows_of(3_001), keep=True),
    "rows less": lambda it: it.with_rows(rows_of(2_999), keep=True),
    "two groups": lambda it: it.with_rows(rows_of(3_000), row_group_size=1_500),
    "two parts": two_parts,
    "a part of another number": other_part,
    "packed by Snappy": lambda it: it.with_rows(rows_of(3_000), compression="snappy"),
    "not packed": lambda it: it.with_rows(rows_of(3_000), compression="none"),
    "more than its columns": lambda it: it.with_rows(rows_of(3_000), store_schema=True),
    "words in the footer": words_in_footer,
    "an index of pages": lambda it: it.with_rows(
        rows_of(3_000), write_page_index=True, write_statistics=True
    ),
    "pages of another version": lambda it: it.with_rows(rows_of(3_000), data_page_version="2.0"),
    "NaN": lambda it: it.with_rows(replaced("age", pa.array([float("nan")] * 3_000))),
    "an infinite number": lambda it: it.with_rows(
        replaced("age", pa.array([1.0] * 2_999 + [float("inf")]))
    ),
    "other values": lambda it: it.with_rows(rows_of(3_000, seed=8)),
    "a page of a size that cannot be": lambda it: with_first_page(it, 3, b"\xfe\x7f"),
    "a page of a kind that is none": lambda it: with_first_page(it, 1, b"\x20"),
    "a page whose head has no end": lambda it: with_first_page(it, 0, b"\x1c" * 60),
    "a number without an end": lambda it: with_first_page(it, 1, b"\xff" * 30),
    "a footer of 4 GB": lambda it: with_footer_length(it, 2**32 - 1),
    "a footer of no length": lambda it: with_footer_length(it, 0),
    "a footer cut off": lambda it: with_footer_length(it, 200),
    "an unknown codec": lambda it: in_footer(it, b"\x15\x0c\x16", b"\x15\x62\x16"),
    "a footer by somebody else": lambda it: in_footer(it, b"parquet-cpp", b"parquet-cap"),
    "a column that lies elsewhere": lambda it: in_footer(it, b"\x26\x00", b"\x26\x02"),
    "a code beyond the levels": beyond_levels,
    "an encrypted footer": lambda it: it.with_entry(ROWS, it.entries[ROWS][:-4] + b"PARE"),
    "a bit of a page, signed": lambda it: it.with_entry(
        ROWS, flipped(it.entries[ROWS], len(it.entries[ROWS]) // 2)
    ),
    "no copies of the copy, though they are told": lambda it: without_again(it, AGAIN),
    "a copy of the copy of another number": lambda it: zipped(
        {**all_of(it), "again/00007.parquet": it.entries[AGAIN]}
    ),
    "a copy of the copy that is no Parquet": lambda it: it.with_entry(AGAIN, b"PAR1 and PAR1"),
    "a copy of the copy with other values": lambda it: other_again(it, again_of(80, seed=3)),
    "a copy of the copy with rows more": lambda it: it.with_entry(
        AGAIN, parquet(again_of(81, seed=8))
    ),
    "a copy of the copy of another level": lambda it: other_again(it, rows_of(80, seed=8)),
    "a copy of the copy of infinite numbers": lambda it: other_again(
        it, again_of(80, seed=8).set_column(0, "age", pa.array([float("inf")] * 80))
    ),
    "a copy of the copy that lost another column": lambda it: it.with_entry(
        LOST, parquet(again_of(70, seed=9).drop_columns(["born"]))
    ),
    "a copy of the copy packed by Snappy": lambda it: other_again(
        it, again_of(80, seed=8), compression="snappy"
    ),
    "a bit of a copy of the copy": lambda it: it.with_entry(
        AGAIN, flipped(it.entries[AGAIN], len(it.entries[AGAIN]) // 2)
    ),
    "nearness with spaces": lambda it: it.with_entry("nearness.json", b'{"means": 1}'),
    "nearness that is deep": lambda it: it.with_entry("nearness.json", b"[" * 5_000 + b"]" * 5_000),
    "nearness of five million letters": lambda it: it.with_entry(
        "nearness.json", b'"' + b"a" * 5_000_000 + b'"'
    ),
    "an answer that is cut off": lambda it: it.with_entry("answers/deaths-by-year.json", b"{"),
}
CASES = {
    f"{kind}: {name}": mutation
    for kind, cases in (
        ("bytes", BYTES),
        ("archive", ARCHIVE),
        ("text", TEXT),
        ("fields", FIELDS),
        ("parquet", PARQUET),
    )
    for name, mutation in cases.items()
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Apart:
    return apart(tmp_path_factory.mktemp("clinic"))


@pytest.fixture(scope="module", autouse=True)
def traced() -> Iterator[None]:
    """Trace what Python takes: begun and ended once, for that is not safe beside other threads."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


@contextmanager
def memory() -> Iterator[list[int]]:
    """Give a list that holds, at the end, the most bytes taken by Python and by Arrow."""
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    found: list[int] = []
    POOLS.append(pool)
    pa.set_memory_pool(pool)
    tracemalloc.reset_peak()
    held, _ = tracemalloc.get_traced_memory()
    try:
        yield found
    finally:
        found.append(tracemalloc.get_traced_memory()[1] - held + (pool.max_memory() or 0))
        pa.set_memory_pool(before)


def read_all(path: Path) -> None:
    with open_study_file(path) as file:
        check_values_of(file)


def test_file_that_was_not_changed_opens(clinic: Apart, tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    for whole in (clinic.whole, clinic.together(), clinic.with_rows(rows_of(3_000))):
        path.write_bytes(whole)
        with memory() as taken:
            read_all(path)
        assert taken[0] < FLOOR


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_file_does_not_open(clinic: Apart, tmp_path: Path, name: str) -> None:
    path = tmp_path / "clinic.discreet"
    path.write_bytes(CASES[name](clinic))
    with memory() as taken, pytest.raises(InputError, match=r"\w{3}") as refused:
        read_all(path)
    assert refused.value.__cause__ is None
    assert len(str(refused.value)) < 500
    assert taken[0] <= max(4 * path.stat().st_size, FLOOR)


@pytest.mark.slow
def test_every_bit_outside_of_values_is_looked_at(clinic: Apart, tmp_path: Path) -> None:
    """One bit of some bytes is another: digests, check sums and places find it."""
    path = tmp_path / "clinic.discreet"
    for at in range(0, len(clinic.whole), 331):
        path.write_bytes(flipped(clinic.whole, at))
        with pytest.raises(InputError, match=r"\w{3}"):
            read_all(path)
