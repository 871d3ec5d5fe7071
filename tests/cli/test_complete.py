"""What the shell completes: plots, and columns by the first line of the file."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

from discreet import cli

Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Complete:
    """Complete the last word of a command, as bash asks for it."""
    (tmp_path / "c.csv").write_text('age,bmi,"body mass",sex\n1,secret,3,4\n', encoding="utf-8")
    (tmp_path / "t.tsv").write_text("a b\tc,d\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    pq.write_table(pa.table({"visit": [1], "value": [2]}), tmp_path / "p.parquet")
    with gzip.open(tmp_path / "c.csv.gz", "wt") as packed:
        packed.write("age;bmi\n1;2\n")
    (tmp_path / "j.jsonl").write_text('{"age": 1, "bmi": "secret"}\n', encoding="utf-8")
    frame = pd.DataFrame({"age": [1.0], "bmi": ["secret"]})
    feather.write_feather(frame, str(tmp_path / "f.feather"))
    frame.to_excel(tmp_path / "b.xlsx", sheet_name="ward", index=False)
    pyreadstat.write_sav(frame, tmp_path / "s.sav")
    monkeypatch.chdir(tmp_path)

    def ask(words: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["discreet"])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", "")  # as a script has it
        monkeypatch.setenv("_DISCREET_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", f"discreet {words}")
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" "))))
        with pytest.raises(SystemExit, match=r"^0$"):
            cli.main()
        return capsys.readouterr().out.split("\n")[:-1]

    return ask


COMPLETED = {
    "plot hist": ["histogram"],
    "plot over": ["over-time"],
    "plot au": ["auto"],
    "plot histogram c.csv b": ["bmi", "body mass"],
    "plot scatter c.csv age s": ["sex"],
    "plot box c.csv bmi --by s": ["sex"],
    "plot box --by sex c.csv bm": ["bmi"],
    "means c.csv a": ["age"],
    "means c.csv bmi s": ["sex"],
    "means p.parquet v": ["visit", "value"],
    "means t.tsv a": ["a b"],
    "means c.csv.gz b": ["bmi"],
    "means j.jsonl b": ["bmi"],
    "means f.feather b": ["bmi"],
    "means b.xlsx#ward b": ["bmi"],
    "means s.sav b": ["bmi"],
    "summary --by a s.sav b": [],
    "summary c.csv --columns age,b": ["age,bmi", "age,body mass"],
    "summary c.csv --by s": ["sex"],
    "plot histogram c.csv secr": [],  # a value, and no column
    "plot histogram empty.csv a": [],
    "plot histogram nowhere.csv a": [],
}


def test_it_is_completed(complete: Complete) -> None:
    for words, wanted in COMPLETED.items():
        assert [it for it in complete(words) if it] == wanted, words
