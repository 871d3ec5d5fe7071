"""`discreet outputs`: what was released is collected, commented, approved and rejected."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.custodian import register_of
from discreet.records.outputs import InForce, hand_in_bytes
from discreet.records.store import verify
from discreet.serve.record import open_record

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what was released first is kept for the tests that follow, with its register."""
    return tmp_path_factory.mktemp("kept") / "released"


@pytest.fixture
def figures(tmp_path: Path, run: Run, cohort: Path, policy: str, released: Path) -> Path:
    """Release two pictures into a folder, one of them as numbers, too."""
    folder = tmp_path / "figures"
    if released.exists():
        shutil.copytree(released, tmp_path, dirs_exist_ok=True)
        return folder
    folder.mkdir()
    for plot, column, name in (
        ("histogram", "bmi", "bmi.svg"),
        ("histogram", "bmi", "bmi.json"),
        ("bars", "sex", "sex.png"),
    ):
        words = ("plot", plot, str(cohort), column, "--policy", policy)
        assert run(*words, "-o", str(folder / name))[0] == 0
    shutil.copytree(tmp_path, released)
    return folder


@pytest.fixture
def request_(
    tmp_path: Path, run: Run, figures: Path, policy: str
) -> Callable[..., tuple[int, dict[str, Any], str]]:
    """Call the command on a folder that has been collected."""
    folder = str(tmp_path / "request")

    def call(*words: str) -> tuple[int, dict[str, Any], str]:
        code, out, err = run("outputs", folder, *words, "--policy", policy, "--json")
        return code, json.loads(out) if out else {}, err

    assert call(str(figures))[0] == 0
    return call


def states(told: dict[str, Any]) -> dict[str, str]:
    """Return the state of each output by its name."""
    return {it["name"]: it["state"] for it in told["outputs"]}


def test_what_was_released_is_collected(
    run: Run, cohort: Path, figures: Path, tmp_path: Path, policy: str
) -> None:
    folder = tmp_path / "request"
    (figures / "sex.png").rename(tmp_path / "sex.png")
    words = ("outputs", str(folder), str(figures), str(cohort), "--policy", policy)
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert sorted(it.name for it in folder.iterdir()) == [
        *("bmi.json", "bmi.svg", "checksums", "config.json", "index.html", "results.json")
    ]
    assert "left out, because this study did not release them in this form" in out
    assert "bars(sex), as png" in out  # released, and not in the folder
    told = json.loads((folder / "results.json").read_text())["results"]["bmi.svg"]
    assert (told["status"], told["type"]) == ("pass", "plot")
    assert told["command"].startswith("histogram(bmi")
    assert told["summary"] == (
        "pass; made here, and unchanged since; drawn from the protected copy; each value drawn "
        "anew from at least 24 people; "
    )
    assert json.loads((folder / "config.json").read_text())["safe_threshold"] == 6


def test_outputs_are_commented_approved_and_rejected(request_: Any, policy: str) -> None:
    code, told, err = request_("--comment", "for table 2", "--of", "bmi.svg")
    assert (code, err) == (0, "")
    assert [it["comments"] for it in told["outputs"]] == [[], ["for table 2"], []]
    assert states(request_("--approve")[1]) == dict.fromkeys(
        ("bmi.json", "bmi.svg", "sex.png"), "approved"
    )
    _, told, _ = request_("--reject", "--reason", "bins too fine", "--of", "bmi.svg")
    assert states(told) == {"bmi.json": "approved", "bmi.svg": "rejected", "sex.png": "approved"}
    assert told["outputs"][1]["reason"] == "bins too fine"
    assert verify(register_of(policy).store).broken == ()


def test_an_approval_does_not_outlive_its_policy(request_: Any, policy: str) -> None:
    assert request_("--approve")[0] == 0
    Path(policy).write_text("k = 6\nround_to = 10\n")
    code, told, err = request_()
    assert (code, {*states(told).values()}) == (4, {"outdated"})
    assert "approved under an earlier policy or version" in err
    assert {it["status"] for it in told["outputs"]} == {"review"}
    code, _, err = request_("--approve")
    assert code == 2
    assert "give a reason" in err
    code, told, _ = request_("--approve", "--reason", "counts in fives are fine for these")
    assert (code, {*states(told).values()}) == (0, {"approved"})
    Path(policy).write_text("k = 6\n")  # back again: what was decided last was not of this one
    assert {*states(request_()[1]).values()} == {"outdated"}


def test_a_released_table_is_collected_by_its_digest(
    run: Run, cohort: Path, tmp_path: Path, policy: str
) -> None:
    made, folder = tmp_path / "tables", tmp_path / "request"
    made.mkdir()
    words = ("protect", str(cohort), "--policy", policy, "-o", str(made / "copy.csv"))
    assert run(*words)[0] == 0
    (made / "raw.csv").write_bytes(cohort.read_bytes())
    code, out, _ = run("outputs", str(folder), str(made), "--policy", policy, "--json")
    assert code == 0
    (told,) = json.loads(out)["outputs"]
    assert (told["name"], told["status"]) == ("copy.csv", "pass")
    assert told["command"].startswith("table(age, ")
    assert not (folder / "raw.csv").exists()
    assert "Its first 10 rows" in (folder / "index.html").read_text()


@pytest.mark.slow
def test_a_figure_of_another_secret_is_left_out(
    run: Run, cohort: Path, figures: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    theirs, drawn = other / "theirs.toml", other / "theirs.svg"
    theirs.write_text("k = 6\n")
    words = ("plot", "histogram", str(cohort), "bmi", "--policy", str(theirs))
    assert run(*words, "-o", str(drawn))[0] == 0
    ours = str(tmp_path / "ours.toml")
    words = ("outputs", str(tmp_path / "request"), str(drawn), "--policy", ours, "--json")
    code, out, _ = run(*words)
    assert code == 0
    assert json.loads(out)["left_out"] == [str(drawn)]
    assert json.loads(out)["outputs"] == []


MISUSED = {
    "two acts": (("--approve", "--reject"), "exclude each other; give one of them"),
    "a reason of nothing": (("--reason", "x"), "go with --approve, --reject or --comment"),
    "files with an act": (("a.svg", "--approve"), "files are collected first"),
    "a comment with a reason": (("--comment", "a", "--reason", "b"), "needs no --reason"),
    "a rejection without a reason": (("--reject",), "give a reason"),
    "no such output": (("--approve", "--of", "bmi.pdf"), "no output 'bmi.pdf'"),
    "no such file": (("nowhere",), "there is no file or folder 'nowhere'"),
}


def test_what_cannot_be_meant_is_refused(request_: Any) -> None:
    for name, (words, text) in MISUSED.items():
        code, _, err = request_(*words)
        assert code == 2, name
        assert text in err


def test_a_study_is_named_where_there_are_several(
    run: Run, cohort: Path, figures: Path, tmp_path: Path, policy: str
) -> None:
    words = ("plot", "bars", str(cohort), "sex", "--study", "other", "--policy", policy)
    assert run(*words, "-o", str(tmp_path / "other.svg"))[0] == 0
    folder = str(tmp_path / "request")
    code, _, err = run("outputs", folder, str(figures), "--policy", policy)
    assert code == 2
    assert "the register knows several studies: 'cohort.csv', 'other'; give --study" in err
    more = ("--study", "cohort.csv", "--policy", policy)
    assert run("outputs", folder, str(figures), *more)[0] == 0


HOSTILE = '<script>alert("x")</script>'


def handed_in(folder: Path, token: str, name: str, body: bytes) -> None:
    """Hand in an output on a server whose record lies in a folder."""
    record = {
        "status": "pass",
        "kind": "histogram",
        "type": "plot",
        "columns": ["bmi"],
        "method": "whole",
        "command": f"histogram(bmi, where={HOSTILE!r})",
        "says": ["made of what the server answered"],
        "view": "0" * 32,
        "callers": [f"token {token}"],
    }
    hand_in_bytes(open_record(folder), "cohort.csv", InForce("x", "y"), name, body, record)


@pytest.fixture
def server(tmp_path: Path) -> str:
    """The folder of a server's record, in which two outputs were handed in."""
    for token, name in (("alice", "a.svg"), ("bob", "b.svg")):
        handed_in(tmp_path / "server", token, name, f"<svg>{token}</svg>".encode())
    return str(tmp_path / "server")


def test_what_was_handed_in_on_a_server_is_taken_from_its_record(
    run: Run, server: str, policy: str, tmp_path: Path
) -> None:
    def call(*words: str) -> dict[str, str]:
        folder = str(tmp_path / "request")
        more = ("--study", "cohort.csv", "--policy", policy, "--json")
        code, out, err = run("outputs", folder, *words, *more)
        assert (code, err) == (0, "")
        return states(json.loads(out))

    at = ("--from-server", "--state", server)
    assert call(*at, "--token", "bob") == {"b.svg": "waiting"}
    assert call("--approve", "--reason", "looked at") == {"b.svg": "approved"}
    assert call(*at) == {"a.svg": "waiting", "b.svg": "approved"}
    assert (tmp_path / "request" / "a.svg").read_bytes() == b"<svg>alice</svg>"
    page = (tmp_path / "request" / "index.html").read_text()
    assert "&lt;script&gt;alert" in page
    assert "<script" not in page
    assert verify(register_of(policy).store).broken == ()


@pytest.mark.parametrize("name", ["../a.svg", ""])
def test_a_server_names_no_path(
    run: Run, server: str, policy: str, tmp_path: Path, name: str
) -> None:
    handed_in(Path(server), "eve", name, b"<svg>eve</svg>")
    words = ("outputs", str(tmp_path / "request"), "--from-server", "--state", server)
    code, _, err = run(*words, "--study", "cohort.csv", "--policy", policy)
    assert code == 2
    assert "names an output that is not a valid file name" in err
    assert not [*tmp_path.rglob("*.svg")]


OF_A_SERVER = {
    "a token alone": (("--token", "alice"), "give --from-server with it"),
    "a token of nobody": (
        ("--from-server", "--state", "{server}", "--token", "eva"),
        "nothing was handed in with a token 'eva'; outputs are of 'alice', 'bob'",
    ),
    "no record": (("--from-server", "--token", "alice"), "there is no server's record in"),
    "an act": (("--from-server", "--approve"), "files are collected first"),
}


def test_what_cannot_be_meant_of_a_server_is_refused(
    run: Run, server: str, policy: str, tmp_path: Path
) -> None:
    of = ("--study", "cohort.csv", "--policy", policy)
    for words, text in OF_A_SERVER.values():
        given = (it.format(server=server) for it in words)
        code, _, err = run("outputs", str(tmp_path / "request"), *given, *of)
        assert code == 2
        assert text in err


PAGE = Path(__file__).parents[2] / "docs" / "outputs.md"
SHOWN = re.compile(r"^```sh\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_commands_of_its_page_do_what_it_says(
    run: Run, cohort: Path, figures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("discreet.toml").write_text(Path("ours.toml").read_text())
    for made in ("table.csv", "cohort.discreet"):
        assert run("protect", str(cohort), "--policy", "discreet.toml", "-o", made)[0] == 0
    lines = "".join(SHOWN.findall(PAGE.read_text(encoding="utf-8"))).splitlines()
    assert len(lines) == 8
    states = {}
    for line in lines:
        name, *words = shlex.split(line, comments=True)
        assert name == "discreet"
        if "--from-server" in words:  # there is none here
            continue
        code, out, err = run(*words)
        assert (code, err) == (0, ""), line
        if "--json" in words:
            states = {it["name"]: it["state"] for it in json.loads(out)["outputs"]}
    assert states == {
        "bmi.json": "approved",
        "bmi.svg": "rejected",
        "sex.png": "approved",
        "table.csv": "approved",
    }


def test_of_outputs_of_one_name_the_newest_is_taken(
    run: Run, server: str, policy: str, tmp_path: Path
) -> None:
    handed_in(Path(server), "alice", "a.svg", b"<svg>again</svg>")
    words = ("outputs", str(tmp_path / "request"), "--from-server", "--state", server)
    code, _, err = run(*words, "--study", "cohort.csv", "--policy", policy)
    assert (code, err) == (0, "")
    assert (tmp_path / "request" / "a.svg").read_bytes() == b"<svg>again</svg>"
