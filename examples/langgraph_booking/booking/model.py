"""The language model, over OpenAI's chat completions."""

import os
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from booking.tools import TOOLS

MODEL = "gpt-4o-mini"
PROMPT = Path(__file__).parent / "prompts" / "receptionist.md"


class ChatModel:
    """Asks whatever speaks OpenAI's chat completions at OPENAI_BASE_URL. The prompt says which day it is."""

    def __init__(self, client: httpx.Client, *, salon: str, today: date) -> None:
        self.client = client
        self.values = {"salon": salon, "today": f"{today:%A, %d %B %Y}"}

    def ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """The assistant's message: content, tool_calls or both. Raises httpx.HTTPError."""
        prompt = PROMPT.read_text(encoding="utf-8")
        for name, value in self.values.items():
            prompt = prompt.replace(f"{{{{ {name} }}}}", value)
        base = os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        answer = self.client.post(
            f"{base.rstrip('/')}/chat/completions",
            headers={"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
            json={
                "model": MODEL,
                "temperature": 0,
                "messages": [{"role": "system", "content": prompt}, *messages],
                "tools": TOOLS,
            },
        )
        message: dict[str, Any] = answer.raise_for_status().json()["choices"][0]["message"]
        return message
