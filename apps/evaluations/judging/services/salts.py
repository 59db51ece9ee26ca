"""The secret in the keys that decide in a model's answer: `"score_<salt>": 7`.

One for each evaluation, so that a provider keeps the compiled schema of its questions. Derived, and stored nowhere but
beside the kept answers that are bound to it: no page, export, dump of an evaluation or transcript holds it. Another
SECRET_KEY gives running evaluations another one, which costs a schema and nothing else.
"""

import uuid
from functools import lru_cache

from django.utils.crypto import salted_hmac

from apps.core.question_secrets import fresh_salt, salt_of


@lru_cache(maxsize=1024)
def evaluation_salt(evaluation_id: uuid.UUID) -> str:
    """Return the evaluation's salt, the same in every process with the installation's SECRET_KEY. Microseconds."""
    return salt_of(salted_hmac("ratiba.score_key", str(evaluation_id), algorithm="sha256").digest())


@lru_cache(maxsize=1)
def process_salt() -> str:
    """Return one salt for questions of a kind that belong to no evaluation and are many.

    Reviews, pairs and metrics are such. The salt is the same in one process, so that a provider keeps their compiled
    schemas.
    """
    return fresh_salt()
