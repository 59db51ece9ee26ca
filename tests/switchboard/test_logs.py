"""The log: one JSON object a line, no secrets, nothing lost when several processes write and rotate at once."""

import json
import logging
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from apps.core.events import EventType, bound, log_event
from ratiba_eval import logs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def lines(tmp_path):
    """What was logged inside the test, read back."""
    handler = logs.JsonLinesFile(tmp_path)
    logger = logging.getLogger("ratiba.events")
    logger.addHandler(handler)
    yield lambda: [json.loads(line) for line in handler.path.read_text().splitlines()]
    logger.removeHandler(handler)
    handler.close()


def test_an_event_carries_where_it_happened(lines):
    run, conversation = str(uuid.uuid4()), str(uuid.uuid4())
    with bound(tenant="acme", run=run):
        log_event(EventType.CONVERSATION_ENDED, conversation=conversation, turns=7, status="ended")
    (line,) = lines()
    assert line["event_type"] == line["message"] == "conversation_ended"
    assert (line["tenant"], line["run"], line["conversation"]) == ("acme", run, conversation)
    assert (line["turns"], line["status"], line["level"]) == (7, "ended", "INFO")
    assert line["time"].endswith("+00:00")


def test_keys_stand_in_every_line_even_where_nothing_is_bound(lines):
    log_event(EventType.TICK)
    assert {"time", "level", "event_type", "logger", "message", "tenant", "run", "conversation"} <= lines()[0].keys()
    assert lines()[0]["tenant"] is None


@pytest.mark.parametrize(
    "fields",
    [
        {"password": "hunter2hunter2"},
        {"headers": {"Authorization": "Bearer abc.def", "X-Api-Key": "hunter2hunter2"}},
        {"why": "401 for Bearer hunter2hunter2"},
        {"url": "postgresql://ratiba:hunter2hunter2@db/x"},
        {"note": ["the key is rk_hunter2hunter2"]},
        {"note": "whsec_hunter2hunter2="},
        {"nested": {"deep": [{"client_secret": "hunter2hunter2"}]}},
    ],
)
def test_secrets_are_never_written(lines, fields):
    log_event(EventType.REQUEST_REFUSED, **fields)
    assert "hunter2" not in json.dumps(lines())


def test_counts_of_tokens_are_not_secrets(lines):
    log_event(EventType.BUDGET_WARNING, tokens_used=1200, input_tokens=1000, cost_usd=0.5, cached=True)
    assert (lines()[0]["tokens_used"], lines()[0]["input_tokens"]) == (1200, 1000)


def test_people_are_masked_wherever_they_stand(lines):
    log_event(EventType.LOG, note="mail me at amina@example.com", more={"deep": ["or +254712345678"]})
    text = json.dumps(lines())
    assert "amina@example.com" not in text
    assert "712345678" not in text


def test_the_people_of_a_conversation_are_masked_and_not_listed(lines):
    with bound(names=("Amina Wanjiku",)):
        log_event(EventType.LOG, note="Amina asked; amina paid", more=["Wanjiku"], phone=254712345678)
    text = json.dumps(lines()).lower()
    assert "amina" not in text
    assert "wanjiku" not in text
    assert "254712345678" not in text
    assert "names" not in lines()[0]


def test_arguments_of_tools_are_hashed(lines):
    for arguments in ({"phone": "0712345678"}, {"phone": "0712345678"}, {"phone": "0712345679"}):
        log_event(EventType.CONVERSATION_ENDED, tool="stk_push", arguments=arguments)
    first, again, other = (line["arguments"] for line in lines())
    assert first == again != other
    assert "0712" not in first


def test_a_field_cannot_pass_as_another_event(lines):
    log_event(EventType.TICK, event_type="run_ended", time="never")
    assert lines()[0]["event_type"] == "tick"
    assert lines()[0]["time"] != "never"


def test_an_exception_is_named_and_its_text_masked(lines):
    try:
        raise ValueError("customer amina@example.com refused")
    except ValueError:
        logging.getLogger("ratiba.events").exception("failed for amina@example.com")
    (line,) = lines()
    assert line["error"] == "ValueError"
    assert line["event_type"] == "log"
    assert "amina@example.com" not in json.dumps(line)
    assert line["trace"][-1].startswith("test_logs.py:")


def test_what_is_no_json_is_written_as_text(lines):
    log_event(EventType.LOG, path=Path("/tmp/x"), some={1, 2}, key=uuid.UUID(int=5), not_a_number=float("nan"))
    assert lines()[0]["path"] == "/tmp/x"
    assert lines()[0]["not_a_number"] == "nan"


def test_an_unwritable_folder_costs_lines_not_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    (tmp_path / "file").write_text("")
    handler = logs.JsonLinesFile(tmp_path / "file" / "log")
    handler.handle(logging.LogRecord("x", logging.INFO, "", 0, "hello", None, None))


WRITER = """
import logging, sys
from ratiba_eval.logs import JsonLinesFile
handler = JsonLinesFile(sys.argv[1], max_bytes=20_000, kept=60)
for number in range(300):
    handler.handle(logging.makeLogRecord({"name": "w", "levelname": "INFO", "msg": "tick", "event_type": "tick",
                                          "fields": {"writer": int(sys.argv[2]), "number": number}}))
"""


def test_four_processes_that_rotate_lose_no_line(tmp_path):
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(n)], cwd=ROOT) for n in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    files = [path for path in tmp_path.iterdir() if ".jsonl" in path.name]
    found = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert len(files) > 3
    assert sorted((line["writer"], line["number"]) for line in found) == [(w, n) for w in range(4) for n in range(300)]


def test_only_so_many_old_files_are_kept(tmp_path):
    handler = logs.JsonLinesFile(tmp_path, max_bytes=1000, kept=2)
    for number in range(100):
        handler.handle(
            logging.makeLogRecord({"levelname": "INFO", "msg": "tick", "event_type": "tick", "fields": {"n": number}})
        )
    handler.close()
    assert {path.name for path in tmp_path.iterdir()} == {
        "ratiba.jsonl",
        "ratiba.jsonl.1",
        "ratiba.jsonl.2",
        "ratiba.lock",
    }
    assert (tmp_path / "ratiba.jsonl").stat().st_mode & 0o077 == 0


def test_an_unknown_level_is_refused(tmp_path):
    with pytest.raises(ValueError, match="RATIBA_LOG_LEVEL"):
        logs.config(folder=tmp_path, level="loud")


def test_celery_tells_of_failures_and_not_of_each_call(tmp_path):
    names = ("celery.worker.strategy", "celery.app.trace", "celery.beat")
    script = f"""
import logging.config
from pathlib import Path
from ratiba_eval import logs
logging.config.dictConfig(logs.config(folder=Path({str(tmp_path)!r}), level="INFO"))
for name in {names!r}:
    logging.getLogger(name).info("received, succeeded, sent")
    logging.getLogger(name).error("failed")
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, timeout=60)
    written = [json.loads(line) for line in (tmp_path / logs.FILE_NAME).read_text().splitlines()]
    assert [(line["logger"], line["message"]) for line in written] == [(name, "failed") for name in names]
