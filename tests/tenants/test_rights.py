"""The table of rights is what roles can do, what pages ask for, and what the documents say."""

import re

import pytest

from apps.tenants.domain.rights import Right, as_markdown, may, roles_of
from apps.tenants.domain.roles import KeyScope, Role
from tests.docs.fences import ROOT

ASKED = re.compile(r"[\"'.]((?:catalog|runs|evaluations|calibration|budgets|api|auth|audit|improvement|checks|gates"
                   r"|production|alerts|erasure|identity)"
                   r"\.(?:view|add|change|delete)_[a-z]+)\b")  # fmt: skip


@pytest.mark.parametrize("right", Right, ids=lambda right: right.what[:40])
def test_a_right_is_what_its_roles_can_do(right: Right) -> None:
    for permission in right.permissions:
        assert roles_of(permission) == right.roles, permission


@pytest.mark.parametrize("scope, role", [(KeyScope.READ, Role.VIEWER), (KeyScope.WRITE, Role.CURATOR),
                                            (KeyScope.CURATE, Role.CURATOR), (KeyScope.ADMIN, Role.OWNER)])  # fmt: skip
def test_a_key_has_no_more_rights_than_a_role(scope: KeyScope, role: Role) -> None:
    opened = [right for right in Right if may(frozenset({scope}), right)]
    assert opened
    assert [right.what for right in opened if role not in right.roles] == []


def test_no_two_rights_are_called_the_same() -> None:
    assert len({right.what for right in Right}) == len(list(Right)) > 50  # an equal line would be an alias


def test_whatever_a_page_or_a_view_asks_for_stands_in_the_table() -> None:
    """A permission that nobody has, or that stands under another app, hides a button for good."""
    known = {permission for right in Right for permission in right.permissions}
    asked: dict[str, str] = {}
    for file in [*ROOT.glob("apps/**/*.py"), *ROOT.glob("apps/**/*.html"), *ROOT.glob("templates/**/*.html")]:
        if "migrations" in file.parts or file.name == "rights.py":
            continue
        for permission in ASKED.findall(file.read_text(encoding="utf-8")):
            asked[permission] = str(file.relative_to(ROOT))
    assert len(asked) > 20
    assert {one: where for one, where in asked.items() if one not in known} == {}


def test_the_documents_show_the_table() -> None:
    assert as_markdown() in (ROOT / "docs/operate.md").read_text(encoding="utf-8")
