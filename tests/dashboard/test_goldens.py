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
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - apps are loaded by pytest
    from apps.catalog.models import StoredFile  # noqa: PLC0415 - as above

    with in_tenant("acme"):
        StoredFile.objects.create(sha256="ab" * 32, content=b"%PDF-1.4 brief")
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
    for told in ("Zelle, version 1: 1 turn of the customer", "Nobody has approved it", "weak: it hangs on one word",
                 "store_brief", "step agent: Audience Agent", "Zelle.pdf", "abababababab", "57.2 s", "124.4 s at most",
                 "the brief is stored", "PXCONV-4081", "Nobody has confirmed it yet"):  # fmt: skip
        assert told in shown, told
    assert "&quot;brief&quot;</span>, 124.4 s at most" in shown  # in words, not as a regular expression
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
    from apps.catalog.goldens.queries.versions import current_goldens, versions_of  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        second = versions_of("Zelle")[0]
    owner.post(f"/goldens/versions/{second.version_id}/approve/", {"note": "looked at"})
    assert versions() == [(1, "candidate"), (2, "approved")]
    with in_tenant("acme"):
        turn = current_goldens(["Zelle"])["Zelle"].document["turns"][2]
    assert (turn["expected_tools"], turn["gate_timeout"], "description" in turn) == (["a", "b"], 60.0, False)
    assert (session().confirmed_by, "this is what a replay plays" in text_of(owner.get(answer.url))) == ("amina", True)


def test_a_gate_is_ticked_together_and_its_expression_stands_behind_how(owner, db):
    from apps.catalog.goldens.queries.versions import versions_of  # noqa: PLC0415 - see golden
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - see golden

    turns = [
        {"role": "user", "content": "Write the brief"},
        {"role": "assistant", "content": "## Campaign summary\nThe audience approves the budget."},
        {"role": "user", "content": "Go on"},
        {"role": "assistant", "content": "Understood, launching now."},
    ]
    with in_tenant("acme"):
        made = store_golden_version(name="Zelle", document={"id": "g", "turns": turns})
    page = text_of(owner.get(f"/goldens/{session().pk}/"))
    assert "How: the regular expression" in page
    assert 'name="must" value="Campaign summary"' in page
    asked = form_of(page, 1) | {"must": ["Campaign summary", "audience"]}
    answer = owner.post(f"/goldens/versions/{made.version_id}/edit/", asked)
    assert versions() == [(1, "candidate"), (2, "candidate")]
    with in_tenant("acme"):
        turn = versions_of("Zelle")[0].document["turns"][1]
    assert turn["wait_for_pattern"].startswith(r"(?is)\A(?=.*?")
    assert turn["gate_strength"] == "unique"
    page = text_of(owner.get(answer.url))
    assert page.count("checked") == 2
    assert "&quot;Campaign summary&quot; with &quot;audience&quot;" in page
    with in_tenant("acme"):
        second = versions_of("Zelle")[0].version_id
    owner.post(f"/goldens/versions/{second}/edit/", form_of(page, 1) | {"must": ["audience", "Campaign summary"]})
    assert len(versions()) == 2, "the same words in another order are no change"


def test_what_approving_will_refuse_is_said_before(owner, golden):
    from apps.catalog.models import StoredFile  # noqa: PLC0415 - see golden

    assert "will refuse it" not in text_of(owner.get(f"/goldens/{session().pk}/"))
    with in_tenant("acme"):
        StoredFile.objects.all().delete()
    assert "the file Zelle.pdf is not stored" in text_of(owner.get(f"/goldens/{session().pk}/"))


SHOWING_CALLS = [
    {"role": "user", "content": "A hotel in town please"},
    {"role": "assistant", "content": "Old Town Inn is <b>free</b>", "wait_for_pattern": " Old Town ",
     "gate_timeout": 30,
     "tool_calls": [{"name": "hotel_book", "arguments": {"Name": "Old Town Inn", "note": "a < b"}}],
     "expected_tools": ["hotel_book", {"name": "pay", "arguments": {"sum": 5}, "match": "exact", "order": True}],
     "description": "  books\n it "},
]  # fmt: skip


def form_of(page, position):
    """The fields of one turn's form as a browser would send them back untouched."""
    from html.parser import HTMLParser  # noqa: PLC0415 - here alone

    class Form(HTMLParser):
        fields: dict[str, str] = {}
        inside = open_area = ""

        def handle_starttag(self, tag, attributes):
            told = {name: value or "" for name, value in attributes}
            if tag == "form":
                self.inside, self.fields = str(told.get("action")), {}
            elif tag == "input" and told.get("name") and (told.get("type") != "checkbox" or "checked" in told):
                self.fields[told["name"]] = told.get("value") or ""
            elif tag == "textarea":
                self.open_area = told["name"]
                self.fields[self.open_area] = ""
            else:
                assert not self.open_area, f"<{tag}> inside a field"

        def handle_data(self, text):
            if self.open_area:
                self.fields[self.open_area] += text

        def handle_endtag(self, tag):
            if tag == "textarea":
                self.open_area = ""
            elif tag == "form" and self.inside.endswith("/edit/") and self.fields.get("position") == str(position):
                forms.append({name: text.replace("\n", "\r\n") for name, text in self.fields.items()})

    forms: list[dict[str, str]] = []
    Form(convert_charrefs=True).feed(page)
    (found,) = forms
    return found


def test_an_untouched_form_makes_no_version_and_a_changed_gate_changes_no_tool(owner, db):
    from apps.catalog.goldens.queries.versions import versions_of  # noqa: PLC0415 - see golden
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        made = store_golden_version(name="hotel", document={"id": "h", "turns": SHOWING_CALLS}, captured_from="x")
    page = text_of(owner.get(f"/goldens/{session().pk}/"))
    assert "held to <code>hotel_<wbr>book(Name=Old Town Inn, note=a &lt; b)</code>" in page
    form = form_of(page, 1)
    assert owner.post(f"/goldens/versions/{made.version_id}/edit/", form).status_code == 302
    assert versions() == [(1, "candidate")]
    owner.post(f"/goldens/versions/{made.version_id}/edit/", form | {"gate_timeout": "40"})
    with in_tenant("acme"):
        changed = versions_of("hotel")[0].document["turns"][1]
    proven = {key: changed.pop(key) for key in ("wait_for_pattern", "gate_strength")}
    assert proven["gate_strength"] in ("unique", "weak")
    before = {key: value for key, value in SHOWING_CALLS[1].items() if key not in proven}
    assert changed == {**before, "gate_timeout": 40.0}


@pytest.mark.parametrize(
    "line", ['<code class="rb-tool">hotel_book</code>', 'hotel_book {"x"', '{"name": "b", "argumnets": {}}']
)
def test_what_is_no_tool_is_refused_at_its_line(owner, golden, line):
    asked = {"position": "2", "wait_for_pattern": "brief", "gate_timeout": "124.4", "expected_tools": line}
    answer = owner.post(f"/goldens/versions/{golden.version_id}/edit/", asked)
    assert answer.status_code == 422
    assert "/turns/2/expected_tools/0" in answer.content.decode()
    assert versions() == [(1, "candidate")]


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


def test_changed_words_stand_old_beside_new_and_one_press_keeps_a_turn(owner, db):
    from apps.catalog.goldens.queries.versions import versions_of  # noqa: PLC0415 - see golden
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - see golden

    said = "My order #W7181492, and I'm Wanjiru Kamau"
    turns = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": "Order #W7181492, thank you Wanjiru"},
        {"role": "user", "content": "On March 2nd"},
    ]
    with in_tenant("acme"):
        made = store_golden_version(name="order", document={"id": "g", "captured_at": "2026-02-20", "turns": turns})
    page = text_of(owner.get(f"/goldens/{session().pk}/"))
    assert "Said otherwise in a replay: 2 turns of the customer" in page
    assert "My order #W{{ customer.number }}, and I&#x27;m Amina Test" in page
    owner.post(f"/goldens/versions/{made.version_id}/approve/", {"keep": ["0"]})
    with in_tenant("acme"):
        (version,) = versions_of("order")
    document = version.document
    assert document["turns"][0] == {"role": "user", "content": said, "to_the_letter": True}
    assert document["turns"][1]["content"] == "Order #W7181492, thank you Wanjiru"
    assert [*document["variables"]] == ["day+10 usthshort"]


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
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - see golden
    from apps.dashboard.test_set.queries.golden import golden_page  # noqa: PLC0415 - see golden

    with in_tenant("acme"):

        def cost() -> int:
            with questions() as asked:
                golden_page(session().pk, number=None, other=None, now=NOW)
            return len(asked)

        few = cost()
        for number in range(8):
            turns = [*TURNS, {"role": "user", "content": str(number)}] * (number + 1)
            store_golden_version(name="Zelle", document={"id": "g", "turns": turns})
        assert cost() == few <= 7


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
    from apps.catalog.goldens.queries.versions import current_goldens  # noqa: PLC0415 - see golden

    address = f"/conversations/{replayed.pk}/new-golden/"
    refused = owner.post(address, {"reason": " "}, follow=True)
    assert "say why what the agent said is right now" in refused.content.decode()
    reader = signed_in("asha", "view_goldensession", "view_conversation")
    assert reader.post(address, {"reason": "x"}).status_code == 403
    owner.post(address, {"reason": "The new price list."})
    with in_tenant("acme"):
        current = current_goldens(["price"])["price"]
    assert (current.number, current.document["turns"][1]["content"]) == (2, "The price is KES 900.")


STEPS = [
    ("I want braids", "Which stylist do you prefer for your braids appointment?"),
    ("Brian", "Your appointment is confirmed, and a reminder goes to your phone."),
]
OTHER_WORDS = ("Who shall do the plaiting?", "All is set; we will text you beforehand.")


def reworded_replay(name):
    """A replay of a golden session before an agent that says the same in quite other words; its run."""
    from apps.runs.domain.gates import sense  # noqa: PLC0415 - see golden

    turns: list[dict[str, str | None]] = [
        {"role": role, "content": text}
        for pair in STEPS
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    for gate in sense(turns):
        turns[gate.position] |= {"wait_for_pattern": gate.pattern, "gate_strength": gate.strength.value}
    from apps.catalog.goldens.services.versions import (  # noqa: PLC0415 - see golden
        release_golden_version,
        store_golden_version,
    )

    stored = store_golden_version(name=name, document={"id": name, "turns": turns}, test_data=True)
    release_golden_version(version_id=stored.version_id, document=dict(stored.document), now=NOW, by="test",
                           test_data=True)  # fmt: skip
    return name


def rows_of(run):
    from apps.runs.models import Conversation  # noqa: PLC0415 - see golden

    return list(Conversation.objects.filter(run_id=run).order_by("position"))


def test_a_reworded_reply_is_accepted_by_one_press_until_the_replay_passes(owner, db):
    from tests.runs.stage import make_agent, play, replays  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        make_agent(*[OTHER_WORDS[0]] * 4)
        run = replays(reworded_replay("braids"))
        play()
        (stuck,) = rows_of(run)
    assert (stuck.status, stuck.error_code, stuck.blame) == ("failed", "desync", None)
    page = text_of(owner.get(f"/conversations/{stuck.pk}/"))
    assert "This reply is right: open the gate for it too" in page
    assert "Make this the golden session" not in page  # it never came to its end
    assert "customer, turn 1" in page  # as its error counts
    reader = signed_in("asha", "view_goldensession", "view_conversation", "view_testrun")
    assert reader.post(f"/conversations/{stuck.pk}/accept-wording/").status_code == 403
    answer = text_of(owner.post(f"/conversations/{stuck.pk}/accept-wording/", follow=True))
    assert "braids: 1 gate opens for the new wording too, in version 2. A replay plays it from now on." in answer
    assert "was changed since: replay it again" in text_of(
        owner.post(f"/conversations/{stuck.pk}/accept-wording/", follow=True)
    )
    with in_tenant("acme"):
        make_agent(OTHER_WORDS[0], *[OTHER_WORDS[1]] * 4, name="later")
        run = replays("braids", agent="later")
        play()
        (second,) = rows_of(run)
        said = second.turns.filter(role="user").exclude(purpose="nudge").order_by("position")
        assert [turn.content for turn in said] == ["I want braids", "Brian"]
    owner.post(f"/conversations/{second.pk}/accept-wording/")
    with in_tenant("acme"):
        make_agent(*OTHER_WORDS, name="last")
        make_agent(*(reply for _, reply in STEPS), name="as before")
        for agent in ("last", "as before"):
            run = replays("braids", agent=agent)
            play()
            assert [row.status for row in rows_of(run)] == ["ended"]


def test_all_reworded_replays_of_a_run_are_accepted_at_once(owner, db):
    from tests.runs.stage import make_agent, play, replays  # noqa: PLC0415 - see golden

    with in_tenant("acme"):
        make_agent(*[OTHER_WORDS[0]] * 8)
        run = replays(*[reworded_replay(name) for name in ("one", "two")])
        play()
        assert {row.blame for row in rows_of(run)} == {None}
    answer = text_of(owner.post(f"/runs/{run}/accept-wordings/", follow=True))
    assert "one: 1 gate opens" in answer
    assert "two: 1 gate opens" in answer
    assert "only the words differ" not in answer
