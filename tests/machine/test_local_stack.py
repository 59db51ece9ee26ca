"""The embedded services survive what happens to processes on real machines."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from ratiba_eval.programs import the_only_one
from ratiba_eval.stack import binaries, sockets
from ratiba_eval.stack.places import CHECKOUT, SOCKET_DIR_LIMIT, StackError, make_private, socket_dir
from ratiba_eval.stack.postgres import Postgres
from ratiba_eval.stack.valkey import Valkey
from tests.machine.conftest import environment, local_stack, stop_both, until

USER = """
import sys, time
from ratiba_eval import local_stack
local_stack.ensure()
print("in use", flush=True)
time.sleep(float(sys.argv[1]))
"""


def user(state: Path, *, for_s: float) -> subprocess.Popen[str]:
    """A process that uses the services, and says so."""
    command = [sys.executable, "-c", USER, str(for_s)]
    started = subprocess.Popen(command, cwd=CHECKOUT, env=environment(state), stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "in use\n"
    return started


def both_stopped(state: Path) -> bool:
    return not Postgres(state).running() and not Valkey(state).running()


def one(server: Postgres, query: str) -> object:
    with psycopg.connect(server.url, autocommit=True) as connection:
        row = connection.execute(query).fetchone() if query.startswith("select") else None
        if row is None:
            connection.execute(query)
        return row[0] if row else None


@pytest.fixture
def server(used_state: Path) -> Postgres:
    made = Postgres(used_state)
    made.start()
    return made


# --- Nothing leaks, everything is found again ------------------------------------------------------------------------
def test_a_postmaster_that_was_killed_is_replaced_and_answered_commits_are_kept(server: Postgres) -> None:
    one(server, "create table kept as select 7 as n")
    pid = server.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: not server.running(), what="the death of the server")
    server.start()
    assert server.pid() != pid
    assert one(server, "select n from kept") == 7


def test_a_running_server_is_adopted(server: Postgres) -> None:
    pid = server.pid()
    Postgres(server.state).start()
    assert server.pid() == pid


def test_a_lock_file_with_a_reused_pid_does_not_stop_the_start(server: Postgres) -> None:
    lock_file = server.account.data / "postmaster.pid"
    text = lock_file.read_text()
    server.stop()
    lock_file.write_text(re.sub(r"\A\d+", str(os.getpid()), text))
    server.start()
    assert server.running()


def test_a_server_whose_data_were_removed_is_replaced(server: Postgres) -> None:
    pid = server.pid()
    assert pid is not None
    shutil.rmtree(server.account.data)
    server.start()
    assert one(server, "select 1") == 1
    assert not sockets.alive(pid)


def test_an_interrupted_initdb_is_begun_anew(state: Path) -> None:
    (state / "pg" / "base").mkdir(parents=True)
    (state / "pg" / "PG_VERSION").write_text("18\n")
    server = Postgres(state)
    server.start()
    assert one(server, "select current_database()") == "ratiba"


def test_the_last_user_stops_the_servers(used_state: Path) -> None:
    first, second = user(used_state, for_s=60), user(used_state, for_s=0)
    second.wait(timeout=20)
    assert Postgres(used_state).running()
    first.send_signal(signal.SIGINT)
    first.wait(timeout=20)
    until(lambda: both_stopped(used_state), what="the end of both servers")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_user_that_cannot_clean_up_leaves_no_servers(used_state: Path, number: int) -> None:
    only = user(used_state, for_s=60)
    only.send_signal(number)
    only.wait(timeout=20)
    until(lambda: both_stopped(used_state), what="the end of both servers")


def test_started_by_hand_they_run_until_they_are_stopped(used_state: Path) -> None:
    assert local_stack(used_state, "start").returncode == 0
    user(used_state, for_s=0).wait(timeout=20)
    assert local_stack(used_state, "status").returncode == 0
    assert local_stack(used_state, "stop").returncode == 0
    assert local_stack(used_state, "status").returncode == 1
    assert both_stopped(used_state)


def test_run_holds_them_for_one_command_and_passes_its_exit_code_on(used_state: Path) -> None:
    code = "import psycopg; from ratiba_eval import local_stack as l; psycopg.connect(l.urls()[0]); raise SystemExit(7)"
    assert local_stack(used_state, "run", "--", sys.executable, "-c", code).returncode == 7
    assert both_stopped(used_state)


def test_many_starts_at_once_make_one_server(state: Path) -> None:
    started = [user(state, for_s=60) for _ in range(1)]
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", USER, "0"], cwd=CHECKOUT, env=environment(state), stdout=subprocess.DEVNULL
        )
        for _ in range(4)
    ]
    assert [each.wait(timeout=60) for each in crowd] == [0] * 4
    assert Postgres(state).running()
    started[0].kill()
    started[0].wait()
    until(lambda: both_stopped(state), what="the end of both servers")


# --- Where it may lie ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["with spaces, a comma and 'quotes'", "mit Umlaut ä 100% #1"])
def test_works_in_a_folder_with_an_unusual_name(short_folder: Path, name: str) -> None:
    state = short_folder / name
    try:
        started = local_stack(state, "start")
        assert started.returncode == 0, started.stderr
        assert one(Postgres(state), "select 1") == 1
        from kombu import Connection  # noqa: PLC0415 - only here

        with Connection(Valkey(state).url) as broker:
            broker.ensure_connection(max_retries=1)
    finally:
        stop_both(state)


def test_a_long_path_has_its_sockets_in_a_private_short_folder(short_folder: Path) -> None:
    state = short_folder / ("deep-" * 12) / ("deeper-" * 12)
    try:
        assert local_stack(state, "start").returncode == 0
        place = socket_dir(state)
        assert len(str(place)) <= SOCKET_DIR_LIMIT
        assert place.stat().st_mode & 0o077 == 0
        assert one(Postgres(state), "select 1") == 1
        assert local_stack(state, "remove").returncode == 0
        assert not place.exists()
    finally:
        stop_both(state)


def test_somebody_elses_socket_folder_is_refused(short_folder: Path) -> None:
    (short_folder / "real").mkdir()
    (short_folder / "link").symlink_to(short_folder / "real")
    with pytest.raises(StackError, match="belongs to somebody else"):
        make_private(short_folder / "link")


def test_two_checkouts_do_not_meet(short_folder: Path) -> None:
    first, second = short_folder / "a", short_folder / "b"
    try:
        for state in (first, second):
            assert local_stack(state, "start").returncode == 0
        one(Postgres(first), "create table only_here (n int)")
        assert one(Postgres(second), "select to_regclass('only_here')") is None
        stop_both(first)
        assert Postgres(second).running()
    finally:
        stop_both(first)
        stop_both(second)


def test_a_copied_checkout_gets_its_own_server(server: Postgres, short_folder: Path) -> None:
    one(server, "create table original (n int)")
    with psycopg.connect(server.superuser_url, autocommit=True) as connection:
        connection.execute("checkpoint")
    copy = short_folder / "copy"
    try:
        shutil.copytree(server.state, copy, ignore=shutil.ignore_patterns("run"))
        copied = Postgres(copy)
        copied.start()
        assert copied.pid() != server.pid()
        assert server.running()
    finally:
        stop_both(copy)


# --- Who may run it --------------------------------------------------------------------------------------------------
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be refused by Postgres and become nobody")
def test_root_without_namespaces_runs_it_as_nobody(short_folder: Path) -> None:
    short_folder.chmod(0o755)
    state = short_folder / "var"
    try:
        started = local_stack(state, "start", RATIBA_ROOT_MODE="nobody")
        assert started.returncode == 0, started.stderr
        pid = Postgres(state).pid()
        assert pid is not None
        assert Path(f"/proc/{pid}").stat().st_uid == 65534
        assert one(Postgres(state), "select 1") == 1
        assert local_stack(state, "stop", RATIBA_ROOT_MODE="nobody").returncode == 0
        assert not sockets.alive(pid)
    finally:
        local_stack(state, "remove", RATIBA_ROOT_MODE="nobody")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be refused by Postgres and become nobody")
def test_nobody_works_below_a_folder_it_may_not_enter(short_folder: Path) -> None:
    short_folder.chmod(0o700)
    state = short_folder / "var"
    try:
        started = local_stack(state, "start", RATIBA_ROOT_MODE="nobody")
        assert started.returncode == 0, started.stderr
        assert one(Postgres(state), "select 1") == 1
    finally:
        local_stack(state, "remove", RATIBA_ROOT_MODE="nobody")
    from ratiba_eval.stack.account import outside_dir  # noqa: PLC0415 - only root has such a folder

    assert not outside_dir(state).exists()


def test_the_callers_locale_and_postgres_variables_do_not_reach_the_server(state: Path) -> None:
    started = local_stack(state, "start", LANG="de_DE.UTF-8", LC_ALL="de_DE.UTF-8", PGDATA="/nowhere", PGPORT="1")
    assert started.returncode == 0, started.stderr
    assert one(Postgres(state), "select datcollate from pg_database where datname = 'ratiba'") == "C.UTF-8"


# --- Settings --------------------------------------------------------------------------------------------------------
def test_a_real_server_replaces_the_embedded_one(state: Path) -> None:
    code = "from ratiba_eval import local_stack as l; print(*l.ensure())"
    env = environment(state, DATABASE_URL="postgresql://real/db", REDIS_URL="redis://real:6379/0")
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, env=env, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["postgresql://real/db", "redis://real:6379/0"]
    assert not state.exists()


def test_the_cluster_is_set_up_as_decided(server: Postgres) -> None:
    wanted = {
        "max_connections": "200",
        "max_locks_per_transaction": "256",
        "synchronous_commit": "on",
        "listen_addresses": "",
    }
    assert {name: one(server, f"select current_setting('{name}')") for name in wanted} == wanted
    assert int(str(one(server, "select current_setting('server_version_num')"))) >= 180000


def test_pg_dump_is_as_new_as_the_server(server: Postgres) -> None:
    dump = binaries.pg_binary("pg_dump")
    made = subprocess.run([dump, "--schema-only", server.url], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    with pytest.raises(StackError, match="no pg_nothing found"):
        binaries.pg_binary("pg_nothing")


# --- The broker ------------------------------------------------------------------------------------------------------
def connect(broker: Valkey) -> "redis.Redis":
    return redis.Redis(unix_socket_path=str(broker.socket))


def test_the_broker_keeps_its_messages_over_a_restart(state: Path) -> None:
    broker = Valkey(state)
    broker.start()
    connect(broker).rpush("queue", "message")
    broker.stop()
    assert not broker.running()
    broker.start()
    assert connect(broker).lrange("queue", 0, -1) == [b"message"]


def test_a_killed_broker_is_replaced(state: Path) -> None:
    broker = Valkey(state)
    broker.start()
    pid = broker.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: not broker.running(), what="the death of the broker")
    broker.start()
    assert broker.pid() != pid


def test_a_broker_with_a_damaged_file_starts_empty_and_keeps_the_file(state: Path) -> None:
    broker = Valkey(state)
    broker.start()
    connect(broker).set("a", "b")
    broker.stop()
    for part in (broker.data / "appendonlydir").glob("*.aof"):
        part.write_bytes(b"*3\r\nnot what was written\r\n" * 20)
    broker.start()
    assert connect(broker).get("a") is None
    assert list(state.glob("valkey-damaged-*"))


def test_a_broker_that_was_flushed_answers_on(state: Path) -> None:
    broker = Valkey(state)
    broker.start()
    connect(broker).flushall()
    assert connect(broker).config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_nothing_is_removed_while_the_product_runs_from_here(used_state: Path) -> None:
    assert local_stack(used_state, "start").returncode == 0
    with the_only_one(used_state):
        refused = local_stack(used_state, "remove")
        assert (refused.returncode, "stop it first" in refused.stderr) == (2, True)
        assert local_stack(used_state, "status").returncode == 0
    assert local_stack(used_state, "remove").returncode == 0
    assert not used_state.exists()


# --- Who it belongs to ------------------------------------------------------------------------------------------------
ROLE = "select format('%s %s %s %s', current_user, rolsuper, rolcreatedb, rolcreaterole) from pg_roles where rolname = current_user"  # noqa: E501
OWNER = "select pg_get_userbyid(datdba) from pg_database where datname = current_database()"


def test_who_uses_it_has_no_special_right_and_owns_the_database(server: Postgres) -> None:
    assert one(server, ROLE) == "ratiba f f f"
    assert one(server, OWNER) == "ratiba"


@pytest.fixture
def of_a_superuser(server: Postgres) -> Postgres:
    """A folder as versions before made it: one role, a superuser, made everything."""
    for user, database, statements in (
        ("postgres", "postgres", "drop database ratiba; drop role ratiba; create role zz superuser login"),
        ("zz", "postgres", "alter role postgres rename to ratiba"),
        ("ratiba", "postgres", "drop role zz; create database ratiba"),
        ("ratiba", "ratiba", MADE_BEFORE),
    ):
        with psycopg.connect(server.url, user=user, dbname=database, autocommit=True) as connection:
            for statement in statements.split(";"):
                connection.execute(statement)
    (server.account.data / "database-has-owner").unlink()
    return server


def test_the_database_of_compose_is_made_for_a_role_without_rights(server: Postgres) -> None:
    """What the image of Postgres runs once, run against a real one."""
    with psycopg.connect(server.superuser_url, autocommit=True) as connection:
        connection.execute("drop database ratiba")
        connection.execute("drop role ratiba")
    path = f"{binaries.pg_binary('psql').parent}:{os.environ['PATH']}"
    env = {"PATH": path, "PGHOST": str(server.sockets), "POSTGRES_PASSWORD": "it's a $ecret"}
    subprocess.run([CHECKOUT / "deploy" / "postgres" / "role.sh"], env=env, check=True, timeout=30)
    assert one(server, ROLE) == "ratiba f f f"
    assert one(server, OWNER) == "ratiba"
    with psycopg.connect(server.superuser_url) as connection:
        query = "select rolname, rolpassword is not null from pg_authid where rolcanlogin order by 1"
        assert connection.execute(query).fetchall() == [("postgres", False), ("ratiba", True)]


MADE_BEFORE = """
create schema "t_Odd name";
create type "t_Odd name".mood as enum ('good');
create table "t_Odd name".rows (id bigint generated always as identity, n serial, feels "t_Odd name".mood);
insert into "t_Odd name".rows default values;
create view "t_Odd name".shown as select * from "t_Odd name".rows;
create sequence public.counted;
create function public.says(text) returns text language sql security definer return $1
"""
OF_OTHERS = """select count(*) from (
  select relowner as owner, relnamespace as space from pg_class union all select typowner, typnamespace from pg_type
  union all select proowner, pronamespace from pg_proc union all select nspowner, oid from pg_namespace
) as owned join pg_namespace on pg_namespace.oid = space
where nspname !~ '^pg_' and nspname not in ('information_schema') and pg_get_userbyid(owner) not in ('ratiba', 'pg_database_owner')"""  # noqa: E501


@pytest.mark.parametrize("stopped", [True, False])
def test_a_folder_that_a_superuser_made_is_given_to_the_role_once(of_a_superuser: Postgres, stopped: bool) -> None:
    """Also while it runs: an older checkout, or a `make up` of before, started it."""
    server = of_a_superuser
    assert one(server, ROLE) == "ratiba t t t"
    if stopped:
        server.stop()
    server.start()
    assert one(server, ROLE) == "ratiba f f f"
    assert one(server, OWNER) == "ratiba"
    assert one(server, OF_OTHERS) == 0
    one(server, 'insert into "t_Odd name".rows default values')
    assert one(server, 'select max(id) from "t_Odd name".shown') == 2
    one(server, 'alter table "t_Odd name".rows add column more text')
    server.start()
    with psycopg.connect(server.superuser_url) as connection:
        assert connection.execute("select rolname from pg_roles where oid = 10").fetchone() == ("postgres",)
