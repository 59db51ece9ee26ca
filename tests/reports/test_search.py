"""Search: what was said and why it was scored so is found by the beginnings of words; what is gone or sealed is not."""

from dataclasses import replace
from datetime import timedelta

import pgtrigger
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.module_loading import import_string
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.eraser import erase_rows
from apps.core.documents import as_json
from apps.core.errors import BadInput
from apps.core.search_words import excerpt, search_query, words_sql
from apps.jobs.work import TimeSlice, Work, work_named
from apps.reports.search.queries import search
from apps.reports.search.queries.search import HitKind, find_words, search_document
from apps.runs.models import Conversation, TestRun, Turn, TurnWords
from apps.runs.services.word_index import index_words
from apps.tenants.context import current_schema
from tests.dashboard.matrix_samples import mixed_evaluation

pytestmark = pytest.mark.usefixtures("tenant")


def conversation(
    *texts: str, kind: str = "battle", status: str = "ended", run_kind: str = "", **fields
) -> Conversation:
    run = TestRun.objects.create(kind=run_kind or kind, status="completed", name="Saluni", plan={})
    place = Conversation.objects.count()
    row = Conversation.objects.create(
        run=run, position=0, external_id=f"c-{place}", kind="imported" if kind == "battle" else kind, status=status,
        language="sw", ended_at=timezone.now(), **fields,
    )  # fmt: skip
    Turn.objects.bulk_create(
        Turn(
            conversation=row, position=at, purpose="message", role=("user", "assistant")[at % 2], content=text,
            attempt=row.attempt,
        )
        for at, text in enumerate(texts)
    )  # fmt: skip
    return row


def found(q: str) -> list[tuple[str, int | None]]:
    while index_words():
        pass
    return [(one.conversation_id, one.turn) for one in find_words(search_query(q)).turns]


def test_a_turn_is_found_by_the_beginnings_of_its_words_in_any_language_and_the_newest_comes_first() -> None:
    first = conversation("Nataka kusukwa nywele kesho saa tano.", "Sawa, kesho saa tano. Perché NO? È così: 12.50")
    second = conversation("Kesho?", "مرحبا بك غدا")
    assert found("kesh") == [(second.external_id, 0), (first.external_id, 1), (first.external_id, 0)]
    assert found("nywe kusukwa") == [(first.external_id, 0)]
    assert found("COSÌ perché") == found("12.50") == [(first.external_id, 1)]
    assert found("مرحبا") == [(second.external_id, 1)]
    assert found("esho") == [], "the beginning of a word, not its end"
    assert found("kesho haipo") == [], "all words must be there"


@pytest.mark.parametrize("q", ["", "   ", "&|!<>()*:'\\", "👍🏽", "x" * 10_000, " ".join("abcdefghijklmnop")])
def test_what_cannot_be_searched_for_is_told(q: str) -> None:
    with pytest.raises(BadInput) as refused:
        search_query(q)
    assert refused.value.code == "bad_query"


@given(st.text(min_size=1, max_size=150))
def test_whatever_is_typed_is_refused_or_is_words_alone(text: str) -> None:
    try:
        query = search_query(text)
    except BadInput:
        return
    assert all(word.isalnum() for word in query.words)
    shown = "".join(one.text for one in excerpt(text, query)).removeprefix("… ").removesuffix(" …")
    assert shown in text or text in shown


@pytest.mark.parametrize(
    "q", ["'); DROP TABLE runs_turn; --", "a' | 'b", "kesho:*", "!kesho", "kesho <-> saa", "\x00kesho"]
)
def test_what_looks_like_syntax_is_words(q: str) -> None:
    conversation("kesho saa")
    found(q)
    assert Turn.objects.count() == 2 - 1


def test_a_conversation_is_found_when_it_is_over_and_by_its_last_attempt_alone() -> None:
    row = conversation("Habari ya kwanza", status="running", attempt=1)
    assert found("kwanza") == []
    Conversation.objects.filter(pk=row.pk).update(status="ended")
    assert found("kwanza") == [(row.external_id, 0)]
    Conversation.objects.filter(pk=row.pk).update(status="pending", attempt=2)
    Turn.objects.create(
        conversation_id=row.pk, attempt=2, position=0, purpose="message", role="user", content="Ya pili"
    )
    Conversation.objects.filter(pk=row.pk).update(status="ended")
    assert found("kwanza") == []
    assert found("pili") == [(row.external_id, 0)]


def test_what_was_erased_or_deleted_is_found_no_more_and_its_words_are_gone() -> None:
    row = conversation("Mimi ni Wanjiku Kamau", "Karibu")
    assert found("kamau") == [(row.external_id, 0)]
    turn = row.turns.get(position=0)
    rows = [{"id": turn.pk, "content": "Mimi ni <erased>"}]
    erase_rows(schema="t_acme", table="runs_turn", key="id", columns=["content"], rows=rows)
    assert found("kamau") == []
    assert found("erased") == [(row.external_id, 0)]
    assert not TurnWords.objects.extra(where=["words @@ to_tsquery('simple', 'kamau')"]).exists()
    with pgtrigger.ignore():
        row.turns.all().delete()
    assert not TurnWords.objects.exists()


def test_words_that_stayed_behind_show_nothing_that_their_turn_does_not_say() -> None:
    row = conversation("Karibu sana")
    assert found("karibu")
    TurnWords.objects.update(words="'kamau'")
    assert found("kamau") == []
    assert row.turns.exists()


def test_what_was_played_in_a_trial_is_never_found() -> None:
    conversation("Siri ya familia", kind="battle", run_kind="trial")
    conversation("Siri ya nanga", kind="anchor")
    assert found("siri") == []


def test_reasons_and_their_quotes_are_found_with_their_scores() -> None:
    evaluation, _ = mixed_evaluation(12)
    reasons = find_words(search_query("alithib")).reasons
    assert reasons
    assert {one.kind for one in reasons} == {HitKind.REASON}
    assert {one.evaluation_id for one in reasons} == {evaluation.pk}
    quotes = find_words(search_query("kesho tano")).reasons
    assert {(one.kind, one.turn) for one in quotes} == {(HitKind.QUOTE, 1)}
    assert quotes[0].path == f"/conversations/{quotes[0].conversation}/?evaluation={evaluation.pk}#turn-1"
    assert [one.text for one in quotes[0].pieces if one.found] == ["kesho", "tano"]


def test_search_reads_the_indexes_and_costs_the_same_at_any_size() -> None:
    costs = []
    for n in (2, 30):
        mixed_evaluation(n)
        with CaptureQueriesContext(connection) as queries:
            as_json(search_document(search_query("kesho"), origin="http://acme.localhost"))
        costs.append(len([one for one in queries if "search_path" not in one["sql"]]))
    assert costs[0] == costs[1]
    gathered = [one["sql"] for one in queries if "array_agg" in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        for sql, index in zip(gathered, ("turn_words_found", "score_found_by_words"), strict=True):
            cursor.execute(f"EXPLAIN {sql}")
            assert index in "\n".join(row[0] for row in cursor.fetchall())


def test_words_that_stand_nearly_everywhere_are_read_from_the_newest_on(monkeypatch) -> None:
    for name in ("_SAID", "_REASONED"):
        monkeypatch.setattr(search, name, replace(getattr(search, name), rare=2))
    rows = [conversation("Karibu sana", "Karibu tena") for _ in range(20)]
    evaluation, _ = mixed_evaluation(12)
    assert found("karibu")[:3] == [(rows[-1].external_id, 1), (rows[-1].external_id, 0), (rows[-2].external_id, 1)]
    hits = find_words(search_query("karibu"))
    assert (len(hits.turns), hits.more_turns) == (25, True)
    assert {one.evaluation_id for one in find_words(search_query("kesho")).reasons} == {evaluation.pk}


def test_the_trigger_of_the_database_makes_the_words_that_the_worker_makes() -> None:
    row = conversation("Kesho, saa 12.50!")
    found("kesho")
    before = TurnWords.objects.get().words
    turn = row.turns.get()
    rows = [{"id": turn.pk, "content": "Kesho, saa 12.50! "}]
    erase_rows(schema="t_acme", table="runs_turn", key="id", columns=["content"], rows=rows)
    assert TurnWords.objects.get().words == before
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {words_sql('content')} FROM runs_turn")  # noqa: S608 - words of our own
        assert cursor.fetchone()[0] == before


def test_the_work_is_seen_while_it_waits_and_done_by_a_worker() -> None:
    conversation("Karibu sana")
    conversation("Bado", status="running")
    kind = work_named("search_words")
    assert waits(kind) == 1
    serve = import_string(kind.serve)
    assert not serve(TimeSlice(tenant="acme", now=timezone.now, until=timezone.now() + timedelta(seconds=5)))
    assert waits(kind) == 0
    assert [one.conversation_id for one in find_words(search_query("karibu")).turns]


def waits(kind: Work) -> int:
    with connection.cursor() as cursor:
        cursor.execute(kind.waiting(current_schema()), {"now": timezone.now()})
        return len(cursor.fetchall())


def test_a_question_that_takes_too_long_is_refused_and_not_worked_on(monkeypatch) -> None:
    conversation("Karibu sana")
    slow = replace(search._SAID, words="(SELECT words FROM pg_sleep(1) LIMIT 1)")
    monkeypatch.setattr(search, "_SAID", slow)
    monkeypatch.setattr(search, "MAX_MS", 20)
    with pytest.raises(BadInput) as refused:
        found("karibu")
    assert refused.value.code == "bad_query"
    assert Turn.objects.exists(), "and the page goes on"
