"""The content of the page of an evaluator config version: its criteria as rows, its dry runs, the other versions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from apps.budgets.domain.forecast import PartForecast
from apps.calibration.services.judge_check_job import KIND as JUDGE_CHECK
from apps.catalog.admin.config_form import VersionForm, criteria_rows
from apps.catalog.configs.domain.criteria import text_in, title_in
from apps.catalog.configs.domain.diff import VersionDiff, describe_model, diff
from apps.catalog.configs.queries.judges import check_of
from apps.catalog.configs.queries.versions import content_of
from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import Criterion, EvaluatorConfigVersion, JudgeCheck
from apps.core.errors import NotFound
from apps.dashboard.conversations.queries.verdicts import judgement_looks
from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.badges import score_look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.test_set.domain.version_changes import change_count, change_words, draft_headline, moved_words
from apps.evaluations.figures.queries.worst_conversations import version_beside, worst_conversations
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.queries.cost_forecast import dry_run_forecast
from apps.evaluations.requests.services.dry_run_job import KIND as DRY_RUNS
from apps.evaluations.requests.services.dry_run_job import MOST, content_digest
from apps.jobs.models import InteractiveJob
from apps.jobs.queries.interactive import interactive_jobs_of
from apps.runs.models import Conversation

TICKED = 5  # of the worst conversations, to begin with


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorRow:
    """A criterion as the editor shows it. `against` says what differs from the version before."""

    index: int
    values: Mapping[str, Any]
    title: str
    description: str
    guide: Mapping[str, str]
    against: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    version: EvaluatorConfigVersion
    evaluations: int
    active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRow:
    """One conversation judged by both versions, and nothing of it stored as a judgement."""

    conversation: Conversation
    here: float | None
    here_look: Badge
    beside: float | None
    beside_look: Badge
    moved: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialState:
    """Results of trying a version: the judge's on known answers, and the dry runs'. Either may still be going on."""

    check: JudgeCheck | None
    check_job: InteractiveJob | None
    dry_job: InteractiveJob | None
    tried: Sequence[TriedRow]
    wanted: int
    stale: bool
    beside: EvaluatorConfigVersion | None
    cost_usd: float | None

    @property
    def live(self) -> bool:
        """Tell whether a worker is at it: the page then asks again."""
        return any(job is not None and job.status == "pending" for job in (self.check_job, self.dry_job))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCandidate:
    conversation: Conversation
    score: float | None
    look: Badge
    ticked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownContent:
    """Models and parameters of a version that is only read."""

    models: Sequence[tuple[str, str]]
    settings: Sequence[tuple[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorPage:
    version: EvaluatorConfigVersion
    before: EvaluatorConfigVersion | None
    headline: Headline
    draft: bool
    form: VersionForm | None
    rows: Sequence[EditorRow]
    used: int
    versions: Sequence[VersionRow]
    state: TrialState
    candidates: Sequence[TrialCandidate]
    dry_run_cost: PartForecast
    sides: int
    content: ShownContent

    @property
    def judged(self) -> list[EditorRow]:
        return [row for row in self.rows if row.values["used"]]

    @property
    def others(self) -> list[EditorRow]:
        return [row for row in self.rows if not row.values["used"]]


def find_version_row(version_id: uuid.UUID) -> EvaluatorConfigVersion:
    """A version with its config. One query. Raises NotFound."""
    version: EvaluatorConfigVersion | None = (
        EvaluatorConfigVersion.objects.select_related("config").filter(pk=version_id).first()
    )
    if version is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    return version


def editor_page(version_id: uuid.UUID, *, language: str, posted: Any = None) -> EditorPage:
    """Return everything on the editor's page.

    `posted` is a form that was refused, shown again as it was typed. Some twenty queries, whatever the number of
    criteria, versions and conversations. Raises NotFound.
    """
    version = find_version_row(version_id)
    draft = version.status == VersionStatus.DRAFT
    form = editor_form(version, posted) if draft else None
    versions = _versions(version)
    before = next((row.version for row in versions if row.version.number < version.number), None)
    difference = diff(content_of(before), content_of(version)) if before else None
    state = trial_state(version, language=language)
    rows = _rows(version, form, difference, language)
    return EditorPage(
        version=version,
        before=before,
        headline=_headline(version, before, difference, state, versions),
        draft=draft,
        form=form,
        rows=rows,
        used=sum(bool(row.values["used"]) for row in rows),
        versions=versions,
        state=state,
        candidates=_candidates(version),
        sides=(sides := 2 if state.beside else 1),
        dry_run_cost=dry_run_forecast(version, judgements=sides),
        content=ShownContent(
            models=[(role, describe_model(model)) for role, model in content_of(version).models().items()],
            settings=sorted(content_of(version).settings().items()),
        ),
    )


def editor_form(version: EvaluatorConfigVersion, posted: Any = None) -> VersionForm:
    """The form of a draft."""
    return VersionForm(posted, instance=version)


def trial_state(version: EvaluatorConfigVersion, *, language: str) -> TrialState:
    """The judge's check and the dry runs, as far as they are. Some ten queries."""
    jobs = interactive_jobs_of(version.pk)
    dry = jobs.get(DRY_RUNS)
    raw = list(dry.answer.get("rows", ())) if dry else []
    conversations = Conversation.objects.in_bulk([uuid.UUID(one["conversation"]) for one in raw])
    named = {name for one in raw for name in one["here"]["criteria"]}
    titles = _titles(named, language)
    tried = [
        _tried(one, conversations[uuid.UUID(one["conversation"])], titles)
        for one in raw
        if uuid.UUID(one["conversation"]) in conversations
    ]
    sides = [side for one in raw for side in (one["here"], one["beside"]) if side]
    costs = [side["cost_usd"] for side in sides]
    return TrialState(
        check=check_of(version),
        check_job=jobs.get(JUDGE_CHECK),
        dry_job=dry,
        tried=tried,
        wanted=len(dry.arguments["conversations"]) if dry else 0,
        stale=bool(dry and dry.arguments.get("content") != content_digest(version)),
        beside=version_beside(version.pk),
        cost_usd=sum(costs) if costs and None not in costs else None,
    )


def _tried(raw: Mapping[str, Any], conversation: Conversation, titles: Mapping[str, str]) -> TriedRow:
    here, beside = raw["here"], raw["beside"]
    old = beside["score"] if beside else None
    return TriedRow(
        conversation=conversation,
        here=here["score"],
        here_look=score_look(here["score"], 6.0),
        beside=old,
        beside_look=score_look(old, 6.0),
        moved=moved_words(here, beside, titles),
    )


def _titles(names: set[str], language: str) -> dict[str, str]:
    rows = Criterion.objects.filter(name__in=names).values_list("name", "titles") if names else ()
    return {name: title_in(titles, language, name=name) for name, titles in rows}


def _versions(version: EvaluatorConfigVersion) -> list[VersionRow]:
    rows = list(
        EvaluatorConfigVersion.objects.filter(config=version.config_id)
        .select_related("config")
        .defer("system_prompt_template", "frozen_criteria")
        .order_by("-number")
    )
    counted = Evaluation.objects.filter(config_version__in=rows).values_list("config_version")
    used = dict(counted.annotate(n=Count("*")).order_by())
    active = next((row.pk for row in rows if row.status == VersionStatus.PUBLISHED), None)
    return [VersionRow(version=row, evaluations=used.get(row.pk, 0), active=row.pk == active) for row in rows]


def _rows(
    version: EvaluatorConfigVersion, form: VersionForm | None, version_diff: VersionDiff | None, language: str
) -> list[EditorRow]:
    """A draft offers the whole catalog; any other version shows what it judges, in the words it froze."""
    values: Sequence[Mapping[str, Any]] = form["rows"].value() if form else criteria_rows(version)
    sources = {row.name: row for row in Criterion.objects.only("name", "texts", "titles")}
    lines = {line.what: line for line in version_diff.criteria} if version_diff else {}
    rubric = str(content_of(version).settings()["rubric_language"])
    rows = []
    for index, one in enumerate(values):
        if form is None and not one["used"]:
            continue
        source = sources.get(one["name"])
        frozen = version.frozen_criteria.get(one["name"])
        texts = frozen["texts"] if frozen else source.texts if source else {}
        text = text_in(texts, rubric)
        title = title_in(source.titles, language, name=one["name"]) if source else one["name"]
        against = change_words(lines.get(one["name"])) if version_diff else ""
        rows.append(
            EditorRow(
                index=index,
                values=one,
                title=title,
                description=text["description"],
                guide=text["scoring_guide"],
                against=against,
            )
        )
    return rows


def _headline(
    version: EvaluatorConfigVersion,
    before: EvaluatorConfigVersion | None,
    version_diff: VersionDiff | None,
    state: TrialState,
    versions: Sequence[VersionRow],
) -> Headline:
    mine = next(row for row in versions if row.version.pk == version.pk)
    if version.status == VersionStatus.DRAFT:
        return draft_headline(
            ref=str(version),
            number=version.number,
            before=before.number if before else None,
            changes=change_count(version_diff) if version_diff else 0,
            criteria=len(content_of(version).names),
            tried=len(state.tried),
            stale=state.stale,
            judge="" if state.check is None else "passed" if state.check.passed else "failed",
        )
    used = f"{many(mine.evaluations, 'evaluation')} used it" if mine.evaluations else "No evaluation used it yet"
    note = f"{used}; its scores must stay comparable, so nobody can change it. Make a new version from it instead."
    if version.status == VersionStatus.RETIRED:
        return Headline(text=f"{version} is retired", note=note)
    return Headline(text=f"{version} is published" + (" and in use" if mine.active else ""), note=note)


def _candidates(version: EvaluatorConfigVersion) -> list[TrialCandidate]:
    """The worst first: those that a blocking criterion stops, whatever their score, then by score."""
    worst = worst_conversations(config=version.config.name, limit=MOST)
    looks = judgement_looks([one.judgement for one in worst if one.judgement])
    rows = (
        Conversation.objects.select_related("run")
        .defer("run__plan", "session", "extra")
        .in_bulk([one.conversation for one in worst])
    )
    shown = [(one, looks.get(one.judgement) if one.judgement else None) for one in worst if one.conversation in rows]
    shown.sort(key=lambda pair: pair[1] is None or pair[1].tone is not Tone.BAD)
    return [
        TrialCandidate(
            conversation=rows[one.conversation], score=one.score, look=seen or score_look(None, 6.0), ticked=at < TICKED
        )
        for at, (one, seen) in enumerate(shown)
    ]
