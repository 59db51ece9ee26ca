"""A catalog comes in by YAML and goes out the same; what is wrong is named by file, line and field."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.catalog.configs.queries.versions import resolve_config
from apps.catalog.files.services.exporting import export_catalog
from apps.catalog.files.services.importing import import_catalog
from apps.catalog.files.services.packs import load_pack, pack_names
from apps.catalog.models import Agent, Criterion, EvaluatorConfigVersion, Persona, Scenario
from apps.core.errors import BadInput, NotFound
from tests.catalog.samples import NOW, TEA_YAML, questions

VERSION = "/evaluator_configs/0/versions/0"
SEED_SCENARIO = """
# backend/tests/eval/conversations/scenarios/spa_booking_swahili_happy.yaml
id: spa_booking_swahili_happy
language: sw # gates SwahiliFluencyMetric
assertions:
- metric: SwahiliFluencyMetric
  threshold: 0.80
- metric: BookingSlotConsistencyMetric # language-agnostic
  threshold: 1.0
"""


@pytest.fixture
def tea(tmp_path, tenant):
    file = tmp_path / "tea.yaml"
    file.write_text(TEA_YAML)
    return file


def bring_in(*paths):
    return import_catalog(paths=list(paths), at=NOW)


def test_a_whole_domain_needs_yaml_only(tea):
    report = bring_in(tea)
    snapshot = resolve_config("tea-service")
    assert report.created["criteria"] == ["warms_the_pot", "offers_milk"]
    assert [(c.name, c.weight, c.pass_mark) for c in snapshot.criteria] == [
        ("warms_the_pot", 2.0, 6.0),
        ("offers_milk", 1.0, 7.5),
    ]
    assert snapshot.criteria[0].scoring_guide["10"] == "always"
    assert snapshot.llm_config["judge"].provider == "offline"


def test_importing_twice_changes_nothing(tea):
    bring_in(tea)
    again = bring_in(tea)
    assert not again.changed
    assert again.unchanged == 5


@pytest.mark.parametrize("name", ["out", "out.yaml"])
def test_a_round_trip_changes_nothing(tmp_path, tenant, name):
    load_pack(at=NOW)
    Agent.objects.create(
        name="booking", address="http://127.0.0.1:2", options={"b": 1, "a": [1, {"z": 1, "y": 2}]},
        stagger_min_s=0, stagger_max_s=0,
        profile={"hallucination_context": ["open till seven: always", "# not a comment", "line\n\n  two \n"]},
    )  # fmt: skip
    first, second = tmp_path / name, tmp_path / f"again-{name}"
    export_catalog(path=first)
    report = bring_in(first)
    assert not report.changed
    assert report.notes == []
    export_catalog(path=second)
    assert read(first) == read(second)


def test_an_export_rebuilds_the_catalog_elsewhere(tmp_path, tea, other_tenant):
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - apps are loaded by then

    bring_in(tea)
    Criterion.objects.filter(name="offers_milk").update(offline_rule="changed-since")
    export_catalog(path=tmp_path / "a.yaml")
    snapshot = resolve_config("tea-service").as_json()
    with in_tenant(other_tenant):
        bring_in(tmp_path / "a.yaml")
        export_catalog(path=tmp_path / "b.yaml")
        rebuilt = resolve_config("tea-service").as_json()
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()
    assert {**rebuilt, "version_id": ""} == {**snapshot, "version_id": ""}


def test_the_seeds_scenario_file_loads_as_it_is(tmp_path, tenant):
    file = tmp_path / "spa_booking_swahili_happy.yaml"
    file.write_text(SEED_SCENARIO)
    bring_in(file)
    row = Scenario.objects.get(slug="spa_booking_swahili_happy")
    assert row.language == "sw"
    assert row.assertions == [
        {"metric": "SwahiliFluencyMetric", "threshold": 0.8},
        {"metric": "BookingSlotConsistencyMetric", "threshold": 1.0},
    ]


@pytest.mark.parametrize(
    "old, new, line, pointer",
    [
        ("description: Milk is offered.", "description: ''", 13, "/criteria/1/texts/en/description"),
        ("10: always}\n  - name: offers", "9: always}\n  - name: offers", 8, "/criteria/0/texts/en/scoring_guide/9"),
        ("weights: {warms_the_pot: 2}", "weights: {warms_the_pot: 0}", 24, f"{VERSION}/criteria/weights/warms_the_pot"),
        ("domain: [warms_the_pot, offers_milk]", "domain: [warms_the_pot, offers_milk, x]", 21, f"{VERSION}/criteria"),
        ("persona: aunt", "persona: uncle", 35, "/scenarios/0/persona"),
        ("status: validated", "status: fine", 30, "/personas/0/status"),
        ("personas:", "personae:", 28, "/personae"),
        ("opening: Any", "language: klingon\n    opening: Any", 37, "/scenarios/0/language"),
        ("opening: Any", "opning: Any", 37, "/scenarios/0/opning"),
        ("name: offers_milk", "name: warms_the_pot", 9, "/criteria/1"),
        ("    goal: A cup", "    goal: A cup: of", 36, None),
        ("    text: Likes", "    text: a\n    text: Likes", 33, None),
        ("domain: tea", "domain: !!python/object:os.x {}", 4, None),
    ],
)  # fmt: skip
def test_an_error_names_file_line_and_field_and_nothing_is_written(tmp_path, tenant, old, new, line, pointer):
    assert old in TEA_YAML
    file = tmp_path / "tea.yaml"
    file.write_text(TEA_YAML.replace(old, new, 1))
    with pytest.raises(BadInput) as caught:
        bring_in(file)
    assert f"tea.yaml, line {line}" in str(caught.value)
    assert caught.value.extra["line"] == line
    if pointer:
        assert caught.value.pointer == pointer
    assert not Criterion.objects.exists()
    assert not Persona.objects.exists()


def test_a_metric_that_nobody_here_measures_is_named_with_its_line_and_those_there_are(tmp_path, tenant):
    file = tmp_path / "own.yaml"
    file.write_text(SEED_SCENARIO.replace("BookingSlotConsistencyMetric", "HouseRulesMetric"))
    unknown, there_are = bring_in(file).notes
    line = SEED_SCENARIO[: SEED_SCENARIO.index("BookingSlot")].count("\n") + 1
    assert unknown.startswith(f"{file}, line {line}: this server has no metric 'HouseRulesMetric'")
    assert "BookingSlotConsistencyMetric" in there_are
    assert Scenario.objects.get().assertions[-1]["metric"] == "HouseRulesMetric"


def test_a_pattern_of_a_profile_that_is_slow_on_long_replies_is_named_with_its_line(tmp_path, tenant):
    file = tmp_path / "agent.yaml"
    profile = r"{tool_patterns: [{pattern: '(.+)\1x', tool: t}], silent_upload_patterns: ['.*.*.*x', 'uploaded']}"
    file.write_text(f"agents:\n- name: a\n  kind: http\n  address: http://127.0.0.1/\n  profile: {profile}\n")
    notes = bring_in(file).notes
    assert [note.split(": the pattern")[0] for note in notes] == [
        f"{file}, line 5: /profile/tool_patterns/0",
        f"{file}, line 5: /profile/silent_upload_patterns/0",
    ]


def test_all_wrong_items_are_named_at_once(tmp_path, tenant):
    file = tmp_path / "tea.yaml"
    file.write_text(TEA_YAML.replace("description: Milk is offered.", "descripton: x").replace("goal:", "goals:"))
    with pytest.raises(BadInput) as caught:
        bring_in(file)
    assert len(caught.value.extra["problems"]) == 2


def test_a_published_version_is_never_changed_by_a_file(tea):
    bring_in(tea)
    tea.write_text(TEA_YAML.replace("{warms_the_pot: 2}", "{warms_the_pot: 3}"))
    with pytest.raises(BadInput, match="as version 2"):
        bring_in(tea)
    assert resolve_config("tea-service").criteria[0].weight == 2.0


def test_new_wording_is_taken_in_and_said_not_to_reach_published_versions(tea):
    bring_in(tea)
    tea.write_text(TEA_YAML.replace("Milk is offered.", "Milk is offered twice."))
    report = bring_in(tea)
    assert report.updated == {"criteria": ["offers_milk"]}
    assert "tea-service@1 keeps the wording" in report.notes[0]
    assert resolve_config("tea-service").criteria[1].description == "Milk is offered."


def test_an_edited_persona_goes_back_to_validation_unless_the_file_vouches(tea, tmp_path):
    bring_in(tea)
    silent = tmp_path / "silent.yaml"
    silent.write_text("personas: [{name: aunt, text: Likes it weak.}]")
    bring_in(silent)
    assert Persona.objects.get(name="aunt").status == "pending_validation"
    bring_in(silent)
    assert Persona.objects.get(name="aunt").status == "pending_validation"
    bring_in(tea)
    assert Persona.objects.get(name="aunt").status == "validated"


def test_a_version_is_retired_by_file_and_stays_so(tea):
    bring_in(tea)
    tea.write_text(TEA_YAML.replace("status: published", "status: retired"))
    bring_in(tea)
    assert EvaluatorConfigVersion.objects.get().status == "retired"
    tea.write_text(TEA_YAML)
    with pytest.raises(BadInput, match="cannot become published"):
        bring_in(tea)


@pytest.mark.parametrize(
    "text",
    [
        "agents: [{name: a, secrets: {token: s3cret-value}}]",
        "agents: [{name: a, options: {headers: {Authorization: Bearer s3cret-value}}}]",
        "model_providers: [{name: a, kind: openai, api_key: s3cret-value}]",
        "model_providers: [{name: a, kind: openai, options: {token: s3cret-value}}]",
    ],
)
def test_a_secret_in_a_file_is_refused_without_repeating_it(tmp_path, tenant, text):
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        bring_in(file)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "agent, line, words",
    [
        ("{name: a, address: 'https://a.test', options: {\n  stremm: true}}", 2, "did you mean 'stream'"),
        ("{name: a, kind: http, address: 'https://a.test', options: {\n  body: {q: '{{ texte }}'}}}", 2, "{{ texte }}"),
        ("{name: a,\n  kind: gopher}", 2, "a2a"),
        ("{name: a,\n  address: a.test}", 2, "http://"),
    ],
)
def test_an_agents_settings_that_cannot_work_are_refused_with_their_line(tmp_path, tenant, agent, line, words):
    file = tmp_path / "a.yaml"
    file.write_text(f"agents: [{agent}]")
    with pytest.raises(BadInput) as refused:
        bring_in(file)
    assert f"line {line}" in refused.value.message
    assert words in refused.value.message
    assert not Agent.objects.exists()


def test_an_alias_bomb_is_refused_quickly(tmp_path, tenant):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    file = tmp_path / "bomb.yaml"
    file.write_text("\n".join(lines))
    with pytest.raises(BadInput, match="aliases counted"):
        bring_in(file)


def test_every_pack_loads_and_a_second_load_leaves_edits_alone(tenant):
    assert "service-booking" in pack_names()
    load_pack(at=NOW)
    assert Criterion.objects.count() == 26
    for ref in ("outbound-sales", "outbound-cold", "inbound-support", "booking-quality", "booking-quality-offline"):
        assert resolve_config(ref).version == 1
    weights = {c.name: c.weight for c in resolve_config("outbound-sales@1").criteria}
    assert weights["discovery_socratica"] == weights["gestione_obiezioni"] == 1.5
    assert sum(weights.values()) == 12.0
    assert resolve_config("booking-quality").llm_config == {}  # the tenant's own choice of model
    assert resolve_config("booking-quality-offline").llm_config["judge"].provider == "offline"
    Criterion.objects.filter(name="brevita_risposte").update(offline_rule="mine")
    with questions() as asked:
        assert not load_pack(at=NOW).changed
    assert len(asked) <= 8
    assert Criterion.objects.get(name="brevita_risposte").offline_rule == "mine"


def test_a_pack_brings_the_core_with_it(tenant):
    load_pack("outbound-cold", at=NOW)
    assert len(resolve_config("outbound-cold").criteria) == 10
    with pytest.raises(NotFound, match="service-booking"):
        load_pack("nope", at=NOW)


def test_every_shipped_criterion_has_its_three_languages_and_no_borrowed_text(tenant):
    load_pack(at=NOW)
    for row in Criterion.objects.all():
        assert set(row.texts) == {"en", "sw", "it"}
        anchors = [guide for text in row.texts.values() for guide in text["scoring_guide"].values()]
        assert len(set(anchors)) == 15, row.name


def test_every_offline_rule_of_the_packs_exists(tenant):
    from apps.offline.rules.judge import RULES  # noqa: PLC0415 - loads the rules

    load_pack(at=NOW)
    assert {row.offline_rule for row in Criterion.objects.exclude(offline_rule="")} == set(RULES)


def test_the_commands_round_trip(committed_db, tmp_path):
    file = tmp_path / "tea.yaml"
    file.write_text(TEA_YAML)
    out = StringIO()
    call_command("import_catalog", str(file), tenant="acme", stdout=out)
    assert "created evaluator configs: tea-service" in out.getvalue()
    call_command("export_catalog", str(tmp_path / "out"), tenant="acme", stdout=out)
    again = StringIO()
    call_command("import_catalog", str(tmp_path / "out"), tenant="acme", as_json=True, stdout=again)
    assert '"updated": {}' in again.getvalue()
    call_command("rotate_secrets", tenant="acme", stdout=out)
    assert "rewritten: 0" in out.getvalue()
    with pytest.raises(CommandError) as caught:
        call_command("import_catalog", str(tmp_path / "nope"), tenant="acme")
    assert caught.value.returncode == 2


def read(path):
    return {f.name: f.read_bytes() for f in path.iterdir()} if path.is_dir() else path.read_bytes()
