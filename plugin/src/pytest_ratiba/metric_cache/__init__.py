"""Scores of DeepEval's metrics kept between runs, for conversations whose model replies are recorded."""
