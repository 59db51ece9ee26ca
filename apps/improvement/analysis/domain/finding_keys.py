"""The shape of an analyzer's findings, and which of their keys carries the secret of the question."""

from collections.abc import Iterable

from apps.evaluations.domain.secret_keys import SecretKeys
from apps.evaluations.domain.strict_schemas import list_of, one_of, strict, text_of

_TEXT, MAX_NAMED = text_of(), 200  # of one part


def finding_keys(salt: str, *, criteria: Iterable[str] = (), conversations: Iterable[str] = ()) -> SecretKeys:
    """Return the secret keys of a finding's suggestion, which a quoted transcript cannot write.

    `criteria` and `conversations` are the values that a model with a schema may choose; readers need none of them.
    """
    label = one_of(conversations)
    finding = strict(
        {
            "title": _TEXT,
            "criteria": list_of(one_of(criteria), most=MAX_NAMED),
            "section": _TEXT,
            "suggestion": _TEXT,
            "conversations": list_of(label, most=MAX_NAMED),
            "evidence": list_of(strict({"conversation": label, "quote": _TEXT})),
        }
    )
    shape = strict({"nonce": _TEXT, "findings": list_of(finding)})
    return SecretKeys(names=("suggestion",), salt=salt, shape=shape, is_closed=True)
