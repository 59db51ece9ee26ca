"""Whatever a provider answers, nobody is signed in by mistake, and the page says so."""

import contextlib
import http.server
import threading
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from apps.catalog.fields import Secret
from apps.identity.domain.names import issuer_key
from apps.identity.models import IdentityProvider
from apps.tenants.context import in_tenant
from tests.identity.conftest import browser


class _Hostile(http.server.BaseHTTPRequestHandler):
    how = "html"
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        port = self.server.server_address[1]
        here = f"http://127.0.0.1:{port}"
        body = {
            "html": b"<html>Sign in, please</html>",
            "list": b"[1, 2]",
            "large": b'{"issuer": "' + b"x" * 10_000_000 + b'"}',
            "lacks": f'{{"issuer": "{here}"}}'.encode(),
            "number": b"7",
        }.get(self.how, b"")
        if self.how == "redirect":
            self.send_response(302)
            self.send_header("location", f"{here}{self.path}")
        elif self.how == "other":
            body = (f'{{"issuer": "https://other.example", "authorization_endpoint": "{here}/a", "token_endpoint":'
                    f' "{here}/t", "userinfo_endpoint": "{here}/u"}}').encode()  # fmt: skip
            self.send_response(200)
        elif self.how == "script":
            body = (f'{{"issuer": "{here}", "authorization_endpoint": "javascript:alert(1)", "token_endpoint":'
                    f' "{here}/t", "userinfo_endpoint": "{here}/u"}}').encode()  # fmt: skip
            self.send_response(200)
        else:
            self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def hostile(db: None) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    issuer = f"http://127.0.0.1:{server.server_address[1]}"
    with in_tenant("acme"):
        IdentityProvider.objects.create(name="Odd", issuer=issuer, client_id="c", client_secret=Secret("s"))
    yield issuer
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("how", ["html", "list", "large", "lacks", "number", "redirect", "other", "script"])
def test_a_broken_discovery_document_is_a_page_that_says_so(hostile: str, how: str) -> None:
    _Hostile.how, _Hostile.asked = how, 0
    page = browser().post(f"/sign-in/{issuer_key(hostile)}/")
    assert (page.status_code, b"did not answer as it should" in page.content) == (502, True)
    assert _Hostile.asked == 1  # no redirect is followed
    with in_tenant("acme"):
        assert not User.objects.filter(provider_account__isnull=False).exists()


@pytest.mark.parametrize("key", ["0" * 12, "openid_connect", "google"])
def test_no_other_provider_can_be_named(hostile: str, key: str) -> None:
    assert browser().post(f"/sign-in/{key}/").status_code == 404
    assert browser().get(f"/sign-in/{key}/callback/?code=1&state=2").status_code == 404


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254", "http://10.0.0.1", "file:///etc/passwd", "https://u:p@id.example", "http://2852039166"],
)
def test_an_inner_address_is_refused_in_the_form_and_at_the_socket(db: None, address: str) -> None:
    from apps.identity.admin import IdentityProviderForm  # noqa: PLC0415

    form = {
        "name": "x",
        "issuer": address,
        "client_id": "c",
        "new_secret": "s",
        "scopes": "openid",
        "groups_claim": "g",
    }
    with in_tenant("acme"):
        checked = IdentityProviderForm(form)
        assert "issuer" in checked.errors
        IdentityProvider.objects.create(name="x", issuer=address, client_id="c", client_secret=Secret("s"))
    assert browser().post(f"/sign-in/{issuer_key(address)}/").status_code == 502
