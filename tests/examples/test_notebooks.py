"""The example notebooks run from top to bottom, and their views show themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}


# How many views each shows, and what else stands on its pages.
VIEWS = {"first_look": 5, "how_well_does_it_fit": 5, "a_table_to_release": 1}
ALSO = {
    "a_table_to_release": [
        "For the custodian: not for release.",
        "What somebody could learn about a person",
    ]
}


def outputs_of(cell: Any) -> list[dict[str, Any]]:
    return [output["data"] for output in cell.get("outputs", []) if "data" in output]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:zmq", "ignore::DeprecationWarning:jupyter")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_shows_its_pictures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("PYTHONWARNINGS", "default")  # of the kernel's own libraries
    notebook: Any = nbformat.read(NOTEBOOKS[name], as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"

    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, startup_timeout=300, resources=resources).execute()

    shown = [data for cell in notebook.cells for data in outputs_of(cell)]
    views = [data for data in shown if "View(" in data.get("text/plain", "")]
    assert len(views) >= VIEWS[name]
    for data in views:
        assert data["image/png"].startswith("iVBORw0KGgo")  # what every PNG begins with
        assert "policy standard" in data["text/html"] or "policy research" in data["text/html"]
    pages = "".join(data.get("text/html", "") for data in shown)
    assert all(words in pages for words in ALSO.get(name, []))
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".png", ".svg", ".json")]


def test_every_notebook_is_looked_at() -> None:
    assert set(NOTEBOOKS) == set(VIEWS)
