"""The protected copy of a study version: made once, kept, and the source of every row view.

A version is (data, policy, secret). Its copy holds the columns of one group, protected jointly
within the strata, rounded to a nice step and sorted by value, so that neither order nor last
digits come from the raw rows. What is made of one table or view alone, under `research`, is made
here too.

**Formats.** How rows are keyed and copies made has a number, which stands in the ledger beside
each version and in the name of a kept copy. A version without one is of format 1, and so are
other names of the same data: they keep the old keys, and so the noise they were released with.
Nothing is released from a copy in another format than the version's, or than that of the same data
under another name. A new version, and data that nobody knows, get the newest format. Arrays
(`discreet.protect`) have no ledger that could say what was released of them, and keep the keys of
format 1.

**Row order.** Methods work in an order of their own; ties are broken by value. The copy is
sorted by value and rounded to a step of about 0.02 sd, and so are the views drawn from it. It
stays within its columns' ends (those of their axes) by reflection, and a column of whole
numbers is rounded to such; both since format 2 of copies. Since format 3 a large group is protected
in random partitions (`large_group`), each as a table of its own; small ones as in format 2.
"""
