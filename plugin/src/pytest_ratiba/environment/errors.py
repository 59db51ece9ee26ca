"""These are the errors of a scenario's schema, in words for the person who reads the test's report."""

from pytest_ratiba.errors import ProjectError


class EvalEnvironmentError(ProjectError):
    """The environment of a scenario cannot be made: which part, and what to do."""


class LeftBehind(AssertionError):
    """A test left connections open or wrote into `public`; the message names the test."""
