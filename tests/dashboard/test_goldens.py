"""The page of a golden session: read as chat, edited into versions, approved, confirmed, and found wrong."""

import pytest

from apps.tenants.context import in_tenant
from tests.catalog.samples import questions
from tests.dashboard.conftest import NOW, signed_in

TURNS = [
    {"role": "assistant", "content": "Karibu!"},
    {"role": "user", "content": "", "file_attachment": {"name": "Zelle.pdf", "sha256": "ab" * 32}},
    {"role": "assistant", "content": "## Brief <b>stored</b>", "latency_ms": 57200, "wait_for_pattern": "brief",
     "expected_tools": ["store_brief"], "step_agents": [{"name": "Audience Agent", "source": "content"}],
     "gate_strength": "weak", "gate_timeout": 124.4, "description": "the brief is stored"},
]  # fmt: skip


@pytest.fixture
def golden(db):
    from apps.catalog.services.golden_versions import store_golden_version  # noqa: PLC0415 - apps are loaded by pytest

    with in_tenant("acme"):
        return store_golden_version(name="Zelle", document={"id": "g", "turns": TURNS}, captured_from="PXCONV-4081")


def session():
    from apps.catalog.models import GoldenSession  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        return GoldenSession.objects.get()


def versions():
    from apps.catalog.models import GoldenVersion  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        return list(GoldenVersion.objects.order_by("number").values_list("number", "status"))


def text_of(response):
    assert response.status_code == 200, response
    return response.content.decode()


def test_the_page_shows_gates_tools_step_agents_latency_and_files(owner, golden):
    shown = text_of(owner.get(f"/goldens/{session().pk}/"))
    for told in ("Zelle, version 1: 1 turn of the customer", "Nobody has approved it", "weak: it may open too early",
                 "store_brief", "step agent: Audience Agent", "Zelle.pdf", "abababababab", "57.2 s", "124.4 s at most",
                 "the brief is stored", "PXCONV-4081", "Nobody has confirmed it yet"):  # fmt: skip
        assert told in shown, told
    assert "<b>stored</b>" not in shown  # what an agent said is text


def test_an_edit_becomes_a_candidate_and_is_approved(owner, golden):
    asked = {
        "position": "2",
        "wait_for_pattern": "Brief",
        "gate_timeout": "60",
        "expected_tools": "a\nb",
        "description": "",
    }
    answer = owner.post(f"/goldens/versions/{golden.version_id}/edit/", asked)
    assert (answer.status_code, answer.url.split("?")[1]) == (302, "version=2#turn-2")
    assert versions() == [(1, "candidate"), (2, "candidate")]
    shown = text_of(owner.get(answer.url))
    assert "What changed" in shown
    assert "unique" in shown
    from apps.catalog.queries.goldens import current_goldens, versions_of  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        second = versions_of("Zelle")[0]
    owner.post(f"/goldens/versions/{second.version_id}/approve/", {"note": "looked at"})
    assert versions() == [(1, "candidate"), (2, "approved")]
    with in_tenant("acme"):
        turn = current_goldens(["Zelle"])["Zelle"].document["turns"][2]
    assert (turn["expected_tools"], turn["gate_timeout"], "description" in turn) == (["a", "b"], 60.0, False)
    assert (session().confirmed_by, "this is what a replay plays" in text_of(owner.get(answer.url))) == ("amina", True)


@pytest.mark.parametrize(
    "changed, told",
    [
        ({"wait_for_pattern": "(a+)+$"}, "/turns/2/wait_for_pattern"),
        ({"gate_timeout": "soon"}, "/turns/2/gate_timeout must be seconds"),
        ({"position": "1"}, "/turns/1 is no turn of the agent"),
    ],
)
def test_what_cannot_be_saved_is_told_at_the_turn_and_what_was_typed_stays(owner, golden, changed, told):
    asked = {"position": "2", "wait_for_pattern": "Brief", "description": "my words", **changed}
    answer = owner.post(f"/goldens/versions/{golden.version_id}/edit/", asked)
    assert answer.status_code == 422
    shown = answer.content.decode()
    if changed.get("position") != "1":
        assert told in shown
        assert "my words" in shown
    assert versions() == [(1, "candidate")]


def test_a_version_is_retired_and_an_owner_confirms(owner, golden):
    owner.post(f"/goldens/versions/{golden.version_id}/approve/", {})
    owner.post(f"/goldens/{session().pk}/confirm/", {"owner": "wanjiru"})
    assert (session().owner, session().confirmed_by) == ("wanjiru", "amina")
    owner.post(f"/goldens/versions/{golden.version_id}/retire/", {})
    assert versions() == [(1, "retired")]
    assert "Nobody has approved it" in text_of(owner.get(f"/goldens/{session().pk}/"))


def test_old_confirmations_ask_on_home(owner, golden):
    from apps.catalog.models import GoldenSession  # noqa: PLC0415 - see golden

    owner.post(f"/goldens/versions/{golden.version_id}/approve/", {})
    assert "nobody has confirmed lately" not in text_of(owner.get("/admin/"))
    with in_tenant("acme"):
        GoldenSession.objects.update(confirmed_at=NOW.replace(year=2025))
    shown = text_of(owner.get("/admin/"))
    assert "Golden sessions nobody has confirmed lately" in shown
    assert f"/goldens/{session().pk}/" in shown
    assert "is it still right?" in text_of(owner.get(f"/goldens/{session().pk}/"))


def test_readers_read_and_change_nothing(owner, golden):
    reader = signed_in("asha", "view_goldensession")
    address = f"/goldens/{session().pk}/"
    shown = text_of(reader.get(address))
    assert "Save as a new version" not in shown
    assert "Approve" not in shown
    for path in (
        f"{address}confirm/",
        *(f"/goldens/versions/{golden.version_id}/{do}/" for do in ("edit", "approve", "retire")),
    ):
        assert reader.post(path, {}).status_code == 403, path
        assert owner.get(path).status_code == 405, path
    assert versions() == [(1, "candidate")]
    assert signed_in("juma", "view_agent").get(address).status_code == 403
    assert owner.get("/goldens/01939000-0000-7000-8000-000000000000/").status_code == 404
    assert owner.get(f"{address}?version=7").status_code == 404


def test_the_page_costs_the_same_for_few_and_many(golden):
    from apps.catalog.services.golden_versions import store_golden_version  # noqa: PLC0415 - see golden
    from apps.dashboard.queries.golden import golden_page  # noqa: PLC0415 - see golden

    with in_tenant("acme"):

        def cost() -> int:
            with questions() as asked:
                golden_page(session().pk, number=None, other=None, now=NOW)
            return len(asked)

        few = cost()
        for number in range(8):
            turns = [*TURNS, {"role": "user", "content": str(number)}] * (number + 1)
            store_golden_version(name="Zelle", document={"id": "g", "turns": turns})
        assert cost() == few <= 5


@pytest.fixture
def replayed(db):
    """A replay whose agent said something else, one check of it failed."""
    from apps.checks.models import CheckResult  # noqa: PLC0415 - see golden
    from tests.runs.stage import make_agent, make_golden, only, play, replays  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        make_agent("The price is KES 900.")
        run = replays(make_golden("price", "What is the price?", "The price is KES 800."))
        play()
        conversation = only(run)
        CheckResult.objects.create(
            run_id=run, conversation=conversation, check_name="latency", source="scenario", outcome="fail", score=0,
            measured_at=NOW,
        )  # fmt: skip
    return conversation


def test_a_wrong_golden_is_blamed_on_the_conversations_page(owner, replayed):
    from apps.runs.models import Conversation  # noqa: PLC0415 - see golden

    address = f"/conversations/{replayed.pk}/"
    assert "The golden session was wrong" in text_of(owner.get(address))
    owner.post(f"{address}golden-was-wrong/", {"reason": ""})
    with in_tenant("acme"):
        assert Conversation.objects.get(pk=replayed.pk).blame is None
    owner.post(f"{address}golden-was-wrong/", {"reason": "The price list is old."})
    with in_tenant("acme"):
        assert Conversation.objects.get(pk=replayed.pk).blame == "golden"
    assert "The golden session was wrong, says amina: The price list is old." in text_of(owner.get(address))


def test_a_failing_replay_becomes_golden_only_with_a_reason(owner, replayed):
    from apps.catalog.queries.goldens import current_goldens  # noqa: PLC0415 - see golden

    address = f"/conversations/{replayed.pk}/new-golden/"
    refused = owner.post(address, {"reason": " "}, follow=True)
    assert "say why what the agent said is right now" in refused.content.decode()
    reader = signed_in("asha", "view_goldensession", "view_conversation")
    assert reader.post(address, {"reason": "x"}).status_code == 403
    owner.post(address, {"reason": "The new price list."})
    with in_tenant("acme"):
        current = current_goldens(["price"])["price"]
    assert (current.number, current.document["turns"][1]["content"]) == (2, "The price is KES 900.")
