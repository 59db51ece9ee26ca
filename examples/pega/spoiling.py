"""What each fault of the agent does to a planned reply. Heading, choice and question stay, so that gates still open."""

import random

from examples.pega.campaign import ASKS, Campaign, ReplyWording, Spoken, Step
from examples.pega.switches import NodeFault
from examples.pega.wording import Say

REFUSAL = "I am sorry, I cannot help with that."
FAREWELL = "I am closing this conversation now. Goodbye."


def wording_for(faults: frozenset[NodeFault], chance: random.Random) -> ReplyWording:
    """The words of the next reply."""
    heading = chance.choice((0, 0, 1, 2)) if NodeFault.HEADINGS_REWORDED in faults else 0
    return ReplyWording(other_body=NodeFault.REWORDED in faults, heading=heading)


def refuses(campaign: Campaign, faults: frozenset[NodeFault]) -> bool:
    """Whether the agent helps no longer."""
    return NodeFault.REFUSES in faults and campaign.step >= Step.AUDIENCE


def closes(spoken: Spoken, faults: frozenset[NodeFault]) -> bool:
    """Whether the agent closes the conversation with this reply."""
    return NodeFault.CLOSES_EARLY in faults and spoken.say is Say.PROGRESS


def spoil(spoken: Spoken, campaign: Campaign, faults: frozenset[NodeFault]) -> Spoken:
    """The reply as the faults leave it."""
    text = spoken.parts[-1]
    if NodeFault.FORGETS_DATE in faults and spoken.say is Say.SUBMITTED:
        text = _forgotten(text, campaign)
    if NodeFault.WRONG_PRICE in faults and spoken.say is Say.COSTS:
        text = text.replace("1,500", "1,800").replace("1500/=", "1800/=")
    if NodeFault.SKIPS_TOOL in faults and spoken.say is Say.PROGRESS:
        heading = text.split("\n", 1)[0]
        text = f"{heading}\n\nWe are well on our way, not much is left.\n\n{ASKS[campaign.step]}"
    if NodeFault.EXTRA_TOOL in faults and spoken.say is Say.FACTS:
        text += "\n\nMeanwhile I looked up the word savings account in the glossary."
    if NodeFault.HALLUCINATES in faults and spoken.say is Say.CONTENT:
        text = text.replace(
            "\n\n", "\n\nI also booked radio spots on three stations, and each customer gets a free phone.\n\n", 1
        )
    if closes(spoken, faults):
        text += f"\n\n{FAREWELL}"
    return Spoken(parts=(*spoken.parts[:-1], text), seconds=spoken.seconds, say=spoken.say)


def _forgotten(text: str, campaign: Campaign) -> str:
    lost = "I have no start date any more: please tell me again on which day it starts."
    values = campaign.values()
    for kept in (f"- Start: {values['iso']} at {campaign.clock}", f"starts on {values['start']} at {campaign.clock}"):
        text = text.replace(kept, f"- {lost}" if kept.startswith("-") else "starts on a day not given")
    return text if lost in text else f"{text}\n\n{lost}"
