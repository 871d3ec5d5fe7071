"""The protected copy of a study version: made once, kept, and the source of all that is drawn.

A version is (data, policy, secret). Its copy holds all columns of the table that can be drawn,
protected together, in the order that its draws gave it, so that nothing of the file's order is in
it. A large table is protected in random partitions (`partitions`), each as a table of its own.
"""
