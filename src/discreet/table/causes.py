"""What is said of an engine's error: which engine it was, and what to do; nothing that it says."""

from __future__ import annotations

CHECK = "check that it is complete, and that every column holds one type"
ENGINES = {
    "psycopg": "PostgreSQL",
    "pyspark": "Spark",
    "py4j": "Spark",
    "ibis": "ibis",
    "dask": "Dask",
}
CAUSES = {
    "OutOfMemoryException": "allow DuckDB more memory: DISCREET_MEMORY=8GB, say",
    "IdleInTransactionSessionTimeout": "the server ended the connection; open the study again",
    "OperationalError": "the connection to the server is lost; open the study again",
    "AdminShutdown": "the server ended the connection; open the study again",
    "InsufficientPrivilege": "have SELECT granted on the table to this user",
    "NumericValueOutOfRange": "a number of the column is too large for double precision",
    "PythonException": "Spark's workers need the driver's Python, with discreet: set"
    " PYSPARK_PYTHON before the session begins",
    "Py4JJavaError": "Spark's log says why; workers need the driver's Python, with discreet:"
    " PYSPARK_PYTHON",
    "AnalysisException": "Spark says what is wrong with a table where it is shown: frame.show()",
    "Py4JNetworkError": "the Spark session has ended; begin one, and open the study again",
}


def cause_of(error: Exception) -> str:
    """Say what to do about an engine's error, by its kind."""
    return CAUSES.get(type(error).__name__, CHECK)


def named(error: Exception) -> str:
    """Name an error by the engine that it is of, where that is known, and its kind.

    Examples
    --------
    >>> named(ValueError("a cell"))
    'ValueError'
    """
    engine = ENGINES.get(type(error).__module__.partition(".")[0])
    kind = type(error).__name__
    return kind if engine is None else f"{engine}: {kind}"
