"""How much memory there is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says how much the processes of a container may take together."""
GB = 1e9


def there_is() -> float | None:
    """Return how many bytes this process may take at the most; None where the system says none.

    That is what the machine has, or less where a container may take less. What other processes
    hold of it is not looked at: it comes and goes.
    """
    limits = []
    with suppress(OSError, ValueError, AttributeError):  # AttributeError: there is no sysconf
        limits.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    for path in LIMITS:
        with suppress(OSError, ValueError):  # ValueError: "max", which is no limit
            limits.append(float(Path(path).read_text(encoding="ascii")))
    return min((it for it in limits if it > 0), default=None)


def about_bytes(size: float) -> str:
    """Return a size in words: whole GB, or tenths below ten.

    Examples
    --------
    >>> about_bytes(1.84e9), about_bytes(3e8), about_bytes(123e9)
    ('1.8 GB', '0.3 GB', '123 GB')
    """
    return f"{size / GB:,.0f} GB" if size >= 10 * GB else f"{size / GB:.1f} GB"
