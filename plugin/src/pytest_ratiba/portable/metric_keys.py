"""The key under which the score of a metric is kept, the same in the stores of server and plugin."""

import json
from hashlib import sha256


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
    return sha256(canonical.encode()).hexdigest()
