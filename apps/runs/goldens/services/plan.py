"""The part of a golden session that a replay's plan holds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.catalog.connections.domain.profile import read_profile
from apps.catalog.goldens.domain.session import GoldenSnapshot, turns_to_play
from apps.core.errors import BadInput
from apps.runs.goldens.domain.checks import GOLDEN_CHECKS
from apps.runs.goldens.domain.pinned_tools import with_pinned_tools
from apps.runs.goldens.domain.variables import DEFAULT_IDENTITY, filled, values_for


def golden_spec(golden: GoldenSnapshot, *, agent_profile: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The turns and expectations of a replayed conversation: frozen, so that a later version changes nothing.

    The calls that it shows are pinned with their arguments (domain/pinned_tools). Its variables are filled, in texts
    and arguments alike; `variables` says with what: the first of the `test_identities` of the golden session's own
    profile or the agent's, else the shipped one, and dates counted from `now`. `golden_digest` is the version's own.
    Raises BadInput: `no_user_turns`, `missing_identity`. No query.
    """
    if not any(turns_to_play(golden.document)):
        raise BadInput(f"Golden session {golden.name!r} has no user turn.", code="no_user_turns")
    values = values_for(golden.document, identity=_identity(golden.profile, agent_profile), now=now)
    plan = golden.as_json()
    turns = with_pinned_tools(plan["document"])["turns"]
    return {
        "golden_session": golden.name,
        "golden_digest": golden.digest,
        "golden": {**plan, "document": {**plan["document"], "turns": filled(turns, values)}},
        "variables": values,
        "assertions": [{"metric": name} for name in GOLDEN_CHECKS],
        "language": golden.document.get("language") or "",
    }


def _identity(*profiles: Mapping[str, Any]) -> Mapping[str, str]:
    for raw in profiles:
        people = read_profile(raw).test_identities if raw else ()
        if people:
            return people[0]
    return DEFAULT_IDENTITY
