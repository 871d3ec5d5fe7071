"""The documentation site: built without a warning, whole, and with all that is public."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from types import FunctionType

import pytest

pytest.importorskip("sphinx", reason="the site is built with the extra `docs`")

from sphinx.util.inventory import InventoryFile

from tools.docs_site import commands, endpoints, policy_fields, python_names
from tools.docs_site.arranged import ELSEWHERE, arrange
from tools.docs_site.links import broken

ROOT = Path(__file__).parents[2]
METHODS = (FunctionType, classmethod, staticmethod, property, cached_property)


def anchors(page: Path) -> set[str]:
    return set(re.findall(r' id="([^"]+)"', page.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_the_site_is_built_and_all_that_is_public_has_a_place(tmp_path: Path) -> None:
    """One test, so that one worker builds it."""
    # A process of its own: libraries warn of one another there, and here warnings are errors.
    words = [sys.executable, "-m", "tools.docs_site", str(tmp_path)]
    built = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    check_names(tmp_path / "site")
    check_references(tmp_path / "site" / "reference")
    for page in tmp_path.rglob("*.html"):
        assert str(ROOT) not in page.read_text(encoding="utf-8"), page.name


def check_names(site: Path) -> None:
    """Every public name has a place."""
    written = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    found = {
        name for kind, names in written.data.items() if kind.startswith("py:") for name in names
    }
    wanted = set(python_names.public_names())
    for name, it in python_names.public_names().items():
        if name.count(".") == 1 and isinstance(it, type):  # fields stand under their class
            methods = {own for own, what in vars(it).items() if isinstance(what, METHODS)}
            wanted |= {f"{name}.{own}" for own in methods if not own.startswith("_")}
    assert wanted - found == set()


def check_references(reference: Path) -> None:
    """Every field of a policy, command and address has a place."""
    fields = {policy_fields.anchor(name) for name in policy_fields.all_fields()}
    assert fields <= anchors(reference / "policy.html")
    called = {commands.anchor(words) for words, _ in commands.commands()}
    assert called <= anchors(reference / "commands.html")
    asked = {
        endpoints.anchor(method, path)
        for method, path, _ in endpoints.endpoints(endpoints.schema())
    }
    assert asked <= anchors(reference / "endpoints.html")


def test_every_page_is_listed_once() -> None:
    _, sections = (ROOT / "docs" / "README.md").read_text("utf-8").split("\n## ", 1)
    listed = re.findall(r"\]\(([^)]+)\)", sections)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert len(listed) == len(set(listed))
    assert pages - {"README.md"} == {it for it in listed if not it.startswith("../")}
    assert {it.removeprefix("../") for it in listed if it.startswith("../")} <= set(ELSEWHERE)


def test_a_name_that_two_pages_would_have_is_a_mistake(tmp_path: Path) -> None:
    for folder in ("docs/images", "docs/style", "site"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs" / "conf.py").write_text("")
    (tmp_path / "docs" / "README.md").write_text(
        "# All\n\n## Start\n\n[One](start.md), [two](2.md)\n"
    )
    (tmp_path / "docs" / "start.md").write_text("# One\n")
    with pytest.raises(FileExistsError, match=r"start\.md"):
        arrange(tmp_path, tmp_path / "site", [])


BUILT = """
import sys
from pathlib import Path
from tools.docs_site import __main__ as site

def pages(folder):
    (folder / "conf.py").write_text("extensions = ['myst_parser']\\nmyst_heading_anchors = 4\\n")
    (folder / "index.md").write_text(sys.argv[2])

site.write_source = pages
sys.exit(site.build(Path(sys.argv[1])) > 0)
"""
PAGES = {
    "# All\n\n[here](#all)\n": "",
    "# All\n\n[a section](#none)\n": "none",
    '# All\n\n<a href="none.html">a page</a>\n': "none.html leads nowhere",
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "says"), PAGES.items())
def test_a_broken_link_fails_the_build(tmp_path: Path, text: str, says: str) -> None:
    words = [sys.executable, "-c", BUILT, str(tmp_path), text]
    built = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == bool(says), built.stderr
    assert says in built.stderr


WRONG = [
    ('<a href="b.html">', ""),
    ('<p id="here"><a href="#here">', ""),
    ('<a href="https://example.org/">', ""),
    ('<img src="data:image/png;base64,AA==">', ""),
    ('<a href="c.html">', "a.html: c.html leads nowhere"),
    ('<a href="b.html#there">', "a.html: b.html#there names an anchor that its page does not have"),
    ('<a href="#there">', "a.html: #there names an anchor that its page does not have"),
    ('<img src="https://example.org/a.png">', "a.html: https://example.org/a.png is fetched from"),
]


@pytest.mark.parametrize(("text", "says"), WRONG)
def test_links_are_followed(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.html").write_text(f'<p id="top">{text}')
    (tmp_path / "b.html").write_text('<p id="here">')
    found = list(broken(tmp_path))
    assert len(found) == bool(says)
    assert all(line.startswith(says) for line in found)
