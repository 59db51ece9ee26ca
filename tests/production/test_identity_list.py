"""The tenant's own people: brought in by file, and masked by every masking in the house."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from apps.audit.models import Entry
from apps.core.conversation import TurnRole, Utterance
from apps.core.document_masking import masked_turn
from apps.core.errors import BadInput
from apps.core.redaction import redact, redact_value
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Feedback, ListedPerson
from apps.production.privacy.domain.listed_people import PersonRole, read_people
from apps.production.privacy.services.identity_list import forget_names, import_people
from apps.production.privacy.services.masking_for_tests import mask_and_check, masking_scope
from apps.runs.models import Turn
from apps.tenants.context import in_tenant
from ratiba_eval.logs import _floor
from tests.production.test_intake import NOW, document, post

CSV = 'name,role\nWanjiku Kamau,owner\n\nAchieng\' Otieno\nJo,staff\nMary Atieno,boss\n"Njeri, Grace",other\n'


def test_a_file_names_its_bad_lines_and_keeps_the_others() -> None:
    people, problems = read_people(CSV)
    assert [(one.line, one.name, one.role) for one in people] == [
        (2, "Wanjiku Kamau", PersonRole.OWNER), (4, "Achieng' Otieno", PersonRole.STAFF),
        (7, "Njeri, Grace", PersonRole.OTHER)
    ]  # fmt: skip
    assert [one.line for one in problems] == [5, 6]
    assert "three letters" in problems[0].message
    assert "'boss' is no role: staff, owner, other" in problems[1].message


@pytest.mark.parametrize("text", ["", "name,role\n", " \n;;\n"])
def test_a_file_of_nobody_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_people(text)
    assert refused.value.code == "nobody_listed"


@pytest.mark.parametrize(
    "text", ["Wanjiku Kamau;owner\n", "Wanjiku Kamau\towner", "\ufeffname;role\r\nWanjiku Kamau;OWNER\r\n"]
)
def test_semicolons_tabs_and_a_byte_order_mark_are_read(text: str) -> None:
    people, problems = read_people(text)
    assert ([(one.name, one.role) for one in people], problems) == ([("Wanjiku Kamau", PersonRole.OWNER)], [])


def test_the_same_file_again_adds_nobody(tenant: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "people.csv"
    file.write_text(CSV)
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            call_command("import_people", str(file), tenant=tenant, as_json=True)
        assert ended.value.code == 1
    answer = json.loads(capsys.readouterr().out.split("}\n{")[-1].join(["{", ""]))
    assert (answer["added"], answer["known"], len(answer["refused"])) == (0, 3, 2)
    assert ListedPerson.objects.count() == 3


def test_every_masking_reads_the_list(identity_list: None, tenant: str) -> None:
    import_people(text="Achieng Otieno")
    assert redact("Ask ACHIENG, not Kamau") == "Ask <name>, not Kamau"
    assert redact_value({"who": ["Otieno"]}) == {"who": ["<name>"]}
    assert masked_turn(Utterance(role=TurnRole.USER, content="Achieng's")).content == "<name>'s"
    post(document("c", "Achieng came late", "Pole", ended=True))
    assert Turn.objects.first().content == "<name> came late"  # type: ignore[union-attr]
    take_feedback(body={"id": "f", "conversation_id": "c", "rating": "comment", "comment": "tell otieno"}, now=NOW)
    assert Feedback.objects.get().comment == "tell <name>"
    conversation, hits = mask_and_check({"turns": [{"role": "user", "content": "Otieno?"}]}, masking_scope())
    assert (conversation.turns[0].text, hits) == ("<name>?", ())
    assert _floor("Otieno wrote", ()) == "<name> wrote"


def test_a_name_that_was_taken_off_is_masked_no_more_and_none_is_another_tenants(
    identity_list: None, tenant: str
) -> None:
    import_people(text="Achieng Otieno")
    assert redact("Otieno") == "<name>"
    with in_tenant("beta"):
        assert redact("Otieno") == "Otieno"
    ListedPerson.objects.all().delete()
    forget_names()
    assert redact("Otieno") == "Otieno"


def test_masking_in_a_loop_or_outside_every_tenant_asks_nobody(identity_list: None, tenant: str) -> None:
    import_people(text="Achieng Otieno")

    async def masked() -> str:
        return redact("Otieno")

    assert asyncio.run(masked()) == "Otieno", "never read: a coroutine may not ask"
    redact("Otieno")
    assert asyncio.run(masked()) == "<name>"


def test_a_transaction_goes_on_where_the_list_cannot_be_read(
    identity_list: None, tenant: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(ListedPerson._meta, "db_table", "not_there")
    with transaction.atomic():
        assert redact("Otieno") == "Otieno"
        assert not Feedback.objects.exists()


def test_the_trail_says_that_somebody_changed_the_list_and_not_whom(tenant: str) -> None:
    ListedPerson.objects.create(name="Achieng Otieno")
    entry = Entry.objects.filter(table_name="production_listedperson").get()
    assert "Achieng" not in f"{entry.after} {entry.object_text}"
