"""Answers as JSON, documents among them (apps.core.documents)."""

from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from apps.core.documents import Document, members


class DocumentEncoder(JSONEncoder):
    def default(self, obj: Any) -> Any:
        return members(obj) if isinstance(obj, Document) else super().default(obj)


class DocumentRenderer(JSONRenderer):
    encoder_class = DocumentEncoder
