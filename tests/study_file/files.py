"""A small study file, taken apart and put together again as a forger would."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.study_file import Column, Draft, SigningKey, write_study_file
from discreet.study_file.manifest import content_digest
from discreet.study_file.signing import canonical_json, draw_key

ROWS, MANIFEST = "rows/00000.parquet", "manifest.json"
AGAIN, LOST = "again/00000.parquet", "again/00001.parquet"
LEVELS = ("never", "former", "current")
COLUMNS = (
    Column(
        "age", "continuous", label="Age at entry", unit="years", step=1, remarks=("of few people",)
    ),
    Column("smoker", "categorical", levels=LEVELS, levels_again=("(other)",)),
    Column("born", "date", dates="day"),
    Column("seen", "date", dates="us"),
)


def rows_of(count: int, seed: int = 7) -> pa.Table:
    """Return rows of the four columns, a tenth of each missing."""
    draw = np.random.default_rng(seed)

    def missing() -> Any:
        return draw.random(count) < 0.1

    codes = pa.array(draw.integers(0, 3, count).astype("int32"), mask=missing())
    days = pa.array(draw.integers(0, 9_000, count).astype("int32"), mask=missing())
    moments = pa.array(draw.integers(0, 10**15, count), mask=missing())
    return pa.table(
        {
            "age": pa.array(draw.normal(50, 10, count).round(), mask=missing()),
            "smoker": pa.DictionaryArray.from_arrays(codes, LEVELS),
            "born": days.cast(pa.date32()),
            "seen": moments.cast(pa.timestamp("us")),
        }
    )


def again_of(count: int, seed: int) -> pa.Table:
    """Return a copy of the copy, with a level that the copy has not."""
    table = rows_of(count, seed)
    words = pa.array(["(other)", *table["smoker"].to_pylist()[1:]]).dictionary_encode()
    levels = pa.array([*LEVELS, "(other)"])
    codes = pc.index_in(words.cast(pa.string()), levels).cast(pa.int32())
    return table.set_column(1, "smoker", pa.DictionaryArray.from_arrays(codes, levels))


DRAFT = Draft(
    "clinic",
    "2",
    COLUMNS,
    k=5,
    m=20,
    persons=3000,
    policy={"k": 5, "withhold": ["name"]},
    nearness={"means": 0.5, "pairs": [1.25, None]},
    answers={"deaths-by-year": {"kind": "bar", "counts": [120, 85]}},
    again=(again_of(80, seed=8), again_of(70, seed=9).drop_columns(["seen"])),
    again_of=75,
    person_column="age",
    remarks=("not in the protected copy: name (identifies people)",),
)


@dataclass(frozen=True)
class Apart:
    """A study file taken apart: its bytes, its manifest, its entries, and a forger's key."""

    whole: bytes
    plain: dict[str, Any]
    entries: dict[str, bytes]
    key: SigningKey

    def with_manifest(self, **changed: Any) -> bytes:
        """Return the file with other fields in its manifest, signed by the forger."""
        return replace(self, plain={**self.plain, **changed}).together()

    def with_column(self, at: int, **changed: Any) -> bytes:
        """Return the file with a column of which the manifest says something else."""
        columns = [dict(it) for it in self.plain["columns"]]
        columns[at].update(changed)
        return self.with_manifest(columns=columns)

    def with_again(self, at: int, **changed: Any) -> bytes:
        """Return the file with a copy of the copy of which the manifest says something else."""
        again = [dict(it) for it in self.plain["again"]]
        again[at].update(changed)
        return self.with_manifest(again=again)

    def with_entry(self, name: str, text: bytes, **changed: Any) -> bytes:
        """Return the file with another entry, which the manifest lists as it is."""
        entries = {**self.entries, name: text}
        plain = {**self.plain, "entries": listed(entries), **changed}
        return replace(self, plain=plain, entries=entries).together()

    def with_text(self, text: bytes) -> bytes:
        """Return the file with another text as its manifest."""
        return zipped({**self.entries, MANIFEST: text})

    def with_rows(self, table: pa.Table, **options: Any) -> bytes:
        """Return the file with other rows, of as many as the manifest then says."""
        changed = {} if options.pop("keep", False) else {"rows": table.num_rows}
        return self.with_entry(ROWS, parquet(table, **options), **changed)

    def signed_text(self, **changed: Any) -> bytes:
        """Return the text of the manifest, its content digest and signature made anew."""
        plain = {**self.plain, "key": self.key.public}
        if "content" not in changed:
            plain["content"] = content_digest(plain)
        plain.pop("signature")
        return canonical_json({**plain, "signature": self.key.sign(canonical_json(plain))})

    def together(self) -> bytes:
        """Return the file, its manifest signed by the forger."""
        return self.with_text(self.signed_text())


def apart(folder: Path) -> Apart:
    """Write a study file into a folder, and take it apart."""
    path = folder / "clinic.discreet"
    write_study_file(path, DRAFT, [rows_of(3_000)], draw_key())
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return Apart(path.read_bytes(), json.loads(entries.pop(MANIFEST)), entries, draw_key())


def listed(entries: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Return how a manifest lists entries."""
    return [
        {"name": name, "sha256": hashlib.sha256(text).hexdigest(), "size": len(text)}
        for name, text in sorted(entries.items())
    ]


def info_of(name: str, **changed: Any) -> zipfile.ZipInfo:
    """Return an entry of a ZIP as discreet writes it, but for what is changed."""
    info = zipfile.ZipInfo(name, changed.pop("date_time", (1980, 1, 1, 0, 0, 0)))
    info.external_attr, info.create_system = 0o100644 << 16, 3
    for key, value in changed.items():
        setattr(info, key, value)
    return info


def zipped(
    entries: Mapping[str, bytes], changed: Mapping[str, Mapping[str, Any]] | None = None
) -> bytes:
    """Return a ZIP of entries, some of them with other attributes."""
    return zipped_pairs(list(entries.items()), changed)


def zipped_pairs(
    pairs: list[tuple[str, bytes]], changed: Mapping[str, Mapping[str, Any]] | None = None
) -> bytes:
    """Return a ZIP of entries, of which several may have one name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in pairs:
            info = info_of(name, **(changed or {}).get(name, {}))
            with archive.open(info, "w", force_zip64=True) as to:
                to.write(text)
    return made.getvalue()


def parquet(table: pa.Table, **options: Any) -> bytes:
    """Return rows as discreet writes them, but for some options of the writer."""
    made = io.BytesIO()
    usual = {"compression": "zstd", "write_statistics": False, "store_schema": False}
    pq.write_table(table, made, **{**usual, **options})
    return made.getvalue()
