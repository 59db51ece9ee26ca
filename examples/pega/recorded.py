"""The finished session PXCONV-4081: twelve turns held with the agent as it is without a fault, at fixed times."""

from datetime import UTC, datetime, timedelta

from examples.pega.campaign import ReplyWording, reply
from examples.pega.conversations import CampaignConversation
from examples.pega.node import Node
from examples.pega.wording import GREETING, GREETING_HTML, WORDS

NUMBER = 4081
STARTED = datetime(2026, 5, 11, 9, 0, tzinfo=UTC)
TURNS: tuple[tuple[str, str], ...] = (
    (
        "Create a new campaign called Weekend Saver & Friends. My name is Wanjiru Kamau and my phone is 0712 345 678.",
        "",
    ),
    ("", "Zelle.pdf"),
    ("I approve.", ""),
    ("Start on 2026-05-18 at 14:00, please.", ""),
    ("Yes, that's right.", ""),
    ('What does "CPM" mean?', ""),
    ("Move forward with this audience", ""),
    ("Move forward with this content", ""),
    ("Where am I in the case?", ""),
    ("Yes, submit it.", ""),
    ("", "Marketing_Approval_Document.docx"),
    ("Yes, launch it. Thank you!", ""),
)
"""What the customer said in each turn, and the file of a silent upload."""
PAUSES_S = (20.0, 31.5, 12.0, 25.0, 6.2, 18.0, 9.4, 15.0, 22.0, 7.7, 95.0, 11.0)
"""How long the customer took before each turn."""


def add_finished_session(node: Node) -> CampaignConversation:
    """Put the finished session into the node's archive."""
    archive = node.archive
    conversation = archive.begin(context_id=f"AMANI-CAMPAIGN-WORK S-{NUMBER}", now=STARTED, number=NUMBER)
    at, pace = STARTED + timedelta(seconds=1), node.settings.session_pace
    archive.add(conversation, "ASSISTANT", GREETING, at=at, html=GREETING_HTML)
    for (text, file), pause in zip(TURNS, PAUSES_S, strict=True):
        at += timedelta(seconds=pause * pace)
        files = ({"ID": f"ATTACH-{file}", "name": file, "type": "File", "category": "File"},) if file else ()
        archive.add(conversation, "USER", text, at=at, attachments=files)
        names = (file,) if file else ()
        spoken = reply(conversation.campaign, text, names, today=STARTED.date(), wording=ReplyWording())
        for part, seconds in zip(spoken.parts, spoken.seconds, strict=True):
            html = WORDS[spoken.say].before_html if spoken.say and len(spoken.parts) > 1 else ""
            own = html if part == spoken.parts[0] else ""
            archive.add(conversation, "ASSISTANT", part, at=at + timedelta(seconds=seconds * pace), html=own)
        at += timedelta(seconds=spoken.seconds[-1] * pace)
    conversation.taken, conversation.closed, conversation.live = len(TURNS), True, False
    return conversation
