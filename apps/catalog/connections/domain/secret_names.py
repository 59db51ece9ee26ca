"""Find keys of plain options that look like secrets: those belong into the encrypted field."""

import re
from collections.abc import Mapping
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput

_SECRET_KEY = re.compile(
    r"(^|[_-])(secret|password|passwd|api[_-]?key|token|bearer|private[_-]?key|authorization|credentials)$",
    re.IGNORECASE,
)


def refuse_secrets(options: Any, pointer: str) -> None:
    """Refuse a plain text under a key that names a secret, at any depth. Templates ({{ … }}) may stand there.

    Raises BadInput with the pointer; the message never repeats the value.
    """
    if isinstance(options, Mapping):
        for key, value in options.items():
            at = checks.step(pointer, str(key))
            if isinstance(value, str) and value and "{{" not in value and _SECRET_KEY.search(str(key)):
                raise BadInput(f"{at} looks like a secret: put it into the secrets, where it is encrypted", pointer=at)
            refuse_secrets(value, at)
    elif isinstance(options, list):
        for index, value in enumerate(options):
            refuse_secrets(value, checks.step(pointer, index))
