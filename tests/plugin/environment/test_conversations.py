"""Scenarios that a server plays against a function: each conversation has a tenant of its own, until it was checked."""

import pytest

from tests.plugin.stub_server import StubServer

HOOKS = """
    from contextlib import contextmanager
    BUILT = []

    @contextmanager
    def build(saver, tenant_id):
        BUILT.append(tenant_id)
        yield type(saver).__name__, len(BUILT)
        BUILT.remove(tenant_id)
"""
AGENT = """
    from hooks import BUILT
    KEPT = []

    {kind} reply(messages, context):
        tenant, (saver, _) = context["tenant"], context["orchestrator"]
        assert tenant.schema in BUILT
        slots = context.get("fixtures", {{}}).get("slots", ()) if len(messages) == 1 else ()
        with tenant.connect() as connection:
            for slot in (*slots, messages[-1]["content"]):
                connection.execute("INSERT INTO bookings (slot) VALUES (%s)", [slot])
        if messages[-1]["content"] == "leave":
            KEPT.append(tenant.connect(autocommit=False))
            KEPT[-1].execute("SELECT count(*) FROM bookings")
        return f"welcome, {{saver}}"
"""
SCENARIO = """
    id: {id}
    turns: [{first}, second, {{end: true}}]
    vars: {{slot: "nine"}}
    fixtures: {{slots: ["{{{{ slot }}}} of {id}"]}}
    assertions:
      - {{metric: welcome}}
      - {{contains: {saver}}}
      - {{sql: "SELECT slot FROM bookings WHERE id > 1 ORDER BY id", rows: [[NINE OF {upper}], [{wanted}], [SECOND]]}}
      - {{briefing_card: schemas/card.json, from: "SELECT '{{}}'::jsonb"}}
"""


@pytest.fixture
def project(project_with_database):
    server = StubServer()
    project_with_database.write("hooks.py", HOOKS)
    project_with_database.write("schemas/card.json", '{"type": "object"}')
    project_with_database.variables |= {"RATIBA_URL": server.url, "RATIBA_API_KEY": "rk_x"}
    yield project_with_database
    server.close()


def configure(project, *, kind: str, migrate: str = "migrations/*.sql") -> None:
    project.write("bot.py", AGENT.format(kind=kind))
    project.write(
        "ratiba.yaml",
        f"""
        agent: {{callable: 'bot:reply'}}
        scenarios: talks
        environment: {{migrate: {{sql: {migrate}}}, build_test_orchestrator: 'hooks:build'}}
        """,
    )


def scenario(project, name: str, *, first: str = "first", wanted: str = "FIRST", saver: str = "PostgresSaver") -> None:
    text = SCENARIO.format(id=name, first=first, wanted=wanted, saver=saver, upper=name.upper())
    project.write(f"talks/{name}.yaml", text)


@pytest.mark.parametrize("kind, saver", [("def", "PostgresSaver"), ("async def", "AsyncPostgresSaver")])
def test_each_conversation_has_rows_of_its_own_and_they_are_asserted(project, scratch_database, kind, saver):
    configure(project, kind=kind)
    for name, more in (("good", {}), ("bad", {"wanted": "OTHER"}), ("open", {"first": "leave", "wanted": "LEAVE"})):
        scenario(project, name, saver=f"'welcome, {saver}'", **more)
    answer = project.pytest("-q")
    assert "1 failed, 2 passed, 1 error" in answer.stdout, answer.stdout
    assert "the rows are [['NINE OF BAD'], ['FIRST'], ['SECOND']], wanted [['NINE OF BAD'], ['OTHER']" in answer.stdout
    assert "scenario open left something behind:" in answer.stdout
    assert "3 scenario schemas" in answer.stdout
    assert scratch_database.schemas() == []


def test_a_tenant_that_cannot_be_made_is_not_the_agents_fault(project, scratch_database):
    project.write("broken/001.sql", "CREATE TABLE bookings (id bigint; ")
    configure(project, kind="def", migrate="broken/*.sql")
    scenario(project, "good")
    answer = project.pytest("-q")
    assert "1 error" in answer.stdout, answer.stdout
    assert "good: the conversation's tenant could not be made" in answer.stdout
    assert "broken/001.sql: syntax error" in answer.stdout
    assert scratch_database.schemas() == []

    project.variables["RATIBA_TEST_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/none"
    answer = project.pytest("-q")
    assert "1 error" in answer.stdout
    assert "the test database does not answer" in answer.stdout
    assert "Traceback" not in answer.stdout
