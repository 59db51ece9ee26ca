"""Answer a call for which there is no recording.
The client gets an error of its provider's shape that nobody retries."""

import json

from pytest_ratiba.recording.exchange import RawRequest, WireReply
from pytest_ratiba.recording.local_models import is_ollama_path

STATUS = 400
CODE = "no_recording"


def miss_reply(request: RawRequest | None, message: str) -> WireReply:
    """400 with the message where the client's library looks for it. SDKs repeat 408, 409, 429 and 5xx: a miss has to
    fail at once."""
    upstream = request.upstream if request is not None else ""
    body: dict[str, object]
    if upstream == "anthropic":
        body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": None}
    elif upstream == "gemini":
        body = {"error": {"code": STATUS, "message": message, "status": "FAILED_PRECONDITION"}}
    elif request is not None and is_ollama_path(request.path):
        body = {"error": message}
    else:
        body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": CODE}}
    return WireReply(
        status=STATUS,
        headers={"content-type": "application/json", "x-should-retry": "false"},
        chunks=(json.dumps(body, ensure_ascii=False).encode(),),
        offsets_ms=(0,),
    )
