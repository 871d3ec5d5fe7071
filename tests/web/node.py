"""Runs modules of the board's scripts that touch no page, in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from discreet.web.parts import script_of

__all__ = ["answered_by"]


def answered_by(imports: str, expression: str, given: Any = None) -> Any:
    """Return what an expression of JavaScript comes to, which may name `given` and the imports."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node; on Debian: apt-get install nodejs")
    said = f"const given = {json.dumps(given)};\nconsole.log(JSON.stringify({expression}));"
    command = [node, "--input-type=module", "-"]
    text = script_of(f"{imports}\n{said}")
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
