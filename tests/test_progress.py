"""Long work tells whoever listens, and nobody else."""

import threading

import pytest

from discreet.progress import advance, listening

Heard = list[tuple[str, int, int]]


@pytest.fixture
def heard() -> Heard:
    return []


def test_a_listener_hears_each_step(heard: Heard) -> None:
    with listening(lambda *step: heard.append(step)):
        advance("protecting", 1, 3)
        advance("protecting", 3, 3)
    assert heard == [("protecting", 1, 3), ("protecting", 3, 3)]


def test_nobody_need_listen(heard: Heard) -> None:
    advance("protecting", 1, 3)
    with listening(lambda *step: heard.append(step)):
        pass
    advance("protecting", 2, 3)
    assert heard == []


def test_the_nearest_listener_hears_and_the_outer_one_comes_back(heard: Heard) -> None:
    inner: Heard = []
    with listening(lambda *step: heard.append(step)):
        advance("reading", 1, 2)
        with listening(lambda *step: inner.append(step)):
            advance("protecting", 1, 1)
        advance("reading", 2, 2)
    assert heard == [("reading", 1, 2), ("reading", 2, 2)]
    assert inner == [("protecting", 1, 1)]


def test_nobody_listens_after_work_that_failed(heard: Heard) -> None:
    def broken() -> None:
        with listening(lambda *step: heard.append(step)):
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="the disk is full"):
        broken()
    advance("protecting", 1, 1)
    assert heard == []


def test_another_thread_is_another_listener(heard: Heard) -> None:
    with listening(lambda *step: heard.append(step)):
        worker = threading.Thread(target=advance, args=("elsewhere", 1, 1))
        worker.start()
        worker.join()
        advance("here", 1, 1)
    assert heard == [("here", 1, 1)]
