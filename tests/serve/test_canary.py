"""Canaries in every column of a served cohort: they sing in no answer, log, register or page."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import logging
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route

from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS
from discreet.plots import PLOTS
from discreet.serve.app import pages
from discreet.serve.tokens import add_token
from tests.serve.canaries import ALONE, CANARIES, CLIENTS, COHORT, SACRO, SECRET, planted, shuffled
from tests.serve.cohort import NAME
from tests.serve.conftest import Running, running
from tests.serve.listening import Ear, hearing
from tests.serve.searching import Canaries
from tests.web.reading import read_bundle

A_KIND = 6  # requests of each kind of picture in one walk
EVERY = 2  # of one kind in so many, files are made; the walks together make all
FORMULAS = (
    "glucose ~ age",
    "income ~ age + bmi",
    "glucose ~ C(sex) * age",
    "log(glucose) ~ sqrt(age)",
    "income ~ I((age - 31)**2)",
    "glucose ~ visits",
    "half ~ age",
)


# --- the search itself --------------------------------------------------------------------------


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(text: bytes) -> bytes:
    points = png_chunk(b"IDAT", zlib.compress(b"\0\0\0\0"))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"zTXt", b"a\0\0" + zlib.compress(text)) + points


PLANTED: dict[str, bytes] = {
    "as it is": b"... Canarybird0012 ...",
    "in another case": b"QUUXWARD",
    "in base64": b'{"x": "' + base64.b64encode(b"ab the Zebulon, no. 3") + b'"}',
    "in base64 of URLs": b"src=" + base64.urlsafe_b64encode(b"??>> about Zebulon ~~>>"),
    "in hexadecimal digits": b"Zebulon".hex().encode(),
    "in UTF-16": "wombatism".encode("utf-16-le"),
    "in a URL": b"/a?b=%71uuxw%61rd",
    "in HTML": b"&#113;uuxward",
    "in JSON": b'"\\u0071uuxward"',
    "in gzip": b"head" + gzip.compress(b"xylograph") + b"tail",
    "in a stream of a PDF": b"<< >> stream\n" + zlib.compress(b"BT (quuxward) Tj ET") + b"\nend",
    "between the letters of a PDF": zlib.compress(b"[ (quu) -12.5 (xw) 3 (ard) ] TJ"),
    "in a PNG": png(b"Software quuxward"),
    "in an SVG's picture": b'href="data:image/png;base64,' + base64.b64encode(png(b"ibisvogel")),
    "twice compressed": zlib.compress(b"a" + zlib.compress(b"Zebulon")),
    "a number": b"[31.415926535897]",
    "a number, rounded": b'cx="141.421"',
    "a number of either sign": b"(161803.40)",
    "a number in e notation": b"3.14159e+01",
    "a small e": b"8.67531e6 ",
    "a whole number": b'{"n":8675309}',
    "a number in a stream": zlib.compress(b"271828.1828 0 m"),
    "a binary number": b"\x01\x02" + struct.pack("<d", 27.182818284590),
    "a short binary number": struct.pack(">f", 141.42135623731),
    "any value": str(CANARIES.exact[5]).encode(),
    "the secret": SECRET.encode(),
    "the client's": b'unknown column "clientcanary"',
}


@pytest.mark.parametrize("data", PLANTED.values(), ids=[*PLANTED])
def test_the_search_finds_what_is_planted(data: bytes) -> None:
    assert CANARIES.found(data)
    assert CANARIES.found(b"x" * 1000 + b" " + data + b" " + b"y" * 1000)


@pytest.mark.parametrize(
    "data",
    [b"", b"quux ward", b"31.42", b"31.4161", b"271827", b"86753090 ", b"a31.4159265", b"n=8675.3"],
)
def test_the_search_finds_nothing_else(data: bytes) -> None:
    assert CANARIES.found(data) == []


def test_the_ear_hears_answers_logs_and_the_record(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "record.sqlite")
    connection.execute("CREATE TABLE a (b)")
    connection.execute("INSERT INTO a VALUES (?)", (zlib.compress(b"Zebulon"),))
    connection.commit()
    connection.close()
    ear = Ear(CANARIES)
    ear.record(tmp_path)
    assert "table a: Zebulon" in ear.sung
    ear = Ear(CANARIES)
    ear.answer("x", httpx.Response(200, headers={"x": "quuxward"}, content=b"Zebulon"))
    assert ear.sung == ["x, head: quuxward", "x, 200: Zebulon"]
    with pytest.raises(AssertionError, match="ibisvogel"), hearing(CANARIES):
        logging.getLogger("discreet.serve").warning("GET /%s", "ibisvogel")


# --- a walk over all that can be asked ----------------------------------------------------------


def bodies(told: dict[str, Any], picture: dict[str, Any], turn: int) -> list[dict[str, Any]]:
    """Return requests for a picture by its `turn`-th method, in every allowed shape."""
    methods = picture["methods"]
    method = methods[min(turn, len(methods) - 1)]
    of_kind = {
        kind: [it["name"] for it in told["columns"] if kind in ("any", it["kind"])]
        for kind in ("continuous", "categorical", "any")
    }
    if picture["takes"] == "formula":
        of: list[dict[str, Any]] = [{"formula": formula} for formula in FORMULAS]
    else:
        least = picture["columns"]["least"]
        sizes = (least, least + 1) if picture["columns"]["most"] > least else (least,)
        pool = of_kind[picture["columns"]["kind"]]
        of = [{"columns": [*it]} for size in sizes for it in itertools.combinations(pool, size)]
    by = (picture["by"] or {"rows": [], "columns": []})["rows" if method["rows"] else "columns"]
    beside: list[dict[str, Any]] = [{}, *({"by": name} for name in by)]
    beside += [{"by": [*pair]} for pair in itertools.pairwise(by)]
    for it in picture["parameters"]:
        if not it["fixed"] and (it["methods"] is None or method["name"] in it["methods"]):
            words = (True, False, *it["choices"])[-2:]
            values = words if it["least"] is None else (4 * int(it["least"]),)
            beside += [{it["name"]: value} for value in values]
    if picture["kind"] == "parallel":
        of += [{"columns": ["ward", "age", "bmi", "glucose", "illness"]}]
        of += [{"columns": ["age", "bmi", "illness"]}, {"columns": ["ward", "age"]}]
    how = {"method": method["name"]}
    return [{**one, **other, **how} for one, other in itertools.product(of, beside)]


def walk(served: Running, ear: Ear, turn: int) -> dict[tuple[str, int], int]:
    """Ask for pictures of every kind, and for files of some; return how often what came back."""
    became: dict[tuple[str, int], int] = {}
    with served.client() as client:
        told = ear.answer("study", client.get("/api/study")).json()
        pictures = told["pictures"]
        for place, picture in enumerate(pictures):
            kind, drawn = picture["kind"], []
            for body in shuffled(bodies(told, picture, turn), turn)[:A_KIND]:
                where = f"{kind} {json.dumps(body)}"
                found = ear.answer(where, client.post(f"/api/views/{kind}", json=body))
                became[kind, found.status_code] = became.get((kind, found.status_code), 0) + 1
                if found.status_code == 200:
                    drawn.append(found.json()["id"])
            if (place + turn) % EVERY:
                continue
            for view, form in itertools.product(drawn[-1:], ("", *PLOT_FORMS)):
                address = f"/api/views/{view}/{form}".rstrip("/")
                assert ear.answer(f"{kind} {form}", client.get(address)).status_code == 200
    return became


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "turn"), [("", 0), (SACRO, 1)], ids=["standard", "sacro"])
def test_no_canary_sings_in_anything_that_can_be_asked(
    rules: str, turn: int, tmp_path: Path
) -> None:
    studies = planted(tmp_path, rules)
    with hearing(CANARIES) as ear:
        with running(studies, tmp_path) as served:
            became = walk(served, ear, turn)
            with served.client(served.custodian) as client:
                for address in ("/api/custodian", "/api/custodian/log?before=30"):
                    assert ear.answer(address, client.get(address)).status_code == 200
                checked = ear.answer("verify", client.post("/api/custodian/verify")).json()
                assert checked["broken"] == []
            ear.record(tmp_path)  # with what is in its journal alone
        ear.record(tmp_path)
    assert {kind for kind, status in became if status == 200} >= {*PLOTS} - {
        "parallel",
        "survival",  # of which this walk does not say what the event is
        "over_time",  # nor which columns hold dates or years
    }
    assert turn == 0 or ("parallel", 200) in became
    assert sum(became.values()) > 50


TABLES_ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tables/summary", {}),
    ("tables/summary", {"by": "sex"}),
    ("tables/summary", {"where": "age > 45 and not missing(bmi)", "by": "ward"}),
    ("tables/summary", {"columns": ["new"], "assign": {"new": "log(income + 200000)"}}),
    ("tables/means", {"value": "income", "by": ["ward", "sex"]}),
    ("tables/means", {"value": "visits", "by": ["illness"], "where": "half < 1"}),
    ("tables/model", {"formula": "income ~ age + bmi + C(sex)"}),
    ("tables/model", {"formula": "sex ~ glucose", "family": "logistic", "event_is": ["f"]}),
    ("views/histogram", {"columns": ["visits"], "where": "income > 20000"}),
    ("views/scatter", {"columns": ["x", "income"], "assign": {"x": "visits / age"}}),
)


@pytest.mark.slow
def test_no_canary_sings_in_tables_parts_or_new_columns(tmp_path: Path) -> None:
    studies = planted(tmp_path)
    statuses = []
    with hearing(CANARIES) as ear, running(studies, tmp_path) as served, served.client() as client:
        for path, body in TABLES_ASKED:
            found = ear.answer(f"{path} {body}", client.post(f"/api/{path}", json=body))
            statuses.append(found.status_code)
            forms = TABLE_FORMS if path.startswith("tables") and statuses[-1] == 200 else ()
            for form in forms:
                address = f"/api/tables/{found.json()['id']}/{form}"
                assert ear.answer(address, client.get(address)).status_code == 200
        ear.record(tmp_path)  # which has what is refused as it was asked
        for text in ("clientcanary > 1", "ward == 1", "age > ragnaroek(", "Zebulon"):
            for asked in ({"where": text}, {"assign": {"ragnaroek": text}}):
                found = ear.answer(text, client.post("/api/tables/summary", json=asked))
                assert found.json()["error"]["place"]["parameter"] in asked
    assert statuses == [200] * len(TABLES_ASKED)


CONDITIONS: tuple[dict[str, Any], ...] = (
    {},
    {"where": ["income > 20000"]},
    {"where": ["ward == 'north'", "age > 31"], "assign": [["x", "log(income + 200000)"]]},
    {"assign": [["x", "visits / age"]]},
)


@pytest.mark.slow
def test_no_canary_sings_in_rows_or_what_lights_up(tmp_path: Path) -> None:
    studies = planted(tmp_path)
    with hearing(CANARIES) as ear, running(studies, tmp_path) as served, served.client() as client:
        rows = ear.answer("rows", client.get("/api/rows"))
        _, found = read_bundle(rows.content)
        assert {*found} == {*COHORT.column_names} - {"patient", "note"}
        for name, values in found.items():  # as numbers are written, too
            ear.listen(f"rows of {name}", json.dumps([*values], default=float))
        views = {}
        for name, values in found.items():
            kind = "bars" if isinstance(values, list) else "histogram"
            drawn = client.post(f"/api/copy/{kind}", json={"columns": [name]})
            views[name] = ear.answer(f"{kind} of {name}", drawn).json()["view"]
        axes = [
            {"column": name, **{it: view[it] for it in ("edges", "levels") if it in view}}
            for name, view in views.items()
        ]
        cards = [{"marks": {"axes": [axis]}} for axis in axes]
        for condition, axis in itertools.product(CONDITIONS, axes):
            marks = axis.get("levels") or [*itertools.pairwise(axis["edges"])]
            of = {"column": axis["column"]}
            for mark in marks[:6]:
                light = {"levels": [mark]} if "levels" in axis else {"from": mark[0], "to": mark[1]}
                body = {**condition, "light": {"all": [of | light]}, "cards": cards}
                where = f"light {condition} {axis['column']}"
                answer = ear.answer(where, client.post("/api/copy/light", json=body))
                assert answer.status_code == 200, answer.text
        for kind, columns in (("scatter", ["income", "age"]), ("bars", ["ward"]), ("box", ["bmi"])):
            body = {"columns": columns, "where": "visits < 30"}
            assert ear.answer(kind, client.post(f"/api/copy/{kind}", json=body)).is_success
        ear.record(tmp_path)
        for text in ("clientcanary > 1", "ward == 1", "Zebulon"):
            wrong: dict[str, Any]
            for wrong in ({"where": [text]}, {"assign": [["ragnaroek", text]]}):
                assert ear.answer(text, client.post("/api/copy/light", json=wrong)).is_client_error


@pytest.mark.slow
def test_no_canary_sings_in_pages_and_descriptions(canary: Running) -> None:
    with hearing(CANARIES) as ear, canary.client("none") as client:
        told = ear.answer("openapi", client.get("/api/openapi.json")).json()
        ear.answer("health", client.get("/api/health"))
        ear.answer("ready", client.get("/api/ready"))
        names = [it.path for it in pages().routes if isinstance(it, Route)]
        for name in names:  # scripts are of the package: they are made before there is a study
            found = client.get(name)
            assert found.status_code == 200
            if not name.startswith("/static/"):
                ear.answer(name, found)
        assert {"/", "/custodian", "/static/board.js", "/static/custodian.js"} <= {*names}
        assert told["paths"]


# --- what is not as described -------------------------------------------------------------------


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the cohort with canaries."""
    folder = tmp_path_factory.mktemp("canary")
    studies = planted(folder)
    with running(studies, folder) as found:
        yield found


NAMES = ["age", "bmi", "ward", "sex", "illness", "patient", "note"]
WORDS = st.sampled_from([*CLIENTS, "Zebulon", "Canarybird0001", "quuxward", "wombatism", *NAMES])
PARAMETERS = sorted({name for plot in PLOTS.values() for name in plot.parameters()})
KEYS = st.sampled_from(["columns", "formula", "by", "method", *PARAMETERS, "sensitive", *CLIENTS])
LEAVES = (
    WORDS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([value for values in ALONE.values() for value in values])
    | st.text(max_size=5)
    | WORDS.map(lambda it: f"glucose ~ C({it})")
    | WORDS.map(lambda it: f"glucose ~ age:{it} + `{it}`")
)
VALUES = st.recursive(
    LEAVES, lambda it: st.lists(it, max_size=4) | st.dictionaries(WORDS, it, max_size=3)
)
BODIES_AT_RANDOM = st.dictionaries(KEYS, VALUES | st.lists(WORDS, max_size=5), max_size=5)


@pytest.mark.slow
def test_no_request_is_echoed_whatever_it_holds(canary: Running) -> None:
    # A number that a client sends may be told to be too large by a nearest request: not a text.
    heard = Canaries(CANARIES.texts, ())
    with hearing(heard) as ear, canary.client() as client:

        @given(kind=st.sampled_from([*PLOTS]), body=BODIES_AT_RANDOM)
        @settings(max_examples=100, suppress_health_check=[*HealthCheck])
        def ask(kind: str, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            found = ear.answer(f"{kind} {body}", client.post(f"/api/views/{kind}", content=data))
            assert found.status_code < 500, body

        ask()
        ear.record(canary.folder)


ODD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a path": ("GET", "/clientcanary", {}),
    "a path of the API": ("GET", "/api/clientcanary", {}),
    "a file": ("GET", "/static/clientcanary.js", {}),
    "a picture": ("GET", "/api/views/clientcanary", {}),
    "a file of a picture": ("GET", "/api/views/clientcanary/figure.svg", {}),
    "a kind": ("POST", "/api/views/clientcanary", {"json": {}}),
    "a method": ("CLIENTCANARY", "/api/study", {}),
    "a query": ("GET", "/api/custodian/log?before=clientcanary&clientcanary=1", {}),
    "a header": ("GET", "/api/study", {"headers": {"x-clientcanary": "clientcanary"}}),
    "an origin": ("GET", "/api/study", {"headers": {"origin": "https://clientcanary"}}),
    "a host": ("GET", "/", {"headers": {"host": "clientcanary"}}),
    "a tag": ("GET", "/", {"headers": {"if-none-match": '"clientcanary"'}}),
    "a token": ("GET", "/api/study", {"headers": {"authorization": "Bearer clientcanary"}}),
    "a scheme": ("GET", "/api/study", {"headers": {"authorization": "clientcanary x"}}),
    "a kind of body": (
        "POST",
        "/api/views/box",
        {"headers": {"content-type": "clientcanary/x"}, "content": b"clientcanary"},
    ),
    "not JSON": ("POST", "/api/views/box", {"content": b'{"clientcanary'}),
    "not UTF-8": ("POST", "/api/views/box", {"content": b'{"clientcanary\xff":1}'}),
    "a preflight": (
        "OPTIONS",
        "/api/study",
        {"headers": {"origin": "x", "access-control-request-headers": "clientcanary"}},
    ),
}


@pytest.mark.parametrize("role", ["analyst", "custodian", "nobody"])
def test_nothing_of_an_odd_request_comes_back(canary: Running, role: str) -> None:
    token = {"analyst": canary.token, "custodian": canary.custodian, "nobody": "x"}[role]
    heard = Canaries((*CLIENTS, canary.token, canary.custodian))
    with hearing(heard) as ear, canary.client(token) as client:
        for name, (method, path, more) in ODD.items():
            found = ear.answer(name, client.request(method, path, **more))
            assert found.status_code < 500, name
        ear.record(canary.folder)


def test_no_token_is_kept_or_told(canary: Running) -> None:
    other = add_token(canary.studies.store, NAME, "dora")
    tokens = [canary.token, canary.custodian, other]
    bare = [it.removeprefix("discreet_") for it in tokens]
    with hearing(Canaries((*tokens, *bare, SECRET))) as ear:
        for token in tokens:
            with canary.client(token) as client:
                for path in ("/api/study", "/api/custodian", "/api/openapi.json", "/custodian"):
                    ear.answer(path, client.get(path))
                ear.answer("a box", client.post("/api/views/box", json={"columns": ["age"]}))
        ear.record(canary.folder)
