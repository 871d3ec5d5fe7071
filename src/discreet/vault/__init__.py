"""The protected copy of a study version: made once, kept, and the source of every row view.

A version is (data, policy, secret). Its copy holds the columns of one group, protected jointly
within the strata, rounded to a nice step and sorted by value, so that neither order nor last
digits come from the raw rows. What is made of one table or view alone, under `research`, is made
here too.

**Row order.** Methods work in an order of their own; ties are broken by value. The copy is
sorted by value and rounded to a step of about 0.02 sd, and so are the views drawn from it. It
stays within its columns' ends (those of their axes) by reflection, and a column of whole
numbers is rounded to such.
"""
