"""Who is tested, as the server knows it: the agent's entry in its catalog, and the subject of a run."""

from typing import Any

from pytest_ratiba.agents import AgentSetting
from pytest_ratiba.config import Project
from pytest_ratiba.git import differs_from_head, head_commit
from pytest_ratiba.relayed import is_relayed

PULLED = "pulled"  # the kind, and the transport, of agents that nobody dials


def agent_entry(agent: AgentSetting) -> dict[str, Any]:
    """The agent as the server's catalog has it: nobody dials into this machine."""
    if is_pulled(agent):
        return {"name": agent.name, "kind": PULLED, "stagger_s": [0, 0]}
    return {"name": agent.name, "kind": agent.kind.value, "address": agent.address}


def is_pulled(agent: AgentSetting) -> bool:
    """Whether turns are leased for this agent: a function, or an address that is this machine's or its network's."""
    return bool(agent.callable) or is_relayed(agent)


def subject_of(project: Project, agent: AgentSetting, *, layer: int) -> dict[str, Any]:
    """Who is tested: the agent, the layer, and the commit where the working tree is exactly that commit."""
    metadata: dict[str, Any] = {"layer": layer}
    commit = head_commit(project.folder)
    if commit and differs_from_head(project.folder):
        metadata["changed_since"], commit = commit, ""
    return {"agent": agent.name, "metadata": metadata} | ({"commit": commit} if commit else {})
