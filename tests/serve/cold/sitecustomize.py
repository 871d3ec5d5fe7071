"""What a server that a test starts as a process begins with: it draws nothing before it is asked.

Python imports this where the folder is on its path, in workers too. To warm up takes several
times what a test asks of the server; tests of the command's end let it.
"""

from discreet.serve.ready import Ready

for step in ("expect", "warm"):
    setattr(Ready, step, lambda *_: None)
