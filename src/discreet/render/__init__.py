"""The drawing vocabulary, and the back-ends that draw it: thin, they know Scenes alone."""
