"""The four-part key of cached metric results (docs/adr/0018): each part is a reason why an old score would be stale."""

import hashlib
import json


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
