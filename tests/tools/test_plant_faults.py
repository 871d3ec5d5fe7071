"""Planted faults: the list fits the checkout, and the tool says what is caught and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import plant_faults
from tools.plant_faults import CAUGHT, MISSED, NO_TEST, NOT_THERE, Fault, Ran, faults_of, plant

FAULTS = faults_of()
LESS = Fault("a limit is off by one", "a.py", "n < k", "n <= k", ("test_a.py::test_a",))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout of a rule and of tests, one of which would see that it is off by one."""
    (tmp_path / "a.py").write_text("def few(n, k):\n    return n < k\n")
    tests = "\ndef test_a():\n    assert not few(5, 5)\n\ndef test_b():\n    assert few(1, 5)\n"
    (tmp_path / "test_a.py").write_text("from a import few\n" + tests)
    return tmp_path


def test_each_of_forty_can_be_planted_and_has_tests() -> None:
    assert len({fault.name for fault in FAULTS}) == 40
    assert [plant_faults.wrong_with(it) for it in FAULTS] == [""] * 40


WRONG = {
    "no such file": (LESS._replace(file="b.py"), "there is no file b.py"),
    "nothing changes": (LESS._replace(after="n < k"), "it changes nothing"),
    "the text is gone": (LESS._replace(before="n > k"), "'n > k' is not in a.py once"),
    "it is there twice": (LESS._replace(before="k"), "'k' is not in a.py once"),
    "no test": (LESS._replace(tests=()), "it names no test"),
    "no file of tests": (LESS._replace(tests=("b.py::test_a",)), "there is no test b.py::test_a"),
    "no such test": (LESS._replace(tests=("test_a.py::test",)), "no test test_a.py::test"),
}


@pytest.mark.parametrize(("fault", "said"), WRONG.values(), ids=WRONG)
def test_it_is_said_why_a_fault_cannot_be_planted(fault: Fault, said: str, checkout: Path) -> None:
    assert plant_faults.wrong_with(LESS, checkout) == ""
    assert said in plant_faults.wrong_with(fault, checkout)


BROKEN_LISTS = {
    "a key is not there": ("[[fault]]\nname = 'a'\ntests = []\n", "fault 1 of list.toml must have"),
    "two of one name": (
        2 * "[[fault]]\nname = 'a'\nfile = ''\nbefore = ''\nafter = ''\ntests = []\n",
        "two faults of list.toml have one name",
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN_LISTS.values(), ids=BROKEN_LISTS)
def test_a_list_that_is_not_whole_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said):
        faults_of(path)


FOUND = {
    "a test fails": (LESS, CAUGHT),
    "all pass": (LESS._replace(tests=("test_a.py::test_b",)), MISSED),
    "the text is gone": (LESS._replace(before="n > k"), NOT_THERE),
    "there is no such test": (LESS._replace(tests=("test_a.py::test_c",)), NO_TEST),
}


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "said"), FOUND.values(), ids=FOUND)
def test_what_becomes_of_a_fault(fault: Fault, said: str, checkout: Path) -> None:
    before = (checkout / "a.py").read_bytes()
    assert plant(checkout, fault).said == said
    assert (checkout / "a.py").read_bytes() == before


@pytest.mark.parametrize(("fault", "code"), [(LESS, 0), (LESS._replace(after="n < k or 0"), 1)])
def test_it_ends_with_1_unless_all_are_caught(
    fault: Fault,
    code: int,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(plant_faults, "ROOT", checkout)
    monkeypatch.setattr(plant_faults, "faults_of", lambda: (fault,))
    # What a run of tests ends with is tested above.
    passes = "n < k" in fault.after
    ran = [Ran(0, "1 passed", 1.0), Ran(0 if passes else 1, "", 1.0)]
    monkeypatch.setattr(plant_faults, "run", lambda *_: ran.pop(0))
    assert plant_faults.main([]) == code
    said = capsys.readouterr().out
    assert "without a fault: 1 passed" in said
    assert f"{1 - code} of 1 faults are caught" in said
