"""Whether a built site is whole: its links lead somewhere, and it fetches nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements whose address a browser fetches by itself; others are links that a reader follows.
FETCHED = {"script", "img", "link", "iframe", "source", "video", "audio", "object", "embed"}
#: What is fetched of a `link`; others (canonical, search) are only read.
RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "shortcut icon"}


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the anchors and addresses of an element."""
        said = dict(attrs)
        self.anchors |= {it for key in ("id", "name") if (it := said.get(key))}
        fetched = tag in FETCHED and (tag != "link" or said.get("rel") in RELATIONS)
        for key in ("href", "src", "data"):
            if address := said.get(key):
                self.addresses.append((address, fetched))


def broken(site: Path) -> Iterator[str]:
    """Yield a line for each link that leads nowhere, or part that comes from outside."""
    written = (path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in written}
    for path, page in pages.items():
        for address, fetched in dict.fromkeys(page.addresses):
            if wrong := _wrong(path, address, fetched, pages):
                yield f"{path.relative_to(site.resolve())}: {address} {wrong}"


def _wrong(path: Path, address: str, fetched: bool, pages: dict[Path, Page]) -> str:
    """Say what is wrong with an address on a page; nothing if all is well."""
    parts = urlsplit(address)
    if parts.scheme == "data" or (parts.scheme in ("http", "https", "mailto") and not fetched):
        return ""
    if parts.scheme or parts.netloc:
        return "is fetched from outside"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return "leads nowhere"
    anchors = pages[target].anchors if target in pages else set()
    if parts.fragment and target in pages and unquote(parts.fragment) not in anchors:
        return "names an anchor that its page does not have"
    return ""
