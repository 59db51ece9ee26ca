"""Files of other tools, three of each written after their documents: what is taken, what is not, where and why."""

import json
import re
from pathlib import Path

import pytest

from apps.catalog.files.domain.test_formats.collecting import Collected
from apps.catalog.files.domain.test_formats.reading import text_of
from apps.catalog.files.domain.test_formats.registry import FORMATS
from apps.checks.domain.scenario_findings import said_assertions
from apps.core.errors import BadInput
from apps.runs.goldens.domain.played_scenario import ReplyTurn

FILES = Path(__file__).parent / "other_tools"
TAKEN = {  # file: what each of its cases became
    "promptfoo_1.yaml": "scenario scenario scenario refused",
    "promptfoo_2.yaml": "scenario refused refused",
    "promptfoo_3.json": "scenario scenario",
    "promptfoo_4.yaml": "scenario",
    "deepeval_1.json": "scenario golden refused",
    "deepeval_2.jsonl": "golden scenario refused",
    "deepeval_3.csv": "golden refused golden",
    "langfuse_1.json": "golden scenario refused",
    "langfuse_2.jsonl": "golden refused",
    "langfuse_3.csv": "golden golden",
    "openai-evals_1.jsonl": "golden golden refused",
    "openai-evals_2.jsonl": "golden refused refused",
    "openai-evals_3.yaml": "criterion refused",
    "tau2_1.json": "scenario refused refused",
}


def read(file, raw=None):
    source = file.partition("_")[0]
    found = Collected(source=source, file=file, masked=FORMATS[source].real_people)
    FORMATS[source].read(text_of((FILES / file).read_bytes() if raw is None else raw, file), found)
    return found


@pytest.mark.parametrize("file", TAKEN)
def test_every_case_of_a_file_is_taken_or_refused_with_its_reason_and_place(file):
    found = read(file)
    assert " ".join(row.became for row in found.rows) == TAKEN[file]
    assert all(row.place and (row.why if row.became == "refused" else row.name) for row in found.rows)
    assert read(file).rows == found.rows


def test_asserts_of_promptfoo_decide_without_a_model_where_they_can():
    found = read("promptfoo_1.yaml")
    first, *_ = found.sections["scenarios"].values()
    assert first["assertions"] == [
        {"said": ["800"], "match": "regex"},
        {"said": ["PIN"], "forbidden": True},
        {"replies": {"latency_ms": 2000}},
    ]
    assert [one["texts"]["en"]["description"] for one in found.sections["criteria"].values()] == [
        "The answer is polite to Otieno.",
        "The answer is polite to Achieng.",
    ]
    assert found.rows[0].place == "line 6"
    assert any("code of others is not run" in one for one in found.rows[1].left_out)
    assert "other files are not followed" in found.rows[3].why or "not followed" in found.rows[3].why
    tools = next(iter(read("promptfoo_2.yaml").sections["scenarios"].values()))["assertions"]
    assert tools[2] == {"tool": "cancel_order", "arguments": {"order": "7"}, "match": "subset"}
    assert tools[3] == {"tool": "refund", "forbidden": True}


def test_each_kind_of_assert_is_taken_or_told_with_its_line_and_reason():
    found = read("promptfoo_4.yaml")
    (scenario,) = found.sections["scenarios"].values()
    schema = {"type": "object", "required": ["hours"], "properties": {"hours": {"type": "string"}}}
    assert scenario["assertions"] == [
        {"replies": {"json": True}},
        {"replies": {"json": schema}},
        {"replies": {"latency_ms": 2000}},
        {"replies": {"words": {"min": 1, "max": 60}}},
        {"said": ["nine", "tisa"], "match": "regex"},
        {"said": ["open"]},
        {"said": [r"\d{1,2}:\d\d"], "match": "regex"},
        {"said": ["Monday"], "match": "regex"},
        {"said": [r"(?i)a\.m\.", "saa"], "match": "regex"},
    ]
    criteria = {one["texts"]["en"]["description"] for one in found.sections["criteria"].values()}
    assert criteria == {"The hours are complete.", "The agent refuses what the customer asks."}
    told = [one.partition(": ") for one in found.rows[0].left_out]
    assert [place for place, _, _ in told] == [
        "line 24 cost", "line 25 javascript", "line 26 similar", "line 27 not-is-json", "line 28 is-json",
        "line 30 is-json", "line 31 assert-set", "line 37 select-best", "line 38 context-recall", "line 39 latency",
        "line 40 made-up",
    ]  # fmt: skip
    assert all(len(reason) > 20 for _, _, reason in told)


def test_nothing_of_a_file_is_released():
    for file in TAKEN:
        found = read(file)
        assert {one["status"] for one in found.sections["scenarios"].values()} <= {"draft"}
        assert not any("status" in one for one in found.sections["personas"].values())


def test_a_task_of_tau2_keeps_what_is_expected_letter_by_letter():
    found = read("tau2_1.json")
    scenario, persona = found.sections["scenarios"]["tau2-retail-1"], found.sections["personas"]["tau2-retail-1"]
    assert scenario["goal"] == "You wish to exchange a keyboard."
    assert "zip code 19122" in persona["text"]
    assert "detail-oriented" in persona["text"]
    tool, said = scenario["assertions"]
    assert tool == {"tool": "find_user_id_by_name_zip", "arguments": {"first_name": "Yusuf", "zip": "19122"}}
    texts = ("$1,628.00.", "1628", "16280", "21628", "1628.50")
    told = [said_assertions([said], [ReplyTurn(position=1, text=text)]).met for text in texts]
    assert told == [1, 1, 0, 0, 0]
    assert scenario["must_not"][0]["below"] == 7
    assert "state of its own" in found.rows[1].why
    assert "requestor: user" in found.rows[1].why


MASKED = {"promptfoo_2.yaml": "jane@", "deepeval_3.csv": "712345678", "langfuse_3.csv": "345 678"}


@pytest.mark.parametrize("file, secret", MASKED.items())
def test_personal_data_is_masked_and_its_place_is_told(file, secret):
    found = read(file)
    assert secret not in json.dumps([found.sections, found.goldens])
    assert any("masked" in note for row in found.rows for note in row.left_out)


@pytest.mark.parametrize("kind", ["contains", "icontains", "equals", "starts-with", "contains-any", "not-contains"])
def test_an_assertion_about_a_number_of_a_person_is_left_out_and_told(kind):
    text = f"""
tests:
  - vars: {{question: "Where do I pay?"}}
    assert:
      - {{type: {kind}, value: "+254 712 345 678"}}
      - {{type: contains, value: "paybill 247 (KES 1,500.00)"}}
      - {{type: contains, value: "ACCT-1234567"}}
"""
    found = Collected(source="promptfoo", file="p.yaml", masked=True)
    FORMATS["promptfoo"].read(text, found)
    (scenario,) = found.sections["scenarios"].values()
    assert [one["said"] for one in scenario["assertions"]] == [[re.escape("paybill 247 (KES 1,500.00)")]]
    (row,) = found.rows
    assert any("2 assertions left out" in note for note in row.left_out)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]" for n in range(8)
)


@pytest.mark.parametrize(
    "file, raw",
    [
        ("promptfoo_x.yaml", BOMB.encode()),
        ("promptfoo_x.yaml", b"tests: !!python/object/apply:os.system ['id']"),
        ("promptfoo_x.yaml", b"tests: " + b"[" * 5000 + b"]" * 5000),
        ("promptfoo_x.yaml", b"tests: [{vars: {a: \xff}}]"),
        ("promptfoo_x.yaml", b"tests: [{vars: {a: 1, a: 2}}]"),
        ("deepeval_x.json", b"[" * 100_000),
        ("deepeval_x.json", b'[{"input": "\\u0000", "expected_output": "x"}]'),
        ("deepeval_x.json", b'{"a": 1}'),
        ("tau2_x.json", b" " * (32 * 1024 * 1024 + 1)),
        ("langfuse_x.json", b"[1e999]"),
    ],
)
def test_a_hostile_file_is_refused_with_its_name(file, raw):
    with pytest.raises(BadInput) as refused:
        read(file, raw)
    assert file in refused.value.message


def test_a_hostile_case_is_refused_alone():
    deep = "[" * 70 + "]" * 70
    good = '{"input": "a", "ideal": "b"}'
    lines = [good, f'{{"input": {deep}, "ideal": "b"}}', '{"input": "a", "input": "b"}', '{"input": "c", "ideal": "d"}']
    found = read("openai-evals_x.jsonl", "\n".join(lines).encode())
    assert [row.became for row in found.rows] == ["golden", "refused", "refused", "golden"]
    assert [row.place for row in found.rows] == ["line 1", "line 2", "line 3", "line 4"]


def test_a_test_with_thousands_of_asserts_is_refused_alone():
    many = "".join("    - {type: made-up}\n" for _ in range(5000))
    text = f"- vars: {{question: [a, b, c]}}\n  assert:\n{many}- vars: {{question: Are you open?}}\n"
    found = read("promptfoo_x.yaml", text.encode())
    assert [row.became for row in found.rows] == ["refused", "scenario"]
    assert "split it" in found.rows[0].why


def test_a_cell_that_is_too_long_is_refused_by_its_line_and_the_others_are_in():
    long = "word " * 28_000
    found = read("langfuse_x.csv", f'id,input,expectedOutput\ng1,Price?,800\ng2,"{long}",ok\ng3,Open?,Yes\n'.encode())
    assert [(row.place, row.became) for row in found.rows] == [
        ("line 2", "golden"), ("line 3", "refused"), ("line 4", "golden"),
    ]  # fmt: skip
    assert "140,000 characters, the limit is 100,000" in found.rows[1].why


@pytest.mark.parametrize("head", ["", "sep=;\n", "\ufeff", "\ufeffsep=;\r\n"])
def test_semicolons_are_read_as_everywhere(head):
    found = read("deepeval_x.csv", f'{head}input;expected_output\nPrice?;"800; cash"'.encode())
    (document,) = found.goldens.values()
    assert [turn["content"] for turn in document["turns"]] == ["Price?", "800; cash"]


def test_texts_that_stand_in_a_cell_as_json_are_the_texts():
    found = read("langfuse_x.csv", b'id,input,expectedOutput\nx,"""Price?\\nAnd when?""","""KES 800"""\n')
    (document,) = found.goldens.values()
    assert [turn["content"] for turn in document["turns"]] == ["Price?\nAnd when?", "KES 800"]


def yaml_of(text):
    return read("promptfoo_x.yaml", text.encode())


def openings(found):
    return [one["opening"] for one in found.sections["scenarios"].values()]


def test_a_prompt_of_several_variables_is_what_the_customer_says():
    found = yaml_of(
        'prompts: ["Write in {{tone}} tone: {{text}}"]\ntests:\n  - vars: {tone: [kind, short], text: We are closed.}\n'
        "    assert: [{type: icontains, value: closed}]\n"
    )
    assert openings(found) == ["Write in kind tone: We are closed.", "Write in short tone: We are closed."]
    assert [row.became for row in found.rows] == ["scenario", "scenario"]


def test_a_prompt_to_the_model_is_not_said_by_a_customer_and_what_is_not_said_is_told():
    found = yaml_of(
        'prompts: ["You are the desk of {{shop}}. {{question}}"]\n'
        "tests: [{vars: {shop: Kipusa, question: Open today?}, assert: [{type: icontains, value: open}]}]"
    )
    assert openings(found) == ["Open today?"]
    assert found.rows[0].left_out == ("vars/shop: the customer does not say it",)


@pytest.mark.parametrize(
    "vars, opening",
    [
        ('{name: Amina, question: "I am {{ name }}. Free at ten?"}', "I am Amina. Free at ten?"),
        ('{day: friday, question: "{{day | upper}} at ten?"}', "FRIDAY at ten?"),
        ('{a: "{{b}}", b: ten, question: "At {{a}}?"}', "At ten?"),
    ],
)
def test_variables_in_variables_are_filled(vars, opening):
    found = yaml_of(f"tests: [{{vars: {vars}, assert: [{{type: icontains, value: ok}}]}}]")
    assert openings(found)[0] == opening


@pytest.mark.parametrize(
    "question, why",
    [
        ("Is {{ who }} in?", "cannot be filled"), ("{{ question }}", "without an end"),
        ("{% if x %}hi{% endif %}", "is not read"), ("{{ day | date }}", "the filter 'date'"),
        ("{{ env.USER }}", "cannot be filled"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_filled_refuses_its_case_by_name(question, why):
    found = yaml_of(f"tests: [{{vars: {{day: friday, question: {json.dumps(question)}}}}}]")
    assert [row.became for row in found.rows] == ["refused"]
    assert why in found.rows[0].why


def test_an_assertion_whose_template_cannot_be_filled_is_left_out_and_told():
    found = yaml_of("tests: [{vars: {question: Open?}, assert: [{type: icontains, value: '{{ hours }}'}]}]")
    assert next(iter(found.sections["scenarios"].values()))["assertions"] == []
    assert "{{ hours }} cannot be filled" in found.rows[0].left_out[0]


TALK = "".join(f"  - {{vars: {{question: q{n}}}, metadata: {{conversationId: t1}}}}\n" for n in range(2))


def test_tests_of_one_conversation_are_one_customer_who_says_them_in_turn():
    asked = "assert: [{type: icontains, value: closed}]"
    found = yaml_of(
        "prompts: ['{{question}}']\ntests:\n"
        "  - {vars: {question: Open on Saturday?}, metadata: {conversationId: c1},\n"
        "     assert: [{type: contains, value: '9'}]}\n"
        f"  - {{vars: {{question: And on Sunday?}}, metadata: {{conversationId: c1}}, {asked}}}\n"
        "  - {vars: {question: Where are you?}, metadata: {conversationId: c2}}\n"
        f"  - {{vars: {{question: Book the earlier one.}}, metadata: {{conversationId: c1}}, {asked}}}\n"
    )
    assert [row.became for row in found.rows] == ["scenario", "scenario"]
    talk = found.sections["scenarios"]["promptfoo-c1"]
    assert talk["turns"] == ["Open on Saturday?", "And on Sunday?", "Book the earlier one.", {"end": True}]
    assert (len(talk["assertions"]), talk["opening"]) == (3, "")
    assert "asserts of a turn are held against the whole conversation" in found.rows[0].left_out


@pytest.mark.parametrize(
    "text, why",
    [
        (
            f"tests:\n{TALK}  - {{vars: {{question: [a, b]}}, metadata: {{conversationId: t1}}}}",
            "a turn of the conversation 't1' has lists of vars",
        ),
        ("defaultTest: file://base.yaml\ntests: [{vars: {question: Open?}}]", "in another file (file://base.yaml)"),
        ("tests: [{path: 'file://make.py:tests', config: {n: 3}}]", "is a generator of tests"),
        ("tests: ['file://more/*.csv']", "tests in other files are not followed"),
    ],
)
def test_what_cannot_be_taken_as_it_is_is_refused_for_what_it_is(text, why):
    found = yaml_of(text)
    assert [row.became for row in found.rows] == ["refused"]
    assert why in found.rows[0].why


def test_a_redteam_configuration_and_a_pointer_are_named():
    with pytest.raises(BadInput, match="a red-team configuration holds no tests"):
        yaml_of("redteam: {plugins: [pii]}")
    with pytest.raises(BadInput, match="a Git LFS pointer and not the file: run `git lfs pull`"):
        read("openai-evals_x.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n")


def test_a_reference_inside_the_file_is_followed_and_weight_nothing_fails_nothing():
    found = yaml_of(
        "assertionTemplates: {kind: {type: llm-rubric, value: It is kind.}}\ntests:\n  - vars: {question: Open?}\n"
        "    assert: [{$ref: '#/assertionTemplates/kind'}, {type: contains, value: x, weight: 0}, {$ref: '#/none'}]\n"
    )
    assert [one["texts"]["en"]["description"] for one in found.sections["criteria"].values()] == ["It is kind."]
    assert next(iter(found.sections["scenarios"].values()))["assertions"] == []
    assert any("of weight 0" in one for one in found.rows[0].left_out)
    assert any("#/none" in one for one in found.rows[0].left_out)


def test_tests_of_promptfoo_in_a_csv_are_taken():
    found = read("promptfoo_x.csv", (
        b"question,__expected,__expected2,__metric\nOpen?,icontains: nine,llm-rubric: is kind,m\n"
        b'Braids?,"icontains-any: yes, we do",,\nPrice?,fn:output.length,,\nSunday?,closed,,\n'))  # fmt: skip
    first, second, third, fourth = found.sections["scenarios"].values()
    assert (first["opening"], first["assertions"], len(first["must_not"])) == ("Open?", [{"said": ["nine"]}], 1)
    assert second["assertions"] == [{"said": ["yes", "we do"]}]
    assert third["assertions"] == []
    assert fourth["assertions"][0]["match"] == "regex"
    assert "__metric: not read" in found.rows[0].left_out


def test_a_page_of_a_langfuse_list_says_what_it_does_not_hold():
    page = {"data": [{"id": "a", "input": "Open?"}], "meta": {"page": 2, "totalItems": 3, "totalPages": 3}}
    found = read("langfuse_x.json", json.dumps(page).encode())
    assert [row.became for row in found.rows] == ["refused", "scenario"]
    assert "1 of 3 items are in this file (page 2 of 3)" in found.rows[0].why
    whole = {"data": [{"id": "a", "input": "Open?"}], "meta": {"page": 1, "totalItems": 1}}
    assert [row.became for row in read("langfuse_x.json", json.dumps(whole).encode()).rows] == ["scenario"]


def test_turns_that_deepeval_wrote_as_a_text_are_turns():
    turns = [{"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Till six."}]
    found = read("deepeval_x.json", json.dumps([{"turns": json.dumps(turns)}, {"turns": "soon"}]).encode())
    assert [row.became for row in found.rows] == ["golden", "refused"]
