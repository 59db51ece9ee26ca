"""What can be switched on: faults of the agent or its node, and forms that differ between releases or are not sure."""

from enum import StrEnum


class NodeFault(StrEnum):
    """Something that goes wrong. `.what` is one line for `--help`."""

    SLOW = "slow"
    SLOWER_3X = "slower-3x"
    LATE_BY_ONE = "late-by-one"
    REWORDED = "reworded"
    HEADINGS_REWORDED = "headings-reworded"
    FORGETS_DATE = "forgets-date"
    WRONG_PRICE = "wrong-price"
    SKIPS_TOOL = "skips-tool"
    EXTRA_TOOL = "extra-tool"
    REFUSES = "refuses"
    HALLUCINATES = "hallucinates"
    CLOSES_EARLY = "closes-early"
    LOCKED_ONCE = "locked-once"
    STORM_423 = "storm-423"
    STORM_500 = "storm-500"
    EXECUTION_ERROR = "execution-error"
    TOKEN_EXPIRES = "token-expires"  # noqa: S105 - the name of a fault
    DIES_MID_TURN = "dies-mid-turn"

    @property
    def what(self) -> str:
        """What one sees."""
        return _FAULTS[self]


class Variant(StrEnum):
    """Another form of an answer. `.what` says what it changes, and from what."""

    STAGES_B = "stages-b"
    ISO_DATES = "iso-dates"
    TOKEN_ERROR_BARE = "token-error-bare"  # noqa: S105 - the name of a variant
    NODE_STARTING = "node-starting"
    AGENTS_BARE_LIST = "agents-bare-list"
    NEEDS_INTERACTION_ID = "needs-interaction-id"
    CREATE_SHORT = "create-short"
    CLOSE_WITH_BODY = "close-with-body"
    FEEDBACK_WITH_BODY = "feedback-with-body"
    NO_ATTACHMENT_NAMES = "no-attachment-names"
    DROPPED_TURN_LOST = "dropped-turn-lost"
    UPLOAD_200 = "upload-200"
    LISTING_BARE = "listing-bare"
    LIST_VIEW_RENAMED = "list-view-renamed"
    UNKNOWN_ID_EMPTY_PAGE = "unknown-id-empty-page"
    FIELDS_ABSENT = "fields-absent"
    A2A_ARTIFACTS = "a2a-artifacts"
    CARD_0_2 = "card-0.2"
    NO_EXTERNAL_ACCESS = "no-external-access"
    REFUSES_PAST_DATES = "refuses-past-dates"

    @property
    def what(self) -> str:
        """What it changes, and from what."""
        return _VARIANTS[self]


_FAULTS: dict[NodeFault, str] = {
    NodeFault.SLOW: "every reply takes 10 to 60 s at random",
    NodeFault.SLOWER_3X: "every reply takes three times as long as in the finished session",
    NodeFault.LATE_BY_ONE: "an acknowledgement comes at once; the reply with the next message or in the transcript",
    NodeFault.REWORDED: "other sentences and other forms of the same values; headings and choices stay",
    NodeFault.HEADINGS_REWORDED: "every second heading, at random, in other words",
    NodeFault.FORGETS_DATE: "the summary has lost the start date and asks for it again",
    NodeFault.WRONG_PRICE: "KES 1,800 instead of KES 1,500 for 1,000 messages",
    NodeFault.SKIPS_TOOL: "answers about progress without looking at the stages of the case",
    NodeFault.EXTRA_TOOL: "looks into the glossary when nobody asked",
    NodeFault.REFUSES: "will not help from the approval of the audience on",
    NodeFault.HALLUCINATES: "promises radio spots and a free phone that are no part of the product",
    NodeFault.CLOSES_EARLY: "closes the conversation after the answer about progress; then 409",
    NodeFault.LOCKED_ONCE: "the first message of a conversation gets 423 once",
    NodeFault.STORM_423: "the third and the eighth message get 423 three times each",
    NodeFault.STORM_500: "the third and the eighth message get 500 three times each, nothing taken",
    NodeFault.EXECUTION_ERROR: "every AgentX call gets 500 Execution error; A2A and data views work",
    NodeFault.TOKEN_EXPIRES: "a token stops working after six calls, long before its time",
    NodeFault.DIES_MID_TURN: "the fifth message is taken, then the connection drops without an answer",
}

_VARIANTS: dict[Variant, str] = {
    Variant.STAGES_B: "stages with processes and `visited` instead of processSequences and visited_status",
    Variant.ISO_DATES: "times as 2026-05-11T09:00:00.000Z instead of 20260511T090000.000 GMT",
    Variant.TOKEN_ERROR_BARE: "wrong credentials: 401 with Pega's `errors` instead of OAuth's invalid_client",
    Variant.NODE_STARTING: "the first call for a token gets 503",
    Variant.AGENTS_BARE_LIST: "GET /ai-agents answers a list instead of an object with `agents`",
    Variant.NEEDS_INTERACTION_ID: "a conversation without interactionID is refused with 400",
    Variant.CREATE_SHORT: "the answer to create has no welcomeMessage and no assistantMode",
    Variant.CLOSE_WITH_BODY: "close answers 200 with an object instead of 204",
    Variant.FEEDBACK_WITH_BODY: "like and dislike answer 200 with an object instead of 204",
    Variant.NO_ATTACHMENT_NAMES: "the kept conversation lists no attachments",
    Variant.DROPPED_TURN_LOST: "with dies-mid-turn: the message was not taken after all",
    Variant.UPLOAD_200: "an upload answers 200 instead of 201",
    Variant.LISTING_BARE: "list data views answer `data` alone: no page number, no hasMoreResults",
    Variant.LIST_VIEW_RENAMED: "the list is D_pxAutopilotConversationList instead of D_pxAutopilotConversations",
    Variant.UNKNOWN_ID_EMPTY_PAGE: "the transcript of an unknown id is an empty page instead of 404",
    Variant.FIELDS_ABSENT: "an assignment has no uiResources.resources.fields",
    Variant.A2A_ARTIFACTS: "A2A answers a task with artifacts instead of a message with parts",
    Variant.CARD_0_2: "the card says protocolVersion 0.2.5 instead of 0.3.0",
    Variant.NO_EXTERNAL_ACCESS: "the agent has no external access: no card, no A2A",
    Variant.REFUSES_PAST_DATES: "a start date before today is refused instead of taken",
}
