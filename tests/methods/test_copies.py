"""What a copy is drawn with: of the secret, the version and the record, and of nothing else."""

from __future__ import annotations

import numpy as np

from discreet.keys import row_keys
from discreet.methods.copies import Draws
from discreet.secret import Secret

SECRET, OTHER = (Secret.from_bytes(bytes(range(it, it + 32))) for it in (0, 1))
KEYS = row_keys(SECRET, [np.arange(40.0)])
DRAWS = Draws(SECRET, b"1", KEYS)


def test_draws_are_of_the_secret_the_version_and_the_record() -> None:
    found = DRAWS.of_rows("a")[:, 0]

    assert len(np.unique(found)) == 40
    for other in (Draws(SECRET, b"2", KEYS), Draws(OTHER, b"1", KEYS)):
        assert not np.isin(other.of_rows("a"), found).any()
    assert not np.isin(DRAWS.of_rows("b"), found).any()
    turned = np.arange(40)[::-1]
    assert DRAWS.taken(turned).of_rows("a")[:, 0].tolist() == found[turned].tolist()


def test_draws_of_a_table_are_of_the_secret_and_the_version() -> None:
    found = DRAWS.of_table("a", 40)

    assert len(np.unique(found)) == 40
    for other in (Draws(SECRET, b"2", KEYS), Draws(OTHER, b"1", KEYS)):
        assert not np.isin(other.of_table("a", 40), found).any()
    assert not np.isin(DRAWS.of_table("b", 40), found).any()
    assert Draws(SECRET, b"1", KEYS[:3]).of_table("a", 40).tolist() == found.tolist()


def test_a_threshold_is_one_of_k_to_2_k_minus_1() -> None:
    found = {DRAWS.threshold(str(name), 5) for name in range(200)}

    assert found == {5, 6, 7, 8, 9}
