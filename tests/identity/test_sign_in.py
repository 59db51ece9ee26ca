"""People sign in by their tenant's provider, and their groups there decide what they may do here."""

from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth.models import Group, User
from django.db import connection
from django.utils import timezone

from apps.identity.models import IdentityProvider, ProviderAccount
from apps.tenants.context import in_tenant
from tests.identity.conftest import Provider, begin, browser, only_account, roles, sign_in, state_in


def age(**ago: float) -> None:
    """As if the provider had answered so long ago."""
    with in_tenant("acme"):
        then = timezone.now() - timedelta(**ago)
        ProviderAccount.objects.update(answered_at=then, asked_at=then)


def test_the_sign_in_page_offers_the_provider_only_where_there_is_one(provider: Provider) -> None:
    assert b"Sign in with Acme ID" in browser().get("/admin/login/").content
    with in_tenant("acme"):
        IdentityProvider.objects.update(enabled=False)
    assert b"Sign in with" not in browser().get("/admin/login/").content


def test_groups_become_roles_and_no_claim_makes_a_superuser(provider: Provider) -> None:
    provider.knows("a1", name="Amina Hassan", groups=["raters", "beta-heads"], is_superuser=True, is_staff=True)
    client, where = sign_in(provider, "a1", next="/runs/start/")
    assert where == "/runs/start/"
    person = only_account()
    assert (roles(), person.first_name, person.is_superuser, person.email) == (["rater"], "Amina Hassan", False, "")
    assert client.get("/labelling/").status_code == 200
    assert client.get("/alerts/").status_code == 403


def test_who_is_in_no_group_gets_no_rights_and_is_told(provider: Provider) -> None:
    provider.knows("n1", name="Nobody", groups=["other"])
    client, where = sign_in(provider, "n1")
    assert roles() == []
    page = client.get(where)
    assert b"You have no role here yet" in page.content
    assert b"Acme ID" in page.content


def test_a_foreign_subject_with_an_admins_address_gets_nothing_of_theirs(provider: Provider) -> None:
    with in_tenant("acme"):
        User.objects.create_superuser("root", email="root@acme.example", password="karibu-sana-1")
    provider.knows("evil", email="root@acme.example", email_verified=True, preferred_username="root", name="root")
    client, _ = sign_in(provider, "evil")
    with in_tenant("acme"):
        evil = User.objects.get(provider_account__isnull=False)
        root = User.objects.get(username="root")
    assert evil.pk != root.pk
    assert evil.username.startswith("root-")
    assert not evil.is_superuser
    assert client.get("/admin/auth/user/").status_code == 403
    form = {"username": "root", "password": "karibu-sana-1"}
    assert browser().post("/admin/login/", form).status_code == 302  # break-glass


def test_the_same_person_comes_back_to_the_same_account(provider: Provider) -> None:
    provider.knows("a1", name="Amina", groups=["raters"])
    sign_in(provider, "a1")
    provider.knows("a1", name="Amina", groups=["heads"], email="new@elsewhere.example")
    sign_in(provider, "a1")
    assert roles() == ["owner"]


def test_another_issuers_equal_subject_is_somebody_else(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        IdentityProvider.objects.update(issuer=provider.issuer.replace("localhost", "127.0.0.1"))
    answer = client.get("/alerts/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/")
    assert client.get("/alerts/").status_code == 302


def test_groups_of_another_tenant_and_its_session_mean_nothing_here(provider: Provider) -> None:
    provider.knows("b1", groups=["beta-heads"])
    client, _ = sign_in(provider, "b1", tenant="beta")
    assert roles("beta") == ["owner"]
    assert client.get("/alerts/", headers={"host": "acme.localhost"}).status_code == 302
    with in_tenant("acme"):
        assert not User.objects.filter(provider_account__isnull=False).exists()
    sign_in(provider, "b1")
    assert roles("acme") == []


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example", "http://beta.localhost/", "javascript:x"])
def test_next_leads_nowhere_but_to_this_host(provider: Provider, where: str) -> None:
    provider.knows("a1", groups=["raters"])
    assert sign_in(provider, "a1", next=where)[1] == "/admin/"


def test_state_and_pkce(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client = browser()
    address = begin(client, provider.issuer)
    query = state_in(address)
    assert query["code_challenge_method"] == ["S256"]
    assert query["client_id"] == ["acme-client"]
    back = provider.way_back(address, "a1")
    assert browser().get(back).status_code == 403  # another browser has not begun it
    assert client.get(back.replace("state=", "state=x")).status_code == 403
    assert client.get(back).status_code == 302
    assert client.get(back).status_code == 403  # a code counts once


def test_who_cancels_is_told_so(provider: Provider) -> None:
    client = browser()
    address = begin(client, provider.issuer)
    back = provider.way_back(address, "a1", action="deny")
    page = client.get(f"{back}&state={state_in(address)['state'][0]}")  # this provider forgets to give it back
    assert (page.status_code, b"You cancelled it there" in page.content) == (403, True)


def test_a_removed_group_takes_its_right_within_five_minutes(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    provider.knows("a1", groups=[])
    assert client.get("/alerts/").status_code == 200
    age(seconds=241)
    assert client.get("/alerts/").status_code == 403
    assert roles() == []


def test_an_owner_here_takes_a_role_at_once_and_groups_do_not_give_it_back(provider: Provider) -> None:
    provider.knows("a1", groups=["heads", "raters"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        only_account().groups.remove(Group.objects.get(name="owner"))
    assert client.get("/alerts/").status_code == 403
    age(seconds=241)
    assert client.get("/alerts/").status_code == 403
    assert roles() == ["rater"]
    sign_in(provider, "a1")
    assert roles() == ["rater"]


def test_a_role_without_a_group_is_not_kept(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        only_account().groups.add(Group.objects.get(name="curator"))
    age(seconds=241)
    client.get("/alerts/")
    assert roles() == ["owner"]


def test_an_account_that_is_switched_off_is_out_at_once(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        User.objects.filter(provider_account__isnull=False).update(is_active=False)
    assert client.get("/alerts/").status_code == 302
    other = browser()
    page = other.get(provider.way_back(begin(other, provider.issuer), "a1"))
    assert b"switched your account off" in page.content


def test_revoked_tokens_end_the_session(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    provider.revoke("a1")
    with in_tenant("acme"):
        ProviderAccount.objects.update(refresh_token="")
    age(seconds=241)
    assert client.get("/alerts/").status_code == 302
    assert roles() == []


def test_an_access_token_that_is_over_is_renewed(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        ProviderAccount.objects.update(access_token="over")
    age(seconds=241)
    assert client.get("/alerts/").status_code == 200
    with in_tenant("acme"):
        account = ProviderAccount.objects.get()
    assert account.access_token.reveal() != "over"
    assert timezone.now() - account.answered_at < timedelta(minutes=1)


def test_a_provider_that_is_down_gives_rights_for_fifteen_minutes_and_no_longer(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        ProviderAccount.objects.update(key="x")
        key = _move_to("http://127.0.0.1:1")
        ProviderAccount.objects.update(key=key)
    age(minutes=14)
    assert client.get("/alerts/").status_code == 200
    age(minutes=15)
    assert client.get("/alerts/").status_code == 403
    assert roles() == []


def _move_to(issuer: str) -> str:
    from apps.identity.domain.names import issuer_key  # noqa: PLC0415

    IdentityProvider.objects.update(issuer=issuer)
    return issuer_key(issuer)


def test_an_account_of_the_provider_that_got_a_password_is_looked_at_again_too(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    sign_in(provider, "a1")
    person = only_account()
    with in_tenant("acme"):
        person.set_password("karibu-sana-1")
        person.save()
    client = browser()
    form = {"username": person.username, "password": "karibu-sana-1"}
    assert client.post("/admin/login/", form).status_code == 302
    provider.knows("a1", groups=[])
    age(seconds=241)
    assert client.get("/alerts/").status_code == 403


def test_signing_out(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"])
    client, _ = sign_in(provider, "a1")
    client.post("/admin/logout/")
    assert client.get("/alerts/").status_code == 302


def test_tokens_and_claims_are_in_no_table_in_clear(provider: Provider) -> None:
    provider.knows("a1", groups=["heads"], email="amina@acme.example", phone="+254700000001")
    client, _ = sign_in(provider, "a1")
    with in_tenant("acme"):
        account = ProviderAccount.objects.get()
        token = account.access_token.reveal()
        assert SocialToken.objects.count() == 0
        assert SocialAccount.objects.get().extra_data == {}
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_jsonb(a)::text FROM identity_provideraccount a")
            assert token not in cursor.fetchone()[0]
            cursor.execute("SELECT coalesce(string_agg(to_jsonb(e)::text, ' '), '') FROM audit_entry e")
            trail = cursor.fetchone()[0]
    assert token not in trail
    assert "s3cret" not in trail
    for page in ("/admin/identity/identityprovider/", "/admin/auth/user/"):
        assert token.encode() not in client.get(page).content
    for page in ("/admin/socialaccount/socialtoken/", "/admin/identity/provideraccount/"):
        assert client.get(page).status_code == 404
