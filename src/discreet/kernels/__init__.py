"""Loops that numpy cannot do well, compiled by numba at their first call.

A module in here imports numba, which takes a third of a second, so it is imported inside the
functions that need it.

**Kernels.** No fast mathematics: the same data give the same groups on every machine. Ties, and
sums to twice the precision of a double, are those of a plain loop, which tests compare them
with.
"""
