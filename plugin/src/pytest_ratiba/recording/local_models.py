"""Calls of a model on this machine (Ollama, vLLM, llama.cpp, LM Studio, a gateway), told from other calls to loopback.

Other calls to loopback are none of the recordings' business: databases, the agent's own server, a local Ratiba. A model
is told by the path of its wire format and by the request, which names a model.
"""

import json
import re

LOCAL_PREFIX = "local-model"  # of the endpoint's paths: `/local-model/<host>:<port>/…`
_MODEL_IN_PATH = re.compile(r":(?:stream)?[gG]enerateContent$")
_MODEL_IN_BODY = re.compile(
    r"(?:/v\d+/(?:completions|embeddings|responses|messages)|/chat/completions|/api/(?:chat|generate|embed|embeddings))$"
)
_REQUEST_LINE = re.compile(rb"POST (\S+) HTTP/1\.[01]\r\n")
_OLLAMA = re.compile(r"/api/(?:chat|generate|embed|embeddings)$")
_NAMED = re.compile(rb'"model"\s*:\s*"')


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, by name or number. No look-up."""
    known = host in ("localhost", "::1", "[::1]", "0.0.0.0")  # noqa: S104 - compared, not bound
    return known or host.startswith("127.") or host.endswith(".localhost")


def place_of(host: str, port: int | str | None) -> str:
    """`host:port`, the same for every name and number of this machine."""
    return f"{'localhost' if is_loopback(host) else host}:{port}"


def is_model_path(method: str, path: str) -> bool:
    """Whether a model may be asked at this path; the body says whether it is."""
    path = path.rstrip("/")
    return method == "POST" and bool(_MODEL_IN_PATH.search(path) or _MODEL_IN_BODY.search(path))


def is_ollama_path(path: str) -> bool:
    """Whether the path is one of Ollama's own wire format."""
    return bool(_OLLAMA.search(path.rstrip("/")))


def asks_model(method: str, path: str, body: bytes) -> bool:
    """Whether this request asks a model: the path is a wire format's, and path or body name the model."""
    if not is_model_path(method, path):
        return False
    if _MODEL_IN_PATH.search(path.rstrip("/")):
        return True
    try:
        document = json.loads(body)
    except ValueError:
        return False
    return isinstance(document, dict) and isinstance(document.get("model"), str)


def path_of_bytes(data: bytes) -> str:
    """The path of an HTTP request whose first bytes these are, where a model may be asked there; "" of anything
    else."""
    line = _REQUEST_LINE.match(data)
    path = line.group(1).decode("latin-1").partition("?")[0] if line else ""
    return path if is_model_path("POST", path) else ""


def names_model(path: str, data: bytes) -> bool:
    """Whether the path, or these bytes of the request behind it, name a model."""
    return bool(_MODEL_IN_PATH.search(path) or _NAMED.search(data))
