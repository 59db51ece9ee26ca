"""Tests of other tools, read into the catalog's own words: one module a format, one line in `registry`. Pure."""
