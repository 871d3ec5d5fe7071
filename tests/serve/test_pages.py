"""The pages and scripts: files of discreet's own, the same for everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from discreet.render.browser import parts
from discreet.serve.pages import PAGES, TYPES, files
from tests.serve.conftest import Running


@pytest.fixture(scope="module")
def client(served: Running) -> Iterator[httpx.Client]:
    """A client that has no token."""
    with httpx.Client(base_url=served.url, trust_env=False, timeout=60) as found:
        yield found


def test_there_are_the_pages_and_the_drawing_scripts() -> None:
    found = files()

    assert {"index.html", "custodian.html", "page.css", "page.js"} <= set(found)
    assert {name: found[name] for name in parts()} == dict(parts())
    assert {name.rpartition(".")[2] for name in found} <= set(TYPES)


@pytest.mark.parametrize(("path", "name"), PAGES.items())
def test_a_page_is_its_file(client: httpx.Client, path: str, name: str) -> None:
    found = client.get(path)

    assert (found.status_code, found.content) == (200, files()[name])
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", sorted(files()))
def test_a_file_is_sent_with_its_type(client: httpx.Client, name: str) -> None:
    found = client.get(f"/static/{name}")

    assert (found.status_code, found.content) == (200, files()[name])
    assert found.headers["content-type"] == TYPES[name.rpartition(".")[2]]
    again = client.get(f"/static/{name}", headers={"If-None-Match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == found.headers["etag"]
    other = client.get(f"/static/{name}", headers={"If-None-Match": '"Canary"'})
    assert other.status_code == 200


def test_two_files_have_two_tags(client: httpx.Client) -> None:
    tags = {client.get(f"/static/{name}").headers["etag"] for name in files()}

    assert len(tags) == len({*files().values()})


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/nobody.js",
        "/static/../pages.py",
        "/static/%2e%2e/pages.py",
        "/static/..%2fpages.py",
        "/index.html",
        "/static/__init__.py",
    ],
)
def test_there_is_nothing_else(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/static/page.js"])
def test_a_page_is_only_read(client: httpx.Client, path: str) -> None:
    assert client.post(path).status_code == 405
    assert (client.head(path).status_code, client.head(path).content) == (200, b"")


@pytest.mark.parametrize("name", sorted(it for it in files() if it.endswith((".html", ".js"))))
def test_a_file_asks_for_nothing_of_others(name: str) -> None:
    """Every script and style that is imported is one of these files."""
    text = files()[name].decode()
    wanted = re.findall(r"""(?:\bfrom|^import)\s*["']([^"']+)["'];""", text, re.M)
    wanted += re.findall(r"""\b(?:src|href)="([^"]+)\"""", text)

    for path in wanted:
        assert path.startswith(("./", "/static/")) or path in PAGES or path[0] == "#", path
        assert path.rpartition("/")[2] in files() or path in PAGES or path[0] == "#", path
