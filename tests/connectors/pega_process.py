"""The campaign agent of examples/pega as a process of its own, talked to over HTTP and by nothing else."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apps.connectors.agents.base import AgentSpec

ROOT = Path(__file__).parents[2]
AGENT_NAME = "@BASECLASS!CampaignAssistant"
PREFIX = "/prweb/api/application/v2"
CARD = "/prweb/app/campaigns/api/agent2agent/v1/ai-agents/@BASECLASS!CampaignAssistant/.well-known/agent.json"
SECRETS = {"client_secret": "loopback-only"}


@contextmanager
def pega_process(*arguments: str) -> Iterator[str]:
    """Start it with these arguments; its address without the last slash. Stopped at the end."""
    command = [sys.executable, "-m", "examples.pega", "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert " ready at " in line, line
        yield line.rpartition(" ")[2].strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(10)


def pega_spec(base: str, **options: object) -> AgentSpec:
    """Its AgentX connection."""
    settings = {"agent_name": AGENT_NAME, "client_id": "campaign-tester", "look_again_s": 0.05, **options}
    return AgentSpec(kind="agentx", address=base + PREFIX, options=settings, secrets=SECRETS, timeout_s=20.0)


def pega_a2a_spec(base: str) -> AgentSpec:
    """Its A2A connection."""
    options = {"client_id": "campaign-tester", "token_url": f"{base}/prweb/PRRestService/oauth2/v1/token"}
    return AgentSpec(kind="a2a", address=base + CARD, options=options, secrets=SECRETS, timeout_s=20.0)
