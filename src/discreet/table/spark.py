"""Tables of Spark: a session's, or one that is named on the command line."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

from discreet.errors import InputError, needing
from discreet.table.causes import named
from discreet.table.urls import SPARK

FORM = "spark:database.table, or spark://host:7077/database.table"
JAVA = "Spark needs Java 17 or newer: install openjdk-17-jre-headless, or set JAVA_HOME"

PYTHON = "PYSPARK_PYTHON"


def open_spark(source: str) -> tuple[Any, str]:
    """Return a table of Spark's catalog as a frame, and its name.

    That of the session that there is, or of a new one, whose settings are where Spark looks for
    them; the master may be named in a URL.
    """
    master, slash, table = "", "", source.removeprefix(SPARK)
    if table.startswith("//"):
        master, slash, table = table[2:].partition("/")
        if not master or not slash:
            raise InputError(f"a table of Spark is named by {FORM}")
    if not table:
        raise InputError(f"a table of Spark is named by {FORM}")
    session = _session(f"spark://{master}" if master else None)
    try:
        return session.table(table), table
    except Exception as error:
        raise InputError(
            f"Spark has no table {table!r} that can be read ({named(error)}); name it as"
            " spark.catalog.listTables() does, with its database before it"
        ) from None


def _session(master: str | None) -> Any:
    """Return the session of this process, or begin one."""
    with needing("spark", "Spark"):
        from pyspark.sql import SparkSession
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    if "SPARK_REMOTE" not in os.environ and not _java():
        raise InputError(JAVA)
    os.environ.setdefault(PYTHON, sys.executable)
    builder = SparkSession.builder.appName("discreet").config(
        "spark.ui.showConsoleProgress", "false"
    )
    try:
        session = (builder.master(master) if master else builder).getOrCreate()
    except Exception as error:
        raise InputError(
            f"no session of Spark could be begun ({named(error)}); check its settings"
            " (spark-defaults.conf), and that the master answers"
        ) from None
    if "SPARK_REMOTE" not in os.environ:
        session.sparkContext.setLogLevel("ERROR")
    return session


def _java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=home and os.path.join(home, "bin")) is not None


def with_this_python(frame: Any) -> Any:
    """Return a frame of Spark whose workers run this Python, where nobody said another one.

    Of workers on this machine alone: another may have it elsewhere.
    """
    context = getattr(frame.sparkSession, "sparkContext", None)
    if PYTHON not in os.environ and context is not None and context.master.startswith("local"):
        context.pythonExec = sys.executable
    return frame
