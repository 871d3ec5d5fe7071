"""Answers from the data: below the wall, questions are computed from raw records, with noise.

What is asked comes from above the wall (`explore.questions`), where nothing is looked at but the
study file. `records` keys people, `noise` draws by these keys, `counting` counts people and decides
what may be given, `averages`, `quantiles` and `models` compute figures, `words` writes tables and
plots, `book` keeps count of what a version has given, and `exposure` says how much that is.
"""
