"""Whether something is there, or whether that cannot be known.

The tests of `pathlib` take what may not be looked at for what is not there: from 3.14 on all of
them do. A register, a secret or a copy that is hidden would so be begun anew.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path


def is_there(path: Path) -> bool:
    """Tell whether there is a file or folder; OSError is raised where that cannot be known.

    A link to nothing is such a case, too: what it leads to may be on a disk that is missing.
    """
    try:
        os.stat(path)
    except FileNotFoundError:
        if any(os.path.islink(it) and not os.path.exists(it) for it in (path, *path.parents)):
            raise
        return False
    return True


def files_like(folder: Path, pattern: str) -> list[Path]:
    """Return what in a folder has a name like a pattern, by name; nothing of no folder.

    Raises OSError where the folder cannot be read.
    """
    if not is_there(folder):
        return []
    return sorted(folder / name for name in os.listdir(folder) if fnmatchcase(name, pattern))
