"""DuckDB is opened in bounds, and takes nothing from the network."""

from __future__ import annotations

import pytest

from discreet.errors import InputError
from discreet.table.engine import MEMORY, MEMORY_LIMIT, connect


def setting(kept: object, name: str) -> str:
    ((value,),) = kept.connection.sql(f"SELECT current_setting('{name}')").fetchall()  # type: ignore[attr-defined]
    return str(value)


def bytes_of(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]


def test_what_a_connection_may(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = connect()
    assert MEMORY_LIMIT == "2GB"
    assert bytes_of(setting(kept, "memory_limit")) == pytest.approx(2e9, rel=0.05)
    assert setting(kept, "autoinstall_known_extensions") == "False"
    assert setting(kept, "autoload_known_extensions") == "False"
    assert setting(kept, "TimeZone") == "UTC"
    monkeypatch.setenv(MEMORY, "300 MB")
    assert bytes_of(setting(connect(), "memory_limit")) == pytest.approx(3e8, rel=0.05)


@pytest.mark.parametrize("amount", ["much", "80%"])
def test_an_amount_of_memory_is_one(monkeypatch: pytest.MonkeyPatch, amount: str) -> None:
    monkeypatch.setenv(MEMORY, amount)
    with pytest.raises(InputError, match=r"^DISCREET_MEMORY is an amount of memory, such as '500"):
        connect()


def test_more_than_memory_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "60MB")
    kept = connect()
    query = "SELECT count(*) FROM (SELECT i, count(*) FROM range(2000000) t(i) GROUP BY i)"
    assert kept.connection.sql(query).fetchall() == [(2_000_000,)]
