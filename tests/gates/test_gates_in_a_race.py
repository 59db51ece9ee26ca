"""Workers that race for gates decide each once."""

import threading

from django.db import connection

from apps.gates.domain.policy import GatePolicy
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.tenants.context import in_tenant
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD


def test_two_workers_decide_one_gate_once(committed_db: None) -> None:
    with in_tenant("acme"):
        candidate, baseline = scored(level(8)), scored(level(8), commit=BASE)
        for _ in range(3):
            question = GateQuestion(agent="booking", commit=HEAD, candidate=candidate.pk, baseline=baseline.pk)
            request_gate(question, GatePolicy())
    done: list[int] = []

    def work() -> None:
        with in_tenant("acme"):
            done.append(decide_due_gates(now=NOW))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    assert sum(done) == 3
