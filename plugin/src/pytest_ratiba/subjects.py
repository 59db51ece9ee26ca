"""Describe the agent under test to the server: the run's connection to the agent, and its subject."""

from collections.abc import Mapping
from typing import Any

from pytest_ratiba.agents import AgentSetting
from pytest_ratiba.config import Project
from pytest_ratiba.git import differs_from_head, head_commit
from pytest_ratiba.relayed import is_relayed

PULLED = "pulled"  # the kind, and the transport, of agents that nobody dials


def connection_of(agent: AgentSetting) -> dict[str, Any] | None:
    """Return a run's connection to the agent, as POST /test-runs/ takes it; None for the server's own.
    Nobody dials into this machine. An address that the server has for this agent is the server's to dial, with its
    settings and secrets."""
    if agent.callable or (agent.start is not None and is_relayed(agent)):
        return {"kind": PULLED}
    if not agent.address:
        return None
    options = {"options": dict(agent.paths)} if agent.paths else {}
    more = {"runner": True} if is_relayed(agent) else options
    return {"kind": agent.kind.value, "address": agent.address, **more}


def replay_way(agent: AgentSetting, transport: str) -> dict[str, Any]:
    """The fields of a replay that say how it goes: a transport that the repository's agent has not is one of the
    server's agent of that name."""
    connection, asked = connection_of(agent), ({"transport": transport} if transport else {})
    if connection is None:
        return asked
    brought = connection["kind"] == PULLED  # what we hand turns on by is no connection of the server's
    if transport == PULLED or (brought and transport in ("", "auto", agent.address and agent.kind)):
        return {"connection": {"kind": PULLED}}
    if not brought and transport in ("", "auto", connection["kind"]):
        return {"connection": connection, **asked}
    return asked


def may_be_pulled(agent: AgentSetting) -> bool:
    """Whether turns may have to be leased for this agent: a function, or an address of this machine's or its
    network's. The server's answer to the start of a run says whether they are."""
    return bool(agent.callable) or is_relayed(agent)


def subject_of(
    project: Project, agent: AgentSetting, *, layer: int, marks: Mapping[str, str] | None = None, commit: str = ""
) -> dict[str, Any]:
    """Return the subject of a run: the agent, the layer and the commit.
    The commit is the one that is given, else HEAD where the working tree is exactly that. `marks` are further
    metadata; empty ones are left out."""
    metadata: dict[str, Any] = {"layer": layer} | {name: value for name, value in (marks or {}).items() if value}
    given, commit = commit, commit or head_commit(project.folder)
    if not given and commit and differs_from_head(project.folder):
        metadata["changed_since"], commit = commit, ""
    return {"agent": agent.name, "metadata": metadata} | ({"commit": commit} if commit else {})
