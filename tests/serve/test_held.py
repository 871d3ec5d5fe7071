"""What a server holds of a copy: how often it may be asked for."""

from __future__ import annotations

from discreet.serve.held import Rate


def test_the_rate_begins_anew_each_minute() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    for minute in (0.0, 60.0, 3600.0):
        now[0] = minute
        assert [rate.lets("alice") for _ in range(4)] == [True, True, False, False]
        now[0] = minute + 59.9
        assert not rate.lets("alice")
        assert rate.lets("bob")
