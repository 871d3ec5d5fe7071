"""What is installed and where state lies is said; nothing is made, and no secret is said."""

import os
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

import discreet as dc
from discreet import doctor
from discreet.doctor import Place, checkup
from discreet.errors import InputError
from discreet.secret import secret_at

NEEDED = [
    "numpy>=2.0",
    "anywidget>=0.9; extra == 'jupyter'",
    "nowhere-to-be-had>=1; extra == 'server'",
    "tomli>=1; python_version < '3.0'",
    "ruff>=0.9; extra == 'dev'",
]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let discreet need other packages."""

    def needs(*packages: str) -> None:
        monkeypatch.setattr(doctor, "requires", lambda name: list(packages))

    return needs


def test_a_sound_installation_has_no_problem(own_home: Path) -> None:
    found = checkup()
    assert found.problems == ()
    assert found.packages["core"]["numpy"] == metadata.version("numpy")
    assert found.places["secret"] == Place(
        str(own_home / ".config/discreet/discreet.secret"), True, True, True
    )
    assert found.places["register"] == Place(
        str(own_home / ".local/state/discreet/register.sqlite"), False, True, None
    )
    assert found.memory_limit == "2GB"
    assert "parquet" in found.duckdb_extensions
    assert not (own_home / ".local/state").exists()
    assert "Everything is in order." in found.to_text()


def test_packages_are_those_of_extras_that_are_for_users(installed: Callable[..., None]) -> None:
    installed(*NEEDED)
    found = checkup()
    assert found.packages["core"] == {"numpy": metadata.version("numpy")}
    assert found.packages["server"] == {"nowhere-to-be-had": None}
    assert found.packages["jupyter"] == {"anywidget": metadata.version("anywidget")}
    assert "dev" not in found.packages
    assert "all" not in found.packages
    assert "nowhere-to-be-had (missing); pip install 'discreet[server]'" in found.to_text()
    assert found.problems == ()


@pytest.mark.parametrize(
    ("package", "said"),
    [
        ("nowhere-to-be-had>=1", "the package nowhere-to-be-had is missing: pip install"),
        ("numpy>=99", r"the package numpy is of version \S+, and >=99 is needed: pip install"),
    ],
)
def test_a_package_that_is_missing_or_old_is_a_problem(
    installed: Callable[..., None], package: str, said: str
) -> None:
    installed(package)
    (problem,) = checkup().problems
    with pytest.raises(InputError, match=said):
        raise InputError(problem)


def test_a_place_that_may_not_be_written_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    state = own_home / "state"
    state.mkdir()
    monkeypatch.setenv("DISCREET_STATE", str(state))
    honest = os.access  # which root is told of any folder
    monkeypatch.setattr(
        os, "access", lambda path, how: honest(path, how) and (path != state or how != os.W_OK)
    )
    (problem,) = checkup().problems
    assert problem == (
        f"{str(state / 'register.sqlite')!r} cannot be written to, so nothing can be released; "
        "make it writable"
    )


def test_a_secret_is_not_said_and_a_bad_one_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    secret = own_home / ".config/discreet/discreet.secret"
    secret.chmod(0o644)
    found = checkup()
    assert found.places["secret"].private is False
    assert "can be read by others" in found.problems[0]

    material = "0123456789abcdef" * 4
    monkeypatch.setenv("DISCREET_SECRET", material)
    found = checkup()
    assert found.problems == ()
    assert found.secret_from == "the environment variable DISCREET_SECRET"
    assert material not in found.to_text() + found.to_json()

    monkeypatch.setenv("DISCREET_SECRET", "geheim")
    found = checkup()
    assert found.problems == (
        "the secret must be written in hexadecimal digits, at least 32 of them",
    )
    assert "geheim" not in found.to_text() + found.to_json()


def test_what_lies_beside_a_policy_is_looked_at_and_not_made(tmp_path: Path) -> None:
    policy = tmp_path / "rules.toml"
    policy.write_text('preset = "standard"\nstudy = "clinic"\n')
    found = checkup(policy)
    assert found.places["register"].path == str(tmp_path / ".discreet" / "register.sqlite")
    assert [it.name for it in tmp_path.iterdir()] == ["rules.toml"]
    assert "clinic" not in found.to_text() + found.to_json()


def test_a_register_that_others_may_read_is_remarked(tmp_path: Path, own_home: Path) -> None:
    folder = own_home / ".local/state/discreet"
    folder.mkdir(parents=True)
    (folder / "register.sqlite").touch(mode=0o644)
    secret_at(folder / "register.key")
    found = checkup()
    assert found.problems == ()
    assert any(it.startswith("the register can be read by others") for it in found.remarks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("register.sqlite", "is gone, or another is in its place"),
        ("register.key", "but not its key"),
    ],
)
def test_a_register_that_is_lost_is_a_problem(name: str, says: str, own_home: Path) -> None:
    dc.open(dc.datasets.diabetes()).histogram("age").to_json()
    assert checkup().problems == ()
    (own_home / ".local/state/discreet" / name).unlink()
    (problem,) = checkup().problems
    assert says in problem
    assert not (own_home / ".local/state/discreet" / name).exists()


@pytest.mark.parametrize("content", [b"SQLite", b"SQLite format 2\0"])
def test_a_damaged_register_is_a_problem(content: bytes, own_home: Path) -> None:
    folder = own_home / ".local/state/discreet"
    folder.mkdir(parents=True)
    (folder / "register.sqlite").write_bytes(content)
    (problem,) = checkup().problems
    assert problem.startswith("the register ")
    assert "is damaged" in problem


def test_no_memory_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_MEMORY", "plenty")
    assert checkup().problems == (
        "DISCREET_MEMORY is an amount of memory, such as '500MB' or '16GB'",
    )
