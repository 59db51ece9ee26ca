"""Which endpoint answers which address, and who may call it."""

import base64
import binascii
import re
from urllib.parse import parse_qsl

from examples.pega import a2a_routes, agentx_routes, case_routes, data_view_routes
from examples.pega.node import ALIAS
from examples.pega.serving import Refused
from examples.pega.switches import Variant
from examples.pega.wire import Endpoint, Request, WireAnswer, error_answer, refusal, unauthorised

_APP = rf"/prweb/(?:PRAuth/)?app/{ALIAS}"
_PREFIX = re.compile(rf"(?:/prweb|{_APP}|/dx)/api/application/v2(?=/)")
_A2A = re.compile(rf"{_APP}/api/agent2agent/v1/ai-agents/([^/]+)/(execute|\.well-known/agent\.json)")
_AGENT = r"/(ai-agents|assistants)/([^/]+)/conversations"
_ROUTES: tuple[tuple[str, re.Pattern[str], Endpoint], ...] = tuple(
    (method, re.compile(pattern), endpoint)
    for method, pattern, endpoint in (
        ("GET", r"/ai-agents", agentx_routes.list_agents),
        ("POST", _AGENT, agentx_routes.create),
        ("GET", _AGENT, agentx_routes.find),
        ("PATCH", rf"{_AGENT}/([^/]+)", agentx_routes.talk),
        ("GET", rf"{_AGENT}/([^/]+)", agentx_routes.look),
        ("PUT", rf"{_AGENT}/([^/]+)/close", agentx_routes.close),
        (
            "PUT",
            r"/(ai-agents)/([^/]+)/conversations/([^/]+)/messages/([^/]+)/(like|dislike)",
            agentx_routes.feedback,
        ),
        ("POST", r"/attachments/upload", agentx_routes.upload),
        ("GET", r"/data_views/(\w+)/metadata", data_view_routes.metadata),
        ("POST", r"/data_views/(\w+)/count", data_view_routes.count),
        ("GET", r"/data_views/(\w+)", data_view_routes.read_page),
        ("POST", r"/data_views/(\w+)", data_view_routes.read_list),
        ("GET", r"/cases/([^/]+)/stages", case_routes.read_stages),
        ("GET", r"/cases/([^/]+)", case_routes.read_case),
        ("GET", r"/assignments/([^/]+)", case_routes.read_assignment),
        ("PATCH", r"/assignments/([^/]+)/actions/([^/]+)", case_routes.act),
    )
)


def answer(request: Request) -> WireAnswer:
    """The answer to any request. Raises ConnectionDropped where none is to be given."""
    try:
        if request.path == a2a_routes.TOKEN_PATH:
            return _token(request)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not request.node.tokens.accepts(token.strip()):
            return unauthorised()
        return _route(request)
    except Refused as refused:
        return error_answer(refused)


def _route(request: Request) -> WireAnswer:
    if request.path == "/chat" and request.method == "POST":
        return a2a_routes.plain_chat(request, ())
    if found := _A2A.fullmatch(request.path):
        endpoint, method = (a2a_routes.execute, "POST") if found[2] == "execute" else (a2a_routes.card, "GET")
        if request.method == method:
            return endpoint(request, (found[1],))
    prefix = _PREFIX.match(request.path)
    if prefix:
        rest = request.path[prefix.end() :]
        for method, pattern, endpoint in _ROUTES:
            matched = pattern.fullmatch(rest)
            if matched and method == request.method:
                return endpoint(request, matched.groups())
    raise refusal(404, "Error_Resource_NotFound", f"nothing at {request.method} {request.path}")


def _token(request: Request) -> WireAnswer:
    """POST to the token endpoint: client credentials in the form or by HTTP Basic."""
    node = request.node
    node.tokens.asked += 1
    if node.has(Variant.NODE_STARTING) and node.tokens.asked == 1:
        raise refusal(503, "Error_Node_Starting", "the node is starting")
    form = dict(parse_qsl(request.body.decode("utf-8", "replace")))
    if request.method != "POST" or form.get("grant_type") != "client_credentials":
        return WireAnswer(status=400, body={"error": "unsupported_grant_type"})
    given = _basic(request.headers.get("authorization", "")) or (form.get("client_id"), form.get("client_secret"))
    if given != (node.settings.client_id, node.settings.client_secret):
        if node.has(Variant.TOKEN_ERROR_BARE):
            return unauthorised()
        wrong = {"error": "invalid_client", "error_description": "Client authentication failed"}
        return WireAnswer(status=401, body=wrong)
    life = max(1, round(node.settings.token_s))
    return WireAnswer(body={"access_token": node.tokens.issue(), "token_type": "bearer", "expires_in": life})


def _basic(header: str) -> tuple[str, str] | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return ("", "")
    return name, secret
