"""A frozen run, graded again and again by a judge of known noise: through the lane, and by simulation."""

import re
from collections import defaultdict
from random import Random

from apps.evaluations.figures.domain.uncertainty import flipped_share
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.statistics.decision import Decision
from tests.evaluations.bench import NOW, document, judge, make_config, minutes
from tests.evaluations.doubt.graded_again import ROWS, allowed, row
from tests.evaluations.doubt.three_judges import ByText

TRUTHS = [3.0, 5.2, 5.8, 6.0, 6.3, 7.0, 9.0, 8.0]


def test_a_frozen_run_graded_20_times_flips_almost_nothing_and_a_single_answer_does(tenant):
    chance = Random(11)

    def noisy(prompt: str) -> dict[str, float]:
        truth = TRUTHS[int(re.search(r"case (\d)", prompt)[1])]
        return {"only": min(10.0, max(0.0, chance.gauss(truth, 0.8)))}

    documents = [document(f"c-{n}", "hello", f"case {n}") for n in range(len(TRUTHS))]
    judging = ByText(noisy)
    with judging.server:
        config = make_config(url=f"{judging.server.url}/v1", weights={"only": 1.0}, parameters={"repeats": 3})
        first = request_evaluation(config=config, documents=documents, now=NOW)
        for again in range(2, 21):
            request_evaluation(config=config, run_id=first.run_id, now=minutes(again), how={"repeat": again})
        judge(minutes(30), concurrency=16)
    by_rule, alone = defaultdict(list), defaultdict(list)
    rows = Judgement.objects.filter(status="scored").select_related("evaluation", "conversation")
    doubts = {one.evaluation_id: uncertainties_of(one.evaluation) for one in rows}
    for one in rows.prefetch_related("scores"):
        (score,) = one.scores.all()
        by_rule[one.conversation_id].append(doubts[one.evaluation_id].of_score(score).decision)
        first_answer = score.opinions[0]["score"]
        alone[one.conversation_id].append(Decision.PASS if first_answer >= 6 else Decision.FAIL)
    assert {len(many) for many in by_rule.values()} == {20}
    assert flipped_share(by_rule) <= 1 / len(TRUTHS)  # 5 % of 8 is less than one case
    assert flipped_share(alone) >= 4 / len(TRUTHS)


def test_simulated_judges_flip_no_more_than_the_declared_rate():
    for name, noise, step in ROWS:
        found = row(name, noise=noise, step=step, cases=100, gradings=20, repeats=3, seed=3)
        assert found.flipped <= allowed(100)
        assert found.flipped < found.taken_at_its_word
