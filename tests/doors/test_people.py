"""Who may change people cannot make anybody, themselves included, more than a role."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from apps.tenants.context import in_tenant


@pytest.fixture
def owner(db) -> Client:
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        user = User.objects.create_user("amina", is_staff=True)
        user.groups.set(Group.objects.filter(name="owner"))
        User.objects.create_superuser("root", password="karibu-sana-1")
        client.force_login(user)
    return client


def person(name: str) -> User:
    with in_tenant("acme"):
        return User.objects.prefetch_related("groups", "user_permissions").get(username=name)


def test_an_owner_makes_a_curator(owner: Client) -> None:
    form = {"username": "juma", "password1": "karibu-sana-1", "password2": "karibu-sana-1", "usable_password": "true"}
    assert owner.post("/admin/auth/user/add/", form).status_code == 302
    with in_tenant("acme"):
        curator = Group.objects.get(name="curator").pk
    juma = person("juma")
    change = {"username": "juma", "is_active": "on", "is_staff": "on", "groups": [curator]}
    assert owner.post(f"/admin/auth/user/{juma.pk}/change/", change).status_code == 302
    assert [group.name for group in person("juma").groups.all()] == ["curator"]


def test_nobody_makes_themselves_a_superuser(owner: Client) -> None:
    amina = person("amina")
    with in_tenant("acme"):
        more = list(Permission.objects.filter(codename="delete_user").values_list("pk", flat=True))
    form = {"username": "amina", "is_active": "on", "is_staff": "on", "is_superuser": "on", "user_permissions": more}
    owner.post(f"/admin/auth/user/{amina.pk}/change/", form)
    after = person("amina")
    assert not after.is_superuser
    assert not list(after.user_permissions.all())


@pytest.mark.parametrize("page", ["change", "password"])
def test_an_owner_does_not_touch_a_superuser(owner: Client, page: str) -> None:
    root = person("root")
    form = {"username": "root", "password1": "mine-now-12345", "password2": "mine-now-12345"}
    assert owner.post(f"/admin/auth/user/{root.pk}/{page}/", form).status_code == 403
    assert person("root").check_password("karibu-sana-1")
