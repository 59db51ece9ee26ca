"""Finding out how an agent at an address speaks, so that it can be saved and played with."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.catalog.connections.services.outbound_policies import agent_policy
from apps.catalog.connections.services.storing import save_agent
from apps.connectors.discovery.search import AgentWay, WaySearch
from apps.connectors.outbound import outbound_client
from apps.core.errors import BadInput
from apps.runs.agents.services.checking_agent import AgentCheck, Outcome, check_agent

AT_ONCE = 8  # conversations with it, unless somebody changes it
HELLOS: Mapping[str, str] = {
    "en": "Hello, are you open today?",
    "sw": "Habari, mko wazi leo?",
    "it": "Buongiorno, siete aperti oggi?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAgent:
    """The saved agent, how it speaks, and what it answered through the connection that runs will use."""

    agent_id: uuid.UUID
    way: AgentWay
    check: AgentCheck


def find_agent(
    *, name: str, address: str, language: str, token: str = "", timeout_s: float = 60.0, on_try: Callable[[str], None]
) -> FoundAgent:
    """Find an agent: say hello at the address in the usual ways until one is answered.

    That way is saved as the agent of this name, and hello is said once more through it. `on_try` is told each way that
    was not answered.

    At most `MAX_HELLOS` turns reach the agent. Not in a transaction. Safe to repeat: the agent is brought to what was
    found. Raises BadInput (`bad_address`, `not_understood`, `credentials_missing`), and ConnectorError where nobody is
    at the address or nobody may go there.
    """
    hello = HELLOS.get(language, HELLOS["en"])
    headers = {"authorization": f"Bearer {token}"} if token else {}
    way = asyncio.run(_search(address, hello, headers, timeout_s, on_try))
    return save_found_agent(name=name, way=way, language=language, token=token, timeout_s=timeout_s)


def save_found_agent(
    *, name: str, way: AgentWay, language: str, token: str = "", timeout_s: float = 60.0
) -> FoundAgent:
    """Save the agent of this name as one that speaks in this way, and say hello through it. Raises BadInput
    (`not_understood`) where that is not answered."""
    agent_id = save_agent(
        name=name,
        kind=way.kind,
        address=way.address,
        options=way.options,
        timeout_s=timeout_s,
        stagger_s=(0.0, 0.0),
        max_concurrent=AT_ONCE,
        secrets={"bearer_token": token} if token else {},
    )
    check = check_agent(agent_id=agent_id, conversation=uuid.uuid4(), text=HELLOS.get(language, HELLOS["en"]))
    if check.outcome is not Outcome.ANSWERED:
        raise BadInput(
            f"It speaks {way.words}, and did not answer a second hello: {check.error}", code="not_understood"
        )
    return FoundAgent(agent_id=agent_id, way=way, check=check)


async def _search(
    address: str, hello: str, headers: Mapping[str, str], timeout_s: float, on_try: Callable[[str], None]
) -> AgentWay:
    async with outbound_client(agent_policy()) as client:
        search = WaySearch(
            client=client,
            hello=hello,
            session=f"hello-{uuid.uuid4()}",
            headers=headers,
            timeout_s=timeout_s,
        )
        try:
            return await search.run(address)
        finally:
            for line in search.tried:
                on_try(line)
