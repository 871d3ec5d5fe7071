"""Output checking: what was released, collected for whoever approves it.

A folder of outputs holds files that a study released, a record of them in ACRO's layout, and a page
that a checker reads. What is said and decided of an output is in the register, under the digest of
its bytes: a file that was changed is another one, and what was decided does not hold for it.
"""
