"""From one question to one View: the stream of counts and the stream of rows, and no third."""
