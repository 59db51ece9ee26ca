"""What an honest model does with a question whose deciding keys carry a secret: it writes them as it was told."""

import json
import re
from typing import Any

_NAMES = "better|critical|index|kind|outcome|replacement|same|score|slot|suggestion|verdict"
_KEY = re.compile(rf"({_NAMES})_([0-9a-z]{{10,16}})\b")


def as_asked(asked: str, answer: Any) -> Any:
    """`answer` (plain names) with the keys that a question (its prompt, or the whole request) asks for."""
    keys = {name: f"{name}_{salt}" for name, salt in _KEY.findall(asked)}

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {keys.get(key, key): told(item) for key, item in value.items()}
        return [told(item) for item in value] if isinstance(value, list | tuple) else value

    return told(answer)


def unescaped(answer: Any, plant: str) -> str:
    """The JSON of an answer in which the plant stands as it is for each PLANT: a model that quotes without escaping."""
    return json.dumps(answer).replace("PLANT", plant)
