"""The loopback Pega in the demo tenant: reached three ways, found again after a start on another port."""

import json

import pytest
from django.core.management import call_command

from apps.catalog.connections.queries.agents import agent_id, connection_specs
from apps.catalog.models import Agent, AgentConnection
from apps.core.attached_files import AttachedFile
from apps.tenants.context import in_tenant
from examples.pega import node
from ratiba_eval import demo_campaign, programs
from tests.connectors.agents.conftest import talk
from tests.examples.pega.calls import EXPECTED, running

BRIEF = AttachedFile(name="Zelle.pdf", content=b"%PDF-1.7 brief")


@pytest.fixture
def tenant(db):
    with in_tenant("acme"):
        yield "acme"


def addresses() -> list[str]:
    rows = [*Agent.objects.filter(name="campaign"), *AgentConnection.objects.filter(agent__name="campaign")]
    return sorted(f"{row.address} {json.dumps(row.options)}" for row in rows)


def test_it_names_what_the_example_is_called() -> None:
    assert (demo_campaign.AGENT_ID, demo_campaign.CLIENT_ID, demo_campaign.CLIENT_SECRET) == (
        node.AGENT_ID,
        node.CLIENT_ID,
        node.CLIENT_SECRET,
    )


def test_it_is_set_up_once_and_left_alone(tenant) -> None:
    assert demo_campaign.first_campaign(port=8124)
    Agent.objects.filter(name="campaign").update(timeout_s=7)
    assert not demo_campaign.first_campaign(port=8124)
    assert Agent.objects.get(name="campaign").timeout_s == 7
    assert {row.kind for row in AgentConnection.objects.all()} == {"a2a", "http"}


def test_all_its_addresses_follow_the_port(tenant) -> None:
    demo_campaign.set_up_campaign(port=8124)
    assert demo_campaign.campaign_moved(port=8124, answers=lambda _: False) == ""
    assert demo_campaign.campaign_moved(port=9001, answers=lambda port: port == 8124) == "", "somebody answers there"
    assert demo_campaign.campaign_moved(port=9001, answers=lambda _: False).startswith("http://127.0.0.1:9001/prweb")
    assert len(addresses()) == 3
    assert not [one for one in addresses() if "8124" in one or "9001" not in one]
    Agent.objects.filter(name="campaign").update(address="https://pega.example.org/prweb/api/application/v2")
    assert demo_campaign.campaign_moved(port=8124, answers=lambda _: False).endswith("8124/prweb/app/campaigns/api/"
        f"agent2agent/v1/ai-agents/{demo_campaign.AGENT_ID}")  # fmt: skip
    assert Agent.objects.get(name="campaign").address.startswith("https://pega.example.org/")


@pytest.mark.parametrize("kind", ["agentx", "a2a", "http"])
def test_each_connection_reaches_it(tenant, kind: str) -> None:
    with running() as base:
        demo_campaign.set_up_campaign(port=int(base.rpartition(":")[2]))
        spec = connection_specs(agent_id("campaign"))[kind]
        (created,) = talk(spec, EXPECTED["turns"][0]["input"])
        session = created.session
        (said,) = talk(spec, "[I have attached a file: Zelle.pdf]", session=session, attachments=(BRIEF,))
    assert created.text.startswith("## New campaign")
    if kind == "a2a":
        assert said.text.startswith("I do not see a document on the case")
    else:
        assert said.text.startswith("## Campaign brief")


def test_up_tells_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIBA_DEMO_PEGA_PORT", "8200")
    assert programs.pega_port() == 8200
    program = programs.campaign_agent(8200, faults=("slow",))
    assert program.argv[-4:] == ("--port", "8200", "--fault", "slow")


def test_its_profile_is_the_project_configuration(tenant) -> None:
    demo_campaign.set_up_campaign(port=8124)
    profile = Agent.objects.get(name="campaign").profile
    config = json.loads(demo_campaign.PROJECT_CONFIG.read_text())
    assert profile["agent_identity"] == config["agent_identity"]
    assert len(profile["hallucination_context"]) == len(config["hallucination_context"])
    assert {one["tool"] for one in profile["tool_patterns"]} == {"SubmitCampaign", "LaunchCampaign"}
    assert len(profile["step_agent_patterns"]) == 2


def test_demo_golden_says_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("demo_golden", "--help")
    assert ended.value.code == 0
    assert "golden" in capsys.readouterr().out
