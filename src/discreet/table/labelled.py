"""Files of Stata, SPSS and SAS: numbers with labels, and codes for what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from discreet.errors import needing
from discreet.table.columns import text_of
from discreet.table.engine import Kept, Source, check_different, held

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

__all__ = ["names_in_labelled", "read_labelled"]

READERS: Mapping[str, str] = MappingProxyType(
    {
        ".dta": "read_dta",
        ".sav": "read_sav",
        ".zsav": "read_sav",
        ".por": "read_por",
        ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport",
    }
)
"""What of pyreadstat reads a file that ends so."""


def read_labelled(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file by pyreadstat, and hold it.

    Codes that a file says are missing are so. A column all of whose values have a label holds the
    labels, and a column of numbers some of which have one is of numbers.
    """
    import pyarrow as pa

    frame, about = _reader(source)(source.file)
    check_different(about.column_names)
    labels = {str(k): str(v) for k, v in about.column_names_to_labels.items() if v and v.strip()}
    kept.labels = {name: label for name, label in labels.items() if label != name}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    del frame
    columns = map(partial(_column, about.variable_value_labels), table.column_names, table.columns)
    return held(kept, pa.table(dict(zip(table.column_names, columns, strict=True))))


def names_in_labelled(source: Source) -> list[str]:
    """Return the names of the columns of a file; no row is read."""
    _, about = _reader(source)(source.file, metadataonly=True)
    return list(about.column_names)


def _reader(source: Source) -> Callable[..., tuple[Any, Any]]:
    """Return what of pyreadstat reads a file."""
    with needing("stata", f"file {source.name!r}"):
        import pyreadstat
    found: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, READERS[source.file.suffix.lower()])
    return found


def _column(of: Mapping[str, Mapping[Any, str]], name: str, values: Any) -> pa.ChunkedArray:
    """Return a column as it is read: its labels, where all of its values have one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(values.type):
        return values.cast(pa.float64())
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = pc.if_else(pc.equal(values, ""), None, values)
    labels = of.get(name)
    if not labels:
        return values
    coded = values.combine_chunks().dictionary_encode()
    known = coded.dictionary.to_pylist()
    if not known or not all(value in labels for value in known):
        return values
    texts = [labels[value].strip() for value in known]
    with_code = [
        f"{text} ({text_of(value)})".strip() for text, value in zip(texts, known, strict=True)
    ]
    # Two values may have one label: they stay apart.
    named = [
        text if text and texts.count(text) == 1 else longer
        for text, longer in zip(texts, with_code, strict=True)
    ]
    if len({*named}) < len(named):  # a label reads as another one with its code does
        named = with_code
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(named)).cast(pa.string())
