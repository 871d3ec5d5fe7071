"""The command line.

**Policy files.** The command line does not overrule a guarded file: it names what the file
leaves empty.
"""

from discreet.cli.app import main

__all__ = ["main"]
