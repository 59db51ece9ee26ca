"""A judge on loopback."""

from tests.evaluations.conftest import backed, config, fallback, model, no_backoff, now, priced  # noqa: F401 - fixtures
