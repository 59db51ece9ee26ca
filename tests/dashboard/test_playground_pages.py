"""The playground's pages: what is chosen, the answers beside each other, and words that become a draft."""

import pytest

from apps.catalog.models import PromptVersion
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import Playground, PlaygroundColumn, PromptDraft
from tests.improvement.test_playground import DRAFT, LIVE, Speaker, conversation, draft, speaker  # noqa: F401 - fixtures

pytestmark = pytest.mark.usefixtures("tenant")
NEW = "/workshop/playground/new/"


def test_a_draft_is_tried_from_its_page_and_own_words_become_a_draft(owner, conversation) -> None:  # noqa: F811
    version = draft()
    made = PromptDraft.objects.get(version__version=version)
    assert f"{NEW}?draft={made.pk}" in owner.get(f"/workshop/drafts/{made.pk}/").content.decode()
    chooser = owner.get(f"{NEW}?draft={made.pk}").content.decode()
    assert f"?conversation={conversation.pk}&amp;draft={made.pk}" in chooser
    page = owner.get(f"{NEW}?conversation={conversation.pk}&draft={made.pk}").content.decode()
    for ticked in ("salon@a1b2c3d", version):
        assert f'value="{ticked}" checked' in page
    assert "At ten. How much is it?" in page

    form = {"conversation": conversation.pk, "draft": made.pk, "turn": "5", "replies": "1", "agent": "booker",
            "version": ["salon@a1b2c3d", version], "own": "1", "text": "# Role\r\nBe kind.\r\n",
            "models": "speaker / m-1\nspeaker / m-2"}  # fmt: skip
    answer = owner.post(NEW, form)
    assert answer.status_code == 302
    row = Playground.objects.get()
    assert answer.url == f"/workshop/playground/{row.pk}/"
    assert row.columns.count() == 6
    waiting = owner.get(answer.url).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "0 of 6 answered turn 5 so far." in waiting

    reply = {"text": "Ten <b>", "tools": ["slots"], "latency_ms": 5}
    PlaygroundColumn.objects.update(status="answered", replies=[reply])
    Playground.objects.update(status="completed")
    done = owner.get(answer.url).content.decode()
    assert "Ten &lt;b&gt;" in done
    assert 'hx-trigger="every 2s"' not in done
    assert "calls slots" in done
    saved = owner.post("/workshop/new/", {"prompt": "salon", "text": LIVE + "\n# End\nSay goodbye.\n", "note": "x"})
    assert saved.status_code == 302
    assert done.count('id="rb-save-draft"') == 1


def test_a_wrong_choice_is_told_and_what_was_written_stays(owner, conversation) -> None:  # noqa: F811
    form = {"conversation": conversation.pk, "turn": "2", "version": ["salon@a1b2c3d"], "agent": "booker",
            "models": "only-a-name", "text": "my words"}  # fmt: skip
    answer = owner.post(NEW, form)
    assert answer.status_code == 422
    assert "write provider / model" in answer.content.decode()
    answer = owner.post(NEW, form | {"models": "speaker / m-1"})
    assert answer.status_code == 422
    assert "Turn 2 is no message of the customer; these are: 1, 3, 5." in answer.content.decode()
    assert "my words" in answer.content.decode()
    assert not Playground.objects.exists()


def test_words_that_are_a_draft_already_lead_to_it(owner, conversation) -> None:  # noqa: F811
    made = create_draft(name="salon", text=DRAFT, source=DraftSource(by="amina"))
    row = Playground.objects.create(conversation=conversation, agent_id=_agent(), lines=[5], status="completed")
    PlaygroundColumn.objects.create(playground=row, number=1, prompt="salon", own_text=DRAFT, status="answered")
    page = owner.get(f"/workshop/playground/{row.pk}/").content.decode()
    assert f"/workshop/drafts/{made}/" in page
    assert "rb-save-draft" not in page
    assert PromptVersion.objects.filter(version__startswith="salon@sha256").count() == 1


def _agent():
    from apps.catalog.models import Agent  # noqa: PLC0415 - beside its one use

    return Agent.objects.get(name="booker").pk
