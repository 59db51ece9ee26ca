"""Pega's dialect of A2A: the card behind the token, message/send, file parts ignored (sheet §7); and a plain call."""

import json
from typing import Any
from urllib.parse import unquote

from examples.pega import serving
from examples.pega.data_view_routes import card_url
from examples.pega.node import AGENT_ID, Node
from examples.pega.serving import Refused
from examples.pega.switches import Variant
from examples.pega.wire import Request, WireAnswer, refusal

TOKEN_PATH = "/prweb/PRRestService/oauth2/v1/token"  # noqa: S105 - a path


def card(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET …/.well-known/agent.json."""
    node = request.node
    _check_access(node, parts[0])
    flows = {"clientCredentials": {"tokenUrl": f"{node.base}{TOKEN_PATH}", "scopes": {}}}
    return WireAnswer(
        body={
            "protocolVersion": "0.2.5" if node.has(Variant.CARD_0_2) else "0.3.0",
            "name": "Campaign Assistant",
            "description": "Sets up campaigns for Amani Bank.",
            "url": card_url(node).replace(".well-known/agent.json", "execute"),
            "preferredTransport": "JSONRPC",
            "version": "1.0.0",
            "capabilities": {"streaming": False, "pushNotifications": False},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "securitySchemes": {"oauth": {"type": "oauth2", "flows": flows}},
            "security": [{"oauth": []}],
            "skills": [
                {"id": "campaign", "name": "Campaigns", "description": "Sets up a campaign.", "tags": ["campaign"]}
            ],
        }
    )


def execute(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """POST …/execute: JSON-RPC, one method. `messageId` and `kind` may be missing."""
    node = request.node
    _check_access(node, parts[0])
    try:
        call = json.loads(request.body)
    except ValueError:
        return _failed(None, -32700, "Parse error")
    if not isinstance(call, dict) or call.get("jsonrpc") != "2.0":
        return _failed(None, -32600, "Invalid Request")
    if call.get("method") != "message/send":
        return _failed(call.get("id"), -32601, "Method not found")
    params = call.get("params")
    message = params.get("message") if isinstance(params, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("parts"), list):
        return _failed(call.get("id"), -32602, "Invalid params: message.parts is needed")
    texts = [str(part["text"]) for part in message["parts"] if isinstance(part, dict) and "text" in part]
    return _send(node, call.get("id"), "\n".join(texts), str(message.get("contextId") or ""))


def _send(node: Node, call_id: Any, text: str, context_id: str) -> WireAnswer:
    conversation = node.archive.find(context_id) if context_id else serving.begin(node)[0]
    if conversation is None:
        return _failed(call_id, -32602, f"Invalid params: there is no context {context_id}")
    if not text.strip():
        return _failed(call_id, -32602, "Invalid params: the message has no text; files are not read")
    try:
        reply, message_id = serving.take(node, conversation, text, ())
    except Refused as refused:
        return _failed(call_id, -32603, f"Internal error: {refused.detail}")
    result: dict[str, Any] = {"messageId": message_id, "contextId": conversation.id}
    if node.has(Variant.A2A_ARTIFACTS):
        artifact = {"artifactId": f"A-{message_id}", "parts": [{"kind": "text", "text": reply}]}
        result |= {
            "kind": "task",
            "id": f"TASK-{message_id}",
            "status": {"state": "completed"},
            "artifacts": [artifact],
        }
    else:
        result |= {"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": reply}]}
    return WireAnswer(body={"jsonrpc": "2.0", "id": call_id, "result": result})


def plain_chat(request: Request, _: tuple[str, ...]) -> WireAnswer:
    """POST /chat, for clients that speak neither: {"message", "session_id", "attachments": [{"name"}]} → {"reply"}.

    `session_id` is null at first and the conversation's id afterwards.
    """
    asked, node = request.json(), request.node
    known = asked.get("session_id")
    conversation = node.archive.find(str(known)) if known else serving.begin(node)[0]
    if conversation is None:
        raise refusal(404, "Error_Resource_NotFound", f"there is no session {known}")
    names = [str(one["name"]) for one in asked.get("attachments") or [] if isinstance(one, dict) and one.get("name")]
    files = tuple({"ID": node.archive.keep_upload(name), "name": name} for name in names)
    text = str(asked.get("message") or "")
    if not text.strip() and not files:
        raise refusal(400, "Error_Missing_Input", "message is empty and nothing is attached")
    reply, message_id = serving.take(node, conversation, text, files)
    return WireAnswer(body={"reply": reply, "session_id": conversation.id, "message_id": message_id})


def _check_access(node: Node, segment: str) -> None:
    if "%40" in segment:
        raise refusal(500, "Error_Execution", "Execution error")
    if unquote(segment) != AGENT_ID:
        raise refusal(404, "Error_Resource_NotFound", f"there is no agent {unquote(segment)}")
    if node.has(Variant.NO_EXTERNAL_ACCESS):
        raise refusal(403, "Error_No_External_Access", "external access is off in the agent's rule")


def _failed(call_id: Any, code: int, message: str) -> WireAnswer:
    return WireAnswer(body={"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}})
