"""Tables of the copy over HTTP: made, recorded, given again, and refused in fixed words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.explore import Study
from discreet.explore.facts import study_facts
from discreet.explore.file_checks import read
from discreet.explore.notes import FROM_FILE
from discreet.explore.table_kinds import TABLES
from discreet.measure import CopyTable
from discreet.outputs.of_answers import TABLE_FORMS, file_of
from discreet.provenance import Provenance, Sealer
from discreet.serve.answers import TABLE, answer, answer_again, table_body
from discreet.serve.record import Answer, log
from discreet.serve.refusals import Refusal
from discreet.serve.requests import BODIES
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller
from tests.serve.cohort import PUBLIC, served_of

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return served_of(tmp_path_factory.mktemp("tables"))


def asked(served: Served, caller: Caller, kind: str, body: dict[str, Any]) -> Answer | Refusal:
    """Answer a body as the server does."""
    read = table_body(TABLES[kind]).model_validate_json(json.dumps(body)).model_dump()
    return answer(served, caller, kind, read)


def sent(served: Served, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    found = asked(served, ALICE, kind, body)
    assert isinstance(found, Answer), found
    return dict(json.loads(found.body))


BODIES_OF_TABLES: dict[str, dict[str, Any]] = {
    "summary": {"columns": ["size", "age"], "by": "sex"},
    "means": {"value": "size", "by": ["sex", "region"]},
    "model": {"formula": "size ~ age"},
}
SIZE = {"assign": {"size": "log(bmi)"}}


def test_tables_are_those_of_the_study(served: Served) -> None:
    part = Study(served.file).where("age >= 40").assign(size="log(bmi)")
    made = {
        "summary": part.summary(["size", "age"], by="sex"),
        "means": part.means("size", ["sex", "region"]),
        "model": part.model("size ~ age"),
    }
    assert {*made} == {*BODIES_OF_TABLES} == {*TABLES}
    weighted = sent(served, "means", {"value": "bmi", "by": ["sex"], "weights": "age"})
    assert "Means of bmi in cohort.csv by sex, weighted by age" in weighted["text"]
    assert "weighted by age" in sent(served, "summary", {"weights": "age"})["text"]
    ratios = sent(served, "means", {"value": "bmi", "by": ["sex"], "per": "age"})
    assert "sum of bmi" in ratios["text"]
    model = sent(served, "model", {"formula": "bmi ~ ldl", "weights": "age"})
    assert "weighted by age" in model["text"]
    for kind, table in made.items():
        told = sent(served, kind, BODIES_OF_TABLES[kind] | {"where": "age >= 40", **SIZE})
        again = CopyTable.from_json(json.dumps(told["table"]))
        assert (told["kind"], again.figures, again.head) == (kind, table.figures, table.head)
        assert told["text"] == again.to_text()
        assert len(told["id"]) == 32


def test_a_table_is_recorded_and_given_again_in_each_form(served: Served) -> None:
    body = {"value": "bmi", "by": ["sex"]}
    told = sent(served, "means", body)
    first = asked(served, BOB, "means", body)
    assert isinstance(first, Answer)
    assert json.loads(first.body) == told
    text = '{"by":["sex"],"value":"bmi"}'
    rows = [it for it in log(served.store) if it["request"] == text]
    assert [(it["what"], it["outcome"]) for it in rows] == [("means", "answered")] * 2
    table = CopyTable.from_json(json.dumps(told["table"]))
    files = {form: file_of(first.body, form).decode() for form in TABLE_FORMS}
    assert files["table.csv"] == table.to_csv()
    assert files["table.tex"] == table.to_latex()
    assert files["table.txt"].startswith(f"{table.to_text()}\n")
    assert files["table.html"] == table.to_html()
    assert CopyTable.from_json(files["table.json"]) == table
    found = answer_again(served, BOB, told["id"], "table.csv", TABLE)
    assert isinstance(found, Answer)
    assert found.body == first.body


def is_as_made(path: Path, served: Served) -> bool:
    """Tell whether a file is as it was made of the study file that is served."""
    held, key = read(path), served.file.key
    told = Provenance.from_text(held.words or "")
    assert (told.source, told.version) == (FROM_FILE, served.version)
    assert told.is_genuine(key)
    if held.rest is None:
        return held.own and told.holds(key, held.checksum)
    return told.fits_file(key, held.rest, held.form)


@pytest.mark.parametrize("form", [it for it in TABLE_FORMS if it != "table.csv"])
def test_a_file_of_a_table_says_where_it_comes_from(
    served: Served, form: str, tmp_path: Path
) -> None:
    answer = asked(served, BOB, "means", {"value": "ldl", "by": ["sex"]})
    assert isinstance(answer, Answer)
    file = file_of(answer.body, form, Sealer(served.file.key))
    (tmp_path / form).write_bytes(file)
    assert is_as_made(tmp_path / form, served)
    (tmp_path / form).write_bytes(file.replace(b"ldl", b"LDL", 1))
    assert not is_as_made(tmp_path / form, served)


def test_who_has_not_asked_for_a_table_is_given_none(served: Served) -> None:
    name = sent(served, "means", {"value": "age", "by": ["region"]})["id"]
    read = BODIES["scatter"].model_validate_json('{"columns": ["age", "bmi"]}').model_dump()
    plot = answer(served, ALICE, "scatter", read)
    assert isinstance(plot, Answer)
    plot_name = json.loads(plot.body)["id"]
    for caller, it, held in [
        (BOB, name, TABLE),
        (ALICE, name, "view"),  # a table is no plot
        (ALICE, plot_name, TABLE),  # nor a plot a table
    ]:
        found = answer_again(served, caller, it, "again", held)
        assert isinstance(found, Refusal)
        assert found.code == "unknown"


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown column": ("summary", {"columns": ["canary"]}, "columns: "),
    "an identifier": ("summary", {"columns": ["patient"]}, "columns: "),
    "a mean of levels": ("means", {"value": "region", "by": ["sex"]}, "value: "),
    "a formula of nothing": ("model", {"formula": "canary ~"}, "formula: "),
    "a random term of two levels": (
        "model",
        {"formula": "bmi ~ age + (1 | sex)"},
        "formula: a random term, (1 | group), is for linear, logistic and Poisson models",
    ),
    "terms that follow from each other": (
        "model",
        {"formula": "bmi ~ canary + I(canary * 2)", "assign": {"canary": "age"}},
        "formula: fits no model to these rows of the copy: ",
    ),
    "a column that few rows have": (
        "model",
        {"formula": "bmi ~ canary", "assign": {"canary": "log(age - 68)"}},
        "formula: names columns that fewer than 50 rows of the copy all have a value in; ",
    ),
    "a reference to no level": (
        "model",
        {"formula": "bmi ~ sex", "reference": {"sex": "canary"}},
        "reference: ",
    ),
    "a part that cannot be read": ("summary", {"where": "canary >"}, "where: "),
}


@pytest.mark.parametrize(("kind", "body", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals_are_fixed_words(
    served: Served, kind: str, body: dict[str, Any], words: str
) -> None:
    found = asked(served, ALICE, kind, body)
    assert isinstance(found, Refusal)
    assert found.code in ("request", "policy")
    assert found.says.startswith(words)
    assert "canary" not in found.body.decode()


PLACES: dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]] = {
    "a name in a condition": (
        "summary",
        {"where": "age >= 50 and sec == 1"},
        {"parameter": "where", "entry": None, "start": 14, "end": 17},
    ),
    "a name in the second of new columns": (
        "summary",
        {"assign": {"a": "log(bmi)", "b": "1 + log(bmy)"}},
        {"parameter": "assign", "entry": 1, "start": 8, "end": 11},
    ),
    "a name that is taken": (
        "summary",
        {"assign": {"a": "log(bmi)", "age": "bmi"}},
        {"parameter": "assign", "entry": 1, "start": None, "end": None},
    ),
    "a formula of a Cox model": (
        "model",
        {"formula": "survival(age, sex) ~ bmy", "family": "cox"},
        {"parameter": "formula", "entry": None, "start": 21, "end": 24},
    ),
    "no expression": ("summary", {"by": "age"}, None),
}


@pytest.mark.parametrize(("kind", "body", "place"), PLACES.values(), ids=PLACES)
def test_the_place_of_a_mistake_is_counted(
    served: Served, kind: str, body: dict[str, Any], place: dict[str, Any] | None
) -> None:
    found = asked(served, ALICE, kind, body)
    assert isinstance(found, Refusal)
    assert json.loads(found.body)["error"]["place"] == place


def test_plots_are_weighted_and_refuse_weights_in_fixed_words(served: Served) -> None:
    def answered(body: dict[str, Any]) -> Answer | Refusal:
        read = BODIES["bars"].model_validate_json(json.dumps({"columns": ["sex"], **body}))
        return answer(served, ALICE, "bars", read.model_dump())

    found = answered({"weights": "age", "where": "age >= 40"})
    assert isinstance(found, Answer)
    view = json.loads(found.body)["view"]
    assert (view["weights"], len(view["sums"][0])) == ("age", 2)
    assert any('"weights":"age"' in it["request"] for it in log(served.store))
    for body in ({"weights": "sex"}, {"weights": "nobody"}):
        refused = answered(body)
        assert isinstance(refused, Refusal)
        assert refused.says.startswith("weights: "), refused.says


def test_what_is_told_of_a_table_is_what_its_body_takes(served: Served) -> None:
    told = study_facts(served.copy, served.columns)["tables"]
    assert [it["kind"] for it in told] == [*TABLES]
    for it in told:
        schema = table_body(TABLES[it["kind"]]).model_json_schema()
        named = {field["name"]: field for field in it["fields"]}
        assert it["derivation"]
        assert {*schema["properties"]} == {*named, "where", "assign"}
        needed = {name for name, field in named.items() if field["least"]}
        assert {*schema.get("required", ())} == needed
        for name, field in named.items():
            takes = schema["properties"][name].get("anyOf", [schema["properties"][name]])[0]
            several = field["type"] in ("columns", "words")
            assert takes.get("maxItems", 1) == (field["most"] if several else 1)
    (family,) = (it for it in told[-1]["fields"] if it["choices"])
    assert (family["name"], family["choices"]) == (
        "family",
        ["linear", "logistic", "poisson", "cox"],
    )


def test_means_and_models_are_sent_with_their_plot(served: Served) -> None:
    model = sent(served, "model", {"formula": "bmi ~ age + sex"})
    (panel,) = model["scene"]["panels"]
    assert panel["y"]["ticks"] == ["age", "sex: 2 (against 1)"]
    asked_for = {"formula": "bmi ~ age + sex", "reference": {"sex": "2"}}
    (panel,) = sent(served, "model", asked_for)["scene"]["panels"]
    assert panel["y"]["ticks"] == ["age", "sex: 1 (against 2)"]
    assert sent(served, "means", {"value": "ldl", "by": ["sex"]})["scene"]
    assert sent(served, "summary", {"columns": ["hdl"]})["scene"] is None


def test_of_a_public_table_there_are_no_tables(tmp_path: Path) -> None:
    public = served_of(tmp_path, PUBLIC)
    for kind, body in BODIES_OF_TABLES.items():
        found = asked(public, ALICE, kind, body | SIZE)
        assert isinstance(found, Refusal)
        assert found.code == "policy"
