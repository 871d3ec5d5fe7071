"""A study on the web: routes, access, and the page around the drawings.

**A server** serves one study version, one policy and one state of the data: answers are found
again by all three, and when one of them has changed nothing new is released until it is started
again. Plots are made one at a time; whoever asks for the same meanwhile gets the same bytes.
Requests are checked before the data are touched as far as they can be; what is held back after
that is always told with the same words.
"""
