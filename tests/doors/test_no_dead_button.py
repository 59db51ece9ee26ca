"""Each role, page by page: whatever is shown to be opened opens, and whatever is shown to be pressed may be pressed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import transaction

from tests.doors.addresses import all_addresses
from tests.doors.expectations import MODELS, expected
from tests.doors.test_every_url import of_the_test, path_of
from tests.doors.world import ROLES, World, make_world

IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)|[?#].*")
LEFT_ALONE = ("/admin/logout/", "/admin/r/", "/static/", "/api/")  # downloads and the way out


@dataclass
class Form:
    """One form of a page; one without a button cannot be sent by anybody (the admin's read-only pages)."""

    id: str
    method: str
    action: str
    sent: dict[str, str] = field(default_factory=dict)
    has_button: bool = False


class Doors(HTMLParser):
    """The addresses a page leads to, and its forms."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.inside: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "form":
            self.inside = Form(found.get("id", ""), found.get("method", "get").lower(), found.get("action", ""))
            self.forms.append(self.inside)
        if tag == "input" and self.inside and found.get("name") and found.get("type") == "hidden":
            self.inside.sent[found["name"]] = found.get("value", "")
        submits = tag == "button" and found.get("type", "submit") == "submit"
        if submits or (tag == "input" and found.get("type") == "submit"):
            named = next((one for one in self.forms if one.id and one.id == found.get("form")), self.inside)
            if named:
                named.has_button = True
            elif found.get("form"):  # it stands above its form
                self.forms.append(Form(found["form"], "post", "", has_button=True))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = None

    def buttons(self) -> list[Form]:
        return [one for one in self.forms if one.method == "post" and one.has_button]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        yield make_world()
        django_db_setup.reset()


def pages_of(role: str, world: World) -> list[str]:
    """Every page of the tenant's host that this role may open."""
    found = []
    for address in all_addresses():
        rule = expected(address)
        if address.host != "tenant" or rule is None or role not in rule.get or 200 not in rule.get_is:
            continue
        if address.route.startswith(("api/", "admin/logout", "admin/jsi18n", "admin/autocomplete", "admin/search")):
            continue
        found.append(path_of(address, world.rows))
    return found


@pytest.mark.parametrize("role", ROLES)
def test_what_is_shown_to_a_role_works_for_it(role: str, world: World, db: None) -> None:
    dead: list[str] = []
    tried: set[tuple[str, str]] = set()
    pages = pages_of(role, world)
    for page in pages:
        answer = world.ask(role, "get", "tenant", page)
        if not answer.get("content-type", "").startswith("text/html"):
            continue
        doors = Doors()
        doors.feed(answer.content.decode())
        asked: list[tuple[str, str, dict[str, str]]] = [("get", link, {}) for link in doors.links]
        asked += [("post", form.action, form.sent) for form in doors.buttons()]
        for method, address, sent in asked:
            target = urlsplit(urljoin(f"http://acme.localhost{page}", address))
            if target.hostname != "acme.localhost" or target.path.startswith(LEFT_ALONE) or address.startswith("#"):
                continue
            # Of a hundred rows' links of one kind, one stands for all; a form is told apart by what it sends, a view of
            # our own pages by what it filters.
            asks = "" if target.path.startswith("/admin/") else IDS.sub("", target.query)
            kind = (method, IDS.sub("", target.path) + asks + str(sorted(sent)) * (method == "post"))
            if kind in tried:
                continue
            tried.add(kind)
            path = f"{target.path}?{target.query}" if target.query else target.path
            with of_the_test():
                status = world.ask(role, method, "tenant", path, sent or None).status_code
                transaction.set_rollback(True)
            if status in (403, 404, 405) or status >= (400 if method == "get" else 500):
                dead.append(f"{page}: {method} {path} is answered {status}")
    assert len(tried) > (5 if role == "rater" else 25)  # a rater sees the labelling alone
    assert not dead, "\n".join(dead)


def test_readers_are_offered_nothing_that_writes(world: World, db: None) -> None:
    """The auditor and the viewer: no form but searching, leaving, their own password, views and language."""
    own = {"/admin/logout/", "/admin/password_change/", "/views/save/", "/labelling/language/"}
    for role in ("viewer", "auditor"):
        written = set()
        for page in pages_of(role, world):
            answer = world.ask(role, "get", "tenant", page)
            if answer.get("content-type", "").startswith("text/html") and page not in own:
                doors = Doors()
                doors.feed(answer.content.decode())
                written |= {(IDS.sub("", page), form.action or page) for form in doors.buttons()}
        lists = {f"/admin/{label.replace('.', '/')}/" for label in MODELS}
        assert {one for one in written if one[1] not in own and one[0] not in lists} == set(), role
