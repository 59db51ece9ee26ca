"""Names of schemas and the numbers of their locks. Pure: the eight hex digits come in from outside."""

import hashlib
import re

PREFIX = "test_tenant_"
LONGEST = 63  # Postgres cuts identifiers there, silently
RUN_DIGITS = 8
_PART = LONGEST - len(PREFIX) - RUN_DIGITS - 1
_DIGEST = 8
_PLAIN = re.compile(rf"[a-z0-9_]{{1,{_PART}}}")
_OTHER = re.compile(r"[^a-z0-9_]+")


def schema_name(scenario_id: str, run_digits: str) -> str:
    """`test_tenant_<scenario_id>_<8 hex>`, at most 63 characters of a-z, 0-9 and _.

    An id that is longer than 42 characters, or has other signs, is cut and gets eight digits of its digest, so that two
    ids never share a name. Raises ValueError for digits that are not eight hex ones.
    """
    if not re.fullmatch(rf"[0-9a-f]{{{RUN_DIGITS}}}", run_digits):
        raise ValueError(f"{run_digits!r} is not {RUN_DIGITS} lower-case hex digits")
    part = scenario_id
    if not _PLAIN.fullmatch(scenario_id):
        digest = hashlib.sha256(scenario_id.encode()).hexdigest()[:_DIGEST]
        cut = _OTHER.sub("_", scenario_id.lower()).strip("_")[: _PART - _DIGEST - 1]
        part = f"{cut}_{digest}" if cut else digest
    return f"{PREFIX}{part}_{run_digits}"


def lock_number(schema: str) -> int:
    """The advisory lock that whoever made the schema holds: a signed 64-bit number, the same in every process."""
    digest = hashlib.sha256(f"pytest-ratiba:{schema}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
