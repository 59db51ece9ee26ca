"""Templates of users: a closed language, and a meter on what rendering one costs."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from apps.core.templating import MAX_OUTPUT_CHARS, TemplateProblem, render, undeclared_variables
from apps.evaluations.domain.judge_texts import TEXTS

CRITERIA = [
    {"name": f"c{n}", "description": "words " * 200, "scoring_guide": {"0": "bad", "10": "good"}} for n in range(100)
]
CONTEXT = {
    "criteria": CRITERIA,
    "config": "tea",
    "version": 3,
    "parameters": {"a": [1, 2]},
    "latency": "",
    "nonce": "n",
}
LOOP = "{{% for {0} in criteria %}}"


@pytest.mark.parametrize(
    "source, said",
    [
        ("{{ 'a'*3000000000 }}", "arithmetic"),
        ("{{ 10**(10**7) }}", "arithmetic"),
        ("{{ -1 }}", "arithmetic"),
        ("{{ 'a' ~ 'b' }}", "joining"),
        ("{{ criteria[0:1] }}", "slice"),
        ("".join(LOOP.format(name) for name in "abc") + "{% endfor %}" * 3, "2 deep"),
        ("{% for a in criteria recursive %}{{ loop(a) }}{% endfor %}", "recursive"),
        ("{% for a in [1, 2] %}{% endfor %}", "something the template is given"),
        ("{% for a in range(9) %}{% endfor %}", "can be called"),
        ("{{ criteria.append(1) }}", "can be called"),
        ("{{ config.format(1) }}", "can be called"),
        ("{{ ''.__class__ }}", "begin with _"),
        ("{{ _meter }}", "begin with _"),
        ("{% set a = 1 %}", "set is not allowed"),
        ("{% macro a() %}{% endmacro %}", "macro is not allowed"),
        ("{% include 'x' %}", "include is not allowed"),
        ("{{ criteria|map('upper') }}", "no filter 'map'"),
        ("{{ config|tojson(indent=1000000) }}", "no arguments"),
        ("{{ 1 is divisibleby 1 }}", "no test"),
        ("{{ " + "+" * 20_000 + "1 }}", "too deeply"),
        ("{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}", "too deeply"),
        ("{{ " + "not " * 20_000 + "1 }}", "too deeply"),
        ("{{ " + "[" * 20_000, "too deeply"),
        ("{{ config" + " and config" * 5_000 + " }}", "levels of nesting"),
        ("{{ config }}" * 6_000, "parts"),
        ("{{ " + "1" * 5_000 + " }}", "digits"),
        ("{{ 1e999 }}", "beyond every range"),
        ("{% if config == 9e9999999 %}{% endif %}", "beyond every range"),
        ("{{ config|default([1e400]) }}", "beyond every range"),
        ("x" * 100_001, "100,001 characters"),
    ],
)  # fmt: skip
def test_what_is_not_in_the_language_is_refused_before_anything_is_evaluated(source, said):
    started = time.process_time()
    for read in (undeclared_variables, lambda text: render(text, CONTEXT)):  # saved today, and stored long ago
        with pytest.raises(TemplateProblem, match=said):
            read(source)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "source, said",
    [
        (LOOP.format("a") + LOOP.format("b") + "{{ b.description }}" + "{% endfor %}" * 2, "gives more than 1,000,000"),
        ("{{ criteria }}" * 1_600, "gives more than"),
        ((LOOP.format("a") + "{% for b in a.description %}" + "{% endfor %}" * 2) * 300, "takes too long"),
        ("{{ 'aaaaaaaaaa'" + "|replace('a', 'aaaaaaaaaa')" * 30 + " }}", "takes too long"),
        ("{{ 'aaaaaaaaaa'" + "|join('aaaaaaaaaa')" * 30 + " }}", "takes too long"),
        ("{{ '\"'" + "|tojson" * 35 + " }}", "takes too long"),
        ("{% if criteria|tojson|upper|lower|trim %}{% endif %}" * 800, "takes too long"),
    ],
)  # fmt: skip
def test_rendering_stops_at_its_limits(source, said):
    started = time.process_time()
    with pytest.raises(TemplateProblem, match=said):
        render(source, CONTEXT)
    assert time.process_time() - started < 2


def test_output_is_cut_while_it_is_made():
    parts = 0

    class Long(str):
        def __str__(self) -> str:
            nonlocal parts
            parts += 1
            return "x" * 100_000

    with pytest.raises(TemplateProblem, match="characters"):
        render("{{ long }}" * 1_000, {"long": Long()})
    assert parts <= MAX_OUTPUT_CHARS // 100_000 + 1


def test_every_text_of_ours_is_in_the_language():
    for texts in TEXTS.values():
        for name in ("system", "criteria", "rules", "opening", "closing", "unreadable", "incomplete", "responses"):
            undeclared_variables(getattr(texts, name))


NAMES = st.sampled_from(["config", "version", "parameters", "criteria", "nonce", "parameters.a", "criteria[0].name"])
FILTERED = st.builds("{}{}".format, NAMES, st.sampled_from(["", "|length", "|upper", "|default('x')", "|list|tojson"]))
TESTED = st.builds(
    "{} {}".format, NAMES, st.sampled_from(["is defined", "== 3", "!= 'n'", "in (3, 'n')", "is mapping"])
)
PIECE = st.one_of(
    st.text("ab \n{}%&<", max_size=8).filter(lambda text: "{" not in text and "%" not in text),
    st.builds("{{{{ {} }}}}".format, FILTERED),
    st.builds("{{{{ 'y' if {} else {} }}}}".format, TESTED, FILTERED),
)
BLOCK = st.one_of(
    PIECE,
    st.builds("{{% if {} %}}{}{{% else %}}{}{{% endif %}}".format, TESTED, PIECE, PIECE),
    st.builds(
        "{{% for c in criteria %}}{}{{{{ loop.index }}}}{{% for k, v in c.scoring_guide.items() %}}{}{{{{ k }}}}"
        "{{% endfor %}}{{% endfor %}}".format, PIECE, PIECE,
    ),
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(BLOCK, max_size=5).map("".join))
def test_what_is_in_the_language_reads_as_jinja_reads_it(source):
    plain = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    context = {**CONTEXT, "criteria": CRITERIA[:3]}
    try:
        wanted = plain.from_string(source).render(context)
    except TypeError:  # the length of a number
        return
    assert render(source, context) == wanted
