"""Tables of databases: which one is meant, what is said where it is not to be had, and by whom."""

from __future__ import annotations

import gc
import re
import socket
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import discreet as dc
from discreet import cli
from discreet.errors import InputError
from discreet.table import Table, open_table
from discreet.table import databases as postgres
from discreet.table.databases import mask_url, split_table
from tests.table.postgres_server import Server, serving

SECRET = "Canary-pass%40word"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        found.run(
            "CREATE TABLE visits AS SELECT i AS x, i % 2 = 0 AS even FROM generate_series(1, 60) i",
            "CREATE SCHEMA wards",
            'CREATE TABLE wards."Bed rooms" AS SELECT 1 AS x',
            "CREATE TYPE mood AS ENUM ('good', 'bad')",
            "CREATE TABLE odd AS SELECT i AS x, 'NaN'::numeric AS n, 'infinity'::date AS d,"
            " '-infinity'::timestamptz AS t, 'good'::mood AS m, gen_random_uuid() AS u,"
            " '{}'::jsonb AS j, E'two\\nlines, \"quoted\"'::text AS l FROM generate_series(1,40) i",
            "CREATE ROLE ann LOGIN",
            "CREATE DATABASE empty",
        )
        yield found


Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; return all that it prints."""

    def called(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["discreet", *words])
        with pytest.raises(SystemExit, match=r"^[02]$"):
            cli.main()
        return "".join(capsys.readouterr())

    return called


def opened(source: object) -> Table:
    return open_table(source, kinds={}, roles={}, unit=None, key=None)


def made(path: Path, *commands: str) -> Path:
    with duckdb.connect(path) as connection:
        for command in commands:
            connection.execute(command)
    return path


ONE = "CREATE TABLE visits AS SELECT range % 7 AS x FROM range(30)"
TWO = 'CREATE SCHEMA wards; CREATE TABLE wards."bed ""rooms""" AS SELECT 1 AS x'


# --- DuckDB ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ["{path}", "duckdb:///{path}", "duckdb:///{path}?table=visits"])
def test_a_table_alone_needs_no_name(tmp_path: Path, ask: str) -> None:
    path = made(tmp_path / "clinic.duckdb", ONE)
    source = ask.format(path=path)
    table = opened(source)
    assert (table.size, [*table.columns], table.name) == (30, ["x"], "clinic.visits")
    assert (table.path, table.source) == (path, source)


@pytest.mark.slow
def test_of_several_tables_one_is_named(tmp_path: Path) -> None:
    path = made(tmp_path / "clinic.duckdb", ONE, TWO)
    assert opened(f"duckdb:///{path}?table=main.visits").name == "clinic.visits"
    assert opened(f'duckdb:///{path}?table=wards.bed "rooms"').name == 'clinic.wards.bed "rooms"'
    several = (
        r"^file 'clinic\.duckdb' has several tables; say which by \?table=: 'visits', 'wards\."
    )
    with pytest.raises(InputError, match=several):
        opened(path)
    with pytest.raises(InputError, match=r"has no table 'visit'; there are 'visits', 'wards\.bed"):
        opened(f"duckdb:///{path}?table=visit")


@pytest.mark.slow
def test_a_database_that_changed_is_noticed(tmp_path: Path) -> None:
    path = made(tmp_path / "clinic.duckdb", ONE)
    table = opened(path)
    assert not table.source_changed()
    before = table.source_digest()
    del table
    gc.collect()  # it is closed, so that it can be written to
    made(path, "INSERT INTO visits VALUES (99)")
    assert opened(path).source_digest() != before


def broken_view(path: Path) -> Path:
    made(path, "CREATE TABLE t AS SELECT 1 AS x; CREATE VIEW v AS FROM t")
    return made(path, "DROP TABLE t")


NO_DATABASE: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing there": (lambda path: path, "^there is no file '.*t.duckdb'$"),
    "a text": (lambda path: path.write_text("Canary") and path, "could not be opened by DuckDB"),
    "a view of nothing": (broken_view, "table 'v' of file 't.duckdb' could not be read by DuckDB"),
    "no path": (lambda path: "duckdb:///?table=x", "a DuckDB file is named by duckdb:///file"),
    "of another kind": (
        lambda path: f"mysql://ann:{SECRET}@db/clinic",
        "^a URL of a table begins with one of 'duckdb://', 'postgresql://', 'postgres://', 's3://'",
    ),
}


@pytest.mark.parametrize(("make", "message"), NO_DATABASE.values(), ids=NO_DATABASE)
def test_what_is_no_database(tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        opened(make(tmp_path / "t.duckdb"))
    assert "Canary" not in "".join(traceback.format_exception(told.value))


# --- web addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["https", "s3"])
def test_nothing_is_loaded_from_the_network_by_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scheme: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB would keep extensions

    def called(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", called)
    message = rf"^{scheme}:// needs DuckDB's extension httpfs, and it is not installed here"
    with pytest.raises(InputError, match=message):
        opened(f"{scheme}://example.org/cohort.parquet")
    with pytest.raises(
        InputError, match=r"of a web address Parquet is read \('\.parquet', '\.pq'\)"
    ):
        opened(f"{scheme}://example.org/cohort.csv")


# --- PostgreSQL -----------------------------------------------------------------------------------


def test_a_table_of_a_server(server: Server) -> None:
    table = opened(server.url("visits"))
    assert (table.size, [*table.columns]) == (60, ["x", "even"])
    assert (table.name, table.path) == ("postgres.public.visits", None)
    assert opened(server.url("wards.Bed%20rooms")).name == "postgres.wards.Bed rooms"


def test_types_that_other_engines_have_not(server: Server) -> None:
    table = opened(server.url("odd"))
    kinds = {name: it.kind for name, it in table.columns.items()}

    (batch,) = table.batches([*table.columns])

    assert kinds == {
        "x": "continuous",
        "n": "continuous",
        "d": "date",
        "t": "date",
        "m": "categorical",
        "u": "categorical",
        "j": "categorical",
        "l": "categorical",
    }
    for missing in ("n", "d", "t"):  # NaN and the infinite are missing
        assert not pa.array(batch[missing], from_pandas=True).drop_null()
    assert batch["l"].to_pylist() == ['two\nlines, "quoted"'] * 40
    assert len({*batch["u"].to_pylist()}) == 40
    assert table.levels("m") == {"good": 40}


def test_all_is_answered_from_one_state(server: Server) -> None:
    server.run("CREATE TABLE moving AS SELECT i AS x FROM generate_series(1, 50) i")
    table = opened(server.url("moving"))
    server.run("DELETE FROM moving WHERE x > 10", "INSERT INTO moving VALUES (999)")
    assert table.size == 50
    assert sum(len(batch["x"]) for batch in table.batches(["x"])) == 50
    assert table.extremes("x", 1)[1].tolist() == [50.0]
    assert opened(server.url("moving")).size == 11


def test_nothing_can_be_written(server: Server) -> None:
    import psycopg

    for command in ("DELETE FROM visits", "CREATE TABLE stray (x int)"):
        table = opened(server.url("visits"))
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match="read-only transaction"):
            table._keep.connection.execute(command)  # type: ignore[attr-defined]
    assert opened(server.url("visits")).size == 60


END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
LOST: dict[str, Callable[[dc.Study, Path], object]] = {
    "anonymize": lambda study, folder: study.anonymize().save(folder / "out.parquet"),
    "first save": lambda study, folder: study.histogram("x").save(folder / "x.svg"),
    "copy": lambda study, _: study.scatter("x", "x2"),
}


WHEN = {"between questions": (Table, "_collect"), "as rows come": (postgres._Stream, "readinto")}
CASES = [
    *((what, "between questions") for what in LOST),
    *(("first save", when) for when in ("before", "as rows come")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("what", "when"), CASES)
def test_a_connection_that_is_lost_leaves_nothing_half_done(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, when: str
) -> None:
    rows = [(i * 37 % 91, i * 53 % 89, f"canary {i}") for i in range(120)]
    data = {"x": [it[0] / 2 for it in rows], "x2": [it[1] / 4 for it in rows]}
    url = server.write(pa.table({**data, "name": [it[2] for it in rows]}))
    policy = tmp_path / "discreet.toml"
    policy.write_text('name = "clinic"\nk = 3\nstudy = "lost"\n')
    study = dc.open(url, policy)
    with monkeypatch.context() as patch:
        if when == "before":
            server.run(END_OTHERS)
        else:
            lose_in(patch, server, *WHEN[when])
        with pytest.raises(
            InputError, match=r"PostgreSQL: \w+\); the .*open the study again"
        ) as told:
            LOST[what](study, tmp_path)
    assert "canary" not in str(told.value)
    assert not {*tmp_path.rglob("*.parquet"), *tmp_path.rglob("*.part"), *tmp_path.glob("x.*")}

    LOST[what](dc.open(url, policy), tmp_path)


def lose_in(patch: pytest.MonkeyPatch, server: Server, of: type, name: str) -> None:
    """End all connections when something was asked twice."""
    asked: list[object] = []
    ask = getattr(of, name)

    def call(self: object, given: object) -> object:
        asked.append(self)
        if len(asked) == 2:
            server.run(END_OTHERS)
        return ask(self, given)

    patch.setattr(of, name, call)


def with_password(url: str) -> str:
    return url.replace("postgres@", f"postgres:{SECRET}@") + "&password=Canary-too"


UNREACHABLE = {
    "no such database": (r"/postgres\?", "/nowhere?", "there is no such user or database"),
    "no such table": (
        "table=visits",
        "table=visit",
        "has no table 'visit'; there are 'moving'|'odd",
    ),
    "no right to it": ("//postgres@", "//ann@", "has no table that may be read|no table 'visits'"),
    "an unknown parameter": ("table=", "tabel=", "PostgreSQL could not be opened"),
    "nothing in it": (r"/postgres\?", "/empty?", "has no table that may be read; check database"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "message"), UNREACHABLE.values(), ids=UNREACHABLE)
def test_why_a_server_gives_no_table(server: Server, old: str, new: str, message: str) -> None:
    url = re.sub(old, new, server.url("visits"))
    with pytest.raises(InputError, match=message):
        opened(url)


@pytest.mark.parametrize(("old", "new", "message"), UNREACHABLE.values(), ids=UNREACHABLE)
def test_a_password_is_told_nowhere(
    server: Server, run: Run, old: str, new: str, message: str
) -> None:
    url = with_password(re.sub(old, new, server.url("visits")))
    with pytest.raises(InputError, match=r".") as told:
        opened(url)
    said = "".join(traceback.format_exception(told.value)) + run("columns", url)
    assert "Canary" not in said


def test_a_password_is_in_nothing_that_is_made(server: Server, tmp_path: Path) -> None:
    study = dc.open(with_password(server.url("visits")), unit=False)
    table = study.session.table
    study.bars("even").save(tmp_path / "x.svg")
    release = study.anonymize()
    release.save(tmp_path / "x.csv", tmp_path / "x.html")
    assert "Canary" not in repr([study, table, table._keep, table.source, table.name, release])
    assert table.source == server.url("visits")
    home = Path.home()
    for path in [*tmp_path.rglob("*"), *home.rglob("*")]:
        assert path.is_dir() or b"Canary" not in path.read_bytes()


def test_what_is_masked() -> None:
    url = "postgresql://ann:p%40ss@db:5433/clinic?sslmode=require&password=s&table=a.b#c"
    assert split_table(url)[0] == (
        "postgresql://ann:p%40ss@db:5433/clinic?sslmode=require&password=s"
    )
    assert (
        mask_url("postgresql://ann:p@ss@db/clinic?table=v") == "postgresql://ann@db/clinic?table=v"
    )
    assert mask_url("https://h/a.parquet?sig=secret") == "https://h/a.parquet"


@pytest.mark.slow
def test_commands_take_a_url(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    values = "AS SELECT (i * 7919) % 1000 / 10.0 AS x, i % 3 AS y FROM generate_series(1, 300)"
    made(tmp_path / "clinic.duckdb", f"CREATE TABLE stays {values} t(i)", ONE)
    server.run(f"CREATE TABLE stays {values} i")
    for url in (server.url("stays"), "duckdb:///clinic.duckdb?table=stays"):
        assert '"name": "x"' in run("columns", url, "--no-unit", "--json")
