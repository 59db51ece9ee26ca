"""The digest of a case: two runs share it when they played the same case."""

from collections.abc import Mapping
from typing import Any

from apps.core.digest import sha256_hex

# Which repeat it is, its chance, dates counted from the day of the run, and what is held against it: not what the case
# is.
_OF_THE_RUN = {"repeat", "seed", "variables", "family", "must_not"}


def case_digest(spec: Mapping[str, Any], *, external_id: str) -> str:
    """Return 64 hex digits over what was played.

    It is the scenario's definition, the persona's words and the fixed turns of a battle; the version of a golden
    session; the id of what was imported. The same in every run and every repeat.
    """
    if spec.get("golden_session"):
        return sha256_hex({"golden_session": spec["golden_session"], "version": spec.get("golden_digest") or ""})
    if spec.get("scenario"):
        return sha256_hex({name: value for name, value in spec.items() if name not in _OF_THE_RUN})
    return sha256_hex({"imported": external_id})


def case_name(spec: Mapping[str, Any], *, external_id: str) -> str:
    """The case's name for people: without the number of the repeat."""
    number = spec.get("repeat")
    suffix = f"#{number}"
    return external_id.removesuffix(suffix) if number is not None else external_id
