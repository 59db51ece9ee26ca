"""Every address of every resolver × everybody who might ask: a table made from the resolvers themselves.

With RATIBA_ROLE_TABLE=path the table is written there as Markdown.
"""

import html
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import resolve

from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import Role
from tests.doors import table
from tests.doors.addresses import Address, all_addresses
from tests.doors.expectations import EVERYBODY, MODELS, SIGN_IN, STAFF, Expected, expected
from tests.doors.words_of_pages import wrong_words
from tests.doors.world import CALLERS, KEYS, MARK, MEMBERS, ROLES, SCOPED, STRANGERS, World, contents, make_world

ADDRESSES = all_addresses()
PARTS = {
    "<uuid:channel_id>": "alerts.alertchannel",
    "<uuid:erasure_id>": "erasure.erasure",
    "<uuid:persona_id>": "catalog.persona",
    "<uuid:gate_id>": "gates.pullrequestgate",
    "<uuid:review_id>": "gates.snapshotreview",
    "<uuid:promotion_id>": "production.promotion",
    "<uuid:generation_id>": "catalog.personageneration",
    "<uuid:run_id>": "runs.testrun",
    "<uuid:evaluation_id>": "evaluations.evaluation",
    "<uuid:conversation_id>": "runs.conversation",
    "<uuid:version_id>": "catalog.evaluatorconfigversion",
    "<uuid:config_id>": "catalog.evaluatorconfig",
    "<uuid:agent_id>": "catalog.agent",
    "<uuid:provider_id>": "catalog.modelprovider",
    "<uuid:source_id>": "production.langfusesource",
    "<uuid:receiver_id>": "production.otlpreceiver",
    "<uuid:prompt_id>": "catalog.promptversion",
    "<uuid:analysis_id>": "improvement.analysis",
    "<uuid:draft_id>": "improvement.promptdraft",
    "<uuid:trial_id>": "improvement.trial",
    "<uuid:optimization_id>": "improvement.optimization",
    "<uuid:playground_id>": "improvement.playground",
    "<uuid:mode_id>": "improvement.failuremode",
    "<uuid:rollout_id>": "production.rollout",
    "<uuid:session_id>": "catalog.goldensession",
    "<uuid:set_id>": "production.anchorset",
    "<uuid:view_id>": "reports.savedview",
}
KNOWN = {"tenant": {*MEMBERS, *KEYS}, "public": {"platform staff", "platform admin"}}  # the others are strangers there
ROW_OF = {  # of `<uuid:id>` behind this address
    "test-runs/": "runs.testrun",
    "pulled-turns/": "runs.pulledturn",
    "personas/generations/": "catalog.personageneration",
    "personas/": "catalog.persona",
    "gates/": "gates.pullrequestgate",
    "snapshots/": "gates.snapshotreview",
    "proposals/": "improvement.fixproposal",
    "drafts/": "improvement.promptdraft",
    "trials/": "improvement.trial",
    "optimizations/": "improvement.optimization",
    "playground/": "improvement.playground",
    "failure-modes/groupings/": "improvement.modegrouping",
    "review-queues/": "calibration.labellinground",
    "saved-views/": "reports.savedview",
    "failure-modes/": "improvement.failuremode",
    "scenarios/": "catalog.scenario",
    "promotions/": "production.promotion",
    "rollouts/": "production.rollout",
    "erasures/": "erasure.erasure",
    "": "evaluations.evaluation",
}
OPEN_OR_SIGNED = ("feedback/whatsapp/", "schema/", "docs/", "<path:rest>")  # the others name their rights
NOT_THERE = "00000000-0000-7000-8000-000000000000"  # rights are asked before a row is looked for
QUERIES = {
    "admin/autocomplete/": "?app_label=catalog&model_name=scenario&field_name=persona",
    "workshop/new/": f"?prompt={MARK}line",
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        yield make_world()
        django_db_setup.reset()


def path_of(address: Address, rows: dict) -> str:
    """The address with acme's own ids in it. Fails where a row of that model is missing: make one in `world`."""
    route = address.route.replace("(?P<url>.*)$", "nothing-here/").replace("<path:rest>", "nothing-here/")
    route = (
        route.replace("<slug:verb>", "pause")
        .replace("<slug:format>", "csv")
        .replace("<slug:provider_id>", "none")
        .replace("<str:name>", "report.json")
        .replace("<str:role>", "greeting")
        .replace("<path:content_type_id>/<path:object_id>", "1/1")
    )
    if re.search(r"<(path:object_)?id>", route):
        model = address.model if address.host == "tenant" else f"public {address.model}"
        assert rows.get(model), f"world.py makes no row of {model}"
        route = re.sub(r"<(path:object_)?id>", str(rows[model]), route)
    for part, model in PARTS.items():
        route = route.replace(part, str(rows[model]))
    of = next(model for start, model in ROW_OF.items() if route.startswith(f"api/v1/{start}") or not start)
    route = route.replace("<uuid:id>", str(rows[of]))
    route = route.replace("<uuid:other>", str(rows["evaluations.evaluation"])).replace("<int:item_id>", "1")
    route = re.sub("<uuid:(certificate|round|golden_version|try)_id>", NOT_THERE, route)
    assert not re.search(r"[<^(]", route), f"what stands for {address}?"
    return f"/{route}{QUERIES.get(route, '')}"


def of_the_test() -> transaction.Atomic:
    """A savepoint of the test's own: the code under test may still use the network inside it."""
    block = transaction.atomic()
    block._from_testcase = True
    return block


def answer_of(world: World, caller: str, method: str, host: str, path: str) -> tuple[int, bytes]:
    response = world.ask(caller, method, host, path)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    signs_in = response.status_code == 302 and "/login/" in response["location"]
    return SIGN_IN if signs_in else response.status_code, body


def wanted(rule: Expected, host: str, caller: str, method: str) -> tuple[bool, tuple[int, ...]]:
    """Whether this caller is let in, and the statuses that are right for them."""
    let_in, good = (rule.get, rule.get_is) if method == "get" else (rule.post, rule.post_is)
    known = caller in KNOWN[host]
    if let_in == EVERYBODY or (known and caller in let_in):
        return True, good
    api = rule.stranger_is == (401,)  # a key opens the API alone; who is no staff may not even sign in to the pages
    inside = known and (caller in STAFF | {"platform staff", "platform admin"} or (api and caller != "anonymous"))
    return False, rule.staff_is if inside else rule.stranger_is


def test_every_address_has_an_expectation() -> None:
    undecided = [str(address) for address in ADDRESSES if expected(address) is None]
    assert not undecided, "decide who may open these, in tests/doors/expectations.py"


def test_no_expectation_is_left_of_an_address_that_is_gone() -> None:
    assert set(MODELS) == {address.model for address in ADDRESSES if address.model}


def test_everybody_is_answered_as_written_and_nothing_leaks(world: World, db: None) -> None:
    """Requests that are to be refused are made for good; those that are let in are rolled back."""
    before, started, asked = contents("acme"), time.perf_counter(), 0
    answers: dict[tuple[Address, str, str], str] = {}
    wrong: list[str] = []
    for address in ADDRESSES:
        rule, path = expected(address), path_of(address, world.rows)
        assert rule is not None, f"{address}: decide who may open it, in tests/doors/expectations.py"
        for method in ("get", "post"):
            posted = False
            for caller in CALLERS[address.host]:
                let_in, good = wanted(rule, address.host, caller, method)
                if let_in and method == "post" and posted and not address.route.startswith("api/"):
                    continue  # the first one who is let in stands for all
                posted = posted or let_in
                with of_the_test():
                    status, body = answer_of(world, caller, method, address.host, path)
                    transaction.set_rollback(let_in)
                asked += 1
                answers[address, method, caller] = str(status or "sign in")
                what = f"{caller}: {method.upper()} {path}"
                if status not in good:
                    wrong.append(f"{what} is answered {status or 'sign in'}, not {good}")
                if MARK.encode() in body and (not let_in or caller in STRANGERS):
                    wrong.append(f"{what} shows acme's rows")
                if any(secret.encode() in body for secret in world.secrets):
                    wrong.append(f"{what} shows a secret")
    if name := os.environ.get("RATIBA_ROLE_TABLE"):
        table.write(Path(name), answers, asked, time.perf_counter() - started)
    assert not wrong, "\n".join(wrong)
    assert contents("acme") == before


def test_each_role_and_each_scope_opens_of_the_api_what_the_table_says(world: World, db: None) -> None:
    """`Right` is what the documents print. An address whose view names no right fails here."""
    holders = {**{role: Role(role) for role in ROLES}, **SCOPED}
    wrong, asked = [], 0
    for address in (one for one in ADDRESSES if one.route.startswith("api/v1/")):
        path = path_of(address, world.rows)
        view = getattr(resolve(path.partition("?")[0], urlconf="ratiba_eval.urls").func, "cls", None)
        if address.route.removeprefix("api/v1/") in OPEN_OR_SIGNED:
            continue
        for method, right in (("get", view.read_right), ("post", view.write_right)):
            for caller, holder in holders.items():
                with of_the_test():
                    status, body = answer_of(world, caller, method, "tenant", path)
                    transaction.set_rollback(True)
                asked += 1
                let_in = status != 403 or json.loads(body)["code"] not in ("forbidden", "scope_missing", "no_person")
                if let_in != (holder in right.roles or holder in right.scopes):
                    wrong.append(f"{caller}: {method} {path} is {status}; the table says {right.name}")
    assert not wrong, "\n".join(wrong)
    assert asked > 1500


SHELL = re.compile(r'<nav[^>]*aria-label="Pages of.*?</nav>|<div id="nav-sidebar-apps".*?</ol>', re.DOTALL)
NOT_READ = re.compile(r"<(script|style|textarea)\b.*?</\1>|<[^>]+>", re.DOTALL)


def texts_of_pages(world: World) -> Iterator[tuple[str, str]]:
    """Yield what an owner reads on each page, without the sidebar, its tabs and the trail.

    The trail shows rows as they were written.
    """
    for address in (
        one for one in ADDRESSES if one.host == "tenant" and not one.route.startswith(("api/", "admin/audit"))
    ):
        path = path_of(address, world.rows)
        with of_the_test():
            response = world.ask("owner", "get", "tenant", path)
            transaction.set_rollback(True)
        if response.status_code != 200 or not response.headers["Content-Type"].startswith("text/html"):
            continue
        text = NOT_READ.sub(" ", SHELL.sub(" ", response.content.decode()))
        yield path, " ".join(html.unescape(text).split())


def test_pages_call_criteria_by_their_titles_and_use_each_word_in_one_sense(world: World, db: None) -> None:
    """People read titles: an identifier may stand in attributes (addresses, values, on hover). A word stands in the
    sense of the glossary (tests/doors/words_of_pages.py)."""
    wrong = []
    for path, text in texts_of_pages(world):
        wrong += [f"{path}: {text[at.start() - 60 : at.end() + 20]}" for at in re.finditer("kigezo_cha", text)]
        wrong += wrong_words(path, text)
    assert not wrong, "\n".join(wrong)


def test_a_word_in_another_sense_is_found() -> None:
    """Of the guard itself: it knows where a word may stand, and takes no part of a name for the word."""
    assert wrong_words("/evaluations/1/slices/", "All plays pass; one trial passes.")
    assert wrong_words("/comparisons/", "Judge a run with two evaluators")
    assert not wrong_words("/workshop/trials/1/", "The trial of a draft; evaluator config tea@1; my-candidate")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options"])
def test_other_methods_open_nothing_more(world: World, db: None, method: str) -> None:
    before, wrong = contents("acme"), []
    for address in (one for one in ADDRESSES if one.route.startswith("api/")):
        rule, path = expected(address), path_of(address, world.rows)
        for caller in CALLERS["tenant"]:
            status, body = answer_of(world, caller, method, "tenant", path)
            allowed = {200, 404, 405} if method == "options" else {404, 405}
            if status not in allowed | {401, 403} or (caller in STRANGERS and rule.stranger_is == (401,) != (status,)):
                wrong.append(f"{caller}: {method} {path}: {status}")
            if MARK.encode() in body:
                wrong.append(f"{caller}: {method} {path} shows acme's rows")
    assert not wrong
    assert contents("acme") == before


def test_a_neighbours_owner_finds_nothing_by_our_ids_at_home(world: World, db: None) -> None:
    before, wrong = contents("beta"), []
    for address in (one for one in ADDRESSES if one.host == "tenant"):
        path = path_of(address, world.rows)
        ids_are_counted = address.model.startswith(("auth.", "audit."))  # the same small number is somebody else there
        for method in ("get", "post") if "<" in address.route and not ids_are_counted else ("get",):
            for caller in ("owner of beta", "key of beta"):
                with of_the_test():
                    status, body = answer_of(world, caller, method, "beta", path)
                    transaction.set_rollback(ids_are_counted or "<" not in address.route)
                found = status == 200 and "<" in address.route and not ids_are_counted
                if found or status >= 500 or MARK.encode() in body:
                    wrong.append(f"{caller}: {method} {path}: {status}")
    assert not wrong
    assert contents("beta") == before


def test_no_action_of_a_list_works_for_those_who_may_not_change_its_rows(world: World, db: None) -> None:
    before, tried = contents("acme"), 0
    for model, model_admin in admin.site._registry.items():
        label = model._meta.label_lower
        rule = MODELS[label]
        names = [name for _callable, name, _text in model_admin._get_base_actions()]
        for role in (role for role in ROLES if role not in rule.change | rule.add | rule.delete):
            for name in names if label != "api.callback" or role != "owner" else ():
                form = {"action": name, "_selected_action": [str(world.rows[label])], "post": "yes"}
                status = world.ask(role, "post", "tenant", f"/admin/{label.replace('.', '/')}/", form).status_code
                assert status in (200, 302, 403), (label, role, name)
                tried += 1
    assert tried > 20
    assert contents("acme") == before


def test_nothing_is_taken_from_a_browser_without_its_csrf_token(world: World, db: None) -> None:
    strict, wrong = Client(enforce_csrf_checks=True, raise_request_exception=False), []
    cookies, _headers = world.callers["owner"]
    for address in (one for one in ADDRESSES if one.host == "tenant"):
        rule = expected(address)
        strict.cookies.load(cookies.output(header="", sep=";"))
        media = {"content_type": "application/json"} if "/api/" in path_of(address, world.rows) else {}
        status = strict.post(path_of(address, world.rows), headers={"host": "acme.localhost"}, **media).status_code
        if address.route.endswith("feedback/whatsapp/"):  # opened by Meta's signature, and by no cookie
            assert status == 401
        elif status != 403 and not (rule.post == EVERYBODY and status in (404, 405)):
            wrong.append(f"{address}: {status}")
    assert not wrong


def test_a_revoked_person_is_out_at_once(world: World, db: None) -> None:
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        User.objects.filter(username="owner").update(is_active=False)
    assert answer_of(world, "owner", "get", "tenant", "/admin/")[0] == SIGN_IN
    assert answer_of(world, "owner", "get", "tenant", "/api/v1/evaluations/")[0] == 401
