"""A prompt with a live version and drafts that were played on the same customers and judged by one judge."""

from apps.catalog.models import Criterion
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import PromptDraft
from apps.runs.models import Conversation, TestRun, Turn
from tests.catalog.samples import criterion_fields
from tests.dashboard.conftest import NOW, version

LIVE = (
    "You are the desk of Salon Amani.\n\n# Confirming\nRepeat day and time at the end.\n\n# Payment\nTill 522 533, "
    "name the amount first.\n\n# Voice\nWarm and short.\n"
)
DRAFTS = {
    "Say the time twice": LIVE.replace("Repeat day and time at the end.", "Repeat day and time in figures and words."),
    "Never name the PIN": LIVE.replace("the amount first.", "the amount first. Nobody needs a PIN."),
    "Ask less": LIVE.replace("Repeat day and time at the end.", "Repeat the day."),
    "Swahili greeting": LIVE.replace("Warm and short.", "Warm and short. Greet in Swahili."),
}
GAINS = {
    "live": (0.0, 0.0, 0.0),
    "Say the time twice": (2.1, 0.0, -0.1),
    "Never name the PIN": (0.1, 1.8, 0.0),
    "Ask less": (-1.4, 0.0, 1.2),
}  # of time_confirmed, safe_payment, one_question; the greeting was never played
CRITERIA = ("time_confirmed", "safe_payment", "one_question")


def make_prompt_matrix(families: int = 14) -> dict[str, str]:
    """{what it is: its version} of the live prompt, its drafts and an earlier version."""
    for name in CRITERIA:
        Criterion.objects.get_or_create(name=name, defaults=criterion_fields())
    versions = {"earlier": record_prompt_text(name="booking", text="Book haircuts.\n", revision="0ldc0de")}
    versions["live"] = record_prompt_text(name="booking", text=LIVE, revision="a1b2c3d")
    for note, text in DRAFTS.items():
        made = create_draft(name="booking", text=text, source=DraftSource(by="amina", note=note))
        versions[note] = PromptDraft.objects.get(pk=made).version.version
    for place, (which, gains) in enumerate(GAINS.items()):
        _played(versions[which], gains, families, place)
    return versions


def _played(prompt: str, gains: tuple[float, ...], families: int, place: int) -> None:
    run = TestRun.objects.create(
        kind="battle", status="completed", name=f"Try {prompt}", started_at=NOW, ended_at=NOW,
        plan={"kind": "battle", "agent": {"name": "booking"}, "prompt_version": prompt},
        subject={"prompt_version": prompt},
    )  # fmt: skip
    rows = Conversation.objects.bulk_create(
        Conversation(
            run=run, position=at, external_id=f"s{at // 2:02}×{who}", kind="battle", status="ended", language="sw",
            spec={"scenario": f"kesho-{at // 2:02}", "family": f"family-{at // 2:02}", "persona_name": who, "seed": 0},
        )
        for at, who in enumerate(["Wanjiru", "Otieno"] * families)
    )  # fmt: skip
    said = [
        "Nataka kusuka nywele kesho",
        f"Sawa, kesho saa {'tano' if place % 2 else 'nne'}. Karibu!" + " Asante." * place,
    ]
    Turn.objects.bulk_create(
        Turn(conversation=row, position=at, role=role, purpose=purpose, content=text, latency_ms=900 + 100 * place)
        for row in rows
        for at, (role, purpose, text) in enumerate(zip(("user", "assistant"), ("ask", "reply"), said, strict=True))
    )
    evaluation = Evaluation.objects.create(
        run=run, config_version_id=version(CRITERIA), config_ref="booking-quality@4", status="completed",
        snapshot={"criteria": [], "parameters": {}, "llm_config": {}}, subject={"prompt_version": prompt},
    )  # fmt: skip
    for at, row in enumerate(rows):
        wobble = ((at * 7 + place * 5) % 11 - 5) / 6
        scores = [max(0.0, min(10.0, 6.0 + gain + wobble * (1 if gain else 0.3))) for gain in gains]
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=row, status="scored", weighted_score=sum(scores) / 3,
            fingerprint="f" * 64, judged_at=NOW, second_chances=0,
        )  # fmt: skip
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=position, status="scored", score=score, weight=1,
                pass_mark=6, reason="Alithibitisha saa.", evidence=[],
            )
            for position, (name, score) in enumerate(zip(CRITERIA, scores, strict=True))
        )  # fmt: skip
