"""Run the command line: python -m discreet."""

from discreet.cli import main

main()
