"""Files that go with a turn, encoded off the event loop. Bytes only: nothing here opens a path."""

import asyncio
import base64

from apps.core.attached_files import AttachedFile


def in_words(text: str, attachments: tuple[AttachedFile, ...]) -> str:
    """Add `[I have attached a file: NAME]` to the text, for each file that it does not name.

    For agents that may take text alone (Pega's A2A drops file parts).
    """
    notes = [f"[I have attached a file: {attachment.name}]" for attachment in attachments]
    return "\n".join(filter(None, (text, *(note for note in notes if note not in text))))


async def encoded(attachments: tuple[AttachedFile, ...]) -> list[dict[str, str]]:
    """Encode each attachment as `{"name", "media_type", "base64"}`."""
    return [await asyncio.to_thread(_encode, attachment) for attachment in attachments]


def _encode(attachment: AttachedFile) -> dict[str, str]:
    content = base64.b64encode(attachment.content).decode()
    return {"name": attachment.name, "media_type": attachment.kind, "base64": content}
