"""Recordings of the scenarios that a server plays against a Python function: one turn at a time, several at once."""

import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from pytest_ratiba.recording.process_turn import ProcessTurn
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import RecordingOutcome, ScenarioRecording

if TYPE_CHECKING:
    from pytest_ratiba.pulled import LeasedTurn


TEST = "scenario"  # who recorded what a server plays: the scenario itself, whichever test asks for it


class TurnRecordings:
    """The recording of each conversation, opened at its first turn. A scenario's first conversation has no
    name; further ones (repeats) are called `2`, `3` …"""

    def __init__(self, recorder: Recorder, process_turn: ProcessTurn | None = None) -> None:
        """`process_turn`: other processes of this session bring turns to the same process of an agent."""
        self._recorder, self._process_turn = recorder, process_turn
        self._open: dict[str, ScenarioRecording] = {}  # by the server's conversation
        self._seen: dict[str, int] = {}
        self._outcomes: dict[str, list[RecordingOutcome]] = {}
        self._lock = threading.Lock()

    @asynccontextmanager
    async def around(self, turn: "LeasedTurn") -> AsyncIterator[None]:
        """Calls of the agent in this turn belong to its conversation. A turn that is asked again, because its lease was
        lost, finds the recording as it was before."""
        async with AsyncExitStack() as stack:
            if turn.out_of_process and self._process_turn is not None:
                await stack.enter_async_context(self._process_turn.held(self._recorder.start_endpoint()))
            recording = self._recording_of(turn)
            recording.begin_turn(turn.position)
            stack.enter_context(self._recorder.within(recording, out_of_process=turn.out_of_process))
            yield

    def finished(self, scenario_id: str) -> list[RecordingOutcome]:
        """Return the outcomes of a scenario's conversations; [] the second time.
        Closes every conversation: a batch is played before its first case is reported."""
        with self._lock:
            for recording in self._open.values():
                outcome = self._recorder.close(recording)
                self._outcomes.setdefault(recording.scenario_id, []).append(outcome)
            self._open.clear()
            return self._outcomes.pop(scenario_id, [])

    def _recording_of(self, turn: "LeasedTurn") -> ScenarioRecording:
        with self._lock:
            recording = self._open.get(turn.conversation_id)
            if recording is None:
                scenario_id = str(turn.context.get("scenario") or "scenario")
                number = self._seen[scenario_id] = self._seen.get(scenario_id, 0) + 1
                recording = self._recorder.open(scenario_id, "" if number == 1 else str(number), test=TEST)
                self._open[turn.conversation_id] = recording
            return recording
