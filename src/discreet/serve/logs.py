"""The log of a server: a line for each event, as text or as JSON, with nothing of the data.

It says what the server does and what went wrong. Requests are no events of it: who asked for what
stands in the record, and whoever sends them could fill the log.

Only what discreet itself says is written word for word. Of another library's record, a warning or
an exception the type and the place are written: their texts may quote cells, or a request.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from discreet.errors import InputError
from discreet.serve.limits import place_of

OURS = "discreet"
SAID = "discreet: "
"""How a line of text begins that says who speaks."""
LOG = logging.getLogger("discreet.serve")


def _facts(record: logging.LogRecord) -> dict[str, str]:
    """Return what may be written of a record: its words where they are ours, else its place."""
    if record.name.partition(".")[0] == OURS:
        facts = {"message": record.getMessage()}
    else:
        facts = {"place": f"{record.filename}, line {record.lineno}"}
    if record.exc_info and record.exc_info[1] is not None:
        facts["exception"] = place_of(record.exc_info[1])
    return facts


def _as_text(record: logging.LogRecord) -> str:
    facts = _facts(record)
    if "place" in facts:
        facts["place"] = f"{SAID}{record.levelname.lower()} of {record.name} in {facts['place']}"
    return " ".join("; ".join(facts.values()).splitlines())


def _as_json(record: logging.LogRecord) -> str:
    facts = _facts(record)
    if "message" in facts:
        facts["message"] = facts["message"].removeprefix(SAID)
    moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    about = {"time": moment, "level": record.levelname.lower(), "logger": record.name}
    return json.dumps({**about, "process": record.process, **facts})


class LogFormat(NamedTuple):
    """How a record becomes a line, and from which level on."""

    line: Callable[[logging.LogRecord], str]
    level: int


LOG_FORMATS: Mapping[str, LogFormat] = MappingProxyType(
    {
        # For whoever sees the terminal, which shows by itself how far the server is.
        "text": LogFormat(_as_text, logging.WARNING),
        "json": LogFormat(_as_json, logging.INFO),
    }
)


def check_log_format(name: str) -> None:
    """Refuse a format of the log that there is not."""
    if name not in LOG_FORMATS:
        raise InputError(f"the log is written as {' or '.join(LOG_FORMATS)}, not otherwise")


class _OnStandardError(logging.Handler):
    """Writes a line for each record on what is standard error by then."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format.level)
        self._line = log_format.line

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; where that fails nothing is said, for that would be its text."""
        try:
            sys.stderr.write(self._line(record) + "\n")
            sys.stderr.flush()
        except Exception:
            return


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    """Say of an exception that ended a thread what type it is and where it was raised."""
    error = ended.exc_value
    where = ended.exc_type.__name__ if error is None else place_of(error)
    LOG.error("unexpected %s", where)


def _warned(
    message: object, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    """Say of a warning what type it is and where it was given."""
    LOG.warning("%s in %s, line %s", category.__name__, Path(filename).name, lineno)


def keep_log(name: str) -> Callable[[], None]:
    """Write all that this process logs from now on in a format; return what ends that."""
    log_format, root, ours = LOG_FORMATS[name], logging.getLogger(), logging.getLogger(OURS)
    handler = _OnStandardError(log_format)
    before = ours.level, threading.excepthook, warnings.showwarning
    root.addHandler(handler)
    ours.setLevel(log_format.level)
    threading.excepthook, warnings.showwarning = _thread_ended, _warned

    def end() -> None:
        level, threading.excepthook, warnings.showwarning = before
        ours.setLevel(level)
        root.removeHandler(handler)

    return end


@contextmanager
def log_written(name: str) -> Iterator[None]:
    """Write for a while all that this process logs in a format."""
    end = keep_log(name)
    try:
        yield
    finally:
        end()
