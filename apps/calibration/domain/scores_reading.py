"""Scores of somebody else's judge as JSON lines: {"conversation", "criterion", "value", "reason"?, "evidence"?}."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json

MAX_SCORES = 100_000
_KEYS = frozenset(("conversation", "criterion", "value", "reason", "evidence"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedScore:
    """One judge's answer about one conversation: a number of 0-10, or a point of the criterion's own scale. None is
    unscored. `reason` and `evidence` are masked when they are stored, otherwise as they came."""

    conversation: str  # its id in the run
    criterion: str
    value: Any
    reason: str = ""
    evidence: Sequence[Mapping[str, Any]] = field(default=())


def read_scores(text: str, *, file: str) -> list[ImportedScore]:
    """The scores of a file, in its order; empty lines are passed over. Raises BadInput, with the line, for the first
    one that cannot be read, and for a file without any. Pure."""
    scores = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            scores.append(_score(line, f"{file}, line {number}"))
        if len(scores) > MAX_SCORES:
            raise BadInput(f"{file}: more than {MAX_SCORES} scores; cut the file by conversations.", code="too_many")
    if not scores:
        raise BadInput(f"{file} holds no score.", code="no_scores")
    return scores


def _score(line: str, where: str) -> ImportedScore:
    try:
        read = decoded_json(line, numbers_only=True)
    except BadInput as error:
        raise BadInput(f"{where}: {error.message}", code=error.code) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: this is no JSON: {error}", code="bad_scores") from error
    if not isinstance(read, dict):
        raise BadInput(f"{where}: each line is one object.", code="bad_scores")
    unknown = sorted(set(read) - _KEYS)
    if unknown:
        raise BadInput(f"{where}: unknown field {unknown[0]!r}.", code="bad_scores")
    for name in ("conversation", "criterion"):
        if not isinstance(read.get(name), str) or not read[name]:
            raise BadInput(f"{where}: {name!r} must be a text.", code="bad_scores")
    if "value" not in read:
        raise BadInput(f"{where}: 'value' is missing; null says that nothing was scored.", code="bad_scores")
    evidence = read.get("evidence", [])
    if not isinstance(read.get("reason", ""), str):
        raise BadInput(f"{where}: 'reason' must be a text.", code="bad_scores")
    if not isinstance(evidence, list) or not all(isinstance(one, dict) for one in evidence):
        raise BadInput(f"{where}: 'evidence' must be a list of objects.", code="bad_scores")
    return ImportedScore(**{**read, "evidence": tuple(evidence)})
