"""The command line."""

from discreet.cli.app import main

__all__ = ["main"]
