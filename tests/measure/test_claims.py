"""What must not be claimed of a table, whatever it was made by."""

import pytest

from discreet.measure.claims import claims_of
from discreet.protect import ROW_METHODS


@pytest.mark.parametrize("method", [*ROW_METHODS, "column-rounding"])
def test_every_method_of_rows_has_what_must_not_be_claimed(method: str) -> None:
    assert len(claims_of(method)) > len(claims_of(None))


@pytest.mark.parametrize("method", [*ROW_METHODS, "column-rounding", None])
def test_no_release_is_anonymous_or_differentially_private(method: str | None) -> None:
    claims = " ".join(claims_of(method))
    for word in ("anonymous", "differential privacy", "another release", "larger k"):
        assert word in claims


def test_centroids_and_noise_are_not_k_anonymous() -> None:
    assert claims_of("deterministic")[0].startswith("k-anonymity of the rows")
    assert claims_of("probabilistic")[0].startswith("k-anonymity of the rows")


def test_columns_rounded_alone_are_not_k_anonymous_and_rows_rounded_are() -> None:
    assert claims_of("column-rounding")[0].startswith("k-anonymity of the rows")
    assert "hides whose row it is" in claims_of("column-rounding")[1]
    assert claims_of("rounding") == claims_of("microaggregation")
    assert claims_of("rounding")[0].startswith("k-anonymity of this table together with other")
