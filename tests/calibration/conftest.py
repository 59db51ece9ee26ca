"""A judge on loopback."""

from tests.evaluations.conftest import backed, config, fallback, knocks, model, no_backoff, now, priced  # noqa: F401 - fixtures
from tests.evaluations.doubt.conftest import settings_of, three  # noqa: F401 - fixtures
