"""URLs of tables: which table is meant, and how a URL is shown without what is secret in it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from discreet.errors import InputError, some_of

SPARK = "spark:"


def is_url(source: object) -> bool:
    """Whether a source is written as a URL, or as a table of Spark, and is no path."""
    return isinstance(source, str) and ("://" in source or source.startswith(SPARK))


def without_table(url: str) -> tuple[str, str]:
    """Part a URL's `table=` from it; what is left is for whoever connects.

    Examples
    --------
    >>> without_table("duckdb:///a.duckdb?table=visits")
    ('duckdb:///a.duckdb', 'visits')
    """
    there, _, query = url.partition("?")
    asked = parse_qsl(query, keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in asked if name != "table"])
    table = "".join(value for name, value in asked if name == "table")
    return there + (f"?{rest}" if rest else ""), table


def shown(source: str) -> str:
    """Return a source as it may be printed: a path as it is, a URL without its password."""
    return masked(source) if is_url(source) else source


def masked(url: str) -> str:
    """Return a URL without password, and without what stands in it beside the table.

    Examples
    --------
    >>> masked("postgresql://ann:secret@db/clinic?password=secret&table=visits")
    'postgresql://ann@db/clinic?table=visits'
    """
    if url.startswith(SPARK):  # its settings are in none
        return url
    there, table = without_table(url)
    scheme, _, rest = there.partition("?")[0].partition("://")
    netloc, slash, path = rest.partition("/")
    user, at, host = netloc.rpartition("@")
    out = f"{scheme}://{user.partition(':')[0]}{at}{host}{slash}{path}"
    return f"{out}?table={table}" if table else out


def chosen_table(
    where: str, tables: Sequence[tuple[str, str]], wanted: str, *, usual: str
) -> tuple[str, str]:
    """Return schema and name of the table that is wanted; of one alone no name is needed."""
    names = [name if schema == usual else f"{schema}.{name}" for schema, name in tables]
    if not tables:
        raise InputError(f"{where} has no table that may be read; check database and user")
    if not wanted and len(tables) == 1:
        return tables[0]
    if not wanted:
        raise InputError(f"{where} has several tables; say which by ?table=: {some_of(names)}")
    for (schema, name), short in zip(tables, names, strict=True):
        if wanted in (short, f"{schema}.{name}"):
            return schema, name
    raise InputError(f"{where} has no table {wanted!r}; there are {some_of(names)}")
