"""What the walk does at each stop, and what it says of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from examples.loop.client import LoopClient, WalkStopped

AGENT, CONFIG = "malaika", "malaika-quality"
CRITERION, MARK = "confirms_before_booking", 6.0
BASE, RED, GREEN = "ba5e0001", "0ddba110", "f00dcafe"  # commits of three pull requests
POLICY = {"hard_checks": ["MustNotHappenAgain"], "tokens_margin": 2}  # who asks before booking needs a turn more
BOOKS_AT_ONCE = "As soon as you know\nall three, book it."
CUSTOMER = {"names": ["Achieng Otieno"], "phones": ["+254 712 345 678"]}
SAID = (
    ("user", "Hello, I would like a manicure on Friday at 15:00, please."),
    ("assistant", "Booked: manicure on Friday at 15:00. See you then. The price is KES 1,200."),
    ("user", "Nobody asked me! Achieng Otieno here, 0712 345 678."),
    ("assistant", "Thank you and goodbye."),
)


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
    """A customer's conversation comes in, and the customer presses 👎."""
    at = walk.clock()
    turns = [{"role": role, "content": text, "ts": at} for role, text in SAID]
    taken = walk.api.post(
        "/production/conversations/",
        {"id": f"whatsapp-{at}", "agent": AGENT, "channel": "whatsapp", "customer": CUSTOMER, "turns": turns,
         "ended": True},
    )  # fmt: skip
    rating = {"id": f"press-{at}", "conversation_id": f"whatsapp-{at}", "rating": "down",
              "comment": "It booked before I said yes."}  # fmt: skip
    walk.api.post("/feedback/", rating)
    walk.found |= {"conversation": taken["conversation_id"], "feedback": rating["id"]}
    return f"a 👎 on a conversation of {taken['turns']} turns, kept masked until {taken['keep_until'][:10]}"


def promote(walk: Walk) -> str:
    """It becomes a candidate that says what must not happen again; nothing plays it yet."""
    body = {
        "conversation_id": walk.found["conversation"],
        "feedback_id": walk.found["feedback"],
        "must_not": [{"criterion": CRITERION, "below": MARK}],
    }
    made = walk.api.post("/promotions/", body)
    walk.found["scenario"] = made["scenario_id"]
    return f"{made['scenario']} is a {made['status']}: {CRITERION} must not fall below {MARK:g}"


def release_scenario(walk: Walk) -> str:
    """A person lets it play."""
    scenario = walk.api.get(f"/scenarios/{walk.found['scenario']}/")
    text = f"{scenario['opening']} {scenario['goal']}"
    shown = [one for one in (*CUSTOMER["names"], "712 345 678") if one in text]
    if shown:
        raise WalkStopped(f"the scenario still names the customer: {shown}")
    released = walk.person.post(f"/scenarios/{walk.found['scenario']}/release/")
    return f"{released['status']}, played from now on; it opens with “{scenario['opening']}”"


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
    """What the gates have prevented stands on the scenario."""
    scenario = walk.api.get(f"/scenarios/{walk.found['scenario']}/")
    if scenario["prevented"] != 1:
        raise WalkStopped(f"prevented should be 1: {scenario}")
    return f"{scenario['scenario']}: prevented {scenario['prevented']}"


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


def _played(walk: Walk, *, commit: str, analyze: bool = False) -> str:
    """The live prompt plays all scenarios and is judged; the evaluation's id."""
    body = {"kind": "battle", "agent": AGENT, "scenarios": "all", "evaluator_config": CONFIG,
            "subject": {"agent": AGENT, "commit": commit}, "run_analyzer": analyze}  # fmt: skip
    run = walk.api.post("/test-runs/", body)
    walk.api.wait(f"/test-runs/{run['id']}/status/")
    walk.api.wait(f"/evaluations/{run['evaluation_id']}/status/")
    return str(run["evaluation_id"])


def _gate(walk: Walk, *, commit: str, expected: str) -> str:
    body = {"agent": AGENT, "commit": commit, "base_commit": BASE, "policy": POLICY,
            "candidate": {"evaluation": _played(walk, commit=commit)},
            "baseline": {"evaluation": walk.found["measured"]}}  # fmt: skip
    asked = walk.api.post("/gates/", body)
    gate = walk.api.wait(f"/gates/{asked['id']}/", ended=lambda one: one["status"] != "pending")
    if gate["decision"] != expected:
        raise WalkStopped(f"the gate should {expected}: {gate['decision']}, {gate['sentence']}")
    stopped = ", ".join(one["scenario"] for one in gate["prevented"])
    return f"{gate['decision']}: {gate['sentence']}" + (f" Prevented: {stopped}." if stopped else "")
