"""Above the wall: a Study answers questions with Views, by the rows of a protected copy alone.

Nothing here can reach a raw value: it imports nothing that reads a table, keeps the copy beside
the data or knows the register, and every plot is drawn where none of that is installed. What a
study of data has beside its copy is given to it from below (`source`).
"""

from discreet.explore.study import Study, study_of_files

__all__ = ["Study", "study_of_files"]
