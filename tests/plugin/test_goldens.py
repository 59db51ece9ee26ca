"""ConversationalGoldens become scenarios and scenarios goldens: what is carried, what is said, what is refused."""

import json

import pytest
import yaml

ROW = {"scenario": "Asha wants a shave on Friday", "turns": None, "expected_outcome": None, "user_description": None}
SCENARIO = """
personas:
  - {name: asha, language: sw, text: "Asha, twenty, in a hurry."}
---
id: slot
language: sw
persona: asha
goal: Get a slot on {{ day }}.
opening: Habari, {{ day }}?
vars: [{day: Ijumaa, id: friday}]
fixtures: {free: 2}
deepeval: {expected_outcome: "A slot on {{ day }}", context: [Open 9 to 5]}
assertions: [{contains: Ijumaa}, {metric: RoleAdherenceMetric, threshold: 0.5}]
"""


def goldens(project, rows, name="set.json"):
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = lines if name.endswith("l") else json.dumps(rows, indent=4, ensure_ascii=False)
    project.write(name, text)


def imported(project, *arguments, name="set.json"):
    answer = project.command("goldens", "import", name, "--into", "out.yaml", "--force", *arguments)
    assert answer.returncode == 0, answer.stderr
    documents = list(yaml.safe_load_all((project.folder / "out.yaml").read_text()))
    return documents[0], answer


@pytest.mark.parametrize("name", ["set.json", "set.jsonl"])
def test_a_golden_is_played_as_far_as_it_can_be_and_the_rest_is_said(user_project, name):
    turns = [
        {"role": "user", "content": 'Futa "nafasi" 😊', "user_id": None},
        {"role": "assistant", "content": "Sawa.", "tools_called": [{"name": "cancel", "inputParameters": {"n": 1}}]},
        {"role": "user", "content": "Asante"},
    ]
    persona = {"name": "Asha K.", "characteristics": "Asha, twenty", "voice": "alloy"}
    first = ROW | {"name": "Friday shave!", "expected_outcome": "A slot", "user_description": "Asha, twenty"}
    second = ROW | {"turns": turns, "persona": persona, "additional_metadata": {"language": "sw"}, "mood": "odd",
                    "context": ["Open 9 to 5"]}  # fmt: skip
    if name.endswith("l"):
        second |= {"turns": json.dumps(turns), "context": "Open 9 to 5|Closed on Sunday"}
    goldens(user_project, [first, second], name)
    document, answer = imported(user_project, name=name)
    shave, anonymous = document["scenarios"]
    assert (shave["id"], shave["goal"]) == ("Friday_shave", f"{ROW['scenario']}\n\nDone when: A slot")
    assert [one["name"] for one in document["personas"]] == ["Friday_shave-customer", "Asha_K"]
    assert anonymous["turns"] == ['Futa "nafasi" 😊', "Asante"]
    assert (anonymous["language"], anonymous["persona"]) == ("sw", "Asha_K")
    assert anonymous["deepeval"]["turns"][1]["tools_called"][0]["inputParameters"] == {"n": 1}
    assert "wait for their validation on the server: Friday_shave-customer, Asha_K" in answer.stdout
    lines = [line.partition(": ")[::2] for line in answer.stderr.splitlines()]
    sentences = [what for _, what in lines]
    assert sentences == [
        "golden_2: voice: a chat has no voice",
        "golden_2: turns/1 is the agent's: the agent under test answers itself",
        "golden_2: context is for DeepEval's metrics only: the server judges by the agent's profile",
        "golden_2: mood is no field of a golden",
    ]
    text = (user_project.folder / name).read_text().splitlines()
    words = ("persona", "assistant", "context", "mood")
    for (place, _), word in zip(lines, words, strict=True):
        shown = "\n".join(text[int(place.rpartition(":")[2]) - 1 :][:2])
        assert word in shown


def test_personas_play_at_once_where_somebody_answers_for_them(user_project):
    goldens(user_project, [ROW | {"user_description": "Asha"}, ROW | {"user_description": "Asha", "name": "b"}])
    document, answer = imported(user_project, "--approved-by", "Wanjiru")
    assert [one["override"]["by"] for one in document["personas"]] == ["Wanjiru"], "the same text is the same customer"
    assert "wait for their validation" not in answer.stdout


def test_a_whole_conversation_needs_no_persona(user_project):
    goldens(user_project, [ROW | {"turns": [{"role": "user", "content": "Hi"}]}])
    document, _ = imported(user_project, "--scripted")
    assert document["scenarios"][0]["turns"] == ["Hi", {"end": True}]
    assert "personas" not in document


def test_a_scenario_goes_out_and_comes_back_as_it_was(user_project):
    user_project.write("ratiba.yaml", "scenarios: talks\n")
    user_project.write("talks/slot.yaml", SCENARIO)
    answer = user_project.command("goldens", "export", "set.json")
    assert answer.returncode == 0, answer.stderr
    assert "slot.yaml:4: slot.friday: 2 assertions are carried and not checked by DeepEval" in answer.stderr
    row = json.loads((user_project.folder / "set.json").read_text())[0]
    assert (row["scenario"], row["expected_outcome"]) == ("Get a slot on Ijumaa.", "A slot on Ijumaa")
    assert row["turns"] == [{"role": "user", "content": "Habari, Ijumaa?"}]
    assert row["persona"] == {"name": "asha", "characteristics": "Asha, twenty, in a hurry."}
    document, back = imported(user_project)
    scenario = document["scenarios"][0]
    assert back.stderr == ""
    assert scenario["assertions"] == [{"contains": "Ijumaa"}, {"metric": "RoleAdherenceMetric", "threshold": 0.5}]
    assert (scenario["opening"], scenario["fixtures"], scenario["layer"]) == ("Habari, Ijumaa?", {"free": 2}, 4)
    assert document["personas"] == [{"name": "asha", "language": "sw", "text": "Asha, twenty, in a hurry."}]
    goldens(user_project, [row | {"scenario": "Get a slot on Sunday."}])
    document, changed = imported(user_project)
    assert document["scenarios"][0]["goal"].startswith("Get a slot on Sunday.")
    assert "was changed since its export: assertions are lost" in changed.stderr
    assert user_project.command("goldens", "export", "set.json").returncode == 2, "nothing is overwritten unasked"


@pytest.mark.parametrize(
    "text, says",
    [
        ('[\n  {"scenario": "a"},\n  {"scenario": "b" "c"}]', "set.json:3: is not JSON"),
        ('{"scenario": "a"}', "set.json:1: must hold a list of goldens"),
        ('[{"scenario": "a"},\n {"turns": []}]', "set.json:2: /scenario: golden 2 has no scenario"),
        ('[{"input": "a"}]', "set.json:1: /input: is a golden of single turns"),
        ('[{"scenario": "a"},\n 7]', "set.json:2: golden 2 is no JSON object"),
        ('[{"scenario": "a",\n "turns": [\n {"role": "robot", "content": "x"}]}]', "set.json:3: /turns/0: must have"),
        ('[{"scenario": "a", "name": "x"},\n {"scenario": "b",\n "name": "x"}]', "set.json:3: /name: two goldens"),
        ('[{"scenario": "see {{ day }}"}]', "there is no variable 'day'"),
        ('[{"scenario": "a", "additional_metadata": [1]}]', "/additional_metadata: must be an object"),
    ],
)
def test_what_is_no_dataset_is_refused_with_its_line(user_project, text, says):
    (user_project.folder / "set.json").write_text(text)
    answer = user_project.command("goldens", "import", "set.json", "--into", "out.yaml")
    assert answer.returncode == 2
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not (user_project.folder / "out.yaml").exists()
