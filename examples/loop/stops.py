"""What the walk does at each stop, and what it says of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from examples.loop.client import LoopClient, WalkStopped

AGENT, CONFIG = "malaika", "malaika-quality"
CRITERION, MARK = "confirms_before_booking", 6.0
BASE, RED, GREEN = "ba5e0001", "0ddba110", "f00dcafe"  # commits of three pull requests
BOOKS_AT_ONCE = "As soon as you know\nall three, book it."
CUSTOMER = {"names": ["Achieng Otieno"], "phones": ["+254 712 345 678"]}
MAX_PLAYS = 3  # of a case: what an agent that samples may do once by chance is played again
# Three customers whom the agent booked without asking: (what they wrote, what it answered).
COMPLAINTS = (
    ("Hello, I would like a manicure on Friday at 15:00, please.",
     "Booked: manicure on Friday at 15:00. See you then. The price is KES 1,200."),
    ("Hello, I want a pedicure on Saturday at eleven, please.",
     "Booked: pedicure on Saturday at 11:00. See you then. The price is KES 1,300."),
    ("Habari, naomba masaji siku ya Jumatano saa 16:00.",
     "Nimekuwekea masaji siku ya Jumatano saa 16:00. Karibu. Bei ni KES 2,500."),
)  # fmt: skip
ANGRY = "Nobody asked me! Achieng Otieno here, 0712 345 678."


@dataclass(slots=True, kw_only=True)
class Walk:
    """Where the walk is: the API as a key and as a person who is signed in, and what earlier stops found. `clock` gives
    the time as ISO 8601 text."""

    api: LoopClient
    person: LoopClient
    clock: Callable[[], str]
    found: dict[str, Any] = field(default_factory=dict)
    stops: list[dict[str, Any]] = field(default_factory=list)

    def stop(self, name: str, work: Callable[["Walk"], str]) -> None:
        """One stop: do it, print what came of it and how long it took."""
        started = time.monotonic()
        told = work(self)
        seconds = round(time.monotonic() - started, 1)
        self.stops.append({"stop": name, "seconds": seconds, "found": told})
        print(f"{seconds:6.1f} s  {name:<12} {told}", flush=True)


def measure(walk: Walk) -> str:
    """The live prompt plays every scenario, is judged, and the findings are read."""
    live = next(one for one in walk.api.get("/prompts/")["results"] if one["name"] == AGENT and one["live"])
    walk.found["base_prompt"] = live["version"]
    evaluation = walk.found["measured"] = _played(walk, commit=BASE, analyze=True)
    score = walk.api.get(f"/evaluations/{evaluation}/")["weighted_score"]
    analysis = walk.api.wait(
        f"/evaluations/{evaluation}/analyses/",
        ended=lambda page: bool(page["results"]) and page["results"][0]["status"] not in ("pending", "running"),
    )["results"][0]
    if not analysis["findings"]:
        raise WalkStopped(f"nothing was found: {analysis}")
    finding = next((one for one in analysis["findings"] if CRITERION in one["criteria"]), analysis["findings"][0])
    walk.found |= {"analysis": analysis["id"], "finding": analysis["findings"].index(finding), "fix": finding}
    return f"{score:.2f} of 10; {finding['title']}: {finding['suggestion']}"


def thumbs_down(walk: Walk) -> str:
    """Three customers' conversations come in, and each customer presses 👎."""
    at, taken = walk.clock(), []
    for number, (wish, answer) in enumerate(COMPLAINTS, 1):
        id = f"whatsapp-{number}-{at}"
        said = (("user", wish), ("assistant", answer), ("user", ANGRY), ("assistant", "Thank you and goodbye."))
        turns = [{"role": role, "content": text, "ts": at} for role, text in said]
        body = {"id": id, "agent": AGENT, "channel": "whatsapp", "customer": CUSTOMER, "turns": turns, "ended": True}
        taken.append(walk.api.post("/production/conversations/", body))
        press = {"id": f"press-{id}", "conversation_id": id, "rating": "down"}
        walk.api.post("/feedback/", press | {"comment": "It booked before I said yes."})
    walk.found["conversations"] = [(one["conversation_id"], f"press-{one['id']}") for one in taken]
    until = taken[0]["keep_until"][:10]
    return f"{len(taken)} 👎 on conversations of {taken[0]['turns']} turns, kept masked until {until}"


def promote(walk: Walk) -> str:
    """Each becomes a candidate that says what must not happen again; nothing plays it yet."""
    must_not = [{"criterion": CRITERION, "below": MARK}]
    made = [
        walk.api.post("/promotions/", {"conversation_id": id, "feedback_id": press, "must_not": must_not})
        for id, press in walk.found["conversations"]
    ]
    walk.found["scenarios"] = [one["scenario_id"] for one in made]
    names = ", ".join(f"{one['scenario']} ({one['status']})" for one in made)
    return f"{names}: {CRITERION} must not fall below {MARK:g}"


def release_scenario(walk: Walk) -> str:
    """A person lets them play."""
    openings = []
    for id in walk.found["scenarios"]:
        scenario = walk.api.get(f"/scenarios/{id}/")
        text = f"{scenario['opening']} {scenario['goal']}"
        shown = [one for one in (*CUSTOMER["names"], "712 345 678") if one in text]
        if shown:
            raise WalkStopped(f"the scenario still names the customer: {shown}")
        walk.person.post(f"/scenarios/{id}/release/")
        openings.append(f"“{scenario['opening']}”")
    return f"played from now on; they open with {', '.join(openings)}"


def red_gate(walk: Walk) -> str:
    """A pull request with the prompt as it is meets a gate that knows the customer's case."""
    return _gate(walk, commit=RED, expected="fail")


def draft(walk: Walk) -> str:
    """A draft of the prompt that answers the finding: tracked, and not live."""
    live = next(one for one in walk.api.get("/prompts/")["results"] if one["name"] == AGENT and one["live"])
    text = live["text"].replace(BOOKS_AT_ONCE, walk.found["fix"]["suggestion"])
    body = {"name": AGENT, "text": text, "analysis_id": walk.found["analysis"], "note": "answers the first finding",
            "finding_number": walk.found["finding"] + 1}  # fmt: skip
    made = walk.api.post("/drafts/", body)
    if made["status"] == "refused":
        raise WalkStopped(f"the draft is refused: {made['refusals']}")
    walk.found |= {"draft": made["id"], "text": text}
    return f"{made['prompt_version']}, {made['status']}; live is still {live['version']}"


def trial(walk: Walk) -> str:
    """Live and draft play the same hold-out families; the sentence says whether it is better."""
    at = f"/drafts/{walk.found['draft']}/trials/"
    forecast = walk.api.post(at, {"evaluator_config": CONFIG, "forecast_only": True})
    asked = walk.api.post(at, {"evaluator_config": CONFIG})
    walk.found["trial"] = asked["id"]
    ended = walk.api.wait(f"/trials/{asked['id']}/", seconds=600)
    if ended["verdict"] != "better":
        raise WalkStopped(f"the trial says: {ended['sentence']} {ended.get('error_message', '')}")
    return f"{ended['sentence']} (forecast: {forecast['forecast']['sentence']})"


def release_draft(walk: Walk) -> str:
    """A person hands it over; it is live when its text is recorded with its commit, and not before."""
    handed = walk.person.post(f"/drafts/{walk.found['draft']}/release/", {"acknowledged": True})
    if not handed["live"]:
        walk.api.post("/prompts/", {"name": AGENT, "text": walk.found["text"], "revision": GREEN})
    seen_at = walk.api.get(f"/drafts/{walk.found['draft']}/")["release"]["seen_live_at"]
    if seen_at is None:
        raise WalkStopped(f"{GREEN} holds the draft's text, and it is not seen live")
    return f"{handed['sentence']} Recorded with {GREEN}, it is seen live at {seen_at[11:19]}"


def green_gate(walk: Walk) -> str:
    """The pull request with the fixed prompt passes the same gate."""
    return _gate(walk, commit=GREEN, expected="pass")


def kept(walk: Walk) -> str:
    """What the gates have prevented stands on each scenario."""
    scenarios = [walk.api.get(f"/scenarios/{id}/") for id in walk.found["scenarios"]]
    if any(one["prevented"] != 1 for one in scenarios):
        raise WalkStopped(f"prevented should be 1 each: {scenarios}")
    return "; ".join(f"{one['scenario']}: prevented {one['prevented']}" for one in scenarios)


STOPS: tuple[tuple[str, Callable[[Walk], str]], ...] = (
    ("measured", measure),
    ("thumbs-down", thumbs_down),
    ("candidate", promote),
    ("released", release_scenario),
    ("red gate", red_gate),
    ("draft", draft),
    ("trial", trial),
    ("handed over", release_draft),
    ("green gate", green_gate),
    ("kept", kept),
)


def _played(
    walk: Walk, *, commit: str, scenarios: Any = "all", repeats: int = 1, prompt: str = "", analyze: bool = False
) -> str:
    """The prompt of this commit, else the live one, plays these scenarios and is judged; the evaluation's id."""
    body = {"kind": "battle", "agent": AGENT, "scenarios": scenarios, "repeats": repeats, "evaluator_config": CONFIG,
            "subject": {"agent": AGENT, "commit": commit}, "prompt": prompt, "run_analyzer": analyze}  # fmt: skip
    run = walk.api.post("/test-runs/", body)
    walk.api.wait(f"/test-runs/{run['id']}/status/")
    walk.api.wait(f"/evaluations/{run['evaluation_id']}/status/")
    return str(run["evaluation_id"])


def _gate(walk: Walk, *, commit: str, expected: str) -> str:
    """The gate of this commit by the default rule. The cases that it names are played again on both sides, and it is
    asked once more, as `ratiba-ci gate` does."""
    sides = {"candidate": _played(walk, commit=commit), "baseline": walk.found["measured"]}
    gate, plays = _decided(walk, commit, sides), 1
    if gate["play_again"]:
        again, plays = gate["play_again"], MAX_PLAYS
        ids, times = [one["id"] for one in again], max(one["times"] for one in again)
        sides = {
            "candidate": _played(walk, commit=commit, scenarios=ids, repeats=times),
            "baseline": _played(walk, commit=BASE, scenarios=ids, repeats=times, prompt=walk.found["base_prompt"]),
        }
        gate = _decided(walk, commit, sides, replays_of=gate["id"])
    if gate["decision"] != expected:
        raise WalkStopped(f"the gate should {expected}: {gate['decision']}, {gate['sentence']}")
    stopped = ", ".join(one["scenario"] for one in gate["prevented"])
    again_words = f" Asked twice: {len(ids)} played {plays} times." if plays > 1 else ""
    return f"{gate['decision']}: {gate['sentence']}{again_words}" + (f" Prevented: {stopped}." if stopped else "")


def _decided(walk: Walk, commit: str, sides: dict[str, str], **more: Any) -> Any:
    named = {side: {"evaluation": id} for side, id in sides.items()}
    asked = walk.api.post("/gates/", {"agent": AGENT, "commit": commit, "base_commit": BASE, **named, **more})
    return walk.api.wait(f"/gates/{asked['id']}/", ended=lambda gate: gate["status"] != "pending")
