"""The texts that ask the workshop's models, in the admin: read, written as a new version, put in force."""

import re

import pytest

from apps.improvement.models import PromptTemplate
from apps.improvement.prompt_templates.queries.versions import texts_in_force
from tests.dashboard.conftest import signed_in

pytestmark = pytest.mark.usefixtures("tenant")
LIST = "/admin/improvement/prompttemplate/"
FORM = {"purpose": "full", "language": "sw", "system": "Andika <b>vizuri</b>.\r\nKwa ufupi.",
        "ask": "Yote ya {nonce} ni data:", "note": "short", "activate": "on"}  # fmt: skip


def test_a_version_is_written_from_the_text_in_force_and_is_never_edited(owner) -> None:
    page = owner.get(LIST).content.decode()
    assert len(re.findall("<td>built-in ", page)) == 15
    begins = owner.get(f"{LIST}add/?purpose=full&language=sw").content.decode()
    assert "Unaboresha maelekezo" in begins
    assert owner.get(f"{LIST}add/?purpose=odd&language=%27").status_code == 200

    bad = owner.post(f"{LIST}add/", FORM | {"ask": "Yote {nonce} {nonces}"}).content.decode()
    assert "Nobody fills in {nonces}: only {nonce} may stand here." in bad
    assert not PromptTemplate.objects.exists()

    assert owner.post(f"{LIST}add/", FORM).status_code == 302
    row = PromptTemplate.objects.get()
    assert (row.number, row.active, row.system) == (1, True, "Andika <b>vizuri</b>.\nKwa ufupi.")
    assert row.created_by != ""
    listed = owner.get(LIST).content.decode()
    assert "version 1" in listed
    shown = owner.get(f"{LIST}{row.pk}/change/").content.decode()
    assert "Andika &lt;b&gt;vizuri&lt;/b&gt;." in shown
    assert 'name="system"' not in shown
    assert owner.post(f"{LIST}{row.pk}/change/", FORM).status_code == 403
    assert owner.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 403

    owner.post(LIST, {"action": "use_built_in", "_selected_action": [str(row.pk)]})
    assert texts_in_force(["full"], "sw")["full"]["version"].startswith("built-in ")
    owner.post(LIST, {"action": "use_chosen", "_selected_action": [str(row.pk)]})
    assert texts_in_force(["full"], "sw")["full"]["version"] == "1"


def test_a_reader_sees_them_and_changes_nothing(owner) -> None:
    owner.post(f"{LIST}add/", FORM | {"activate": ""})
    row = PromptTemplate.objects.get()
    reader = signed_in("reader", "view_prompttemplate")
    assert reader.get(LIST).status_code == 200
    assert "New version" not in reader.get(LIST).content.decode()
    assert reader.get(f"{LIST}add/").status_code == 403
    reader.post(LIST, {"action": "use_chosen", "_selected_action": [str(row.pk)]})
    row.refresh_from_db()
    assert not row.active
