"""Calibration and labelling pages: what raters see, and above all what they do not."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from apps.core.redaction import redact
from apps.tenants.context import current_slug, in_tenant
from apps.tenants.models import Tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import queries_of, text_of

MONDAY = datetime(2026, 11, 2, 6, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def rounded(count=15):
    """A tenant in whose month ten conversations wait to be rated on x."""
    from apps.calibration.services.labelling import open_round  # noqa: PLC0415 - apps are loaded by then
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415 - as above
    from tests.calibration.calibration_bench import imported_judge  # noqa: PLC0415 - as above
    from tests.evaluations.bench import document  # noqa: PLC0415 - as above

    documents = [document(f"c-{n}", "Namba ni 0712345678", "Asante, nimeipata.") for n in range(count)]
    run = import_documents(documents=documents, name="simu", triggered_by="tests", now=MONDAY)
    evaluation = imported_judge(run, "salon", {f"c-{n}": n % 11 for n in range(count)})
    from apps.evaluations.models import Judgement  # noqa: PLC0415 - as above

    Judgement.objects.filter(evaluation=evaluation).exclude(status="scored").update(judged_at=MONDAY)
    Tenant.objects.filter(slug=current_slug()).update(settings={"calibration_config": "judged"})
    return open_round(now=MONDAY), evaluation


@pytest.fixture
def waiting(db, monkeypatch):
    import tests.calibration.calibration_bench as bench  # noqa: PLC0415 - apps are loaded by then

    monkeypatch.setattr(bench, "NOW", MONDAY)
    with in_tenant("acme"):
        return rounded()


def rater(name="wanjiru"):
    return signed_in(name, "add_humanlabel", "view_certificate")


def with_role(role):
    """A signed-in member of staff with this role."""
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        user = User.objects.create_user(role or "nobody", is_staff=True)
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
    return client


def test_a_curator_opens_a_round_on_any_day_and_a_rater_rates_it_blind(db):
    from tests.dashboard.conftest import make_evaluation, make_run  # noqa: PLC0415 - apps are loaded by then

    curator, judge_of_judges = with_role("curator"), with_role("rater")
    for page in ("/calibration/", "/labelling/"):
        assert "No labelling round is open" in text_of(curator.get(page))
    assert "Open a labelling round" in text_of(curator.get("/labelling/"))
    assert "Start a run" in text_of(curator.get("/calibration/"))  # nothing was judged: that is the first step
    nothing = text_of(curator.post("/calibration/rounds/open/", follow=True))
    assert "judge a run first" in nothing
    with in_tenant("acme"):
        evaluation = make_evaluation(*make_run(4))
    assert "Open a labelling round" in text_of(judge_of_judges.get("/labelling/"))
    assert "4 conversations wait for you" in text_of(judge_of_judges.post("/calibration/rounds/open/", follow=True))
    assert "You rate conversations: 4 wait for you" in text_of(judge_of_judges.get("/admin/"))
    steps = text_of(curator.get("/calibration/"))
    assert "0 of 8 ratings are given." in steps
    assert steps.index("Open a labelling round (done)") < steps.index("2 people rate each conversation")
    assert "open already" in text_of(curator.post("/calibration/rounds/open/", follow=True))
    shown = judge_of_judges.get("/labelling/")
    assert "4 conversations wait for you" in text_of(shown)
    item = shown_item(shown)
    number = len(re.findall(r'data-question="', shown.content.decode()))
    assert number == 3  # nobody chose what people rate
    ratings = {f"value-{at}": "none" for at in range(number)}
    assert judge_of_judges.post(f"/labelling/{item}/save/", ratings).status_code == 302
    assert len(labels()) == number
    for page in (f"/evaluations/{evaluation.pk}/", "/calibration/", "/usage/", f"/runs/{evaluation.run_id}/"):
        assert judge_of_judges.get(page).status_code == 403
    assert "You rate conversations" in text_of(judge_of_judges.get("/admin/"))


def test_who_has_no_role_is_told_whom_to_ask(db):
    with_role("owner")
    text = text_of(with_role("").get("/admin/"))
    assert "You have no role here yet" in text
    assert "Ask owner" in text


def item_ids():
    from apps.calibration.models import LabellingItem  # noqa: PLC0415 - apps are loaded by then

    with in_tenant("acme"):
        return list(LabellingItem.objects.order_by("position").values_list("pk", flat=True))


def shown_item(answer):
    return int(re.search(r"/labelling/(\d+)/save/", answer.content.decode())[1])


def labels():
    from apps.calibration.models import HumanLabel  # noqa: PLC0415 - apps are loaded by then

    with in_tenant("acme"):
        return list(HumanLabel.objects.order_by("created_at").values_list("rater", "value", "reason"))


def test_before_anything_was_judged_the_pages_say_what_to_do(owner):
    assert "No judge has been compared with people yet" in text_of(owner.get("/calibration/"))
    assert "Nothing waits for your rating" in text_of(owner.get("/labelling/"))


def test_a_rater_sees_the_conversation_masked_and_neither_the_judge_nor_others(waiting):
    juma = rater("juma")
    juma.post(f"/labelling/{item_ids()[0]}/save/", {"value-0": "2", "reason-0": "Sababu ya Juma"})
    amina = rater()
    answer = amina.get(f"/labelling/{item_ids()[0]}/")
    html = answer.content.decode()
    main = html[html.index('id="cal-form"') :]
    assert "0712345678" not in html
    assert redact("0712345678") in html
    assert "Sababu ya Juma" not in html
    assert "juma" not in main
    assert "checked" not in main
    for hidden in ("weighted", "disagreement", "extreme", "low_evidence", "8.0", "imported"):
        assert hidden not in main, hidden


def test_a_rating_is_kept_and_the_next_conversation_comes(waiting):
    amina = rater()
    first = shown_item(amina.get("/labelling/"))
    answer = amina.post(f"/labelling/{first}/save/", {"value-0": "4", "reason-0": "Wazi"}, follow=True)
    assert "9 conversations wait for you" in text_of(answer)
    assert shown_item(answer) != first
    assert labels() == [("wanjiru", 4.0, "Wazi")]


def test_a_form_without_a_rating_comes_back_with_what_was_typed(waiting):
    amina = rater()
    first = shown_item(amina.get("/labelling/"))
    answer = amina.post(f"/labelling/{first}/save/", {"reason-0": "Bado nafikiri"})
    assert answer.status_code == 422
    assert "Bado nafikiri" in answer.content.decode()
    assert "x has no rating" in answer.content.decode()
    answer = amina.post(f"/labelling/{first}/save/", {"value-0": "9"})
    assert "9 is not on the scale 1-5" in answer.content.decode()
    assert amina.post(f"/labelling/{first}/save/", {"value-0": "<b>"}).status_code == 422
    assert labels() == []


def test_skipping_goes_round_and_cannot_say_is_a_rating(waiting):
    amina = rater()
    seen, after = [], ""
    for _ in range(11):
        found = shown_item(amina.get(f"/labelling/?after={after}"))
        seen.append(found)
        after = found
    assert len(set(seen)) == 10
    assert seen[0] == seen[10]
    amina.post(f"/labelling/{seen[0]}/save/", {"value-0": "none"})
    assert labels() == [("wanjiru", None, "")]


def test_a_third_rater_is_told_that_two_were_enough(waiting):
    first = item_ids()[0]
    for name in ("amina", "juma"):
        rater(name).post(f"/labelling/{first}/save/", {"value-0": "4"})
    otieno = rater("otieno")
    answer = otieno.post(f"/labelling/{first}/save/", {"value-0": "1"}, follow=True)
    assert "2 people have rated this conversation already" in text_of(answer)
    assert otieno.get(f"/labelling/{first}/").status_code == 404
    assert len(labels()) == 2


def test_ones_own_rating_may_be_corrected(waiting):
    amina = rater()
    first = item_ids()[0]
    amina.post(f"/labelling/{first}/save/", {"value-0": "4", "reason-0": "Wazi"})
    again = amina.get(f"/labelling/{first}/")
    assert "Correct your rating" in text_of(again)
    assert "Wazi" in again.content.decode()
    amina.post(f"/labelling/{first}/save/", {"value-0": "2", "reason-0": "Hapana"})
    assert labels() == [("wanjiru", 4.0, "Wazi"), ("wanjiru", 2.0, "Hapana")]


def test_the_calibration_page_leads_through_the_month(waiting, owner):
    text = text_of(owner.get("/calibration/"))
    assert "0 of 20 ratings given on 10 conversations" in text
    assert "nobody owns it" in text
    rater().post(f"/labelling/{item_ids()[0]}/save/", {"value-0": "4"})
    text = text_of(owner.get("/calibration/"))
    assert "1 of 20" in text
    assert "wanjiru every language 1" in text
    assert "You read en, sw." in text_of(owner.post("/calibration/languages/", {"languages": "sw, en"}, follow=True))
    assert "by their codes" in text_of(owner.post("/calibration/languages/", {"languages": "2!"}, follow=True))
    answer = owner.get("/calibration/human_labelled.yaml")
    assert b"rater: wanjiru" in answer.content
    assert b"0712345678" not in answer.content
    assert "19 ratings missing for November 2026" in text_of(owner.get("/admin/"))


def certified(evaluation):
    from apps.calibration.services.certification import certify, request_calibration  # noqa: PLC0415 - as above
    from apps.evaluations.figures.domain.rating_scale import read_scale  # noqa: PLC0415 - apps are loaded by then
    from tests.calibration.calibration_bench import labelled  # noqa: PLC0415 - as above

    scale = read_scale("0-10")
    values = {f"c-{n}": [n % 11, min(10, n % 11 + 1)] for n in range(15)}
    asked = request_calibration(labels=labelled(values, scale), evaluation_id=evaluation, now=NOW)
    return certify(calibration_id=asked.calibration_id, now=NOW)


def test_a_refusal_is_shown_with_its_reason_and_its_matrix(waiting, owner):
    with in_tenant("acme"):
        certificate = certified(waiting[1])
    assert "No judge is certified: not enough labels yet" in text_of(owner.get("/calibration/"))
    text = text_of(owner.get(f"/calibration/{certificate.pk}/"))
    assert "too few: 15 labelled conversations, 30 are needed" in text
    assert "kappa of 0.7 or more, on 30 conversations" in text
    text = text_of(owner.get(f"/evaluations/{waiting[1]}/"))
    assert "Not enough labels yet on x: 15 labelled conversations, 30 are needed." in text
    assert "Corrected for" not in text


def test_a_certificate_and_corrected_figures_stand_on_the_evaluation(waiting, owner, monkeypatch):
    from apps.tenants.domain.workflow_config import WorkflowConfig  # noqa: PLC0415 - apps are loaded by then

    monkeypatch.setattr(
        "apps.calibration.services.certification.workflow_config", lambda slug: WorkflowConfig(certificate_min_items=10)
    )
    monkeypatch.setattr("apps.reports.results.queries.evaluation_document.timezone.now", lambda: NOW)
    with in_tenant("acme"):
        certified(waiting[1])
    text = text_of(owner.get(f"/evaluations/{waiting[1]}/"))
    assert "The judge agrees with people on every criterion, until 2026-12-26." in text
    assert "Corrected for the judge's known errors" in text.replace("&#x27;", "'")
    assert re.search(r"x 4\.\d\d 4\.\d\d \[\d\.\d\d, \d\.\d\d\] \d+ % \d+ % \[", text), text


def test_who_may_not_rate_or_calibrate_is_turned_away(waiting):
    viewer = signed_in("viewer", "view_certificate")
    assert viewer.get("/calibration/").status_code == 200
    assert viewer.get("/labelling/").status_code == 403
    assert viewer.post("/calibration/start/", {"config": "salon"}).status_code == 403
    assert viewer.post(f"/labelling/{item_ids()[0]}/save/", {"value-0": "4"}).status_code == 403
    assert rater().get("/calibration/start/").status_code in (403, 405)
    assert signed_in("nobody", staff=False).get("/labelling/").status_code == 302


def test_calibrating_from_the_page_starts_the_judging(waiting, owner):
    answer = owner.post("/calibration/start/", {"config": "salon"}, follow=True)
    assert "Nothing has been rated yet" in text_of(answer)
    rater().post(f"/labelling/{item_ids()[0]}/save/", {"value-0": "4"})
    answer = owner.post("/calibration/start/", {"config": "salon"})
    assert answer.url == "/calibration/"
    assert 'hx-trigger="every 3s"' in owner.get("/calibration/").content.decode()
    assert "being judged" in text_of(owner.get("/calibration/"))


def test_the_pages_cost_the_same_at_any_size(waiting, owner):
    before = {page: queries_of(owner, page) for page in ("/calibration/", "/labelling/", "/admin/")}
    amina = rater()
    for item in item_ids()[:5]:
        amina.post(f"/labelling/{item}/save/", {"value-0": "4"})
    assert {page: queries_of(owner, page) for page in before} == before
    assert max(before.values()) <= 35  # Home, of evaluations whose figures nobody has stored yet
