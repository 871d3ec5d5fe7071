"""A table of 40 columns as a survey office hands it over, from its file to a page: no wrong value.

An SPSS file whose columns are called as what objects and frames have, with labels that are markup
or run from right to left, value labels in the order of their codes, numbers in tenths, gaps, a
level called (missing), and several rows a person, whose number is a float because some lack it.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from discreet import cli

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.usefixtures("no_intervals")

PERSONS, VISITS = 300, 2
OFTEN = {1: "never", 2: "sometimes", 3: "often", 4: "always"}
SIZES = {1: "S", 2: "M", 3: "L", 4: "XL"}
#: Numbers in tenths: their means and spreads.
NUMBERS: dict[str, tuple[float, float]] = {
    "constructor": (70, 9),
    "index": (5, 2),
    "then": (120, 15),
    "Größe": (170, 9),
    "北京": (40, 8),
    "عمر": (50, 9),
    "prototype": (20, 4),
    "toString": (30, 6),
    "length": (9, 2),
    "w" * 64: (12, 3),
    **{f"score{i}": (10 + i, 3) for i in range(1, 19)},
}
CODED: dict[str, dict[int, str]] = {
    "often": OFTEN,
    "valueOf": SIZES,
    "Often2": OFTEN,
    "q1": {1: "no", 2: "yes"},
    "q2": {1: "no", 2: "yes"},
    "q3": OFTEN,
    "q4": SIZES,
}
WORDS: dict[str, tuple[str, ...]] = {
    "ward": ("</script>", "a b", "__proto__"),
    "place": ("北京", "København", "القاهرة"),
    "answer": ("(missing)", "agreed", "refused"),
}
LABELS: dict[str, str | None] = {
    "constructor": "income (USD)",
    "then": "</script><b>blood pressure</b> (mmHg)",
    "index": "دخل (EUR)",
    "often": "How often in the last year?",
    "q1": "outpatient (physician)",
    "length": '"length" & more',
}
PERSON = "patient_id"
COLUMNS = [PERSON, "y", *NUMBERS, *CODED, *WORDS]


def table() -> pd.DataFrame:
    """Return a row a visit; `y` rises by 2 with each unit of `score1`."""
    chance = np.random.default_rng(11)
    rows = PERSONS * VISITS
    person = np.repeat(np.arange(PERSONS) * 3.0 + 1001, VISITS)
    person[[7, 101, 305]] = np.nan
    found: dict[str, Any] = {PERSON: person, "y": np.zeros(rows)}
    for name, (mean, sd) in NUMBERS.items():
        found[name] = chance.normal(mean, sd, rows).round(1)
    found["y"] = (2 * found["score1"] + chance.normal(0, 2, rows)).round(1)
    found["score2"][chance.random(rows) < 0.2] = np.nan
    for name, labels in CODED.items():
        found[name] = chance.integers(1, len(labels) + 1, rows).astype(float)
    for name, words in WORDS.items():
        found[name] = np.array(words, dtype=object)[chance.integers(0, len(words), rows)]
    return pd.DataFrame(found)


@dataclass(frozen=True)
class Wide:
    """A folder with the file, and the policy that was proposed for it."""

    folder: Path
    proposed: dict[str, Any]

    @property
    def file(self) -> str:
        return str(self.folder / "survey.sav")

    def call(self, *words: str, policy: bool = True) -> tuple[int, str, str]:
        rest = ("--policy", str(self.folder / "survey.toml")) if policy else ()
        return called(*words, *rest)

    def json(self, *words: str) -> Any:
        code, out, err = self.call(*words, "--json")
        assert code == 0, err
        return json.loads(out)


def called(*words: str) -> tuple[int, str, str]:
    """Call the command line in this process; return exit code, standard output and error."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["discreet", *words])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                cli.main()
            except SystemExit as ended:
                code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Wide:
    """Write the file, have a policy proposed, and say whose rows they are where it does not."""
    folder = tmp_path_factory.mktemp("wide table")
    file, policy = folder / "survey.sav", folder / "survey.toml"
    labels: dict[str, Any] = {
        name: {float(code): word for code, word in of.items()} for name, of in CODED.items()
    }
    pyreadstat.write_sav(table(), file, column_labels=LABELS, variable_value_labels=labels)
    code, _, err = called("policy", "init", str(file), "-o", str(policy))
    assert code == 0, err
    proposed = tomllib.loads(policy.read_text(encoding="utf-8"))
    if "unit" not in proposed:
        text = policy.read_text(encoding="utf-8")
        policy.write_text(f'unit = "{PERSON}"\n{text}', encoding="utf-8")
    return Wide(folder, proposed)


def test_a_role_a_kind_and_a_unit_are_proposed(wide: Wide) -> None:
    assert len(COLUMNS) == 40
    assert wide.proposed["unit"] == PERSON
    assert {*wide.proposed["roles"]} == {*COLUMNS}
    assert wide.proposed["roles"][PERSON] == "identifier"
    kinds = wide.proposed["kinds"]
    assert {name for name, kind in kinds.items() if kind == "continuous"} == {"y", *NUMBERS}
    assert {name for name, kind in kinds.items() if kind == "categorical"} == {*CODED, *WORDS}


def test_columns_are_listed_with_their_labels_and_units(wide: Wide) -> None:
    found = {it["name"]: it for it in wide.json("columns", wide.file)["columns"]}
    assert [*found] == COLUMNS
    assert {name: found[name]["label"] for name in LABELS} == LABELS
    units = {name: it["unit"] for name, it in found.items() if it["unit"] is not None}
    assert units == {"constructor": "USD", "then": "mmHg", "index": "EUR"}


@pytest.mark.parametrize("name", ["valueOf", "place"])
def test_bars_are_of_the_labels_and_of_no_code(wide: Wide, name: str) -> None:
    view = wide.json("plot", "bars", wide.file, name)
    assert {*view["levels"]} == {*CODED.get(name, {}).values()} | {*WORDS.get(name, ())}
    if name in CODED:  # in the order of the codes
        assert view["levels"] == [*CODED[name].values()]


def test_summaries_are_near_what_they_summarise(wide: Wide) -> None:
    found = wide.json("summary", wide.file)["figures"]
    means = {it["column"]: it["value"] for it in found if it["figure"] == "mean"}
    for name, (mean, sd) in NUMBERS.items():
        assert means[name] == pytest.approx(mean, abs=sd / 4), name


@pytest.fixture(scope="module")
def released(wide: Wide) -> Path:
    path = wide.folder / "released.csv"
    code, _, err = wide.call("protect", wide.file, "-o", str(path))
    assert code == 0, err
    return path


@pytest.mark.slow
def test_a_release_has_all_columns_and_persons_of_its_own(wide: Wide, released: Path) -> None:
    rows = pd.read_csv(released, keep_default_na=False, na_values=[""])
    assert {*rows.columns} == {*COLUMNS}
    assert rows[PERSON].min() == 1
    assert rows[PERSON].max() == rows[PERSON].nunique() < len(rows)
    for name, labels in CODED.items():
        assert {*rows[name].dropna()} == {*labels.values()}, name
    for name, words in WORDS.items():
        assert {*rows[name]} == {*words}, name
    for name, (mean, sd) in NUMBERS.items():
        values = rows[name].dropna().to_numpy(dtype=float)
        assert values.mean() == pytest.approx(mean, abs=sd / 4), name
        # The outermost are means of several.
        assert np.isclose(values, values.round(1)).mean() > 0.95, f"{name} is in tenths"
    assert rows["score2"].isna().mean() == pytest.approx(0.2, abs=0.1)
