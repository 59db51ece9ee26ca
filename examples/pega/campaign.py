"""The campaign's state machine: a message in, the replies to it out. Pure: day and wording come in from outside."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import IntEnum

from examples.pega import understanding
from examples.pega.wording import AUDIENCE_CHOICE, CONTENT_CHOICE, WORDS, YES_NO, Say

CAMPAIGN_DAYS = 14
STAGES = ("Setup", "Brief", "Audience", "Content", "Review", "Launch")
GLOSSARY = {"ctr": "the share of messages that were opened", "opt-out": "a customer's wish to get no messages"}
CLAIMED_ONLY = "I do not see a document on the case, only a text that names {file}. {ask}"


class Step(IntEnum):
    """What the case waits for."""

    NAMING = 0
    BRIEF = 1
    FACTS = 2
    DATE = 3
    SCHEDULE = 4
    AUDIENCE = 5
    CONTENT = 6
    COSTS = 7
    APPROVAL = 8
    LAUNCH = 9
    DONE = 10


STAGE_OF = {
    Step.NAMING: 0,
    Step.BRIEF: 1,
    Step.FACTS: 1,
    Step.DATE: 1,
    Step.SCHEDULE: 1,
    Step.AUDIENCE: 2,
    Step.CONTENT: 3,
    Step.COSTS: 4,
    Step.APPROVAL: 5,
    Step.LAUNCH: 5,
    Step.DONE: 6,
}
"""The stage that is open at a step; 6: all are completed."""

ASKS = {
    Step.NAMING: "What is the campaign called?",
    Step.BRIEF: "Please upload the campaign brief.",
    Step.FACTS: f"Do you approve these facts? {YES_NO}",
    Step.DATE: "On which day and at what time does the campaign start?",
    Step.SCHEDULE: f"Is this schedule right? {YES_NO}",
    Step.AUDIENCE: AUDIENCE_CHOICE,
    Step.CONTENT: CONTENT_CHOICE,
    Step.COSTS: f"Shall I submit the campaign for approval? {YES_NO}",
    Step.APPROVAL: "Please upload the signed approval document.",
    Step.LAUNCH: f"Shall I launch the campaign? {YES_NO}",
    Step.DONE: "The campaign runs; there is nothing left to do.",
}

_ON_YES = {
    Step.FACTS: (Say.FACTS, Step.DATE),
    Step.SCHEDULE: (Say.AUDIENCE, Step.AUDIENCE),
    Step.AUDIENCE: (Say.CONTENT, Step.CONTENT),
    Step.CONTENT: (Say.COSTS, Step.COSTS),
    Step.COSTS: (Say.SUBMITTED, Step.APPROVAL),
    Step.LAUNCH: (Say.LAUNCHED, Step.DONE),
}
_ON_FILE = {Step.BRIEF: (Say.BRIEF, Step.FACTS), Step.APPROVAL: (Say.APPROVED, Step.LAUNCH)}


@dataclass(slots=True, kw_only=True)
class Campaign:
    """What one conversation knows. `number` is that of its case."""

    number: int
    step: Step = Step.NAMING
    name: str = "customer"
    phone: str = "no number"
    campaign: str = "the campaign"
    start: date | None = None
    clock: str = "09:00"
    files: list[str] = field(default_factory=list)

    @property
    def case_id(self) -> str:
        """The business id, S-4081."""
        return f"S-{self.number}"

    def values(self) -> dict[str, str]:
        """What the templates of the wording may name."""
        start = self.start or date(2000, 1, 1)
        stage = min(STAGE_OF[self.step], len(STAGES) - 1)
        return {
            "name": self.name,
            "phone": self.phone,
            "campaign": self.campaign,
            "case": self.case_id,
            "file": self.files[-1] if self.files else "the brief",
            "iso": start.isoformat(),
            "start": long_date(start),
            "end": long_date(start + timedelta(days=CAMPAIGN_DAYS - 1)),
            "clock": self.clock,
            "reference": f"APP-{self.number}",
            "stage": STAGES[stage],
            "done": str(STAGE_OF[self.step]),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The replies to one message: `parts` are messages of their own, each with the seconds it took in the session.

    `say` is None for what is off the script.
    """

    parts: tuple[str, ...]
    seconds: tuple[float, ...]
    say: Say | None = None

    @property
    def text(self) -> str:
        """All parts, as one answer."""
        return "\n\n".join(self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWording:
    """Which words are chosen for a reply."""

    other_body: bool = False
    heading: int = 0

    def of(self, say: Say, campaign: Campaign, *, ending: str = "") -> Spoken:
        """The reply, filled with what the campaign knows. `ending` is asked after it."""
        words = WORDS[say]
        heading = words.heading if not self.heading else words.other_headings[self.heading - 1]
        body = (words.other_body if self.other_body else words.body).format(**campaign.values())
        main = f"{heading}\n\n{body}" + (f"\n\n{ending}" if ending else "")
        if words.before:
            return Spoken(parts=(words.before, main), seconds=(words.before_seconds, words.seconds), say=say)
        return Spoken(parts=(main,), seconds=(words.seconds,), say=say)


def reply(
    campaign: Campaign,
    text: str,
    files: tuple[str, ...],
    *,
    today: date,
    wording: ReplyWording,
    refuses_past_dates: bool = False,
) -> Spoken:
    """Answer one message and move the campaign on. `files` are the names of what was really uploaded with it."""
    _learn(campaign, text)
    ask = ASKS[campaign.step]
    if files:
        return _take_files(campaign, files, wording, ask)
    if claimed := understanding.claimed_file(text):
        return _off_script(CLAIMED_ONLY.format(file=claimed, ask=ask))
    if understanding.is_nudge(text) or not text.strip():
        return _off_script(ask)
    if campaign.step is Step.NAMING and understanding.wants_campaign(text):
        campaign.step = Step.BRIEF
        return wording.of(Say.CREATED, campaign)
    if campaign.step is Step.DATE and understanding.told_date(text, today=today):
        return _schedule(campaign, text, today, wording, refuses_past_dates)
    if campaign.step in _ON_YES and understanding.approves(text):
        say, campaign.step = _ON_YES[campaign.step]
        return wording.of(say, campaign)
    return _aside(campaign, text, wording, ask)


def _aside(campaign: Campaign, text: str, wording: ReplyWording, ask: str) -> Spoken:
    """What moves nothing: questions, a no, other subjects, and what is not understood."""
    if term := understanding.asked_term(text):
        if term.upper() == "CPM":
            return wording.of(Say.GLOSSARY, campaign, ending=ask)
        if meaning := GLOSSARY.get(term.lower()):
            return _off_script(f"## Glossary\n\nAccording to the glossary, {term} is {meaning}.\n\n{ask}")
    if understanding.asks_progress(text) and campaign.step is not Step.NAMING:
        return wording.of(Say.PROGRESS, campaign, ending=ask)
    if understanding.is_off_topic(text):
        return _off_script(f"I can only help with campaigns. {ask}")
    if understanding.declines(text):
        return _off_script(f"Nothing was changed. {ask}")
    return _off_script(f"I did not understand that. {ask}")


def _take_files(campaign: Campaign, files: tuple[str, ...], wording: ReplyWording, ask: str) -> Spoken:
    campaign.files.extend(files)
    if campaign.step in _ON_FILE:
        say, campaign.step = _ON_FILE[campaign.step]
        return wording.of(say, campaign)
    return _off_script(f"I have put {', '.join(files)} into the case; it is not needed now. {ask}")


def _schedule(campaign: Campaign, text: str, today: date, wording: ReplyWording, refuses_past_dates: bool) -> Spoken:
    start = understanding.told_date(text, today=today)
    if start and refuses_past_dates and start < today:
        return _off_script(f"{long_date(start)} is over; the campaign needs a day that is to come. {ASKS[Step.DATE]}")
    campaign.start, campaign.clock = start, understanding.told_clock(text) or campaign.clock
    campaign.step = Step.SCHEDULE
    return wording.of(Say.SCHEDULE, campaign)


def _learn(campaign: Campaign, text: str) -> None:
    campaign.name = understanding.told_name(text) or campaign.name
    campaign.phone = understanding.told_phone(text) or campaign.phone
    campaign.campaign = understanding.told_campaign(text) or campaign.campaign


def _off_script(text: str) -> Spoken:
    return Spoken(parts=(text,), seconds=(8.0,))


def long_date(day: date) -> str:
    """Monday, 18 May 2026."""
    return f"{day:%A}, {day.day} {day:%B %Y}"
