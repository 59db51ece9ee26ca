"""Answers whose deciding keys carry a secret: `"better_<salt>": "first"`.

A model that quotes somebody's words unescaped lets them end a text and go on as the answer. They can write any key but
one with the salt, which stands in our question alone. So what decides stands under such a key, in its place, once; and
nothing of the true answer may lie elsewhere: in an object that nobody asked for, or behind the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.evaluations.domain.reply_objects import ParseError, bound_text_objects

SALT_SHOWN = "*"  # in place of the salt, wherever a reply is stored
Shape = Mapping[str, Any]


def secret_key(name: str, salt: str | None) -> str:
    """Return a deciding key; nobody can write it without the salt."""
    return f"{name}_{salt}" if salt else name


@dataclass(frozen=True, kw_only=True)
class SecretKeys:
    """The deciding keys of one kind of answer, renamed by the salt of a question.
    `shape` is the answer's JSON Schema with plain names; they are deciding at any depth. `is_closed` allows no unknown
    key in an entry, not even with a text: an unescaped quote could end a text early and hide its rest under another
    key."""

    names: tuple[str, ...]
    salt: str
    shape: Shape
    is_closed: bool = False

    def key(self, name: str) -> str:
        return secret_key(name, self.salt)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema sent to the model, with the secret keys; one object, as adapters cache its strict form by
        identity."""
        return dict(self._renamed(self.shape))

    def read(self, text: str, *, nonce: str) -> list[dict[str, Any]]:
        """The answers under our nonce, with plain names again. Raises ParseError where an entry lacks a deciding key,
        holds the plain name, where a deciding key stands in any other place, or where an object or list stands under a
        name that nobody asked for: half of the answer may lie there. Linear in the text."""
        bound = bound_text_objects(text, nonce=nonce)
        reading = _Reading(self, text)
        answers = [reading.plain(item.value, self.shape) for item in bound]
        if bound:
            written = text[bound[0].start :]
            if sum(written.count(f'{self.key(name)}"') for name in self.names) != reading.found:
                raise ParseError("a part of the answer stands in another place than it was asked for", raw=text)
        return answers

    def _renamed(self, node: Any) -> Any:
        if isinstance(node, list | tuple):
            return [self._renamed(item) for item in node]
        if not isinstance(node, Mapping):
            return node
        renamed = {key: self._renamed(item) for key, item in node.items()}
        if isinstance(node.get("properties"), Mapping):
            properties: dict[str, Any] = renamed["properties"]
            renamed["properties"] = {self._told(name): value for name, value in properties.items()}
            renamed["required"] = [self._told(name) for name in node.get("required", ())]
        return renamed

    def _told(self, name: str) -> str:
        return self.key(name) if name in self.names else name


class _Reading:
    """One reply read along its shape. `found` counts the deciding keys that stood in their place."""

    def __init__(self, keys: SecretKeys, text: str) -> None:
        self.keys, self.text, self.found = keys, text, 0
        self._names = {keys.key(name): name for name in keys.names}

    def plain(self, value: Any, node: Shape) -> Any:
        node = self._fitting(node, value)
        if isinstance(value, list):
            items = node.get("items") or {}
            return [self.plain(item, items) for item in value]
        if not isinstance(value, dict):
            return value
        properties = node.get("properties")
        if properties is None:  # one where a list was asked for, or free keys
            return self.plain(value, node["items"]) if node.get("items") else value
        self._refuse_lacking(value, properties)
        answer: dict[str, Any] = {}
        for key, item in value.items():
            name = self._names.get(str(key), str(key))
            self.found += key in self._names
            if name not in properties and (self.keys.is_closed or isinstance(item, dict | list)):
                raise ParseError(f"the answer has {key[:40]!r}, which nobody asked for", raw=self.text)
            answer[name] = self.plain(item, properties.get(name) or {})
        return answer

    def _refuse_lacking(self, value: Mapping[str, Any], properties: Mapping[str, Any]) -> None:
        for key, name in self._names.items():
            if name in properties and (key not in value or (name in value and name != key)):
                raise ParseError(f"an entry lacks its {secret_key(name, SALT_SHOWN)}", raw=self.text)

    def _fitting(self, node: Shape, value: Any) -> Shape:
        """The part of the shape that a value is held against: behind references, the first of several that fits."""
        if "$ref" in node:
            return self._fitting(self.keys.shape["$defs"][str(node["$ref"]).rpartition("/")[2]], value)
        wanted = "properties" if isinstance(value, dict) else "items"
        for one in node.get("anyOf", ()):
            fitting = self._fitting(one, value)
            if wanted in fitting:
                return fitting
        return node
