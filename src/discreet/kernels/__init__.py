"""Loops that numpy cannot do well, compiled by numba at their first call.

A module in here imports numba, which takes a third of a second, so it is imported inside the
functions that need it.
"""
