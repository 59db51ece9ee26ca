"""How often the loopback Pega took each turn of the finished session: asked of the node itself, over its own calls."""

import json
import re
import time
from collections import Counter
from typing import Any

import httpx

from apps.runs.goldens.domain.gate_keeping import NUDGE
from examples.pega.node import AGENT_ID, CLIENT_ID, CLIENT_SECRET
from examples.pega.recorded import TURNS

V2 = "/prweb/api/application/v2"


def taken_turns(base: str) -> str:
    """How often the newest conversation has each of the session's turns: "once", or which were taken otherwise."""
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    with httpx.Client(base_url=base, timeout=20) as client:
        signed_in: dict[str, str] = {}

        def get(method: str, path: str, **more: Any) -> Any:
            for _ in range(2):  # a token may be made to die after a few calls
                answer = client.request(method, path, headers=signed_in, **more)
                if answer.status_code != 401:
                    return answer.json()
                token = client.post("/prweb/PRRestService/oauth2/v1/token", data=form).json()["access_token"]
                signed_in["Authorization"] = f"Bearer {token}"
            return {}

        newest = {"query": {"sortBy": [{"field": "pxCreateDateTime", "type": "DESC"}]}, "paging": {"pageSize": 1}}
        rows = get("POST", f"{V2}/data_views/D_pxAutopilotConversations", json=newest)["data"]
        if not rows or rows[0]["pyID"] == "PXCONV-4081":
            return "nothing"
        page = get(
            "GET",
            f"{V2}/data_views/D_pxAutopilotConversation",
            params={"dataViewParameters": json.dumps({"InteractionID": rows[0]["pyID"]})},
        )
        if not page.get("pyMessages"):
            time.sleep(2)
            page = get(
                "GET",
                f"{V2}/data_views/D_pxAutopilotConversation",
                params={"dataViewParameters": json.dumps({"InteractionID": rows[0]["pyID"]})},
            )
    said = Counter(_plain(row["pyContent"]) for row in page["pyMessages"] if row["pyRole"] == "USER")
    wanted = Counter(_plain(text) for text, _ in TURNS)
    fixed = [text for text in wanted if not re.search(r"\d{3}", text)]  # dates and names may be filled anew
    more = [text for text in fixed if said[text] > wanted[text]]
    return f"twice: {', '.join(text[:20] or '(upload)' for text in more)}" if more else "once"


def _plain(text: str) -> str:
    return re.sub(r"&#?\w+;|\W+", " ", text).strip()


def told_by_conversation(base: str) -> tuple[tuple[str, ...], ...]:
    """What each conversation since the node's start was told, oldest first, nudges apart. Raises httpx.TransportError
    where the node does not answer."""
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    with httpx.Client(base_url=base, timeout=20) as client:

        def signed(method: str, path: str, **more: Any) -> Any:  # a token of its own: one may be made to die early
            token = client.post("/prweb/PRRestService/oauth2/v1/token", data=form).json()["access_token"]
            return client.request(method, path, headers={"Authorization": f"Bearer {token}"}, **more).json()

        rows = signed("POST", f"{V2}/data_views/D_pxAutopilotConversations", json={})["data"]
        ids = sorted(row["pyID"] for row in rows if row["pyID"] != "PXCONV-4081")
        talks = [signed("GET", f"{V2}/ai-agents/{AGENT_ID}/conversations/{one}")["messages"] for one in ids]
    said = [[" ".join(row["content"].split()) for row in talk if row["role"] == "USER"] for talk in talks]
    return tuple(tuple(text for text in texts if text != NUDGE) for texts in said)
