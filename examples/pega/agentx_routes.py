"""AgentX: list, create, talk, look, find by context, close, feedback, uploads (sheet of the DX API, §3 and §4)."""

from typing import Any
from urllib.parse import unquote

from examples.pega import case_pages, serving
from examples.pega.clock import pega_time
from examples.pega.conversations import CampaignConversation, Message
from examples.pega.node import AGENT_ID, Node
from examples.pega.switches import NodeFault, Variant
from examples.pega.wire import Request, WireAnswer, refusal

MAX_PAGE = 100
SUGGESTIONS = ("Create a new campaign", "How far is my case?")


def list_agents(request: Request, _: tuple[str, ...]) -> WireAnswer:
    """GET /ai-agents."""
    agents = [{"ID": AGENT_ID, "name": "Campaign Assistant", "description": "Sets up campaigns."}]
    return WireAnswer(body=agents if request.node.has(Variant.AGENTS_BARE_LIST) else {"agents": agents})


def create(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """POST …/conversations: 201 with an upper-case ID."""
    node = request.node
    _check_agent(node, parts[1])
    asked = request.json()
    if node.has(Variant.NEEDS_INTERACTION_ID) and not asked.get("interactionID"):
        raise refusal(400, "Error_Missing_Input", "interactionID is needed where the caller is not Pega")
    conversation, greeting = serving.begin(node, context_id=str(asked.get("contextID") or ""))
    if not conversation.context_id:
        conversation.context_id = case_pages.handle(conversation.campaign)
    prompts = [
        {"pyPrompt": prompt, "pyInstructions": prompt, "pxObjClass": "PegaGenAI-Prompt"} for prompt in SUGGESTIONS
    ]
    body: dict[str, Any] = {
        "ID": conversation.id,
        "response": greeting.content,
        "messageID": greeting.id,
        "suggestedPrompts": prompts,
        "initialInstruction": "Set up campaigns.",
        "aiGuidedQuestions": [],
    }
    if not node.has(Variant.CREATE_SHORT):
        body |= {"welcomeMessage": greeting.content, "assistantMode": "conversation"}
    return WireAnswer(status=201, body=body)


def talk(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """PATCH …/conversations/{id}: `Request` and `Attachments`, both with a capital."""
    node, asked = request.node, request.json()
    _check_agent(node, parts[1])
    conversation = _conversation(node, parts[2])
    text = asked.get("Request")
    if not isinstance(text, str):
        raise refusal(400, "Error_Missing_Input", "Request (capital R) is needed and is a plain text")
    files = () if parts[0] == "assistants" else _attachments(node, asked.get("Attachments") or [])
    if not text.strip() and not files:
        raise refusal(400, "Error_Missing_Input", "Request is empty and nothing is attached")
    if conversation.closed:
        raise refusal(409, "Error_Conversation_Closed", f"{conversation.id} is closed")
    serving.stormy(node, conversation)
    reply, message_id = serving.take(node, conversation, text, files)
    return WireAnswer(body={"response": reply, "messageID": message_id, "aiGuidedQuestions": []})


def look(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET …/conversations/{id}: the transcript at once, with a lower-case id."""
    node = request.node
    _check_agent(node, parts[1])
    conversation = _conversation(node, parts[2])
    serving.settle_unless_busy(node, conversation)
    return WireAnswer(
        body={
            **_entry(conversation, node),
            "messages": [_row(message, node) for message in conversation.messages],
        }
    )


def find(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET …/conversations?contextID=…: those of one context, newest first, by pages."""
    node = request.node
    _check_agent(node, parts[1])
    context = request.query.get("contextID", "")
    if not context:
        raise refusal(400, "Error_Missing_Input", "contextID is needed")
    size, page = _number(request, "pageSize", 25), _number(request, "pageIndex", 1)
    found = [one for one in node.archive.every() if one.context_id == context]
    chosen = found[(page - 1) * size : page * size]
    return WireAnswer(body={"conversations": [_entry(one, node) for one in chosen]})


def close(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """PUT …/close: what comes after it gets 409."""
    node = request.node
    _check_agent(node, parts[1])
    conversation = _conversation(node, parts[2])
    if conversation.closed:
        raise refusal(409, "Error_Conversation_Closed", f"{conversation.id} is closed already")
    conversation.closed = True
    return WireAnswer(body={"ID": conversation.id}) if node.has(Variant.CLOSE_WITH_BODY) else WireAnswer(status=204)


def feedback(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """PUT …/messages/{id}/like and /dislike."""
    node = request.node
    _check_agent(node, parts[1])
    conversation = _conversation(node, parts[2])
    message = next((one for one in conversation.messages if one.id == unquote(parts[3])), None)
    if message is None:
        raise refusal(404, "Error_Resource_NotFound", f"there is no message {unquote(parts[3])}")
    if parts[4] == "dislike" and not isinstance(request.json().get("feedbackText", ""), str):
        raise refusal(400, "Error_Invalid_Input", "feedbackText is a text")
    message.liked = parts[4] == "like"
    return (
        WireAnswer(body={"messageID": message.id}) if node.has(Variant.FEEDBACK_WITH_BODY) else WireAnswer(status=204)
    )


def upload(request: Request, _: tuple[str, ...]) -> WireAnswer:
    """POST /attachments/upload: multipart with `file`; the ID is good for one PATCH or more."""
    node = request.node
    file = next((name for part, name, _ in request.files() if part == "file" and name), "")
    if not file:
        raise refusal(400, "Error_Missing_Input", "a multipart part named file, with a file name, is needed")
    upload_id = node.archive.keep_upload(file)
    return WireAnswer(status=200 if node.has(Variant.UPLOAD_200) else 201, body={"ID": upload_id})


def _check_agent(node: Node, segment: str) -> None:
    """Refuse what the real node refuses: `%40` for @ breaks it."""
    if "%40" in segment or node.has(NodeFault.EXECUTION_ERROR):
        raise refusal(500, "Error_Execution", "Execution error")
    if unquote(segment) != AGENT_ID:
        raise refusal(404, "Error_Resource_NotFound", f"there is no agent {unquote(segment)}")


def _conversation(node: Node, segment: str) -> CampaignConversation:
    found = node.archive.find(unquote(segment))
    if found is None:
        raise refusal(404, "Error_Resource_NotFound", f"there is no conversation {unquote(segment)}")
    return found


def _attachments(node: Node, listed: Any) -> tuple[dict[str, str], ...]:
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise refusal(400, "Error_Invalid_Input", "Attachments is a list of objects")
    found = []
    for one in listed:
        name = node.archive.upload_name(str(one.get("ID", "")))
        if name is None:
            raise refusal(400, "Error_Invalid_Attachment", f"there is no upload {one.get('ID')!r}")
        if one.get("delete") is True:
            continue
        found.append({"ID": str(one["ID"]), "name": str(one.get("name") or name), "type": "File", "category": "File"})
    return tuple(found)


def _entry(conversation: CampaignConversation, node: Node) -> dict[str, str]:
    iso = node.has(Variant.ISO_DATES)
    return {
        "id": conversation.id,
        "name": conversation.name,
        "createdOn": pega_time(conversation.created, iso=iso),
        "updatedOn": pega_time(conversation.updated, iso=iso),
    }


def _row(message: Message, node: Node) -> dict[str, Any]:
    shown = () if node.has(Variant.NO_ATTACHMENT_NAMES) else message.attachments
    return {
        "content": message.content,
        "role": message.role,
        "createdOn": pega_time(message.created, iso=node.has(Variant.ISO_DATES)),
        "messageID": message.id,
        "isLiked": message.liked,
        "attachments": [dict(one) for one in shown],
        "aiGuidedQuestions": [],
    }


def _number(request: Request, name: str, default: int) -> int:
    text = request.query.get(name, str(default))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_PAGE:
        raise refusal(400, "Error_Invalid_Input", f"{name} is a number from 1 to {MAX_PAGE}")
    return int(text)
