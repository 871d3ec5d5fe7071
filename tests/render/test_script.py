from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from discreet.render import browser as module
from discreet.render.browser import parts, script


def test_every_part_is_reached_from_the_entry() -> None:
    text = script()
    for name in parts():
        if name != "scene.js":
            constant = f"part_{name.removesuffix('.js').replace('-', '_')}"
            assert text.count(f"const {constant} = (() => {{") == 1


def test_the_whole_imports_nothing_and_exports_what_the_entry_does() -> None:
    text = script()
    assert not re.findall(r"^\s*import\b", text, flags=re.MULTILINE)
    assert re.findall(r"^export (?:default|function (\w+))", text, flags=re.MULTILINE) == [
        "draw",
        "",
    ]


def test_nothing_is_asked_of_others() -> None:
    text = script().replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?:|fetch\(|XMLHttpRequest|WebSocket|import\(|eval\(", text)
    assert "innerHTML" not in text


@pytest.mark.parametrize("name", sorted(parts()))
def test_parts_are_read_in_one_go(name: str) -> None:
    lines = parts()[name].decode().splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("//")]
    assert len(code) <= 300
    assert lines[0].startswith("// ")


@pytest.mark.parametrize("name", ["whole.mjs", *(f"{n[:-3]}.mjs" for n in sorted(parts()))])
def test_the_scripts_are_scripts(name: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to check scripts with")
    text = script() if name == "whole.mjs" else parts()[f"{name[:-4]}.js"].decode()
    (tmp_path / name).write_text(text)
    done = subprocess.run(
        [node, "--check", str(tmp_path / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_parts_may_use_a_name_for_different_things(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "a.js": b"const SIZE = 1;\nexport function one() {\n  return SIZE;\n}\n",
        "scene.js": b'import { one } from "./a.js";\nconst SIZE = 2;\n'
        b"export const both = one() + SIZE;\n",
    }
    monkeypatch.setattr(module, "parts", lambda: given)
    assert module.script.__wrapped__() == (
        "const part_a = (() => {\nconst SIZE = 1;\nfunction one() {\n  return SIZE;\n}\n"
        "return { one };\n})();\n"
        "const { one } = part_a;\nconst SIZE = 2;\nexport const both = one() + SIZE;\n"
    )
