"""Capturing golden sessions from what was held elsewhere: a source is one module here and one line in `reading`."""
