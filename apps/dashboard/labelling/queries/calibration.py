"""The content of the calibration pages: which judges are certified, what the labelling needs, and one certificate
whole."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.calibration.domain.agreement_with_people import CertificateStatus, CertificateVerdict, deciding, lowest_item
from apps.calibration.models import Calibration, Certificate, HumanLabel, Rater
from apps.calibration.queries.certificates import with_revocations
from apps.calibration.queries.labelling import RoundState, candidates, latest_round, queue_for
from apps.catalog.models import EvaluatorConfig
from apps.core.errors import NotFound
from apps.dashboard.domain.badges import certificate_look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.evaluations.domain.states import EvaluationStatus

NEWEST = 200  # certificates looked at for the list
SMALL = 5  # a matrix of more points shows only those that occur


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLine:
    """The newest certificate of one judge. `certified` of `items` criteria × languages; `weakest` is the worst of
    them."""

    certificate: Certificate
    status: str
    certified: int
    items: int
    weakest: Mapping[str, Any] | None
    why: str
    kappa: float | None
    decides: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    name: str
    rated: int
    languages: Sequence[str]


@dataclass(frozen=True, slots=True)
class CalibrationStep:
    """One step on the way to a first certificate: `state` is done, now or later."""

    title: str
    note: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPage:
    """Facts for the calibration page.

    `steps` lead to the first certificate, none once there is one; `nothing_judged`: there is nothing to rate yet.
    """

    headline: Headline
    steps: Sequence[CalibrationStep]
    nothing_judged: bool
    judges: Sequence[JudgeLine]
    owed: Sequence[Calibration]
    round: RoundState | None
    mine: int
    my_languages: str
    raters: Sequence[RaterLine]
    labels: int
    configs: Sequence[str]

    @property
    def live(self) -> bool:
        """Tell whether a certificate is on its way: the page then asks again."""
        return any(calibration.evaluation.status != EvaluationStatus.TIMEOUT for calibration in self.owed)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedItem:
    """One item of a certificate and its confusion matrix as rows of (label, (count, whether on the diagonal)…)."""

    item: Mapping[str, Any]
    kappa: float | None
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[int, bool]]]]
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificatePage:
    certificate: Certificate
    headline: Headline
    status: str
    why: str  # what keeps it from being certified everywhere
    items: Sequence[CertifiedItem]
    declared: Mapping[str, Any]


def calibration_page(*, user: str, now: datetime) -> CalibrationPage:
    """All of the page. Ten queries whatever the size, two more before the first round."""
    judges = _judges(now)
    round_ = latest_round()
    languages = dict(Rater.objects.values_list("user", "languages"))
    done = round_.raters if round_ else {}
    owed = list(Calibration.objects.filter(certificate=None).select_related("evaluation").order_by("-created_at")[:20])
    first = not judges and not owed
    to_rate = len(candidates(now=now)[1]) if first and round_ is None else 0
    return CalibrationPage(
        headline=_headline(judges),
        judges=judges,
        steps=_steps(round_, to_rate) if first else (),
        nothing_judged=first and round_ is None and not to_rate,
        owed=owed,
        round=round_,
        mine=len(queue_for(user, state=round_)) if round_ else 0,
        my_languages=" ".join(languages.get(user) or []),
        raters=[
            RaterLine(name=name, rated=done.get(name, 0), languages=languages.get(name) or [])
            for name in sorted({*languages, *done})
        ],
        labels=HumanLabel.objects.values("item").distinct().count(),
        configs=_configs(round_),
    )


def _configs(round_: RoundState | None) -> list[str]:
    """Return the configs by name, the one whose criteria people rated first.

    With any other there would be nothing to compare.
    """
    rated = round_.round.config_ref.partition("@")[0] if round_ else ""
    names = EvaluatorConfig.objects.order_by("name").values_list("name", flat=True)
    return sorted(names, key=lambda name: name != rated)


def _steps(round_: RoundState | None, to_rate: int) -> list[CalibrationStep]:
    judged, rated = to_rate or round_, round_ is not None and round_.rated >= round_.wanted
    rateable = f"{many(to_rate, 'conversation')} can be rated." if to_rate > 1 else "Its conversations can be rated."
    given = (
        f"{round_.rated} of {round_.wanted} ratings are given."
        if round_
        else ("By keyboard, some two minutes each; nobody sees a score, or what the others said.")
    )
    wanted = round_.round.raters_wanted if round_ else 0
    steps = [
        ("Judge a run", rateable if judged else "Battles, a replay, or conversations that you import.", bool(judged)),
        ("Open a labelling round", "It draws about ten conversations, hard ones and easy ones.", round_ is not None),
        (f"{wanted} people rate each conversation" if wanted > 1 else "People rate them", given, rated),
        ("Compare a judge with them", "Its certificate says on which criteria it can be believed.", False),
    ]
    now = next(at for at, (_, _, done) in enumerate(steps) if not done)
    return [
        CalibrationStep(title, note, "done" if done else "now" if at == now else "later")
        for at, (title, note, done) in enumerate(steps)
    ]


def certificate_page(certificate_id: uuid.UUID, *, now: datetime, titles: Mapping[str, str] = NAMES) -> CertificatePage:
    """One certificate; `titles` is what its sentence calls criteria. One query. Raises NotFound."""
    certificate = with_revocations().select_related("calibration__evaluation").filter(pk=certificate_id).first()
    if certificate is None:
        raise NotFound(f"There is no certificate {certificate_id}.")
    good = sum(item["verdict"] == CertificateVerdict.CERTIFIED for item in certificate.items)
    whole = many(len(certificate.items), "criterion and language", "criteria and languages")
    others = [item for item in certificate.items if item["verdict"] != CertificateVerdict.CERTIFIED]
    refused = [item for item in others if certificate_look(item["verdict"], item["reason"]).value != "too_few"]
    text = f"The judge is certified on {good} of {whole}"
    name = refused[0]["criterion"] if refused else ""
    return CertificatePage(
        certificate=certificate,
        status=_status(certificate, now),
        why="; ".join(dict.fromkeys(item["reason"] for item in others)),
        headline=Headline(
            text=text + (", " if refused else ": not enough labels yet" if others else ""),
            but=f"refused on {titles.get(name, name)}" if refused else "",
        ),
        items=[_item(item, certificate.declared) for item in certificate.items],
        declared=certificate.declared,
    )


def _judges(now: datetime) -> list[JudgeLine]:
    """The newest certificate of each fingerprint, those that need somebody first."""
    newest: dict[str, Certificate] = {}
    for row in with_revocations().order_by("-issued_at")[:NEWEST]:
        newest.setdefault(row.fingerprint or str(row.pk), row)
    return [_line(row, now) for row in newest.values()]


def _line(row: Certificate, now: datetime) -> JudgeLine:
    good = [item for item in row.items if item["verdict"] == CertificateVerdict.CERTIFIED]
    ranked = sorted(row.items, key=lambda item: (item in good, deciding(item) or -1.0))
    weakest, lowest = ranked[0] if ranked else None, lowest_item(row.items)
    return JudgeLine(
        certificate=row,
        status=_status(row, now),
        certified=len(good),
        items=len(row.items),
        weakest=weakest,
        why=weakest["reason"].split("; ")[0] if weakest else "",
        kappa=deciding(lowest) if lowest else None,
        decides=lowest["decides"] if lowest else "",
    )


def _status(row: Certificate, now: datetime) -> str:
    over = row.valid_until <= now or getattr(row, "revocation", None) is not None
    if row.verdict == CertificateVerdict.CERTIFIED and over:
        return CertificateStatus.EXPIRED.value
    return str(row.verdict)


def _headline(judges: Sequence[JudgeLine]) -> Headline:
    if not judges:
        return Headline(
            text="No judge has been compared with people yet",
            note="Until then nobody knows whether a score is what a person would say. It takes four steps.",
        )
    good = sum(judge.status == CertificateStatus.CERTIFIED for judge in judges)
    looks = [certificate_look(judge.status, judge.why).value for judge in judges]
    bad = looks.count(CertificateVerdict.REFUSED)
    if not good and not bad and "too_few" in looks:
        return Headline(text="No judge is certified: not enough labels yet")
    if not good:
        return Headline(text="No judge is certified" + (", " if bad else ""), but=f"{bad} refused" if bad else "")
    text = f"{good} of {many(len(judges), 'judge')} {'is' if good == 1 else 'are'} certified"
    return Headline(text=text + (", " if bad else ""), but=f"{bad} refused" if bad else "")


def _item(item: Mapping[str, Any], declared: Mapping[str, Any]) -> CertifiedItem:
    labels, rows = item["confusion"]["labels"], item["confusion"]["rows"]
    used = [n for n in range(len(labels)) if len(labels) <= SMALL or any(rows[n]) or any(row[n] for row in rows)]
    return CertifiedItem(
        item=item,
        kappa=deciding(item),
        columns=[str(labels[n]) for n in used],
        rows=[(str(labels[n]), [(rows[n][at], n == at) for at in used]) for n in used],
        how=declared["bins"][item["criterion"]]["how"],
    )
