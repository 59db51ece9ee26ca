"""A user's repository for the gate's benchmarks: an agent of one prompt that samples, and scenarios in three languages.

The agent is a Python function without a model: it does what its prompt says, except when chance makes it forget. Its
wording, what it forgets and the tool it picks are drawn from the operating system's chance, so no two runs are alike.
"""

from tests.plugin.ci.conftest import Repository

RULES = (
    "Answer in one or two short sentences.",
    "Say the price when somebody asks for it.",
    "When the hour is clear, book it with book_slot and repeat the hour.",
    "Answer in the customer's language.",
)
HELPFUL = "Say what to bring and how long it takes."
PROMPT = "prompts/shop.md"
SCENARIOS = "tests/eval/conversations/scenarios"
TOOLS = "ScenarioToolsMetric"

CONFIG = """
agent: {{callable: "shop:reply", name: shop, prompts: ["prompts/*.md"]}}
evaluator_config: shop-quality
gate:
  repeats: {repeats}
  most_repeats: 3
  soft_checks: [{tools}, latency_regression]   # this agent sometimes picks a wrong tool: compared, not forbidden
"""

AGENT = '''
"""A small shop's agent: what its prompt says, and chance."""

import os
import random
from pathlib import Path

PROMPT = (Path(__file__).parent / "prompts" / "shop.md").read_text().lower()
CHANCE = random.Random(os.urandom(32))
FORGETS, WRONG_TOOL = 0.04, 0.02
WORDS = {
    "en": {
        "hello": ["Hello", "Hi there", "Good day", "Welcome", "Nice to hear from you"],
        "price": ["It is KES {price}.", "That makes KES {price}.", "The price is KES {price}.", "KES {price} in all."],
        "open": ["At what hour?", "Which hour suits you?", "When would you like to come?", "What time shall we say?"],
        "booked": ["You are booked for {hour}:00.", "Your booking at {hour}:00 stands.", "Booked: {hour}:00."],
        "vague": ["Your booking is done.", "You are on our list.", "That is booked for you."],
        "help": ["It takes an hour; bring nothing.", "Allow an hour, come as you are.", "An hour will do; just come."],
        "none": ["Could you say that again?", "I am not sure what you mean.", "Let me see about that."],
    },
    "sw": {
        "hello": ["Habari", "Karibu", "Salama", "Karibu sana", "Habari za leo"],
        "price": ["Bei ni KES {price}.", "Ni KES {price}.", "Jumla ni KES {price}.", "Gharama ni KES {price}."],
        "open": ["Saa ngapi?", "Ungependa saa ngapi?", "Utakuja saa ngapi?", "Nikuwekee saa ngapi?"],
        "booked": ["Umewekewa nafasi saa {hour}:00.", "Nafasi yako ni saa {hour}:00.", "Tayari: saa {hour}:00."],
        "vague": ["Nafasi yako iko tayari.", "Umewekwa kwenye orodha.", "Tayari umewekewa nafasi."],
        "help": ["Huchukua saa moja; njoo tu.", "Tenga saa moja, usilete kitu.", "Saa moja inatosha; njoo ulivyo."],
        "none": ["Tafadhali rudia.", "Sijaelewa vizuri.", "Ngoja niangalie."],
    },
    "it": {
        "hello": ["Buongiorno", "Salve", "Benvenuta", "Ciao", "Piacere di sentirla"],
        "price": ["Costa KES {price}.", "Sono KES {price}.", "Il prezzo è KES {price}.", "In tutto KES {price}."],
        "open": ["A che ora?", "Quale ora preferisce?", "Quando vuole venire?", "Che ora le va bene?"],
        "booked": ["La prenotazione è alle {hour}:00.", "Prenotato per le {hour}:00.", "Confermato alle {hour}:00."],
        "vague": ["La prenotazione è fatta.", "È sulla nostra lista.", "Tutto prenotato per lei."],
        "help": ["Dura un'ora; non porti nulla.", "Calcoli un'ora, venga così.", "Basta un'ora; venga e basta."],
        "none": ["Può ripetere?", "Non ho capito bene.", "Mi faccia vedere."],
    },
}


def obeys(rule):
    return rule in PROMPT and CHANCE.random() > FORGETS


async def reply(messages, context):
    asked = messages[-1]["content"]
    language = context["language"] if obeys("customer's language") else CHANCE.choice(["en", "fr"])
    if f"{context['language']}: english" in PROMPT:
        language = "en"
    words = {name: CHANCE.choice(many) for name, many in WORDS.get(language, WORDS["en"]).items()}
    more = [words["help"]] if obeys("how long it takes") else []
    hour = next((word for word in asked.replace(".", " ").replace("?", " ").split() if word.isdigit()), "")
    if not hour:
        price = words["price"].format(price=1000 + 10 * (sum(map(ord, asked)) % 100))
        said = [words["hello"] + ".", price if obeys("say the price") else words["none"], *more, words["open"]]
        return " ".join(said)
    if not obeys("book it"):
        return " ".join([words["vague"], *more])
    said = " ".join([(words["booked"] if obeys("repeat the hour") else words["vague"]).format(hour=hour), *more])
    wrong = CHANCE.random() < WRONG_TOOL or "book_slot" not in PROMPT
    call = {"id": "c1", "name": "show_slots" if wrong else "book_slot", "arguments": {"hour": int(hour)}}
    return {"content": said, "tool_calls": [call]}
'''

_OPENINGS = {
    "en": "Hello, how much is {what}?",
    "sw": "Habari, bei ya {what} ni ngapi?",
    "it": "Buongiorno, quanto costa {what}?",
}
_CHOICES = {"en": "At {hour} please.", "sw": "Saa {hour} tafadhali.", "it": "Alle {hour} per favore."}
_SERVICES = {
    "en": ("braids", "a shave", "a massage", "nails", "a haircut", "a facial", "henna", "twists", "a wash", "locks"),
    "sw": ("kusuka", "kunyoa", "masaji", "kucha", "kukata nywele", "uso", "hina", "rasta", "kuosha", "kupaka rangi"),
    "it": (
        "le treccine",
        "la barba",
        "un massaggio",
        "le unghie",
        "un taglio",
        "il viso",
        "l'henné",
        "la piega",
        "il colore",
        "lo shampoo",
    ),
}


def scenario(language: str, at: int, *, opening: str = "") -> str:
    """One scenario file: the price is asked, an hour is chosen, a tool must be called."""
    hour = 9 + at
    words = opening or _OPENINGS[language].format(what=_SERVICES[language][at])
    return (
        f"id: {language}-{at:02}\nlanguage: {language}\nopening: {_quoted(words)}\n"
        f"turns: [{_quoted(_CHOICES[language].format(hour=hour))}, {{end: true}}]\n"
        f"assertions: [{{tool: book_slot, arguments: {{hour: {hour}}}}}]\n"
    )


def files(*, cases: int, repeats: int) -> dict[str, str | None]:
    """The whole repository; `cases` a language, at most ten."""
    found: dict[str, str | None] = {
        "ratiba.yaml": CONFIG.format(repeats=repeats, tools=TOOLS),
        "shop.py": AGENT,
        PROMPT: prompt(*RULES),
        "requirements.txt": "httpx==0.28.1\n",
        "README.md": "# Shop\n",
        ".gitignore": "out/\n__pycache__/\n",
    }
    for language in _OPENINGS:
        found |= {scenario_file(language, at): scenario(language, at) for at in range(cases)}
    return found


def scenario_file(language: str, at: int) -> str:
    """Where this scenario stands."""
    return f"{SCENARIOS}/{language}-{at:02}.yaml"


def prompt(*rules: str) -> str:
    """The prompt file of these rules."""
    return "".join(f"{rule}\n" for rule in rules)


def make_repository(repository: Repository, *, cases: int, repeats: int) -> str:
    """Git with one commit on main; the commit."""
    repository.folder.mkdir(parents=True, exist_ok=True)
    repository.git("init", "-q", "-b", "main")
    commit = repository.commit(files(cases=cases, repeats=repeats), "start")
    (repository.folder / "out").mkdir()
    return commit


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
