"""Measuring leaves nothing behind and speaks to nobody but the judge: no file, no look-up, no telemetry, no upload."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checks.metrics.bench import LoopbackJudge

ROOT = Path(__file__).parents[3]
KINDS = ("anthropic", "openai", "google")
UNSAID = ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_FILE_SYSTEM", "DEEPEVAL_DISABLE_DOTENV", "DEEPEVAL_NO_INSPECT_PROMPT")


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    """One process that measures everything, started where nobody has switched anything off."""
    home, here = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("here")
    (here / ".env").write_text("POISON=read\nCONFIDENT_API_KEY=confident_us_nobody\n")
    environment = {name: value for name, value in os.environ.items() if name not in UNSAID}
    environment |= {
        "HOME": str(home), "PYTHONPATH": str(ROOT), "CONFIDENT_API_KEY": "confident_us_not-a-key",
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    with (judge := LoopbackJudge()).server:
        asked = [f"{kind}={judge.base_url(kind)}" for kind in KINDS]
        done = subprocess.run(
            [sys.executable, "-m", "tests.checks.metrics.silent_probe", *asked],
            cwd=here, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout), home, here, judge  # nothing else stands on stdout


@pytest.mark.parametrize("kind", KINDS)
def test_every_metric_was_measured_on_every_provider(probed, kind):
    found, _, _, judge = probed
    scores = found["scores"][kind]
    assert len({name: score for name, score in scores.items() if isinstance(score, float)}) == 13, scores
    assert "does not speak of paying" in scores["MpesaPaymentSafetyMetric"]
    assert len(judge.kinds) == 23 * len(KINDS)


def test_no_host_but_the_judges_was_looked_up_or_reached(probed):
    assert set(probed[0]["hosts"]) == {"127.0.0.1"}


def test_no_file_was_written_by_anybody(probed):
    found, home, here, _ = probed
    assert [path for path in found["written"] if path != "/dev/null"] == []
    assert list(home.rglob("*")) == []
    assert [path.name for path in here.rglob("*")] == [".env"]


def test_no_env_file_was_read_and_no_process_started(probed):
    assert (probed[0]["poison"], probed[0]["spawned"]) == (None, [])


def test_the_probe_would_have_seen_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.checks.metrics.silent_probe", "control"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert {"by-os-open", "by-open"} <= set(found["written"])
    assert found["hosts"] == ["127.0.0.2"]


@pytest.mark.parametrize("module", ["registry", "result", "conversation_case", "judge_model", "rubric_judging"])
def test_importing_the_metrics_loads_no_deepeval(module):
    code = f"import sys, apps.checks.metrics.{module}; print([m for m in sys.modules if m.startswith('deepeval')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
