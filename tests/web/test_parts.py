"""The files of the board: what they are put together from, and how much there may be."""

from __future__ import annotations

import gzip
from importlib import resources

from discreet.web import page_files
from discreet.web.page import LEVEL
from discreet.web.parts import joined, scripts, texts_below

STATIC = resources.files("discreet.web").joinpath("static")
OURS = {
    name: text
    for ending in (".js", ".css")
    for name, text in texts_below(STATIC, ending).items()
    if not name.startswith("vendor/")
}


def test_each_style_is_a_part_of_a_page() -> None:
    files = page_files()
    styles = {name: text for name, text in OURS.items() if name.endswith(".css")}
    pages = files["board.css"] + files["custodian.css"]
    assert [name for name, text in styles.items() if text not in pages] == []


def test_scripts_of_the_board_are_small() -> None:
    """All that its page loads, as it is sent."""
    sent = [page_files()[it].encode() for it in ("board.js", "worker.js", "board.css")]
    assert sum(len(gzip.compress(it, LEVEL)) for it in sent) <= 250_000


def test_scripts_of_others_are_as_they_were_published() -> None:
    theirs = {it: text for it, text in texts_below(STATIC).items() if it.startswith("vendor/")}
    assert theirs.items() <= scripts().items()
    assert any(it.startswith("// ") for it in theirs.values())  # their licence
    assert not any("/**" in text for it, text in scripts().items() if it not in theirs)


def test_what_is_imported_for_what_it_does_stands_before() -> None:
    found = joined({"a.js": 'import "./v.js";\nf();', "v.js": "globalThis.f = () => 1;"}, "a.js")
    assert found.index("globalThis.f") < found.index("f();")


def test_parts_may_use_a_name_for_different_things() -> None:
    texts = {
        "a.js": "const SIZE = 1;\nexport function one() {\n  return SIZE;\n}\n",
        "b.js": 'import { one } from "./a.js";\nconst SIZE = 2;\n'
        "export const both = one() + SIZE;\n",
    }
    assert joined(texts, "b.js") == (
        "const part_a = (() => {\nconst SIZE = 1;\nfunction one() {\n  return SIZE;\n}\n"
        "return { one };\n})();\n"
        "const { one } = part_a;\nconst SIZE = 2;\nexport const both = one() + SIZE;\n"
    )


def test_each_file_can_be_read_at_a_sitting() -> None:
    assert {name for name, text in OURS.items() if len(text.splitlines()) > 300} == set()
