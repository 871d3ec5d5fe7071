"""Columns without the data: what is known of one, dates as days, grids to count on, frames.

Nothing here reads a source: it stands on both sides of the wall, of raw tables and of study files.
"""

from discreet.columns.column import KINDS, ROLES, Column, text_of, texts_of, words_of
from discreet.columns.grids import NO_LEVELS, BinAxis, Counted, Levels, Rows

__all__ = [
    "KINDS",
    "NO_LEVELS",
    "ROLES",
    "BinAxis",
    "Column",
    "Counted",
    "Levels",
    "Rows",
    "text_of",
    "texts_of",
    "words_of",
]
