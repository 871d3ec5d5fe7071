"""Nothing that is drawn of a study file needs a room below the wall: these cannot be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import discreet as dc
from discreet.plots import PLOTS
from tools.house_rules import BELOW_THE_WALL

WITHOUT = f"""
import importlib.abc, json, sys

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if parts[0] == "discreet" and {{*parts[1:2]}} & {{*{BELOW_THE_WALL}}}:
            raise ImportError(f"{{name}} is below the wall")

sys.meta_path.insert(0, Wall())
import discreet as dc
"""
DRAWN = {
    "bars": 's.bars("sex")',
    "box": 's.box("bmi", by="sex")',
    "contour": 's.contour("age", "bmi")',
    "correlations": "s.correlations()",
    "crosstab": 's.crosstab("sex", "old")',
    "density": 's.density("bmi", by="sex")',
    "ecdf": 's.ecdf("bmi")',
    "heatmap": 's.heatmap("age", "bmi", by="sex")',
    "histogram": 's.histogram("bmi", by="sex")',
    "leverage": 's.leverage("bmi ~ age + C(sex)")',
    "over_time": 's.over_time("day", "bmi")',
    "parallel": 's.parallel(["age", "bmi", "sex"])',
    "qq": 's.qq("bmi ~ age")',
    "residuals": 's.residuals("bmi ~ age")',
    "scatter": 's.where("age >= 40").scatter("age", "bmi", by="sex")',
    "survival": 's.survival("age", "old", by="sex", event_is="yes")',
    "violin": 's.violin("bmi", by="sex")',
}
REST = (
    's.summary(by="sex")',
    's.means("bmi", "sex")',
    's.model("bmi ~ age + C(sex)")',
    "s.columns",
    "s.fidelity()",
)


def run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process in which the rooms below the wall cannot be imported."""
    program = f"{WITHOUT}\nfile = {str(path)!r}\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )


def test_each_plot_table_and_board_is_made_where_nothing_below_the_wall_can_be_imported(
    tmp_path: Path,
) -> None:
    assert {*DRAWN} == {*PLOTS}
    path = dc.protect(dc.datasets.diabetes(), study="patients").publish(tmp_path / "a.discreet")
    code = "from pathlib import Path\nplain = dc.open(file)\ns = plain.assign(old='age >= 50')\n"
    code += "found = {}\n"
    forms = {"bars": ".svg", "box": ".png", "contour": ".pdf", "density": ".html", "qq": ".json"}
    for name, drawn in DRAWN.items():
        form = forms.get(name)
        if name == "over_time":  # there are no dates in this table
            continue
        code += f"view = {drawn}\nfound[{name!r}] = view.kind\n"
        code += f"view.save(Path(file).with_name('a{form}'))\n" if form else "view.scene()\n"
    code += "".join(f"{it}.to_json()\n" for it in REST)
    code += "board = Path(file).with_name('board.html')\ns.board().save(board)\n"
    code += "assert plain.verify(Path(file).with_name('a.svg')).verdict == 'as made'\n"
    code += "import discreet.serve.app\nprint(json.dumps(found))\n"

    done = run(code, path)

    assert done.returncode == 0, done.stderr[-2000:]
    assert {*json.loads(done.stdout)} == {*DRAWN} - {"over_time"}


def test_data_are_not_opened_there(tmp_path: Path) -> None:
    """The control: the process cannot import what opens data."""
    (tmp_path / "a.csv").write_text("age\n1\n")
    code = "from importlib import import_module\n"
    code += f"for room in {BELOW_THE_WALL}:\n"
    code += "    try:\n        import_module(f'discreet.{room}')\n"
    code += "    except ImportError as error:\n        print(error)\n"
    done = run(code, tmp_path / "a.csv")
    assert done.stdout.splitlines() == [f"discreet.{it} is below the wall" for it in BELOW_THE_WALL]
    done = run("dc.open(file)", tmp_path / "a.csv")
    assert "is below the wall" in done.stderr
