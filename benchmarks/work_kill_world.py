"""All that is outside of `benchmarks.work_kills`, on loopback: models, an agent, receivers of posts. It notes each
request when it comes and answers after 0.3 to 1.5 s, so that a kill finds calls under way.

The first part of a path says who is asked: `/stub/v1/chat/completions`, `/hook/…`. What was asked outlives every kill,
since the servers stand in the drill's own process, which nobody kills.
"""

import hashlib
import itertools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.stage_world import StageWorld
from benchmarks.work_kill_seeds import LANGFUSE_ROWS
from tests.budgets.test_killed_workers import somebody
from tests.improvement.test_analysing import HEADER, Analyst, finding
from tests.improvement.test_failure_modes import Grouper
from tests.improvement.test_playground import Speaker
from tests.improvement.test_proposing import Author
from tests.loopback.http_server import Answer, Request
from tests.loopback.langfuse import LangfuseProject
from tests.loopback.providers import ModelProvider
from tests.loopback.stub_model import Behaviour, StubModel
from tests.personas.persona_model import PersonaModel
from tests.personas.review_bench import KEPT, Reviewer
from tests.production.test_langfuse_poll import Project
from tests.production.test_whatsapp_questions import Graph
from tests.reports.test_report_summaries import Writer

MIN_S, MAX_S, LATE_S = 0.3, 1.5, 0.5
Handler = Callable[[Request], Answer]


class OutsideWorld:
    """The handler behind the server. `asked` has (came, answered, key) of each post by who was asked; the key is
    the same for the same thing asked again: its webhook-id, else what was sent."""

    def __init__(self, handlers: Mapping[str, Handler], *, chance: random.Random) -> None:
        self.handlers, self.chance = dict(handlers), chance
        self.asked: defaultdict[str, list[tuple[float, float, str]]] = defaultdict(list)
        self.under_way_at_kills: Counter[str] = Counter()

    def __call__(self, request: Request) -> Answer:
        name, _, rest = request.path.removeprefix("/").partition("/")
        if name not in self.handlers:
            return Answer(status=404)
        answer = self.handlers[name](replace(request, path=f"/{rest}"))
        delay_s = self.chance.uniform(MIN_S, MAX_S)
        key = request.headers.get("webhook-id") or hashlib.blake2b(request.path.encode() + request.body).hexdigest()
        if request.method == "POST":
            now = time.monotonic()
            self.asked[name].append((now, now + delay_s, key))
        return replace(answer, delay_s=delay_s)

    def note_kill(self, since: float) -> None:
        """Count what is under way now, and what was answered since `since` and could not be stored: so many may be
        asked again."""
        now = time.monotonic()
        for name, asked in list(self.asked.items()):
            self.under_way_at_kills[name] += sum(
                came <= now and answered + LATE_S >= since for came, answered, _ in asked
            )

    def once(self, name: str) -> int:
        """How many different things it was asked."""
        return len({key for _, _, key in self.asked[name]})


def taken(_: Request) -> Answer:
    """A receiver that takes everything."""
    return Answer(status=204)


def handlers() -> dict[str, Handler]:
    """Who is asked, by the first part of the path."""
    stage = StageWorld(agent_s=0, model_s=0)
    numbers = itertools.count()
    writer = PersonaModel(lambda slot, asked: somebody(slot, next(numbers)))
    grouper, author, project, summaries = Grouper("price"), Author(), Project(), Writer()
    judge = StubModel(Behaviour(latency_s=0))
    project.rows = LANGFUSE_ROWS

    def optimizer(request: Request) -> Answer:
        if b"END NOTES" in request.body:
            return grouper._handle(request)
        author.fix |= {"replacement": f"# Payment\nNever ask for a PIN, {next(numbers)}."}
        return author._handle(request)

    return {
        "stub": judge,
        "agent": stage,
        "customer": stage,
        "reviewer": Reviewer(KEPT)._handle,
        "personas": writer._handle,
        "speaker": Speaker()._handle,
        "analyst": Analyst(lambda prompt: {"findings": [finding(HEADER.findall(prompt))]})._handle,
        "writer": lambda request: (summaries._handle if b"END FACTS" in request.body else judge)(request),
        "optimizer": optimizer,
        "checked": ModelProvider("ready")._handle,
        "graph": Graph(),
        "sink": LangfuseProject(),
        "project": project,
        "slack": taken,
        "alerts": taken,
        "callbacks": taken,
        "collector": taken,
    }
