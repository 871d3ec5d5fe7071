"""Write golden files anew: `python -m tests.golden.write NAME...`, or `all`.

Only where a name or sentence changed that was meant to: a number that changed is a mistake. Read
the difference (`git diff`) before it is committed, and say in the message why it is right.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from tests.golden import cases
from tests.golden.access import HERE


def write(group: str) -> None:
    """Write one golden file."""
    with tempfile.TemporaryDirectory() as folder:
        found = cases.made(group, Path(folder))
    path = HERE / f"{group}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    for wanted in sys.argv[1:]:
        for group in cases.GROUPS if wanted == "all" else [wanted]:
            write(group)
