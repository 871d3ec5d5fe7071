"""Plots of the records themselves, to stand beside protected ones: of public data alone.

The records take the place of the protected copy, so that the same line of code draws the same plot
of them. The pictures are drawn here and not saved by the study, whose notes would not be true.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import discreet as dc
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.render.to_matplotlib import figure_bytes

__all__ = ["NOTE", "drawn", "unprotected"]

NOTE = "The records themselves, nothing protected."
DPI = 120


def unprotected(study: dc.Study, records: pa.Table) -> dc.Study:
    """Put the records of a study into the place of its protected copy, and return the study."""
    file = study._copy.session
    kept = file.kept
    copy = dataclasses.replace(
        kept.copy,
        columns={name: _numbers(records[name]) for name in kept.copy.columns},
        strata={name: tuple(map(str, records[name].to_pylist())) for name in kept.copy.strata},
    )
    held = vars(file)
    held["kept"] = WholeTable(copy, kept.raw)
    for name in ("whole", "table"):  # as they were before
        held.pop(name, None)
    vars(study)["_copy"] = DerivedCopy(file, file.whole)
    return study


def drawn(view: dc.View) -> bytes:
    """Return the picture of a plot of records as PNG, with a note that says what it is."""
    counted = dataclasses.replace(view.origin, counted="records")
    scene = dataclasses.replace(view, origin=counted).scene()
    return figure_bytes(dataclasses.replace(scene, notes=(NOTE,)), ".png", dpi=DPI)


def _numbers(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if pa.types.is_temporal(column.type):  # the copy has days since 1970
        column = pc.cast(pc.cast(column, pa.date32()), pa.int32())
    return np.asarray(column.to_numpy(), dtype=np.float64)
