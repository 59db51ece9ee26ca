"""Keys of kept answers: the seed's four parts, and the platform's own longer one (docs/adr/0018, 0063).

Each part is a reason why an old answer would be stale.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.digest import canonical_json


def deepeval_cache_key(scenario_id: str, prompt_version: str, judge_model_version: str, metric_version: str) -> str:
    """SHA-256, 64 hex digits, over the canonical JSON of the four: sorted keys, no spaces, ASCII escapes.

    `prompt_version` is `<name>@<git short sha>`, `metric_version` is `<metric>:<version>`. The agent's answer is not in
    it: whoever caches results of live conversations must add a digest of the transcript.
    """
    canonical = json.dumps(
        {
            "scenario_id": scenario_id,
            "prompt_version": prompt_version,
            "judge_model_version": judge_model_version,
            "metric_version": metric_version,
        },
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


class AnswerKeys:
    """Keys of a judge's kept answers, 64 hex digits: SHA-256 over the canonical JSON of the seed's four and of
    everything else an answer hangs on. What is the same for all conversations of an evaluation is digested once.

    `template` is the digest of the prompt in force around the transcript. `criteria` are snapshots without weight and
    pass mark, which decide what a score is worth and not what it is. `provider` and `model` are those that are *asked*,
    `judge_model_version` says how (options, address). Raises ValueError for NaN.
    """

    def __init__(
        self,
        *,
        judge_model_version: str,
        metric_version: str,
        template: str,
        parameters: Mapping[str, Any],
        criteria: Sequence[Mapping[str, Any]],
        provider: str,
        model: str,
    ) -> None:
        self._versions = judge_model_version, metric_version
        rows = canonical_json([dict(row) for row in criteria])
        self._start = hashlib.sha256(f'{{"criteria":{rows},"four":'.encode("utf-8", "surrogatepass"))
        self._middle = (
            f',"model":{canonical_json(model)},"parameters":{canonical_json(dict(parameters))},'
            f'"provider":{canonical_json(provider)},"repeat":'
        )
        self._end = f',"template":{canonical_json(template)},"transcript":'

    def key(self, *, scenario_id: str, prompt_version: str, transcript: str, repeat: int = 1) -> str:
        """`transcript` is the digest of the turns and language as the judge reads them. `repeat` counts from 1: asking
        again on purpose is another question."""
        four = deepeval_cache_key(scenario_id, prompt_version, *self._versions)
        digest = self._start.copy()
        rest = f'"{four}"{self._middle}{repeat}{self._end}{canonical_json(transcript)}}}'
        digest.update(rest.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()
