"""Metrics of their own scale, 0 to 1: one module each, exporting `__version__` (docs/metrics.md).

Importing this package costs nothing heavy: DeepEval is loaded by the first metric that asks a judge.
"""
