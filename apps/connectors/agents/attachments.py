"""Files that go with a turn, read and encoded off the event loop."""

import asyncio
import base64
import mimetypes
from pathlib import Path

from apps.core.conversation import Attachment
from apps.core.errors import BadInput

LARGEST_BYTES = 10 * 1024 * 1024


async def encoded(attachments: tuple[Attachment, ...]) -> list[dict[str, str]]:
    """`{"name", "media_type", "base64"}` for each. Paths were checked by whoever made the attachments.

    Raises BadInput for a file that is not there, cannot be read or is larger than LARGEST_BYTES.
    """
    return [await asyncio.to_thread(_encode, attachment) for attachment in attachments]


def _encode(attachment: Attachment) -> dict[str, str]:
    try:
        path = Path(attachment.path or "")
        if path.stat().st_size > LARGEST_BYTES:
            raise BadInput(f"attachment {attachment.name!r} is larger than {LARGEST_BYTES} bytes")
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"attachment {attachment.name!r} cannot be read: {error.strerror}") from error
    media_type = attachment.media_type or mimetypes.guess_type(attachment.name)[0] or "application/octet-stream"
    return {"name": attachment.name, "media_type": media_type, "base64": base64.b64encode(content).decode()}
