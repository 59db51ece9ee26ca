"""Keys of kept answers: the seed's four parts, and the platform's own longer one (docs/adr/0018, 0063).

Each part is a reason why an old answer would be stale.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.digest import sha256_hex


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


def answer_cache_key(
    *,
    scenario_id: str,
    prompt_version: str,
    judge_model_version: str,
    metric_version: str,
    transcript: str,
    template: str,
    parameters: Mapping[str, Any],
    criteria: Sequence[Mapping[str, Any]],
    provider: str,
    model: str,
    repeat: int = 1,
) -> str:
    """The key of one kept answer of a judge, 64 hex digits: the seed's four and everything else the answer hangs on.

    `transcript` and `template` are digests: of the turns and language as the judge reads them, and of the prompt in
    force around them. `criteria` are snapshots without weight and pass mark, which decide what a score is worth and not
    what it is. `provider` and `model` are those that are *asked*, `judge_model_version` says how (options, address).
    `repeat` counts from 1: asking again on purpose is another question. Raises ValueError for NaN.
    """
    return sha256_hex(
        {
            "four": deepeval_cache_key(scenario_id, prompt_version, judge_model_version, metric_version),
            "transcript": transcript,
            "template": template,
            "parameters": dict(parameters),
            "criteria": [dict(row) for row in criteria],
            "provider": provider,
            "model": model,
            "repeat": repeat,
        }
    )
