"""The fingerprint of a score's instrument: scores with different fingerprints are never averaged."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.digest import sha256_hex
from apps.evaluations.domain.judge_texts import template_in_force

PARSER_VERSION = "3"  # raise it when the same reply would be read into other scores


def fingerprint(
    *,
    provider: str,
    model: str,
    address: str = "",
    options: Mapping[str, Any] | None = None,
    template: str,
    criteria: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
    parser_version: str = PARSER_VERSION,
) -> str:
    """Return 64 hex digits over all that makes a judge's answers comparable.

    That is the judge (its provider's name in the catalog, address and options, and the model as it names itself), the
    prompt text in force (the version's template or the built-in one, with our frame), the criteria snapshots as JSON,
    the parameters and the parser's version. Raises ValueError for NaN.
    """
    return sha256_hex(
        {
            "model": model,
            "provider": provider,
            "address": address,
            "options": dict(options or {}),
            "template": template_in_force(template, parameters),
            "criteria": [dict(item) for item in criteria],
            "parameters": dict(parameters),
            "parser_version": parser_version,
        }
    )
