"""The Markdown pages of docs, arranged into sections as docs/README.md lists them."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
#: Files of the repository, from its root, and the pages that they are on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "docs/README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "src/discreet/presets": "reference/policy.md",
}
#: The section that the pages made of the code stand in.
REFERENCE = "Reference"


def arrange(root: Path, folder: Path, reference: list[str]) -> None:
    """Write the pages of docs into a folder, with a page for each section.

    Parameters
    ----------
    root : Path
        The checkout.
    folder : Path
        Where Sphinx reads; it is empty.
    reference : list of str
        The pages of the reference, without ending.
    """
    shutil.copy(root / "docs" / "conf.py", folder)
    for beside in ("images", "style"):
        shutil.copytree(root / "docs" / beside, folder / beside)
    start, *sections = re.split(r"^## ", _of_site(root, folder, "docs/README.md"), flags=re.M)
    names = []
    for section in sections:
        heading, body = section.split("\n", 1)
        listed = [posixpath.splitext(found[1])[0] for found in LINK.findall(body)]
        if len(listed) == 1:  # the page is the section
            names += listed
            continue
        text = f"# {heading}\n{body}\n{_tree(listed, ':hidden:')}"
        if heading == REFERENCE:
            text += f"\n## Made from the code\n\n{_tree(reference, ':maxdepth: 1')}"
        names.append(heading.lower().replace(" ", "-"))
        _write(folder / f"{names[-1]}.md", text)
    contents = "".join(f"\n## {section}" for section in sections)
    _write(folder / "index.md", f"{start}{contents}\n{_tree(names, ':hidden:')}")
    for page in sorted((root / "docs").rglob("*.md")):
        if page.name != "README.md":
            path = page.relative_to(root).as_posix()
            _write(folder / path.removeprefix("docs/"), _of_site(root, folder, path))
    for path, page_of_site in ELSEWHERE.items():
        if not (folder / page_of_site).exists() and path.endswith(".md"):
            _write(folder / page_of_site, _of_site(root, folder, path))


def _of_site(root: Path, folder: Path, path: str) -> str:
    """Return a page's text with its links as they are on the site."""
    here = posixpath.dirname(_page(path))

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        if not target.startswith("docs/") and target not in ELSEWHERE:
            if not (root / target).is_file():
                return link[0]  # left as it is, for Sphinx to complain of
            kept = folder / "files" / target
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / target, kept)
        return f"{link[1]}{posixpath.relpath(_page(target), here or '.')}{link[3]}"

    return LINK.sub(moved, (root / path).read_text(encoding="utf-8"))


def _page(path: str) -> str:
    """Return where a file of the repository is on the site."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}"


def _tree(pages: list[str], option: str) -> str:
    return "\n".join(("```{toctree}", option, "", *dict.fromkeys(pages), "```", ""))


def _write(path: Path, text: str) -> None:
    """Write a page; two of one name are a mistake in docs/README.md."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as page:
        page.write(text)
