"""The recording of one conversation of a scenario while it plays or is recorded."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pytest_ratiba.recording.canonical import CanonicalRequest, canonical, masker_of
from pytest_ratiba.recording.entries import RecordedCall, recorded
from pytest_ratiba.recording.exchange import RawRequest, WireReply
from pytest_ratiba.recording.files import file_of, read_calls, write_conversation
from pytest_ratiba.recording.local_models import is_model_path
from pytest_ratiba.recording.masking import Masker
from pytest_ratiba.recording.matching import MAX_SHOWN, Outline, Rules, difference_lines, nearest
from pytest_ratiba.recording.settings import MODEL_UPSTREAMS, RecordingSettings, RecordMode

_NOT_STORED = frozenset({401, 403, 407, 408, 409, 429, *range(500, 600)})  # of a model: its refusals are no replies
_NEVER_STORED = frozenset({407, 429, 502, 503, 504})


class RecordingMiss(Exception):
    """A call that no recording answers. The text says what is nearest and where it differs."""


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A call that has to be sent. `number` is its place in the conversation."""

    request: CanonicalRequest
    raw: RawRequest
    number: int
    at: datetime


@dataclass(frozen=True, kw_only=True)
class RecordingOutcome:
    """An outcome counts a conversation's calls by their origin. `problems` fail the test."""

    path: Path
    played: int = 0
    recorded: int = 0
    stubbed: int = 0
    live: int = 0  # of models, past the recording, as the configuration allows
    unused: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(kw_only=True)
class _Counts:
    played: int = 0
    stubbed: int = 0
    live: int = 0
    asked: int = 0
    problems: list[str] = field(default_factory=list)


def now_utc() -> datetime:
    """The clock of this process."""
    return datetime.fromtimestamp(time.time(), UTC)


class ScenarioRecording:
    """One conversation's calls, for several threads at once; equal requests get their replies in recorded order."""

    def __init__(
        self,
        scenario_id: str,
        *,
        settings: RecordingSettings,
        mode: RecordMode,
        masker: Masker,
        conversation: str = "",
        test: str = "",
        clock: Callable[[], datetime] = now_utc,
    ) -> None:
        """Reads the scenario's file. Raises ProjectError for one that cannot be read."""
        self.scenario_id, self.conversation, self.test = scenario_id, conversation, test
        self.path = file_of(settings.folder, scenario_id)
        self._settings, self._mode, self._masker, self._clock = settings, mode, masker, clock
        self._rules = Rules(timestamps="timestamps" in settings.rules, dates="dates" in settings.rules)
        self._stored = read_calls(self.path)
        self._calls = self._calls_of_test(alone=mode is RecordMode.NONE)
        self._outlines = {call.number: Outline.of(call.request, at=call.at, rules=self._rules) for call in self._calls}
        self.recording = mode is RecordMode.ALL or (mode is RecordMode.ONCE and not self._calls)
        self._used: dict[int, int] = {}  # number of the recorded call -> which call of now got it
        self._new: list[RecordedCall] = []
        self._turns: dict[int, tuple[dict[int, int], int]] = {}  # position -> what was used and recorded before it
        self._counts = _Counts()
        self._lock = threading.Lock()

    def _calls_of_test(self, *, alone: bool) -> list[RecordedCall]:
        """Return the calls that this test recorded, or else calls that it may use.
        Second are the calls of a file that does not yet name the test of a call. Last, with `alone`, are the calls
        of the only other test: the test was renamed, or plays calls that the other one recorded for both."""
        here = [call for call in self._stored if call.conversation == self.conversation]
        owners = sorted({call.test for call in here})
        owner = next((one for one in (self.test, "") if one in owners), owners[0] if alone and len(owners) == 1 else "")
        return [call for call in here if call.test == owner]

    def begin_turn(self, position: int) -> None:
        """A turn of the conversation starts; one that starts again gives back what it used."""
        with self._lock:
            if position in self._turns:
                used, recorded_before = self._turns[position]
                self._used = dict(used)
                del self._new[recorded_before:]
            else:
                self._turns[position] = (dict(self._used), len(self._new))

    def begin(self, raw: RawRequest) -> WireReply | Pending:
        """The reply of a stub or of the recording, or what has to be sent. Raises RecordingMiss at once where there is
        neither; the miss also fails the conversation at its end, whatever the agent makes of it."""
        stub = next((one for one in self._settings.stubs if one.answers(raw)), None)
        if stub is not None:
            with self._lock:
                self._counts.stubbed += 1
            return stub.reply
        at = self._clock()
        request = canonical(raw, settings=self._settings, masker=self._masker)
        with self._lock:
            self._counts.asked += 1
            if self.recording:
                return Pending(request=request, raw=raw, number=self._counts.asked, at=at)
            call = self._unused_match(request, at)
            if call is None:
                problem = self._miss(request, at)
                self._counts.problems.append(problem)
                raise RecordingMiss(problem)
            self._used[call.number] = self._counts.asked
            self._counts.played += 1
        return call.reply.played(request.values)

    def finish(self, pending: Pending, reply: WireReply) -> None:
        """Takes what was answered to a call that was sent. A model's refusal (401, 429, 5xx) is a
        problem and is not stored."""
        raw = pending.raw
        is_model = raw.upstream in MODEL_UPSTREAMS or is_model_path(raw.method, raw.path)
        if reply.status in (_NOT_STORED if is_model else _NEVER_STORED):
            self.failed(pending, f"answered {reply.status}, which is not recorded")
            return
        call = recorded(
            reply,
            request=pending.request,
            conversation=self.conversation,
            number=pending.number,
            at=pending.at,
            masker=masker_of(pending.raw, self._masker),
            keep=self._settings.headers,
            test=self.test,
        )
        with self._lock:
            self._new.append(call)

    def failed(self, pending: Pending, why: str) -> None:
        """A call that could not be recorded. It counts at the end where no later call of the same request
        succeeded."""
        with self._lock:
            self._counts.problems.append(f"{pending.request.line} {why}\x00{pending.number}")

    def blocked(self, problem: str) -> None:
        """Something wanted to reach the network past the recording."""
        with self._lock:
            if problem not in self._counts.problems:
                self._counts.problems.append(problem)

    def asked_live(self) -> None:
        """A model was asked that stands in `recordings.allow`."""
        with self._lock:
            self._counts.live += 1

    def problems(self) -> list[str]:
        """List the problems that fail the test as things stand.
        These are misses, connections past the recording, and calls without an answer."""
        with self._lock:
            return self._unanswered_problems(self._new)

    def close(self) -> RecordingOutcome:
        """Writes what was recorded. Without a single stored call the file stays as it was."""
        with self._lock:
            new = sorted(self._new, key=lambda call: call.number)
            problems = self._unanswered_problems(new)
            if new:
                numbered = [replace(call, number=number) for number, call in enumerate(new, 1)]
                write_conversation(self.path, self.test, self.conversation, numbered)
            unused = [call for call in self._calls if call.number not in self._used]
            return RecordingOutcome(
                path=self.path,
                played=self._counts.played,
                recorded=len(new),
                stubbed=self._counts.stubbed,
                live=self._counts.live,
                unused=() if self.recording else tuple(f"call {call.number}: {call.request.line}" for call in unused),
                problems=tuple(problems),
            )

    def _unanswered_problems(self, new: list[RecordedCall]) -> list[str]:
        """A refused call that was sent again and answered is no problem: the answer follows it in the recording."""
        remaining = []
        last = max((call.number for call in new), default=0)
        for text in self._counts.problems:
            problem, mark, number = text.partition("\x00")
            if not mark or int(number) > last:
                remaining.append(problem)
        return remaining

    def _unused_match(self, request: CanonicalRequest, at: datetime) -> RecordedCall | None:
        outline = Outline.of(request, at=at, rules=self._rules)
        for call in self._calls:
            if call.number not in self._used and self._outlines[call.number].matches(outline):
                return call
        return None

    def _miss(self, request: CanonicalRequest, at: datetime) -> str:
        name = f"{self.scenario_id!r}" + (f", conversation {self.conversation!r}" if self.conversation else "")
        head = f"call {self._counts.asked} of scenario {name} has no recording: {request.line}"
        again = "Record it with `pytest --record all` when the change is meant."
        found = nearest(self._calls, request, used=self._used, at=at, rules=self._rules)
        if found is None:
            return f"{head}\n{self._nothing_stored()} Record it with `pytest --record once`."
        call, differing = found
        place = f"{self.path}:{call.line}"
        if not differing:
            same = f"The same request was recorded and is already consumed: {place}, by call {self._used[call.number]}."
            return f"{head}\n{same} The agent asks once more than it did. {again}"
        consumed = ", already consumed" if call.number in self._used else ""
        return "\n".join(
            [
                head,
                f"Nearest is call {call.number} ({place}{consumed}). It differs at:",
                *difference_lines(differing),
                again,
            ]
        )

    def _nothing_stored(self) -> str:
        tests = sorted({call.test for call in self._stored if call.conversation == self.conversation})
        if tests:
            shown = ", ".join(tests[:MAX_SHOWN]) + (f" and {len(tests) - MAX_SHOWN} more" if tests[MAX_SHOWN:] else "")
            return f"{self.path} has nothing of {self.test or 'this test'}, but what {shown} recorded."
        conversations = sorted({call.conversation for call in self._stored})
        others = f" (it has the conversations {', '.join(map(repr, conversations))})" if conversations else ""
        return f"There is no recording at all in {self.path}{others}."
