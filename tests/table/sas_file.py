"""A small file of SAS for tests: pyreadstat reads such files, and its library writes them too."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from ctypes import c_char_p, c_double, c_int, c_long, c_size_t, c_ssize_t, c_void_p
from pathlib import Path
from typing import Any

from pyreadstat import _readstat_writer

TEXT, NUMBER = 0, 5
"""The library's words for the type of a column."""
WRITE = ctypes.CFUNCTYPE(c_ssize_t, c_void_p, c_size_t, c_void_p)
TAKES: Mapping[str, tuple[object, ...]] = {
    "set_data_writer": (c_void_p, WRITE),
    "add_variable": (c_void_p, c_char_p, c_int, c_size_t),
    "variable_set_label": (c_void_p, c_char_p),
    "variable_set_format": (c_void_p, c_char_p),
    "begin_writing_sas7bdat": (c_void_p, c_void_p, c_long),
    "begin_row": (c_void_p,),
    "insert_double_value": (c_void_p, c_void_p, c_double),
    "insert_string_value": (c_void_p, c_void_p, c_char_p),
    "insert_missing_value": (c_void_p, c_void_p),
    "end_row": (c_void_p,),
    "end_writing": (c_void_p,),
    "writer_free": (c_void_p,),
}
GIVES = ("writer_init", "add_variable")


def write_sas(
    path: Path,
    columns: Mapping[str, Sequence[float | str | None]],
    formats: Mapping[str, str],
    labels: Mapping[str, str | None],
) -> None:
    """Write columns of numbers and of text; dates are numbers whose `formats` say so."""
    call = _functions()
    parts: list[bytes] = []

    def take(data: int, size: int, _: int) -> int:
        parts.append(ctypes.string_at(data, size))
        return size

    writer, taker = call["writer_init"](), WRITE(take)
    call["set_data_writer"](writer, taker)
    variables = {}
    for name, values in columns.items():
        text = any(isinstance(it, str) for it in values)
        width = max(len(str(it).encode()) for it in values) if text else 8
        made = call["add_variable"](writer, name.encode(), TEXT if text else NUMBER, width)
        call["variable_set_label"](made, (labels.get(name) or name).encode())
        if name in formats:
            call["variable_set_format"](made, formats[name].encode())
        variables[name] = made
    rows = list(zip(*columns.values(), strict=True))
    _check(call["begin_writing_sas7bdat"](writer, None, len(rows)))
    for row in rows:
        _check(call["begin_row"](writer))
        for made, value in zip(variables.values(), row, strict=True):
            if value is None:
                _check(call["insert_missing_value"](writer, made))
            elif isinstance(value, str):
                _check(call["insert_string_value"](writer, made, value.encode()))
            else:
                _check(call["insert_double_value"](writer, made, value))
        _check(call["end_row"](writer))
    _check(call["end_writing"](writer))
    call["writer_free"](writer)
    path.write_bytes(b"".join(parts))


def _functions() -> Mapping[str, Callable[..., Any]]:
    library = ctypes.CDLL(_readstat_writer.__file__)
    found = {}
    for name in (*TAKES, "writer_init"):
        found[name] = getattr(library, f"readstat_{name}")
        found[name].argtypes = TAKES.get(name, ())
        found[name].restype = c_void_p if name in GIVES else c_int
    return found


def _check(error: int) -> None:
    if error:
        raise RuntimeError(f"the file was not written ({error})")
