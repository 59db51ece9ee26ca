"""Five roles in every tenant; each may do what it says and nothing more, at the doors themselves."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.test import Client

from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.roles import Role, roles_with

NOBODY = "nobody"


@pytest.mark.parametrize(
    "permission, roles",
    [
        ("catalog.view_persona", {"owner", "curator", "viewer", "auditor"}),
        ("catalog.change_persona", {"owner", "curator"}),
        ("catalog.delete_criterion", {"owner", "curator"}),
        ("catalog.change_agent", {"owner"}),
        ("catalog.add_modelprovider", {"owner"}),
        ("runs.add_testrun", {"owner", "curator"}),
        ("calibration.add_humanlabel", {"owner", "curator", "rater"}),
        ("calibration.add_labellinground", {"owner", "curator"}),
        ("runs.delete_testrun", {"owner"}),
        ("evaluations.add_evaluation", {"owner", "curator"}),
        ("budgets.view_modelcall", {"owner", "curator", "viewer", "auditor"}),
        ("budgets.change_modelcall", {"owner"}),
        ("api.view_apikey", {"owner", "auditor"}),
        ("api.change_apikey", {"owner"}),
        ("auth.view_user", {"owner", "auditor"}),
        ("auth.change_user", {"owner"}),
        ("auth.delete_user", set()),
        ("auth.change_group", set()),
        ("auth.change_permission", set()),
        ("admin.view_logentry", {"owner", "auditor"}),
        ("admin.delete_logentry", set()),
        ("tenants.view_tenant", set()),
        ("sessions.view_session", set()),
    ],
)
def test_a_permission_belongs_to_these_roles_in_a_replayed_tenant(db, permission, roles):
    app, _, codename = permission.partition(".")
    verb, _, model = codename.partition("_")
    assert {role.value for role in roles_with(app=app, verb=verb, model=model)} == roles
    with in_tenant("acme"):
        found = Group.objects.filter(permissions__content_type__app_label=app, permissions__codename=codename)
        assert set(found.values_list("name", flat=True)) == roles


def test_viewers_and_auditors_hold_no_permission_that_changes_anything(db):
    with in_tenant("acme"):
        held = Permission.objects.filter(group__name__in=["viewer", "auditor"])
        assert held.exists()
        assert not held.exclude(codename__startswith="view_").exists()


def test_the_public_schema_has_no_roles(db):
    with in_public():
        assert not Group.objects.exists()


def test_migrating_again_mends_a_role_and_leaves_other_groups_alone(committed_db):
    with in_tenant("acme"):
        Group.objects.get(name="viewer").permissions.clear()
        Group.objects.create(name="our own")
    call_command("migrate_schemas", schema_name="t_acme", tenant=True, verbosity=0, interactive=False)
    with in_tenant("acme"):
        assert Group.objects.get(name="viewer").permissions.count() > 5
        assert Group.objects.get(name="our own").permissions.count() == 0
        assert Group.objects.count() == len(Role) + 1


DOORS = {  # path → who gets 200; others who are staff get 403, strangers are sent to sign in
    "/admin/catalog/persona/": {"owner", "curator", "viewer", "auditor"},
    "/admin/catalog/persona/add/": {"owner", "curator"},
    "/admin/catalog/agent/add/": {"owner"},
    "/admin/catalog/modelprovider/": {"owner", "curator", "viewer", "auditor"},
    "/admin/catalog/modelprovider/add/": {"owner"},
    "/admin/api/apikey/": {"owner", "auditor"},
    "/admin/auth/user/": {"owner", "auditor"},
    "/admin/auth/user/add/": {"owner"},
    "/api/v1/evaluations/": {"owner", "curator", "viewer", "auditor"},
}


@pytest.mark.parametrize("who", [*(role.value for role in Role), NOBODY, "plain staff"])
def test_each_door_opens_for_its_roles_alone(db, who):
    with in_tenant("acme"):
        client = Client(headers={"host": "acme.localhost"})
        if who != NOBODY:
            user = User.objects.create_user("amina", is_staff=True)
            user.groups.add(*Group.objects.filter(name=who))
            client.force_login(user)
    wrong = {}
    for path, allowed in DOORS.items():
        status = client.get(path).status_code
        expected = {200} if who in allowed else {302, 401} if who == NOBODY else {403}
        if status not in expected:
            wrong[path] = status
    assert not wrong


def test_a_viewer_may_not_start_and_a_curator_may(db):
    answers = {}
    for who in ("viewer", "auditor", "curator", "owner"):
        with in_tenant("acme"):
            user = User.objects.create_user(who, is_staff=True)
            user.groups.add(Group.objects.get(name=who))
            client = Client(headers={"host": "acme.localhost"})
            client.force_login(user)
        answers[who] = client.post("/api/v1/evaluations/", data="{}", content_type="application/json").status_code
    assert answers == {"viewer": 403, "auditor": 403, "curator": 400, "owner": 400}
