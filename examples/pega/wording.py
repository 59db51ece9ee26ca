"""What the agent says at each step: the usual words, and other words for the same.

A template may have {name}, {campaign}, {phone}, {case}, {file}, {iso}, {start}, {end}, {clock}, {stage}, {done} and
{reference}.
`html` is how the data view keeps it, where that differs from the words themselves.
"""

from dataclasses import dataclass
from enum import StrEnum

YES_NO = "Yes / No"
AUDIENCE_CHOICE = "Choose: Move forward with this audience / Change the audience"
CONTENT_CHOICE = "Choose: Move forward with this content / Change the content"
GREETING_HTML = (
    "<p>Welcome to <b>Campaign Assistant</b>.</p>\n"
    "<p>I can set up a campaign, explain a word of the trade or show how far a case is. What shall we do?</p>"
)
GREETING = (
    "Welcome to Campaign Assistant.\n"
    "I can set up a campaign, explain a word of the trade or show how far a case is. What shall we do?"
)


class Say(StrEnum):
    """The replies of the campaign, in the order of the finished session."""

    CREATED = "created"
    BRIEF = "brief"
    FACTS = "facts"
    SCHEDULE = "schedule"
    AUDIENCE = "audience"
    GLOSSARY = "glossary"
    CONTENT = "content"
    COSTS = "costs"
    PROGRESS = "progress"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    LAUNCHED = "launched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One reply. `before` is a message of its own that comes first; `seconds` how long each took in the session."""

    heading: str
    body: str
    other_body: str
    other_headings: tuple[str, ...]
    seconds: float
    before: str = ""
    before_html: str = ""
    before_seconds: float = 0.0


WORDS: dict[Say, Words] = {
    Say.CREATED: Words(
        heading="## New campaign",
        other_headings=("## Your campaign is set up", "### A fresh start"),
        body="Thank you, {name}. I created the campaign case [{case}] for {campaign}.\n\n"
        "Please upload the campaign brief.",
        other_body="{campaign} has a case now: I created the case [{case}] a moment ago, {name}.\n\n"
        "Please upload the campaign brief.",
        seconds=12.4,
    ),
    Say.BRIEF: Words(
        heading="## Campaign brief",
        other_headings=("## What your brief says", "### From the brief"),
        body="I have successfully uploaded the document {file} and extracted these facts from your document:\n"
        "- Product: weekend savings account\n- Channel: SMS\n- Budget: KES 80,000\n- Length: 14 days\n\n"
        f"Do you approve these facts? {YES_NO}",
        other_body="{file} is in. I extracted this from your document: an SMS campaign for the weekend savings "
        f"account over 14 days, with a budget of Ksh 80,000/=.\n\nDo you approve these facts? {YES_NO}",
        seconds=57.2,
    ),
    Say.FACTS: Words(
        heading="## Facts approved",
        other_headings=("## Noted", "### Thank you for the approval"),
        body="The facts are stored with the case. On which day and at what time does the campaign start?",
        other_body="All of it is stored with the case now. On which day and at what time does the campaign start?",
        seconds=13.9,
    ),
    Say.SCHEDULE: Words(
        heading="## Schedule",
        other_headings=("## Dates", "### When it runs"),
        body=f"{{campaign}} starts on {{start}} at {{clock}} and ends on {{end}}.\n\nIs this schedule right? {YES_NO}",
        other_body=f"The end is on {{end}}; the start is {{iso}}, {{clock}}.\n\nIs this schedule right? {YES_NO}",
        seconds=9.3,
    ),
    Say.AUDIENCE: Words(
        before="🤖 The specialist agent Audience Agent is assembling an Adobe audience.",
        before_html="<p>🤖 The specialist agent <b>Audience Agent</b> is assembling an Adobe audience.</p>",
        before_seconds=21.5,
        heading="## Audience approval",
        other_headings=("## Who will get it", "### Recipients to approve"),
        body=f"The audience holds 48,000 customers with a match rate of 82 %.\n\n{AUDIENCE_CHOICE}",
        other_body=f"At a match rate of 82%, we reach 48 000 customers.\n\n{AUDIENCE_CHOICE}",
        seconds=62.0,
    ),
    Say.GLOSSARY: Words(
        heading="## Glossary",
        other_headings=("## In the glossary", "### Glossary entry"),
        body="According to the glossary, CPM (cost per mille) is the price of 1,000 messages.",
        other_body="The glossary has it: cost per mille, CPM for short, is what 1000 messages cost.",
        seconds=11.1,
    ),
    Say.CONTENT: Words(
        heading="## Content approval",
        other_headings=("## The text", "### Copy to approve"),
        body="I queried the knowledge base and found an approved text:\n"
        "> Save & win: keep KES 500 this weekend and get 5 % more.\n\n"
        f"In the HTML mail the title is written `Save &amp; win`.\n\n{CONTENT_CHOICE}",
        other_body="This approved text came up when I queried the knowledge base:\n"
        "> Save & win: keep KES 500 this weekend and get 5 % more.\n\n"
        f"Its title in the HTML mail: `Save &amp; win`.\n\n{CONTENT_CHOICE}",
        seconds=38.5,
    ),
    Say.COSTS: Words(
        heading="## Cost estimate",
        other_headings=("## What it costs", "### Price"),
        body="The price is KES 1,500 for 1,000 messages. For 48,000 customers the campaign costs KES 72,000, "
        f"within the budget of KES 80,000.\n\nShall I submit the campaign for approval? {YES_NO}",
        other_body="48,000 customers cost Ksh 72,000.00 at 1500/= for 1,000 messages; the budget is 80k KES.\n\n"
        f"Shall I submit the campaign for approval? {YES_NO}",
        seconds=16.0,
    ),
    Say.PROGRESS: Words(
        heading="## Progress",
        other_headings=("## How far we are", "### Where the case stands"),
        body="The current stage is {stage}: {done} of 6 stages are completed.",
        other_body="{done} of 6 stages are completed; {stage} is the current stage.",
        seconds=10.2,
    ),
    Say.SUBMITTED: Words(
        heading="## Submitted for approval",
        other_headings=("## On its way", "### Handed in"),
        body="I have submitted {campaign} with these values:\n- Start: {iso} at {clock}\n"
        "- Audience: 48,000 customers\n- Cost: KES 72,000\n- Contact: {name}, {phone}\n\n"
        "The next step requires 3rd party approval. Please upload the signed approval document.",
        other_body="I have submitted {campaign}. Contact is {name} at {phone}. It costs 72,000 KES for 48,000 "
        "customers and starts on {start} at {clock}.\n\n"
        "The next step requires 3rd party approval. Please upload the signed approval document.",
        seconds=13.3,
    ),
    Say.APPROVED: Words(
        heading="## Approval received",
        other_headings=("## Compliance agrees", "### Signed"),
        body="I have uploaded the document to the case. Compliance approved the campaign under {reference}.\n\n"
        f"Shall I launch the campaign? {YES_NO}",
        other_body="Compliance approved the campaign. I have uploaded the document to the case; the reference is "
        f"{{reference}}.\n\nShall I launch the campaign? {YES_NO}",
        seconds=44.7,
    ),
    Say.LAUNCHED: Words(
        heading="## Campaign launched",
        other_headings=("## Off it goes", "### Live"),
        body="{campaign} is live from {start} at {clock}. The case [{case}] is resolved. Goodbye, {name}!",
        other_body="The case [{case}] is resolved: {campaign} is live from {iso} at {clock}. Goodbye, {name}!",
        seconds=18.6,
    ),
}
