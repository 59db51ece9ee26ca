"""The options of a Pega agent that is reached by AgentX, read and checked once. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.connectors.agents.oauth import OAUTH_OPTIONS
from apps.connectors.agents.prompt_delivery import PromptDelivery
from apps.core.errors import BadInput

AGENTX_OPTIONS = frozenset({"agent_name", "create", "message", "look_again_s", *OAUTH_OPTIONS})
MAX_PAUSE_S = 60.0
_OWN_FIELDS = ("Request", "Attachments", "contextID", "interactionID", "executeStarterQuestion")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentXOptions:
    """Options of AgentX.

    `agent_name` is the agent's id, CLASS!RULENAME. `create` and `message` go into the bodies that open a conversation
    and send a turn (activeChannel, capabilities …). `look_again_s` is the pause before each look at a turn whose answer
    got lost: 2 s, as Pega's transcript lags that long (brief 004).
    """

    agent_name: str
    create: Mapping[str, Any] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict)
    look_again_s: float = 2.0


def read_agentx_options(options: Mapping[str, Any]) -> AgentXOptions:
    """Read the options of AgentX.

    Raises BadInput with the pointer for a value that cannot be used. Unknown names are check_settings' business.
    """
    name = options.get("agent_name")
    if not isinstance(name, str) or not name.strip():
        raise BadInput(
            "name the agent's id, CLASS!RULENAME, as in @BASECLASS!HelpAgent (what AGENT_NAME held)",
            pointer="/options/agent_name",
        )
    for key in ("create", "message"):
        if not isinstance(options.get(key, {}), Mapping):
            raise BadInput(f"{key} is a mapping of fields", pointer=f"/options/{key}")
    return AgentXOptions(
        agent_name=name.strip(),
        create=options.get("create", {}),
        message=options.get("message", {}),
        look_again_s=_pause(options.get("look_again_s", 2.0)),
    )


def check_prompt_room(options: AgentXOptions, prompt: PromptDelivery | None) -> None:
    """Refuse a field that AgentX needs for itself, or that has no room in the bodies. Raises BadInput."""
    if prompt is None:
        return
    if prompt.field.partition(".")[0] in _OWN_FIELDS:
        raise BadInput(f"AgentX needs the field {prompt.field} for itself", pointer="/prompt_field")
    for body in (options.create, options.message):
        prompt.placed_in(body)


def _pause(value: Any) -> float:
    seconds = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else -1.0
    if not 0 <= seconds <= MAX_PAUSE_S:
        raise BadInput(
            f"look_again_s is a number of seconds from 0 to {MAX_PAUSE_S:g}", pointer="/options/look_again_s"
        )
    return seconds
