"""The request body for the playground: versions of a prompt and models that answer one conversation."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Id
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.core.shapes import NOT_BLANK, WHOLE, Shape, Text, described
from apps.improvement.playground.domain.answers import MAX_MODELS, MAX_REPLIES, MAX_VERSIONS, PlaygroundChoices


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundModel(Shape):
    """A model that speaks as the agent."""

    provider: Annotated[Text, MaxLen(100), NOT_BLANK]
    model: Annotated[Text, MaxLen(120), NOT_BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundRequest(Shape):
    """Versions of one prompt, each with each model, answer a conversation that is kept."""

    conversation_id: Id
    from_turn: Annotated[
        Annotated[int, Interval(ge=0, le=100_000), WHOLE] | None,
        described("The customer's message that is answered first; without it the last one."),
    ] = None
    replies: Annotated[
        int,
        Interval(ge=1, le=MAX_REPLIES),
        WHOLE,
        described("How many of the customer's messages are answered from there on, as they were said."),
    ] = 1
    versions: Annotated[
        tuple[Annotated[Text, MaxLen(200)], ...],
        MaxLen(MAX_VERSIONS),
        described("Of one prompt: name@commit, or a draft's name@sha256-…"),
    ] = ()
    text: Annotated[Text, MaxLen(MAX_PROMPT_CHARS), described("Words of one's own, as a further prompt.")] = ""
    models: Annotated[
        tuple[PlaygroundModel, ...], MaxLen(MAX_MODELS), described("Without them the agent speaks by its own.")
    ] = ()
    agent: Annotated[Text, MaxLen(100), described("Who answers; without it the agent of the conversation.")] = ""

    def choices(self) -> PlaygroundChoices:
        """Return the request as the service takes it."""
        return PlaygroundChoices(
            conversation_id=self.conversation_id,
            from_turn=self.from_turn,
            replies=self.replies,
            versions=self.versions,
            text=self.text,
            agent=self.agent,
            models=tuple({"provider": model.provider, "model": model.model} for model in self.models),
        )
