"""How often each caller may ask, and whose turn it is."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from discreet.serve.desk import Rate, Turns


def test_the_rate_begins_anew_each_minute() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    for minute in (0.0, 60.0, 3600.0):
        now[0] = minute
        assert [rate.lets("alice") for _ in range(4)] == [True, True, False, False]
        now[0] = minute + 59.9
        assert not rate.lets("alice")
        assert rate.lets("bob")


class Waiting:
    """Callers who work, one after the other as they come; the first is held up until let go."""

    def __init__(self, pool: ThreadPoolExecutor, turns: Turns) -> None:
        self.pool, self.turns, self.done = pool, turns, list[str]()
        self.most, self._at_once, self.go = 0, 0, threading.Event()

    def come(self, caller: str) -> Future[bool]:
        """Let a caller come, and return when he waits, or works, or was sent away."""
        before = self.turns.taken
        found = self.pool.submit(self._work, caller)
        while self.turns.taken == before and not found.done():
            time.sleep(0.001)
        return found

    def _work(self, caller: str) -> bool:
        with self.turns.of(caller) as mine:
            if mine:
                self._at_once += 1
                self.most = max(self.most, self._at_once)
                self.done.append(caller)
                assert self.go.wait(60)
                self._at_once -= 1
            return mine


@pytest.mark.parametrize(
    ("come", "done"),
    [
        ("aaaaaaab", "abaaaaaa"),  # one who has much waiting holds another up by one piece
        ("aaaabbc", "abcabaa"),
        ("abcabc", "abcabc"),
        ("aaa", "aaa"),
    ],
)
def test_callers_who_wait_take_turns(come: str, done: str) -> None:
    turns = Turns()
    with ThreadPoolExecutor(len(come)) as pool:
        waiting = Waiting(pool, turns)
        found = [waiting.come(caller) for caller in come]
        assert (turns.taken, waiting.done) == (len(come), ["a"])
        waiting.go.set()
    assert all(it.result() for it in found)
    assert ("".join(waiting.done), waiting.most, turns.taken) == (done, 1, 0)


def test_where_too_much_waits_more_is_refused_at_once() -> None:
    turns = Turns(most=3)
    with ThreadPoolExecutor(6) as pool:
        waiting = Waiting(pool, turns)
        taken = [waiting.come(caller) for caller in ("alice", "alice", "bob")]
        assert not waiting.come("alice").result(60)
        assert not waiting.come("carol").result(60)
        assert turns.taken == 3
        waiting.go.set()
        assert all(it.result(60) for it in taken)
        assert waiting.come("carol").result(60)  # what was done counts no more


def test_work_that_fails_leaves_its_turn_to_the_next() -> None:
    turns = Turns(most=1)
    with pytest.raises(ValueError, match="broken"), turns.of("alice"):
        raise ValueError("broken")
    with turns.of("alice") as mine:
        assert (mine, turns.taken) == (True, 1)
