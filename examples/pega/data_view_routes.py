"""Data views: the transcript as one page at top level, the list of conversations, and the agent's rule (sheet §5)."""

import html
import json
from typing import Any

from examples.pega import case_pages, filtering, serving
from examples.pega.clock import pega_time
from examples.pega.conversations import CampaignConversation, Message
from examples.pega.node import AGENT_ID, ALIAS, Node
from examples.pega.switches import Variant
from examples.pega.wire import Request, WireAnswer, refusal

TRANSCRIPT, RULE = "D_pxAutopilotConversation", "D_GetAIAgentRule"


def read_page(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET /data_views/{name}?dataViewParameters=…: one page object, not wrapped."""
    try:
        asked = json.loads(request.query.get("dataViewParameters", ""))
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise refusal(400, "Error_Invalid_Input", "dataViewParameters is JSON, url-encoded")
    if parts[0] == TRANSCRIPT:
        return _transcript(request.node, str(asked.get("InteractionID", "")))
    if parts[0] == RULE:
        return _rule(request.node, str(asked.get("AppliesTo", "")), str(asked.get("RuleName", "")))
    raise refusal(404, "Error_Resource_NotFound", f"there is no data page {parts[0]}")


def read_list(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """POST /data_views/{name}: rows by filter, order and page."""
    node, asked = request.node, request.json()
    rows = _matching(node, parts[0], asked)
    shown, number, size = filtering.page(rows, asked.get("paging") or {})
    body: dict[str, Any] = {"data": shown}
    if not node.has(Variant.LISTING_BARE):
        now = pega_time(node.clock.now(), iso=node.has(Variant.ISO_DATES))
        more = number * size < len(rows)
        body |= {"fetchDateTime": now, "pageNumber": number, "pageSize": size, "hasMoreResults": more}
        if asked.get("includeTotalCount"):
            body["totalCount"] = len(rows)
    return WireAnswer(body=body)


def count(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """POST /data_views/{name}/count."""
    node, asked = request.node, request.json()
    rows = _matching(node, parts[0], asked)
    now = pega_time(node.clock.now(), iso=node.has(Variant.ISO_DATES))
    body: dict[str, Any] = {"fetchDateTime": now, "resultCount": len(rows), "hasMoreResults": False}
    return WireAnswer(body=body | ({"totalCount": len(rows)} if asked.get("includeTotalCount") else {}))


def metadata(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET /data_views/{name}/metadata."""
    if parts[0] == TRANSCRIPT:
        fields = ["pyID", "pyStatusWork", "pxCreateDateTime", "pyMessages", "pzCaseProcessingData"]
        return WireAnswer(body={"name": TRANSCRIPT, "structure": "page", "fields": [{"ID": name} for name in fields]})
    _check_list(request.node, parts[0])
    fields = ["pyID", "pxCreateDateTime", "pyStatusWork", "pxCreateOpName"]
    return WireAnswer(body={"name": parts[0], "structure": "list", "fields": [{"ID": name} for name in fields]})


def _matching(node: Node, name: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    _check_list(node, name)
    rows = [_listed(one, node) for one in node.archive.every()]
    return filtering.chosen(rows, asked.get("query") or {})


def _check_list(node: Node, name: str) -> None:
    renamed = node.has(Variant.LIST_VIEW_RENAMED)
    if name != ("D_pxAutopilotConversationList" if renamed else "D_pxAutopilotConversations"):
        raise refusal(404, "Error_Resource_NotFound", f"there is no data list {name}")


def _listed(conversation: CampaignConversation, node: Node) -> dict[str, Any]:
    return {
        "pyID": conversation.id,
        "pxCreateDateTime": pega_time(conversation.created, iso=node.has(Variant.ISO_DATES)),
        "pyStatusWork": _status(conversation),
        "pxCreateOpName": "Campaign tester",
    }


def _status(conversation: CampaignConversation) -> str:
    """A conversation is resolved when it is closed, and with its case."""
    return "Resolved-Completed" if conversation.closed else case_pages.status(conversation.campaign)


def _transcript(node: Node, conversation_id: str) -> WireAnswer:
    conversation = node.archive.find(conversation_id)
    if conversation is None:
        if node.has(Variant.UNKNOWN_ID_EMPTY_PAGE):
            return WireAnswer(body={"pyID": "", "pyMessages": []})
        raise refusal(404, "Error_Resource_NotFound", f"there is no conversation {conversation_id!r}")
    serving.settle_unless_busy(node, conversation)
    visible = conversation.visible(node.clock.now(), node.lag)
    return WireAnswer(
        body={
            "pyID": conversation.id,
            "pyStatusWork": _status(conversation),
            "pxCreateDateTime": pega_time(conversation.created, iso=node.has(Variant.ISO_DATES)),
            "pyMessages": [_row(message, node) for message in visible],
            "pzCaseProcessingData": case_pages.processing(conversation.campaign),
        }
    )


def _row(message: Message, node: Node) -> dict[str, str]:
    return {
        "pyRole": message.role,
        "pyContent": html.escape(message.html or message.content),
        "pyMessageID": message.id,
        "pxCreateDateTime": pega_time(message.created, iso=node.has(Variant.ISO_DATES)),
    }


def _rule(node: Node, applies_to: str, name: str) -> WireAnswer:
    if f"{applies_to}!{name}" != AGENT_ID:
        raise refusal(404, "Error_Resource_NotFound", f"there is no agent rule {name} of {applies_to}")
    return WireAnswer(
        body={
            "pyLabel": "Campaign Assistant",
            "pyAgentCardURL": card_url(node),
            "pyEnableExternalAccess": not node.has(Variant.NO_EXTERNAL_ACCESS),
            "pyGenAIDef": {"pySystemPrompt": "You set up campaigns for Amani Bank. Ask before each step."},
        }
    )


def card_url(node: Node) -> str:
    """Where the agent's A2A card is."""
    return f"{node.base}/prweb/app/{ALIAS}/api/agent2agent/v1/ai-agents/{AGENT_ID}/.well-known/agent.json"
