"""Recognise the errors of a broker that is away, refuses us or talks nonsense."""

from kombu.exceptions import KombuError
from redis.exceptions import RedisError

# The base class of each layer that an answer comes through. None of them derives from another: kombu wraps what it
# knows (OperationalError) and lets the client's own errors and the system's pass elsewhere.
BROKER_ERRORS: tuple[type[Exception], ...] = (KombuError, RedisError, OSError)
