"""The papers' methods for tables: each table or view is protected by itself, as they print it.

`rows` makes raw rows ready (gaps filled, small strata repaired, keys computed), and `protected`
protects them. For public or simulated data: nothing is promised of several of them together.
"""
