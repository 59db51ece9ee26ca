"""A model without a mind: it obeys the prompt it is given, and nothing else. It is no language model.

It knows the services, days and phrases of phrases.json in English, Swahili, both mixed and Italian. As an agent it asks
before it books only where a sentence of its prompt speaks of confirming, writes in the customer's language only where
one says so, names a price only where the prompt has it, and forgets a rule in one conversation of twelve. As a customer
it plays its goal. As a judge it looks at what the transcript shows, and its scores scatter by 0.8. As an analyst it
names the criteria that fail; as an author it gives one section one sentence more. One question has one answer, but
for the agent: it samples, so each `play` of the same messages draws anew what it forgets.
"""

import hashlib
import json
import re
from typing import Any

from examples.obedient_model.author import PHRASES, fix, fixes, rule_for

COLUMN = {"mixed": 0, "en": 0, "sw": 1, "it": 2}
HOURS = PHRASES["hours"]
TIME = re.compile(rf"\b\d{{1,2}}:\d{{2}}\b|(?<=\bat )(?:{'|'.join(HOURS)})\b", re.I)
TURN = re.compile(r"^\[(\d+)\] (user|assistant): (.*)$", re.MULTILINE)


def draw(*parts: object) -> float:
    """From 0 to 1, the same for the same parts."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest()) / 2**48


def language_of(text: str) -> str:
    hits = {one: len({*re.findall(r"\w+", text.lower())} & {*PHRASES[one]["marks"]}) for one in ("en", "sw", "it")}
    return "mixed" if hits["en"] and hits["sw"] else max(hits, key=lambda one: hits[one])


def wish(text: str, language: str) -> dict[str, str]:
    """The service, day and time that the text names last, as the language calls them, as far as it names them."""
    times = [f"{HOURS.index(word.lower()) + 1}:00" if word.lower() in HOURS else word for word in TIME.findall(text)]
    found = {"time": times[-1]} if times else {}
    for name in ("service", "day"):
        hits = [(hit.end(), len(word), row) for row in PHRASES[f"{name}s"] for word in row
                for hit in re.finditer(rf"\b{re.escape(word)}\b", text, re.I)]  # fmt: skip
        found |= {name: max(hits)[2][COLUMN[language]]} if hits else {}
    return found


def said(kind: str, text: str) -> str | None:
    return next((one for one in COLUMN if PHRASES[one][kind].partition("{")[0].strip() in text), None)


def agent(prompt: str, messages: list[dict[str, Any]], seed: int, play: int = 0) -> str:
    def told(topic: str) -> bool:
        speaks = re.compile(PHRASES["told"][topic], re.I)
        rules = [one for one in re.split(r"[.\n]", prompt) if not re.search(r"\b(not|never)\b", one, re.I)]
        return any(speaks.search(one) for one in rules) and draw(seed, topic, prompt, customer[0], *again) >= 1 / 12

    again = (play,) if play else ()
    customer = [str(one["content"]) for one in messages if one["role"] == "user"]
    last = next((str(one["content"]) for one in reversed(messages) if one["role"] == "assistant"), "")
    talk = " ".join(customer)
    language = language_of(talk) if told("language") else "en"
    words, wanted = PHRASES[language], wish(talk, language)
    if said("booked", last) or re.search(r"\b(goodbye|kwaheri|arrivederci)\b", customer[-1], re.I):
        return str(words["close"])
    if len(wanted) < 3:
        return str(words["ask"])
    agreed = said("confirm", last) and re.search(r"\b(yes|ndiyo|sì)\b", customer[-1], re.I)
    listed = re.search(rf"{wish(talk, 'en')['service']}\b.*?KES ([\d,]+)", prompt, re.I)
    price = str(words["price"]).format(price=listed[1]) if listed and not agreed else ""
    return str(words["confirm" if told("confirm") and not agreed else "booked"]).format(**wanted) + price


def customer_message(rules: str, dialogue: str) -> dict[str, Any]:
    goal = rules.rpartition("<goal>")[2].partition("</goal>")[0]
    spoken = re.search(r"Write only in (Swahili and English|Swahili|Italian)", rules)
    language = {"Italian": "it", "Swahili": "sw"}.get(spoken[1], "mixed") if spoken else "en"
    lines = (json.loads(one) for one in dialogue.splitlines() if one.startswith('{"from": "business"'))
    heard = ["", *(one["text"] for one in lines)][-1]
    wanted, there = wish(goal, language), wish(heard, language)
    right = all(there.get(name, wanted.get(name)) == wanted.get(name) for name in ("day", "time"))
    kind, reason = ("open", "") if len(wanted) == 3 else ("bye", "gave_up")
    if said("booked", heard) or said("close", heard):
        kind, reason = ("bye", "goal_met") if right else ("wrong", "gave_up")
    elif said("confirm", heard):
        kind = "yes" if right else "no"
    return {"message": PHRASES[language][kind].format(**wanted), "done": bool(reason), "reason": reason}


def judged(name: str, transcript: str, seed: int, key: str) -> dict[str, Any]:
    turns = TURN.findall(transcript)
    ours = [turn for turn in turns if turn[1] == "assistant"]
    topic = next((one for one, pattern in PHRASES["topics"].items() if re.search(pattern, name)), "")
    shown, good = ours[:1], True
    if topic == "confirm":
        shown = [turn for turn in ours if said("booked", turn[2])][:1]
        good = any(said("confirm", turn[2]) for turn in ours[: ours.index(shown[0])]) if shown else True
    elif topic == "language":
        theirs = language_of(" ".join(text for _, role, text in turns if role == "user"))
        kinds = ("ask", "confirm", "booked", "close")
        other = [turn for turn in ours if any(said(kind, turn[2]) not in (None, theirs) for kind in kinds)]
        shown, good = other[:1] or shown, not other
    elif topic == "price":
        shown = [turn for turn in ours if "KES" in turn[2]][:1] or shown
        good = any("KES" in text for _, _, text in ours)
    score = round((8.8 if good else 2.4) + 1.6 * (draw(seed, name, transcript) - 0.5), 1) if shown else None
    reason = "Nothing speaks against it." if good else f"This was not done: {PHRASES['rules'][topic]}"
    return {"reason": reason, "evidence": [f'[{at}] "{text}"' for at, _, text in shown], key: score}


def judgement(properties: dict[str, Any], question: str, seed: int) -> dict[str, Any]:
    transcript, every = question.partition(">>>\n")[2].partition("\n<<<END")[0], properties["scores"]["properties"]
    keys = {name: next(key for key in one["properties"] if key.startswith("score")) for name, one in every.items()}
    return {"scores": {name: judged(name, transcript, seed, key) for name, key in keys.items()}}


def findings(properties: dict[str, Any], question: str) -> dict[str, Any]:
    key = next(key for key in properties["findings"]["items"]["properties"] if key.startswith("suggestion"))
    failing: dict[str, list[str]] = {}
    for block in re.split(r"^Conversation (?=C\d+ fails:)", question, flags=re.MULTILINE)[1:]:
        for name in re.findall(r"^- (\w+): [\d.]+; the judge", block, re.MULTILINE):
            failing.setdefault(name, []).append(block)
    found = []
    for name, blocks in failing.items():
        at, _, text = next(turn for turn in TURN.findall(blocks[0]) if turn[1] == "assistant")
        labels = [block.partition(" ")[0] for block in blocks]
        quote = {"conversation": labels[0], "quote": f'[{at}] "{text}"'}
        found.append({"title": f"{name} fails", "criteria": [name], "section": "Booking", key: rule_for(name),
                      "conversations": labels, "evidence": [quote]})  # fmt: skip
    return {"findings": found}


def answer(body: dict[str, Any], seed: int, *, play: int = 0) -> str:
    """What the model says, in the role that the schema names; without a schema it is the agent."""
    system = "\n".join(str(one["content"]) for one in body["messages"] if one["role"] == "system")
    if not (shape := body.get("response_format", {}).get("json_schema")):
        return agent(system, body["messages"], seed, play)
    question, properties = str(body["messages"][-1]["content"]), shape["schema"]["properties"]
    roles = {
        "customer_message": lambda: customer_message(system, question), "fix": lambda: fix(properties, question),
        "judgement": lambda: judgement(properties, question, seed), "groups": lambda: {"same": [], "opposed": []},
        "findings": lambda: findings(properties, question), "fixes": lambda: fixes(properties, question),
    }  # fmt: skip
    nonce = re.search(r"<<<[A-Z ]+ ([\w.-]+)>>>", question)
    return json.dumps(roles[shape["name"]]() | ({"nonce": nonce[1]} if nonce else {}), ensure_ascii=False)
