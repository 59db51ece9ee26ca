"""Files that go with a turn, encoded off the event loop. Bytes only: nothing here opens a path."""

import asyncio
import base64

from apps.core.attached_files import AttachedFile


async def encoded(attachments: tuple[AttachedFile, ...]) -> list[dict[str, str]]:
    """`{"name", "media_type", "base64"}` for each."""
    return [await asyncio.to_thread(_encode, attachment) for attachment in attachments]


def _encode(attachment: AttachedFile) -> dict[str, str]:
    content = base64.b64encode(attachment.content).decode()
    return {"name": attachment.name, "media_type": attachment.kind, "base64": content}
