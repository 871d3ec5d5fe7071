"""Nothing that is drawn, released, stored or said has changed since the golden files were made.

`tests/golden/write.py` says when and how one is written anew.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import slow
from tests.golden import cases
from tests.golden.access import HERE

MOST_SHOWN = 25


def differences(old: Any, new: Any, at: str = "") -> Iterator[str]:
    """Say at which place two plain values differ, and how."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key not in new or key not in old:
                yield f"{at} / {key}: {'is gone' if key in old else 'is new'}"
            else:
                yield from differences(old[key], new[key], f"{at} / {key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(was, now, f"{at} [{place}]")
    elif old != new:
        yield f"{at}:\n    was {old!r}\n    is  {new!r}"


#: Those that take most; `make test-all` has them too.
SLOW = {"plots_research", "plots_presets", "research_tables", "reports"}


@pytest.mark.parametrize("group", [pytest.param(it, marks=slow(it in SLOW)) for it in cases.GROUPS])
def test_all_is_as_it_was(group: str, tmp_path: Path) -> None:
    golden = json.loads((HERE / f"{group}.json").read_text(encoding="utf-8"))

    told = list(differences(golden, cases.made(group, tmp_path / "home")))

    shown = "\n".join(told[:MOST_SHOWN])
    assert not told, f"{group}: {len(told)} differences\n{shown}"
