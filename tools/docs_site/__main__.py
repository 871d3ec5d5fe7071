"""Build the site: `python -m tools.docs_site`, into build or a folder that is named."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from tools.docs_site.arranged import arrange
from tools.docs_site.commands import commands_page
from tools.docs_site.endpoints import endpoints_page, schema
from tools.docs_site.links import broken
from tools.docs_site.policy_fields import policy_page
from tools.docs_site.python_names import python_pages

ROOT = Path(__file__).parents[2]


def write_source(folder: Path) -> None:
    """Write all pages that Sphinx reads: those of docs, and the reference."""
    described = schema()
    pages = {
        **python_pages(),
        "policy.md": policy_page(),
        "commands.md": commands_page(),
        "endpoints.md": endpoints_page(described),
    }
    arrange(ROOT, folder, [f"reference/{Path(name).stem}" for name in pages])
    (folder / "reference").mkdir()
    for name, text in pages.items():
        (folder / "reference" / name).write_text(text, encoding="utf-8")


def build(folder: Path) -> int:
    """Build the site anew, with warnings as errors; return how many faults there are."""
    source, site = folder / "site-source", folder / "site"
    for old in (source, site):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir(parents=True)
    write_source(source)
    words = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(folder / "site-read")]
    faults = build_main([*words, str(source), str(site)])
    for line in broken(site):
        print(line, file=sys.stderr)
        faults += 1
    return faults


if __name__ == "__main__":
    wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    with TemporaryDirectory() as own:  # the server that describes itself has a study of its own
        os.environ |= {"DISCREET_CONFIG": own, "DISCREET_STATE": own}
        faults = build(wanted)
    if faults:
        sys.exit("The site has faults: see above.")
    print(wanted / "site" / "index.html")
