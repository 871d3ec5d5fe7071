"""The ledger: what has left, who asked for what, and proof that none of it was changed.

**Recognising data.** The ledger keeps, for each column, and for whole rows (all columns
together that identify nobody, whatever their order and names), the sum of keyed digests and how
many fall into each of 16384 buckets; of rows and of the `unit` or `key` also the 2048 smallest
digests. Equal sums mean equal data in any order, format or name; bucket counts bound from below
how many rows have changed. All of it is one pass over batches that are read from where the data
are; parts are added up, so no order, and never the whole table at once.

**Nearly the same.** A column of 20 different values or more decides by itself whether a table
is another one with few rows changed. Below that whole rows and columns of few levels do, where
the counts are 100 times likelier if rows were taken out or added than if both tables were drawn
from one population (a likelihood ratio of hypergeometric chances, so chance reaches that in at
most 1 of 100 pairs); one row more or less is always refused. Where both tables have a `unit` or
`key`, its sketch comes first.

**The same persons.** The smallest digests of a new table that are among those of an old one,
below the largest that both keep, estimate the share of its persons who are in the old one:
exactly below 2048 persons, else with a standard error of 1.1 % where both tables are of one
size. Above one half the table is refused where counts are not rounded; else the two versions
are linked by a choice in the ledger, and all that hang together are counted against `versions`.
Without a `unit` or `key`, whole rows are persons where three of four are different in both
tables; numbers that fill half of their range or more, as row numbers do, tell no persons apart.

**Another unit.** A column's shape is keyed digests of every five neighbouring different values:
how often each occurs and the ratios of the gaps between them, to a thousandth, in either
direction. It is taken of the 1024 smallest and the 1024 largest different values, which are the
same in any order of rows and change places with the sign; more than half of them in common is a
linear change.

**A release is one transaction**: compare, record, then write the file. A refused view writes
nothing.

**The ledger only grows.** Rows are chained by digests under a key of the secret, and a ledger
takes nothing under another secret. A server keeps a connection open that only reads; where the
file, or what is written ahead, is not the one it began with, it refuses everything until it is
started again.
"""
