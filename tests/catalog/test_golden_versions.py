"""Golden sessions and profiles have versions that nobody can change."""

import pytest
from django.db import transaction
from django.db.utils import ProgrammingError

from apps.catalog.connections.services.profiles import store_profile_version
from apps.catalog.connections.services.storing import save_agent
from apps.catalog.goldens.queries.versions import current_goldens, golden_version, replayable_names, versions_of
from apps.catalog.goldens.services.versions import (
    confirm_golden_session,
    release_golden_version,
    retire_golden_version,
    store_golden_version,
)
from apps.catalog.models import GoldenSession, GoldenVersion, ProfileVersion
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from tests.catalog.samples import questions
from tests.runs.stage import NOW, approve_golden


def document(*lines: str) -> dict:
    return {"id": "g", "turns": [{"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(lines)]}


def refused_by_the_database(change) -> None:
    with pytest.raises(ProgrammingError), transaction.atomic():
        change()


def test_every_change_is_a_further_version_and_the_highest_approved_one_counts(tenant):
    approve_golden("g", document("one", "x"))
    approve_golden("g", document("two", "x"))
    candidate = store_golden_version(name="g", document=document("three", "x"))
    assert (candidate.number, candidate.status) == (3, "candidate")
    assert current_goldens(["g", "h"])["g"].document == document("two", "x")
    retire_golden_version(version_id=current_goldens(["g"])["g"].version_id)
    assert current_goldens(["g"])["g"].number == 1
    assert [one.number for one in versions_of("g")] == [3, 2, 1]
    assert golden_version(candidate.version_id).digest == sha256_hex(document("three", "x"))


def test_the_same_document_again_is_the_version_that_is_there(tenant):
    first = store_golden_version(name="g", document=document("one", "x"))
    assert store_golden_version(name="g", document=document("one", "x")) == first
    assert store_golden_version(name="g", document=document("one", "x"), profile={"workflow": {}}).number == 2


def test_candidates_alone_cannot_be_replayed(tenant):
    store_golden_version(name="g", document=document("one", "x"))
    assert replayable_names() == []
    assert current_goldens(["g"]) == {}


def test_approving_says_who_and_when_and_happens_once(tenant):
    one = store_golden_version(name="g", document=document("raw", "x"))
    masked = document("masked", "x")
    release_golden_version(version_id=one.version_id, document=masked, now=NOW, by="amina")
    row = GoldenVersion.objects.get()
    assert (row.document, row.digest, row.approved_by, row.approved_at) == (masked, sha256_hex(masked), "amina", NOW)
    assert GoldenSession.objects.get().confirmed_by == "amina"
    with pytest.raises(Conflict):
        release_golden_version(version_id=one.version_id, document=masked, now=NOW, by="amina")
    with pytest.raises(NotFound):
        retire_golden_version(version_id="01939000-0000-7000-8000-000000000000")


def test_the_database_refuses_changes_of_what_a_version_says(tenant):
    approve_golden("g", document("one", "x"))
    candidate = store_golden_version(name="g", document=document("two", "x"))
    rows = GoldenVersion.objects.all()
    refused_by_the_database(lambda: rows.filter(number=1).update(document={}))
    refused_by_the_database(lambda: rows.filter(number=2).update(document={}))  # a candidate too: edits are versions
    refused_by_the_database(lambda: rows.filter(number=1).update(status="candidate"))
    refused_by_the_database(lambda: rows.filter(number=1).update(status="retired", profile={"x": 1}))
    refused_by_the_database(lambda: rows.filter(number=1).delete())
    retire_golden_version(version_id=candidate.version_id, document=document("masked", "x"))
    assert rows.get(number=2).document == document("masked", "x")
    refused_by_the_database(lambda: rows.filter(number=2).delete())


def test_a_session_belongs_to_one_agent(tenant):
    for name in ("booking", "campaign"):
        save_agent(name=name, kind="scripted", address="", options={"replies": ["x"]})
    store_golden_version(name="g", document=document("one", "x"))
    assert store_golden_version(name="g", document=document("two", "x"), agent="booking").agent == "booking"
    with pytest.raises(Conflict):
        store_golden_version(name="g", document=document("three", "x"), agent="campaign")
    with pytest.raises(BadInput) as refused:
        store_golden_version(name="g", document=document("three", "x"), agent="moon")
    assert refused.value.code == "unknown_agent"
    assert GoldenVersion.objects.count() == 2


def test_somebody_confirms_and_owns_a_session(tenant):
    approve_golden("g", document("one", "x"))
    confirm_golden_session(name="g", by="wanjiru", now=NOW, owner="amina")
    row = GoldenSession.objects.get()
    assert (row.owner, row.confirmed_by, row.confirmed_at) == ("amina", "wanjiru", NOW)
    with pytest.raises(NotFound):
        confirm_golden_session(name="h", by="wanjiru", now=NOW)


def test_current_versions_cost_one_query(tenant):
    names = [approve_golden(f"g{number}", document(str(number), "x")) for number in range(5)]
    with questions() as asked:
        assert len(current_goldens(names)) == 5
    assert len(asked) == 1


def test_profiles_have_versions_that_stay(tenant):
    save_agent(name="booking", kind="scripted", address="", options={"replies": ["x"]})
    first = store_profile_version(agent="booking", name="p", document={"hallucination_context": ["a"]}, source="file")
    assert store_profile_version(agent="booking", name="p", document={"hallucination_context": ["a"]}) == first
    second = store_profile_version(agent="booking", name="p", document={"hallucination_context": ["b"]})
    alone = store_profile_version(name="p", document={"hallucination_context": ["b"]})
    assert (first.number, second.number, alone.number, alone.agent) == (1, 2, 1, None)
    refused_by_the_database(lambda: ProfileVersion.objects.update(document={}))
    refused_by_the_database(lambda: ProfileVersion.objects.all().delete())
