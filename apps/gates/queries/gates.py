"""Gates as every door shows them."""

import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from apps.budgets.queries import spent_on_run
from apps.catalog.configs.queries.criterion_titles import Titles, criterion_titles
from apps.core.errors import Conflict, NotFound
from apps.core.timestamps import format_timestamp
from apps.evaluations.models import Evaluation
from apps.gates.domain.gate_document import blocks
from apps.gates.domain.gate_junit import gate_junit
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.gate_states import GateStatus
from apps.gates.domain.gate_terminal import terminal_table
from apps.gates.domain.gate_words import gate_notes, lasting_notes
from apps.gates.domain.judging_changes import change_notes, changes_digest, read_changes
from apps.gates.domain.metric_titles import criterion_title, metric_title
from apps.gates.models import GateOwnVersions, PullRequestGate
from apps.gates.queries.gate_cost import spent_on_gate
from apps.gates.queries.said_in_cases import said_in_cases


def find_gate(gate_id: uuid.UUID | str) -> PullRequestGate:
    """The row. Raises NotFound. One query."""
    try:
        related = ("first_look", "replays_of", "acceptance", "own_versions", "candidate__run__agent")
        return PullRequestGate.objects.select_related(*related).get(pk=uuid.UUID(str(gate_id)))
    except (ValueError, PullRequestGate.DoesNotExist):
        raise NotFound(f"There is no gate {gate_id}.") from None


def gate_line(row: PullRequestGate) -> dict[str, Any]:
    """A gate in a list. No query."""
    exit_code = row.document.get("exit_code")
    return {
        "id": str(row.pk),
        "status": row.status,
        "kind": row.kind,
        "agent": row.agent,
        "commit": row.commit,
        "base_commit": row.base_commit,
        "pull_request": row.pull_request,
        "title": row.title,
        "decision": row.decision or None,
        "exit_code": exit_code,
        "blocks": exit_code is not None
        and blocks(
            row.kind,
            exit_code,
            decision=row.decision,
            policy=row.policy,
            reasons=row.document.get("reasons", []),
        ),
        "why": row.why,
        "sentence": row.sentence,
        "waiting_for": row.waiting_for,
        "digest": row.digest,
        "created_at": format_timestamp(row.created_at),
        "decided_at": format_timestamp(row.decided_at) if row.decided_at else None,
    }


def gate_document(row: PullRequestGate, *, base: str) -> dict[str, Any]:
    """The body of GET /gates/{id}/. `base` is the address of this tenant's pages ("https://acme.example/"). Five
    queries: for what was said in the cases that are shown first, who judged, titles, and the gate before it.

    While the gate is pending, `decision` is null and the lists are empty.
    """
    stored, changes, titles = row.document, read_changes(row.changes), criterion_titles()
    gate = {
        **gate_line(row),
        "first_look": _earlier(row.first_look, base),
        "replays_of": _earlier(row.replays_of, base),
        "more_repeats": stored.get("more_repeats"),
        "play_again": stored.get("play_again", []),
        "baseline": _baseline(row),
        "fingerprint": stored.get("fingerprint", ""),
        "reasons": stored.get("reasons", []),
        "metrics": [
            {**metric, "title": metric_title(metric["metric"], titles)} for metric in stored.get("metrics", [])
        ],
        "cases": _cases(row, base, titles),
        "more_cases": stored.get("more_cases", 0),
        "chain": stored.get("chain", []),
        "first_missing_link": stored.get("first_missing_link"),
        "counts": stored.get("counts"),
        "policy": row.policy,
        "floor": row.floor or None,
        "changes": row.changes,
        "changes_digest": changes_digest(changes) if changes else "",
        "change_notes": change_notes(changes, accepted_by=row.acceptance.accepted_by if row.acceptance else ""),
        "acceptance": str(row.acceptance_id) if row.acceptance_id else None,
        "own_versions": _own_versions(row, base),
        "prevented": _prevented(row, base),
        **_cost(row),
        "answers_from_cache": stored.get("answers_from_cache", 0),
        "not_cross_checked": stored.get("not_cross_checked", 0),
        "url": f"{base}gates/{row.pk}/",
    }
    gate["notes"] = gate_notes(gate, provider=_provider(row))
    comment = gate_markdown(gate, address=gate["url"], known=_said_before(row))
    return {**gate, "markdown": comment, "terminal": terminal_table(gate)}


def _said_before(row: PullRequestGate) -> frozenset[str]:
    """The notes that the agent's gate before this one showed already. One query."""
    earlier = PullRequestGate.objects.filter(agent=row.agent, decided_at__isnull=False, created_at__lt=row.created_at)
    other = earlier.exclude(commit=row.commit).order_by("-created_at").first()
    if other is None:
        return frozenset()
    return frozenset(
        lasting_notes({**other.document, "floor": other.floor or None, "policy": other.policy, "kind": other.kind})
    )


def _cases(row: PullRequestGate, base: str, titles: Titles) -> list[dict[str, Any]]:
    cases = row.document.get("cases", [])
    case_texts = [
        one and {**one, "title": one["criterion"] and criterion_title(one["criterion"], titles)}
        for one in said_in_cases(row, cases)
    ]
    return [{**_case(case, row, base), "said": words} for case, words in zip(cases, case_texts, strict=True)]


def _prevented(row: PullRequestGate, base: str) -> list[dict[str, Any]]:
    cases = row.document.get("prevented", [])
    return [{**case, "url": f"{base}conversations/{case['conversation']}/"} for case in cases]


def _cost(row: PullRequestGate) -> dict[str, Any]:
    """Dollars, the candidate's too, budget, how many calls were made and how many have no price. A gate decided before
    these were stored is looked up in the ledger: one query, and one for each gate before it."""
    stored = row.document
    calls, unpriced = stored.get("model_calls", 0), stored.get("calls_without_price", 0)
    if "model_calls" not in stored and row.status == GateStatus.DECIDED:
        spent = spent_on_gate(row)
        calls, unpriced = spent.calls, spent.unpriced
    known = stored.get("cost_usd", 0.0)
    return {
        "candidate": {"evaluation": str(row.candidate_id), **_own_cost(stored, unpriced)},
        "cost_usd": None if unpriced else known,
        "known_cost_usd": known,
        "model_calls": calls,
        "calls_without_price": unpriced,
        "budget_usd": None if row.budget_usd is None else float(row.budget_usd),
    }


def _own_cost(stored: Mapping[str, Any], unpriced: int) -> dict[str, Any]:
    """The cost of the candidate's runs. The stored figure covers only calls with a price."""
    known = stored.get("candidate_cost_usd", 0.0)
    return {"cost_usd": None if unpriced else known, "known_cost_usd": known}


def junit_of(row: PullRequestGate, *, base: str) -> bytes:
    """Write the decided gate as JUnit XML. Raises and costs as `decided_document`."""
    return gate_junit(decided_document(row, base=base))


def decided_document(row: PullRequestGate, *, base: str) -> dict[str, Any]:
    """Return the gate's document. Raises Conflict (`not_decided`) while the gate is pending."""
    if row.status != GateStatus.DECIDED:
        raise Conflict(f"The gate {row.pk} is not decided yet; it waits for {row.waiting_for}.", code="not_decided")
    return gate_document(row, base=base)


def _provider(row: PullRequestGate) -> str:
    """Return the provider of the model that judged the candidate.

    One query, which does not load the rest of the snapshot.
    """
    providers = Evaluation.objects.filter(pk=row.candidate_id).values_list(
        "snapshot__llm_config__judge__provider", flat=True
    )
    return str(providers.first() or "")


def _earlier(first: PullRequestGate | None, base: str) -> dict[str, Any] | None:
    if first is None:
        return None
    return {
        "id": str(first.pk),
        "candidate": str(first.candidate_id),
        "baseline": str(first.baseline_id),
        "sentence": first.sentence,
        "url": f"{base}gates/{first.pk}/",
    }


def _has_unpriced(versions: GateOwnVersions) -> bool:
    """Tell whether playing them made a call without a price. Two queries."""
    played = versions.evaluation
    return played is not None and spent_on_run(played.run_id).unpriced > 0


def _own_versions(row: PullRequestGate, base: str) -> dict[str, Any] | None:
    """Return the cases as the change's own versions played them.

    None where nothing was altered, or nobody has played it yet.
    """
    own = getattr(row, "own_versions", None)
    if own is None:
        return None
    return {
        "evaluation": str(own.evaluation_id) if own.evaluation_id else None,
        "left_out": own.left_out,
        "cost_usd": None if _has_unpriced(own) else float(own.cost_usd),
        "cases": [
            {**case, "url": f"{base}conversations/{shown}/" if (shown := case["own"]["conversation"]) else ""}
            for case in own.cases
        ],
    }


def _baseline(row: PullRequestGate) -> dict[str, Any] | None:
    if row.baseline_id is None:
        return None
    return {
        "evaluation": str(row.baseline_id),
        "commit": row.document.get("baseline_commit") or row.base_commit,
        "age_s": row.document.get("baseline_age_s") or 0,
        "fingerprint": row.document.get("baseline_fingerprint", ""),
        "beside": row.document.get("baseline_beside", ""),
    }


def _case(case: dict[str, Any], row: PullRequestGate, base: str) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name != "evaluations"} | {"url": _url(case, row, base)}


def _url(case: dict[str, Any], row: PullRequestGate, base: str) -> str:
    """Both transcripts beside each other, else the one there is."""
    before, after = case["baseline_conversation"], case["candidate_conversation"]
    a, b = case.get("evaluations") or (row.baseline_id, row.candidate_id)  # a gate of before has no evaluations by case
    if before and after and a and b:
        query = urlencode({"a": a, "b": b, "right": after})
        return f"{base}comparisons/pair/?{query}"
    return f"{base}conversations/{after or before}/" if after or before else ""
