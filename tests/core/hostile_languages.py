# ruff: noqa: E501 - lists of hostile texts
"""Texts in the languages that people write and we run, made to take too long, too much room, or to break their reader.

Each language has bombs that were met or thought of, a grammar that nests at random, and mutations of both. A seed gives the
same texts every time.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

from apps.catalog.configs.domain.template import check_template
from apps.catalog.domain.catalog_yaml import dump, load
from apps.connectors.agents.json_paths import Paths
from apps.connectors.agents.templates import Template
from apps.core.errors import BadInput
from apps.core.patterns import compile_pattern
from apps.core.templating import render
from apps.offline.rules.customer_goal import read_goal

GUIDE = {"0": "bad", "10": "good"}
CRITERIA = [{"name": f"c{n}", "description": "words " * 300, "scoring_guide": GUIDE, "weight": 1.0} for n in range(100)]
CONTEXT = {
    "criteria": CRITERIA,
    "config": "tea",
    "version": 3,
    "parameters": {"a": [1, 2]},
    "latency": "",
    "nonce": "n",
    "language": "sw",
    "prompt_language": "en",
    "rubric_language": "en",
    "reason_language": "en",
}
ANSWERS: tuple[Any, ...] = (
    {"a": [{"b": "a" * 30, "t": "text", "c": {"d": [1, 2, 3]}} for _ in range(3_000)], "reply": "hi"},
    [[[[1, "a" * 5_000]]] * 50] * 50,
)
TEXTS = ("a" * 3_000 + "!", "ab " * 1_000, " " * 3_000 + "x", "0" * 3_000 + ".", "booked for Friday at 10")

TEMPLATE_BOMBS = (
    "{{ 'a'*3000000000 }}",
    "{{ 10**(10**7) }}",
    "{{ " + "+" * 20_000 + "1 }}",
    "{{ " + "(" * 40_000,
    "{{ " + "[" * 40_000,
    "{% for a in criteria %}" * 3 + "{{ a }}" + "{% endfor %}" * 3,
    "{{ 'aa'" + "|replace('a','aaaaaaaaaa')" * 35 + " }}",
    "{{ '\"'" + "|tojson" * 35 + " }}",
    "{% for a in range(10**9) %}{% endfor %}",
    "{{ config.__class__.__mro__ }}",
    "{{ criteria|tojson(indent=10000000) }}",
    "{% set a = criteria %}{{ a }}",
    "{{ 'x'.join(criteria|map('upper')) }}",
    "{{ criteria }}" * 1_600,
    "{% for a in criteria %}{% for b in a.description %}{% endfor %}{% endfor %}" * 200,
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{{ config" + " and config" * 8_000 + " }}",
    "{% if a %}" * 9_000,
    "{{ " + "9" * 50_000 + " }}",
    "{{ 1" + "_1" * 40_000 + " }}",
    "{#" * 40_000,
    "{{ config.format(config) }}",
    "{{ '%0999999999d'|format(1) }}",
    "{{ criteria|batch(1)|list }}",
    "{{ lipsum(n=100000) }}",
    "{% raw %}" * 5_000,
)
TEMPLATE_WORDS = (
    "criteria",
    "config",
    "a",
    "b",
    "a.name",
    "a.description",
    "parameters",
    "nonce",
    "1",
    "'x'",
    "loop.index",
    "2.5",
    "criteria[0]",
    "a.scoring_guide.items()",
    "none",
    "true",
    "missing",
    "self",
    "range(9)",
    "cycler",
    "a['name']",
)
TEMPLATE_JOINS = (
    "{0} and {1}",
    "{0} or {1}",
    "not {0}",
    "{0} == {1}",
    "{0} in {1}",
    "{0} if {1} else {0}",
    "({0}, {1})",
    "{0}|upper",
    "{0}|join({1})",
    "{0}|replace({1}, {0})",
    "{0}|tojson",
    "{0}|default({1})",
    "{0}|sort",
    "{0}|list",
    "{0} + {1}",
    "{0} * {1}",
    "{0} ** {1}",
    "{0} ~ {1}",
    "{0}[{1}]",
    "{0}.items()",
    "{0}|length",
    "{0} is defined",
    "{{{0}: {1}}}",
    "{0}({1})",
    "-{0}",
    "{0}|trim|title|lower",
    "{0}|dictsort",
    "{0}|first|last",
)
TEMPLATE_FORMS = ("{{{{ {} }}}}", "{{% if {} %}}x{{% endif %}}", "{{% for a in {} %}}", "{{% endfor %}}", "text")
SOUND_WORDS = (
    "criteria",
    "config",
    "parameters",
    "nonce",
    "version",
    "'x'",
    "criteria[0].name",
    "parameters.a",
    "language",
)
SOUND_JOINS = (
    "{0} and {1}",
    "{0} or {1}",
    "not {0}",
    "{0} == {1}",
    "{0} if {1} else {0}",
    "{0}|default({1})",
    "{0}|tojson|upper",
    "{0}|list",
    "{0}|join('-')",
    "{0}|tojson|replace('a', {1}|tojson)",
    "{0}|tojson|replace('e', 'eeeeeeee')",
    "{0}|tojson|trim|title",
    "{0} is defined",
)
SOUND_FORMS = (
    "{{{{ {} }}}}",
    "{{% if {} %}}x{{% else %}}y{{% endif %}}",
    "{{% for c in criteria %}}{{{{ c.name }}}}{}{{% endfor %}}",
    "text",
    "{{% for c in criteria %}}{{% for k, v in c.scoring_guide.items() %}}{{{{ v }}}}{{{{ {} }}}}{{% endfor %}}{{% endfor %}}",
)
YAML_BOMBS = (
    "[" * 80_000,
    "{a: " * 40_000,
    "- " * 40_000,
    "? " * 40_000,
    "\n".join(" " * n + "a:" for n in range(800)),
    "a: &a [*a]",
    "a: 1" + ":59" * 30_000,
    "a: 0x" + "f" * 90_000,
    "a: " + "1" * 90_000,
    "---\n" * 60_000,
    "&a " * 30_000,
    "x: &a0 [x]\n" + "".join(f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    "? &a0 [x]\n: 1\n" + "".join(f"? &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n: 1\n" for n in range(1, 12)),
    "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 25)),
    "a: &a " + "x" * 50_000 + "\nb: [" + ", ".join(["*a"] * 5_000) + "]",
    "a: '" + "\n" * 90_000,
    "|" * 9_000,
    "!" * 9_000,
    "a: !!python/object/apply:os.system [id]",
    "a: !!timestamp x",
    "a: !!bool x",
    "a: !!binary x",
    "<<: *a",
    "\ufeff\ufeff",
    "%TAG ! tag:x," + "y" * 9_000 + "\n---\n!z a",
    '"\\U0000D800"',
    "{a: 1, a: 2}",
    "a: ." + "_" * 50_000,
)
YAML_PARTS = (
    "a: ",
    "- ",
    "? ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\n",
    "\n  ",
    "\n    ",
    "&a ",
    "*a",
    "!!int ",
    "!!set ",
    "<<: ",
    "'",
    '"',
    "|\n ",
    ">-\n ",
    "#",
    "---\n",
    "...\n",
    "1e9",
    "0o7",
    "~",
    "2026-01-01",
    "12:30:45",
    "\t",
    "\r",
    "%",
    "@",
    "é",
    "\x85",
)
PATH_BOMBS = (
    "$[?@.b =~ /^(a+)+$/]",
    "$.a[?match(@.b, '(a+)+b')]",
    "$.a[?@.x * 9 ** 9 ** 9 > 1]",
    "$..*..*..*..*",
    "$" + "[0,0]" * 80,
    "$" + "[*]" * 100,
    "$..[?@..[?@..[?@..b]]]",
    "$[?" + "(" * 400,
    "$[?" + "!" * 480 + "@.a]",
    "$[?@ == " + "9" * 480 + "]",
    "$[?$..a == $..a]",
    "$[?count($..*) > 1]",
    "$['" + "a" * 90_000,
    "$" + ".a" * 30_000,
    "$[::0]",
    "$[" + "9" * 400 + "]",
    "$.a[?length(@.b) > 1]",
    "$..[?count(@.*) > 0]",
    "$.`a`",
    "$.a[/(@.b)]",
    "$.(a,b)",
)
PATH_PARTS = (
    "$",
    ".a",
    ".b",
    "..",
    "[*]",
    "[0]",
    "[-1]",
    "[0,1]",
    "[1:3]",
    "['a']",
    "[?@.b]",
    "[?@.t == 'text']",
    "[?!@.t]",
    ".*",
    "[?@.b && @.c || @.t]",
    "[?count(@.*) > 1]",
    "[?length(@.b) > 3]",
    "[?value(@..d)]",
    "[?@",
    "]",
    "(",
    ")",
    "=~",
    "/a+/",
    "*",
    " ",
    "1e5",
    "@",
    "[?$.a]",
    "[?@[?@.b]]",
    "match(@.b, 'a')",
    "é",
    "\\u0000",
    "[(@.length-1)]",
)
PATTERN_PARTS = (
    "a",
    "(a+)+",
    "(a|a)*",
    "(.*)*",
    r"\w+\s?",
    "(a|aa)+",
    "[^b]*",
    "$",
    "^",
    "(?=a*)",
    "(?i)",
    "{1,1000}",
    "*",
    "+",
    "?",
    "(",
    ")",
    "|",
    r"(\w)\1",
    r"(?:a{1,30}){1,30}",
    ".*.*.*",
    "(?P<x>a)",
    "[a-",
    "]",
    "\\",
    r"\b",
    "(?<=a)",
    "(a*)*b",
    "\u0130",
    "{9999999999}",
)
GOAL_PARTS = (
    " " * 400,
    "- " * 200,
    "time",
    "saa ",
    ": ",
    "=",
    "'" * 300,
    "at 10 ",
    "\n",
    "_" * 200,
    "au or now ",
    "0" * 300,
    "é ",
)
BODY_PARTS = (
    "{{ text }}",
    "{{ history }}",
    "{{ messages | json }}",
    "{{",
    "}}",
    "{{ secret.x }}",
    "{{ a }}",
    "{{ 1+1 }}",
    "{{  ",
    "x",
)

Made = tuple[str, Any]


def nested(chance: random.Random, depth: int, sound: bool) -> str:
    """An expression of a template; a sound one has nothing in it that the language lacks."""
    words, joins = (SOUND_WORDS, SOUND_JOINS) if sound else (TEMPLATE_WORDS, TEMPLATE_JOINS)
    if depth <= 0 or chance.random() < 0.3:
        return chance.choice(words)
    left, right = nested(chance, depth - 1, sound), nested(chance, depth - 2, sound)
    return f"({chance.choice(joins).format(left, right)})"


def template(chance: random.Random) -> str:
    sound = chance.random() < 0.6
    parts = []
    for _ in range(chance.randint(1, 12)):
        expression = nested(chance, chance.randint(0, 6), sound)
        forms = SOUND_FORMS if sound else TEMPLATE_FORMS
        parts.append(chance.choice(forms).format(expression))
    text = "".join(parts)
    loops = text.count("{% for") - text.count("{% endfor")
    return (text + "{% endfor %}" * max(0, loops)) * chance.choice((1, 1, 1, 50, 400))


def yaml_file(chance: random.Random) -> str:
    """Sound data written out, or parts in any order."""
    if chance.random() < 0.5:
        return joined(chance, YAML_PARTS, 60)
    return dump({"a": data(chance, chance.randint(0, 7)), "b": data(chance, 2)}) * chance.choice((1, 1, 3))


def data(chance: random.Random, depth: int) -> Any:
    if depth <= 0:
        return chance.choice((None, True, 1, 2.5, "x", "a: b", "- c", "y" * 500, "é\u2028", "1:30", "~", ""))
    items = [data(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return items if chance.random() < 0.5 else {f"k{n}": item for n, item in enumerate(items)}


def json_path(chance: random.Random) -> str:
    return "$" + joined(chance, PATH_PARTS[1:14] if chance.random() < 0.6 else PATH_PARTS, 8)


def body(chance: random.Random) -> str:
    return joined(chance, BODY_PARTS[:3] if chance.random() < 0.5 else BODY_PARTS, 40)


def joined(chance: random.Random, parts: tuple[str, ...], most: int) -> str:
    return "".join(chance.choice(parts) for _ in range(chance.randint(1, most)))


def mutated(chance: random.Random, text: str) -> str:
    """A piece of it left out, doubled many times over, or put elsewhere."""
    if len(text) < 2:
        return text
    low, high = sorted(chance.sample(range(len(text) + 1), 2))
    piece = text[low : min(high, low + 200)]
    return chance.choice(
        (
            text[:low] + text[high:],
            text[:low] + piece * chance.choice((2, 30, 3_000)) + text[high:],
            text[high:] + piece + text[:low],
            text[:low] + chance.choice(("\0", "\ud800", "\u2028", "\x85", "é" * 500)) + text[low:],
        )
    )


def texts_of(language: str, count: int, seed: int) -> Iterator[str]:
    """`count` texts: the bombs, what the grammar makes, and mutations of all of them."""
    bombs, make, _ = LANGUAGES[language]
    chance = random.Random(f"{language} {seed}")
    made = list(bombs)
    for number in range(count):
        if number < len(bombs):
            yield bombs[number]
        elif chance.random() < 0.4:
            yield mutated(chance, chance.choice(made))
        else:
            made.append(make(chance))
            yield made[-1]


def run_template(text: str) -> None:
    """Saved today, and stored before there was a rule."""
    try:
        check_template(text)
    except BadInput as refused:
        render(text, CONTEXT)
        if (
            refused.code == "template"
        ):  # and not for a name that nobody fills in, which may stand where nothing is rendered
            raise AssertionError("what is refused when it is saved was rendered") from None
        return
    render(text, CONTEXT)


def run_yaml(text: str) -> None:
    for document in load(text, "hostile.yaml"):
        document.line("/a/0/a")


def run_path(text: str) -> None:
    paths = Paths({"reply": text}, {"reply": ""})
    for answer in ANSWERS:
        paths.find("reply", answer)


def run_pattern(text: str) -> None:
    pattern = compile_pattern(text, "/when", ignore_case=True)
    for said in TEXTS:
        pattern.found_in(said)


def run_goal(text: str) -> None:
    read_goal(text, text, 1)


def run_body(text: str) -> None:
    value: Any = text
    for _ in range(len(text) % 90):
        value = [value, {"a": text}] if len(text) < 500 else [value]
    names = ("text", "history", "messages", "secret")
    history = [{"role": "user", "content": "x" * 200}] * 200
    Template(value, "/options/body", names=names).render({"text": "x", "history": history, "messages": history})


Language = tuple[tuple[str, ...], Callable[[random.Random], str], Callable[[str], None]]
LANGUAGES: dict[str, Language] = {
    "templates": (TEMPLATE_BOMBS, template, run_template),
    "YAML files": (YAML_BOMBS, yaml_file, run_yaml),
    "JSONPaths": (PATH_BOMBS, json_path, run_path),
    "patterns": (PATTERN_PARTS, lambda chance: joined(chance, PATTERN_PARTS, 8), run_pattern),
    "goals": (tuple(part * 200 for part in GOAL_PARTS), lambda chance: joined(chance, GOAL_PARTS, 30), run_goal),
    "request bodies": (("{{" * 50_000,), body, run_body),
}
