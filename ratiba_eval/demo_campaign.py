"""The agent `campaign` of the demo tenant: the loopback Pega of examples/, by AgentX, A2A and a plain HTTP call."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.storing import save_agent
from apps.catalog.models import Agent, AgentConnection

CAMPAIGN = "campaign"
PROJECT_CONFIG = Path(__file__).resolve().parent.parent / "examples" / "pega" / "project_config.campaign.json"
AGENT_ID = "@BASECLASS!CampaignAssistant"
CLIENT_ID, CLIENT_SECRET = "campaign-tester", "loopback-only"
PREFIX = "/prweb/app/campaigns/api/application/v2"
A2A = f"/prweb/app/campaigns/api/agent2agent/v1/ai-agents/{AGENT_ID}"
CHAT_BODY = {"message": "{{ text }}", "session_id": "{{ session }}", "attachments": "{{ attachments }}"}


def set_up_campaign(*, port: int) -> None:
    """The agent `campaign` at this port, with its three connections and its profile. Inside the tenant. Safe to repeat;
    eight queries."""
    base = f"http://127.0.0.1:{port}"
    client: dict[str, Any] = {"client_id": CLIENT_ID, "token_url": f"{base}/prweb/PRRestService/oauth2/v1/token"}
    secrets = {"client_secret": CLIENT_SECRET}
    save_agent(
        name=CAMPAIGN,
        kind="agentx",
        address=f"{base}{PREFIX}",
        options={"agent_name": AGENT_ID, **client},
        secrets=secrets,
        timeout_s=120.0,
        stagger_s=(0.0, 0.0),
        profile=json.loads(PROJECT_CONFIG.read_text(encoding="utf-8")),
    )
    connect_agent(agent=CAMPAIGN, kind="a2a", address=f"{base}{A2A}", options=client, secrets=secrets)
    chat = {**client, "body": CHAT_BODY, "session": "$.session_id"}
    connect_agent(agent=CAMPAIGN, kind="http", address=f"{base}/chat", options=chat, secrets=secrets)


def first_campaign(*, port: int) -> bool:
    """Set the agent up where there is none of that name; whether there was none. Inside the tenant. One query
    otherwise: what somebody changed since is left alone."""
    if Agent.objects.filter(name=CAMPAIGN).exists():
        return False
    set_up_campaign(port=port)
    return True


def campaign_moved(*, port: int, answers: Callable[[int], bool]) -> str:
    """Give `campaign` and its connections this port where they still have that of another start; "" or the address.

    Only addresses of ours change, on 127.0.0.1, at whose port nobody `answers` any more. Inside the tenant. Two
    queries, and one for each that moves. Safe to repeat.
    """
    moved = ""
    rows: list[Agent | AgentConnection] = [*Agent.objects.filter(name=CAMPAIGN).defer("secrets")]
    rows += AgentConnection.objects.filter(agent__name=CAMPAIGN).defer("secrets")
    for row in rows:
        earlier = re.match(r"http://127\.0\.0\.1:(\d{1,5})(?=/)", row.address)
        if earlier is None or int(earlier[1]) == port or answers(int(earlier[1])):
            continue
        base = f"http://127.0.0.1:{port}"
        row.address = row.address.replace(earlier[0], base, 1)
        row.options = json.loads(json.dumps(row.options).replace(f"{earlier[0]}/", f"{base}/"))
        row.save(update_fields=["address", "options", "updated_at"])
        moved = moved or row.address
    return moved
