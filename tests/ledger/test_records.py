"""Versions as the ledger's tables hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.ledger import Store
from discreet.ledger.ledger import (
    all_versions,
    choices_of,
    holding,
    insert,
    latest,
    remember,
    sketches_of,
    versions_of,
)
from discreet.secret import FORMAT, Secret
from discreet.sketch import SMALLEST, sketch_of

SECRET = Secret.from_bytes(bytes(range(32)))


@pytest.mark.parametrize("smallest", [0, 5, SMALLEST])
def test_what_is_remembered_is_found_again(tmp_path: Path, smallest: int) -> None:
    store = Store(tmp_path, SECRET)
    sketch = sketch_of(SECRET.marks(np.arange(3000.0)), smallest)
    with store.writing() as connection:
        version = insert(store, connection, "s", 1, {"k": 5}, FORMAT)
        remember(store, connection, version, {"strata": "[]"}, {"column x": sketch})
        remember(store, connection, version, {"strata": "[1]"}, {})  # the first stays
    with store.reading() as connection:
        assert versions_of(connection, "s") == [version] == all_versions(connection)
        assert choices_of(connection, version) == {"strata": "[]", "format": str(FORMAT)}
        (found,) = sketches_of(connection, version).values()
        assert holding(connection, sketch) == {version.id: version}
    assert found.mark == sketch.mark
    assert np.array_equal(found.buckets, sketch.buckets)
    assert np.array_equal(found.smallest, sketch.smallest)


def test_the_latest_version_is_that_of_the_highest_number(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET)
    with store.writing() as connection:
        found = [insert(store, connection, "s", number, {}, FORMAT) for number in (1, 2)]
        insert(store, connection, "t", 1, {}, FORMAT)
        assert latest(connection, "s") == found[1]
        assert latest(connection, "u") is None
        assert [version.study for version in all_versions(connection)] == ["s", "s", "t"]
