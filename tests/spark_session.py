"""A session of Spark for tests: two threads of this machine; a task is tried twice."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def spark_session(**more: str) -> Iterator[Any]:
    """Begin a session, with `more` settings; skip where Spark or Java is not there."""
    pytest.importorskip("pyspark", reason="pip install 'discreet[spark]'")
    if shutil.which("java") is None:
        pytest.skip("there is no Java for Spark: apt-get install openjdk-17-jre-headless")
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    # All are said: the Java of a former session of this process has the settings it began with.
    said: dict[str, bool | float | int | str | None] = {
        "spark.driver.memory": "2g",
        "spark.driver.maxResultSize": "1g",
        "spark.eventLog.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
        **more,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = SparkSession.builder.master("local[2, 2]").config(map=said).getOrCreate()
    try:
        yield session
    finally:
        session.stop()
