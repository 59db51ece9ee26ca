"""Layer 3: whole transcripts, callbacks and silences included, against the real orchestrator; replies recorded."""

import json

import pytest

from pytest_ratiba.assertions.checking import check_assertions
from tests.eval.playing import REPLAYS, play, read_replay

pytestmark = pytest.mark.layer3
TRANSCRIPTS = REPLAYS[0].parents[2] / "fixtures" / "transcripts"


@pytest.mark.parametrize("scenario_id", [path.stem for path in REPLAYS])
def test_a_transcript_goes_as_it_went(
    scenario_id, tenant_scoped_eval_environment, eval_tenant, llm_recording, pytestconfig
):
    replay = read_replay(REPLAYS[0].with_name(f"{scenario_id}.yaml"))
    assert replay["id"] == scenario_id
    outcome = play(replay, tenant_scoped_eval_environment, eval_tenant)
    check_assertions([*replay["assertions"], {"latency": 30}, {"not_contains": ["PIN"]}], outcome)

    recorded = TRANSCRIPTS / f"{scenario_id}.jsonl"
    lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in outcome.log)
    if (pytestconfig.getoption("--record") or "none") != "none":
        recorded.write_text(lines, encoding="utf-8")
    assert recorded.read_text(encoding="utf-8") == lines
