"""Every task says for whom it works, can be repeated, and ends long before the broker would send it again."""

import inspect
import re
from typing import Any

from celery.app.defaults import NAMESPACES, flatten
from django.conf import settings
from django.utils.module_loading import import_string

from apps.jobs.domain.former_tasks import FORMER_TASKS
from apps.jobs.work import registered
from apps.tenants.tasks import TenantTask
from ratiba_eval.celery import app


def tasks() -> dict[str, Any]:
    app.loader.import_default_modules()
    app.finalize()
    return {name: task for name, task in app.tasks.items() if task.run.__module__.startswith(("apps.", "ratiba_eval."))}


TICKS = {str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
WORK_TICK = "apps.jobs.tasks.tick"


def test_there_are_tasks_and_they_are_named_after_where_they_stand():
    assert tasks()
    for name, task in tasks().items():
        assert name == f"{task.run.__module__}.{task.run.__name__}" or name in FORMER_TASKS


def test_what_an_older_process_sends_during_an_upgrade_is_understood():
    assert set(FORMER_TASKS) <= set(tasks())
    assert set(FORMER_TASKS.values()) <= {kind.name for kind in registered()}


def test_every_task_requires_its_tenant_except_the_ticks():
    wrong = []
    for name, task in tasks().items():
        if name in TICKS:
            continue
        parameter = inspect.signature(task.run).parameters.get("tenant")
        required = parameter and parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
        if not (isinstance(task, TenantTask) and required):
            wrong.append(name)
    assert not wrong, "base=TenantTask, and a keyword-only tenant without a default"


def test_ticks_take_nothing_but_their_interval_and_only_fan_out():
    """A tick runs in public: it asks whom to visit and sends tasks, and does no work itself."""
    for name in TICKS & tasks().keys():
        run = tasks()[name].run
        assert set(inspect.signature(run).parameters) == ({"every_s"} if name == WORK_TICK else set()), name
        source = inspect.getsource(run)
        fans_out = re.search(r"each_ready_tenant\(\)|(each_tenant_to_visit|visits_due)\(every_s=", source)
        assert fans_out, name
        assert ".objects" not in source, name


def test_the_schedule_names_tasks_that_exist():
    assert not TICKS - tasks().keys()


def test_every_kind_of_work_is_looked_for_by_a_tick_and_served_from_a_queue_that_exists():
    ticked = {one["kwargs"]["every_s"] for one in settings.CELERY_BEAT_SCHEDULE.values() if one["task"] == WORK_TICK}
    for kind in registered():
        assert kind.every_s in ticked, kind.name
        assert kind.queue in settings.QUEUES, kind.name
        assert list(inspect.signature(import_string(kind.serve)).parameters) == ["time_slice"], kind.name


def test_the_schedule_is_static_and_its_messages_expire():
    assert app.conf.beat_scheduler == "celery.beat:PersistentScheduler"
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["options"]["queue"] == "control"
        assert entry["options"]["expires"] == entry["schedule"]


def test_routes_lead_to_queues_that_exist():
    for name in tasks():
        assert app.amqp.router.route({}, name)["queue"].name in settings.QUEUES


def test_a_task_ends_long_before_it_would_be_sent_again():
    visible_after = float(str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]))
    assert visible_after > settings.CELERY_TASK_TIME_LIMIT * 3
    assert settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT
    for name, task in tasks().items():
        limit = task.time_limit or settings.CELERY_TASK_TIME_LIMIT
        assert limit * 3 < visible_after, name


def test_the_settings_are_the_measured_shape():
    conf = app.conf
    assert conf.task_acks_late
    assert conf.task_acks_on_failure
    assert conf.task_acks_on_timeout
    assert not conf.task_reject_on_worker_lost
    assert conf.task_ignore_result
    assert conf.result_backend is None
    assert not conf.task_always_eager
    assert not conf.task_create_missing_queues
    assert conf.worker_prefetch_multiplier == 1
    assert conf.worker_soft_shutdown_timeout == 30.0
    assert conf.worker_enable_soft_shutdown_on_idle
    assert set(conf.task_queues) == set(settings.QUEUES)


def test_celery_knows_every_setting_we_give_it():
    known = {str(pair[0]).upper() for pair in flatten(NAMESPACES)}
    ours = {name.removeprefix("CELERY_") for name in dir(settings) if name.startswith("CELERY_")} - {"MODULE"}
    assert ours <= known


def test_a_tick_that_asks_whom_to_visit_says_its_own_interval():
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        if entry["task"] == WORK_TICK:
            assert entry["kwargs"]["every_s"] == entry["schedule"]
            continue
        source = inspect.getsource(tasks()[str(entry["task"])].run)
        if found := re.search(r"each_tenant_to_visit\(every_s=(\d+)\)", source):
            assert float(found[1]) == float(str(entry["schedule"])), entry["task"]
