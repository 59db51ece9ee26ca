"""Profiles: the sections of project_config files, read one way wherever they come from."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.catalog.connections.domain.profile import (
    MINIMAL,
    NO_PROFILE,
    judging_profile,
    parse_profile,
    profile_schema,
    read_profile,
)
from apps.catalog.connections.domain.profile_patterns import PEGA_DEFAULTS, detection_patterns, pega_defaults
from apps.catalog.connections.services.profile_files import profile_for_capture, read_profile_file
from apps.catalog.connections.services.storing import save_agent
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.goldens.services.versions import release_golden_version, store_golden_version
from apps.catalog.models import Agent, ProfileVersion
from apps.checks.queries.metric_cases import run_cases
from apps.core.errors import BadInput
from tests.catalog.samples import NOW
from tests.runs.stage import make_agent, play, replays

EXPECTED = Path(__file__).parent.parent / "examples" / "pega" / "expected"
SHIPPED = PEGA_DEFAULTS.parent
CAMPAIGN = json.loads((Path(__file__).parents[2] / "examples" / "pega" / "project_config.campaign.json").read_text())
GOLDEN = json.loads((EXPECTED / "golden_PXCONV-4081.json").read_text())


def test_a_judge_gets_role_outcome_and_facts_from_the_sections():
    profile = read_profile(CAMPAIGN)
    identity = CAMPAIGN["agent_identity"]
    assert profile.chatbot_role == f"{identity['role']}\n{identity['off_topic_guidance']}"
    assert "3. Audience: an audience is assembled and approved" in profile.expected_outcome
    assert profile.context == tuple(CAMPAIGN["hallucination_context"])


def test_facts_fall_back_to_who_the_agent_is():
    assert read_profile({"agent_identity": {"role": "Host", "organization": "Amani"}}).context == ("Host", "Amani")
    assert read_profile({"agent_identity": {"organization": "Amani"}}).chatbot_role == "Amani"


def test_reading_again_changes_nothing_and_older_names_mean_the_same():
    assert parse_profile(CAMPAIGN) == CAMPAIGN
    old = {"identity": {"role": "Host"}, "known_facts": ["Open till seven."]}
    new = {"agent_identity": {"role": "Host"}, "hallucination_context": ["Open till seven."]}
    assert parse_profile(old) == parse_profile(new) == new


def test_patterns_may_be_written_in_four_ways():
    forms = ({"a b": "T"}, [["a b", "T"]], [{"pattern": "a b", "tool": "T"}])
    assert {json.dumps(parse_profile({"tool_patterns": form})) for form in forms} == {
        json.dumps({"tool_patterns": [{"pattern": "a b", "tool": "T"}]})
    }
    assert parse_profile({"step_agent_patterns": ["a b"]}) == {"step_agent_patterns": [{"pattern": "a b"}]}


@pytest.mark.parametrize(
    "raw, pointer",
    [
        ({"agent_identity": {"rol": "x"}}, "/agent_identity/rol"),
        ({"identity": {"role": 3}}, "/identity/role"),
        ({"identity": {}, "agent_identity": {}}, "/identity"),
        ({"workflow": {"stages": ["x", 1]}}, "/workflow/stages/1"),
        ({"hallucination_context": ["x", " "]}, "/hallucination_context/1"),
        ({"tool_patterns": {"(": "x"}}, "/tool_patterns/("),
        ({"tool_patterns": [{"pattern": "x"}]}, "/tool_patterns/0/tool"),
        ({"tool_patterns": [{"pattern": "x", "tool": "t", "too": 1}]}, "/tool_patterns/0/too"),
        ({"silent_upload_patterns": ["x", "(a+)+$"]}, "/silent_upload_patterns/1"),
        ({"silent_upload_patterns": ["a" * 1_000_000]}, "/silent_upload_patterns/0"),
        ({"surprise": 1}, "/surprise"),
        ([], ""),
    ],
)
def test_what_is_wrong_is_named_by_its_path(raw, pointer):
    with pytest.raises(BadInput) as refused:
        parse_profile(raw, "")
    assert refused.value.pointer == pointer


def test_the_shipped_template_and_schema_are_what_the_reader_takes():
    template = json.loads((SHIPPED / "project_config.template.json").read_text())
    assert set(parse_profile(template)) == {name for name in template if name[0] != "_"}
    schema = json.loads((SHIPPED / "project_config.schema.json").read_text())
    assert schema == {"$schema": schema["$schema"], "title": schema["title"], **profile_schema()}
    jsonschema.validate(CAMPAIGN, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"agent_identity": {"rol": "x"}}, schema)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_names = st.sampled_from([*CAMPAIGN, "identity", "known_facts", "name", "_about", "x"])


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(_names, _json, max_size=4))
def test_any_document_is_read_or_refused_in_words(raw):
    pointer, found = "/profile", {}
    try:
        found = parse_profile(raw)
    except BadInput as error:
        pointer = error.pointer
    assert pointer.startswith("/profile")
    assert parse_profile(found) == found
    read_profile(found)


def test_the_shipped_patterns_find_what_a_hand_found_in_the_campaign():
    profile = read_profile(CAMPAIGN)
    patterns = detection_patterns(profile.tool_patterns, profile.step_agent_patterns, profile.silent_upload_patterns)
    for turn in [GOLDEN["greeting"], *GOLDEN["turns"]]:
        assert list(patterns.tools_in(turn["reply"])) == turn["tools"], turn
        assert list(patterns.step_agents_in(turn["reply"])) == [one["name"] for one in turn["step_agents"]], turn
        assert patterns.is_upload(turn["reply"]) == bool(turn.get("file_attachment")), turn


def test_defaults_are_15_11_and_3_and_prose_is_no_tool():
    defaults = pega_defaults()
    assert [len(defaults[name]) for name in ("tool_patterns", "step_agent_patterns", "silent_upload_patterns")] == [
        15, 11, 3,
    ]  # fmt: skip
    patterns = detection_patterns()
    assert patterns.tools_in("The next step requires 3rd party approval. We make good progress at this stage.") == ()
    assert patterns.tools_in("The current stage is Review.") == ("GetCaseStages",)
    assert patterns.step_agents_in("🤖 working") == ("",)
    assert patterns.step_agents_in("Specialist agent Audience Builder was called") == ("Audience Builder",)
    assert detection_patterns(defaults=False).tools_in("glossary") == ()


def test_the_golden_sessions_own_profile_judges_first_and_minimal_defaults_last():
    own, agents = {"agent_identity": {"role": "own"}}, {"agent_identity": {"role": "agent's"}}
    assert judging_profile(own, agents)[0].role == "own"
    assert judging_profile({}, agents)[0].role == "agent's"
    assert judging_profile(None, {}) == (MINIMAL, NO_PROFILE)


def written(path: Path, role: str) -> Path:
    path.write_text(json.dumps({"agent_identity": {"role": role}}))
    return path


def test_both_chains_take_the_first_file_there_is_and_say_why(tmp_path):
    stored = {"agent_identity": {"role": "stored"}}
    empty = profile_for_capture(environment={}, folder=tmp_path)
    assert (empty.profile, empty.warning, empty.document) == (MINIMAL, NO_PROFILE, {})
    assert "minimal defaults" in empty.explain()
    written(tmp_path / "project_config.template.json", "template")
    chain = {"environment": {}, "folder": tmp_path, "stored": stored}
    assert profile_for_capture(**chain).profile.role == "stored"
    written(tmp_path / "project_config.b.json", "b")
    written(tmp_path / "project_config.a.json", "a")
    assert profile_for_capture(**chain).profile.role == "a"
    written(tmp_path / "project_config.json", "plain")
    assert profile_for_capture(**chain).profile.role == "plain"
    chain["environment"] = {"PROJECT_CONFIG": str(written(tmp_path / "e.json", "environment"))}
    assert profile_for_capture(**chain).profile.role == "environment"
    explicit = written(tmp_path / "x.json", "explicit")
    found = profile_for_capture(explicit=explicit, **chain)
    assert (found.profile.role, found.warning) == ("explicit", "")
    assert found.explain().splitlines()[:2] == [
        f"1. --project-config: {explicit}: taken",
        f"2. the variable PROJECT_CONFIG: {tmp_path / 'e.json'}: passed over, an earlier place has one",
    ]


def test_a_file_at_fault_is_named_with_line_or_path(tmp_path):
    bad = tmp_path / "project_config.json"
    for text, told in (("{\n,}", "line 2"), ('{"workflow": {"stages": [1]}}', "at /workflow/stages/0")):
        bad.write_text(text)
        with pytest.raises(BadInput, match=told) as refused:
            profile_for_capture(environment={}, folder=tmp_path)
        assert str(bad) in refused.value.message
    with pytest.raises(BadInput, match=r"nowhere\.json"):
        read_profile_file(tmp_path / "nowhere.json")


def test_every_profile_an_agent_had_is_a_version(tenant):
    agent = {"name": "desk", "kind": "scripted", "address": "", "options": {"replies": ["x"]}}
    save_agent(**agent, profile={"identity": {"role": "one"}})
    save_agent(**agent, profile={"agent_identity": {"role": "one"}})  # the same in today's words
    text = "agents: [{name: desk, kind: scripted, options: {replies: [x]}, profile: {identity: {role: two}}}]"
    import_catalog_text(text=text, file="desk.yaml", at=NOW)
    import_catalog_text(text=text, file="desk.yaml", at=NOW)
    rows = ProfileVersion.objects.order_by("number").values_list("number", "document", "source")
    assert list(rows) == [
        (1, {"agent_identity": {"role": "one"}}, "save_agent"),
        (2, {"agent_identity": {"role": "two"}}, "desk.yaml"),
    ]
    assert Agent.objects.get().profile == {"agent_identity": {"role": "two"}}


def test_conversations_are_judged_by_the_golden_sessions_own_profile(tenant):
    make_agent()
    theirs = {"agent_identity": {"role": "the agent's"}, "hallucination_context": ["Open till seven."]}
    Agent.objects.update(profile=theirs)
    document = {"id": "g", "turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
    own = {
        "agent_identity": {"role": "the golden one's", "off_topic_guidance": "Declines."},
        "workflow": {"stages": ["x"]},
    }
    for name, profile in (("own", own), ("none", {})):
        version = store_golden_version(name=name, document=document, profile=profile)
        release_golden_version(version_id=version.version_id, document=document, now=NOW)
    run = replays("own", "none")
    play()
    cases = [found.case for found in run_cases(run_id=run)[0]]
    assert [one.role for one in cases] == ["the golden one's\nDeclines.", "the agent's"]
    assert [one.facts for one in cases] == [("the golden one's",), ("Open till seven.",)]
    assert "1. x" in cases[0].expected_outcome
    Agent.objects.update(profile={})
    run = replays("none")
    play()
    (bare,) = [found.case for found in run_cases(run_id=run)[0]]
    assert (bare.role, bare.facts, bare.warnings) == (MINIMAL.chatbot_role, (), (NO_PROFILE,))
