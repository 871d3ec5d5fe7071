"""Drawing once before anybody asks, so that the first picture does not wait for imports."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from discreet.datasets import diabetes
from discreet.plots import View
from discreet.policy import Policy
from discreet.secret import unguessable
from discreet.serve.drawing import figure, picture_told
from discreet.study import Study
from discreet.study import open as open_study

__all__ = ["warm", "warm_in_background"]

LOG = logging.getLogger("discreet.serve")


def warm_in_background() -> threading.Thread:
    """Start to `warm`, and return the thread that does."""
    # Not a daemon: to end while compiled code runs would end in a crash.
    thread = threading.Thread(target=warm, name="discreet-warming")
    thread.start()
    return thread


def warm() -> None:
    """Draw a picture of each sort of a public table: what is imported and compiled stays.

    In a folder of its own, with a secret of its own, so that nothing else stays.
    """
    policy = Policy.preset("standard", public=True, study="warming up", strata=["sex"])
    try:
        with tempfile.TemporaryDirectory(prefix="discreet-") as name:
            secret = Path(name) / "discreet.secret"
            secret.touch(mode=0o600)
            secret.write_text(unguessable().encode().hex(), encoding="ascii")
            for view in _pictures(open_study(diabetes(), replace(policy, folder=Path(name)))):
                figure(picture_told(view, ""), "figure.png")
                if not threading.main_thread().is_alive():
                    return  # the server has ended, and waits for this thread
    except Exception as error:  # the server serves all the same, only slower at first
        if threading.main_thread().is_alive():
            LOG.warning("warming up ended early: %s", type(error).__name__)


def _pictures(study: Study) -> Iterator[View]:
    yield study.histogram("age")
    yield study.scatter("age", "bmi")
    yield study.contour("age", "bmi")
    yield study.box("age")
    yield study.bars("sex")
    yield study.parallel(["age", "bmi", "glucose"])
    yield study.residuals("bmi ~ age")
