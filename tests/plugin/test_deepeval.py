"""DeepEval beside an agent: metrics of the project on what was played, test cases, goldens and a simulation.

The metrics ask a judge over OpenAI's wire on loopback, by DeepEval's own client.
"""

import json

import pytest

from pytest_ratiba.config import read_project
from pytest_ratiba.deepeval.case_conversion import spoken_turns
from pytest_ratiba.deepeval.user_metrics import read_user_metrics
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.metric_cache.measuring import MetricUnmeasurable, measure
from tests.loopback.streaming import StreamingProvider
from tests.plugin.stub_server import StubServer

METRICS = """
    import os
    from deepeval.metrics import ConversationalGEval, GEval
    from deepeval.metrics.g_eval import Rubric
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCaseParams, TurnParams

    __version__ = "1.0.0"

    def judge():
        return GPTModel(model="gpt-4o", _openai_api_key="sk-x", base_url=os.environ["JUDGE_URL"])

    class SwahiliFluencyMetric(GEval):
        def __init__(self, threshold=0.5):
            super().__init__(name="fluency", evaluation_steps=["Is it Swahili?"], threshold=threshold, model=judge(),
                             evaluation_params=[LLMTestCaseParams.INPUT, LLMTestCaseParams.ACTUAL_OUTPUT])

    class CourtesyMetric(ConversationalGEval):
        def __init__(self):
            bands = [Rubric(score_range=(1, 3), expected_outcome="rude"),
                     Rubric(score_range=(4, 9), expected_outcome="kind")]
            super().__init__(name="courtesy", evaluation_steps=["Is it polite?"], threshold=0.5, model=judge(),
                             evaluation_params=[TurnParams.CONTENT], rubric=bands)
"""
SCENARIO = """
    id: {id}
    language: {language}
    turns: [Habari, Asante., {{end: true}}]
    deepeval: {{expected_outcome: Booked., context: [Open 9 to 5]}}
    assertions: [{assertions}]
"""
TEST_FILE = """
    import pytest
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.simulator import ConversationSimulator
    from pytest_ratiba.deepeval import conversational_golden, conversational_test_case, model_callback

    class Customer(DeepEvalBaseLLM):
        def __init__(self): self.model = "customer"
        def load_model(self): return self
        def get_model_name(self): return "customer"
        def generate(self, prompt, schema=None):
            values = {"simulated_input": "Nataka nafasi", "is_complete": False, "reason": "open"}
            return schema(**{name: values[name] for name in schema.model_fields})
        async def a_generate(self, prompt, schema=None): return self.generate(prompt, schema)

    @pytest.mark.layer4
    def test_what_was_played_is_a_test_case(played_case):
        case = conversational_test_case(played_case("plain"), chatbot_role="receptionist")
        assert [turn.role for turn in case.turns] == ["user", "assistant", "user", "assistant"]
        call = case.turns[1].tools_called[0]
        assert (call.name, call.input_parameters, call.output) == ("book", {"day": "friday"}, "ok")
        assert (case.expected_outcome, case.context, case.chatbot_role) == ("Booked.", ["Open 9 to 5"], "receptionist")
        assert case.metadata["test_run_id"]

    @pytest.mark.layer4
    def test_a_simulation_goes_out_and_comes_back(played_case, judge_test_cases):
        golden = conversational_golden(played_case("plain").variant)
        assert golden.additional_metadata["ratiba"]["scenario"]["id"] == "plain"
        simulator = ConversationSimulator(model_callback=model_callback(), simulator_model=Customer())
        cases = simulator.simulate([golden], max_user_simulations=2)
        assert cases[0].turns[-1].tools_called[0].name == "book"
        judged = judge_test_cases([*cases, *cases], evaluator_config="booking")
        assert [one["verdict"] for one in judged] == ["pass", "pass"]
"""


@pytest.fixture
def project(user_project):
    stub = StubServer()
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply', prompts: [prompt.md]}\nscenarios: talks\n")
    user_project.write("prompt.md", "Be kind.")
    user_project.write(
        "bot.py",
        """
        async def reply(messages, context):
            call = {"name": "book", "arguments": {"day": "friday"}, "result": "ok"}
            return {"content": "Karibu: " + messages[-1]["content"], "tool_calls": [call]}
        """,
    )
    user_project.write("tests/eval/metrics/fluency.py", METRICS)
    user_project.variables |= {"RATIBA_URL": stub.url, "RATIBA_API_KEY": "rk_x", "DEEPEVAL_TELEMETRY_OPT_OUT": "1"}
    yield user_project, stub
    stub.close()


def scenario(project, name, *, language="en", assertions=""):
    project.write(f"talks/{name}.yaml", SCENARIO.format(id=name, language=language, assertions=assertions))


def test_the_projects_own_metrics_decide_and_their_scores_are_cached(project):
    user_project, stub = project
    scenario(user_project, "attached", language="sw")
    scenario(user_project, "held", language="sw", assertions="{metric: SwahiliFluencyMetric, threshold: 0.9}")
    scenario(user_project, "scaled", assertions="{metric: CourtesyMetric}, {contains: Karibu}")
    with StreamingProvider(words=(json.dumps({"score": 8, "reason": "sawa"}),)) as judge:
        user_project.variables["JUDGE_URL"] = f"{judge.url}/v1"
        first = user_project.pytest("-q", "--junitxml", "out.xml")
        assert first.returncode == 1, first.stdout + first.stderr
        assert "1 failed, 2 passed" in first.stdout
        assert "SwahiliFluencyMetric: fail 0.80 (threshold 0.9): sawa" in first.stdout
        assert "metrics: 3 measured, 0 from cache" in first.stdout
        asked = len(judge.requests)
        prompts = json.dumps([body for _, _, body in judge.requests], ensure_ascii=False)
        assert "Karibu: Habari" in prompts
        assert 'value="CourtesyMetric: pass 0.88' in (user_project.folder / "out.xml").read_text(), "8 on 1 to 9"
        assert all(one.get("assertions") in ([], None) for one in stub.scenarios.values())
        again = user_project.pytest("-q", "--junitxml", "out.xml")
        assert "metrics: 0 measured, 3 from cache" in again.stdout
        assert "fail 0.80 (threshold 0.9), from cache: sawa" in again.stdout
        assert len(judge.requests) == asked
        judge.words = ("I would say eight.",)
        silent = user_project.pytest("-q", "--no-deepeval-cache", "-k", "attached")
        assert "1 error" in silent.stdout, silent.stdout
        assert "attached: SwahiliFluencyMetric: " in silent.stdout


def test_what_a_tool_answered_stands_at_its_call():
    call = {"id": "call_0", "name": "book"}
    other = {"id": "call_1", "name": "pay"}
    turns = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "call_1", "content": "paid"},
        {"role": "tool", "tool_call_id": "call_0", "content": "first"},
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "content": "Again.", "tool_calls": [call]},
        {"role": "tool", "content": "second", "tool_call_id": "call_0"},
        {"role": "assistant", "content": "", "tool_calls": [other]},
    ]
    found = spoken_turns(turns)
    assert [turn["content"] for turn in found] == ["Hi", "Done.", "Again."]
    results = [[(one["name"], one.get("result")) for one in turn.get("tool_calls", ())] for turn in found]
    assert results == [[], [("book", "first"), ("pay", "paid")], [("book", "second"), ("pay", None)]]
    assert "result" not in call


class Verdict:
    def __init__(self, word):
        self.verdict = word


class Metric:
    """As much of a metric of DeepEval's as measuring looks at."""

    threshold, score, error, reason, success = 0.5, None, None, "why", None

    def __init__(self, score, **more):
        self.wanted = score
        self.__dict__ |= more

    def measure(self, case):
        if isinstance(self.wanted, Exception):
            raise self.wanted
        self.score, self.success = self.wanted, isinstance(self.wanted, float) and self.wanted >= self.threshold


@pytest.mark.parametrize(
    "metric, says",
    [
        (Metric(None), "the score is None"),
        (Metric(float("nan")), "the score is nan"),
        (Metric(True), "the score is True"),
        (Metric(1.0, error="no reply"), "no reply"),
        (Metric(ValueError("no JSON")), "ValueError: no JSON"),
        (Metric(1.0, verdicts=[]), "the judge gave no verdict at all"),
        (Metric(1.0, verdicts=[Verdict("idk")]), "the judge gave no verdict at all"),
        (Metric(1.0, verdicts=[Verdict("yes"), Verdict("Maybe")]), "'maybe' is none of yes, no, idk"),
    ],
)
def test_no_score_is_an_error_and_never_a_pass(metric, says):
    with pytest.raises(MetricUnmeasurable, match=says):
        measure(metric, None)


@pytest.mark.parametrize("score, clamped, passed", [(1.5, 1.0, True), (-0.3, 0.0, False), (0.7, 0.7, True)])
def test_a_score_is_between_0_and_1(score, clamped, passed):
    metric = Metric(score, verdicts=[Verdict("yes"), Verdict("No")])
    assert (measure(metric, None), metric.success) == (clamped, passed)


def first_metric(project):
    metric = next(iter(read_user_metrics(project).classes.values()))
    return metric.metric_version, metric.made(project)


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("tests/eval/metrics/a.py", "class AMetric(B): pass", "a.py:1: AMetric has no version"),
        (
            "tests/eval/metrics/a.py",
            "__version__ = '1'\n\nclass AMetric(B): pass",
            "a.py:3: AMetric cannot be made: Name",
        ),
        ("tests/eval/metrics/a.py", "x = 1\nclass A(:", "a.py:2: is not Python"),
        ("tests/eval/metrics/b.py", "class FluencyMetric(B): pass", "b.py:1: FluencyMetric is also in"),
        (
            "ratiba.yaml",
            "deepeval: {by_language: {sw: XMetric}}\n",
            "/deepeval/by_language/sw: there is no class 'XMetric'",
        ),
        ("ratiba.yaml", "deepeval: {metrics: nowhere}\n", "/deepeval/metrics: there is no folder nowhere"),
    ],
)
def test_a_wrong_metric_is_named_with_its_line(user_project, name, text, says):
    user_project.write("tests/eval/metrics/a.py", "class FluencyMetric(B): pass")
    user_project.write(name, text)
    with pytest.raises(ProjectError) as caught:
        first_metric(read_project(user_project.folder))
    assert says in str(caught.value)


def test_played_cases_goldens_and_simulations_go_out_and_in(project):
    user_project, stub = project
    scenario(user_project, "plain")
    user_project.write("test_cases.py", TEST_FILE)
    answer = user_project.pytest("-q", "test_cases.py")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    first, second = stub.judged
    assert (first["id"], second["id"]) == ("plain", "plain-2")
    assert [turn["role"] for turn in first["turns"]] == ["user", "assistant", "tool"] * 3
    assert first["turns"][1]["tool_calls"][0]["arguments"] == {"day": "friday"}
    assert (first["turns"][2]["content"], first["source"]) == ("ok", "deepeval")
