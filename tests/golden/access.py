"""The one place where the golden files reach the package: a name that moves is one line here."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import html
import io
import json
import math
import os
import re
import sqlite3
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

with warnings.catch_warnings():  # of a client that is not used here
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

import discreet as dc
from discreet import cli
from discreet.errors import DiscreetError
from discreet.render.scene import scene_to_plain
from discreet.serve.app import create_app
from discreet.serve.record import open_record
from discreet.serve.studies import Studies

HERE = Path(__file__).parent
SECRET = bytes(range(32)).hex()
WIDTH = 100
SHORT = 100

#: What may be named otherwise than when the golden files were made: text of today (with enough
#: around it to be found there alone), and what stood there. Names that part 9 of the issue lists,
#: and sentences that are no more than reworded; never a number.
RENAMED: Mapping[str, str] = {}


def as_before(text: str) -> str:
    """Return a text of today with the names it had."""
    for now, then in RENAMED.items():
        text = text.replace(now, then)
    return text


# --- how a study is asked -------------------------------------------------------------------------


def drawn(study: Any, plot: str, *columns: Any, **how: Any) -> Any:
    """Ask a study for a plot; `how` may hold what only `research` allows."""
    return getattr(study, plot)(*columns, **how)


def released(study: Any, way: str = "anonymize", **how: Any) -> Any:
    """Ask a study for a table."""
    return getattr(study, way)(**how)


def served(study: Any, folder: Path) -> TestClient:
    """Return a client of the server of a study, which is published into a folder first."""
    path = dc.Protected(study).publish(folder / "cohort.discreet")
    return TestClient(create_app(Studies([path], open_record())))


def view_json(view: Any) -> Any:
    """Return a view as its JSON, without asking whether it may be released."""
    return json.loads(dataclasses.replace(view, gate=None).to_json())


def scene_json(view: Any) -> Any:
    """Return the marks that draw a view as plain values."""
    return scene_to_plain(view.scene())


def timeless(text: str) -> str:
    """Return a text with no time in it, and no head of a chain that holds times."""
    bare = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "-" * 16, text)
    bare = re.sub(r'"id": "[0-9a-f]{16}"', '"id": "of last bits"', bare)
    return re.sub(r"\b[0-9a-f]{64}\b", "head", bare)


def command(*words: str) -> dict[str, Any]:
    """Call the command line in this process."""
    code: object = 0
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["discreet", *words]
    run = sys.modules["__main__"]
    package, run.__package__ = run.__package__, None  # or the usage names what runs the tests
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv, run.__package__ = argv, package
    said = {"code": code or 0, "out": timeless(out.getvalue()), "err": err.getvalue()}
    return {key: value for key, value in said.items() if value not in ("",)}


# --- a place to be --------------------------------------------------------------------------------


@contextlib.contextmanager
def place(folder: Path) -> Iterator[Path]:
    """Be in a folder that is home, with secret and keys of the golden files and nothing else."""
    for state in (folder / ".discreet", folder / "state" / "discreet"):
        state.mkdir(parents=True, exist_ok=True)
        (state / "register.key").touch(mode=0o600)
        (state / "register.key").write_text(SECRET[::-1], encoding="ascii")
    kept, where = dict(os.environ), Path.cwd()
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    os.environ |= {
        "HOME": str(folder),
        "DISCREET_CONFIG": str(folder / "config" / "discreet"),
        "DISCREET_STATE": str(folder / "state" / "discreet"),
        "DISCREET_SECRET": SECRET,
        "COLUMNS": str(WIDTH),
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    os.environ.pop("FORCE_COLOR", None)
    os.chdir(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield folder
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ |= kept


def cohort() -> pa.Table:
    """Return the made-up cohort: 300 persons, some values missing, a far one."""
    return dc_table(HERE / "cohort.csv")


def visits() -> pa.Table:
    """Return made-up visits: 300 of 120 persons."""
    return dc_table(HERE / "visits.csv")


def dc_table(path: Path) -> pa.Table:
    """Read one of the tables beside this file."""
    from pyarrow.csv import ConvertOptions, read_csv

    return read_csv(path, convert_options=ConvertOptions(strings_can_be_null=True))


# --- how an answer is written ---------------------------------------------------------------------


def tried(ask: Any) -> Any:
    """Return what an answer holds, or which error it is and what it says."""
    try:
        return ask()
    except DiscreetError as error:
        says = str(error).replace(os.environ["HOME"], "~")
        return {"refused": type(error).__name__, "says": says}


def rounded(value: Any) -> Any:
    """Return plain values with nine digits, which every machine finds."""
    if isinstance(value, Mapping):
        of_bits = OF_LAST_BITS if {"checksum", "seal"} <= value.keys() else set()
        of_bits = of_bits | ({"policy"} if of_bits and value.get("source") == "file" else set())
        held = {key: "..." if key in of_bits else item for key, item in value.items()}
        return {as_before(str(key)): rounded(item) for key, item in held.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if isinstance(value, str):
        return as_before(value)
    if isinstance(value, bool | int) or value is None:
        return value
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    near = float(f"{number:.9g}")
    return 0.0 if abs(near) < 1e-12 else near


def digest(value: Any) -> str:
    """Return a short digest of plain values."""
    text = json.dumps(rounded(value), sort_keys=True, ensure_ascii=False)
    return f"#{hashlib.sha256(text.encode()).hexdigest()[:12]} of {len(text)}"


def brief(value: Any, deep: int = 1) -> Any:
    """Return plain values where they are short, and digests of what is long below `deep` keys."""
    if deep and isinstance(value, Mapping):
        return {str(key): brief(item, deep - 1) for key, item in value.items()}
    if len(json.dumps(rounded(value), ensure_ascii=False)) <= SHORT:
        return rounded(value)
    return digest(value)


def seen(view: Any) -> dict[str, Any]:
    """Return a view in brief: its line, its JSON and its scene, part by part."""
    scene = scene_json(view)
    panels = [brief(panel) for panel in scene.pop("panels")]
    return {
        "note": view.note(),
        "describe": digest(view.describe()),
        "json": brief(view_json(view)),
        "scene": brief(scene) | {"panels": panels if len(panels) < 3 else digest(panels)},
    }


def columns_of(table: pa.Table) -> dict[str, Any]:
    """Return a table in brief: of each column how many, the first ones, and a digest."""
    return {
        name: [rounded(table[name].to_pylist()[:2]), digest(table[name].to_pylist())]
        for name in table.column_names
    } | {"rows": table.num_rows}


def plain_words(page: str) -> str:
    """Return the words of a page."""
    bare = re.sub(r"<(style|script|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", bare)))


def copies(folder: Path) -> dict[str, Any]:
    """Return the protected copies that are stored below a folder."""
    return {
        path.name: columns_of(pq.read_table(path))
        for path in sorted(folder.rglob("*.parquet"))
        if not path.name.startswith("raw-")  # a private file of the data, and no copy of them
    }


TIMES = {"at", "opened", "expires", "seal", "digest", "digests", "checksum", "told"}
#: Of a provenance: digests of numbers to the last bit, which differ between machines.
OF_LAST_BITS = {"id", "checksum", "seal", "file_seal"}


def register_rows(folder: Path) -> dict[str, list[str]]:
    """Return every row of the registers below a folder, without times and what hangs on them."""
    out: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.sqlite")):
        connection = sqlite3.connect(path)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in tables.fetchall():
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY rowid")
            heads = [head for head, *_ in rows.description]
            out[f"{path.relative_to(folder)} {name}"] = [
                " | ".join(_cell(*it, path.stem) for it in zip(heads, row, strict=True))
                for row in rows
            ]
        connection.close()
    return out


def _cell(head: str, value: Any, of: str) -> str:
    if head in TIMES:
        return "..."
    if isinstance(value, bytes):
        return f"#{hashlib.sha256(value).hexdigest()[:12]} of {len(value)}"
    text = str(value)
    if of == "record":  # ids are of the content, which has last bits
        text = re.sub(r"\b[0-9a-f]{32}\b", "id", text)
    if len(text) > 400:
        return f"#{hashlib.sha256(text.encode()).hexdigest()[:12]} of {len(text)}"
    return text


def opened(source: Any, policy: Any = "standard", **how: Any) -> Any:
    """Open a study, or what the papers do."""
    papers = isinstance(policy, dc.Policy) and not policy.fixed
    return (dc.research if papers else dc.open)(source, policy, **how)
