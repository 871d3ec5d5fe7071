"""Files of records: append-only, one SQLite file each, whose rows are chained.

Which tables a file has its `Schema` says: the register's is in `register`, that of a server's
record in `serve`. What was handed to an output checker (`outputs`) may stand in either.
"""
