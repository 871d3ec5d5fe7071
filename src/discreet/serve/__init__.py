"""A study on the web: routes, access, and the page around the drawings."""
