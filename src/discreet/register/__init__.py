"""The register: what has left, who asked for what, and proof that none of it was changed.

**Recognising data.** The register keeps, for each column, and for whole rows (all columns
together that identify nobody, whatever their order and names), the sum of keyed digests and how
many fall into each of 16384 buckets; of rows and of the `unit` or `key` also the 8192 smallest
digests (64 kB). Equal sums mean equal data in any order, format or name; bucket counts bound from
below how many rows have changed. All of it is one pass over batches that are read from where the
data are; parts are added up, so no order, and never the whole table at once.

**Its own key.** Digests and the chain are keyed by a random key that belongs to the file and lies
beside it, so that the same people are known whatever the secret. Beside each version stands a
keyed fingerprint of the secret that its copy is made with; by another one, or another k or m, no
second copy of more than 2 % of its people leaves.

**Nearly the same.** A column of 20 different values or more decides by itself whether a table
is another one with few rows changed. Below that whole rows and columns of few levels do, where
the counts are 100 times likelier if rows were taken out or added than if both tables were drawn
from one population (a likelihood ratio of hypergeometric chances, so chance reaches that in at
most 1 of 100 pairs); one row more or less is always refused. Where both tables have a `unit` or
`key`, its sketch comes first.

**The same people.** The smallest digests of a new table that are among those of an old one,
below the largest that both keep, estimate the share of its people who are in the old one:
exactly below 8192 people, else with a standard error of .6 % where both tables are of one
size. Above one half the table is refused where counts are not rounded. Of copies each sampled
person is counted (`copies`): one of whom more than 2 % would be in a fifth copy is refused, or in
a second where leaves have fewer than 4 k people. Without a `unit` or `key`, whole rows are people
where three of four are different in both tables, and versions of a study are of the same people;
numbers that fill half of their range or more, as row numbers do, tell no people apart.

**Another unit.** A column's shape is keyed digests of every five neighbouring different values:
how often each occurs and the ratios of the gaps between them, to a thousandth, in either
direction. It is taken of the 1024 smallest and the 1024 largest different values, which are the
same in any order of rows and change places with the sign; more than half of them in common is a
linear change.

**A release is one transaction**: compare, record, then write the file. A refused view writes
nothing.

**The register only grows.** Rows are chained by digests under its key. That nothing of a version
was given away is a row, too: such a version binds nobody any more, stays in the file, and at most
two are of the same people. A mark where the policy or the user's own secret lies says that a
register was begun: where the file is gone, nothing leaves until the custodian begins another, whose
first row says why. A connection that is kept open only reads; where the file, or what is written
ahead, is not the one it began with, it refuses everything until it is started again.
"""
