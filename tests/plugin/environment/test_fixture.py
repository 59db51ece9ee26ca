"""The fixture in a user's project: with and without a loop, isolated, migrated once, told by name what was left."""

import subprocess

import pytest

from pytest_ratiba.config import read_project
from pytest_ratiba.environment.hooks import read_hooks
from pytest_ratiba.errors import ProjectError

GRAPH = """
    from typing import TypedDict
    from langgraph.graph import START, StateGraph

    class S(TypedDict):
        n: int

    def build_test_orchestrator(saver, tenant_id):
        graph = StateGraph(S)
        graph.add_node("count", lambda state: {"n": state["n"] + 1})
        graph.add_edge(START, "count")
        return graph.compile(checkpointer=saver)
"""


def test_with_and_without_a_loop_each_scenario_has_a_schema_of_its_own(project_with_database, scratch_database):
    project_with_database.write("graphs.py", GRAPH)
    project_with_database.write(
        "ratiba.yaml",
        "environment: {migrate: {sql: migrations/*.sql}, build_test_orchestrator: 'graphs:build_test_orchestrator'}\n",
    )
    project_with_database.write(
        "test_it.py",
        """
        import pytest

        THREAD = {"configurable": {"thread_id": "t"}}

        def counted(tenant):
            with tenant.connect() as connection:
                (schema,) = connection.execute("SELECT current_schema()").fetchone()
                assert schema == tenant.schema
                return connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0]

        @pytest.mark.parametrize("scenario_id", ["spa_one", "spa_one", "Spa two!"])
        def test_plain(tenant_scoped_eval_environment, eval_tenant):
            assert counted(eval_tenant) == 0
            assert tenant_scoped_eval_environment.invoke({"n": 1}, THREAD) == {"n": 2}
            assert counted(eval_tenant) == 3

        @pytest.mark.asyncio
        async def test_asyncio(tenant_scoped_eval_environment, eval_tenant):
            assert counted(eval_tenant) == 0
            assert await tenant_scoped_eval_environment.ainvoke({"n": 1}, THREAD) == {"n": 2}
            assert counted(eval_tenant) == 3

        @pytest.mark.anyio
        async def test_anyio(tenant_scoped_eval_environment, eval_tenant, anyio_backend_name):
            assert await tenant_scoped_eval_environment.ainvoke({"n": 1}, THREAD) == {"n": 2}
            assert counted(eval_tenant) == 3

        @pytest.fixture
        def anyio_backend():
            return "asyncio"
        """,
    )
    answer = project_with_database.pytest("-q", "-p", "asyncio", "-p", "anyio")
    assert "5 passed" in answer.stdout, answer.stdout + answer.stderr
    assert "5 scenario schemas" in answer.stdout
    assert scratch_database.schemas() == []
    assert scratch_database.rows("SELECT * FROM pg_tables WHERE schemaname = 'public'") == []


def test_a_replayed_schema_is_the_migrated_one(project_with_database):
    project_with_database.write(
        "test_it.py",
        r"""
        import re
        from pytest_ratiba.environment.schema_text import dumped

        SEEN = []

        def test_one(eval_tenant): SEEN.append((eval_tenant.schema, dumped(eval_tenant.url, eval_tenant.schema)))
        def test_two(eval_tenant): SEEN.append((eval_tenant.schema, dumped(eval_tenant.url, eval_tenant.schema)))

        def without(text, name):
            return re.sub(r"restrict .*", "", text.replace(name, "S"))

        def test_same():
            texts = [without(text, name) for name, text in SEEN]
            assert texts[0] == texts[1]
            assert "CREATE TRIGGER" in texts[1] and "SET SEARCH_PATH = PUBLIC;" in texts[1]
            assert "checkpoint_migrations" in texts[1]
            assert SEEN[0][0] != SEEN[1][0]
        """,
    )
    answer = project_with_database.pytest("-q")
    assert "3 passed" in answer.stdout, answer.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2", "-p", "xdist")])
def test_a_session_migrates_once(project_with_database, workers):
    project_with_database.write(
        "tenants.py",
        """
        import os, pathlib

        def migrate(schema_name, tenant):
            with tenant.connect() as connection:
                connection.execute("CREATE TABLE t (n int)")
            with pathlib.Path("migrated.txt").open("a") as file:
                file.write(schema_name + "\\n")

        async def register_test_tenant(schema_name):
            return len(schema_name)
        """,
    )
    project_with_database.write(
        "ratiba.yaml",
        "environment: {migrate: 'tenants:migrate', register_test_tenant: 'tenants:register_test_tenant'}\n",
    )
    project_with_database.write(
        "test_it.py",
        """
        import pytest

        @pytest.mark.parametrize("n", range(6))
        def test_it(n, eval_tenant):
            assert eval_tenant.tenant_id == len(eval_tenant.schema)
            with eval_tenant.connect() as connection:
                assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
                connection.execute("INSERT INTO t VALUES (1)")
        """,
    )
    answer = project_with_database.pytest("-q", *workers)
    assert "6 passed" in answer.stdout, answer.stdout + answer.stderr
    assert len((project_with_database.folder / "migrated.txt").read_text().split()) == 1
    assert "ratiba environment: 6 scenario schemas, median " in answer.stdout


def test_what_a_test_leaves_behind_is_told_by_its_name(project_with_database, scratch_database):
    scratch_database.run("CREATE TABLE public.notes (text text); INSERT INTO public.notes VALUES ('a')")
    project_with_database.write(
        "test_it.py",
        """
        KEPT = []

        def test_leaves_a_connection(eval_tenant):
            KEPT.append(eval_tenant.connect(autocommit=False))
            KEPT[-1].execute("SELECT count(*) FROM bookings")

        def test_leaves_an_idle_one(eval_tenant):
            KEPT.append(eval_tenant.connect())

        def test_writes_into_public(eval_tenant):
            with eval_tenant.connect() as connection:
                connection.execute("INSERT INTO public.notes VALUES ('b')")

        def test_changes_public(eval_tenant):
            with eval_tenant.connect() as connection:
                connection.execute("UPDATE public.notes SET text = 'c' WHERE text = 'a'")

        def test_makes_a_table_there(eval_tenant):
            with eval_tenant.connect() as connection:
                connection.execute("CREATE TABLE public.mine (n int)")

        def test_is_tidy(eval_tenant):
            with eval_tenant.connect() as connection:
                connection.execute("INSERT INTO bookings (slot) VALUES ('x')")
                assert connection.execute("SELECT count(*) FROM public.notes").fetchone() == (2,)
        """,
    )
    answer = project_with_database.pytest("-q")
    assert "6 passed, 5 errors" in answer.stdout, answer.stdout
    assert "test_it.py::test_leaves_a_connection left something behind" in answer.stdout
    assert "an open connection (idle in transaction; " in answer.stdout
    assert "test_it.py::test_leaves_an_idle_one left something behind" in answer.stdout
    assert "public.notes rows 1 -> 2" in answer.stdout
    assert "public.notes rows were changed" in answer.stdout
    assert "public.mine was created" in answer.stdout
    assert "test_is_tidy left" not in answer.stdout
    assert scratch_database.schemas() == []


def test_tables_that_registering_writes_into_are_no_fault_of_the_test(project_with_database, scratch_database):
    scratch_database.run("CREATE TABLE public.tenants (schema_name text)")
    project_with_database.write(
        "tenants.py",
        """
        from contextlib import contextmanager

        @contextmanager
        def register_test_tenant(schema_name, tenant):
            with tenant.connect() as connection:
                connection.execute("INSERT INTO public.tenants VALUES (%s)", [schema_name])
            yield 7
            with tenant.connect() as connection:
                connection.execute("DELETE FROM public.tenants WHERE schema_name = %s", [schema_name])
        """,
    )
    project_with_database.write("ratiba.yaml", "environment: {register_test_tenant: 'tenants:register_test_tenant'}\n")
    project_with_database.write("test_it.py", "def test_it(eval_tenant):\n    assert eval_tenant.tenant_id == 7\n")
    answer = project_with_database.pytest("-q")
    assert "1 passed" in answer.stdout, answer.stdout
    assert scratch_database.rows("SELECT * FROM public.tenants") == []


def test_a_killed_sessions_schemas_go_and_a_living_ones_stay(project_with_database, scratch_database):
    project_with_database.write(
        "test_it.py",
        """
        import pathlib, sys, time

        def test_waits(eval_tenant, tmp_path_factory):
            print("SCHEMA", eval_tenant.schema, file=sys.__stderr__, flush=True)
            while not pathlib.Path("go").exists():
                time.sleep(0.02)

        def test_short(eval_tenant):
            pass
        """,
    )
    scratch_database.run("CREATE SCHEMA test_tenant_somebody_elses_01234567")
    dead, living = (_waiting(project_with_database) for _ in range(2))
    schemas = [_schema_of(process) for process in (dead, living)]
    dead.kill()
    dead.wait(timeout=30)
    try:
        answer = project_with_database.pytest("-q", "-k", "short")
        assert "1 passed" in answer.stdout, answer.stdout
        assert f"dropped of dead sessions: {schemas[0]}" in answer.stdout
        assert set(scratch_database.schemas()) == {schemas[1], "test_tenant_somebody_elses_01234567"}
    finally:
        project_with_database.write("go", "")
        assert living.wait(timeout=60) == 0
    assert scratch_database.schemas() == ["test_tenant_somebody_elses_01234567"]


def _waiting(project) -> "subprocess.Popen[str]":
    return project.started("-q", "-s", "-k", "waits")


def _schema_of(process) -> str:
    return next(line.split()[1] for line in process.stderr if line.startswith("SCHEMA "))


def test_the_database_of_the_application_is_never_used(user_project):
    """Neither variable names a server that answers: the embedded one is started, and stopped at the end."""
    user_project.variables["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/production"
    user_project.write("test_it.py", "def test_it(eval_tenant):\n    assert ':1/' not in eval_tenant.url\n")
    answer = user_project.pytest("-q")
    assert "1 passed" in answer.stdout, answer.stdout
    assert (user_project.folder / ".ratiba" / ".gitignore").read_text() == "*\n"
    assert not (user_project.folder / ".ratiba" / "postgres" / "postmaster.pid").exists()


@pytest.mark.parametrize(
    "section, says",
    [
        ("migrat: x", "/environment/migrat: unknown key; did you mean migrate?"),
        ("migrate: tenants", "/environment/migrate: 'tenants' is not of the form package.module:name"),
        ("migrate: 'nowhere:run'", "/environment/migrate: nowhere:run: No module named 'nowhere'"),
        ("migrate: {sql: none/*.sql}", "/environment/migrate/sql: no file is called none/*.sql"),
        ("migrate: {sql: a, command: b}", "/environment/migrate: has one of command, sql, alembic, django"),
        ("migrate: {sql: [1]}", "/environment/migrate/sql: must be a file"),
    ],
)
def test_a_wrong_section_is_told(user_project, section, says):
    user_project.write("ratiba.yaml", f"environment: {{{section}}}\n")
    with pytest.raises(ProjectError) as caught:
        read_hooks(read_project(user_project.folder))
    assert says in str(caught.value)


def test_a_migration_that_fails_is_told_and_leaves_no_schema(project_with_database, scratch_database):
    project_with_database.write("migrations/002.sql", "CREATE TABEL x;")
    project_with_database.write("test_it.py", "def test_it(eval_tenant):\n    pass\n")
    answer = project_with_database.pytest("-q")
    assert answer.returncode == 1
    assert "002.sql: syntax error" in answer.stdout
    assert scratch_database.schemas() == []


def test_a_role_that_may_make_no_schema_is_told_in_one_sentence(project_with_database, scratch_database):
    ((database, role),) = scratch_database.rows("SELECT current_database(), current_user")
    scratch_database.run(f'REVOKE CREATE ON DATABASE "{database}" FROM CURRENT_USER, PUBLIC')
    project_with_database.write("test_it.py", "def test_it(eval_tenant):\n    pass\n")
    answer = project_with_database.pytest("-q")
    assert answer.returncode == 1
    assert f"the role '{role}' may not make what a scenario needs in the database '{database}'" in answer.stdout
    assert f"TO {role}, or name a database of your own in RATIBA_TEST_DATABASE_URL" in answer.stdout
    assert "Traceback" not in answer.stdout + answer.stderr
    assert "psycopg/" not in answer.stdout, "no frames of the driver"


def test_a_command_migrates_the_tenants_schema_and_no_other(project_with_database, scratch_database):
    project_with_database.write(
        "migrate.py",
        """
        import os, sys, psycopg

        assert sys.argv[1:] == [os.environ["RATIBA_TEST_SCHEMA"]]
        with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE made_by_command (n int)")
        """,
    )
    project_with_database.variables["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/production"
    project_with_database.write("ratiba.yaml", "environment: {migrate: {command: 'python migrate.py {schema}'}}\n")
    project_with_database.write(
        "test_it.py",
        """
        def test_it(eval_tenant):
            with eval_tenant.connect() as connection:
                assert connection.execute("SELECT count(*) FROM made_by_command").fetchone() == (0,)
        """,
    )
    answer = project_with_database.pytest("-q")
    assert "1 passed" in answer.stdout, answer.stdout
    assert scratch_database.rows("SELECT * FROM pg_tables WHERE schemaname = 'public'") == []
