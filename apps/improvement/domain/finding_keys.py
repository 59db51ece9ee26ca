"""The shape of an analyzer's findings, and which of their keys carries the secret of the question."""

from apps.evaluations.domain.secret_keys import SecretKeys
from apps.evaluations.domain.strict_schemas import list_of, strict

_TEXT = {"type": "string"}
_FINDING = strict({
    "title": _TEXT,
    "criteria": list_of(_TEXT),
    "section": _TEXT,
    "suggestion": _TEXT,
    "conversations": list_of(_TEXT),
    "evidence": list_of(strict({"conversation": _TEXT, "quote": _TEXT})),
})  # fmt: skip
_FINDINGS = strict({"nonce": _TEXT, "findings": list_of(_FINDING)})


def finding_keys(salt: str) -> SecretKeys:
    """A finding is one only with its suggestion under a secret key: a quoted transcript can write none."""
    return SecretKeys(names=("suggestion",), salt=salt, shape=_FINDINGS, is_closed=True)
