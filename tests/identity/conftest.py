"""A real provider on loopback, and two tenants that have a client of it each."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx
import oidc_provider_mock
import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.catalog.fields import Secret
from apps.identity.domain.names import issuer_key
from apps.identity.models import IdentityProvider
from apps.tenants.context import in_tenant


@dataclass(frozen=True)
class Provider:
    """The loopback provider, seen from outside."""

    issuer: str

    def knows(self, sub: str, **claims: object) -> None:
        httpx.put(f"{self.issuer}/users/{sub}", json=claims).raise_for_status()

    def revoke(self, sub: str) -> None:
        httpx.post(f"{self.issuer}/users/{sub}/revoke-tokens").raise_for_status()

    def way_back(self, authorize: str, sub: str, **form: str) -> str:
        """Where the provider sends the browser of `sub` after it said yes, as a path with its query."""
        answer = httpx.post(authorize, data={"sub": sub, **form}, follow_redirects=False)
        parts = urlsplit(answer.headers["location"])
        return f"{parts.path}?{parts.query}"


@pytest.fixture(scope="session")
def running_provider() -> Iterator[str]:
    with oidc_provider_mock.run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def provider(running_provider: str, db: None) -> Provider:
    for tenant, roles in (("acme", {"raters": ["rater"], "heads": ["owner"]}), ("beta", {"beta-heads": ["owner"]})):
        with in_tenant(tenant):
            IdentityProvider.objects.create(
                name="Acme ID", issuer=running_provider, client_id=f"{tenant}-client", client_secret=Secret("s3cret"),
                group_roles=roles,
            )  # fmt: skip
    return Provider(running_provider)


def browser(tenant: str = "acme") -> Client:
    return Client(headers={"host": f"{tenant}.localhost"})


def begin(client: Client, issuer: str, **form: str) -> str:
    """Press the button; → the address at the provider to which the browser is led."""
    page = client.post(f"/sign-in/{issuer_key(issuer)}/", form)
    assert page.status_code == 200, page.content
    return str(page.context["address"])


def sign_in(provider: Provider, sub: str, tenant: str = "acme", **form: str) -> tuple[Client, str]:
    """→ the browser of who signed in, and where it was led."""
    client = browser(tenant)
    back = provider.way_back(begin(client, provider.issuer, **form), sub)
    answer = client.get(back)
    assert answer.status_code == 302, answer.content
    return client, answer["Location"]


def only_account(tenant: str = "acme") -> User:
    with in_tenant(tenant):
        return User.objects.prefetch_related("groups").get(provider_account__isnull=False)


def roles(tenant: str = "acme") -> list[str]:
    return sorted(group.name for group in only_account(tenant).groups.all())


def state_in(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)
