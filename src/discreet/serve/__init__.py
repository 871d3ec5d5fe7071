"""Study files on the web: who may ask what of which study, the record of it, and the pages.

A server has study files and no data. It finds out whose token a request carries and which study
that opens, checks the request, makes what is asked for in the caller's turn, records it, and sends
it. A file that is replaced is served in its new version. The same question of the same file has the
same answer, byte for byte, and what rows do not allow is refused in the same words.
"""
